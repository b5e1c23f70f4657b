//! The binary with a program in front of it: commands in, events out.

use crate::model::Model;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use tenon_testing::TestHome;

/// A conversation. All lines that were read are kept.
pub struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    pub events: Vec<Value>,
}

impl Talk {
    pub fn start(home: &TestHome, model: &Model, args: &[&str]) -> Self {
        Self::of(model.command(home), args)
    }

    /// The same with a command that may have more than a model.
    pub fn of(mut command: Command, args: &[&str]) -> Self {
        let mut child = command
            .args(["exec", "--format", "json", "--input-format", "json"])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            events: Vec::new(),
        }
    }

    pub fn line(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
    }

    pub fn send(&mut self, command: &Value) {
        self.line(&command.to_string());
    }

    pub fn prompt(&mut self, text: &str) {
        self.send(&json!({"type": "prompt", "text": text}));
    }

    pub fn answer(&mut self, question: &Value, choice: &str, text: Option<&str>) {
        let mut command = json!({"type": "answer", "question": question["id"], "choice": choice});
        if let Some(text) = text {
            command["text"] = text.into();
        }
        self.send(&command);
    }

    /// Says no more.
    pub fn close(&mut self) {
        self.input = None;
    }

    /// The next event; `None` after the last one.
    pub fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        if self.output.read_line(&mut line).unwrap() == 0 {
            return None;
        }
        let event: Value = serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("{error}: a line that is no JSON: {line}"));
        self.events.push(event.clone());
        Some(event)
    }

    /// Reads until an event of this type, and gives it.
    #[track_caller]
    pub fn until(&mut self, kind: &str) -> Value {
        while let Some(event) = self.next() {
            if event["type"] == kind {
                return event;
            }
        }
        panic!("no `{kind}` in {:#?}", self.events);
    }

    /// Closes the input, reads the rest, and gives the exit code.
    pub fn end(&mut self) -> i32 {
        self.close();
        while self.next().is_some() {}
        self.child.wait().unwrap().code().unwrap_or(-1)
    }

    /// The events of a type, so far.
    pub fn all(&self, kind: &str) -> Vec<&Value> {
        self.events
            .iter()
            .filter(|event| event["type"] == kind)
            .collect()
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // It ends by itself when its input does; this is for a test that failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
