//! What a request looks like after a compaction, whole, with the prompt that comes
//! with Tenon, against a file that a person can read.

use super::server::{Server, Setup};
use super::{compactions, parts, world};
use crate::layout::{compare, environment, readable};
use crate::models::Turn;
use crate::support::{outcome, prompt, say};
use tenon_engine::prompt::{Briefing, RuleFile, Sourced, fragments};
use tenon_engine::{Engine, agents};
use tenon_vocab::{Command, EventKind, Outcome, SessionId, TodoItem, TodoStatus};

fn steps(step: usize, _: &str) -> Turn {
    match step {
        0 => Turn::call("c1", "read", r#"{"path":"src/lexer.rs","bytes":6000}"#),
        1 => {
            let todo = |text: &str, status| TodoItem {
                text: text.into(),
                status,
            };
            Turn {
                todo: Some(vec![
                    todo("port the parser", TodoStatus::InProgress),
                    todo("write the changelog", TodoStatus::Pending),
                ]),
                ..Turn::text("The lexer has 12 tokens. I begin with the parser.")
            }
        }
        2 => Turn::call("c2", "edit", r#"{"path":"src/parser.rs","bytes":300}"#),
        3 => Turn::text("The parser uses the new lexer."),
        4 => Turn::text("I have left vendor/ alone."),
        _ => Turn::text("Next comes the changelog."),
    }
}

fn summary(_: usize, _: &str) -> Turn {
    Turn::text(
        "## Objective\nPort the parser to the new lexer.\n\n## Work completed\n- src/parser.rs uses the new lexer.\n\n## Next steps\n- Write the changelog.",
    )
}

#[tokio::test(start_paused = true)]
async fn the_layout_of_a_request_after_a_compaction_is_as_written_down() {
    let (world, id) = (world(), SessionId::generate());
    let server = Server::new(Setup::chat(32_768), steps, summary);
    let mut parts = parts(&world, id, &server);
    parts.context.compaction.keep_turns = 1;
    let build = agents::built_in().into_iter().next().unwrap();
    parts.context.fragments = fragments(&Briefing {
        base: Sourced {
            source: "built-in",
            text: &build.prompt,
        },
        appended: &[],
        rules: &[RuleFile {
            path: "/project/AGENTS.md".into(),
            text: "Use tabs.\n".into(),
        }],
        instructions: &[],
        environment: &environment("/project"),
        skills: &[],
    })
    .0;
    let mut handle = Engine::start(id, parts);
    for text in [
        "Port the parser to the new lexer. The public API stays as it is.",
        "Go on with the parser.",
        "Never touch vendor/.",
    ] {
        let events = prompt(&mut handle, text).await;
        assert_eq!(outcome(&events), Outcome::Completed, "{text}");
    }
    let compact = Command::Compact { focus: None };
    let events = say(&mut handle, compact, |kind| {
        matches!(kind, EventKind::RunFinished(_))
    })
    .await;
    assert_eq!(compactions(&events).len(), 1);
    prompt(&mut handle, "What is next?").await;
    say(&mut handle, Command::Shutdown, |_| false).await;
    compare("compacted.txt", &readable(&server.last(), &world.root()));
}
