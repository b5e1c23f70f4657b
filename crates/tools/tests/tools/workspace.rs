//! The door to the files: what passes, what does not, and what a change does.
//! Everything that is about paths runs with both ways of resolving them.

use crate::support::World;
use rustix::fs::{CWD, Mode, RenameFlags, mkfifoat, renameat_with};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tenon_policy::Access;
use tenon_tools::workspace::{
    Change, EntryKind, Expect, External, Journal, JournalError, Resolution, Scan, WalkOptions,
    Workspace, WorkspaceError, WorkspaceOptions, sha256,
};

const BOTH: [Resolution; 2] = [Resolution::Kernel, Resolution::Walk];

fn both(world: &World) -> [Workspace; 2] {
    BOTH.map(|way| world.workspace.with_resolution(way))
}

fn code(error: &WorkspaceError) -> String {
    error.code().name()
}

#[test]
fn this_kernel_has_openat2() {
    let world = World::new();
    assert!(format!("{:?}", world.workspace).contains("Kernel"));
}

#[test]
fn no_path_leads_outside() {
    let world = World::new();
    std::fs::write(world.outside().join("secret"), "secret").unwrap();
    std::fs::create_dir(world.root().join("sub")).unwrap();
    world.link("file_link", world.outside().join("secret"));
    world.link("folder_link", world.outside());
    world.link("relative_link", "../outside");
    world.link("sub/up", "../..");
    world.link("chain", "folder_link");
    let absolute = world.outside().join("secret");
    for path in [
        absolute.to_str().unwrap(),
        "../outside/secret",
        "sub/../../outside/secret",
        "file_link",
        "folder_link/secret",
        "relative_link/secret",
        "sub/up/outside/secret",
        "chain/secret",
        "/etc/passwd",
    ] {
        for workspace in both(&world) {
            for error in [
                workspace.read(path).unwrap_err(),
                workspace.write(path, b"x", Expect::Anything).unwrap_err(),
                workspace.remove(path, Expect::Anything).unwrap_err(),
            ] {
                assert_eq!(code(&error), "path_outside_root", "{path}: {error}");
                let root = world.root().to_string_lossy().into_owned();
                assert!(error.to_string().contains(&root), "{error}");
            }
        }
    }
    // Dots are folded by their letters, so this names nothing in the project.
    let error = world.workspace.read("folder_link/../outside/secret").unwrap_err();
    assert_eq!(code(&error), "path_error", "{error}");
    assert_eq!(std::fs::read(absolute).unwrap(), b"secret");
}

#[test]
fn new_files_are_not_created_outside_through_links() {
    let world = World::new();
    world.link("folder", world.outside());
    world.link("dangling", world.outside().join("new"));
    for workspace in both(&world) {
        for path in ["folder/new", "dangling", "folder/a/b/new", "../outside/new"] {
            let error = workspace.write(path, b"x", Expect::Anything).unwrap_err();
            assert_eq!(code(&error), "path_outside_root", "{path}: {error}");
        }
        world.file("here", "x");
        let error = workspace.rename("here", "folder/new").unwrap_err();
        assert_eq!(code(&error), "path_outside_root");
    }
    assert_eq!(std::fs::read_dir(world.outside()).unwrap().count(), 0);
}

#[test]
fn what_can_never_be_a_path_is_a_path_error() {
    let world = World::new();
    for path in ["", "   ", "a\0b", "~", "~/x", &"x".repeat(256), &"x/".repeat(3000)] {
        for workspace in both(&world) {
            assert_eq!(code(&workspace.read(path).unwrap_err()), "path_error");
            let error = workspace.write(path, b"", Expect::Anything).unwrap_err();
            assert_eq!(code(&error), "path_error", "{error}");
        }
    }
    let error = world.workspace.read("~/.bashrc").unwrap_err().to_string();
    assert!(error.contains("not expanded"), "{error}");
    assert!(!world.exists("~"));
}

#[test]
fn a_circle_of_links_is_an_error_and_not_a_hang() {
    let world = World::new();
    world.link("a", "b");
    world.link("b", "a");
    for workspace in both(&world) {
        let error = workspace.read("a/x").unwrap_err();
        assert_eq!(code(&error), "path_error", "{error}");
        assert!(!workspace.observe("a", Access::Read).inside);
    }
}

#[test]
fn absolute_paths_and_links_that_stay_inside_are_followed() {
    let world = World::new();
    world.file("src/a.txt", "a");
    world.link("relative", "src/a.txt");
    world.link("absolute", world.root().join("src/a.txt"));
    world.link("folder", "src");
    let absolute = world.root().join("src/a.txt");
    for workspace in both(&world) {
        for path in [
            "src/a.txt",
            "./src//a.txt",
            "src/../src/a.txt",
            "relative",
            "absolute",
            "folder/a.txt",
            "../project/src/a.txt",
            absolute.to_str().unwrap(),
        ] {
            let file = workspace.read(path).unwrap();
            assert_eq!((file.bytes.as_slice(), file.path.as_str()), (&b"a"[..], "src/a.txt"));
            assert_eq!(file.absolute, absolute);
        }
    }
}

#[test]
fn only_regular_files_are_opened() {
    let world = World::with_options(WorkspaceOptions {
        external: External::Allow,
        ..WorkspaceOptions::default()
    });
    mkfifoat(CWD, world.root().join("fifo"), Mode::from_raw_mode(0o600)).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(world.root().join("socket")).unwrap();
    for workspace in both(&world) {
        for (path, word) in [
            ("fifo", "named pipe"),
            ("socket", "socket"),
            ("/dev/zero", "device"),
            (".", "folder"),
        ] {
            let error = workspace.read(path).unwrap_err();
            assert_eq!(code(&error), "path_error");
            assert!(error.to_string().contains(word), "{error}");
            let error = workspace.write(path, b"x", Expect::Anything).unwrap_err();
            assert!(error.to_string().contains(word), "{error}");
        }
    }
}

#[test]
fn a_missing_file_comes_with_names_like_it() {
    let world = World::new();
    world.file("src/server.rs", "");
    world.file("src/Config.toml", "");
    for workspace in both(&world) {
        for (path, near) in [
            ("src/sever.rs", "`src/server.rs`"),
            ("src/server.ts", "`src/server.rs`"),
            ("src/config.toml", "`src/Config.toml`"),
            ("scr/server.rs", "`src`"),
        ] {
            let error = workspace.read(path).unwrap_err();
            assert_eq!(code(&error), "path_error");
            assert!(error.to_string().contains(near), "{error}");
        }
        let error = workspace.read("zzzzzz").unwrap_err().to_string();
        assert!(error.contains("glob"), "{error}");
        let error = workspace.read("src/server.rs/x").unwrap_err().to_string();
        assert!(error.contains("does not exist"), "{error}");
    }
}

#[test]
fn a_piece_of_a_file_is_read_without_the_rest() {
    let world = World::new();
    world.file("a", "0123456789");
    let range = world.workspace.read_range("a", 4, 3).unwrap();
    assert_eq!((range.bytes.as_slice(), range.size), (&b"456"[..], 10));
    assert_eq!(world.workspace.read_range("a", 8, 100).unwrap().bytes, b"89");
    assert!(world.workspace.read_range("a", 80, 100).unwrap().bytes.is_empty());
}

#[test]
fn a_file_that_is_too_large_is_refused_whole_and_read_in_pieces() {
    let world = World::new();
    let path = world.file("big", "");
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_len(5 * 1024 * 1024 * 1024).unwrap();
    let error = world.workspace.read("big").unwrap_err();
    assert!(matches!(error, WorkspaceError::TooLarge { .. }), "{error}");
    let range = world.workspace.read_range("big", 4 << 30, 10).unwrap();
    assert_eq!(range.bytes, [0; 10]);
}

#[test]
fn a_write_creates_folders_keeps_the_mode_and_leaves_nothing_behind() {
    let world = World::new();
    for workspace in both(&world) {
        let written = workspace.write("new/deep/a", b"one", Expect::Absent).unwrap();
        assert!(written.created && written.changed);
        world.set_mode("new/deep/a", 0o4751);
        let written = workspace.write("new/deep/a", b"two", Expect::Anything).unwrap();
        assert!(!written.created && written.changed);
        assert_eq!(written.before.as_deref(), Some(&b"one"[..]));
        assert_eq!((world.mode("new/deep/a"), written.mode), (0o4751, 0o4751));
        let before = std::fs::metadata(world.root().join("new/deep/a")).unwrap();
        let written = workspace.write("new/deep/a", b"two", Expect::Anything).unwrap();
        assert!(!written.changed);
        let after = std::fs::metadata(world.root().join("new/deep/a")).unwrap();
        assert_eq!(before.modified().unwrap(), after.modified().unwrap());
        assert_eq!(world.bytes("new/deep/a"), b"two");
        assert_eq!(std::fs::read_dir(world.root().join("new/deep")).unwrap().count(), 1);
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
        workspace.write("new_link", b"made", Expect::Absent).unwrap();
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
            assert_eq!(code(&error), "stale", "{error}");
            let error = workspace.remove("a", expect).unwrap_err();
            assert_eq!(code(&error), "stale", "{error}");
        }
        let expect = Expect::Content(sha256(b"one"));
        let error = workspace.write("deep/er/b", b"two", expect).unwrap_err();
        assert_eq!(code(&error), "stale", "{error}");
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
            "{} {} -> {} {:o}",
            change.path,
            side(change.before),
            side(change.after),
            change.mode.unwrap_or(0)
        ));
        self.meddle.as_ref().map_or(Ok(()), |meddle| meddle(change.path))
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
            "a none -> one 0",
            "a one -> two 640",
            "a three -> none 640",
            "sub/b none -> three 0",
            "sub/b three -> none 640",
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
        workspace.remove("a", Expect::Anything).unwrap_err(),
        workspace.rename("a", "b").unwrap_err(),
    ] {
        assert_eq!(code(&error), "write_error");
        assert!(error.to_string().contains("disk full"), "{error}");
    }
    assert_eq!(world.bytes("a"), b"one");
    assert!(!world.exists("b"));
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
        assert_eq!(code(&error), "stale");
        assert_eq!(world.bytes("a"), b"someone else's");
        std::fs::write(&path, "one").unwrap();
        let error = workspace.remove("a", Expect::Anything).unwrap_err();
        assert_eq!(code(&error), "stale");
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
    assert_eq!(code(&error), "stale");
    assert_eq!(world.bytes("a"), b"someone else's");
}

#[test]
fn a_rename_never_replaces_what_stands_there() {
    let world = World::new();
    world.file("a", "one");
    world.file("b", "two");
    for workspace in both(&world) {
        let error = workspace.rename("a", "b").unwrap_err();
        assert_eq!(code(&error), "stale", "{error}");
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
    let error = world.workspace.write("a", b"two", Expect::Anything).unwrap_err();
    assert_eq!(code(&error), "write_error");
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
        for round in 0..200 {
            let bytes = if round % 2 == 0 { &two } else { &one };
            world.workspace.write("a", bytes, Expect::Anything).unwrap();
        }
        done.store(true, Ordering::Relaxed);
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
        act();
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_link_swapped_in_while_tools_run_leads_nowhere() {
    const ROUNDS: usize = 10_000;
    for way in BOTH {
        let world = World::new();
        world.file("folder/a", "inside");
        world.link("link", world.outside());
        std::fs::write(world.outside().join("a"), "SECRET").unwrap();
        let workspace = world.workspace.with_resolution(way);
        while_swapped(&world, || {
            for round in 0..ROUNDS {
                match workspace.read("folder/a") {
                    Ok(file) => assert!(file.bytes.starts_with(b"inside"), "{way:?}: escaped"),
                    Err(error) => assert_ne!(code(&error), "internal", "{error}"),
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
fn folders_beside_the_root_can_be_opened_for_reading_only() {
    let world = World::new();
    let skill = world.outside();
    std::fs::write(skill.join("skill.md"), "text").unwrap();
    let workspace = Workspace::open(
        world.root(),
        WorkspaceOptions {
            extra_read: vec![skill.clone()],
            ..WorkspaceOptions::default()
        },
    )
    .unwrap();
    let path = skill.join("skill.md").to_string_lossy().into_owned();
    assert_eq!(workspace.read(&path).unwrap().bytes, b"text");
    assert_eq!(workspace.read(&path).unwrap().path, path);
    let error = workspace.write(&path, b"x", Expect::Anything).unwrap_err();
    assert_eq!(code(&error), "path_outside_root");
    assert!(workspace.observe(&path, Access::Read).inside);
    assert!(!workspace.observe(&path, Access::Write).inside);
    assert!(workspace.resolve_dir(skill.to_str().unwrap()).is_err());
    // Not through a link of that folder either.
    std::os::unix::fs::symlink("/etc/passwd", skill.join("link")).unwrap();
    let link = skill.join("link").to_string_lossy().into_owned();
    assert_eq!(code(&workspace.read(&link).unwrap_err()), "path_outside_root");
}

#[test]
fn what_was_admitted_may_be_touched_and_nothing_beside_it() {
    let world = World::new();
    let folder = world.outside().join("open");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(world.outside().join("closed"), "x").unwrap();
    let file = folder.join("a").to_string_lossy().into_owned();
    let closed = world.outside().join("closed").to_string_lossy().into_owned();
    for workspace in both(&world) {
        let admitted = workspace.admit_external([&folder]);
        admitted.write(&file, b"one", Expect::Anything).unwrap();
        assert_eq!(admitted.read(&file).unwrap().bytes, b"one");
        assert!(admitted.read(&closed).is_err());
        assert!(workspace.read(&file).is_err(), "the view must not leak");
        assert!(admitted.resolve_dir(folder.to_str().unwrap()).is_ok());
    }
    let everything = Workspace::open(
        world.root(),
        WorkspaceOptions {
            external: External::Allow,
            ..WorkspaceOptions::default()
        },
    )
    .unwrap();
    assert_eq!(everything.read(&closed).unwrap().bytes, b"x");
}

#[test]
fn facts_name_the_place_that_a_link_leads_to() {
    let world = World::new();
    world.file(".env", "KEY=1");
    world.link("notes", ".env");
    world.link("out", world.outside());
    for workspace in both(&world) {
        let fact = workspace.observe("notes", Access::Read);
        assert_eq!(fact.path, ".env");
        assert!(fact.symlink && fact.inside && fact.exists);
        let fact = workspace.observe("./x/../.env", Access::Write);
        assert_eq!(fact.path, ".env");
        assert!(!fact.symlink && fact.exists);
        let fact = workspace.observe("new/file", Access::Write);
        assert_eq!(fact.path, "new/file");
        assert!(!fact.exists && fact.inside);
        let fact = workspace.observe("out/x", Access::Write);
        assert_eq!(fact.path, world.outside().join("x").to_string_lossy());
        assert!(fact.symlink && !fact.inside && !fact.exists);
        assert_eq!(workspace.observe(".", Access::Read).path, ".");
        assert!(!workspace.observe("/etc", Access::Read).inside);
    }
}

#[test]
fn a_working_folder_must_be_a_folder_inside() {
    let world = World::new();
    world.file("src/a", "");
    world.link("link", "src");
    for workspace in both(&world) {
        assert_eq!(workspace.resolve_dir(".").unwrap(), world.root());
        assert_eq!(workspace.resolve_dir("link").unwrap(), world.root().join("src"));
        assert_eq!(code(&workspace.resolve_dir("src/a").unwrap_err()), "path_error");
        assert_eq!(code(&workspace.resolve_dir("..").unwrap_err()), "path_outside_root");
        assert!(workspace.resolve_dir("scr").unwrap_err().to_string().contains("`src`"));
    }
}

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
        [".gitignore", ".hidden", "out", "src/.gitignore", "src/a.rs", "src/b.log"]
            .map(String::from)
    );
    // The same below: the files above the folder hold, up to the root.
    std::fs::remove_file(world.root().join("src/.gitignore")).unwrap();
    std::fs::remove_dir_all(world.root().join(".git")).unwrap();
    world.file("../.gitignore", "*\n");
    assert_eq!(walked(&world.workspace, "src"), ["src/a.rs", "src/private"].map(String::from));
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

#[test]
fn the_ledger_is_shared_by_views_and_can_be_seeded() {
    let world = World::new();
    world.workspace.ledger().seed([("a", "hash")]);
    let view = world.workspace.with_resolution(Resolution::Walk);
    assert_eq!(view.ledger().get("a").as_deref(), Some("hash"));
    view.ledger().note("b", "other");
    assert_eq!(world.workspace.ledger().all().len(), 2);
}

#[test]
fn a_root_that_is_missing_or_a_file_is_refused() {
    let world = World::new();
    let file = world.file("a", "");
    for path in [file.as_path(), Path::new("/nonexistent/x")] {
        assert!(Workspace::open(path, WorkspaceOptions::default()).is_err());
    }
}
