//! `sessions delete`: gone is gone, so it is asked for.

use crate::CommandResult;
use crate::error::{CliError, code};
use crate::place::Place;
use crate::screen::complain;
use std::io::{BufRead, IsTerminal, Write};
use std::process::ExitCode;
use tenon_session::ListFilter;
use tenon_vocab::{Printable, SessionId};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    Yes,
    No,
}

pub fn run(place: &Place, id: SessionId, asking: Asking) -> CommandResult {
    if asking == Asking::Yes && !confirmed(place, id)? {
        complain("Nothing was deleted.");
        return Ok(ExitCode::from(code::RUNTIME));
    }
    place.store().delete(id)?;
    complain(&format!("Session {id} was deleted."));
    Ok(ExitCode::SUCCESS)
}

fn confirmed(place: &Place, id: SessionId) -> Result<bool, CliError> {
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return Err(
            CliError::usage("deleting a session needs a yes, and there is no one to ask")
                .with_hint(format!(
                    "Confirm with --yes: tenon sessions delete {id} --yes"
                )),
        );
    }
    let listing = place.store().list(&ListFilter::default());
    let title = listing
        .sessions
        .iter()
        .find(|summary| summary.id == id)
        .map(|summary| format!(", `{}`", Printable::line(&summary.title)))
        .unwrap_or_default();
    let mut stderr = std::io::stderr().lock();
    // A terminal that is gone answers nothing, which is a no.
    let _ = write!(stderr, "Delete session {id}{title} permanently? [y/N] ");
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}
