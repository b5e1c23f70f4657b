//! A session from a document that somebody else may have written: our JSON
//! export, or a log of ours. It becomes a new session with a new id. Nothing in
//! it is believed: sizes are bounded, versions and numbers are checked, content
//! is taken only from the document itself and by its hash, no path in it is
//! followed, and what was written is verified like any log. If anything is not
//! as it must be, there is no session afterwards.

mod carried;
mod document;

use crate::log::Log;
use crate::recover::{Cause, closing_events};
use crate::{Finding, Leftovers, SessionError, State, Store, verify};
use carried::Carried;
use document::{Document, Form};
use serde::Deserialize;
use serde_json::Value;
use tenon_vocab::{
    ContextChange, Event, EventKind, Meta, Notice, NoticeLevel, RunId, SCHEMA_VERSION, SessionId,
    Timestamp,
};

/// The kind of the note that stands after what was taken in.
pub(crate) const IMPORTED: &str = "imported";
/// Records of one session, at most.
const RECORDS: usize = 1_000_000;
/// No session is older: 2000-01-01.
const OLDEST: i64 = 946_684_800;
/// Clocks differ by less.
const DAY: i64 = 86_400;

#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error(
        "this isn't an exported session: {0}. Import what `tenon sessions export --format json` \
         writes."
    )]
    NotASession(String),
    #[error(
        "the document has format version {found}; this Tenon knows version {known}. Update tenon \
         to import it."
    )]
    NewerFormat { found: u64, known: u64 },
    #[error(
        "the session was written by a newer Tenon (schema version {found}; this one knows up to \
         {known}). Update tenon to import it."
    )]
    NewerSchema { found: u64, known: u32 },
    #[error("can't import record {index}: {reason}. Nothing was imported.")]
    Record { index: usize, reason: String },
    #[error("the records don't make a complete session: {}. Nothing was imported.", listed(.0))]
    NotWhole(Vec<Finding>),
    #[error(transparent)]
    Session(#[from] SessionError),
}

fn listed(findings: &[Finding]) -> String {
    const SHOWN: usize = 3;
    let mut said: Vec<String> = findings
        .iter()
        .take(SHOWN)
        .map(ToString::to_string)
        .collect();
    if findings.len() > SHOWN {
        said.push(format!("and {} more", findings.len() - SHOWN));
    }
    said.join("; ")
}

/// What the new session is.
#[derive(Debug, Clone)]
pub struct Target {
    pub id: SessionId,
    /// The root that it belongs to from now on.
    pub cwd: String,
    pub now: Timestamp,
}

/// What was taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    pub id: SessionId,
    /// As the document has it.
    pub from: SessionId,
    /// Where it was held.
    pub cwd: String,
    pub records: u64,
    /// Pieces of content that the document refers to and does not hold.
    pub missing: u32,
}

impl Store {
    /// Makes a session from the bytes of a document.
    ///
    /// # Errors
    /// When it is no document of ours, of a newer version, or not whole.
    pub fn import(&self, bytes: &[u8], target: &Target) -> Result<Imported, ImportError> {
        let document = Document::read(bytes)?;
        if document.records.len() > RECORDS {
            return Err(ImportError::NotASession(format!(
                "it has more than {RECORDS} records"
            )));
        }
        let (first, origin) = first(&document, target)?;
        let (log, state) = self.create(&first)?;
        let mut intake = Intake {
            carried: Carried::new(&document.content, log.blobs()),
            log,
            state,
            target,
        };
        let filled = intake.fill(&document, &origin);
        let missing = intake.carried.missing();
        let records = intake.log.next_seq();
        drop(intake);
        let whole = filled.and_then(|()| self.check(target.id));
        if let Err(error) = whole {
            // The error is what counts; a rest of it is only untidy.
            let _ = self.delete(target.id);
            return Err(error);
        }
        Ok(Imported {
            id: target.id,
            from: origin.id,
            cwd: origin.cwd,
            records,
            missing,
        })
    }

    fn check(&self, id: SessionId) -> Result<(), ImportError> {
        let findings = verify(&self.read(id)?)?;
        if findings.is_empty() {
            Ok(())
        } else {
            Err(ImportError::NotWhole(findings))
        }
    }
}

/// The first record as it is written, and as it was.
fn first(document: &Document<'_>, target: &Target) -> Result<(Event, Meta), ImportError> {
    let no_meta = || ImportError::NotASession(String::from("its first record isn't `meta`"));
    let value = document.value(0)?;
    if value["type"] != "meta" {
        return Err(no_meta());
    }
    // Before its shape: that of a newer version may not be readable at all.
    match value["schema_version"].as_u64() {
        None => return Err(no_meta()),
        Some(found) if found > u64::from(SCHEMA_VERSION) => {
            return Err(ImportError::NewerSchema {
                found,
                known: SCHEMA_VERSION,
            });
        }
        Some(_) => {}
    }
    let mut event = event(0, value)?;
    let seconds = event.ts.as_second();
    if !(OLDEST..=target.now.as_second() + DAY).contains(&seconds) {
        return Err(refused(
            0,
            format!("its time, {}, is out of range", event.ts),
        ));
    }
    event.session = target.id;
    let EventKind::Meta(meta) = &mut event.kind else {
        return Err(no_meta());
    };
    let origin = meta.clone();
    meta.id = target.id;
    meta.cwd.clone_from(&target.cwd);
    Ok((event, origin))
}

fn refused(index: usize, reason: impl Into<String>) -> ImportError {
    ImportError::Record {
        index,
        reason: reason.into(),
    }
}

fn event(index: usize, value: Value) -> Result<Event, ImportError> {
    let event: Event =
        serde_json::from_value(value).map_err(|error| refused(index, error.to_string()))?;
    if event.seq != index as u64 {
        return Err(refused(index, format!("it is numbered {}", event.seq)));
    }
    if event.sub.is_some() || !event.is_durable() {
        let name: String = event.kind.name().chars().take(40).collect();
        return Err(refused(index, format!("`{name}` doesn't belong in a log")));
    }
    Ok(event)
}

/// The fields of every record; a snapshot has no others in a document.
#[derive(Deserialize)]
struct Envelope {
    seq: u64,
    ts: Timestamp,
    #[serde(default)]
    run: Option<RunId>,
    #[serde(default)]
    parent: Option<RunId>,
    agent: String,
}

struct Intake<'a> {
    carried: Carried<'a>,
    log: Log,
    state: State,
    target: &'a Target,
}

impl Intake<'_> {
    fn fill(&mut self, document: &Document<'_>, origin: &Meta) -> Result<(), ImportError> {
        for index in 1..document.records.len() {
            let value = document.value(index)?;
            let event = if value["type"] == "snapshot" {
                self.snapshot(index, value)?
            } else {
                let mut event = event(index, value)?;
                event.session = self.target.id;
                self.tame(index, &mut event.kind)?;
                event
            };
            self.append(&event)?;
        }
        if document.form == Form::Log {
            self.carried.count_moved(&document.records);
        }
        let next = self.log.next_seq();
        let left = Leftovers::default();
        for event in closing_events(self.state.open(), &left, next, self.target.now, Cause::Fork) {
            self.append(&event)?;
        }
        self.say_origin(origin)?;
        Ok(self.log.sync()?)
    }

    fn append(&mut self, event: &Event) -> Result<(), ImportError> {
        let offset = self.log.append(event)?;
        self.state.apply(event, offset);
        Ok(())
    }

    /// Made anew: it holds offsets of the file that it stands in.
    fn snapshot(&self, index: usize, value: Value) -> Result<Event, ImportError> {
        let envelope: Envelope =
            serde_json::from_value(value).map_err(|error| refused(index, error.to_string()))?;
        if envelope.seq != index as u64 {
            return Err(refused(index, "its number isn't the next one"));
        }
        Ok(Event {
            seq: envelope.seq,
            sub: None,
            ts: envelope.ts,
            session: self.target.id,
            run: envelope.run,
            parent: envelope.parent,
            agent: envelope.agent,
            kind: self.state.snapshot().into(),
        })
    }

    /// Takes out what refers to something outside of the document, and refuses
    /// what refers to records that cannot be meant.
    fn tame(&mut self, index: usize, kind: &mut EventKind) -> Result<(), ImportError> {
        let past = |seq: u64| seq <= index as u64;
        match kind {
            EventKind::Meta(_) => return Err(refused(index, "a second `meta`")),
            EventKind::RunFinished(finished) => finished.snapshot = self.state.last_snapshot(),
            EventKind::Message(message) => self.carried.message(index, message)?,
            EventKind::ToolResult(result) => self.carried.result(result)?,
            EventKind::Settings(settings) => carried::forget_provider(settings),
            EventKind::Context(ContextChange::Compiled(compiled)) => {
                self.carried.compiled(compiled)?;
            }
            EventKind::Context(ContextChange::Compacted(compacted))
                if !past(compacted.kept_from) =>
            {
                return Err(refused(index, "it refers to a later record"));
            }
            EventKind::Context(ContextChange::Reverted(reverted)) if !past(reverted.before) => {
                return Err(refused(index, "it drops a later record"));
            }
            EventKind::Checkpoint(checkpoint) => {
                if checkpoint.to_seq.is_some_and(|seq| !past(seq)) {
                    return Err(refused(index, "it refers to a later record"));
                }
                carried::forget_files(checkpoint);
            }
            _ => {}
        }
        Ok(())
    }

    /// For whoever looks at it later; the model does not read notices.
    fn say_origin(&mut self, origin: &Meta) -> Result<(), ImportError> {
        let message = format!(
            "Imported from session {} (in {}, tenon {}). The earlier contents of files are not \
             included.",
            origin.id, origin.cwd, origin.program_version
        );
        let notice = Notice {
            level: NoticeLevel::Info,
            kind: String::from(IMPORTED),
            message,
            hint: None,
        };
        let agent = self.state.settings();
        let event = Event {
            seq: self.log.next_seq(),
            sub: None,
            ts: self.target.now,
            session: self.target.id,
            run: None,
            parent: None,
            agent: agent.map_or_else(|| String::from("build"), |known| known.agent_name.clone()),
            kind: notice.into(),
        };
        self.append(&event)
    }
}
