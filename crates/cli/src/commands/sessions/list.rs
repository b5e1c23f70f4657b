//! `sessions list`: the newest first, with as much of each id as is needed.

use super::search;
use crate::CommandResult;
use crate::commands::pages;
use crate::error::code;
use crate::place::Place;
use crate::render::lines::shorten;
use crate::render::table::Table;
use crate::screen::complain;
use serde::Serialize;
use std::borrow::Cow;
use std::process::ExitCode;
use tenon_engine::{Ambient, RealAmbient};
use tenon_session::{ListFilter, Store, Summary};
use tenon_vocab::{Printable, SessionId, Timestamp};

/// Characters of a title that a list shows.
const TITLE: usize = 60;
/// An id is never shown shorter than this.
const LEAST: usize = 8;
/// Sessions that are looked at for who has them open.
const LOOKED_AT: usize = 20;

/// Of which directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Here,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Table,
    Json,
}

pub fn run(place: &Place, scope: Scope, form: Form, text: Option<String>) -> CommandResult {
    let store = place.store();
    let mut listing = store.list(&ListFilter {
        cwd: (scope == Scope::Here).then(|| place.root_text()),
    });
    for (path, why) in &listing.skipped {
        complain(&format!(
            "skipped {}: {}",
            path.display(),
            Printable::line(why)
        ));
    }
    let searched = text.is_some();
    if let Some(text) = text {
        let found = search::sessions(place, &text, scope)?;
        listing
            .sessions
            .retain(|summary| found.contains(&summary.id));
    }
    // Like a search, a list that is asked for a text fails when nothing has it.
    let nothing = if searched {
        ExitCode::from(code::RUNTIME)
    } else {
        ExitCode::SUCCESS
    };
    let open = Open::among(&store, &listing.sessions);
    if form == Form::Json {
        let rows: Vec<Row<'_>> = listing
            .sessions
            .iter()
            .map(|summary| Row {
                summary,
                open_in: open.process(summary.id),
            })
            .collect();
        let printed = pages::print_json(&rows)?;
        return Ok(if listing.sessions.is_empty() {
            nothing
        } else {
            printed
        });
    }
    if listing.sessions.is_empty() {
        complain(none(scope, searched));
        return Ok(nothing);
    }
    let ids = Ids::of(listing.ids);
    let printed = pages::print_table(&table(&listing.sessions, &ids, &open, scope));
    // The program ends: to give thousands of texts back one by one helps nobody.
    std::mem::forget(listing.sessions);
    printed
}

/// What a program reads of a session.
#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    /// The process that has it open, where that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    open_in: Option<u32>,
}

/// Sessions that other processes have open, with these.
#[derive(Debug, Default)]
pub struct Open(Vec<(SessionId, u32)>);

impl Open {
    /// Looks only at the newest ones: a list may be long, and what is open was
    /// written to of late.
    pub fn among(store: &Store, sessions: &[Summary]) -> Self {
        let newest = sessions.iter().take(LOOKED_AT);
        let open = |summary: &Summary| Some((summary.id, store.open_elsewhere(summary.id)?));
        Self(newest.filter_map(open).collect())
    }

    pub fn process(&self, id: SessionId) -> Option<u32> {
        let found = self.0.iter().find(|(open, _)| *open == id);
        found.map(|(_, process)| *process)
    }

    /// `open in process 4711`, or nothing.
    pub fn mark(&self, id: SessionId) -> String {
        self.process(id)
            .map(|process| format!("open in process {process}"))
            .unwrap_or_default()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

pub fn none(scope: Scope, searched: bool) -> &'static str {
    match (scope, searched) {
        (Scope::Here, false) => "no sessions here; `--all` shows other directories too",
        (Scope::Here, true) => {
            "no session here has this text; `--all` searches other directories too"
        }
        (Scope::All, false) => "no sessions yet",
        (Scope::All, true) => "no session has this text",
    }
}

fn table(sessions: &[Summary], ids: &Ids, open: &Open, scope: Scope) -> Table {
    let now = RealAmbient.now();
    let any_pinned = sessions.iter().any(|summary| summary.pinned);
    let mut headings = vec!["id", "last", "runs", "tokens", "cost"];
    headings.extend(any_pinned.then_some("pin"));
    headings.extend((!open.is_empty()).then_some("open in"));
    headings.push("model");
    headings.extend((scope == Scope::All).then_some("directory"));
    headings.push("title");
    let mut table = Table::new(&headings);
    for summary in sessions {
        let more = if summary.partial { "+" } else { "" };
        let usage = summary.usage;
        let mut row: Vec<Cow<'_, str>> = Vec::with_capacity(headings.len());
        row.push(ids.short(summary.id).into());
        row.push(age(summary.updated, now).into());
        row.push(format!("{}{more}", summary.runs).into());
        row.push(format!("{}{more}", tokens(usage.input.saturating_add(usage.output))).into());
        row.push(cost(summary).into());
        row.extend(any_pinned.then(|| pinned(summary).into()));
        row.extend((!open.is_empty()).then(|| holder(open, summary.id).into()));
        row.push(summary.model.as_deref().unwrap_or_default().into());
        row.extend((scope == Scope::All).then(|| summary.cwd.as_str().into()));
        row.push(shorten(&summary.title, TITLE).into());
        table.row(row);
    }
    table
}

fn holder(open: &Open, id: SessionId) -> String {
    open.process(id)
        .map(|process| format!("process {process}"))
        .unwrap_or_default()
}

fn pinned(summary: &Summary) -> &'static str {
    if summary.pinned { "*" } else { "" }
}

/// In thousands from ten thousand on: a list is for comparing.
fn tokens(count: u64) -> String {
    match count {
        ..10_000 => count.to_string(),
        10_000..10_000_000 => format!("{}k", count / 1_000),
        _ => format!("{}M", count / 1_000_000),
    }
}

/// `-` where no price was known, `≥` where only some were.
fn cost(summary: &Summary) -> String {
    let partly = summary.models.iter().any(|model| model.cost.is_none());
    match summary.cost {
        None => String::from("-"),
        Some(cost) if partly || summary.partial => format!("≥ {cost}"),
        Some(cost) => cost.to_string(),
    }
}

/// All ids that there are, to know how much of one is enough.
#[derive(Debug)]
pub struct Ids(Vec<u128>);

impl Ids {
    pub fn of(ids: Vec<SessionId>) -> Self {
        let mut all: Vec<u128> = ids.into_iter().map(|id| id.0.as_u128()).collect();
        all.sort_unstable();
        all.dedup();
        Self(all)
    }

    /// The beginning of an id that no other session shares: ids begin with the
    /// time, so sessions of one minute look alike for long.
    pub fn short(&self, id: SessionId) -> String {
        let own = id.0.as_u128();
        let at = self.0.partition_point(|other| *other < own);
        let before = at.checked_sub(1).and_then(|before| self.0.get(before));
        let shared = before
            .into_iter()
            .chain(self.0.get(at + 1))
            .map(|other| (own ^ other).leading_zeros() as usize / 4)
            .max()
            .unwrap_or(0);
        let needed = (shared + 1).max(LEAST);
        // A dash stands before the 9th, 13th, 17th and 21st digit.
        let dashes = [8, 12, 16, 20].iter().filter(|at| needed > **at).count();
        let mut text = id.to_string();
        text.truncate(needed + dashes);
        text
    }
}

/// How long ago, or the day when that is long.
pub fn age(then: Timestamp, now: Timestamp) -> String {
    let seconds = now.as_second() - then.as_second();
    match seconds {
        ..60 => String::from("now"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        86_400..2_592_000 => format!("{} d", seconds / 86_400),
        _ => then.strftime("%Y-%m-%d").to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> SessionId {
        text.parse().unwrap()
    }

    #[test]
    fn a_short_id_is_as_long_as_it_takes_to_be_the_only_one() {
        let one = id("0199aaaa-1111-7000-8000-000000000001");
        let two = id("0199aaaa-1122-7000-8000-000000000002");
        let far = id("0299aaaa-1122-7000-8000-000000000003");
        let ids = Ids::of(vec![one, two, far]);
        assert_eq!(ids.short(one), "0199aaaa-111");
        assert_eq!(ids.short(two), "0199aaaa-112");
        assert_eq!(ids.short(far), "0299aaaa");
        let twin = id("0199aaaa-1111-7000-8000-000000000002");
        let ids = Ids::of(vec![twin, one]);
        assert_eq!(ids.short(one), one.to_string());
    }

    #[test]
    fn a_short_id_that_ends_at_a_group_has_no_dangling_dash() {
        let one = id("0199aaaa-1111-7000-8000-000000000001");
        let two = id("0199aaab-1111-7000-8000-000000000001");
        assert_eq!(Ids::of(vec![one, two]).short(one), "0199aaaa");
    }

    #[test]
    fn figures_of_a_list_are_short() {
        for (count, shown) in [
            (0, "0"),
            (9_999, "9999"),
            (10_000, "10k"),
            (9_999_999, "9999k"),
            (12_345_678, "12M"),
        ] {
            assert_eq!(tokens(count), shown);
        }
    }

    #[test]
    fn a_clock_that_went_back_is_no_negative_age() {
        let now = Timestamp::from_second(1_000_000).unwrap();
        let later = Timestamp::from_second(2_000_000).unwrap();
        assert_eq!(age(later, now), "now");
        assert_eq!(age(now, later), "11 d");
        assert_eq!(
            age(
                Timestamp::UNIX_EPOCH,
                Timestamp::from_second(9_000_000).unwrap()
            ),
            "1970-01-01"
        );
    }
}
