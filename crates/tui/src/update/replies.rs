//! Answers to what was asked: of the session and of the program around.

use super::{modes, say};
use crate::flow::Telling;
use crate::house::{Listing, Row};
use crate::overlay::chart;
use crate::overlay::pager::{From, Pager, Pieces};
use crate::shapes;
use crate::state::{Overlay, Purpose, State};
use crate::text::Role;
use std::rc::Rc;
use std::sync::Arc;
use tenon_vocab::{Event, Query, Reply, TableReply};

pub(super) fn reply(state: &mut State, query: &Query, reply: Reply) {
    match (query, reply) {
        (Query::Completion { line }, reply) => {
            let words = match reply {
                Reply::Words { words } => words,
                // Nobody asked for it by hand.
                Reply::Meter(_) | Reply::Table(_) | Reply::Unavailable { .. } => Vec::new(),
            };
            state.menu.words(line, words);
        }
        (_, Reply::Meter(meter)) => state.meter = Some(meter),
        (query, Reply::Table(table)) if purpose(query).is_some() => list(state, query, &table),
        (Query::Mcp, Reply::Table(table)) if !table.rows.is_empty() => {
            let source = move |columns: usize| shapes::table(&table, columns);
            let pager = Pager::new("MCP servers", Box::new(source), From::Start);
            state.open_page(pager);
        }
        (Query::Context, Reply::Table(table)) => {
            let lines = chart::context(&table, state.meter.as_ref(), state.size.columns);
            state.flow.show(lines);
        }
        (_, Reply::Table(table)) => show(state, &table),
        (_, Reply::Words { words }) => say(state, Role::Text, &words.join("\n")),
        (Query::Meter, Reply::Unavailable { .. }) => {}
        (_, Reply::Unavailable { reason }) => {
            // Nobody asked for it by hand.
            if *query == Query::Modes && !is_open(state, Purpose::Mode) {
                return;
            }
            if let Some(purpose) = purpose(query) {
                close(state, purpose);
            }
            say(state, Role::Warning, &format!("not available: {reason}"));
        }
    }
}

fn show(state: &mut State, table: &TableReply) {
    match &table.note {
        // It says what there is not.
        Some(note) if table.rows.is_empty() => say(state, Role::Text, note),
        _ => {
            let lines = shapes::table(table, state.size.columns);
            state.flow.show(lines);
        }
    }
}

/// What is picked from the answer to a query.
fn purpose(query: &Query) -> Option<Purpose> {
    match query {
        Query::Models | Query::ModelsOf { .. } => Some(Purpose::Model),
        Query::Providers => Some(Purpose::Provider),
        Query::Agents => Some(Purpose::Agent),
        Query::Modes => Some(Purpose::Mode),
        _ => None,
    }
}

/// The list that was waited for, if it still is.
fn list(state: &mut State, query: &Query, table: &TableReply) {
    if *query == Query::Modes {
        modes::known(state, table);
    }
    let Some(wanted) = purpose(query).filter(|wanted| is_open(state, *wanted)) else {
        return;
    };
    let rows: Vec<(Use, Row)> = table.rows.iter().map(|cells| row(cells)).collect();
    if rows.is_empty() {
        close(state, wanted);
        return show(state, table);
    }
    let in_use = rows.iter().find(|(used, _)| *used == Use::Now);
    let in_use = in_use.map(|(_, row)| row.id.clone());
    fill(
        state,
        wanted,
        rows.into_iter().map(|(_, row)| row).collect(),
    );
    if let Some(Overlay::Pick(picker, _)) = &mut state.overlay {
        picker.remark(table.note.clone());
        if let Some(id) = in_use {
            picker.select(&id);
        }
    }
}

/// Whether something is in use.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Now,
    Not,
}

/// The first cell marks what is in use and the second names it; a cell that is
/// empty is passed over.
fn row(cells: &[String]) -> (Use, Row) {
    const IN_USE: &str = "in use";
    let used = match cells.first().map(String::as_str) {
        Some("*") => Use::Now,
        _ => Use::Not,
    };
    let id = cells.get(1).cloned().unwrap_or_default();
    let more = cells.iter().skip(2).map(String::as_str);
    let mut more: Vec<&str> = more.filter(|cell| !cell.is_empty()).collect();
    if used == Use::Now && !more.contains(&IN_USE) {
        more.push(IN_USE);
    }
    let detail = more.join("  ");
    let label = id.clone();
    (used, Row { id, label, detail })
}

fn is_open(state: &State, wanted: Purpose) -> bool {
    matches!(&state.overlay, Some(Overlay::Pick(_, purpose)) if *purpose == wanted)
}

fn fill(state: &mut State, wanted: Purpose, rows: Vec<Row>) {
    if rows.is_empty() && is_open(state, wanted) {
        close(state, wanted);
        return say(state, Role::Dim, nothing_of(wanted));
    }
    if let Some(Overlay::Pick(picker, purpose)) = &mut state.overlay
        && *purpose == wanted
    {
        picker.fill(rows);
    }
}

/// A list without rows is a line.
fn nothing_of(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Resume => "No other session here.",
        Purpose::GoBack => "No prompt to go back to.",
        Purpose::Model => "No model is listed.",
        Purpose::Agent => "No agent can be chosen.",
        Purpose::Provider => "No provider is configured.",
        Purpose::Mode | Purpose::Theme => "There is nothing to choose.",
    }
}

fn close(state: &mut State, unwanted: Purpose) {
    if is_open(state, unwanted) {
        state.overlay = None;
        super::next_question(state);
    }
}

pub(super) fn listed(state: &mut State, listing: Listing, rows: Result<Vec<Row>, String>) {
    let purpose = match listing {
        Listing::Files => {
            return match rows {
                Ok(rows) => state.menu.files(Arc::from(rows)),
                Err(why) => state.menu.failed(&why),
            };
        }
        Listing::Sessions => Purpose::Resume,
        Listing::Prompts => Purpose::GoBack,
    };
    match rows {
        Ok(rows) => fill(state, purpose, rows),
        Err(why) => {
            close(state, purpose);
            say(state, Role::Error, &why);
        }
    }
}

/// Everything that was said, in full, on the other page.
pub(super) fn transcript(state: &mut State, events: Result<Vec<Arc<Event>>, String>) {
    state.busy = None;
    match events {
        Err(why) => say(state, Role::Error, &why),
        Ok(events) => {
            let now = state.now;
            let events: Rc<[Arc<Event>]> = Rc::from(events);
            let maker = move |columns| {
                let telling = Telling::new(Rc::clone(&events), columns, now);
                Box::new(telling) as Pieces
            };
            let pager = Pager::in_pieces("Transcript", Box::new(maker), From::End);
            state.open_page(pager);
        }
    }
}
