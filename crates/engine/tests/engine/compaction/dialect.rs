//! Summaries by a model that knows no form but that of its replies.

use super::server::{ASKS_FOR_SUMMARY, Server, Setup};
use super::{compactions, parts, world};
use crate::models::Turn;
use crate::support::{outcome, prompt, say};
use std::sync::Arc;
use tenon_engine::Engine;
use tenon_model::Model;
use tenon_model::dialect::Markdown;
use tenon_vocab::{Command, Compacted, Outcome, SessionId};

const SUMMARY: &str = "## Objective\nMake the parser fast. SUMMARY says what was done so far.";

fn reply(choice: &str, input: &str) -> Turn {
    Turn::text(&format!(
        "# Agent Response\n\n## Thoughts\nThe parser is slow, and I look at why that may be.\n\n## Tool Choice\n{choice}\n\n## Tool Input\n{input}\n"
    ))
}

fn busy(step: usize, _: &str) -> Turn {
    let text = "word ".repeat(400);
    match step % 4 {
        3 => reply("answer", "Fine, and on we go with the parser."),
        _ => reply("look", &format!("{{\"text\":\"{step} {text}\"}}")),
    }
}

async fn run(summary: fn() -> Turn) -> (Arc<Server>, Vec<Compacted>) {
    let (world, id) = (world(), SessionId::generate());
    let server = Server::new(Setup::chat(16_384), busy, move |_, _| summary());
    let mut parts = parts(&world, id, &server);
    parts.model = Arc::new(Markdown::new(Arc::clone(&server) as Arc<dyn Model>));
    let mut handle = Engine::start(id, parts);
    let mut done = Vec::new();
    for _ in 0..6 {
        let events = prompt(&mut handle, "Make the parser fast.").await;
        assert_eq!(outcome(&events), Outcome::Completed);
        done.extend(compactions(&events));
    }
    say(&mut handle, Command::Shutdown, |_| false).await;
    world.verify(id);
    assert!(!done.is_empty());
    (server, done)
}

#[tokio::test(start_paused = true)]
async fn a_summary_in_the_form_of_a_reply_comes_out_of_it() {
    for summary in [|| reply("answer", SUMMARY), || Turn::text(SUMMARY)] {
        let (_, done) = run(summary).await;
        let first = &done[0].summary;
        assert!(first.contains("<summary by=\"model\">"), "{first}");
        assert!(first.contains("SUMMARY says"), "{first}");
        assert!(
            !first.contains("## Tool") && !first.contains("# Agent"),
            "{first}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_calls_a_tool_or_cannot_be_read_is_no_summary() {
    for summary in [
        || reply("look", "{\"text\":\"more\"}"),
        || reply("look", "{\"text\":"),
        || reply("", SUMMARY),
    ] {
        let (_, done) = run(summary).await;
        let first = &done[0].summary;
        assert!(first.contains("<summary by=\"log\">"), "{first}");
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_is_said_to_have_been_interrupted_where_a_summary_is_asked_for() {
    let (server, _) = run(|| reply("answer", SUMMARY)).await;
    let asked = server.summaries();
    let behind_results = |body: &&String| body.contains("Tool result of");
    assert!(asked.iter().any(|body| behind_results(&body)), "in a run");
    for body in asked.iter().chain(&server.steps()) {
        assert!(!body.contains("(no reply"), "{body}");
    }
    let last = asked.iter().find(|body| body.contains("<tool_result>"));
    let (_, instruction) = last.unwrap().rsplit_once(ASKS_FOR_SUMMARY).unwrap();
    assert!(!instruction.contains("</user>"), "it is not the user's");
}
