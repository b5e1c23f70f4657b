//! Images that are pasted: from the clipboard, and by the path of a file.

use super::stage::{Prompt, Stage, USUAL};
use tenon_testing::screen::{ENTER, control};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01";
const ENCODED: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAE=";

/// The images of the last request.
fn sent(stage: &Stage) -> usize {
    let bodies = stage.model.bodies();
    bodies
        .last()
        .map_or(0, |body| body.matches(ENCODED).count())
}

/// A person presses the next key later than what still counts as the paste.
fn rest() {
    std::thread::sleep(std::time::Duration::from_millis(300));
}

#[test]
fn a_dropped_file_and_the_clipboard_are_images_of_the_prompt_as_long_as_their_mark_stands() {
    let stage = Stage::says("a small picture");
    std::fs::write(stage.home.project().join("my chart.png"), PNG).unwrap();
    std::fs::write(stage.home.path().join("copied"), PNG).unwrap();
    let program = stage.script(
        "xclip",
        &format!(
            "#!/bin/sh\ncase \"$*\" in *image/png*) cat {}/copied;; esac\n",
            stage.home.path().display()
        ),
    );
    let folder = std::path::Path::new(&program).parent().unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.display());
    let screen = stage.open_with(&[], &[("DISPLAY", ":7"), ("PATH", &path)], USUAL);
    let dropped = stage.home.project().join("my\\ chart.png");
    screen
        .ready()
        .text("see ")
        .paste(&dropped.display().to_string())
        .see("see [image 1: my chart.png]");
    rest();
    screen.key(&control('v')).see("[image 2: clipboard]");
    rest();
    screen.key(ENTER).see("a small picture").done();
    assert_eq!(sent(&stage), 2);
    // A mark that was taken out takes its image along.
    screen
        .ready()
        .key(&control('v'))
        .see("[image 1: clipboard]");
    rest();
    screen.key(&control('u')).ready();
    screen.line("and now").see("▌ and now");
    let asked = || stage.model.bodies().len() == 2;
    assert!(tenon_testing::wait_until(
        std::time::Duration::from_secs(60),
        asked
    ));
    assert_eq!(sent(&stage), 2, "those of the first prompt alone");
}

#[test]
fn an_empty_clipboard_is_said_and_a_path_of_no_image_stays_text() {
    let stage = Stage::says("seen");
    let file = stage.file("notes.png", "not a picture");
    stage.script("xclip", "#!/bin/sh\nexit 1\n");
    let path = format!("{}:/usr/bin:/bin", stage.home.path().display());
    let screen = stage.open_with(&[], &[("DISPLAY", ":7"), ("PATH", &path)], USUAL);
    screen
        .ready()
        .key(&control('v'))
        .see("There is no image in the clipboard")
        .paste(&format!("{}-none.png", file.display()))
        .see("notes.png-none.png");
    rest();
    screen
        .key(&control('u'))
        .ready()
        .paste(&file.display().to_string())
        .see("neither PNG, JPEG, GIF nor WebP");
}
