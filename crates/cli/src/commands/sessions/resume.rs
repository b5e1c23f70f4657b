//! `sessions resume`: on with a session, where it was held.

use crate::args::{Format, ResumeArgs, RunArgs, Shared};
use crate::assemble::Session;
use crate::commands::exec;
use crate::error::CliError;
use crate::place::Place;
use crate::screen::complain;
use crate::{CommandResult, prompt, repl};
use std::io::IsTerminal;
use std::path::PathBuf;
use tenon_session::ListFilter;
use tenon_vocab::{Printable, SessionId};

pub fn run(shared: &Shared, place: &Place, id: SessionId, args: &ResumeArgs) -> CommandResult {
    let shared = Shared {
        root: Some(root(shared, place, id)?),
        ..shared.clone()
    };
    let talk = args.prompt.is_none() && args.format == Format::Text;
    if talk && std::io::stdin().is_terminal() {
        return repl::resume(&shared, id, args);
    }
    let run = RunArgs {
        prompt: args.prompt.clone(),
        format: args.format,
        provider: args.provider.clone(),
        model: args.model.clone(),
        yes: args.yes,
        ..RunArgs::default()
    };
    let prompt = prompt::gather(&run)?
        .filter(|prompt| !prompt.trim().is_empty())
        .ok_or_else(|| {
            CliError::usage("there is no prompt")
                .with_hint("Give one with -p, or on standard input.")
        })?;
    exec::run_session(&shared, &run, prompt, Session::Existing(id))
}

/// The directory of the session, unless another one was asked for: paths in
/// what was said before, and the prompt itself, are about that one (N12).
fn root(shared: &Shared, place: &Place, id: SessionId) -> Result<PathBuf, CliError> {
    if shared.root.is_some() {
        return Ok(place.root.clone());
    }
    // The list knows it without reading the log, which may be long.
    let listing = place.store().list(&ListFilter::default());
    let summary = listing.sessions.iter().find(|summary| summary.id == id);
    let held = summary.map_or_else(|| place.root.clone(), |summary| PathBuf::from(&summary.cwd));
    if held == place.root {
        return Ok(held);
    }
    if !held.is_dir() {
        return Err(CliError::runtime(format!(
            "the directory of this session is gone: {}",
            held.display()
        ))
        .with_hint("Name the one to work in with --root DIR."));
    }
    complain(&format!(
        "This session belongs to {}; working there.",
        Printable::line(&held.to_string_lossy())
    ));
    Ok(held)
}
