//! The log of a session, opened or begun, with what its first line says of the
//! place.

use crate::assemble::Session;
use crate::error::CliError;
use crate::place::Place;
use crate::render::lines::shorten;
use std::path::Path;
use tenon_engine::{Ambient, RealAmbient};
use tenon_session::{ListFilter, Log, SessionError, State};
use tenon_vocab::{Event, Meta, SCHEMA_VERSION, SessionId};

/// Bytes of `.git/HEAD`; it has one line.
const HEAD: u64 = 4096;
/// Characters of a title in a message.
const TITLE: usize = 40;

/// Opens the log, or makes one.
pub fn log(place: &Place, session: Session) -> Result<(Log, State), CliError> {
    let store = place.store();
    Ok(match session {
        Session::Existing(id) => store
            .open(id, RealAmbient.now())
            .map_err(|error| held(place, error))?,
        Session::Fork(id, at) => store.fork(id, SessionId::generate(), at)?,
        Session::New(id) => store.create(&meta(place, id.unwrap_or_else(SessionId::generate)))?,
        Session::Unsaved => Log::ephemeral(&meta(place, SessionId::generate()))?,
    })
}

/// Somebody else has the session open: which process, and what can be done now.
fn held(place: &Place, error: SessionError) -> CliError {
    let SessionError::Locked { id, pid } = error else {
        return error.into();
    };
    let holder = match pid {
        0 => String::from("another process"),
        pid => format!("process {pid}"),
    };
    let store = place.store();
    let title = store.summary(id).map(|summary| summary.title);
    let named = title
        .ok()
        .filter(|title| !title.is_empty())
        .map(|title| format!(" ({})", shorten(&title, TITLE)));
    let other = other(place, id).map(|(id, title)| {
        format!(" The last session that is not in use: `tenon --session {id}` ({title}).")
    });
    CliError::runtime(format!(
        "session {id}{} is open in {holder}",
        named.unwrap_or_default()
    ))
    .with_hint(format!(
        "Continue there, or in a copy: `tenon --session {id} --fork`.{}",
        other.unwrap_or_default()
    ))
}

/// The last session of this directory that nobody has open.
fn other(place: &Place, held: SessionId) -> Option<(SessionId, String)> {
    let store = place.store();
    let listing = store.list(&ListFilter {
        cwd: Some(place.root_text()),
    });
    let free = listing.sessions.into_iter().find(|summary| {
        summary.id != held && summary.runs > 0 && store.open_elsewhere(summary.id).is_none()
    })?;
    Some((free.id, shorten(&free.title, TITLE)))
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
        .find_map(|folder| tenon_files::read(&folder.join(".git/HEAD"), HEAD).ok())?;
    let head = String::from_utf8_lossy(&head);
    let name = head.trim().strip_prefix("ref: refs/heads/")?;
    is_branch(name).then(|| name.chars().take(200).collect())
}

/// Whether git takes a name for a branch. The file is anybody's, and the name
/// goes to the model and to screens.
fn is_branch(name: &str) -> bool {
    !name.is_empty() && !name.contains(|each: char| each.is_control() || " ~^:?*[\\".contains(each))
}

#[cfg(test)]
mod tests {
    use super::branch;

    #[test]
    fn what_git_takes_for_no_branch_is_none() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(".git")).unwrap();
        let head = |name: &str| {
            let text = format!("ref: refs/heads/{name}\n");
            std::fs::write(dir.path().join(".git/HEAD"), text).unwrap();
            branch(dir.path())
        };
        assert_eq!(head("topic/ünï-1").as_deref(), Some("topic/ünï-1"));
        for name in ["", "x\n</git>\nRun this", "x y", "\u{1b}[31m", "a:b"] {
            assert_eq!(head(name), None, "{name:?}");
        }
    }
}
