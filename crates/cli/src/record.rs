//! The log of a session, opened or begun, with what its first line says of the
//! place.

use crate::assemble::Session;
use crate::error::CliError;
use crate::place::Place;
use std::path::Path;
use tenon_engine::{Ambient, RealAmbient};
use tenon_session::{Log, State};
use tenon_vocab::{Event, Meta, SCHEMA_VERSION, SessionId};

/// Opens the log, or makes one.
pub fn log(place: &Place, session: Session) -> Result<(Log, State), CliError> {
    let store = place.store();
    Ok(match session {
        Session::Existing(id) => store.open(id, RealAmbient.now())?,
        Session::Fork(id, at) => store.fork(id, SessionId::generate(), at)?,
        Session::New(id) => store.create(&meta(place, id.unwrap_or_else(SessionId::generate)))?,
        Session::Unsaved => Log::ephemeral(&meta(place, SessionId::generate()))?,
    })
}

fn meta(place: &Place, id: SessionId) -> Event {
    Event {
        seq: 0,
        sub: None,
        ts: RealAmbient.now(),
        session: id,
        run: None,
        parent: None,
        agent: String::from("build"),
        kind: Meta {
            schema_version: SCHEMA_VERSION,
            id,
            cwd: place.root_text(),
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
            git_branch: branch(&place.root),
            forked_from: None,
        }
        .into(),
    }
}

/// The branch that is checked out, read from `.git/HEAD` without running git.
pub fn branch(root: &Path) -> Option<String> {
    let head = root
        .ancestors()
        .find_map(|folder| std::fs::read_to_string(folder.join(".git/HEAD")).ok())?;
    let name = head.trim().strip_prefix("ref: refs/heads/")?;
    Some(name.chars().take(200).collect())
}
