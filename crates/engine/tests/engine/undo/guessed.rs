//! What was kept before a command that might have destroyed it. It is a change
//! only when the command did it, or when nobody can tell.

use super::{Op, Session};
use crate::support::results;
use serde_json::json;
use std::sync::Arc;
use tenon_engine::undo::{Deed, Plan};
use tenon_tools::workspace::{Workspace, WorkspaceOptions};
use tenon_vocab::{Checkpoint, Command, Event, EventKind};

/// What these events say was kept ahead.
fn kept_ahead(events: &[Arc<Event>]) -> Vec<String> {
    let checkpoints = events.iter().filter_map(|event| match &event.kind {
        EventKind::Checkpoint(checkpoint) if checkpoint.ahead => Some(&checkpoint.files),
        _ => None,
    });
    checkpoints
        .flatten()
        .map(|file| file.path.clone())
        .collect()
}

/// The pattern names one file; all that look like it are kept.
async fn remove_one_of_two(session: &mut Session, ending: &str) {
    session.write(&format!("a.{ending}"), "a\n");
    session.write(&format!("b.{ending}"), "b\n");
    let events = session.bash(&format!("rm -f [a].{ending}")).await;
    let both = [format!("a.{ending}"), format!("b.{ending}")];
    let mut kept = kept_ahead(&events);
    kept.sort();
    assert_eq!(kept, both);
    assert!(!session.has(&both[0]) && session.has(&both[1]));
}

/// The user removes what the command left: an undo is for the command alone.
async fn only_the_commands_comes_back(mut session: Session, ending: &str) {
    remove_one_of_two(&mut session, ending).await;
    let (removed, left) = (format!("a.{ending}"), format!("b.{ending}"));
    Op::Delete(left.clone()).by_hand(&session.root());
    session.leave().await;
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.read(&removed), "a\n", "{}", notice.message);
    assert!(!session.has(&left), "{}", notice.message);
    assert!(!notice.message.contains(&left), "{}", notice.message);
    session.ask(Command::Redo).await;
    assert!(!session.has(&removed));
    session.leave().await;
}

#[tokio::test]
async fn what_a_command_left_and_the_user_removed_stays_away() {
    only_the_commands_comes_back(Session::new(), "txt").await;
}

#[tokio::test]
async fn of_ignored_files_too_only_what_the_command_removed_comes_back() {
    let session = Session::new();
    session.write(".gitignore", "*.db\n");
    only_the_commands_comes_back(session, "db").await;
}

#[tokio::test]
async fn where_commands_are_not_watched_what_was_kept_ahead_is_looked_at_all_the_same() {
    let mut session = Session::new();
    session.checkpoints.commands = false;
    only_the_commands_comes_back(session, "txt").await;
}

#[tokio::test]
async fn what_the_user_removes_as_soon_as_the_command_has_ended_stays_away() {
    let mut session = Session::new();
    session.write("a.txt", "a\n");
    session.write("b.txt", "b\n");
    // From the first command on the tree is watched.
    session.bash("echo 1 > first.txt").await;
    let events = session
        .run(&[
            ("bash", json!({"command": "rm -f [a].txt"})),
            ("user", json!({"ops": [["delete", "b.txt"]]})),
        ])
        .await;
    assert!(kept_ahead(&events).contains(&String::from("b.txt")));
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.read("a.txt"), "a\n", "{}", notice.message);
    assert!(!session.has("b.txt"), "{}", notice.message);
    session.leave().await;
}

#[tokio::test]
async fn a_run_that_only_kept_things_is_no_change_to_undo() {
    let mut session = Session::new();
    session.write("b.txt", "b\n");
    session.bash("echo 1 > made.txt").await;
    let events = session.bash("rm -f [a].txt").await;
    assert_eq!(kept_ahead(&events), ["b.txt"]);
    Op::Delete("b.txt".into()).by_hand(&session.root());
    let notice = session.ask(Command::Undo).await;
    assert!(!session.has("made.txt"), "{}", notice.message);
    assert!(!session.has("b.txt"), "{}", notice.message);
    session.leave().await;
}

#[tokio::test]
async fn a_command_that_left_all_alone_does_not_cut_off_a_redo() {
    let mut session = Session::new();
    session.write("b.txt", "b\n");
    session.bash("echo 1 > made.txt").await;
    session.ask(Command::Undo).await;
    let events = session.bash("rm -f [a].txt").await;
    assert_eq!(kept_ahead(&events), ["b.txt"]);
    session.ask(Command::Redo).await;
    assert_eq!(session.read("made.txt"), "1\n");
    session.leave().await;
}

#[tokio::test]
async fn what_a_job_of_the_command_removes_later_comes_back() {
    let mut session = Session::new();
    session.write(".gitignore", "*.db\n");
    session.write("a.db", "a\n");
    let job = "(while ! test -e go; do sleep 0.01; done; rm -f a.db; touch done; sleep 60) > /dev/null 2>&1 &";
    let events = session
        .run(&[
            ("bash", json!({"command": job})),
            (
                "bash",
                json!({"command": "touch go; while ! test -e done; do sleep 0.01; done; rm go done"}),
            ),
        ])
        .await;
    assert!(kept_ahead(&events).contains(&String::from("a.db")));
    assert!(!session.has("a.db"));
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.read("a.db"), "a\n", "{}", notice.message);
    session.leave().await;
}

#[tokio::test]
async fn a_file_whose_mode_the_command_changed_was_not_left_alone() {
    let mut session = Session::new();
    // Nobody looks at the tree: only what was kept is compared.
    session.checkpoints.commands = false;
    session.write("a.txt", "a\n");
    session.write("b.txt", "b\n");
    session.bash("rm -f [a].txt; chmod 700 b.txt").await;
    Op::Delete("b.txt".into()).by_hand(&session.root());
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.read("a.txt"), "a\n", "{}", notice.message);
    assert_eq!(session.read("b.txt"), "b\n", "{}", notice.message);
    session.leave().await;
}

#[tokio::test]
async fn where_a_command_changed_more_than_is_looked_at_nothing_counts_as_left_alone() {
    let mut session = Session::new();
    session.write("a.txt", "a\n");
    session.write("b.txt", "b\n");
    // The largest is looked at last, and there is no room for it.
    let command =
        "rm -f [a].txt; mkdir many; cd many; seq 20001 | xargs touch; cd ..; seq 99 > b.txt";
    let events = session.bash(command).await;
    assert!(kept_ahead(&events).contains(&String::from("b.txt")));
    Op::Delete("b.txt".into()).by_hand(&session.root());
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.read("b.txt"), "b\n", "{}", notice.message);
    session.leave().await;
}

#[tokio::test]
async fn what_was_kept_for_a_call_that_never_started_is_no_change() {
    let mut session = Session::new();
    session.write("a.txt", "a\n");
    // A repository that has no room for the ref that would hold its state.
    session.bash("git init -q . && touch .git/refs/tenon").await;
    let events = session.bash("rm -f [a].txt; git reset --hard").await;
    assert!(kept_ahead(&events).contains(&String::from("a.txt")));
    let (_, result) = results(&events).remove(0);
    assert!(result.contains("can't save"), "{result}");
    assert!(session.has("a.txt"));
    Op::Delete("a.txt".into()).by_hand(&session.root());
    let notice = session.ask(Command::Undo).await;
    assert!(!session.has("a.txt"), "{}", notice.message);
    session.leave().await;
}

/// As a log has it that ends there, or that an older version wrote.
#[test]
fn without_a_word_of_what_the_command_did_what_was_kept_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(folder.path(), WorkspaceOptions::default()).unwrap();
    let record = |more: serde_json::Value| -> Checkpoint {
        let mut record = json!({"action": "saved", "call": "c1", "files": []});
        let fields = record.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        serde_json::from_value(record).unwrap()
    };
    let kept = json!({"sha256": "ab", "bytes": 2});
    let ahead = record(json!({
        "ahead": true,
        "files": [{"path": "a.txt", "mode": 0o644, "before": kept}],
    }));
    let deeds = |records: &[Checkpoint]| -> Vec<(String, Deed)> {
        let plan = Plan::make(&workspace, records);
        plan.deeds()
            .map(|(path, deed)| (path.to_owned(), deed))
            .collect()
    };
    let back = [(String::from("a.txt"), Deed::BroughtBack)];
    assert_eq!(deeds(std::slice::from_ref(&ahead)), back);
    let other = record(json!({"untouched": ["b.txt"]}));
    assert_eq!(deeds(&[ahead.clone(), other]), back);
    let of_another = record(json!({"call": "c2", "untouched": ["a.txt"]}));
    assert_eq!(deeds(&[ahead.clone(), of_another]), back);
    let untouched = record(json!({"untouched": ["a.txt"]}));
    assert_eq!(deeds(&[ahead, untouched]), []);
}
