//! The door to the files: what passes and what does not. Everything that is
//! about paths runs with both ways of resolving them.

use crate::support::{World, both, code, data, refusal};
use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::json;
use std::path::Path;
use tenon_policy::Access;
use tenon_tools::workspace::{
    Expect, External, Resolution, Workspace, WorkspaceError, WorkspaceOptions,
};

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
                assert_eq!(refusal(&error), "path_outside_root", "{path}: {error}");
                let root = world.root().to_string_lossy().into_owned();
                assert!(error.to_string().contains(&root), "{error}");
            }
        }
    }
    // Dots are folded by their letters, so this names nothing in the project.
    let error = world
        .workspace
        .read("folder_link/../outside/secret")
        .unwrap_err();
    assert_eq!(refusal(&error), "path_error", "{error}");
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
            assert_eq!(refusal(&error), "path_outside_root", "{path}: {error}");
        }
        world.file("here", "x");
        let error = workspace.rename("here", "folder/new").unwrap_err();
        assert_eq!(refusal(&error), "path_outside_root");
    }
    assert_eq!(std::fs::read_dir(world.outside()).unwrap().count(), 0);
}

#[test]
fn what_can_never_be_a_path_is_a_path_error() {
    let world = World::new();
    for path in [
        "",
        "   ",
        "a\0b",
        "~",
        "~/x",
        &"x".repeat(256),
        &"x/".repeat(3000),
    ] {
        for workspace in both(&world) {
            assert_eq!(refusal(&workspace.read(path).unwrap_err()), "path_error");
            let error = workspace.write(path, b"", Expect::Anything).unwrap_err();
            assert_eq!(refusal(&error), "path_error", "{error}");
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
        assert_eq!(refusal(&error), "path_error", "{error}");
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
            assert_eq!(
                (file.bytes.as_slice(), file.path.as_str()),
                (&b"a"[..], "src/a.txt")
            );
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
            assert_eq!(refusal(&error), "path_error");
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
            assert_eq!(refusal(&error), "path_error");
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
    assert_eq!(
        world.workspace.read_range("a", 8, 100).unwrap().bytes,
        b"89"
    );
    assert!(
        world
            .workspace
            .read_range("a", 80, 100)
            .unwrap()
            .bytes
            .is_empty()
    );
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
    assert_eq!(refusal(&error), "path_outside_root");
    assert!(workspace.observe(&path, Access::Read).inside);
    assert!(!workspace.observe(&path, Access::Write).inside);
    assert!(workspace.resolve_dir(skill.to_str().unwrap()).is_err());
    // Not through a link of that folder either.
    std::os::unix::fs::symlink("/etc/passwd", skill.join("link")).unwrap();
    let link = skill.join("link").to_string_lossy().into_owned();
    assert_eq!(
        refusal(&workspace.read(&link).unwrap_err()),
        "path_outside_root"
    );
}

#[test]
fn what_was_admitted_may_be_touched_and_nothing_beside_it() {
    let world = World::new();
    let folder = world.outside().join("open");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(world.outside().join("closed"), "x").unwrap();
    let file = folder.join("a").to_string_lossy().into_owned();
    let closed = world
        .outside()
        .join("closed")
        .to_string_lossy()
        .into_owned();
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
        assert_eq!(
            workspace.resolve_dir("link").unwrap(),
            world.root().join("src")
        );
        assert_eq!(
            refusal(&workspace.resolve_dir("src/a").unwrap_err()),
            "path_error"
        );
        assert_eq!(
            refusal(&workspace.resolve_dir("..").unwrap_err()),
            "path_outside_root"
        );
        assert!(
            workspace
                .resolve_dir("scr")
                .unwrap_err()
                .to_string()
                .contains("`src`")
        );
    }
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

#[tokio::test]
async fn paths_of_windows_lead_to_the_files_of_the_project_in_every_file_tool() {
    let world = World::new();
    let root = world.root().file_name().unwrap().to_str().unwrap();
    world.file("src/main.rs", "fn main() {}\n");
    for path in [
        r"src\main.rs",
        r".\src\main.rs",
        r"C:\proj\src\main.rs",
        r"C:\\proj\\src\\main.rs",
        "c:/Users/me/src/main.rs",
        r"\\server\share\src\main.rs",
        r"\src\main.rs",
    ] {
        for workspace in both(&world) {
            assert_eq!(workspace.read(path).unwrap().path, "src/main.rs", "{path}");
            let fact = workspace.observe(path, Access::Write);
            assert_eq!((fact.path.as_str(), fact.exists), ("src/main.rs", true));
            assert!(fact.inside);
        }
    }
    let read = world
        .call("read", json!({"path": r"C:\proj\src\main.rs"}))
        .await;
    assert_eq!(read.model_text, "1\tfn main() {}\n");
    let path = r"src\main.rs";
    let edit = json!({"path": path, "old": "main", "new": "start"});
    data(&world.call("edit", edit).await);
    let patch = format!(
        "*** Begin Patch\n*** Update File: {path}\n@@\n-fn start() {{}}\n+fn go() {{}}\n*** End Patch\n"
    );
    data(&world.call("patch", json!({"patch": patch})).await);
    assert_eq!(world.text("src/main.rs"), "fn go() {}\n");
    let grep = world
        .call("grep", json!({"pattern": "go", "path": r"C:\proj\src"}))
        .await;
    assert!(
        grep.model_text.contains("src/main.rs"),
        "{}",
        grep.model_text
    );
    let list = world.call("list", json!({"path": r"src\"})).await;
    assert_eq!(list.model_text, "src/\nmain.rs\n");
    // New files: below the project, and below the name of its folder.
    data(
        &world
            .call("write", json!({"path": r"src\new\a.rs", "content": "a"}))
            .await,
    );
    let below = format!(r"D:\work\{root}\src\b.rs");
    data(
        &world
            .call("write", json!({"path": below, "content": "b"}))
            .await,
    );
    assert_eq!(
        (world.text("src/new/a.rs"), world.text("src/b.rs")),
        ("a".into(), "b".into())
    );
    let top = format!(r"D:\work\{root}");
    assert!(world.workspace.resolve_dir(&top).unwrap() == world.root());
}

#[tokio::test]
async fn a_path_of_windows_that_names_no_place_in_the_project_is_an_error() {
    let world = World::new();
    world.file("src/main.rs", "");
    for path in [
        r"C:\Windows\notes.txt",
        "D:/x/y.rs",
        r"\\server\share\z.rs",
        r"C:\..\src\main.rs",
        r"C:\",
    ] {
        for (tool, input) in [
            ("read", json!({"path": path})),
            ("write", json!({"path": path, "content": "x"})),
            ("edit", json!({"path": path, "old": "x", "new": "y"})),
            ("list", json!({"path": path})),
        ] {
            let output = world.call(tool, input).await;
            assert_eq!(code(&output), "path_error", "{tool} {path}");
            assert!(
                output.model_text.contains("Windows path"),
                "{}",
                output.model_text
            );
        }
    }
    let names: Vec<_> = std::fs::read_dir(world.root()).unwrap().collect();
    assert_eq!(names.len(), 1, "{names:?}");
    // What leads out of it leads out in either notation.
    world.link("out", world.outside());
    for path in [r"..\outside\x", r"out\x", r"src\..\..\outside\x"] {
        let output = world
            .call("write", json!({"path": path, "content": "x"}))
            .await;
        assert_eq!(code(&output), "path_outside_root", "{path}");
    }
    // The git folder is no other place for being written so.
    let fact = world.workspace.observe(r".git\config", Access::Write);
    assert_eq!(fact.path, ".git/config");
}

#[tokio::test]
async fn a_file_with_a_backslash_in_its_name_is_the_one_that_is_meant() {
    let world = World::new();
    world.file(r"src\main.rs", "odd\n");
    world.file("src/main.rs", "plain\n");
    world.file("C:/x", "drive\n");
    for (path, text) in [
        (r"src\main.rs", "odd\n"),
        ("src/main.rs", "plain\n"),
        ("C:/x", "drive\n"),
    ] {
        assert_eq!(world.workspace.read(path).unwrap().bytes, text.as_bytes());
    }
    // A link is not removed in either notation.
    world.link("src/link", "main.rs");
    let refused = world
        .workspace
        .remove(r"src\link", Expect::Anything)
        .unwrap_err();
    assert_eq!(refusal(&refused), "path_error");
    assert!(world.exists("src/link"));
}
