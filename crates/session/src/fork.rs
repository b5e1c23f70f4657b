//! A copy of a session under a new id, to go on differently. The first session
//! is only read, so this also works while another process has it open (N13).

use crate::log::Log;
use crate::place::private_folder;
use crate::record::Record;
use crate::{Loaded, SessionError, State, Store};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tenon_vocab::{Event, EventKind, ForkPoint, SessionId};

impl Store {
    /// Copies the session `from` as `into` and opens the copy. What this version
    /// does not know in a record is copied as it stands.
    ///
    /// # Errors
    /// When `from` cannot be read whole, `into` is taken, or nothing can be written.
    pub fn fork(&self, from: SessionId, into: SessionId) -> Result<(Log, State), SessionError> {
        let source = self.load(from)?;
        if let Some((offset, reason)) = source.damage.first() {
            return Err(SessionError::Damaged {
                path: source.path.clone(),
                offset: *offset,
                reason: reason.clone(),
            });
        }
        let (mut log, mut state) = self.create(&first(&source, into)?)?;
        copy_content(&source.folder.join("blobs"), &log.folder()?.join("blobs"))?;
        for record in source.records.iter().skip(1) {
            copy(&mut log, &mut state, record, into)?;
        }
        for event in &source.virtual_tail {
            let event = Event {
                session: into,
                ..event.clone()
            };
            let offset = log.append(&event)?;
            state.apply(&event, offset);
        }
        log.sync()?;
        Ok((log, state))
    }
}

/// The `meta` of the copy, which says where it comes from.
fn first(source: &Loaded, into: SessionId) -> Result<Event, SessionError> {
    let seq = source.events().last().map_or(0, |event| event.seq);
    let Some(record) = source.records.first() else {
        return Err(SessionError::Empty {
            path: source.path.clone(),
        });
    };
    let mut event = record.event.clone();
    event.session = into;
    if let EventKind::Meta(meta) = &mut event.kind {
        meta.id = into;
        meta.forked_from = Some(ForkPoint {
            session: source.id,
            seq,
        });
    }
    Ok(event)
}

/// One record: its own line with another session id. Snapshots hold offsets of
/// the file that they stand in, so they are made anew.
fn copy(
    log: &mut Log,
    state: &mut State,
    record: &Record,
    into: SessionId,
) -> Result<(), SessionError> {
    let mut event = Event {
        session: into,
        ..record.event.clone()
    };
    let mut line: Value = serde_json::from_str(&record.line)?;
    line["session"] = Value::String(into.to_string());
    let offset = match &mut event.kind {
        EventKind::Snapshot(snapshot) => {
            *snapshot = state.snapshot();
            log.append(&event)?
        }
        EventKind::RunFinished(finished) => {
            finished.snapshot = state.last_snapshot();
            if let Some(fields) = line.as_object_mut() {
                fields.shift_remove("snapshot");
                if let Some(offset) = finished.snapshot {
                    fields.insert(String::from("snapshot"), offset.into());
                }
            }
            log.append_line(&event, line.to_string())?
        }
        _ => log.append_line(&event, line.to_string())?,
    };
    state.apply(&event, offset);
    Ok(())
}

/// Content is named by its hash and never changes, so a link is a copy.
fn copy_content(from: &Path, to: &Path) -> Result<(), SessionError> {
    let entries = match fs::read_dir(from) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(SessionError::io("read", from, error)),
    };
    private_folder(to)?;
    for entry in entries {
        let entry = entry.map_err(|error| SessionError::io("read", from, error))?;
        let target = to.join(entry.file_name());
        if fs::hard_link(entry.path(), &target).is_err() && !target.exists() {
            fs::copy(entry.path(), &target)
                .map_err(|error| SessionError::io("write", &target, error))?;
        }
    }
    Ok(())
}
