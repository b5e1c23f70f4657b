//! `sessions rename`: a title is a setting, so it is one more record of the log.

use crate::CommandResult;
use crate::error::CliError;
use crate::place::Place;
use crate::screen::complain;
use std::process::ExitCode;
use tenon_engine::{Ambient, RealAmbient, named};
use tenon_session::State;
use tenon_vocab::{Event, Printable, SessionId, Settings};

pub fn run(place: &Place, id: SessionId, title: &str) -> CommandResult {
    let title = named::title(title).map_err(CliError::usage)?;
    record(place, id, |settings| settings.title = Some(title.clone()))?;
    complain(&format!("{id} is now `{}`.", Printable::line(&title)));
    Ok(ExitCode::SUCCESS)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pin {
    On,
    Off,
}

/// `sessions pin`: a pinned session stays when old ones are removed.
pub fn pin(place: &Place, id: SessionId, pin: Pin) -> CommandResult {
    record(place, id, |settings| settings.pinned = pin == Pin::On)?;
    complain(&match pin {
        Pin::On => format!("{id} is kept when old sessions are removed."),
        Pin::Off => format!("{id} is removed when it gets old."),
    });
    Ok(ExitCode::SUCCESS)
}

fn record(
    place: &Place,
    id: SessionId,
    change: impl FnOnce(&mut Settings),
) -> Result<(), CliError> {
    let now = RealAmbient.now();
    let (mut log, state) = place.store().open(id, now)?;
    let mut settings = settings(&state);
    change(&mut settings);
    log.append(&Event {
        seq: log.next_seq(),
        sub: None,
        ts: now,
        session: id,
        run: None,
        parent: None,
        agent: settings.agent_name.clone(),
        kind: settings.into(),
    })?;
    Ok(log.sync()?)
}

/// Those that hold; a session that ended before its first run has none yet.
fn settings(state: &State) -> Settings {
    if let Some(known) = state.settings() {
        return known.clone();
    }
    let compiled = state.compiled();
    Settings {
        provider: compiled
            .map(|prefix| prefix.endpoint.clone())
            .unwrap_or_default(),
        model: compiled
            .map(|prefix| prefix.model.clone())
            .unwrap_or_default(),
        agent_name: String::from("build"),
        mode: String::from("single"),
        permission_mode: Default::default(),
        effort: None,
        title: None,
        pinned: false,
        add_dirs: Vec::new(),
        side: None,
    }
}
