//! Two looks at the tree, and what they show of a command between them.

use crate::support::World;
use std::sync::atomic::AtomicBool;
use tenon_tools::workspace::{EntryKind, Extent, Scan, ScanLimits};

fn scan(world: &World, entries: usize) -> Scan {
    world.workspace.scan(&ScanLimits {
        entries,
        deadline: None,
        threads: 1,
        stop: &AtomicBool::new(false),
        without: &[world.root().join("own")],
    })
}

#[test]
fn two_scans_show_what_a_command_changed() {
    let world = World::new();
    world.file(".gitignore", "ignored\n");
    for name in [
        "same", "changed", "removed", "moded", "a.b", "a/b", "own/log",
    ] {
        world.file(name, "1");
    }
    let before = scan(&world, 1_000);
    let again = scan(&world, 1_000);
    assert!(
        !Scan::suspects(&before, &again)
            .iter()
            .any(|suspect| suspect.stamped)
    );
    world.file("changed", "2, and longer");
    world.file("new/file", "");
    world.file("ignored", "");
    world.file("own/log", "grows");
    world.set_mode("moded", 0o700);
    std::fs::remove_file(world.root().join("removed")).unwrap();
    let after = scan(&world, 1_000);
    let changed: Vec<&str> = Scan::suspects(&before, &after)
        .iter()
        .filter(|suspect| suspect.stamped)
        .map(|suspect| suspect.before.or(suspect.after).unwrap().path.as_str())
        .collect();
    assert_eq!(changed, ["changed", "moded", "new", "new/file", "removed"]);
    assert_eq!(after.extent(), Extent::Whole);
    let folder = after.entries().iter().find(|entry| entry.path == "new");
    assert_eq!(folder.unwrap().kind, EntryKind::Folder);
}

#[test]
fn of_what_is_ignored_only_what_is_changed_or_gone_is_suspect() {
    let world = World::new();
    world.file(".gitignore", "*.db\nproducts/\n");
    for name in [
        "same.db",
        "changed.db",
        "removed.db",
        "products/a",
        "a/b.db",
    ] {
        world.file(name, "1");
    }
    let before = scan(&world, 1_000);
    world.file("changed.db", "2, and longer");
    world.file("new.db", "");
    world.file("products/a", "longer");
    std::fs::remove_file(world.root().join("removed.db")).unwrap();
    std::fs::remove_dir_all(world.root().join("a")).unwrap();
    let after = scan(&world, 1_000);
    let suspects = Scan::ignored_suspects(&before, &after);
    let suspects = suspects.iter().filter(|suspect| suspect.stamped);
    let paths: Vec<&str> = suspects.map(|suspect| suspect.path()).collect();
    assert_eq!(paths, ["a/b.db", "changed.db", "removed.db"]);
}

#[test]
fn a_file_that_was_written_just_before_a_scan_stays_suspect() {
    let world = World::new();
    world.file("young", "1");
    let before = scan(&world, 1_000);
    let after = scan(&world, 1_000);
    let suspects = Scan::suspects(&before, &after);
    assert_eq!(suspects.len(), 1);
    assert!(!suspects[0].stamped);
}

#[test]
fn a_scan_says_that_it_did_not_see_everything() {
    let world = World::new();
    for number in 0..20 {
        world.file(&format!("f{number}"), "");
    }
    assert_eq!(scan(&world, 10).extent(), Extent::TooMany);
    let stopped = world.workspace.scan(&ScanLimits {
        entries: 1_000,
        deadline: None,
        threads: 2,
        stop: &AtomicBool::new(true),
        without: &[],
    });
    // So few are seen before anybody looks whether to stop.
    assert_eq!(stopped.extent(), Extent::Whole);
    for number in 0..2_000 {
        world.file(&format!("more/f{number}"), "");
    }
    let stopped = world.workspace.scan(&ScanLimits {
        entries: 10_000,
        deadline: None,
        threads: 2,
        stop: &AtomicBool::new(true),
        without: &[],
    });
    assert_eq!(stopped.extent(), Extent::Stopped);
}
