//! What is kept, what is not, and how much of the disk it takes.

use super::{Node, Session};
use serde_json::json;
use std::fs;
use tenon_vocab::{Command, EventKind, NoticeLevel};

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
    assert!(session.has("new.txt"), "there is no room to keep it");
    session.ask(Command::Undo).await;
    assert!(
        !session.has("new.txt"),
        "what the tools do can be taken back all the same"
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

/// Not smaller when it is packed.
fn noise(seed: u64) -> String {
    let mut dice = crate::whole::Dice(seed);
    (0..1_200)
        .map(|_| char::from(b'!' + u8::try_from(dice.roll(90)).unwrap()))
        .collect()
}

/// A session that made two files and has room to keep one of them.
async fn tight() -> (Session, u64) {
    let mut session = Session::new();
    let write = |path: &str, text: String| json!(["write", path, text]);
    let ops = [write("a.txt", noise(1)), write("b.txt", noise(2))];
    session.run(&[("edits", json!({ "ops": ops }))]).await;
    session.leave().await;
    let limit = session.blobs().stored_bytes() + 2_000;
    session.checkpoints.total_bytes = limit;
    (session, limit)
}

#[tokio::test]
async fn what_there_is_no_room_to_keep_is_left_and_goes_only_when_it_is_asked_for_twice() {
    let (mut session, limit) = tight().await;
    let full = format!("this session already keeps {limit} bytes (`checkpoints.max_bytes`)");
    let notice = session.ask(Command::Undo).await;
    assert!(!session.has("a.txt"));
    assert_eq!(session.read("b.txt"), noise(2), "{}", notice.message);
    assert_eq!(notice.level, NoticeLevel::Warning);
    let left = format!("b.txt: there is no room to keep its content: {full}");
    assert!(notice.message.contains(&left), "{}", notice.message);
    let hint = notice.hint.unwrap();
    assert!(hint.contains("/undo again also undoes"), "{hint}");
    assert!(hint.contains("gone for good"), "{hint}");
    let notice = session.ask(Command::Undo).await;
    assert!(!session.has("a.txt") && !session.has("b.txt"));
    let lost = format!("/redo can't bring back:\n  b.txt: {full}");
    assert!(notice.message.contains(&lost), "{}", notice.message);
    assert!(session.blobs().stored_bytes() <= limit);
    let notice = session.ask(Command::Undo).await;
    assert!(
        notice.message.contains("Nothing to undo"),
        "{}",
        notice.message
    );
    let notice = session.ask(Command::Redo).await;
    assert_eq!(session.read("a.txt"), noise(1));
    assert!(!session.has("b.txt"));
    assert!(
        notice.message.contains("b.txt: its content was not kept"),
        "{}",
        notice.message
    );
    session.leave().await;
}

#[tokio::test]
async fn what_was_left_for_want_of_room_is_given_again_with_the_rest() {
    let (mut session, _) = tight().await;
    let before = session.tree();
    session.ask(Command::Undo).await;
    session.ask(Command::Redo).await;
    assert_eq!(session.tree(), before);
    session.ask(Command::Undo).await;
    // Somebody who comes back later has not been warned.
    session.leave().await;
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.read("b.txt"), noise(2), "{}", notice.message);
    session.leave().await;
}

#[tokio::test]
async fn a_revert_leaves_what_there_is_no_room_to_keep() {
    let (mut session, _) = tight().await;
    let notice = session.ask(super::REVERT).await;
    assert!(!session.has("a.txt"));
    assert_eq!(session.read("b.txt"), noise(2));
    assert!(
        notice.message.contains("b.txt: there is no room to keep"),
        "{}",
        notice.message
    );
    let hint = notice.hint.unwrap();
    assert!(hint.contains("gone for good"), "{hint}");
    session.ask(Command::Undo).await;
    assert!(!session.has("b.txt"));
    session.leave().await;
}

/// Its original is gone, and it was ignored: the copy is all there is.
#[tokio::test]
async fn the_only_copy_of_a_file_that_is_not_watched_outlives_an_undo_without_room() {
    let mut session = Session::new();
    session.checkpoints.total_bytes = 1_000;
    session.write(".gitignore", "*.db\n");
    session.write("users.db", &noise(3));
    session.write("small.txt", "1\n");
    let ops = json!([
        ["write", "copy.bin", noise(3)],
        ["delete", "users.db"],
        ["write", "small.txt", "2\n"]
    ]);
    session.run(&[("hand", json!({ "ops": ops }))]).await;
    for command in [Command::Undo, Command::Redo] {
        let notice = session.ask(command).await;
        assert_eq!(session.read("copy.bin"), noise(3), "{}", notice.message);
    }
    session.leave().await;
}
