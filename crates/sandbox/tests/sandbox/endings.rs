//! How trees end: by themselves, asked, killed, let go of, or against all
//! tricks.

use crate::support::{Place, is_alive, own_zombies, printed, soon, until};
use std::time::Duration;
use tenon_sandbox::{Exit, Survivors};

/// Everything by which a process leaves its parent, its group and its session.
/// Each writes its name when it runs.
const RUNAWAYS: &str = r#"
    setsid sh -c 'echo x > setsid; sleep 600' &
    (setsid sh -c '(echo x > double; sleep 600) &' &)
    nohup sh -c 'echo x > nohup; sleep 600' >/dev/null 2>&1 &
    sh -c '(trap "" HUP TERM INT; echo x > orphan; sleep 600) & exit'
    env -i sh -c 'echo x > bare; exec sleep 600' &
    (echo $BASHPID > bare_pid; exec env -i sleep 600) &
"#;

fn all_run(place: &Place) {
    for name in ["setsid", "double", "nohup", "orphan", "bare", "bare_pid"] {
        place.line(name);
    }
}

#[tokio::test]
async fn what_a_command_leaves_running_is_told_at_its_end() {
    let place = Place::new();
    let mut command = place.start("sleep 600 & echo done").await;
    let exit = soon(command.exited()).await;
    let expected = Exit {
        code: Some(0),
        signal: None,
        survivors: Survivors::Some,
    };
    assert_eq!(exit, expected);
    command.kill();
    soon(command.emptied()).await;
    assert_eq!(place.alive(), []);
    assert_eq!(printed(&mut command).await, "done\n");
}

#[tokio::test]
async fn the_pipes_end_when_no_process_of_the_command_holds_them() {
    let place = Place::new();
    let mut command = place
        .start("setsid sleep 600 >/dev/null 2>&1 & echo done")
        .await;
    assert_eq!(printed(&mut command).await, "done\n");
    assert_eq!(soon(command.exited()).await.survivors, Survivors::Some);
}

#[tokio::test]
async fn kill_reaches_every_runaway() {
    let place = Place::new();
    let mut command = place.start(&format!("{RUNAWAYS} sleep 600")).await;
    all_run(&place);
    command.kill();
    let exit = soon(command.exited()).await;
    assert_eq!(exit.signal, Some(9));
    soon(command.emptied()).await;
    assert_eq!(place.alive(), []);
    assert!(!is_alive(place.line("bare_pid").parse().unwrap()));
    assert_eq!(own_zombies(), []);
}

#[tokio::test]
async fn letting_go_of_a_command_ends_its_tree() {
    let place = Place::new();
    let command = place.start(&format!("{RUNAWAYS} sleep 600")).await;
    all_run(&place);
    drop(command);
    until("all have ended", || place.alive().is_empty());
    let bare = place.line("bare_pid").parse().unwrap();
    until("also the one without the tag", || !is_alive(bare));
}

#[tokio::test]
async fn a_killed_supervisor_does_not_free_its_tree() {
    let place = Place::new();
    let script = format!(
        "{RUNAWAYS} read -t 30 < <(sleep 0.2); while ! test -e go; do sleep 0.01; done; kill -9 $PPID; sleep 600"
    );
    let mut command = place.start(&script).await;
    all_run(&place);
    std::fs::write(place.path().join("go"), "").unwrap();
    let exit = soon(command.exited()).await;
    assert_eq!((exit.code, exit.signal), (None, None));
    soon(command.emptied()).await;
    assert_eq!(place.alive(), []);
    assert!(!is_alive(place.line("bare_pid").parse().unwrap()));
    assert_eq!(own_zombies(), []);
}

#[tokio::test]
async fn signals_to_the_supervisor_do_not_end_it() {
    let place = Place::new();
    let mut command = place
        .start("for s in INT TERM HUP QUIT TTOU TTIN TSTP PIPE; do kill -$s $PPID; done; exit 7")
        .await;
    assert_eq!(soon(command.exited()).await.code, Some(7));
}

#[tokio::test]
async fn a_stopped_supervisor_still_obeys() {
    let place = Place::new();
    let mut command = place
        .start("kill -STOP $PPID; echo > stopped; sleep 600")
        .await;
    place.line("stopped");
    command.kill();
    soon(command.emptied()).await;
    assert_eq!(place.alive(), []);
}

#[tokio::test]
async fn terminate_lets_a_command_clean_up() {
    let place = Place::new();
    let script = "trap 'echo > cleaned; exit 5' TERM; echo > ready; while :; do sleep 0.05; done";
    let mut command = place.start(script).await;
    place.line("ready");
    command.terminate();
    assert_eq!(soon(command.exited()).await.code, Some(5));
    soon(command.emptied()).await;
    assert!(place.has("cleaned"));
}

#[tokio::test]
async fn terminate_kills_what_does_not_listen() {
    let place = Place::new();
    let script = "trap '' TERM; (setsid sh -c 'echo > deaf; sleep 600') & echo > ready; while :; do sleep 0.05; done";
    let mut command = place.start(script).await;
    place.line("ready");
    place.line("deaf");
    command.terminate();
    soon(command.emptied()).await;
    assert_eq!(place.alive(), []);
}

/// Each process starts the next and ends, so its number never stays.
#[tokio::test]
async fn a_chain_that_keeps_forking_is_caught() {
    for hop in ["\"$0\" &", "setsid \"$0\" &"] {
        let place = Place::new();
        let runner = place.path().join("runner");
        std::fs::write(
            &runner,
            format!("#!/bin/sh\n[ -e stop ] && exit\n: > running\n{hop}\n"),
        )
        .unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(&runner, mode).unwrap();
        let mut command = place.start("./runner; ./runner; ./runner; sleep 600").await;
        until("it runs", || place.has("running"));
        command.kill();
        let ended = tokio::time::timeout(Duration::from_secs(20), command.emptied()).await;
        std::fs::write(place.path().join("stop"), "").unwrap();
        assert!(ended.is_ok(), "{hop} outran the kill");
        assert_eq!(place.alive(), []);
    }
}

#[tokio::test]
async fn a_wide_and_deep_tree_ends_whole() {
    let place = Place::new();
    let script =
        "f() { if [ $1 -gt 0 ]; then f $(($1-1)) & f $(($1-1)) & fi; exec sleep 600; }; f 6";
    let mut command = place.start(script).await;
    until("all of it runs", || place.alive().len() > 120);
    command.kill();
    soon(command.emptied()).await;
    assert_eq!(place.alive(), []);
}

#[tokio::test]
async fn waiting_may_be_broken_off_and_taken_up_again() {
    let place = Place::new();
    let mut command = place
        .start("while ! test -e go; do sleep 0.01; done; sleep 600 & exit 4")
        .await;
    for _ in 0..50 {
        let nap = Duration::from_millis(1);
        assert!(tokio::time::timeout(nap, command.exited()).await.is_err());
        assert!(tokio::time::timeout(nap, command.emptied()).await.is_err());
    }
    std::fs::write(place.path().join("go"), "").unwrap();
    assert_eq!(soon(command.exited()).await.code, Some(4));
    for _ in 0..10 {
        let nap = Duration::from_millis(1);
        assert!(tokio::time::timeout(nap, command.emptied()).await.is_err());
    }
    command.kill();
    soon(command.emptied()).await;
    assert_eq!(soon(command.exited()).await.code, Some(4));
}
