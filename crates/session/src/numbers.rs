//! The numbers by which people name messages (`sessions fork --at N`,
//! `sessions revert --to N`): one definition for all who count. Counted from 1,
//! in the order of the log: the messages of user and model that are or were in
//! the conversation, not those of child runs, and no results. Nothing that
//! happens later changes a number: not a compaction, and not a revert.

use crate::lines::Lines;
use crate::log::Log;
use crate::{Loaded, SessionError, Store};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::fs::File;
use std::io;
use tenon_vocab::{ContextChange, Event, EventKind, Message, Role, SessionId, Status};

/// Counts as the events come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Numbers(u32);

impl Numbers {
    /// Goes on behind the message with this number.
    #[must_use]
    pub fn after(number: u32) -> Self {
        Self(number)
    }

    /// The number that was given last; 0 before the first.
    #[must_use]
    pub fn last(self) -> u32 {
        self.0
    }

    /// The number of this message; `None` for all that has none.
    pub fn of(&mut self, event: &Event) -> Option<u32> {
        match &event.kind {
            EventKind::Message(message) if event.parent.is_none() && counts(message) => {
                Some(self.next())
            }
            _ => None,
        }
    }

    fn next(&mut self) -> u32 {
        self.0 = self.0.saturating_add(1);
        self.0
    }
}

fn counts(message: &Message) -> bool {
    is_counted(message.role, message.status, message.in_context)
}

fn is_counted(role: Role, status: Status, in_context: bool) -> bool {
    role != Role::Tool && status != Status::Abandoned && in_context
}

/// Number and seq of each message that has a number.
pub fn numbered<'a>(events: impl IntoIterator<Item = &'a Event>) -> Vec<(u32, u64)> {
    let mut numbers = Numbers::default();
    events
        .into_iter()
        .filter_map(|event| Some((numbers.of(event)?, event.seq)))
        .collect()
}

/// What the model no longer sees of the conversation, by the seq of the message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GivenUp {
    /// From and before: what a revert gave up, the later ones last.
    reverted: Vec<(u64, u64)>,
    /// Before this a summary stands for it.
    summarised: u64,
}

impl GivenUp {
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut given_up = Self::default();
        events.into_iter().for_each(|event| given_up.note(event));
        given_up
    }

    /// The next event of the log.
    pub fn note(&mut self, event: &Event) {
        match &event.kind {
            _ if event.parent.is_some() => {}
            EventKind::Context(ContextChange::Reverted(reverted)) => {
                self.reverted.push((reverted.before, event.seq));
            }
            EventKind::Context(ContextChange::Compacted(compacted)) => {
                self.summarised = self.summarised.max(compacted.kept_from);
            }
            _ => {}
        }
    }

    /// The earliest record that a revert gave up.
    pub(crate) fn first_reverted(&self) -> Option<u64> {
        self.reverted.iter().map(|(from, _)| *from).min()
    }

    #[must_use]
    pub fn reverted(&self, seq: u64) -> bool {
        self.reverted
            .iter()
            .any(|(from, before)| (*from..*before).contains(&seq))
    }

    #[must_use]
    pub fn summarised(&self, seq: u64) -> bool {
        seq < self.summarised
    }
}

impl Loaded {
    /// Number and seq of each message of the log that has a number.
    #[must_use]
    pub fn numbered(&self) -> Vec<(u32, u64)> {
        numbered(self.records.iter().map(|record| &record.event))
    }
}

impl Store {
    /// The same, read line by line: a log of any size is not held.
    ///
    /// # Errors
    /// When there is no such session or its file cannot be read.
    pub fn numbered(&self, id: SessionId) -> Result<Vec<(u32, u64)>, SessionError> {
        let place = self.place(id)?;
        tenon_files::open(&place.log)
            .and_then(|file| skim(&file))
            .map_err(|error| SessionError::io("read", &place.log, error))
    }
}

impl Log {
    /// The same for the log that is being written. Empty for a session that is
    /// not saved and no longer holds its beginning: nobody could count there.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn numbered(&self) -> Result<Vec<(u32, u64)>, SessionError> {
        if let Some((file, path)) = self.file() {
            return skim(file).map_err(|error| SessionError::io("read", path, error));
        }
        let held = self.read_from(0)?;
        let whole = held.first().is_some_and(|first| first.seq == 0);
        Ok(if whole { numbered(&held) } else { Vec::new() })
    }
}

/// What a message's line says of its number; its text is passed over.
#[derive(Deserialize)]
struct Skimmed<'a> {
    seq: u64,
    #[serde(default)]
    parent: Option<IgnoredAny>,
    #[serde(rename = "type", borrow)]
    name: Cow<'a, str>,
    role: Role,
    #[serde(default)]
    status: Status,
    #[serde(default = "yes")]
    in_context: bool,
}

fn yes() -> bool {
    true
}

const MARK: &str = r#""type":"message""#;

fn skim(file: &File) -> io::Result<Vec<(u32, u64)>> {
    let mut numbers = Numbers::default();
    let mut found = Vec::new();
    let mut lines = Lines::new(file, 0);
    while let Some(line) = lines.next_whole()? {
        let Ok(text) = std::str::from_utf8(&line.bytes) else {
            continue;
        };
        // A mere look first: most of a long log is results.
        if !text.contains(MARK) {
            continue;
        }
        let Ok(skimmed) = serde_json::from_str::<Skimmed<'_>>(text) else {
            continue;
        };
        if skimmed.name == "message"
            && skimmed.parent.is_none()
            && is_counted(skimmed.role, skimmed.status, skimmed.in_context)
        {
            found.push((numbers.next(), skimmed.seq));
        }
    }
    Ok(found)
}
