//! What a person sees before saying yes: the file that is really touched, all
//! of the change, and where a command runs.

use crate::support::{World, tool};
use serde_json::{Value, json};
use tenon_vocab::{DiffFile, Display};

const MEBIBYTE: usize = 1024 * 1024;

fn preview(world: &World, name: &str, input: &Value) -> Display {
    tool(name).preview(input, &world.workspace)
}

fn only_file(display: Display) -> DiffFile {
    match display {
        Display::Diff { mut files } if files.len() == 1 => files.remove(0),
        other => panic!("{other:?}"),
    }
}

fn names(file: &DiffFile) -> (Option<&str>, &str, &str) {
    (file.from.as_deref(), &file.path, &file.operation)
}

fn circumstances(world: &World, input: &Value) -> String {
    match preview(world, "bash", input) {
        Display::Terminal {
            command, output, ..
        } => {
            assert_eq!(command, "make test");
            output
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_command_is_shown_with_its_folder_and_its_background() {
    let world = World::new();
    world.file("vendored/evil/Makefile", "");
    world.link("shortcut", "vendored/evil");
    let told = |more: Value| {
        let mut input = json!({"command": "make test"});
        input
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        circumstances(&world, &input)
    };
    assert_eq!(told(json!({})), "");
    assert_eq!(told(json!({"workdir": ".", "background": false})), "");
    assert_eq!(
        told(json!({"workdir": "vendored/evil"})),
        "in vendored/evil"
    );
    assert_eq!(
        told(json!({"workdir": "./shortcut"})),
        "in shortcut → vendored/evil"
    );
    assert_eq!(
        told(json!({"workdir": "vendored/evil", "background": true})),
        "in vendored/evil\nin the background"
    );
}

#[test]
fn a_write_through_a_link_shows_the_file_that_is_written() {
    let world = World::new();
    world.link("notes.txt", "Makefile");
    let input = json!({"path": "./notes.txt", "content": "all:\n"});
    let file = only_file(preview(&world, "write", &input));
    assert_eq!(names(&file), (Some("notes.txt"), "Makefile", "created"));
    world.file("Makefile", "old:\n");
    let file = only_file(preview(&world, "write", &input));
    assert_eq!(names(&file), (Some("notes.txt"), "Makefile", "updated"));
    assert_eq!(file.unified, "@@ -1 +1 @@\n-old:\n+all:\n");
    // A folder that is a link counts as well; another spelling is no link.
    world.file("real/a", "");
    world.link("alias", "real");
    let input = json!({"path": "alias/a", "content": "x"});
    let file = only_file(preview(&world, "write", &input));
    assert_eq!(names(&file), (Some("alias/a"), "real/a", "updated"));
    let absolute = world.root().join("real/../real/a");
    let input = json!({"path": absolute, "content": "x"});
    let file = only_file(preview(&world, "write", &input));
    assert_eq!(names(&file), (None, "real/a", "updated"));
}

#[tokio::test]
async fn what_a_preview_names_is_what_the_result_names() {
    let world = World::new();
    world.link("notes.txt", "Makefile");
    let input = json!({"path": "notes.txt", "content": "all:\n"});
    let output = world.call("write", input).await;
    assert_eq!(world.text("Makefile"), "all:\n");
    assert_eq!(
        names(&only_file(output.display)),
        (Some("notes.txt"), "Makefile", "created")
    );
}

#[test]
fn an_edit_through_a_link_shows_the_file_that_is_changed() {
    let world = World::new();
    world.file("Makefile", "old:\n");
    world.link("notes.txt", "Makefile");
    let input = json!({"path": "notes.txt", "old": "old", "new": "all"});
    let file = only_file(preview(&world, "edit", &input));
    assert_eq!(names(&file), (Some("notes.txt"), "Makefile", "updated"));
}

#[test]
fn a_patch_shows_both_names_of_a_link_and_of_a_rename() {
    let world = World::new();
    world.link("notes.txt", "Makefile");
    let text = "*** Begin Patch\n*** Add File: notes.txt\n+all:\n*** End Patch\n";
    let file = only_file(preview(&world, "patch", &json!({"patch": text})));
    assert_eq!(names(&file), (Some("notes.txt"), "Makefile", "created"));
    world.file("Makefile", "old:\n");
    let text = "--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1 @@\n-old:\n+all:\n";
    let file = only_file(preview(&world, "patch", &json!({"patch": text})));
    assert_eq!(names(&file), (Some("notes.txt"), "Makefile", "updated"));
    world.file("LICENSE", "free\n");
    let text = "diff --git a/LICENSE b/other.txt\nsimilarity index 100%\nrename from LICENSE\nrename to other.txt\n";
    let file = only_file(preview(&world, "patch", &json!({"patch": text})));
    assert_eq!(names(&file), (Some("LICENSE"), "other.txt", "renamed"));
}

#[tokio::test]
async fn a_preview_holds_a_mebibyte_and_counts_what_it_leaves_out() {
    let world = World::new();
    let content = "0123456789abcde\n".repeat(MEBIBYTE / 32);
    let input = json!({"path": "a", "content": content});
    let file = only_file(preview(&world, "write", &input));
    assert_eq!(file.left_out_bytes, 0);
    assert_eq!(file.unified.matches("+0123456789abcde\n").count(), 32768);
    let last = format!("{content}{}the end\n", "x".repeat(2 * MEBIBYTE));
    let input = json!({"path": "a", "content": last});
    let file = only_file(preview(&world, "write", &input));
    assert!(file.left_out_bytes > MEBIBYTE as u64);
    let missing = format!(
        "[… 1 lines ({} bytes) of the diff left out]\n",
        file.left_out_bytes
    );
    assert!(file.unified.ends_with(&missing), "{missing}");
    // A result may be short.
    let output = world.call("write", input).await;
    assert!(only_file(output.display).unified.len() < 70 * 1024);
}
