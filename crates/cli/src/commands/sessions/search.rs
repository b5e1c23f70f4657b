//! `sessions search`, and the same for `/search` and for a list that is asked for
//! a text: one way to look into what was said.

use super::list::{Form, Ids, Scope, age, none};
use crate::CommandResult;
use crate::commands::pages::{self, counted};
use crate::error::{CliError, code};
use crate::place::Place;
use crate::render::lines::shorten;
use crate::render::table::Table;
use crate::screen::complain;
use std::collections::HashSet;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use tenon_engine::{Ambient, RealAmbient};
use tenon_index::{Answer, Behind, Filter, Found, Freshness, Query, look_up};
use tenon_vocab::{Printable, SessionId};

/// Characters of a title beside what was found.
const TITLE: usize = 30;
/// Reading less than this is over before anybody wonders.
const MUCH: u64 = 50_000_000;

/// What to do with the index before it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Index {
    Update,
    Rebuild,
}

#[derive(Debug)]
pub struct Wanted {
    pub text: String,
    pub scope: Scope,
    pub index: Index,
}

/// Like `grep`, this fails when it finds nothing.
pub fn run(place: &Place, wanted: &Wanted, form: Form) -> CommandResult {
    let answer = find(place, wanted, Filter::default().most)?;
    let found = &answer.found;
    notes(&answer).iter().for_each(|note| complain(note));
    if form == Form::Json {
        pages::print_json(&found.hits)?;
    } else if !found.hits.is_empty() {
        pages::print(&page(place, found, terminal()))?;
    }
    more(found).iter().for_each(|more| complain(more));
    if found.hits.is_empty() {
        complain(nothing(wanted.scope));
        return Ok(ExitCode::from(code::RUNTIME));
    }
    Ok(ExitCode::SUCCESS)
}

/// As the line interface shows it.
pub fn shown(place: &Place, text: String, width: usize) -> Result<String, CliError> {
    let wanted = Wanted {
        text,
        scope: Scope::All,
        index: Index::Update,
    };
    let answer = find(place, &wanted, Filter::default().most)?;
    let found = &answer.found;
    let mut said = notes(&answer);
    if found.hits.is_empty() {
        said.push(String::from(nothing(Scope::All)));
        return Ok(said.join("\n"));
    }
    said.push(page(place, found, width).trim_end().to_owned());
    said.extend(more(found));
    said.push(String::from("/resume ID continues one."));
    Ok(said.join("\n"))
}

/// The sessions alone, all of them.
pub fn sessions(place: &Place, text: &str, scope: Scope) -> Result<HashSet<SessionId>, CliError> {
    let wanted = Wanted {
        text: text.to_owned(),
        scope,
        index: Index::Update,
    };
    let answer = find(place, &wanted, usize::MAX)?;
    notes(&answer).iter().for_each(|note| complain(note));
    Ok(answer.found.hits.iter().map(|hit| hit.session).collect())
}

fn find(place: &Place, wanted: &Wanted, most: usize) -> Result<Answer, CliError> {
    let query = Query::parse(&wanted.text).map_err(|error| CliError::usage(error.to_string()))?;
    let filter = Filter {
        cwd: (wanted.scope == Scope::Here).then(|| place.root_text()),
        most,
    };
    let freshness = match wanted.index {
        Index::Update => Freshness::Updated,
        Index::Rebuild => Freshness::Rebuilt,
    };
    Ok(look_up(
        &file(place),
        &place.store(),
        &query,
        &filter,
        freshness,
        &mut announce,
    ))
}

fn notes(answer: &Answer) -> Vec<String> {
    let notes = answer.notes.iter();
    notes
        .map(|note| format!("note: {}", Printable::line(note)))
        .collect()
}

/// A cache that may be deleted at any time.
fn file(place: &Place) -> PathBuf {
    place.paths.cache.join("sessions.db")
}

fn announce(behind: Behind) {
    if behind.bytes > MUCH && std::io::stderr().is_terminal() {
        complain(&format!(
            "Reading {} into the search index ({} MB). This happens once.",
            counted(behind.sessions, "session"),
            behind.bytes / 1_000_000
        ));
    }
}

fn nothing(scope: Scope) -> &'static str {
    match scope {
        Scope::All => none(Scope::All, true),
        Scope::Here => "no session in this directory has this text; leave out --here to search all",
    }
}

fn more(found: &Found) -> Option<String> {
    (found.more > 0).then(|| {
        format!(
            "{} more; another word narrows it down.",
            counted(found.more, "session")
        )
    })
}

/// Columns of standard output; a pipe has no end.
fn terminal() -> usize {
    rustix::termios::tcgetwinsize(std::io::stdout())
        .map(|size| usize::from(size.ws_col))
        .ok()
        .filter(|columns| *columns > 0)
        .unwrap_or(usize::MAX)
}

fn page(place: &Place, found: &Found, width: usize) -> String {
    let (now, ids) = (RealAmbient.now(), Ids::of(place.store().ids()));
    let mut table = Table::new(&["id", "last", "message", "title", "text"]);
    for hit in &found.hits {
        let number = hit.message.map(|number| number.to_string());
        table.row([
            ids.short(hit.session),
            age(hit.updated, now),
            number.unwrap_or_default(),
            shorten(&hit.title, TITLE),
            hit.snippet.text.clone(),
        ]);
    }
    let mut page = table.wrapped(width).join("\n");
    page.push('\n');
    page
}
