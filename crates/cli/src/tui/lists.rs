//! What can be picked from: files, sessions, prompts. What takes long is
//! read on a thread of its own.

use super::house::Program;
use crate::error::CliError;
use crate::place::Place;
use crate::talk::{aside, lists};
use std::ops::ControlFlow;
use std::sync::Arc;
use tenon_tools::Workspace;
use tenon_tools::workspace::{EntryKind, WalkOptions, WorkspaceOptions};
use tenon_tui::house::{Listing, Row};
use tenon_vocab::{Event, SessionId, figures};

/// Paths that a mention is picked from.
const FILES: usize = 200_000;

pub async fn rows(program: &Program, what: Listing) -> Result<Vec<Row>, CliError> {
    let place = program.place();
    match what {
        Listing::Files => aside(move || files(&place)).await,
        Listing::Sessions => {
            let current = program.talk().ok().map(|talk| talk.id);
            aside(move || Ok(sessions(&place, current))).await
        }
        Listing::Prompts => {
            let id = kept(program, "its messages have no numbers")?;
            aside(move || prompts(&place, id)).await
        }
    }
}

/// The session that is open, if it is on the disk.
pub fn kept(program: &Program, so: &str) -> Result<SessionId, CliError> {
    program.talk()?.saved(so)
}

fn files(place: &Place) -> Result<Vec<Row>, CliError> {
    let workspace = Workspace::open(&place.root, WorkspaceOptions::default())
        .map_err(|error| CliError::runtime(error.to_string()))?;
    let options = WalkOptions {
        limit: FILES,
        ..WalkOptions::default()
    };
    let walk = workspace
        .walk(".", &options)
        .map_err(|error| CliError::runtime(error.to_string()))?;
    let mut rows = Vec::new();
    walk.each(|entry| {
        let mut path = walk.shown(entry);
        match entry.kind() {
            EntryKind::File => {}
            EntryKind::Folder => path.push('/'),
            _ => return ControlFlow::Continue(()),
        }
        rows.push(Row {
            id: path.clone(),
            label: path,
            detail: String::new(),
        });
        ControlFlow::Continue(())
    });
    Ok(rows)
}

/// All but the one that is talked to.
fn sessions(place: &Place, current: Option<SessionId>) -> Vec<Row> {
    let others = lists::sessions(place, current).into_iter();
    others
        .filter(|session| Some(session.id) != current)
        .map(|session| Row {
            id: session.id.to_string(),
            detail: format!(
                "{}  {}  {}  {}",
                session.last,
                figures::count(session.runs as usize, "run"),
                session.short,
                session.open
            )
            .trim_end()
            .to_owned(),
            label: session.title,
        })
        .collect()
}

fn prompts(place: &Place, id: SessionId) -> Result<Vec<Row>, CliError> {
    let rows = lists::prompts(place, id)?.into_iter().rev();
    Ok(rows
        .map(|prompt| Row {
            id: prompt.number.to_string(),
            label: prompt.text,
            detail: format!("message {}", prompt.number),
        })
        .collect())
}

/// All durable events of the session.
pub async fn transcript(program: &Program) -> Result<Vec<Arc<Event>>, CliError> {
    let id = kept(program, "there is no transcript")?;
    let place = program.place();
    aside(move || {
        let mut stream = place.store().stream(id, 0)?;
        let mut events = Vec::new();
        while let Some(line) = stream.next_line()? {
            events.extend(stream.decode(&line).map(Arc::new));
        }
        Ok(events)
    })
    .await
}
