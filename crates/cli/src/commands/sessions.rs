//! `tenon sessions`: everything that is done with a session from outside of it.

mod decisions;
mod list;
mod remove;
mod rename;
mod restore;
mod resume;

use super::pages;
use crate::CommandResult;
use crate::args::{ExportFormat, SessionsCommand, Shared};
use crate::error::{CliError, code};
use crate::place::Place;
use crate::screen::complain;
use list::{Form, Scope};
use std::path::Path;
use std::process::ExitCode;
use tenon_session::{ListFilter, Loaded, Store, export, verify};
use tenon_vocab::{Printable, SessionId};

pub fn run(shared: &Shared, command: SessionsCommand) -> CommandResult {
    let place = Place::find(shared)?;
    match command {
        SessionsCommand::List { all, json, search } => {
            let form = if json { Form::Json } else { Form::Table };
            list::run(&place, scope(all), form, search)
        }
        SessionsCommand::Show {
            id,
            events,
            decisions,
            json,
        } => {
            let id = choose(&place, id.as_deref(), Scope::Here)?;
            let what = match (events, decisions) {
                (true, _) => Shown::Events,
                (_, true) if json => Shown::Decisions(Form::Json),
                (_, true) => Shown::Decisions(Form::Table),
                (false, false) => Shown::Text,
            };
            show(&place.store().load(id)?, what)
        }
        SessionsCommand::Resume { id, all, run } => {
            let id = choose(&place, id.as_deref(), scope(all))?;
            resume::run(shared, id, &run)
        }
        SessionsCommand::Verify { id } => check(&place, id.as_deref()),
        SessionsCommand::Rename { id, title } => {
            let id = place.store().find(&id)?;
            rename::run(&place, id, &title)
        }
        SessionsCommand::Delete { id, yes } => {
            let id = place.store().find(&id)?;
            let asking = if yes {
                remove::Asking::No
            } else {
                remove::Asking::Yes
            };
            remove::run(&place, id, asking)
        }
        SessionsCommand::Restore {
            id,
            mut paths,
            call,
            list,
            yes,
        } => {
            // What cannot be the beginning of an id is a path of the last session.
            let id = match id {
                Some(text) if !may_be_an_id(&text) => {
                    paths.insert(0, text);
                    None
                }
                id => id,
            };
            let id = choose(&place, id.as_deref(), Scope::Here)?;
            let doing = match (list, yes) {
                (true, _) => restore::Doing::Listing,
                (false, true) => restore::Doing::Overwriting,
                (false, false) => restore::Doing::Restoring,
            };
            let wanted = restore::Wanted { paths, call, doing };
            restore::run(&place, &place.store().load(id)?, &wanted)
        }
        SessionsCommand::Export { id, format, out } => {
            let id = choose(&place, id.as_deref(), Scope::Here)?;
            write(&place.store().load(id)?, format, out.as_deref())
        }
    }
}

fn may_be_an_id(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

fn scope(all: bool) -> Scope {
    if all { Scope::All } else { Scope::Here }
}

/// The session that is meant: by its id, else the last one (N9).
pub fn choose(place: &Place, id: Option<&str>, scope: Scope) -> Result<SessionId, CliError> {
    if let Some(text) = id {
        return Ok(place.store().find(text)?);
    }
    let root = place.root_text();
    let (of, none) = match scope {
        Scope::Here => (Some(root.as_str()), "there is no session of this directory"),
        Scope::All => (None, "there is no session"),
    };
    place.store().latest(of)?.ok_or_else(|| {
        CliError::runtime(none)
            .with_hint("`tenon sessions list --all` shows those of every directory.")
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Text,
    Events,
    Decisions(Form),
}

fn show(loaded: &Loaded, what: Shown) -> CommandResult {
    if !loaded.damage.is_empty() {
        let lines = match loaded.damage.len() {
            1 => String::from("A line"),
            many => format!("{many} lines"),
        };
        complain(&format!(
            "{lines} of this log cannot be read; `tenon sessions verify {}` says which.",
            loaded.id
        ));
    }
    match what {
        Shown::Text => pages::print(&export::text(loaded)),
        Shown::Decisions(form) => decisions::show(loaded, form),
        Shown::Events => {
            let mut page = String::new();
            for record in &loaded.records {
                page.push_str(&record.line);
                page.push('\n');
            }
            pages::print_foreign(&page)
        }
    }
}

fn write(loaded: &Loaded, format: ExportFormat, out: Option<&Path>) -> CommandResult {
    let page = match format {
        ExportFormat::Md => export::markdown(loaded),
        ExportFormat::Json => serde_json::to_string_pretty(&export::json(loaded))
            .map_err(|error| CliError::runtime(format!("cannot be written as JSON: {error}")))?,
    };
    let Some(path) = out else {
        return pages::print_foreign(&page);
    };
    crate::screen::write_private(path, page.as_bytes()).map_err(|error| {
        CliError::runtime(format!("{} cannot be written: {error}", path.display()))
    })?;
    complain(&format!("Session {} is in {}.", loaded.id, path.display()));
    Ok(ExitCode::SUCCESS)
}

/// Checks one session, or all that are there.
fn check(place: &Place, id: Option<&str>) -> CommandResult {
    let store = place.store();
    let mut found = Vec::new();
    let ids = match id {
        Some(text) => vec![store.find(text)?],
        None => {
            let listing = store.list(&ListFilter::default());
            for (path, why) in &listing.skipped {
                found.push(format!("{}: {why}", path.display()));
            }
            listing.sessions.iter().map(|summary| summary.id).collect()
        }
    };
    let mut whole = 0;
    for id in ids {
        let wrong = findings(&store, id);
        whole += usize::from(wrong.is_empty());
        found.extend(wrong);
    }
    let mut page = String::new();
    for finding in &found {
        page.push_str(Printable::line(finding).as_str());
        page.push('\n');
    }
    let noun = if whole == 1 { "session" } else { "sessions" };
    pages::print(&format!("{page}whole: {whole} {noun}"))?;
    Ok(if found.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(code::RUNTIME)
    })
}

fn findings(store: &Store, id: SessionId) -> Vec<String> {
    match store.load(id) {
        Ok(loaded) => verify(&loaded)
            .iter()
            .map(|finding| format!("{id}: {finding}"))
            .collect(),
        Err(error) => vec![format!("{id}: {error}")],
    }
}
