//! What was asked of models and what it cost, read out of the logs one line at a
//! time. Only the figures of a log are kept, so it does not matter how long they
//! are.

use crate::digest::first_record;
use crate::import::IMPORTED;
use crate::lines::Lines;
use crate::place::{self, Place};
use crate::{SessionError, Store};
use serde::Deserialize;
use std::path::PathBuf;
use tenon_vocab::{Cost, EventKind, Meta, SessionId, SideRequest, Timestamp, Usage};

/// One answer of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spent<'a> {
    pub session: SessionId,
    /// The directory of the session.
    pub cwd: &'a str,
    pub at: Timestamp,
    /// Empty where the log does not say.
    pub provider: &'a str,
    pub model: &'a str,
    pub usage: Usage,
    /// Absent where no price was known.
    pub cost: Option<Cost>,
}

impl Store {
    /// Tells `each` of every answer since a moment, session by session. Gives
    /// what could not be read, and why. Answers that a copy of a session has
    /// from the first one are told of once, and those that came in with an
    /// imported document not at all: somebody else had them.
    pub fn spending(
        &self,
        since: Option<Timestamp>,
        each: &mut dyn FnMut(&Spent<'_>),
    ) -> Vec<(PathBuf, String)> {
        let mut skipped = Vec::new();
        for found in place::all(self.root()) {
            let place = found.place();
            // A log that was not touched since then has nothing since then.
            let is_old = since
                .zip(place::modified(&place.log))
                .is_some_and(|(since, modified)| modified < since);
            if is_old {
                continue;
            }
            match self.spent_in(found.id, &place, since, each) {
                Ok(0) => {}
                Ok(lines) => skipped.push((
                    place.log,
                    format!("{lines} lines can't be read and are not counted"),
                )),
                Err(error) => skipped.push((place.log, error.to_string())),
            }
        }
        skipped
    }

    /// The number of lines that could not be read.
    fn spent_in(
        &self,
        id: SessionId,
        place: &Place,
        since: Option<Timestamp>,
        each: &mut dyn FnMut(&Spent<'_>),
    ) -> Result<u64, SessionError> {
        let say = |error| SessionError::io("read", &place.log, error);
        let file = tenon_files::open(&place.log).map_err(say)?;
        let first = first_record(&file, place)?;
        let EventKind::Meta(meta) = &first.kind else {
            return Err(SessionError::not_meta(&first));
        };
        let copied_to = self.copied_to(meta);
        let counts = |seq: u64, ts: Timestamp| {
            let told = copied_to.is_some_and(|copied| seq <= copied);
            !told && since.is_none_or(|since| ts >= since)
        };
        let (mut provider, mut model) = (String::new(), String::new());
        let mut paid: Vec<Paid> = Vec::new();
        let mut unreadable = 0;
        let mut lines = Lines::new(&file, 0);
        while let Some(line) = lines.next_whole().map_err(say)? {
            match read(&line.bytes) {
                Line::Other => {}
                Line::Unreadable => unreadable += 1,
                // All that stands before it came from elsewhere.
                Line::Imported => paid.clear(),
                Line::Settings(settings) => {
                    provider = settings.provider;
                    model = settings.model;
                    let Some(side) = settings.side else { continue };
                    if counts(settings.seq, settings.ts) {
                        paid.push(Paid {
                            at: settings.ts,
                            provider: side.provider,
                            model: side.model,
                            usage: side.usage,
                            cost: side.cost,
                        });
                    }
                }
                Line::Answer(answer) => {
                    let Some(usage) = answer.usage else { continue };
                    if !counts(answer.seq, answer.ts) {
                        continue;
                    }
                    paid.push(Paid {
                        at: answer.ts,
                        provider: provider.clone(),
                        model: model.clone(),
                        usage,
                        cost: answer.cost,
                    });
                }
            }
        }
        for paid in &paid {
            each(&Spent {
                session: id,
                cwd: &meta.cwd,
                at: paid.at,
                provider: &paid.provider,
                model: &paid.model,
                usage: paid.usage,
                cost: paid.cost,
            });
        }
        Ok(unreadable)
    }

    /// Up to where a log is a copy of another that is still there.
    fn copied_to(&self, meta: &Meta) -> Option<u64> {
        let fork = meta.forked_from.as_ref()?;
        self.exists(fork.session).then_some(fork.seq)
    }
}

/// What a log says of one answer. Held until its end, where it is known whether
/// it was imported.
struct Paid {
    at: Timestamp,
    provider: String,
    model: String,
    usage: Usage,
    cost: Option<Cost>,
}

#[derive(Deserialize)]
struct Said {
    #[serde(rename = "type")]
    name: String,
    kind: String,
}

/// Only these fields are looked at: the rest of a message may be long.
#[derive(Deserialize)]
struct Answer {
    seq: u64,
    ts: Timestamp,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    usage: Option<Usage>,
    #[serde(default)]
    cost: Option<Cost>,
}

#[derive(Deserialize)]
struct Settings {
    seq: u64,
    ts: Timestamp,
    #[serde(default)]
    side: Option<SideRequest>,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    parent: Option<serde::de::IgnoredAny>,
    provider: String,
    model: String,
}

enum Line {
    Settings(Settings),
    Answer(Answer),
    /// The note that an import leaves after what it took in.
    Imported,
    Other,
    Unreadable,
}

/// Most lines are passed over without being parsed. What stands in a string has
/// its quotes escaped; what stands in a value of a tool is found out by parsing.
fn read(line: &[u8]) -> Line {
    let Ok(text) = std::str::from_utf8(line) else {
        return Line::Unreadable;
    };
    if text.contains(r#""type":"message""#) && text.contains(r#""usage":{"#) {
        return match serde_json::from_str::<Answer>(text) {
            Ok(answer) if answer.kind == "message" => Line::Answer(answer),
            Ok(_) => Line::Other,
            Err(_) => Line::Unreadable,
        };
    }
    if text.contains(r#""type":"notice""#) && text.contains(r#""kind":"imported""#) {
        return match serde_json::from_str::<Said>(text) {
            Ok(said) if said.name == "notice" && said.kind == IMPORTED => Line::Imported,
            _ => Line::Other,
        };
    }
    if text.contains(r#""type":"settings""#) {
        return match serde_json::from_str::<Settings>(text) {
            // A child run's own settings are not the session's.
            Ok(settings) if settings.kind == "settings" && settings.parent.is_none() => {
                Line::Settings(settings)
            }
            _ => Line::Other,
        };
    }
    Line::Other
}
