//! The long run: 400 prompts on a small window, with a model whose summaries say
//! nothing. What was planted at the beginning is in the last request.

use super::server::{Server, Setup, vague};
use super::{compactions, parts, world};
use crate::formats::Format;
use crate::models::Turn;
use crate::support::{outcome, prompt, say};
use std::sync::Arc;
use tenon_engine::Engine;
use tenon_model::WindowSource;
use tenon_vocab::{Command, Event, Outcome, Part, SessionId, TodoItem, TodoStatus};

const GOAL: &str = "Port the importer to the streaming parser, release 2.0 (GOAL-7f3a).";
/// Without a word by which one could tell that it is one.
const CONSTRAINT: &str = "Everything below vendor/legacy is frozen; the public API stays.";
const COMMAND: &str = "make check-fast TARGET=importer";
const TODO: &str = "write the migration note for 2.0";
const FILE: &str = "src/importer/stream.rs";

fn thought(n: usize) -> Part {
    Part::Reasoning {
        text: format!("I think of step {n}."),
        signature: Some(format!("EqQBCgIYAhIM{n}")),
        provider: Some("test".into()),
    }
}

/// One call and an answer for each prompt; some of them plant a fact.
fn turn(step: usize) -> Turn {
    let n = step / 2;
    let id = format!("c{n}");
    if step % 2 == 1 {
        return Turn::text(&format!("Step {n} is done, and all is well so far."))
            .thinking(thought(step));
    }
    let call = match n {
        4 => {
            let mut turn = Turn::call(&id, "look", r#"{"text":"todo"}"#);
            turn.todo = Some(vec![TodoItem {
                text: TODO.into(),
                status: TodoStatus::Pending,
            }]);
            turn
        }
        6 => Turn::call(&id, "edit", &format!(r#"{{"path":"{FILE}","bytes":200}}"#)),
        // Once, and the others come again.
        8 => Turn::call(&id, "bash", &format!(r#"{{"command":"{COMMAND}"}}"#)),
        n if n % 7 == 3 => {
            let again = n % 100;
            Turn::call(&id, "bash", &format!(r#"{{"command":"ls dir_{again}"}}"#))
        }
        n => Turn::call(
            &id,
            "read",
            &format!(
                r#"{{"path":"src/part_{n}.rs","bytes":{}}}"#,
                300 + n % 5 * 700
            ),
        ),
    };
    call.thinking(thought(step))
}

fn words(n: usize) -> String {
    match n {
        0 => GOAL.into(),
        2 => CONSTRAINT.into(),
        n => format!("Now look at part number {n} of the importer and tell me what you see."),
    }
}

/// Each of them binding, by its words.
fn strict(n: usize) -> String {
    match n {
        0 | 2 => words(n),
        n => format!("Never skip part number {n}, always use it as it is, and keep it."),
    }
}

async fn run_long(
    format: Format,
    prompts: usize,
    words: fn(usize) -> String,
) -> (Arc<Server>, Vec<Arc<Event>>) {
    let (world, id) = (world(), SessionId::generate());
    let setup = Setup {
        format,
        window: 16_384,
        said: Some(WindowSource::Server("/props".into())),
    };
    let server = Server::new(setup, |step, _| turn(step), vague);
    let mut handle = Engine::start(id, parts(&world, id, &server));
    let mut all = Vec::new();
    for n in 0..prompts {
        let events = prompt(&mut handle, &words(n)).await;
        assert_eq!(
            outcome(&events),
            Outcome::Completed,
            "prompt {n}: {events:?}"
        );
        all.extend(events);
    }
    say(&mut handle, Command::Shutdown, |_| false).await;
    world.verify(id);
    (server, all)
}

fn holds_the_facts(body: &str) {
    for fact in [GOAL, CONSTRAINT, COMMAND, TODO, FILE] {
        assert!(body.contains(fact), "no {fact:?} in {body}");
    }
}

#[tokio::test(start_paused = true)]
async fn four_hundred_prompts_on_a_16k_window_end_with_the_facts_at_hand() {
    let (server, events) = run_long(Format::Chat, 400, words).await;
    let done = compactions(&events);
    // About 210,000 tokens pass through. Each compaction leaves at least a quarter
    // of the space of some 10,500 tokens free, most of them more than a third.
    assert!(done.len() >= 15, "{}", done.len());
    assert!(done.len() <= 60, "{} compactions", done.len());
    for compacted in &done {
        assert!(
            compacted.tokens_after * 10 <= compacted.tokens_before * 9,
            "{} -> {}",
            compacted.tokens_before,
            compacted.tokens_after
        );
    }
    assert_eq!(server.refused(), 0, "the window was never exceeded");
    assert!(server.most() <= 16_384);
    assert_eq!(
        server.breaks(),
        done.len(),
        "the prefix breaks only so often"
    );
    assert_eq!(server.warm(), server.summaries().len(), "a cold question");
    holds_the_facts(&server.last());
}

#[tokio::test(start_paused = true)]
async fn in_every_format_signed_thoughts_survive_a_cut() {
    for format in Format::ALL {
        let (server, events) = run_long(format, 60, words).await;
        let done = compactions(&events);
        assert!(done.len() >= 2, "{format:?}: {}", done.len());
        assert_eq!(server.breaks(), done.len(), "{format:?}");
        assert_eq!(server.refused(), 0, "{format:?}");
        holds_the_facts(&server.last());
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_said_at_the_beginning_is_not_crowded_out_by_what_binds_more() {
    let (server, _) = run_long(Format::Chat, 160, strict).await;
    holds_the_facts(&server.last());
}
