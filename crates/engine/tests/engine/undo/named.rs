//! The cases that have a name.

use super::{Node, Op, REVERT, Session};
use serde_json::json;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use tenon_vocab::{Command, EventKind, FileChange, NoticeLevel};

#[tokio::test]
async fn edits_sed_and_a_deleted_untracked_file_come_back_and_go_again() {
    let mut session = Session::new();
    session.write("kept.txt", "as it was\n");
    session.write("sed.txt", "one\ntwo\n");
    session.write("untracked.txt", "nobody else has this\n");
    session.write("other.txt", "untouched\n");
    let before = session.tree();
    session
        .run(&[
            ("write", json!({"path": "made/new.txt", "content": "new\n"})),
            ("bash", json!({"command": "sed -i s/one/1/ sed.txt"})),
            ("bash", json!({"command": "rm untracked.txt"})),
        ])
        .await;
    let after = session.tree();
    assert_ne!(before, after);
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.tree(), before, "{}", notice.message);
    assert_eq!(notice.level, NoticeLevel::Info);
    for line in [
        "restored     sed.txt",
        "brought back untracked.txt",
        "removed      made/new.txt",
    ] {
        assert!(notice.message.contains(line), "{}", notice.message);
    }
    assert!(
        notice.message.starts_with("Undone: 3 files are"),
        "{}",
        notice.message
    );
    session.ask(Command::Redo).await;
    assert_eq!(session.tree(), after);
    session.leave().await;
    session.ask(Command::Undo).await;
    assert_eq!(session.tree(), before, "also after a resume");
    session.leave().await;
}

#[tokio::test]
async fn what_the_user_changed_since_is_left_and_named() {
    let mut session = Session::new();
    session.write("mine.txt", "1\n");
    session.write("ours.txt", "1\n");
    session
        .bash("echo 2 > mine.txt; echo 2 > ours.txt; echo 2 > gone.txt")
        .await;
    session.write("mine.txt", "by the user\n");
    Op::Delete("gone.txt".into()).by_hand(&session.root());
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.read("mine.txt"), "by the user\n");
    assert_eq!(session.read("ours.txt"), "1\n");
    assert!(!session.has("gone.txt"));
    assert_eq!(notice.level, NoticeLevel::Warning);
    assert!(
        notice.message.contains("mine.txt: it was changed since"),
        "{}",
        notice.message
    );
    session.leave().await;
}

#[tokio::test]
async fn what_the_user_changes_during_a_run_is_where_an_undo_stops() {
    let mut session = Session::new();
    session.write("a.txt", "first\n");
    let root = session.root();
    let write = |text: &str| json!({"ops": [["write", "a.txt", text]]});
    session.run(&[("edits", write("session 1\n"))]).await;
    Op::Write("a.txt".into(), "user\n".into()).by_hand(&root);
    session.run(&[("edits", write("session 2\n"))]).await;
    let notice = session.ask(REVERT).await;
    assert_eq!(session.read("a.txt"), "user\n", "{}", notice.message);
    let notice = session.ask(Command::Revert { message: Some(1) }).await;
    assert_eq!(session.read("a.txt"), "user\n");
    assert!(
        notice.message.contains("a.txt: it was changed since"),
        "{}",
        notice.message
    );
    session.leave().await;
}

#[tokio::test]
async fn undo_goes_further_back_each_time_and_a_new_change_cuts_redo_off() {
    let mut session = Session::new();
    for text in ["1", "2", "3"] {
        session.bash(&format!("echo {text} > a.txt")).await;
    }
    session.bash("cat a.txt").await;
    session.ask(Command::Undo).await;
    assert_eq!(session.read("a.txt"), "2\n");
    session.ask(Command::Undo).await;
    assert_eq!(session.read("a.txt"), "1\n");
    session.ask(Command::Redo).await;
    assert_eq!(session.read("a.txt"), "2\n");
    session.bash("echo 4 > b.txt").await;
    let notice = session.ask(Command::Redo).await;
    assert!(
        notice.message.starts_with("Nothing to redo"),
        "{}",
        notice.message
    );
    assert_eq!(session.read("a.txt"), "2\n");
    for _ in 0..3 {
        session.ask(Command::Undo).await;
    }
    assert!(!session.has("a.txt") && !session.has("b.txt"));
    let notice = session.ask(Command::Undo).await;
    assert!(
        notice.message.starts_with("Nothing to undo"),
        "{}",
        notice.message
    );
    session.leave().await;
}

#[tokio::test]
async fn nothing_beside_the_root_is_touched() {
    let mut session = Session::new();
    let beside = session.world.dir.path().join("sibling.txt");
    fs::write(&beside, "theirs\n").unwrap();
    session
        .bash("echo changed > ../sibling.txt; echo 1 > here.txt")
        .await;
    fs::write(&beside, "theirs again\n").unwrap();
    session.ask(Command::Undo).await;
    assert!(!session.has("here.txt"));
    assert_eq!(fs::read_to_string(&beside).unwrap(), "theirs again\n");
    session.leave().await;
}

#[tokio::test]
async fn a_file_and_a_folder_that_changed_places_change_back() {
    let mut session = Session::new();
    session.write("file", "a file\n");
    session.write("folder/inner", "inside\n");
    let before = session.tree();
    session
        .bash("rm file && mkdir file && echo 1 > file/inner; rm -r folder && echo 2 > folder")
        .await;
    let after = session.tree();
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.tree(), before, "{}", notice.message);
    session.ask(Command::Redo).await;
    assert_eq!(session.tree(), after);
    session.leave().await;
}

#[tokio::test]
async fn modes_and_links_come_back() {
    let mut session = Session::new();
    session.write("script.sh", "echo\n");
    Op::Mode("script.sh".into(), 0o755).by_hand(&session.root());
    Op::Link("link".into(), "script.sh".into()).by_hand(&session.root());
    let before = session.tree();
    session
        .bash("chmod 600 script.sh; ln -sfn elsewhere link; ln -s nowhere another")
        .await;
    assert_ne!(session.tree(), before);
    session.ask(Command::Undo).await;
    assert_eq!(session.tree(), before);
    session.leave().await;
}

#[tokio::test]
async fn a_name_that_is_no_text_and_a_pipe_are_named_and_hold_nothing_up() {
    let mut session = Session::new();
    let odd = std::ffi::OsStr::from_bytes(b"odd-\xff.txt");
    fs::write(session.root().join(odd), "1\n").unwrap();
    session
        .bash("mkfifo pipe; echo 2 > odd-*.txt; echo 3 > plain.txt")
        .await;
    let notice = session.ask(Command::Undo).await;
    assert!(!session.has("plain.txt"));
    assert!(
        notice.message.contains("its name is not UTF-8"),
        "{}",
        notice.message
    );
    assert!(
        notice.message.contains("pipe: it is a pipe"),
        "{}",
        notice.message
    );
    assert_eq!(fs::read_to_string(session.root().join(odd)).unwrap(), "2\n");
    session.leave().await;
}

#[tokio::test]
async fn a_file_that_was_only_ignored_before_is_not_taken_for_a_new_one() {
    let mut session = Session::new();
    session.write(".gitignore", "*.log\n");
    session.write("old.log", "precious\n");
    let before = session.tree();
    session.bash("echo > .gitignore; echo 1 > new.txt").await;
    session.ask(Command::Undo).await;
    assert_eq!(session.tree(), before);
    session.bash("echo '*' > .gitignore").await;
    session.ask(Command::Undo).await;
    assert_eq!(session.tree(), before);
    session.leave().await;
}

#[tokio::test]
async fn an_interrupted_undo_tells_the_truth() {
    let mut session = Session::new();
    session.write("free.txt", "1\n");
    session.write("held/stuck.txt", "1\n");
    session.bash("echo 2 > free.txt; rm held/stuck.txt").await;
    // What cannot be written is left and named; the rest goes back.
    Op::Clear("held".into()).by_hand(&session.root());
    session.write("held", "a file now\n");
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.read("free.txt"), "1\n");
    assert_eq!(session.read("held"), "a file now\n");
    assert!(
        notice.message.contains("held/stuck.txt"),
        "{}",
        notice.message
    );
    session.ask(Command::Redo).await;
    assert_eq!(session.read("free.txt"), "2\n");
    session.leave().await;
}

#[tokio::test]
async fn a_write_after_an_undo_must_read_first() {
    let mut session = Session::new();
    session.write("a.txt", "one\ntwo\n");
    session
        .run(&[
            ("read", json!({"path": "a.txt"})),
            ("edit", json!({"path": "a.txt", "old": "one", "new": "1"})),
        ])
        .await;
    assert_eq!(session.read("a.txt"), "1\ntwo\n");
    session.ask(Command::Undo).await;
    session
        .run(&[("write", json!({"path": "a.txt", "content": "blind\n"}))])
        .await;
    assert_eq!(session.read("a.txt"), "one\ntwo\n");
    session.leave().await;
}

#[tokio::test]
async fn with_the_watch_off_only_the_file_tools_can_be_undone() {
    let mut session = Session::new();
    session.checkpoints.commands = false;
    session.bash("echo 1 > a.txt").await;
    let notice = session.ask(Command::Undo).await;
    assert!(
        notice.message.starts_with("Nothing to undo"),
        "{}",
        notice.message
    );
    assert!(session.has("a.txt"));
    session.leave().await;
}

#[tokio::test]
async fn a_file_that_a_tool_made_stays_when_the_user_changed_its_permissions() {
    let mut session = Session::new();
    let ops = json!({"ops": [["write", "made.sh", "1\n"], ["write", "other.sh", "1\n"]]});
    session.run(&[("edits", ops)]).await;
    Op::Mode("made.sh".into(), 0o700).by_hand(&session.root());
    let notice = session.ask(Command::Undo).await;
    assert!(session.has("made.sh"), "{}", notice.message);
    assert!(!session.has("other.sh"));
    assert!(
        notice
            .message
            .contains("made.sh: its permissions were changed since"),
        "{}",
        notice.message
    );
    session.leave().await;
}

#[tokio::test]
async fn a_folder_that_a_tool_made_is_recorded_with_its_mode_and_goes_only_unchanged() {
    let mut session = Session::new();
    let before = session.tree();
    let ops = json!({"ops": [
        ["write", "made/deep/new.txt", "1\n"],
        ["write", "from.txt", "2\n"],
        ["rename", "from.txt", "other/to.txt"],
    ]});
    let events = session.run(&[("edits", ops)]).await;
    let after = session.tree();
    let mut folders = 0;
    for event in &events {
        let EventKind::Checkpoint(checkpoint) = &event.kind else {
            continue;
        };
        for file in &checkpoint.files {
            if let Some(Node::Folder(mode)) = after.get(&file.path) {
                assert_eq!(file.after_mode, Some(mode | FileChange::FOLDER));
                folders += 1;
            }
        }
    }
    assert_eq!(folders, 3);
    session.ask(Command::Undo).await;
    assert_eq!(session.tree(), before);
    session.ask(Command::Redo).await;
    assert_eq!(session.tree(), after);
    Op::Mode("made/deep".into(), 0o700).by_hand(&session.root());
    let notice = session.ask(Command::Undo).await;
    assert!(!session.has("made/deep/new.txt") && !session.has("other"));
    assert_eq!(session.tree()["made/deep"], Node::Folder(0o700));
    let words = "made/deep: its permissions were changed since";
    assert!(notice.message.contains(words), "{}", notice.message);
    session.leave().await;
}

#[tokio::test]
async fn a_folder_that_a_tool_made_while_a_job_ran_goes_without_a_word() {
    let mut session = Session::new();
    let before = session.tree();
    let job = json!({"command": "sleep 60 > /dev/null 2>&1 &"});
    let write = json!({"path": "made/new.txt", "content": "new\n"});
    session.run(&[("bash", job), ("write", write)]).await;
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.tree(), before, "{}", notice.message);
    assert_eq!(notice.level, NoticeLevel::Info, "{}", notice.message);
    session.leave().await;
}

#[tokio::test]
async fn a_command_that_was_prepared_for_and_did_nothing_is_no_change() {
    let mut session = Session::new();
    session.write("a.txt", "1\n");
    Op::Mode("a.txt".into(), 0o644).by_hand(&session.root());
    let ops = json!({"ops": [["write", "a.txt", "2\n"]]});
    session
        .run(&[
            ("edits", ops),
            ("bash", json!({"command": "chmod 644 a.txt"})),
            ("bash", json!({"command": "rm -f a.txt"})),
        ])
        .await;
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.read("a.txt"), "1\n", "{}", notice.message);
    session.leave().await;
}

#[tokio::test]
async fn a_run_that_the_user_took_back_by_hand_is_passed_over() {
    let mut session = Session::new();
    session.write("a.txt", "1\n");
    session.bash("rm a.txt").await;
    session.bash("echo 2 > a.txt").await;
    Op::Delete("a.txt".into()).by_hand(&session.root());
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.read("a.txt"), "1\n", "{}", notice.message);
    session.ask(Command::Redo).await;
    assert!(!session.has("a.txt"));
    session.leave().await;
}
