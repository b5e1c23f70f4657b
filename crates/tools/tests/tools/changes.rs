//! What a change does to the disk, what the journal hears of it, and what
//! happens when others change the same files at the same time.

use crate::support::{World, both, refusal};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tenon_tools::Workspace;
use tenon_tools::workspace::{Change, Expect, Journal, JournalError, Resolution, sha256};

#[test]
fn a_write_creates_folders_keeps_the_mode_and_leaves_nothing_behind() {
    let world = World::new();
    for workspace in both(&world) {
        let written = workspace
            .write("new/deep/a", b"one", Expect::Absent)
            .unwrap();
        assert!(written.created && written.changed);
        world.set_mode("new/deep/a", 0o4751);
        let written = workspace
            .write("new/deep/a", b"two", Expect::Anything)
            .unwrap();
        assert!(!written.created && written.changed);
        assert_eq!(written.before.as_deref(), Some(&b"one"[..]));
        assert_eq!((world.mode("new/deep/a"), written.mode), (0o4751, 0o4751));
        let before = std::fs::metadata(world.root().join("new/deep/a")).unwrap();
        let written = workspace
            .write("new/deep/a", b"two", Expect::Anything)
            .unwrap();
        assert!(!written.changed);
        let after = std::fs::metadata(world.root().join("new/deep/a")).unwrap();
        assert_eq!(before.modified().unwrap(), after.modified().unwrap());
        assert_eq!(world.bytes("new/deep/a"), b"two");
        assert_eq!(
            std::fs::read_dir(world.root().join("new/deep"))
                .unwrap()
                .count(),
            1
        );
        std::fs::remove_dir_all(world.root().join("new")).unwrap();
    }
}

#[test]
fn a_write_through_a_link_changes_the_target_and_keeps_the_link() {
    let world = World::new();
    world.file("real/a", "one");
    world.link("link", "real/a");
    world.link("new_link", "real/new");
    for workspace in both(&world) {
        let written = workspace.write("link", b"two", Expect::Anything).unwrap();
        assert_eq!(written.path, "real/a");
        assert_eq!(world.bytes("real/a"), b"two");
        workspace
            .write("new_link", b"made", Expect::Absent)
            .unwrap();
        assert_eq!(world.bytes("real/new"), b"made");
        for link in ["link", "new_link"] {
            let kind = std::fs::symlink_metadata(world.root().join(link)).unwrap();
            assert!(kind.file_type().is_symlink());
            let error = workspace.remove(link, Expect::Anything).unwrap_err();
            assert!(error.to_string().contains("symbolic link"), "{error}");
            let error = workspace.rename(link, "elsewhere").unwrap_err();
            assert!(error.to_string().contains("symbolic link"), "{error}");
        }
        std::fs::write(world.root().join("real/a"), "one").unwrap();
        std::fs::remove_file(world.root().join("real/new")).unwrap();
    }
}

#[test]
fn an_expectation_that_fails_changes_nothing() {
    let world = World::new();
    world.file("a", "one");
    for workspace in both(&world) {
        for expect in [Expect::Absent, Expect::Content(sha256(b"other"))] {
            let error = workspace.write("a", b"two", expect.clone()).unwrap_err();
            assert_eq!(refusal(&error), "stale", "{error}");
            let error = workspace.remove("a", expect).unwrap_err();
            assert_eq!(refusal(&error), "stale", "{error}");
        }
        let expect = Expect::Content(sha256(b"one"));
        let error = workspace.write("deep/er/b", b"two", expect).unwrap_err();
        assert_eq!(refusal(&error), "stale", "{error}");
        assert!(!world.exists("deep"));
        assert_eq!(world.bytes("a"), b"one");
        let expect = Expect::Content(sha256(b"one"));
        workspace.write("a", b"one!", expect).unwrap();
        workspace.write("a", b"one", Expect::Anything).unwrap();
    }
}

type Meddling = Box<dyn Fn(&str) -> Result<(), JournalError> + Send + Sync>;

/// Records what it is told, and may meddle just before the change.
#[derive(Default)]
struct Recorder {
    seen: Mutex<Vec<String>>,
    meddle: Option<Meddling>,
}

impl Journal for Recorder {
    fn changing(&self, change: &Change<'_>) -> Result<(), JournalError> {
        let side = |bytes: Option<&[u8]>| {
            bytes.map_or(String::from("none"), |b| String::from_utf8_lossy(b).into())
        };
        self.seen.lock().unwrap().push(format!(
            "{} {} {:o} -> {} {:o}",
            change.path,
            side(change.before),
            change.mode.unwrap_or(0),
            side(change.after),
            change.after_mode.unwrap_or(0)
        ));
        self.meddle
            .as_ref()
            .map_or(Ok(()), |meddle| meddle(change.path))
    }
}

#[test]
fn the_journal_hears_of_every_change_before_it_happens() {
    let world = World::new();
    let root = world.root().to_path_buf();
    let recorder = Arc::new(Recorder {
        meddle: Some(Box::new(move |path| {
            // Nothing has happened yet when the journal is told.
            assert_ne!(std::fs::read(root.join(path)).ok(), Some(b"two".to_vec()));
            Ok(())
        })),
        ..Recorder::default()
    });
    let workspace = world.workspace.with_journal(recorder.clone());
    workspace.write("a", b"one", Expect::Absent).unwrap();
    // What the umask leaves is the system's to say.
    let made = world.mode("a");
    world.set_mode("a", 0o640);
    workspace.write("a", b"two", Expect::Anything).unwrap();
    workspace.write("a", b"two", Expect::Anything).unwrap();
    world.file("a", "three");
    workspace.rename("a", "sub/b").unwrap();
    workspace.remove("sub/b", Expect::Anything).unwrap();
    let seen = recorder.seen.lock().unwrap().clone();
    assert_eq!(
        seen,
        [
            format!("a none 0 -> one {made:o}").as_str(),
            "a one 640 -> two 640",
            "a three 640 -> none 0",
            "sub/b none 0 -> three 640",
            "sub/b three 640 -> none 0",
        ]
    );
}

#[test]
fn a_journal_that_cannot_keep_the_content_stops_the_change() {
    let world = World::new();
    world.file("a", "one");
    let refuse = || -> Arc<dyn Journal> {
        Arc::new(Recorder {
            meddle: Some(Box::new(|_| Err(JournalError(String::from("disk full"))))),
            ..Recorder::default()
        })
    };
    let workspace = world.workspace.with_journal(refuse());
    for error in [
        workspace.write("a", b"two", Expect::Anything).unwrap_err(),
        workspace.write("b", b"two", Expect::Absent).unwrap_err(),
        workspace.remove("a", Expect::Anything).unwrap_err(),
        workspace.rename("a", "b").unwrap_err(),
    ] {
        assert_eq!(refusal(&error), "write_error");
        assert!(error.to_string().contains("disk full"), "{error}");
    }
    assert_eq!(world.bytes("a"), b"one");
    let names = std::fs::read_dir(world.root()).unwrap();
    assert_eq!(names.count(), 1, "nothing else is left behind");
}

#[test]
fn a_file_that_changes_during_the_write_is_not_written_over() {
    let world = World::new();
    let path = world.file("a", "one");
    for workspace in both(&world) {
        std::fs::write(&path, "one").unwrap();
        let meddled = path.clone();
        let journal = Arc::new(Recorder {
            meddle: Some(Box::new(move |_| {
                std::fs::write(&meddled, "someone else's").unwrap();
                Ok(())
            })),
            ..Recorder::default()
        });
        let workspace = workspace.with_journal(journal);
        let expect = Expect::Content(sha256(b"one"));
        let error = workspace.write("a", b"two", expect).unwrap_err();
        assert_eq!(refusal(&error), "stale");
        assert_eq!(world.bytes("a"), b"someone else's");
        std::fs::write(&path, "one").unwrap();
        let error = workspace.remove("a", Expect::Anything).unwrap_err();
        assert_eq!(refusal(&error), "stale");
        assert_eq!(std::fs::read_dir(world.root()).unwrap().count(), 1);
    }
}

#[test]
fn a_file_that_appears_during_the_write_is_not_written_over() {
    let world = World::new();
    let root = world.root().to_path_buf();
    let journal = Arc::new(Recorder {
        meddle: Some(Box::new(move |path| {
            std::fs::write(root.join(path), "someone else's").unwrap();
            Ok(())
        })),
        ..Recorder::default()
    });
    let workspace = world.workspace.with_journal(journal);
    let error = workspace.write("a", b"two", Expect::Anything).unwrap_err();
    assert_eq!(refusal(&error), "stale");
    assert_eq!(world.bytes("a"), b"someone else's");
}

#[test]
fn a_rename_never_replaces_what_stands_there() {
    let world = World::new();
    world.file("a", "one");
    world.file("b", "two");
    for workspace in both(&world) {
        let error = workspace.rename("a", "b").unwrap_err();
        assert_eq!(refusal(&error), "stale", "{error}");
        assert!(workspace.rename("missing", "c").unwrap_err().is_not_found());
        workspace.rename("a", "deep/c").unwrap();
        assert_eq!(world.bytes("deep/c"), b"one");
        workspace.rename("deep/c", "a").unwrap();
    }
    assert_eq!(world.bytes("b"), b"two");
}

#[test]
fn a_read_only_file_is_not_replaced() {
    if rustix::process::geteuid().is_root() {
        return; // Root may write everything; there is nothing to see.
    }
    let world = World::new();
    world.file("a", "one");
    world.set_mode("a", 0o444);
    let error = world
        .workspace
        .write("a", b"two", Expect::Anything)
        .unwrap_err();
    assert_eq!(refusal(&error), "write_error");
    assert_eq!(world.bytes("a"), b"one");
}

#[test]
fn readers_never_see_a_part_of_a_write() {
    let world = World::new();
    let (one, two) = ([b'1'; 100_000], [b'2'; 100_000]);
    let path = world.file("a", one);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let seen = std::fs::read(&path).unwrap();
                assert!(seen == one || seen == two, "{} bytes", seen.len());
            }
        });
        let end = Raise(&done);
        for round in 0..200 {
            let bytes = if round % 2 == 0 { &two } else { &one };
            world.workspace.write("a", bytes, Expect::Anything).unwrap();
        }
        drop(end);
        reader.join().unwrap();
    });
}

/// Exchanges a folder of the project with a link to the folder outside, all
/// the time, while `act` runs.
fn while_swapped(world: &World, act: impl Fn()) {
    let (folder, link) = (world.root().join("folder"), world.root().join("link"));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, &folder, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
        });
        // Also when `act` panics: else a failure would be a hang.
        let _end = Raise(&done);
        act();
    });
}

struct Raise<'a>(&'a AtomicBool);

impl Drop for Raise<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_link_swapped_in_while_tools_run_leads_nowhere() {
    const ROUNDS: usize = 10_000;
    for way in [Resolution::Kernel, Resolution::Walk] {
        let world = World::new();
        world.file("folder/a", "inside");
        world.link("link", world.outside());
        std::fs::write(world.outside().join("a"), "SECRET").unwrap();
        let workspace = world.workspace.with_resolution(way);
        while_swapped(&world, || {
            for round in 0..ROUNDS {
                match workspace.read("folder/a") {
                    Ok(file) => assert!(file.bytes.starts_with(b"inside"), "{way:?}: escaped"),
                    Err(error) => assert_ne!(refusal(&error), "internal", "{error}"),
                }
                // Whatever this says, it must not reach the folder outside.
                let text = format!("inside {round}");
                let _ = workspace.write("folder/a", text.as_bytes(), Expect::Anything);
                let _ = workspace.write("folder/new", text.as_bytes(), Expect::Anything);
                let _ = workspace.remove("folder/new", Expect::Anything);
            }
        });
        let names: Vec<_> = std::fs::read_dir(world.outside())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, ["a"], "{way:?}: something was created outside");
        assert_eq!(std::fs::read(world.outside().join("a")).unwrap(), b"SECRET");
    }
}

#[test]
fn a_search_while_links_are_swapped_in_shows_nothing_from_outside() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    for way in [Resolution::Kernel, Resolution::Walk] {
        let mut world = World::new();
        for n in 0..20 {
            world.file(&format!("folder/f{n}"), "inside\n");
            std::fs::write(world.outside().join(format!("f{n}")), "SECRET\n").unwrap();
        }
        world.link("link", world.outside());
        world.workspace = world.workspace.with_resolution(way);
        while_swapped(&world, || {
            for _ in 0..300 {
                let input = serde_json::json!({"pattern": "inside|SECRET"});
                let output = runtime.block_on(world.call("grep", input));
                assert!(!output.model_text.contains("SECRET"), "{way:?}: escaped");
            }
        });
    }
}

#[test]
fn a_rehearsal_stops_before_the_first_change_and_leaves_the_tree_as_it_is() {
    let world = World::new();
    world.file("a", "one");
    let tree = || {
        let names = std::fs::read_dir(world.root()).unwrap();
        let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        (names, world.text("a"))
    };
    let before = tree();
    let attempts: [&dyn Fn(&Workspace) -> bool; 5] = [
        &|w| w.write("a", b"two", Expect::Anything).is_err(),
        &|w| w.write("new", b"two", Expect::Absent).is_err(),
        &|w| w.write("deep/down/new", b"two", Expect::Absent).is_err(),
        &|w| w.remove("a", Expect::Anything).is_err(),
        &|w| w.rename("a", "deep/b").is_err(),
    ];
    for (at, attempt) in attempts.iter().enumerate() {
        let (view, rehearsal) = world.workspace.rehearsing();
        assert!(!rehearsal.would_change());
        assert!(attempt(&view), "{at}");
        assert!(rehearsal.would_change(), "{at}");
        assert_eq!(tree(), before, "{at}");
    }
    let (view, rehearsal) = world.workspace.rehearsing();
    assert!(view.write("a", b"one", Expect::Anything).is_ok());
    assert!(view.remove("gone", Expect::Anything).is_err());
    assert!(!rehearsal.would_change());
}
