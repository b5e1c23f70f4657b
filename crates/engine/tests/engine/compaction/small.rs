//! Windows of 8k, 16k and 32k with a prompt and tools of usual size: a task with
//! three files is done in them, with at most two compactions (B6).

use super::server::{Server, Setup, vague};
use super::{compactions, parts, world};
use crate::formats::Format;
use crate::models::Turn;
use crate::support::{outcome, prompt, say};
use tenon_engine::{ContextParts, Engine};
use tenon_model::WindowSource;
use tenon_vocab::{Command, Outcome, SessionId};

/// Reads three files, edits each, runs the tests, and answers.
fn task(step: usize, _: &str) -> Turn {
    let file = |n: usize| format!("src/file_{n}.rs");
    let id = format!("c{step}");
    match step {
        0..3 => {
            let input = format!(r#"{{"path":"{}","bytes":2800}}"#, file(step));
            Turn::call(&id, "read", &input)
        }
        3..6 => {
            let input = format!(r#"{{"path":"{}","bytes":500}}"#, file(step - 3));
            Turn::call(&id, "edit", &input)
        }
        6 => Turn::call(&id, "bash", r#"{"command":"cargo test"}"#),
        _ => Turn::text("The three files are changed and the tests pass."),
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_with_three_files_needs_at_most_two_compactions_on_small_windows() {
    for window in [8_192, 16_384, 32_768] {
        let (world, id) = (world(), SessionId::generate());
        let setup = Setup {
            format: Format::Chat,
            window,
            said: Some(WindowSource::Server("/v1/models".into())),
        };
        let server = Server::new(setup, task, vague);
        let mut parts = parts(&world, id, &server);
        // With the tools, what a usual session begins with.
        let prompt_text = "You are a careful engineer. ".repeat(350);
        parts.context = ContextParts::of_prompt(&prompt_text);
        let mut handle = Engine::start(id, parts);
        let events = prompt(&mut handle, "Rename `open` to `open_file` in three files.").await;
        say(&mut handle, Command::Shutdown, |_| false).await;
        assert_eq!(outcome(&events), Outcome::Completed, "{window}");
        let done = compactions(&events).len();
        assert!(done <= 2, "{window}: {done} compactions");
        assert_eq!(server.refused(), 0, "{window}");
        let answered = server.steps().len();
        assert_eq!(answered, 8, "{window}: steps were asked for again");
        world.verify(id);
    }
}
