//! Compaction between the calls of one prompt, and what is too long by itself.

use super::server::{Server, Setup, vague};
use super::{compactions, start, world};
use crate::models::Turn;
use crate::support::{notices, outcome, prompt, say};
use tenon_vocab::{Command, EventKind, Outcome, SessionId};

#[tokio::test(start_paused = true)]
async fn a_turn_of_forty_calls_is_made_shorter_between_two_calls() {
    let (world, id) = (world(), SessionId::generate());
    let server = Server::new(
        Setup::chat(16_384),
        |step, _| match step {
            0..40 => Turn::call(
                &format!("c{step}"),
                "read",
                &format!(r#"{{"path":"a_{step}.rs","bytes":4000}}"#),
            ),
            _ => Turn::text("All forty are read."),
        },
        vague,
    );
    let mut handle = start(&world, id, &server);
    let request = "Read all forty files and say what they have in common (R-41).";
    let events = prompt(&mut handle, request).await;
    say(&mut handle, Command::Shutdown, |_| false).await;
    assert_eq!(outcome(&events), Outcome::Completed);
    let done = compactions(&events);
    assert!((2..=14).contains(&done.len()), "{}", done.len());
    assert_eq!(server.refused(), 0);
    assert!(server.last().contains(request), "{}", server.last());
    // Calls and their results stay together: the strict validator saw to it.
    let results = events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::ToolResult(_)))
        .count();
    assert_eq!(results, 40);
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn old_outputs_go_before_anything_is_summarised() {
    let (world, id) = (world(), SessionId::generate());
    let server = Server::new(
        Setup::chat(32_768),
        |step, _| match step {
            0 => Turn::call("big", "read", r#"{"path":"big.rs","bytes":70000}"#),
            n if n % 2 == 1 => Turn::text("I have read it, and it is fine."),
            n => Turn::call(&format!("c{n}"), "look", r#"{"text":"x"}"#),
        },
        vague,
    );
    let mut handle = start(&world, id, &server);
    let mut events = Vec::new();
    for n in 0..10 {
        events.extend(
            prompt(
                &mut handle,
                &format!("Go on, {n}. {}", "please ".repeat(220)),
            )
            .await,
        );
    }
    say(&mut handle, Command::Shutdown, |_| false).await;
    let done = compactions(&events);
    assert_eq!(done.len(), 1, "{done:?}");
    assert!(done[0].summary.is_empty());
    assert_eq!(done[0].pruned.len(), 1);
    let line = &done[0].pruned[0].model_text;
    assert!(
        line.contains(r#"the output of read {"path":"big.rs","bytes":70000}, 70,000 bytes"#),
        "{line}"
    );
    assert!(server.summaries().is_empty(), "no model was asked");
    let said = notices(&events, "compacted");
    assert!(said[0].message.contains("1 long tool output"), "{said:?}");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_result_that_is_larger_than_the_window_is_taken_out_although_it_is_recent() {
    let (world, id) = (world(), SessionId::generate());
    let server = Server::new(
        Setup::chat(8_192),
        |step, _| match step {
            0 => Turn::call("huge", "read", r#"{"path":"huge.log","bytes":200000}"#),
            _ => Turn::text("It was too long to read at once; I read it in parts."),
        },
        vague,
    );
    let mut handle = start(&world, id, &server);
    let events = prompt(&mut handle, "What is in huge.log?").await;
    say(&mut handle, Command::Shutdown, |_| false).await;
    assert_eq!(outcome(&events), Outcome::Completed, "{events:?}");
    let last = server.last();
    assert!(last.contains("too long for the window"), "{last}");
    assert!(last.contains("huge.log"), "{last}");
    assert!(last.contains("What is in huge.log?"), "{last}");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_while_the_summary_is_written_leaves_the_history_as_it_was() {
    let (world, id) = (world(), SessionId::generate());
    let server = Server::new(
        Setup::chat(16_384),
        |step, _| {
            if step % 2 == 0 {
                Turn::call(
                    &format!("c{step}"),
                    "look",
                    &format!(r#"{{"text":"{}"}}"#, "word ".repeat(500)),
                )
            } else {
                Turn::text("Fine.")
            }
        },
        |n, body| {
            if n == 1 {
                Turn::default().hangs()
            } else {
                vague(n, body)
            }
        },
    );
    let mut handle = start(&world, id, &server);
    let mut stopped = false;
    for n in 0..30 {
        let command = Command::Prompt {
            text: format!("Prompt {n}"),
            attachments: Vec::new(),
        };
        handle.commands.send(command);
        let mut events = Vec::new();
        while let Some(event) = handle.events.next().await {
            let (asked, ended) = match &event.kind {
                EventKind::Notice(notice) => (notice.kind == "compacting", false),
                EventKind::RunFinished(_) => (false, true),
                _ => (false, false),
            };
            events.push(event);
            if asked && !stopped {
                stopped = true;
                handle.commands.send(Command::Interrupt);
            }
            if ended {
                break;
            }
        }
        if stopped {
            assert_eq!(outcome(&events), Outcome::Interrupted);
            assert!(compactions(&events).is_empty());
            break;
        }
        assert_eq!(outcome(&events), Outcome::Completed);
    }
    assert!(stopped, "no summary was asked for");
    let breaks = server.breaks();
    assert_eq!(breaks, 0);
    let events = prompt(&mut handle, "And on.").await;
    assert_eq!(outcome(&events), Outcome::Completed);
    assert_eq!(compactions(&events).len(), 1);
    say(&mut handle, Command::Shutdown, |_| false).await;
    world.verify(id);
}
