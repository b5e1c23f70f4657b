//! What a server says is too long is made shorter, never just sent again; and a
//! server that is never content is given up on, with numbers.

use super::server::{Server, Setup, vague};
use super::{compactions, start, world};
use crate::formats::Format;
use crate::models::Turn;
use crate::support::{notices, outcome, prompt, say, table};
use tenon_model::ModelErrorKind;
use tenon_vocab::{Command, EventKind, Outcome, Query, SessionId};

fn busy(step: usize, _: &str) -> Turn {
    if step.is_multiple_of(2) {
        let text = "word ".repeat(300);
        Turn::call(
            &format!("c{step}"),
            "look",
            &format!(r#"{{"text":"{text}"}}"#),
        )
    } else {
        Turn::text("Fine, and on we go.")
    }
}

#[tokio::test(start_paused = true)]
async fn a_window_that_nobody_told_is_learned_from_a_refusal() {
    let (world, id) = (world(), SessionId::generate());
    let setup = Setup {
        format: Format::Chat,
        window: 8_192,
        said: None,
    };
    let server = Server::new(setup, busy, vague);
    let mut handle = start(&world, id, &server);
    let mut events = Vec::new();
    for n in 0..40 {
        let some = prompt(&mut handle, &format!("Prompt {n}")).await;
        assert_eq!(outcome(&some), Outcome::Completed, "{n}");
        events.extend(some);
    }
    say(&mut handle, Command::Shutdown, |_| false).await;
    assert_eq!(server.refused(), 1, "it was learned");
    assert!(compactions(&events).len() >= 2);
    let retries = events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Retry(_)))
        .count();
    assert_eq!(retries, 0);
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn what_was_refused_is_known_after_a_resume_and_shown_as_the_limit() {
    let (world, id) = (world(), SessionId::generate());
    let setup = Setup {
        format: Format::Chat,
        window: 8_192,
        said: None,
    };
    let server = Server::new(setup, busy, vague);
    let mut done = 0;
    for n in 0..40 {
        let mut handle = start(&world, id, &server);
        let events = prompt(&mut handle, &format!("Prompt {n}")).await;
        assert_eq!(outcome(&events), Outcome::Completed, "{n}");
        done += compactions(&events).len();
        if done > 0 {
            let shown = table(&handle, Query::Context).await;
            let limit = shown.rows.iter().find(|row| row[0] == "limit").unwrap();
            assert!(limit[2].contains("refused a longer request"), "{limit:?}");
            let tokens: u64 = limit[1].parse().unwrap();
            assert!(tokens < 8_192, "{limit:?}");
        }
        say(&mut handle, Command::Shutdown, |_| false).await;
    }
    assert!(done >= 2, "{done}");
    assert_eq!(server.refused(), 1, "each resume knows it");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_always_says_too_long_stops_the_run_after_two_compactions() {
    let (world, id) = (world(), SessionId::generate());
    let setup = Setup {
        format: Format::Chat,
        window: 100_000,
        said: None,
    };
    let server = Server::new(
        setup,
        |step, body| match step {
            0..20 => busy(step, body),
            _ => Turn::default().fails(ModelErrorKind::ContextOverflow),
        },
        vague,
    );
    let mut handle = start(&world, id, &server);
    for n in 0..10 {
        prompt(&mut handle, &format!("Prompt {n}")).await;
    }
    let before = server.steps().len();
    let events = prompt(&mut handle, "One more.").await;
    say(&mut handle, Command::Shutdown, |_| false).await;
    assert_eq!(outcome(&events), Outcome::Failed);
    let done = compactions(&events).len();
    assert!((1..=2).contains(&done), "{done}");
    assert!(server.steps().len() - before <= 3);
    let said = notices(&events, "context_overflow");
    assert_eq!(said.len(), 1, "{said:?}");
    for part in [
        "What fills it",
        "system prompt ~",
        "tools ~",
        "summary ~",
        "tokens",
    ] {
        assert!(said[0].message.contains(part), "{said:?}");
    }
    assert!(
        said[0].hint.as_deref().unwrap().contains("/new"),
        "{said:?}"
    );
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_first_prompt_that_is_too_long_ends_with_what_fills_the_window() {
    let (world, id) = (world(), SessionId::generate());
    let server = Server::new(Setup::chat(4_096), busy, vague);
    let mut handle = start(&world, id, &server);
    let events = prompt(&mut handle, &"the quick brown fox ".repeat(1_200)).await;
    say(&mut handle, Command::Shutdown, |_| false).await;
    assert_eq!(outcome(&events), Outcome::Failed);
    assert!(compactions(&events).is_empty());
    assert!(server.summaries().is_empty());
    let said = notices(&events, "context_overflow");
    assert!(said[0].message.contains("last message ~"), "{said:?}");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn without_auto_nothing_happens_by_itself() {
    let (world, id) = (world(), SessionId::generate());
    let setup = Setup {
        format: Format::Chat,
        window: 8_192,
        said: None,
    };
    let server = Server::new(setup, busy, vague);
    let mut parts = super::parts(&world, id, &server);
    parts.context.compaction.auto = false;
    let mut handle = tenon_engine::Engine::start(id, parts);
    let mut last = Vec::new();
    for n in 0..40 {
        last = prompt(&mut handle, &format!("Prompt {n}")).await;
        assert!(compactions(&last).is_empty());
        if outcome(&last) != Outcome::Completed {
            break;
        }
    }
    say(&mut handle, Command::Shutdown, |_| false).await;
    let said = notices(&last, "context_overflow");
    assert!(
        said[0].hint.as_deref().unwrap().contains("/compact"),
        "{said:?}"
    );
}
