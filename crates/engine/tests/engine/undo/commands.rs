//! When the tree is looked at, and when it is not.

use super::Session;
use serde_json::json;
use tenon_vocab::{Command, Event, EventKind};

#[tokio::test]
async fn the_users_own_commands_can_be_undone() {
    let mut session = Session::new();
    let command = Command::Shell {
        command: "echo 1 > mine.txt".into(),
    };
    let done = |kind: &EventKind| matches!(kind, EventKind::RunFinished(_));
    crate::support::say(session.handle(), command, done).await;
    assert!(session.has("mine.txt"));
    session.ask(Command::Undo).await;
    assert!(!session.has("mine.txt"));
    session.leave().await;
}

#[tokio::test]
async fn a_change_by_a_command_is_in_the_log_before_its_run_ends() {
    let mut session = Session::new();
    let events = session.bash("echo 1 > a.txt").await;
    let names: Vec<&str> = events.iter().map(|event| event.kind.name()).collect();
    let checkpoint = names.iter().position(|name| *name == "checkpoint").unwrap();
    assert!(names[checkpoint..].contains(&"run_finished"), "{names:?}");
    session.leave().await;
}

#[tokio::test]
async fn what_a_job_does_until_its_run_ends_can_be_undone() {
    let mut session = Session::new();
    session.write("seen.txt", "1\n");
    session
        .run(&[
            ("bash", json!({"command": "(while ! test -e go; do sleep 0.01; done; echo 2 > seen.txt; echo 2 > late.txt; touch done; sleep 60) > /dev/null 2>&1 &"})),
            ("bash", json!({"command": "touch go; while ! test -e done; do sleep 0.01; done; rm go done"})),
        ])
        .await;
    assert!(session.has("late.txt"));
    session.ask(Command::Undo).await;
    assert!(!session.has("late.txt"));
    assert_eq!(session.read("seen.txt"), "1\n");
    session.leave().await;
}

#[tokio::test]
async fn a_session_inside_the_project_does_not_watch_itself() {
    let mut session = Session::new();
    session.world.store = tenon_session::Store::new(session.root().join(".home/sessions"));
    let events = session.bash("echo 1 > a.txt").await;
    let files: Vec<String> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Checkpoint(checkpoint) => Some(&checkpoint.files),
            _ => None,
        })
        .flatten()
        .map(|file| file.path.clone())
        .collect();
    assert_eq!(files, ["a.txt"]);
    session.leave().await;
}

#[tokio::test]
async fn what_the_user_saves_while_the_model_thinks_is_what_an_undo_goes_back_to() {
    let mut session = Session::new();
    session.write("a.txt", "1\n");
    session.write("same.txt", "1\n");
    session.write("deep/in/b.txt", "1\n");
    // From the first command on the tree is watched.
    session.bash("echo 1 > first.txt").await;
    let user = json!({"ops": [
        ["write", "a.txt", "by the user\n"],
        ["write", "same.txt", "2\n"],
        ["write", "made/c.txt", "by the user\n"],
        ["rename", "deep", "moved"],
        ["write", "moved/in/b.txt", "by the user\n"],
    ]});
    let hand = json!({"ops": [
        ["write", "a.txt", "command\n"],
        ["write", "same.txt", "3\n"],
        ["write", "made/c.txt", "command\n"],
        ["delete", "moved/in/b.txt"],
    ]});
    for _ in 0..2 {
        session
            .run(&[
                ("bash", json!({"command": "echo 1 > other.txt"})),
                ("user", user.clone()),
                ("hand", hand.clone()),
            ])
            .await;
        let notice = session.ask(Command::Undo).await;
        for path in ["a.txt", "made/c.txt", "moved/in/b.txt"] {
            assert_eq!(
                session.read(path),
                "by the user\n",
                "{path}: {}",
                notice.message
            );
        }
        assert_eq!(session.read("same.txt"), "2\n");
        assert!(!session.has("deep"));
    }
    session.leave().await;
}

#[tokio::test]
async fn what_the_user_does_between_two_commands_is_not_taken_back() {
    let mut session = Session::new();
    session.write("a.txt", "1\n");
    session.write("both.txt", "of both\n");
    // From the first command on the tree is watched.
    session.bash("echo 1 > first.txt").await;
    let user = json!({"ops": [
        ["write", "mine.txt", "mine\n"],
        ["write", "a.txt", "mine\n"],
        ["write", "both.txt", "mine\n"],
        ["folder", "empty"],
    ]});
    session
        .run(&[
            (
                "bash",
                json!({"command": "echo 1 > one.txt; echo 2 > both.txt"}),
            ),
            ("user", user),
            ("bash", json!({"command": "echo 1 > two.txt"})),
        ])
        .await;
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.read("mine.txt"), "mine\n", "{}", notice.message);
    assert_eq!(session.read("a.txt"), "mine\n");
    assert_eq!(session.read("both.txt"), "mine\n", "{}", notice.message);
    assert!(notice.message.contains("both.txt"), "{}", notice.message);
    assert!(session.has("empty"));
    assert!(
        !session.has("one.txt") && !session.has("two.txt"),
        "{}",
        notice.message
    );
    session.leave().await;
}

/// What a run said of what was kept.
fn said(events: &[std::sync::Arc<Event>]) -> Vec<String> {
    let notices = events.iter().filter_map(|event| match &event.kind {
        EventKind::Notice(notice) if notice.kind == "kept" => Some(notice.message.clone()),
        _ => None,
    });
    notices.collect()
}

#[tokio::test]
async fn what_a_command_destroyed_without_a_question_is_named_with_the_way_back() {
    let mut session = Session::new();
    for path in ["gone.txt", "over.txt", "moved.txt", "same.txt"] {
        session.write(path, &format!("what {path} held\n"));
    }
    // What a script does stands in no command line.
    let script = "rm gone.txt; printf other > over.txt; mv there.txt back.txt; echo 2 > new.txt\n";
    session.write("do.sh", script);
    session
        .bash("echo 1 > made.txt; mv moved.txt there.txt; chmod 755 same.txt")
        .await;
    let before = session.tree();
    let events = session.bash("sh do.sh").await;
    let told = said(&events);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].starts_with("The command removed gone.txt and changed over.txt. "),
        "{told:?}"
    );
    assert!(told[0].contains("tenon sessions restore "), "{told:?}");
    let kept_at = events.iter().position(
        |event| matches!(&event.kind, EventKind::Notice(notice) if notice.kind == "kept"),
    );
    let end = events
        .iter()
        .position(|event| matches!(event.kind, EventKind::RunFinished(_)));
    assert!(kept_at < end, "it is said before the run is over");
    session.ask(Command::Undo).await;
    assert_eq!(session.tree(), before);
    assert!(said(&session.bash("echo 3 > another.txt").await).is_empty());
    session.leave().await;
}

#[tokio::test]
async fn what_keeps_all_that_a_file_held_is_no_loss() {
    let mut session = Session::new();
    session.write("log.txt", "one\n");
    session.write("empty.txt", "");
    let events = session
        .bash("echo two >> log.txt; echo one > empty.txt; sh -c 'printf \"one\\ntwo\\nthree\\n\" > log.txt'")
        .await;
    assert!(said(&events).is_empty(), "{:?}", said(&events));
    session.write("do.sh", "echo two > log.txt\n");
    let told = said(&session.bash("sh do.sh").await);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].starts_with("The command changed log.txt. Its old content is kept. "),
        "{told:?}"
    );
    session.leave().await;
}

#[tokio::test]
async fn a_line_names_three_files_and_counts_the_others() {
    let mut session = Session::new();
    for number in 1..=5 {
        session.write(&format!("gone{number}.txt"), &format!("gone {number}\n"));
        session.write(&format!("over{number}.txt"), &format!("over {number}\n"));
    }
    session.write(
        "do.sh",
        "rm gone*.txt; for f in over*.txt; do echo new $f > $f; done\n",
    );
    let told = said(&session.bash("sh do.sh").await);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].starts_with(
            "The command removed gone1.txt, gone2.txt, gone3.txt and 2 more and changed 5 files. Their old content is kept. "
        ),
        "{told:?}"
    );
    session.leave().await;
}

#[tokio::test]
async fn what_git_moves_is_no_loss_and_is_not_announced() {
    let mut session = Session::new();
    session.write("a.txt", "one\n");
    let git = "git -c user.name=x -c user.email=x@example.org -c init.defaultBranch=main";
    session
        .bash(&format!(
            "{git} init -q . && git add a.txt && {git} commit -qm one && {git} switch -qc other && echo two > a.txt && {git} commit -qam two"
        ))
        .await;
    assert_eq!(session.read("a.txt"), "two\n");
    let told = said(&session.bash("git switch -q main").await);
    assert_eq!(session.read("a.txt"), "one\n", "{told:?}");
    assert!(told.is_empty(), "{told:?}");
    session.write("do.sh", "git switch -q other\n");
    let told = said(&session.bash("sh do.sh").await);
    assert_eq!(session.read("a.txt"), "two\n");
    assert_eq!(told.len(), 1, "what a script does is not known: {told:?}");
    session.leave().await;
}

#[tokio::test]
async fn what_was_made_with_an_old_time_and_what_holds_nothing_is_not_announced() {
    let mut session = Session::new();
    session.write("o.txt", "old\n");
    session
        .bash("touch -d yesterday o.txt; tar cf o.tar o.txt; mkdir n")
        .await;
    let made = "touch -d yesterday d.txt; tar xkf o.tar -C n; cp -a o.txt copy.txt; mkfifo pipe; echo 1 > .envrc.set-aside-1-1";
    let events = session.bash(made).await;
    assert_eq!(unkept(&events), [""; 0]);
    let notice = session.ask(Command::Undo).await;
    assert!(
        session.has("d.txt") && notice.message.contains("d.txt: moved here, not made"),
        "{}",
        notice.message
    );
    let events = session.bash("rm pipe").await;
    assert_eq!(unkept(&events), [""; 0]);
    session.leave().await;
}

/// What was announced as beyond an undo.
fn unkept(events: &[std::sync::Arc<Event>]) -> Vec<&str> {
    let notices = events.iter().filter_map(|event| match &event.kind {
        EventKind::Notice(notice) if notice.kind == "unkept" => Some(notice.message.as_str()),
        _ => None,
    });
    notices.collect()
}
