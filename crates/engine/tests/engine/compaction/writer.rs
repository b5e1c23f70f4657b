//! Who writes the summary, what the model is asked, and what is done when it does
//! not answer.

use super::server::{Server, Setup, vague};
use super::{compactions, parts, world};
use crate::models::Turn;
use crate::support::{notices, outcome, prompt, say};
use std::sync::Arc;
use tenon_engine::Engine;
use tenon_model::ModelErrorKind;
use tenon_vocab::profile::Strategy;
use tenon_vocab::{Command, Compacted, Event, EventKind, Outcome, Retry, SessionId, Usage};

fn busy(step: usize, _: &str) -> Turn {
    if step.is_multiple_of(2) {
        let text = "word ".repeat(400);
        Turn::call(
            &format!("c{step}"),
            "look",
            &format!(r#"{{"text":"{text}"}}"#),
        )
    } else {
        Turn::text("Fine, and on we go with the parser.")
    }
}

async fn run(
    strategy: Strategy,
    prompts: usize,
    summaries: impl FnMut(usize, &str) -> Turn + Send + 'static,
) -> (Arc<Server>, Vec<Arc<Event>>, Vec<Compacted>) {
    let (world, id) = (world(), SessionId::generate());
    let server = Server::new(Setup::chat(16_384), busy, summaries);
    let mut parts = parts(&world, id, &server);
    parts.context.compaction.strategy = strategy;
    let mut handle = Engine::start(id, parts);
    let mut events = Vec::new();
    for n in 0..prompts {
        let text = if n == 0 {
            "Make the parser fast."
        } else {
            "On."
        };
        let some = prompt(&mut handle, text).await;
        assert_eq!(outcome(&some), Outcome::Completed, "{n}");
        events.extend(some);
    }
    say(&mut handle, Command::Shutdown, |_| false).await;
    world.verify(id);
    let done = compactions(&events);
    (server, events, done)
}

#[tokio::test(start_paused = true)]
async fn an_earlier_summary_is_updated_and_not_summarised_again() {
    let summary = |n: usize, _: &str| {
        Turn::text(&format!(
            "## Objective\nMake the parser fast. SUMMARY-{n} says what was done."
        ))
    };
    let (server, _, done) = run(Strategy::Model, 30, summary).await;
    assert!(done.len() >= 2, "{}", done.len());
    assert!(done[0].summary.contains("SUMMARY-1"));
    let asked = server.summaries();
    assert!(!asked[0].contains("Update that summary"));
    assert!(asked[1].contains("Update that summary"), "{}", asked[1]);
    assert!(asked[1].contains("SUMMARY-1"), "it is shown");
    assert!(done[1].summary.contains("SUMMARY-2"));
    assert!(
        !done[1].summary.contains("SUMMARY-1"),
        "one summary, not two"
    );
    assert!(done[1].summary.contains("Make the parser fast."));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_fails_or_says_nothing_leaves_it_to_the_log() {
    type Answer = fn(usize, &str) -> Turn;
    let cases: [(&str, &str, Answer); 5] = [
        ("rejected", "", |_, _| {
            Turn::default().fails(ModelErrorKind::Rejected)
        }),
        ("down", "", |_, _| {
            Turn::default().fails(ModelErrorKind::Unavailable)
        }),
        ("empty", "its answer was empty", |_, _| Turn::text("")),
        ("short", "its answer was too short", |_, _| Turn::text("ok")),
        ("calls", "it called a tool instead", |n, _| {
            Turn::call(&format!("x{n}"), "look", "{}")
        }),
    ];
    for (name, why, answer) in cases {
        let (server, events, done) = run(Strategy::Model, 14, answer).await;
        assert!(!done.is_empty(), "{name}");
        let summary = &done[0].summary;
        assert!(
            summary.contains("<summary by=\"log\">"),
            "{name}: {summary}"
        );
        assert!(summary.contains("Make the parser fast."), "{name}");
        assert!(
            summary.contains("The assistant last said: Fine"),
            "{name}: {summary}"
        );
        let said = &notices(&events, "compacted")[0].message;
        assert!(
            said.contains("made from the log, because") && said.contains(why),
            "{name}: {said}"
        );
        let again = retries(&events).len();
        assert_eq!(again > 0, name == "down", "{name}");
        assert!(server.summaries().len() <= 2 * done.len() + again, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_summary_is_asked_for_again_as_a_step_is_and_that_is_said() {
    let answer = |n: usize, body: &str| match n {
        1 | 2 => Turn::default().fails(ModelErrorKind::Unavailable),
        _ => vague(n, body),
    };
    let (_, events, done) = run(Strategy::Model, 14, answer).await;
    let again = retries(&events);
    let attempts: Vec<u32> = again.iter().map(|retry| retry.attempt).collect();
    assert_eq!(attempts, [1, 2]);
    assert!(again[0].delay_ms > 0 && again[0].of >= 2, "{again:?}");
    assert!(again[0].reason.starts_with("the summary: "), "{again:?}");
    assert!(done[0].summary.contains("<summary by=\"model\">"));
}

fn retries(events: &[Arc<Event>]) -> Vec<Retry> {
    events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Retry(retry) => Some(retry.clone()),
            _ => None,
        })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn the_deterministic_strategy_asks_nobody_and_says_the_same_each_time() {
    let (server, _, done) = run(Strategy::Deterministic, 30, vague).await;
    assert!(server.summaries().is_empty());
    let (_, _, again) = run(Strategy::Deterministic, 30, vague).await;
    assert!(done.len() >= 2);
    let summaries =
        |all: &[Compacted]| -> Vec<String> { all.iter().map(|one| one.summary.clone()).collect() };
    assert_eq!(summaries(&done), summaries(&again));
}

#[tokio::test(start_paused = true)]
async fn what_a_summary_took_is_counted() {
    let summary = |n: usize, body: &str| vague(n, body).using(7_000_000, 11);
    let (world, id) = (world(), SessionId::generate());
    let server = Server::new(Setup::chat(16_384), busy, summary);
    let mut handle = Engine::start(id, parts(&world, id, &server));
    let mut runs = Vec::new();
    for n in 0..14 {
        runs.push(prompt(&mut handle, &format!("Prompt {n}")).await);
    }
    say(&mut handle, Command::Shutdown, |_| false).await;
    let summaries = server.summaries().len() as u64;
    assert!(summaries >= 1);
    let state = world.store.load(id).unwrap();
    let usage: Usage = state.state().usage();
    assert!(usage.input > summaries * 7_000_000, "{usage:?}");
    let of_run = runs.iter().flatten().any(|event| match &event.kind {
        tenon_vocab::EventKind::RunFinished(finished) => finished.usage.input > 7_000_000,
        _ => false,
    });
    assert!(of_run, "and in the run that asked");
}

#[tokio::test(start_paused = true)]
async fn a_secret_in_the_summary_of_a_model_reaches_neither_log_nor_request() {
    // Put together here, so that no scanner takes this file for a leak.
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let told = secret.clone();
    let summary = move |_: usize, _: &str| {
        Turn::text(&format!(
            "## Objective\nMake the parser fast with the token {told}."
        ))
    };
    let (server, events, done) = run(Strategy::Model, 14, summary).await;
    assert!(!done.is_empty());
    assert!(done[0].summary.contains("with the token"), "{done:?}");
    for event in &events {
        let text = serde_json::to_string(&**event).unwrap();
        assert!(!text.contains(&secret), "{text}");
    }
    assert!(server.last().contains("with the token"));
    assert!(!server.last().contains(&secret));
}
