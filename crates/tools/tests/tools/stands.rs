//! What stands at a path, and putting something else there.

use crate::support::World;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use tenon_tools::workspace::{Standing, Wanted};

fn put(world: &World, path: &str, wanted: Wanted<'_>) -> Result<(), String> {
    let seen = world.workspace.stand(path).map_err(|e| e.to_string())?;
    world
        .workspace
        .put_back(path, &seen, &wanted)
        .map_err(|e| e.to_string())
}

#[test]
fn files_links_and_folders_take_each_other_s_place() {
    let world = World::new();
    let at = world.root().join("thing");
    let file = Wanted::File {
        bytes: b"text",
        mode: Some(0o640),
    };
    let link = Wanted::Link { target: b"nowhere" };
    let folder = Wanted::Folder { mode: 0o750 };
    for wanted in [
        file,
        link,
        file,
        folder,
        file,
        Wanted::Absent,
        folder,
        link,
        Wanted::Absent,
    ] {
        put(&world, "thing", wanted).unwrap();
        let about = fs::symlink_metadata(&at);
        match wanted {
            Wanted::Absent => assert!(about.is_err()),
            Wanted::File { .. } => {
                assert_eq!(fs::read(&at).unwrap(), b"text");
                assert_eq!(about.unwrap().permissions().mode() & 0o7777, 0o640);
            }
            Wanted::Link { .. } => {
                assert_eq!(fs::read_link(&at).unwrap().to_str(), Some("nowhere"));
            }
            Wanted::Folder { .. } => {
                let about = about.unwrap();
                assert!(about.is_dir());
                assert_eq!(about.permissions().mode() & 0o7777, 0o750);
            }
        }
    }
    let left: Vec<_> = fs::read_dir(world.root()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn what_changed_between_the_look_and_the_act_is_not_touched() {
    let world = World::new();
    world.file("a", "seen");
    let seen = world.workspace.stand("a").unwrap();
    fs::write(world.root().join("a"), "changed meanwhile").unwrap();
    world
        .workspace
        .put_back("a", &seen, &Wanted::Absent)
        .unwrap_err();
    assert_eq!(
        fs::read(world.root().join("a")).unwrap(),
        b"changed meanwhile"
    );
    let nothing = world.workspace.stand("b").unwrap();
    world.file("b", "came");
    let file = Wanted::File {
        bytes: b"mine",
        mode: None,
    };
    world.workspace.put_back("b", &nothing, &file).unwrap_err();
    assert_eq!(fs::read(world.root().join("b")).unwrap(), b"came");
}

#[test]
fn nothing_outside_and_nothing_through_a_link_is_reached() {
    let world = World::new();
    let outside = world.root().parent().unwrap().join("outside");
    fs::write(outside.join("file"), "theirs").unwrap();
    symlink(&outside, world.root().join("way")).unwrap();
    for path in [
        "../outside/file",
        "way/file",
        "/etc/hostname",
        "",
        ".",
        "a/../../outside/file",
    ] {
        assert!(put(&world, path, Wanted::Absent).is_err(), "{path}");
    }
    assert_eq!(fs::read(outside.join("file")).unwrap(), b"theirs");
}

#[test]
fn a_folder_that_holds_something_stays() {
    let world = World::new();
    world.file("folder/inner", "x");
    put(&world, "folder", Wanted::Absent).unwrap_err();
    assert!(world.root().join("folder/inner").exists());
}

#[test]
fn a_pipe_is_only_looked_at() {
    let world = World::new();
    let made = std::process::Command::new("mkfifo")
        .arg(world.root().join("pipe"))
        .status();
    assert!(made.unwrap().success());
    assert_eq!(
        world.workspace.stand("pipe").unwrap().standing,
        Standing::Other
    );
    assert!(world.workspace.open_plain("pipe").is_none());
}

#[test]
fn a_file_is_moved_back_only_as_the_one_that_was_meant() {
    let world = World::new();
    let outside = world.root().parent().unwrap().to_path_buf();
    symlink(&outside, world.root().join("link")).unwrap();
    world.file("there/it", "content");
    world.file("taken", "mine");
    let mark = world.workspace.stamp("there/it").unwrap().mark();
    let back = |from: &str, to: &str| world.workspace.move_back(from, &mark, to);
    assert!(back("there/it", "taken").is_err(), "the name is taken");
    assert!(back("there/it", "link/it").is_err(), "it leads outside");
    assert!(back("there/it", "../it").is_err(), "it leads outside");
    assert!(back("taken", "free").is_err(), "another file");
    assert!(back("gone", "free").is_err(), "no file");
    assert!(!world.exists("free") && !outside.join("it").exists());
    back("there/it", "made/for/it").unwrap();
    assert_eq!(world.bytes("made/for/it"), b"content");
    assert!(!world.exists("there/it"));
    let now = world.workspace.stamp("made/for/it").unwrap();
    assert_eq!(now.mark(), mark, "it is the same file");
    std::fs::write(world.root().join("made/for/it"), "and more of it").unwrap();
    let error = back("made/for/it", "there/it").unwrap_err();
    assert!(error.to_string().contains("changed"), "{error}");
    assert!(world.workspace.stamp("link").is_none() && world.workspace.stamp("made").is_none());
}
