//! What git ignores: a command that nobody was asked about costs nothing of it
//! that is small, and what it costs beyond that is named.

use super::Session;
use serde_json::json;
use std::sync::Arc;
use tenon_vocab::{Command, Event, EventKind};

fn notices(events: &[Arc<Event>], wanted: &str) -> Vec<String> {
    let said = events.iter().filter_map(|event| match &event.kind {
        EventKind::Notice(notice) if notice.kind == wanted => Some(notice.message.clone()),
        _ => None,
    });
    said.collect()
}

fn with_products() -> Session {
    let session = Session::new();
    session.write(".gitignore", ".env\n*.db\n/products/\n");
    session.write(".env", "KEY=1\n");
    session.write("data/local.db", "rows\n");
    for name in ["a", "b", "c/d"] {
        session.write(&format!("products/{name}"), "made\n");
        session.write(&format!("web/node_modules/{name}"), "installed\n");
    }
    session
}

/// A command whose line says nothing of what it does.
async fn hidden(session: &mut Session, script: &str) -> Vec<Arc<Event>> {
    session.write("work.sh", script);
    session.bash("sh work.sh").await
}

#[tokio::test]
async fn an_ignored_file_that_a_command_removed_or_overwrote_comes_back() {
    let mut session = with_products();
    session.write("work.sh", "rm .env; : > data/local.db; : > new.db");
    let before = session.tree();
    let events = session.bash("sh work.sh").await;
    assert!(!session.has(".env") && session.read("data/local.db").is_empty());
    let told = notices(&events, "kept");
    let told = told
        .first()
        .unwrap_or_else(|| panic!("nothing is said: {events:?}"));
    assert!(
        told.contains("removed .env") && told.contains("data/local.db"),
        "{told}"
    );
    let after = session.tree();
    let notice = session.ask(Command::Undo).await;
    assert!(session.has("new.db"), "what is new is left alone");
    std::fs::remove_file(session.root().join("new.db")).unwrap();
    assert_eq!(session.tree(), before, "{}", notice.message);
    session.write("new.db", "");
    session.ask(Command::Redo).await;
    assert_eq!(session.tree(), after);
    session.leave().await;
}

#[tokio::test]
async fn a_file_that_is_ignored_no_more_is_recorded_once() {
    let mut session = with_products();
    session.write("work.sh", "echo > .gitignore; : > .env; rm data/local.db");
    let before = session.tree();
    session.bash("sh work.sh").await;
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.tree(), before, "{}", notice.message);
    session.leave().await;
}

#[tokio::test]
async fn an_ignored_folder_that_is_gone_is_named_with_its_size() {
    let mut session = with_products();
    // From the first command on it is known what there is.
    session.bash("echo 1 > first.txt").await;
    session.run(&[]).await;
    let events = hidden(&mut session, "rm -r products web/node_modules").await;
    assert!(!session.has("products") && !session.has("web/node_modules"));
    let told = notices(&events, "unkept").join("\n");
    for folder in [
        "products/ (about 3 files)",
        "web/node_modules/ (about 3 files)",
    ] {
        assert!(told.contains(folder), "{told}");
    }
    let notice = session.ask(Command::Undo).await;
    for folder in [
        "products: removed by the command",
        "web/node_modules: removed",
    ] {
        assert!(notice.message.contains(folder), "{}", notice.message);
    }
    session.leave().await;
}

#[tokio::test]
async fn what_stood_directly_in_an_ignored_folder_is_missed_there() {
    let mut session = with_products();
    let events = hidden(&mut session, "rm -r products/a products/c").await;
    let told = notices(&events, "unkept").join("\n");
    assert!(
        told.contains("parts of products/ (a and 1 more, of 3 entries in it)"),
        "{told}"
    );
    let events = hidden(&mut session, "rm -r products/b").await;
    let told = notices(&events, "unkept");
    assert!(told.is_empty(), "once in a session: {told:?}");
    let notice = session.ask(Command::Undo).await;
    assert!(notice.message.contains("products"), "{}", notice.message);
    session.leave().await;
}

#[tokio::test]
async fn an_ignored_folder_that_was_moved_or_only_written_to_is_no_loss() {
    let mut session = with_products();
    for command in [
        "echo 2 > products/new; echo 2 > products/a",
        "mv web/node_modules web/modules",
        "mv web/modules web/node_modules",
        "mv web site",
    ] {
        let events = session.bash(command).await;
        let told = notices(&events, "unkept");
        assert!(
            !told.iter().any(|line| line.contains("removed")),
            "{command}: {told:?}"
        );
    }
    session.leave().await;
}

#[tokio::test]
async fn what_the_user_removed_between_two_commands_is_not_the_commands() {
    let mut session = with_products();
    session.bash("echo 1 > first.txt").await;
    std::fs::remove_dir_all(session.root().join("products/c")).unwrap();
    std::fs::remove_dir_all(session.root().join("web/node_modules")).unwrap();
    std::fs::remove_file(session.root().join(".env")).unwrap();
    let events = session
        .run(&[(
            "bash",
            json!({"command": "echo 2 > web/second.txt; echo 3 > third.txt"}),
        )])
        .await;
    assert_eq!(notices(&events, "unkept"), [""; 0]);
    assert_eq!(notices(&events, "kept"), [""; 0]);
    session.ask(Command::Undo).await;
    assert!(!session.has(".env"));
    session.leave().await;
}

/// 120,000 characters that hardly become fewer when they are packed.
fn noise(seed: u64) -> String {
    let mut state = seed;
    let next = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        char::from(b'!' + u8::try_from((state >> 33) % 90).unwrap())
    };
    std::iter::repeat_with(next).take(120_000).collect()
}

#[tokio::test]
async fn what_is_kept_of_other_files_takes_nothing_from_the_share_of_ignored_ones() {
    let mut session = with_products();
    session.checkpoints.total_bytes = 400_000;
    session.write("one.txt", &noise(1));
    session.write("two.txt", &noise(2));
    let env = session.read(".env");
    hidden(&mut session, "rm -r one.txt two.txt").await;
    assert!(session.blobs().stored_bytes() > 400_000 / 4);
    hidden(&mut session, "rm -r .env").await;
    let notice = session.ask(Command::Undo).await;
    assert!(session.has(".env"), "{}", notice.message);
    assert_eq!(session.read(".env"), env);
    session.leave().await;
}

#[tokio::test]
async fn ignored_files_take_no_more_than_their_share_of_the_room() {
    let mut session = with_products();
    session.checkpoints.total_bytes = 400_000;
    session.write("large.db", &noise(1));
    session.write("large.txt", &noise(2));
    let before = session.read("large.txt");
    hidden(&mut session, "rm -r large.db large.txt").await;
    let notice = session.ask(Command::Undo).await;
    assert_eq!(session.read("large.txt"), before, "{}", notice.message);
    assert!(!session.has("large.db"));
    assert!(
        notice.message.contains("large.db: it is ignored"),
        "{}",
        notice.message
    );
    session.leave().await;
}
