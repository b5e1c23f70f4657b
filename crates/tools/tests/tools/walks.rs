//! Walking the tree.

use crate::support::World;
use tenon_tools::workspace::{EntryKind, WalkOptions, Workspace, WorkspaceOptions};

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

fn pipe(world: &World, path: &str) {
    let made = std::process::Command::new("mkfifo")
        .arg(world.root().join(path))
        .status();
    assert!(made.unwrap().success());
}

#[test]
fn an_ignore_file_that_is_no_regular_file_is_no_rule_and_never_opened() {
    let world = World::new();
    let rules = world.outside().join("rules");
    std::fs::write(&rules, "*\n").unwrap();
    for folder in ["zero", "pipe", "linked", "folder", "sub"] {
        world.file(&format!("{folder}/a"), "");
    }
    world.link("zero/.gitignore", "/dev/zero");
    world.link("zero/.ignore", "/dev/zero");
    pipe(&world, "pipe/.gitignore");
    pipe(&world, "pipe/.ignore");
    world.link("linked/.gitignore", &rules);
    world.file("folder/.gitignore/b", "");
    std::fs::create_dir_all(world.root().join(".git/info")).unwrap();
    pipe(&world, ".git/info/exclude");
    world.link(".gitignore", "/dev/zero");
    for workspace in crate::support::both(&world) {
        let names = walked(&workspace, ".");
        for name in ["zero/a", "pipe/a", "linked/a", "folder/a", "sub/a"] {
            assert!(names.iter().any(|found| found == name), "{name}: {names:?}");
        }
        // Above the folder as well.
        assert_eq!(walked(&workspace, "sub"), ["sub/a".to_owned()]);
    }
}

#[test]
fn an_ignore_file_of_more_than_a_mebibyte_is_no_rule() {
    let world = World::new();
    let rules = |size: usize| format!("a\n{}\n", "#".repeat(size - 3));
    world.file("small/.gitignore", rules(1024 * 1024));
    world.file("small/a", "");
    world.file("large/.gitignore", rules(1024 * 1024 + 1));
    world.file("large/a", "");
    assert_eq!(
        walked(&world.workspace, "."),
        ["large/.gitignore", "large/a", "small/.gitignore"].map(String::from)
    );
}

#[test]
fn ignore_files_decide_by_kind_and_then_by_nearness() {
    let world = World::new();
    world.file(".git/info/exclude", "excluded\nkept\n");
    world.file(
        ".gitignore",
        "\u{feff}first\r\n*.log\n!kept\nonly/\n[broken\n",
    );
    world.file(".ignore", "!forced.log\nhidden\n");
    world.file("sub/.gitignore", "!hidden\n!near.log\n/rooted\n");
    for name in [
        "excluded",
        "kept",
        "first",
        "a.log",
        "forced.log",
        "hidden",
        "only",
        "sub/hidden",
        "sub/near.log",
        "sub/rooted",
        "sub/deep/rooted",
        "sub/only/x",
        "sub/forced.log",
    ] {
        world.file(name, "");
    }
    for workspace in crate::support::both(&world) {
        assert_eq!(
            walked(&workspace, "."),
            [
                ".gitignore",
                ".ignore",
                "forced.log",
                "kept",
                "only",
                "sub/.gitignore",
                "sub/deep/rooted",
                "sub/forced.log",
                "sub/near.log",
            ]
            .map(String::from)
        );
        assert_eq!(
            walked(&workspace, "sub/deep"),
            ["sub/deep/rooted".to_owned()]
        );
    }
}

#[test]
fn walks_on_several_threads_leave_out_the_same() {
    let world = World::new();
    for n in 0..40 {
        world.file(&format!("d{n}/.gitignore"), format!("f{n}\n"));
        for m in 0..40 {
            world.file(&format!("d{n}/f{m}"), "");
        }
    }
    let walk = world.workspace.walk(".", &WalkOptions::default()).unwrap();
    let seen = std::sync::Mutex::new(Vec::new());
    walk.parallel(4, || {
        Box::new(|entry| {
            if entry.kind() != EntryKind::Folder {
                seen.lock().unwrap().push(walk.shown(entry));
            }
            std::ops::ControlFlow::Continue(())
        })
    });
    let mut seen = seen.into_inner().unwrap();
    seen.sort();
    assert_eq!(seen.len(), 40 * 40);
    assert_eq!(seen, walked(&world.workspace, "."));
}

#[test]
fn rules_that_would_cost_too_much_together_are_left_unread() {
    let world = World::new();
    let costly: String = (0..90_000).map(|n| format!("a*{n}b*c\n")).collect();
    world.file("costly/.gitignore", format!("{costly}x\n"));
    world.file("costly/x", "");
    world.file("plain/.gitignore", "x\n");
    world.file("plain/x", "");
    assert_eq!(
        walked(&world.workspace, "."),
        ["costly/.gitignore", "costly/x", "plain/.gitignore"].map(String::from)
    );
}
