//! `sessions rename`: a title is a setting, so it is one more record of the log.

use crate::CommandResult;
use crate::error::CliError;
use crate::place::Place;
use crate::screen::complain;
use std::process::ExitCode;
use tenon_engine::{Ambient, RealAmbient};
use tenon_session::State;
use tenon_vocab::{Event, Printable, SessionId, Settings};

/// Characters of a title, at most.
const LONGEST: usize = 200;

pub fn run(place: &Place, id: SessionId, title: &str) -> CommandResult {
    // A title stands in lists: one line.
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    if title.is_empty() {
        return Err(CliError::usage("the title is empty"));
    }
    if title.chars().count() > LONGEST {
        return Err(CliError::usage(format!(
            "the title is longer than {LONGEST} characters"
        )));
    }
    let now = RealAmbient.now();
    let (mut log, state) = place.store().open(id, now)?;
    let settings = Settings {
        title: Some(title.clone()),
        ..settings(&state)
    };
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
    log.sync()?;
    complain(&format!("{id} is now `{}`.", Printable::line(&title)));
    Ok(ExitCode::SUCCESS)
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
        effort: None,
        title: None,
        pinned: false,
        side: None,
    }
}
