//! Reverts, and what people and the model are told of files that went back.

use super::{REVERT, Session};
use serde_json::json;
use tenon_vocab::Command;

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
    assert_eq!(notice.message, "There is no prompt to go back to.");
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
        notice.message.contains("was already taken back"),
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
    assert!(told.contains("took back your last file changes"), "{told}");
    assert!(told.contains("a.txt"));
    let count = told.matches("took back your last file changes").count();
    session.run(&[]).await;
    let again = session.model.texts().pop().unwrap();
    assert_eq!(
        again.matches("took back your last file changes").count(),
        count
    );
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
    assert!(!hint.contains("brings the files back"), "{hint}");
    assert!(hint.contains("/undo again undoes the run before"), "{hint}");
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
        hint.contains("To get it back: /redo brings the files back, then /fork"),
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
    assert!(request.contains("from the part that is gone"), "{request}");
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
    assert!(!hint.contains("took back your last file changes"), "{hint}");
    // It was told in what is gone, so it is told again.
    session.run(&[]).await;
    let request = session.model.texts().pop().unwrap();
    assert!(
        request.contains("took back your last file changes"),
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
