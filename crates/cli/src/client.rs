//! A program in front instead of a person: commands of the vocabulary, one JSON
//! object a line on standard input (`--input-format json`).
//!
//! It reads and keeps count; what a command does is the engine's matter, and
//! events go out by the renderer.

use crate::images::{self, Limits};
use serde_json::Value;
use std::io::{BufRead, Read};
use tenon_vocab::{Answer, AnsweredBy, Choice, Command, EventKind, Part, QuestionId};
use tokio::sync::mpsc;

/// A line longer than this is a mistake, and is skipped to its end.
const LONGEST: u64 = 16 * 1024 * 1024;
/// Lines that are read ahead: a client that writes faster has to wait.
const AHEAD: usize = 8;
/// Runs that may be asked for and not begun.
const QUEUE: u32 = 1000;

/// One line of the client.
#[derive(Debug)]
pub enum Heard {
    Command(Box<Command>),
    /// Why the line is no command.
    Bad(String),
}

/// What the client says, and where the session stands for it.
#[derive(Debug)]
pub struct Client {
    heard: mpsc::Receiver<Heard>,
    input: Input,
    /// Questions that wait for an answer.
    open: Vec<QuestionId>,
    /// Runs that were asked for and have not begun.
    expected: u32,
    is_running: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    Open,
    Closed,
}

impl Client {
    /// Begins to read standard input, on a thread of its own.
    pub fn listen(images: Limits) -> Self {
        let (sender, heard) = mpsc::channel(AHEAD);
        // Not joined: it may stand in a read that only the end of the program ends.
        std::thread::spawn(move || {
            let mut stdin = std::io::stdin().lock();
            while let Some(heard) = read_line(&mut stdin, images) {
                if sender.blocking_send(heard).is_err() {
                    return;
                }
            }
        });
        Self {
            heard,
            input: Input::Open,
            open: Vec::new(),
            expected: 0,
            is_running: false,
        }
    }

    /// Waits for the first command that starts a run. `None` when the input
    /// ended before it. Other lines are given to `complain`.
    pub fn first(&mut self, mut complain: impl FnMut(&str)) -> Option<Command> {
        loop {
            match self.heard.blocking_recv()? {
                Heard::Bad(why) => complain(&why),
                Heard::Command(command) => match *command {
                    Command::Shutdown => return None,
                    command if starts_run(&command) => return Some(command),
                    _ => complain("nothing is running yet; send a prompt first"),
                },
            }
        }
    }

    /// The next line; `None` once, when the input ends.
    pub async fn next(&mut self) -> Option<Heard> {
        match self.input {
            Input::Open => {
                let heard = self.heard.recv().await;
                if heard.is_none() {
                    self.input = Input::Closed;
                }
                heard
            }
            Input::Closed => std::future::pending().await,
        }
    }

    /// A command is about to be sent.
    ///
    /// # Errors
    /// A sentence, when it must not be.
    pub fn sending(&mut self, command: &Command) -> Result<(), String> {
        let steers = matches!(command, Command::Steer { .. });
        if matches!(command, Command::Interrupt) && self.is_running {
            // The engine drops what was queued.
            self.expected = 0;
        }
        if starts_run(command) && !(steers && (self.is_running || self.expected > 0)) {
            if self.expected >= QUEUE {
                return Err(format!("{QUEUE} prompts are already waiting"));
            }
            self.expected += 1;
        }
        Ok(())
    }

    /// Notes an event; gives the answers that must be sent for a client that is
    /// gone: nobody can say yes any more.
    pub fn event(&mut self, kind: &EventKind) -> Vec<Answer> {
        match kind {
            EventKind::RunStarted(_) => {
                self.is_running = true;
                self.expected = self.expected.saturating_sub(1);
            }
            EventKind::RunFinished(_) => {
                self.is_running = false;
                self.open.clear();
            }
            EventKind::Question(asked) => self.open.push(asked.id.clone()),
            EventKind::Answer(answer) => self.open.retain(|id| *id != answer.question),
            _ => {}
        }
        match self.input {
            Input::Open => Vec::new(),
            Input::Closed => self.unanswered(),
        }
    }

    /// A no to every open question, from nobody.
    pub fn unanswered(&mut self) -> Vec<Answer> {
        std::mem::take(&mut self.open)
            .into_iter()
            .map(|question| Answer {
                question,
                choice: Choice::DENY.to_owned(),
                text: None,
                by: AnsweredBy::Nobody,
                call: None,
            })
            .collect()
    }

    /// Nothing runs, nothing is queued, and nothing more can come.
    pub fn is_done(&self) -> bool {
        self.input == Input::Closed && !self.is_running && self.expected == 0
    }
}

fn starts_run(command: &Command) -> bool {
    matches!(
        command,
        Command::Prompt { .. } | Command::Steer { .. } | Command::Shell { .. }
    )
}

/// The next line that holds something; `None` at the end.
fn read_line(input: &mut impl BufRead, images: Limits) -> Option<Heard> {
    loop {
        let mut line = Vec::new();
        let read = input.by_ref().take(LONGEST).read_until(b'\n', &mut line);
        match read {
            Ok(0) | Err(_) => return None,
            Ok(_) if line.len() as u64 == LONGEST && !line.ends_with(b"\n") => {
                skip_line(input);
                return Some(Heard::Bad(format!(
                    "a line of standard input is longer than {LONGEST} bytes; it was not read"
                )));
            }
            Ok(_) if line.trim_ascii().is_empty() => {}
            Ok(_) => {
                return Some(match parse(&line, images) {
                    Ok(command) => Heard::Command(Box::new(command)),
                    Err(why) => Heard::Bad(why),
                });
            }
        }
    }
}

/// Reads to the end of the line and keeps nothing of it.
fn skip_line(input: &mut impl BufRead) {
    loop {
        let (used, is_end) = match input.fill_buf() {
            Ok([]) | Err(_) => return,
            Ok(bytes) => match bytes.iter().position(|byte| *byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (bytes.len(), false),
            },
        };
        input.consume(used);
        if is_end {
            return;
        }
    }
}

fn parse(line: &[u8], images: Limits) -> Result<Command, String> {
    let said =
        |error: serde_json::Error| format!("a line of standard input isn't a command: {error}");
    let mut value: Value = serde_json::from_slice(line).map_err(said)?;
    // Who answers is known here and not the client's to say.
    if value["type"] == "answer"
        && let Some(fields) = value.as_object_mut()
    {
        fields.insert(String::from("by"), AnsweredBy::Client.name().into());
    }
    let attachments = attached(&mut value, images)?;
    let mut command: Command = serde_json::from_value(value).map_err(said)?;
    if let Command::Prompt {
        attachments: given, ..
    } = &mut command
    {
        *given = attachments;
    }
    match &command {
        Command::Prompt { text, .. } | Command::Steer { text } if text.trim().is_empty() => {
            Err(String::from("the prompt is empty"))
        }
        _ => Ok(command),
    }
}

/// The attachments of a prompt, each an image: `{"type": "image", "path": …}`
/// or `{"type": "image", "url": …}`.
fn attached(value: &mut Value, limits: Limits) -> Result<Vec<Part>, String> {
    let Some(given) = value
        .as_object_mut()
        .and_then(|fields| fields.remove("attachments"))
    else {
        return Ok(Vec::new());
    };
    let Some(given) = given.as_array() else {
        return Err(String::from("`attachments` isn't a list"));
    };
    images::too_many(given.len()).map_err(|error| error.message)?;
    given
        .iter()
        .map(|one| {
            let source = one["path"].as_str().or_else(|| one["url"].as_str());
            match source.filter(|_| one["type"] == "image") {
                Some(source) => images::attach(source, limits).map_err(|error| error.message),
                None => Err(String::from(
                    r#"an attachment looks like {"type":"image","path":"a.png"}, or has a `url`"#,
                )),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    const LIMITS: Limits = Limits {
        max_bytes: 1024,
        set_by: images::SetBy::Configuration,
    };

    fn heard(text: &str) -> Vec<Result<Command, String>> {
        let mut input = Cursor::new(text.as_bytes().to_vec());
        std::iter::from_fn(|| read_line(&mut input, LIMITS))
            .map(|heard| match heard {
                Heard::Command(command) => Ok(*command),
                Heard::Bad(why) => Err(why),
            })
            .collect()
    }

    #[test]
    fn an_answer_is_always_that_of_the_client() {
        let line = r#"{"type":"answer","question":"q_1","choice":"once","by":"flag"}"#;
        let [Ok(Command::Answer(answer))] = &heard(line)[..] else {
            panic!("no answer");
        };
        assert_eq!(answer.by, AnsweredBy::Client);
    }

    #[test]
    fn a_bad_line_is_said_and_the_next_one_is_read() {
        let lines = heard("{\n\n[]\n\u{0}\n{\"type\":\"fly\"}\n{\"type\":\"interrupt\"}");
        assert_eq!(lines.len(), 5);
        assert!(lines.iter().take(4).all(Result::is_err), "{lines:?}");
        assert_eq!(lines[4], Ok(Command::Interrupt));
    }

    #[test]
    fn a_line_without_end_is_skipped_and_not_kept() {
        let long = "x".repeat(usize::try_from(LONGEST).unwrap() + 100);
        let lines = heard(&format!("{long}\n{{\"type\":\"interrupt\"}}\n"));
        assert_eq!(lines.len(), 2);
        assert!(lines[0].as_ref().is_err_and(|why| why.contains("longer")));
        assert_eq!(lines[1], Ok(Command::Interrupt));
    }
}
