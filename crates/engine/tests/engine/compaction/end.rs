//! Two compactions in a row that hardly help are the end of a run (C5): a third one
//! would not help either, and each of them costs a request.

use super::server::{Server, Setup, vague};
use super::{compactions, parts, world};
use crate::models::Turn;
use crate::support::{notices, outcome, prompt, say};
use tenon_engine::Engine;
use tenon_vocab::{Command, Outcome, SessionId};

#[tokio::test(start_paused = true)]
async fn where_each_compaction_helps_only_a_little_the_second_is_the_last() {
    let (world, id) = (world(), SessionId::generate());
    // What the model said last stays as it is, and alone it fills the share.
    let server = Server::new(
        Setup::chat(32_768),
        |step, _| {
            let text = "word ".repeat(8_800);
            let input = format!(r#"{{"text":"{step} {text}","bytes":10}}"#);
            Turn::call(&format!("c{step}"), "print", &input)
        },
        vague,
    );
    let mut parts = parts(&world, id, &server);
    parts.context.compaction.at_percent = 30;
    let mut handle = Engine::start(id, parts);
    let events = prompt(&mut handle, "Print all of it.").await;
    say(&mut handle, Command::Shutdown, |_| false).await;
    assert_eq!(outcome(&events), Outcome::Failed);
    assert_eq!(compactions(&events).len(), 2);
    let said = notices(&events, "context_overflow");
    assert!(
        said[0].message.contains("2 times in a row"),
        "{}",
        said[0].message
    );
    assert_eq!(server.refused(), 0);
    world.verify(id);
}

/// Each step prints so much, with another call each time, up to so many steps.
async fn printing(bytes: usize, steps: usize, tool: &'static str) -> (Outcome, usize, String) {
    let (world, id) = (world(), SessionId::generate());
    let server = Server::new(
        Setup::chat(16_384),
        move |step, _| {
            if step == steps {
                return Turn::text("That is all.");
            }
            let input = format!(r#"{{"path":"a_{step}.rs","bytes":{bytes}}}"#);
            Turn::call(&format!("c{step}"), tool, &input)
        },
        vague,
    );
    let mut handle = Engine::start(id, parts(&world, id, &server));
    let events = prompt(&mut handle, "Look at all of it.").await;
    say(&mut handle, Command::Shutdown, |_| false).await;
    world.verify(id);
    let said = notices(&events, "context_overflow");
    let said = said.first().map(|one| one.message.clone());
    let done = compactions(&events).len();
    (outcome(&events), done, said.unwrap_or_default())
}

#[tokio::test(start_paused = true)]
async fn a_run_in_which_each_step_fills_the_window_again_is_stopped_with_what_fills_it() {
    let (outcome, done, said) = printing(48_000, 60, "print").await;
    assert_eq!(outcome, Outcome::Failed, "{done} compactions");
    assert!(done <= 3, "{done}");
    assert!(said.contains("One step filled the window again"), "{said}");
    assert!(said.contains("What fills it: "), "{said}");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_gets_on_between_two_compactions_may_have_many() {
    let (outcome, done, said) = printing(9_000, 60, "print").await;
    assert_eq!(outcome, Outcome::Completed, "{said}");
    assert!(done > 3, "{done}");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_changes_files_gets_on_in_however_small_steps() {
    let (outcome, done, said) = printing(48_000, 12, "save").await;
    assert_eq!(outcome, Outcome::Completed, "{said}");
    assert!(done > 3, "{done}");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_only_reads_again_what_was_taken_from_it_is_stopped() {
    let (world, id) = (world(), SessionId::generate());
    // A page that shrinks as the window fills: no result is like the one before.
    let server = Server::new(
        Setup::chat(16_384),
        |step, _| {
            let input = format!(r#"{{"path":"a_{}.rs","bytes":9000}}"#, step % 6);
            Turn::call(&format!("c{step}"), "print", &input)
        },
        vague,
    );
    let mut parts = parts(&world, id, &server);
    // Whoever looks for circles does not see this one.
    (parts.limits.repeat_warn, parts.limits.repeat_stop) = (50, 50);
    let mut handle = Engine::start(id, parts);
    let events = prompt(&mut handle, "Look at all of it.").await;
    say(&mut handle, Command::Shutdown, |_| false).await;
    assert_eq!(outcome(&events), Outcome::Failed);
    let done = compactions(&events).len();
    assert!((3..=6).contains(&done), "{done}");
    let said = notices(&events, "context_overflow");
    let said = &said[0].message;
    assert!(said.contains("only repeated earlier calls"), "{said}");
    assert!(said.contains("What fills it: "), "{said}");
    world.verify(id);
}
