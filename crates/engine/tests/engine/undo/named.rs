//! The cases that have a name.

use super::{Node, Op, Session};
use serde_json::json;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use tenon_vocab::{Command, EventKind, NoticeLevel};

const REVERT: Command = Command::Revert { message: None };

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
async fn a_huge_file_is_not_kept_and_is_named() {
    let mut session = Session::new();
    let huge = fs::File::create(session.root().join("huge.bin")).unwrap();
    huge.set_len(1 << 30).unwrap();
    session.write("small.txt", "1\n");
    let events = session
        .bash("printf x >> huge.bin; echo 2 > small.txt")
        .await;
    let told = events.iter().any(|event| matches!(&event.kind, EventKind::Notice(notice) if notice.kind == "unkept" && notice.message.contains("huge.bin")));
    assert!(told);
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.read("small.txt"), "1\n");
    assert!(
        notice.message.contains("huge.bin: it was larger than"),
        "{}",
        notice.message
    );
    assert_eq!(huge.metadata().unwrap().len(), (1 << 30) + 1);
    session.leave().await;
}

/// Small enough for every other limit: only that of a file keeps it out.
#[tokio::test]
async fn a_file_of_one_byte_more_than_is_kept_of_a_file_is_not_kept() {
    let mut session = Session::new();
    for (name, more) in [("just.bin", 0), ("over.bin", 1)] {
        let file = fs::File::create(session.root().join(name)).unwrap();
        file.set_len((1 << 20) + more).unwrap();
    }
    session.bash("printf x | tee -a just.bin >> over.bin").await;
    let notice = session.ask(Command::Undo).await;
    let length = |name: &str| fs::metadata(session.root().join(name)).unwrap().len();
    assert_eq!(length("just.bin"), 1 << 20);
    assert_eq!(length("over.bin"), (1 << 20) + 2, "{}", notice.message);
    assert!(
        notice.message.contains("over.bin: it was larger than"),
        "{}",
        notice.message
    );
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
async fn a_revert_takes_conversation_files_and_task_list_back() {
    let mut session = Session::new();
    let todo = |text: &str| json!({"items": [{"text": text, "status": "pending"}]});
    session
        .run(&[
            ("todowrite", todo("first")),
            ("write", json!({"path": "a.txt", "content": "1"})),
        ])
        .await;
    let before = session.tree();
    session
        .run(&[
            ("todowrite", todo("second")),
            ("bash", json!({"command": "echo 2 > b.txt"})),
        ])
        .await;
    let notice = session.ask(REVERT).await;
    assert_eq!(session.tree(), before, "{}", notice.message);
    assert!(
        notice.message.starts_with("Back to before message"),
        "{}",
        notice.message
    );
    let hint = notice.hint.unwrap();
    assert!(hint.contains("What you had typed: prompt 4"), "{hint}");
    assert!(hint.contains("/fork 8"), "{hint}");
    session.run(&[]).await;
    let request = session.model.texts().pop().unwrap();
    assert!(request.contains("prompt 2"), "{request}");
    assert!(!request.contains("second"), "{request}");
    session.leave().await;
    let todo: Vec<String> = session
        .loaded()
        .state()
        .todo()
        .iter()
        .map(|item| item.text.clone())
        .collect();
    assert_eq!(todo, ["first"]);
}

#[tokio::test]
async fn a_revert_that_leads_nowhere_says_so() {
    let mut session = Session::new();
    let notice = session.ask(REVERT).await;
    assert_eq!(notice.message, "There is no prompt to go back to before.");
    session.run(&[]).await;
    let notice = session.ask(Command::Revert { message: Some(9) }).await;
    assert!(
        notice
            .message
            .starts_with("There is no message 9: the last one is 2."),
        "{}",
        notice.message
    );
    session.ask(Command::Revert { message: Some(1) }).await;
    let notice = session.ask(Command::Revert { message: Some(2) }).await;
    assert!(
        notice.message.contains("was taken back already"),
        "{}",
        notice.message
    );
    session.leave().await;
}

#[tokio::test]
async fn the_model_is_told_with_the_next_prompt_and_only_once() {
    let mut session = Session::new();
    session.bash("echo 1 > a.txt").await;
    session.ask(Command::Undo).await;
    session.leave().await;
    session.run(&[]).await;
    let told = session.model.texts().pop().unwrap();
    assert!(
        told.contains("took your last changes of files back"),
        "{told}"
    );
    assert!(told.contains("a.txt"));
    let count = told.matches("took your last changes").count();
    session.run(&[]).await;
    let again = session.model.texts().pop().unwrap();
    assert_eq!(again.matches("took your last changes").count(), count);
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
async fn what_the_file_tools_keep_is_stored_in_fewer_bytes() {
    let mut session = Session::new();
    let text = "a line of a file\n".repeat(2_000);
    session.write("big.txt", &text);
    session.bash("rm big.txt").await;
    session.leave().await;
    let loaded = session.loaded();
    assert!(loaded.blobs().stored_bytes() < text.len() as u64);
    let kept = loaded.kept_files(None);
    assert_eq!(
        loaded.blobs().get(&kept[0].content).unwrap(),
        text.as_bytes()
    );
    let changed = loaded.changed_files();
    assert_eq!(changed.len(), 1);
    assert_eq!(
        (changed[0].path.as_str(), &changed[0].after),
        ("big.txt", &None)
    );
    session.ask(Command::Undo).await;
    session.leave().await;
    assert!(session.loaded().changed_files().is_empty());
    assert!(matches!(&session.tree()["big.txt"], Node::File(bytes, _) if bytes == text.as_bytes()));
}

#[tokio::test]
async fn a_thousand_edits_keep_at_most_twice_the_bytes_that_were_edited() {
    let mut session = Session::new();
    for file in 0..20 {
        session.write(
            &format!("other/{file}.txt"),
            &"never touched\n".repeat(1_000),
        );
    }
    let mut edited = 0;
    let mut calls = Vec::new();
    for round in 0..10 {
        let ops: Vec<_> = (0..100)
            .map(|number| {
                let text = format!("round {round}, file {number}\n").repeat(40);
                edited += text.len() as u64;
                json!(["write", format!("f{number}.txt"), text])
            })
            .collect();
        calls.push(if round % 2 == 0 {
            ("edits", json!({ "ops": ops }))
        } else {
            ("hand", json!({ "ops": ops }))
        });
    }
    session.run(&calls).await;
    session.leave().await;
    let stored = session.loaded().blobs().stored_bytes();
    assert!(stored <= 2 * edited, "{stored} for {edited}");
    let before = session.tree();
    session.ask(Command::Undo).await;
    assert_eq!(session.tree().len(), 21);
    session.ask(Command::Redo).await;
    assert_eq!(session.tree(), before);
    session.leave().await;
}

#[tokio::test]
async fn beyond_the_cap_nothing_more_is_kept_for_commands_and_that_is_said() {
    let mut session = Session::new();
    session.checkpoints.total_bytes = 1;
    session.write("a.txt", "1\n");
    session.write("b.txt", "1\n");
    session.bash("echo 2 > a.txt").await;
    session
        .run(&[("write", json!({"path": "new.txt", "content": "x"}))])
        .await;
    session.ask(Command::Undo).await;
    assert!(
        !session.has("new.txt"),
        "what the tools do is kept all the same"
    );
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.read("a.txt"), "2\n");
    assert!(
        notice.message.contains("checkpoints.max_bytes"),
        "{}",
        notice.message
    );
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
async fn an_undo_that_touches_nothing_says_so_and_where_the_next_one_leads() {
    let mut session = Session::new();
    session.write("a.txt", "1\n");
    session.bash("echo 1 > b.txt").await;
    session.bash("echo 2 > a.txt").await;
    session.write("a.txt", "by the user\n");
    let notice = session.ask(Command::Undo).await;
    assert!(
        notice.message.starts_with("Nothing was undone"),
        "{}",
        notice.message
    );
    let hint = notice.hint.unwrap();
    assert!(!hint.contains("gives the files again"), "{hint}");
    assert!(
        hint.contains("/undo again goes on to the run before"),
        "{hint}"
    );
    // What stood in its way is gone: it can be tried again, as was said.
    session.write("a.txt", "2\n");
    session.ask(Command::Redo).await;
    session.ask(Command::Undo).await;
    assert_eq!(session.read("a.txt"), "1\n");
    assert!(session.has("b.txt"));
    session.leave().await;
}

#[tokio::test]
async fn after_undo_redo_and_revert_the_model_is_told_nothing_that_is_not_so() {
    let mut session = Session::new();
    session.write("a.txt", "1\n");
    session.bash("echo 2 > a.txt").await;
    session.ask(Command::Undo).await;
    session.ask(Command::Redo).await;
    session.ask(Command::Revert { message: Some(1) }).await;
    assert_eq!(session.read("a.txt"), "1\n");
    session.run(&[]).await;
    let request = session.model.texts().pop().unwrap();
    assert!(!request.contains("a.txt"), "{request}");
    session.leave().await;
}

#[tokio::test]
async fn a_redo_of_a_revert_is_asked_for_twice_and_told_to_the_model() {
    let mut session = Session::new();
    session.write("main.rs", "1\n");
    session.bash("rm main.rs").await;
    let notice = session.ask(REVERT).await;
    let hint = notice.hint.unwrap();
    assert!(
        hint.contains("To have it back: /redo gives the files, then /fork"),
        "{hint}"
    );
    let notice = session.ask(Command::Redo).await;
    assert!(session.has("main.rs"), "{}", notice.message);
    assert!(
        notice.message.contains("removed      main.rs"),
        "{}",
        notice.message
    );
    session.ask(Command::Redo).await;
    assert!(!session.has("main.rs"));
    session.run(&[]).await;
    let request = session.model.texts().pop().unwrap();
    assert!(request.contains("in the part that is gone"), "{request}");
    session.leave().await;
}

#[tokio::test]
async fn what_a_revert_shows_is_what_was_typed() {
    let mut session = Session::new();
    session.bash("echo 1 > a.txt").await;
    session.ask(Command::Undo).await;
    session.run(&[]).await;
    let notice = session.ask(REVERT).await;
    let hint = notice.hint.unwrap();
    assert!(hint.contains("What you had typed: prompt"), "{hint}");
    assert!(!hint.contains("took your last changes"), "{hint}");
    // It was told in what is gone, so it is told again.
    session.run(&[]).await;
    let request = session.model.texts().pop().unwrap();
    assert!(
        request.contains("took your last changes of files back"),
        "{request}"
    );
    session.leave().await;
}

#[tokio::test]
async fn a_line_break_in_a_name_makes_no_line_of_its_own() {
    let mut session = Session::new();
    session
        .run(&[(
            "edits",
            json!({"ops": [["write", "a\nremoved x.txt", "1"]]}),
        )])
        .await;
    let notice = session.ask(Command::Undo).await;
    assert!(
        !notice
            .message
            .lines()
            .any(|line| line.starts_with("removed x")),
        "{}",
        notice.message
    );
    session.leave().await;
}
