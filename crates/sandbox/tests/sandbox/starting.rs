//! What a command starts with, and what is said when it cannot start.

use crate::support::{Place, own_zombies, printed, soon, supervisor};
use std::ffi::OsString;
use tenon_sandbox::{Exit, SpawnError, StdinKind, Supervisor, Survivors};
use tokio::io::AsyncWriteExt;

#[tokio::test]
async fn the_exit_code_is_reported() {
    let place = Place::new();
    let mut command = place.start("echo out; echo err >&2; exit 3").await;
    assert_eq!(printed(&mut command).await, "out\n");
    let exit = soon(command.exited()).await;
    let expected = Exit {
        code: Some(3),
        signal: None,
        survivors: Survivors::None,
    };
    assert_eq!(exit, expected);
    soon(command.emptied()).await;
}

#[tokio::test]
async fn the_signal_that_ended_a_command_is_reported() {
    let place = Place::new();
    let mut command = place.start("kill -SEGV $$").await;
    let exit = soon(command.exited()).await;
    assert_eq!((exit.code, exit.signal), (None, Some(11)));
}

#[tokio::test]
async fn the_pid_is_that_of_the_command() {
    let place = Place::new();
    let mut command = place.start("echo $$").await;
    let pid = command.pid.unwrap().to_string();
    assert_eq!(printed(&mut command).await.trim(), pid);
}

#[tokio::test]
async fn a_command_gets_only_its_three_descriptors() {
    let place = Place::new();
    // One that this program inherited without close-on-exec, as from a shell.
    let leak = std::fs::File::open("/dev/zero").unwrap();
    rustix::io::fcntl_setfd(&leak, rustix::io::FdFlags::empty()).unwrap();
    let shown = place
        .output("for fd in /proc/$$/fd/*; do readlink $fd; done")
        .await;
    assert!(!shown.contains("/dev/zero"), "{shown}");
    assert!(!shown.contains("socket"), "{shown}");
    assert_eq!(
        shown.lines().filter(|line| line.contains("pipe")).count(),
        2,
        "{shown}"
    );
}

#[tokio::test]
async fn no_signal_is_blocked_or_ignored_in_a_command() {
    let place = Place::new();
    // Read by a program that the shell starts: the shell sets some itself.
    let shown = place
        .output("exec grep -E '^Sig(Blk|Ign)' /proc/self/status")
        .await;
    for line in shown.lines() {
        let set = u64::from_str_radix(line.split_ascii_whitespace().nth(1).unwrap(), 16).unwrap();
        // Without the real-time signals: the C library keeps two for itself.
        assert_eq!(set & 0x7fff_ffff, 0, "{shown}");
    }
    assert_eq!(shown.lines().count(), 2);
}

#[tokio::test]
async fn a_command_has_no_terminal() {
    let place = Place::new();
    let shown = place
        .output("{ echo x > /dev/tty; } 2>/dev/null && echo yes || echo none; tty")
        .await;
    assert_eq!(shown, "none\nnot a tty\n");
}

#[tokio::test]
async fn input_is_empty_unless_a_pipe_is_asked_for() {
    let place = Place::new();
    assert_eq!(place.output("cat; echo end").await, "end\n");

    let mut spec = place.spec("cat");
    spec.stdin = StdinKind::Pipe;
    let mut command = supervisor().spawn(spec).await.unwrap();
    let mut stdin = command.stdin.take().unwrap();
    stdin.write_all(b"through the pipe").await.unwrap();
    drop(stdin);
    assert_eq!(printed(&mut command).await, "through the pipe");
    assert_eq!(soon(command.exited()).await.code, Some(0));
}

#[tokio::test]
async fn the_environment_is_what_was_given_and_the_marker() {
    let place = Place::new();
    let shown = place.output("exec env").await;
    let mut names: Vec<&str> = shown
        .lines()
        .filter_map(|line| line.split('=').next())
        .collect();
    names.sort_unstable();
    // `_`, `PWD` and `SHLVL` are the shell's own.
    names.retain(|name| !["_", "PWD", "SHLVL", "OLDPWD"].contains(name));
    assert_eq!(names, ["PATH", "TENON_JOB", "TENON_TEST_TAG"]);
}

#[tokio::test]
async fn what_cannot_start_says_why() {
    let place = Place::new();
    let mut missing = place.spec("");
    missing.argv = vec!["/no/such/program".into()];
    let error = supervisor().spawn(missing).await.unwrap_err();
    assert!(error.to_string().contains("/no/such/program"), "{error}");
    assert!(matches!(error, SpawnError::Command { .. }));

    let mut nowhere = place.spec("true");
    nowhere.cwd = place.path().join("nowhere");
    let error = supervisor().spawn(nowhere).await.unwrap_err();
    assert!(matches!(error, SpawnError::Folder { .. }), "{error}");

    let broken = Supervisor::new("/no/such/tenon", vec![OsString::from("__supervise")]);
    let error = broken.spawn(place.spec("true")).await.unwrap_err();
    assert!(matches!(error, SpawnError::Supervisor { .. }), "{error}");

    let silent = Supervisor::new("/bin/true", Vec::new());
    let error = silent.spawn(place.spec("true")).await.unwrap_err();
    assert!(matches!(error, SpawnError::Lost), "{error}");

    let long = "x".repeat(3 * 1024 * 1024);
    let error = supervisor().spawn(place.spec(&long)).await.unwrap_err();
    assert!(matches!(error, SpawnError::TooLong), "{error}");

    let mut nothing = place.spec("");
    nothing.argv.clear();
    let error = supervisor().spawn(nothing).await.unwrap_err();
    assert!(matches!(error, SpawnError::Empty), "{error}");
    assert_eq!(own_zombies(), []);
}

#[tokio::test]
async fn many_commands_leave_no_zombie() {
    let place = Place::new();
    for _ in 0..20 {
        assert_eq!(place.output("(true &) ; echo x").await, "x\n");
    }
    assert_eq!(own_zombies(), []);
}

#[test]
fn the_hidden_subcommand_does_nothing_for_a_person() {
    let place = Place::new();
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_tenon-supervise"))
        .args(["null", "touch", "started"])
        .current_dir(place.path())
        .stdin(std::process::Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(125));
    assert!(!place.has("started"));
}
