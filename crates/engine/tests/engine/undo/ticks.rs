//! Changes that fall into one tick of the clock of files, or share their times
//! for another reason: times cannot tell them apart, and nothing may be lost.

use super::{Op, REVERT, Session};
use std::fs::{self, File};
use std::time::{Duration, SystemTime};
use tenon_vocab::Command;

/// Rounds of what may depend on where a tick falls.
const ROUNDS: usize = 25;

/// Gives files one time, long ago.
fn old(session: &Session, paths: &[&str]) {
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for path in paths {
        let file = File::options().append(true).open(session.root().join(path));
        file.unwrap().set_modified(then).unwrap();
    }
}

fn with_ignored() -> Session {
    let session = Session::new();
    session.write(".gitignore", "*.db\n");
    session
}

/// The user writes an ignored file, at once a command does this with it, and an
/// undo must leave what it held at this path.
async fn stays(script: &str, path: &str) {
    let mut session = with_ignored();
    session.write("kept.txt", "of before\n");
    session.write("x.db", "long ago\n");
    session.bash("true").await;
    for round in 0..ROUNDS {
        let text = format!("all users {round:04}\n");
        session.write("x.db", &text);
        session.bash(script).await;
        let notice = session.ask(Command::Undo).await;
        assert!(session.has(path), "round {round}: {}", notice.message);
        assert_eq!(session.read(path), text, "{}", notice.message);
        Op::Delete(path.into()).by_hand(&session.root());
    }
    session.leave().await;
}

#[tokio::test]
async fn an_ignored_file_that_was_made_just_before_a_command_moved_it_stays() {
    stays("mv x.db here.txt", "here.txt").await;
}

#[tokio::test]
async fn an_ignored_file_that_was_written_just_before_a_command_copied_it_away_stays() {
    stays("cp -p x.db here.txt && rm x.db", "here.txt").await;
}

#[tokio::test]
async fn what_a_command_makes_at_once_is_removed_by_an_undo() {
    let mut session = with_ignored();
    for round in 0..ROUNDS {
        session
            .bash("echo 1 > made.txt; mkdir d; echo 2 > d/made.txt")
            .await;
        let notice = session.ask(Command::Undo).await;
        let is_gone = !session.has("made.txt") && !session.has("d");
        assert!(is_gone, "round {round}: {}", notice.message);
    }
    session.leave().await;
}

#[tokio::test]
async fn what_was_brought_in_is_not_taken_for_a_copy_by_its_size_and_time() {
    let mut session = with_ignored();
    session.write("inside.txt", "ours, 1\n");
    session.write("x.db", "theirs!\n");
    old(&session, &["inside.txt", "x.db"]);
    session
        .bash("cp -p x.db here.txt && rm x.db; cp -p inside.txt copy.txt")
        .await;
    let notice = session.ask(REVERT).await;
    assert!(session.has("here.txt"), "{}", notice.message);
    assert_eq!(session.read("here.txt"), "theirs!\n");
    assert!(
        !session.has("copy.txt"),
        "its original still stands: {}",
        notice.message
    );
    session.leave().await;
}

#[tokio::test]
async fn what_was_brought_over_a_file_with_the_same_time_stays() {
    let mut session = with_ignored();
    session.write("over.txt", "there\n");
    session.write("x.db", "theirs\n");
    old(&session, &["over.txt", "x.db"]);
    session.bash("cp -p x.db over.txt && rm x.db").await;
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.read("over.txt"), "theirs\n", "{}", notice.message);
    assert!(notice.message.contains("over.txt: moved here, not made"));
    session.leave().await;
}

#[tokio::test]
async fn what_was_brought_over_a_file_that_was_moved_stays() {
    let mut session = with_ignored();
    session.write("from.txt", "moved\n");
    session.write("to.txt", "overwritten\n");
    session.write("x.db", "theirs\n");
    old(&session, &["x.db"]);
    session
        .bash("mv -f from.txt to.txt; cp -p x.db to.txt && rm x.db")
        .await;
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.read("to.txt"), "theirs\n", "{}", notice.message);
    assert_eq!(session.read("from.txt"), "moved\n");
    assert!(notice.message.contains("to.txt: moved here, not made"));
    session.leave().await;
}

#[tokio::test]
async fn a_change_of_the_mode_alone_is_taken_back_however_old_the_file_is() {
    let mut session = with_ignored();
    session.write("run.sh", "true\n");
    Op::Mode("run.sh".into(), 0o644).by_hand(&session.root());
    old(&session, &["run.sh"]);
    let before = session.tree();
    session.bash("chmod 755 run.sh").await;
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.tree(), before, "{}", notice.message);
    session.leave().await;
}

#[tokio::test]
async fn what_the_user_writes_in_the_tick_of_a_command_is_not_overwritten() {
    let mut session = with_ignored();
    for round in 0..ROUNDS {
        session.write("a.txt", "0000\n");
        session.bash("echo 1111 > a.txt").await;
        // The same size, and most likely the same time.
        session.write("a.txt", "2222\n");
        let notice = session.ask(Command::Undo).await;
        let text = fs::read_to_string(session.root().join("a.txt")).unwrap();
        assert_eq!(text, "2222\n", "round {round}: {}", notice.message);
    }
    session.leave().await;
}
