//! `/compact [focus]`

use super::server::{Server, Setup, vague};
use super::{compactions, start, world};
use crate::models::Turn;
use crate::support::{notices, outcome, prompt, say};
use tenon_vocab::{Command, EventKind, Outcome, RunState, SessionId};

fn compact(focus: Option<&str>) -> Command {
    Command::Compact {
        focus: focus.map(ToOwned::to_owned),
    }
}

fn is_over(kind: &EventKind) -> bool {
    matches!(kind, EventKind::RunFinished(_))
}

#[tokio::test(start_paused = true)]
async fn by_hand_it_is_done_now_and_the_focus_is_asked_for() {
    let (world, id) = (world(), SessionId::generate());
    let answer =
        |n: usize, _: &str| Turn::text(&format!("Answer {n}. {}", "It is so. ".repeat(60)));
    let server = Server::new(Setup::chat(32_768), answer, vague);
    let mut handle = start(&world, id, &server);
    for n in 0..8 {
        prompt(&mut handle, &format!("Question {n}?")).await;
    }
    let events = say(&mut handle, compact(Some("the error codes")), is_over).await;
    assert_eq!(outcome(&events), Outcome::Completed);
    let done = compactions(&events);
    assert_eq!(done.len(), 1, "{events:?}");
    assert!(done[0].tokens_after < done[0].tokens_before);
    let asked = &server.summaries()[0];
    assert!(
        asked.contains("pay special attention to this:\\nthe error codes"),
        "{asked}"
    );
    let said = &notices(&events, "compacted")[0].message;
    assert!(said.starts_with("Compacted: ~"), "{said}");
    let events = prompt(&mut handle, "And now?").await;
    assert_eq!(outcome(&events), Outcome::Completed);
    let last = server.last();
    assert!(last.contains("Question 0?"), "the first request");
    assert!(last.contains("Answer 7."), "the last answer is whole");
    assert!(!last.contains("Answer 2."), "the old ones are gone");
    say(&mut handle, Command::Shutdown, |_| false).await;
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn with_nothing_to_make_shorter_that_is_said() {
    let (world, id) = (world(), SessionId::generate());
    let server = Server::new(Setup::chat(32_768), |_, _| Turn::text("Hi."), vague);
    let mut handle = start(&world, id, &server);
    let events = say(&mut handle, compact(None), is_over).await;
    assert_eq!(outcome(&events), Outcome::Completed);
    assert_eq!(notices(&events, "not_compacted").len(), 1);
    prompt(&mut handle, "Hello").await;
    let events = say(&mut handle, compact(None), is_over).await;
    assert!(compactions(&events).is_empty(), "{events:?}");
    assert_eq!(notices(&events, "not_compacted").len(), 1);
    say(&mut handle, Command::Shutdown, |_| false).await;
    world.verify(id);
}

/// After these prompts, `/compact` with a summary that would be no shorter.
async fn not_shorter(prompts: usize, answer: &str) -> (usize, String) {
    let (world, id) = (world(), SessionId::generate());
    let summary = |_: usize, _: &str| Turn::text(&"It was said and done so. ".repeat(200));
    let answer = answer.to_owned();
    let server = Server::new(
        Setup::chat(32_768),
        move |_, _| Turn::text(&answer),
        summary,
    );
    let mut handle = start(&world, id, &server);
    for n in 0..prompts {
        prompt(&mut handle, &format!("Question {n}?")).await;
    }
    let events = say(&mut handle, compact(None), is_over).await;
    assert_eq!(outcome(&events), Outcome::Completed);
    assert!(compactions(&events).is_empty(), "{events:?}");
    let said = notices(&events, "not_compacted");
    assert_eq!(said.len(), 1, "{said:?}");
    let asked = server.summaries().len();
    assert_eq!(notices(&events, "compacting").len(), asked);
    prompt(&mut handle, "And now?").await;
    assert!(server.last().contains("Question 0?"), "all is still there");
    say(&mut handle, Command::Shutdown, |_| false).await;
    world.verify(id);
    (asked, said[0].message.clone())
}

#[tokio::test(start_paused = true)]
async fn what_no_summary_could_make_shorter_is_known_before_a_model_is_asked() {
    for prompts in 2..6 {
        let (asked, said) = not_shorter(prompts, "Hi.").await;
        assert_eq!(asked, 0, "{prompts}: {said}");
        assert!(said.contains("a summary would have"), "{said}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_long_summary_would_not_make_shorter_is_not_done_and_that_is_said() {
    let (asked, said) = not_shorter(4, &"It is so. ".repeat(60)).await;
    assert_eq!(asked, 1, "it was tried");
    assert!(said.contains("a summary would have"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn one_that_is_stopped_says_that_nothing_changed_and_was_seen_to_wait() {
    let (world, id) = (world(), SessionId::generate());
    let answer =
        |n: usize, _: &str| Turn::text(&format!("Answer {n}. {}", "It is so. ".repeat(60)));
    let hangs = |_: usize, _: &str| Turn::text("").hangs();
    let server = Server::new(Setup::chat(32_768), answer, hangs);
    let mut handle = start(&world, id, &server);
    for n in 0..8 {
        prompt(&mut handle, &format!("Question {n}?")).await;
    }
    // A screen shows that a model is waited for from this state on.
    let waits = |kind: &EventKind| matches!(kind, EventKind::State(changed) if changed.state == RunState::ModelGenerating);
    say(&mut handle, compact(None), waits).await;
    let events = say(&mut handle, Command::Interrupt, is_over).await;
    assert_eq!(outcome(&events), Outcome::Interrupted);
    assert!(compactions(&events).is_empty(), "{events:?}");
    let said = &notices(&events, "not_compacted")[0].message;
    assert!(said.contains("the conversation is unchanged"), "{said}");
    say(&mut handle, Command::Shutdown, |_| false).await;
    world.verify(id);
}
