//! Walking and scanning the tree.

use crate::support::World;
use tenon_tools::workspace::{EntryKind, Scan, WalkOptions, Workspace, WorkspaceOptions};

fn walked(workspace: &Workspace, path: &str) -> Vec<String> {
    let walk = workspace.walk(path, &WalkOptions::default()).unwrap();
    let mut names = Vec::new();
    walk.each(|entry| {
        if entry.kind() != EntryKind::Folder {
            names.push(walk.shown(entry));
        }
        std::ops::ControlFlow::Continue(())
    });
    names.sort();
    names
}

#[test]
fn a_walk_respects_ignore_files_without_a_repository() {
    let world = World::new();
    world.file(".gitignore", "*.log\n/build/\n");
    world.file("a.log", "");
    world.file("build/x", "");
    world.file("src/a.rs", "");
    world.file("src/b.log", "");
    world.file("src/.gitignore", "!b.log\nprivate\n");
    world.file("src/private", "");
    world.file("src/deep/c.log", "");
    world.file(".hidden", "");
    world.file(".git/config", "");
    world.file("node_modules/x/index.js", "");
    world.link("out", world.outside());
    std::fs::write(world.outside().join("x"), "").unwrap();
    assert_eq!(
        walked(&world.workspace, "."),
        [
            ".gitignore",
            ".hidden",
            "out",
            "src/.gitignore",
            "src/a.rs",
            "src/b.log"
        ]
        .map(String::from)
    );
    // The same below: the files above the folder hold, up to the root.
    std::fs::remove_file(world.root().join("src/.gitignore")).unwrap();
    std::fs::remove_dir_all(world.root().join(".git")).unwrap();
    world.file("../.gitignore", "*\n");
    assert_eq!(
        walked(&world.workspace, "src"),
        ["src/a.rs", "src/private"].map(String::from)
    );
    // What was asked for by name is shown although it is ignored.
    assert_eq!(walked(&world.workspace, "build"), ["build/x".to_owned()]);
}

#[test]
fn a_walk_inside_a_repository_takes_the_ignore_files_above_the_root() {
    let world = World::new();
    world.file("repo/.git/HEAD", "");
    world.file("repo/.gitignore", "*.log\n");
    world.file("repo/pkg/a.log", "");
    world.file("repo/pkg/a.rs", "");
    let inner = Workspace::open(&world.root().join("repo/pkg"), WorkspaceOptions::default());
    assert_eq!(walked(&inner.unwrap(), "."), ["a.rs".to_owned()]);
}

#[test]
fn a_walk_stops_at_its_limit() {
    let world = World::new();
    for n in 0..50 {
        world.file(&format!("f{n}"), "");
    }
    let options = WalkOptions {
        limit: 10,
        ..WalkOptions::default()
    };
    let walk = world.workspace.walk(".", &options).unwrap();
    let mut seen = 0;
    let end = walk.each(|_| {
        seen += 1;
        std::ops::ControlFlow::Continue(())
    });
    assert_eq!(seen, 10);
    assert_eq!(end, tenon_tools::workspace::Walked::Part);
}

#[test]
fn two_scans_show_what_a_command_changed() {
    let world = World::new();
    world.file(".gitignore", "ignored\n");
    for name in ["same", "changed", "removed", "moded", "a.b", "a/b"] {
        world.file(name, "1");
    }
    let before = world.workspace.scan();
    assert!(Scan::changes(&before, &world.workspace.scan()).is_empty());
    world.file("changed", "2, and longer");
    world.file("new/file", "");
    world.file("ignored", "");
    world.set_mode("moded", 0o700);
    std::fs::remove_file(world.root().join("removed")).unwrap();
    let after = world.workspace.scan();
    assert_eq!(
        Scan::changes(&before, &after),
        ["changed", "moded", "new/file", "removed"].map(String::from)
    );
    assert!(!after.is_partial());
}
