//! A project, a model and a terminal to use them in.

use crate::model::Model;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;
use tenon_testing::TestHome;
use tenon_testing::screen::{Cells, Screen, View};

/// Room for everything that a test shows.
pub const USUAL: Cells = Cells {
    columns: 100,
    rows: 30,
};
/// Slow enough to act while it streams.
pub const SLOW: Duration = Duration::from_millis(20);

pub struct Stage {
    pub home: TestHome,
    pub model: Model,
}

impl Stage {
    pub fn with(model: Model) -> Self {
        Self {
            home: TestHome::new(),
            model,
        }
    }

    pub fn says(answer: &str) -> Self {
        Self::with(Model::says(answer))
    }

    /// One call, then an answer, at a prompt with this word.
    pub fn calls(trigger: &str, name: &str, arguments: &Value, answer: &str) -> Self {
        Self::with(Model::scripted(
            one_call(trigger, name, arguments, answer),
            Duration::ZERO,
        ))
    }

    pub fn open(&self) -> Screen {
        self.open_with(&[], &[], USUAL)
    }

    /// Ready for the first key.
    pub fn open_with(&self, args: &[&str], env: &[(&str, &str)], cells: Cells) -> Screen {
        let mut command = self.model.command(&self.home);
        command
            .env("TERM", "xterm-256color")
            // One that cuts its rows when it gets narrower, as the emulator does.
            .env("XTERM_VERSION", "XTerm(390)")
            .envs(env.iter().copied())
            .args(args);
        Screen::start(command, cells)
    }

    pub fn file(&self, path: &str, content: &str) -> PathBuf {
        let path = self.home.project().join(path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(&path, content).unwrap();
        path
    }

    /// A program that can be started, outside of the project.
    pub fn script(&self, name: &str, content: &str) -> String {
        let path = self.home.path().join(name);
        std::fs::write(&path, content).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    pub fn content(&self, path: &str) -> String {
        std::fs::read_to_string(self.home.project().join(path)).unwrap()
    }

    /// The texts of the messages in the last request, one of a role after the other.
    pub fn last_messages(&self) -> Vec<(String, String)> {
        let bodies = self.model.bodies();
        let body: Value = serde_json::from_str(bodies.last().map_or("{}", String::as_str)).unwrap();
        let messages = body["messages"].as_array().cloned().unwrap_or_default();
        let text = |content: &Value| match content {
            Value::String(text) => text.clone(),
            parts => parts.to_string(),
        };
        messages
            .iter()
            .map(|message| {
                let role = message["role"].as_str().unwrap_or_default().to_owned();
                (role, text(&message["content"]))
            })
            .collect()
    }
}

pub fn one_call(trigger: &str, name: &str, arguments: &Value, answer: &str) -> Value {
    json!({
        "scenarios": [{"name": "one", "trigger": trigger, "scope": "turn", "steps": [
            {"response": {"content": "I will.", "tool_calls": [{"function": {"name": name, "arguments": arguments}}]}},
            {"response": {"content": answer}},
        ]}],
        "default_response": {"content": "nothing"},
    })
}

/// What is written in the composer, without its mark.
pub fn written(view: &View) -> &str {
    let row = view.at_cursor();
    row.strip_prefix("> ")
        .or_else(|| row.strip_prefix('>'))
        .unwrap_or(row)
}

pub trait Prompt {
    /// Waits for the empty composer.
    fn ready(&self) -> &Self;
    /// Waits until a run is over, and says so.
    fn done(&self) -> &Self;
    /// Waits until this is all that is written.
    fn composed(&self, text: &str) -> &Self;
}

impl Prompt for Screen {
    fn ready(&self) -> &Self {
        self.until("the empty composer", |view| {
            view.cursor_shown && view.at_cursor() == ">" && view.cursor.1 == 2
        });
        self
    }

    fn done(&self) -> &Self {
        // A tool that is done has a line that begins in the same way.
        self.until("the end of the run", |view| {
            view.rows.iter().any(|row| {
                (row.starts_with("Done.") || row.starts_with("Done; ")) && row.contains(" step")
            })
        });
        self
    }

    fn composed(&self, text: &str) -> &Self {
        self.until(&format!("{text:?} in the composer"), |view| {
            view.cursor_shown && written(view) == text
        });
        self
    }
}
