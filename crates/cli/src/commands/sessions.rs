//! `tenon sessions`: everything that is done with a session from outside of it.

mod decisions;
pub mod diff;
pub mod export;
pub mod fork;
mod import;
mod list;
mod printed;
mod remove;
mod rename;
mod restore;
mod resume;
mod revert;
pub mod search;
mod summarize;

use super::pages;
use crate::CommandResult;
use crate::args::{SessionsCommand, Shared};
use crate::error::{CliError, code};
use crate::place::Place;
use crate::screen::complain;
use list::Form;
pub use list::{Ids, Open, Scope, age};
use std::io;
use std::process::ExitCode;
use tenon_session::export::write_text;
use tenon_session::{ListFilter, Reading, Store, verify};
use tenon_vocab::{Printable, SessionId};

pub fn run(shared: &Shared, command: SessionsCommand) -> CommandResult {
    let place = Place::find(shared)?;
    match command {
        SessionsCommand::List { all, json, search } => {
            list::run(&place, scope(all), form(json), search)
        }
        SessionsCommand::Show {
            id,
            events: raw,
            decisions,
            json,
        } => {
            let id = choose(&place, id.as_deref(), Scope::Here)?;
            let what = match (raw, decisions) {
                (true, _) => return events(&place, id),
                (_, true) => Shown::Decisions(form(json)),
                (false, false) => Shown::Text,
            };
            show(&place.store().read(id)?, what)
        }
        SessionsCommand::Resume(wanted) => {
            let id = choose(&place, wanted.id.as_deref(), scope(wanted.all))?;
            resume::run(shared, id, &wanted.run)
        }
        SessionsCommand::Verify { id } => check(&place, id.as_deref()),
        SessionsCommand::Rename { id, title } => {
            rename::run(&place, place.store().find(&id)?, &title)
        }
        SessionsCommand::Fork { id, at } => {
            fork::run(&place, choose(&place, id.as_deref(), Scope::Here)?, at)
        }
        SessionsCommand::Revert {
            id,
            to,
            dry_run,
            yes,
        } => {
            let id = choose(&place, id.as_deref(), Scope::Here)?;
            let now = either(yes, revert::Doing::Now, revert::Doing::Asking);
            let doing = either(dry_run, revert::Doing::Looking, now);
            revert::run(&place, id, to, doing)
        }
        SessionsCommand::Search {
            words,
            here,
            json,
            rebuild,
        } => {
            let wanted = search::Wanted {
                text: words.join(" "),
                scope: scope(!here),
                index: either(rebuild, search::Index::Rebuild, search::Index::Update),
            };
            search::run(&place, &wanted, form(json))
        }
        SessionsCommand::Diff { id, stat } => {
            let form = either(stat, diff::Form::Stat, diff::Form::Patch);
            diff::run(&place, choose(&place, id.as_deref(), Scope::Here)?, form)
        }
        SessionsCommand::Summarize {
            id,
            deterministic,
            append,
        } => {
            let id = choose(&place, id.as_deref(), Scope::Here)?;
            let by = either(deterministic, summarize::By::Log, summarize::By::Model);
            let then = either(append, summarize::Then::Append, summarize::Then::Print);
            summarize::run(shared, &place, id, by, then)
        }
        SessionsCommand::Import { file } => import::run(&place, &file),
        SessionsCommand::Pin { id, off } => {
            let pin = either(off, rename::Pin::Off, rename::Pin::On);
            rename::pin(&place, place.store().find(&id)?, pin)
        }
        SessionsCommand::Delete { id, yes } => {
            let asking = either(yes, remove::Asking::No, remove::Asking::Yes);
            remove::run(&place, place.store().find(&id)?, asking)
        }
        SessionsCommand::Restore {
            id,
            paths,
            call,
            list,
            yes,
        } => {
            let now = either(yes, restore::Doing::Overwriting, restore::Doing::Restoring);
            let doing = either(list, restore::Doing::Listing, now);
            restored(&place, id, restore::Wanted { paths, call, doing })
        }
        SessionsCommand::Export {
            id,
            format,
            out,
            force,
        } => {
            let id = choose(&place, id.as_deref(), Scope::Here)?;
            let reading = place.store().read(id)?;
            let over = either(force, export::Over::Replace, export::Over::Never);
            export::write(&place, &reading, format, out.as_deref(), over)
        }
    }
}

/// One of two words for a flag.
fn either<T>(flag: bool, set: T, unset: T) -> T {
    if flag { set } else { unset }
}

fn restored(place: &Place, id: Option<String>, mut wanted: restore::Wanted) -> CommandResult {
    // What cannot be the beginning of an id is a path of the last session.
    let id = match id {
        Some(text) if !may_be_an_id(&text) => {
            wanted.paths.insert(0, text);
            None
        }
        id => id,
    };
    let id = choose(place, id.as_deref(), Scope::Here)?;
    restore::run(place, &place.store().read(id)?, &wanted)
}

fn may_be_an_id(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

fn form(json: bool) -> Form {
    either(json, Form::Json, Form::Table)
}

fn scope(all: bool) -> Scope {
    either(all, Scope::All, Scope::Here)
}

/// The session that is meant: by its id, else the last one (N9).
pub fn choose(place: &Place, id: Option<&str>, scope: Scope) -> Result<SessionId, CliError> {
    if let Some(text) = id {
        return Ok(place.store().find(text)?);
    }
    let root = place.root_text();
    let (of, none) = match scope {
        Scope::Here => (Some(root.as_str()), "there is no session in this directory"),
        Scope::All => (None, "there is no session"),
    };
    place.store().latest(of)?.ok_or_else(|| {
        CliError::runtime(none)
            .with_hint("`tenon sessions list --all` shows the sessions of every directory.")
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Text,
    Decisions(Form),
}

fn show(reading: &Reading, what: Shown) -> CommandResult {
    say_damaged(reading.id, reading.damage.lines);
    match what {
        Shown::Text => printed::print(|out| write_text(reading, out)),
        Shown::Decisions(form) => decisions::show(reading, form),
    }
}

pub fn say_damaged(id: SessionId, lines: usize) {
    let lines = match lines {
        0 => return,
        1 => String::from("A line"),
        many => format!("{many} lines"),
    };
    complain(&format!(
        "{lines} of this log can't be read; `tenon sessions verify {id}` says which."
    ));
}

/// The log as it stands, line by line.
fn events(place: &Place, id: SessionId) -> CommandResult {
    let store = place.store();
    // One of a newer version is refused by name.
    store.summary(id)?;
    let mut stream = store.stream(id, 0)?;
    let mut damaged = 0;
    let done = printed::print(|out| {
        while let Some(line) = stream.next_line().map_err(io::Error::other)? {
            if serde_json::from_str::<serde::de::IgnoredAny>(&line.text).is_err() {
                damaged += 1;
                continue;
            }
            writeln!(out, "{}", line.text)?;
        }
        Ok(())
    });
    say_damaged(id, damaged);
    done
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
    match store.read(id).and_then(|reading| verify(&reading)) {
        Ok(findings) => findings
            .iter()
            .map(|finding| format!("{id}: {finding}"))
            .collect(),
        Err(error) => vec![format!("{id}: {error}")],
    }
}
