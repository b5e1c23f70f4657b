//! Answers to what was asked: of the session and of the program around.

use super::say;
use crate::flow::Flow;
use crate::house::{Listing, Row, Thinking};
use crate::overlay::chart;
use crate::overlay::pager::{From, Pager};
use crate::shapes;
use crate::state::{Files, Overlay, Purpose, State};
use crate::text::Role;
use std::sync::Arc;
use std::time::Instant;
use tenon_vocab::{Event, Query, Reply, TableReply};

pub(super) fn reply(state: &mut State, query: &Query, reply: Reply) {
    match (query, reply) {
        (_, Reply::Meter(meter)) => state.meter = Some(meter),
        (Query::Models, Reply::Table(table)) => models(state, &table),
        (Query::Context, Reply::Table(table)) => {
            let lines = chart::context(&table, state.meter.as_ref(), state.size.columns);
            state.flow.show(lines);
        }
        (_, Reply::Table(table)) => {
            let lines = shapes::table(&table, state.size.columns);
            state.flow.show(lines);
        }
        (_, Reply::Words { words }) => say(state, Role::Text, &words.join("\n")),
        (Query::Meter, Reply::Unavailable { .. }) => {}
        (_, Reply::Unavailable { reason }) => {
            if *query == Query::Models {
                close(state, Purpose::Model);
            }
            say(state, Role::Warning, &format!("not available: {reason}"));
        }
    }
}

/// The list that was waited for, if it still is.
fn models(state: &mut State, table: &TableReply) {
    let rows: Vec<Row> = table.rows.iter().map(|row| model(row)).collect();
    if rows.is_empty() {
        close(state, Purpose::Model);
        let lines = shapes::table(table, state.size.columns);
        return state.flow.show(lines);
    }
    fill(state, Purpose::Model, rows);
}

/// The first cell names the model; a mark of the current one may stand before.
fn model(cells: &[String]) -> Row {
    let mut cells = cells.iter().filter(|cell| !cell.is_empty());
    let first = cells.next().cloned().unwrap_or_default();
    let id = match first.as_str() {
        "*" => cells.next().cloned().unwrap_or_default(),
        _ => first,
    };
    Row {
        label: id.clone(),
        id,
        detail: cells.cloned().collect::<Vec<_>>().join("  "),
    }
}

fn fill(state: &mut State, wanted: Purpose, rows: Vec<Row>) {
    if let Some(Overlay::Pick(picker, purpose)) = &mut state.overlay
        && *purpose == wanted
    {
        picker.fill(rows);
    }
}

fn close(state: &mut State, unwanted: Purpose) {
    if matches!(&state.overlay, Some(Overlay::Pick(_, purpose)) if *purpose == unwanted) {
        state.overlay = None;
        super::next_question(state);
    }
}

pub(super) fn listed(state: &mut State, listing: Listing, rows: Result<Vec<Row>, String>) {
    let purpose = match listing {
        Listing::Files => {
            state.files = Files::There;
            return match rows {
                Ok(rows) => state.menu.files(Arc::from(rows)),
                Err(why) => state.menu.failed(&why),
            };
        }
        Listing::Sessions => Purpose::Resume,
        Listing::Prompts => Purpose::GoBack,
        Listing::Themes => Purpose::Theme,
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
            let source = move |columns: usize| whole(&events, columns, now);
            let pager = Pager::new("Transcript", Box::new(source), From::End);
            state.open_page(pager);
        }
    }
}

fn whole(events: &[Arc<Event>], columns: usize, now: Instant) -> Vec<crate::text::Line> {
    let mut flow = Flow::whole(Thinking::Whole);
    let mut lines = Vec::new();
    for event in events {
        flow.event(event, columns, now);
        lines.extend(flow.take(columns));
    }
    lines
}
