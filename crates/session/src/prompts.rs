//! What the user typed in a session, with the numbers by which messages are
//! named: for whoever wants to go back to before one. Read line by line. What
//! Tenon put beside the words is left out.

use crate::lines::Lines;
use crate::log::Log;
use crate::record::decode;
use crate::{Blobs, GivenUp, Numbers, SessionError, Store};
use std::collections::VecDeque;
use std::fs::File;
use std::io;
use tenon_vocab::{Event, EventKind, Message, Origin, Part, Role, RunId, SessionId, marked};

/// Prompts that are remembered; the oldest are forgotten first.
const PROMPTS: usize = 1_000;

/// A message that the user began a run with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    pub number: u32,
    pub seq: u64,
    /// As it was typed.
    pub text: String,
    pub reach: Reach,
}

/// Whether the model still sees a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Seen,
    /// A summary stands for it.
    Summarised,
    /// A revert took it back.
    GivenUp,
}

impl Store {
    /// The last prompts of a session, the oldest first.
    ///
    /// # Errors
    /// When there is no such session or its file cannot be read.
    pub fn prompts(&self, id: SessionId) -> Result<Vec<Prompt>, SessionError> {
        let place = self.place(id)?;
        let blobs = Blobs::in_folder(place.blobs());
        tenon_files::open(&place.log)
            .and_then(|file| skim(&file, &blobs))
            .map_err(|error| SessionError::io("read", &place.log, error))
    }
}

impl Log {
    /// The same for the log that is being written; empty where its beginning is
    /// no longer held.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn prompts(&self) -> Result<Vec<Prompt>, SessionError> {
        if let Some((file, path)) = self.file() {
            return skim(file, &self.blobs())
                .map_err(|error| SessionError::io("read", path, error));
        }
        let mut gathered = Gathered::default();
        let held = self.read_from(0)?;
        if held.first().is_some_and(|first| first.seq == 0) {
            for event in held {
                gathered.take(event);
            }
        }
        Ok(gathered.finish())
    }
}

const WANTED: [&str; 3] = [
    r#""type":"message""#,
    r#""type":"run_started""#,
    r#""type":"context""#,
];

fn skim(file: &File, blobs: &Blobs) -> io::Result<Vec<Prompt>> {
    let mut gathered = Gathered::default();
    let mut lines = Lines::new(file, 0);
    while let Some(line) = lines.next_whole()? {
        // A mere look first: most of a long log is results.
        let event = std::str::from_utf8(&line.bytes)
            .ok()
            .filter(|text| WANTED.iter().any(|kind| text.contains(kind)))
            .and_then(|text| decode(text, blobs).ok());
        if let Some(event) = event {
            gathered.take(event);
        }
    }
    Ok(gathered.finish())
}

#[derive(Debug, Default)]
struct Gathered {
    numbers: Numbers,
    prompts: VecDeque<Prompt>,
    /// Changes of the conversation.
    changes: Vec<Event>,
    /// The run that began last, and what it was begun with.
    begun: Option<(RunId, String)>,
}

impl Gathered {
    fn take(&mut self, event: Event) {
        if event.parent.is_some() {
            return;
        }
        let number = self.numbers.of(&event);
        match (&event.kind, number) {
            (EventKind::RunStarted(started), _) => {
                self.begun = event.run.map(|run| (run, started.prompt.clone()));
            }
            (EventKind::Context(_), _) => self.changes.push(event),
            (EventKind::Message(message), Some(number)) if is_prompt(message) => {
                let begun = self.begun.as_ref();
                let begun = begun.filter(|(run, _)| Some(*run) == event.run);
                let text = typed(message, begun.map(|(_, prompt)| prompt.as_str()));
                if self.prompts.len() == PROMPTS {
                    self.prompts.pop_front();
                }
                self.prompts.push_back(Prompt {
                    number,
                    seq: event.seq,
                    text,
                    reach: Reach::Seen,
                });
            }
            _ => {}
        }
    }

    fn finish(self) -> Vec<Prompt> {
        let given_up = GivenUp::of(&self.changes);
        let mut prompts = Vec::from(self.prompts);
        for prompt in &mut prompts {
            if given_up.reverted(prompt.seq) {
                prompt.reach = Reach::GivenUp;
            } else if given_up.summarised(prompt.seq) {
                prompt.reach = Reach::Summarised;
            }
        }
        prompts
    }
}

/// Whether the user began a run with it.
#[must_use]
pub fn is_prompt(message: &Message) -> bool {
    message.role == Role::User && message.origin == Origin::User
}

/// A command of the user's own or a skill is typed by its name, which only the
/// beginning of the run has.
fn typed(message: &Message, begun: Option<&str>) -> String {
    let texts = message.parts.iter().filter_map(|part| match part {
        Part::Text { text } if marked::of(text).is_none() => Some(text.as_str()),
        _ => None,
    });
    let said = texts.collect::<Vec<_>>().join("\n").trim().to_owned();
    match begun.map(str::trim) {
        Some(begun) if begun.starts_with('/') && !said.starts_with(begun) => begun.to_owned(),
        _ => said,
    }
}
