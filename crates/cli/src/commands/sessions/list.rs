//! `sessions list`: the newest first, with as much of each id as is needed.

use crate::CommandResult;
use crate::commands::pages;
use crate::place::Place;
use crate::render::lines::shorten;
use crate::render::table::Table;
use crate::screen::complain;
use std::process::ExitCode;
use tenon_engine::{Ambient, RealAmbient};
use tenon_session::{ListFilter, Listing, Summary};
use tenon_vocab::{Printable, SessionId, Timestamp};

/// Characters of a title that a list shows.
const TITLE: usize = 60;
/// An id is never shown shorter than this.
const LEAST: usize = 8;

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

pub fn run(place: &Place, scope: Scope, form: Form, search: Option<String>) -> CommandResult {
    let store = place.store();
    let searched = search.is_some();
    let listing = store.list(&ListFilter {
        cwd: (scope == Scope::Here).then(|| place.root_text()),
        text: search,
    });
    for (path, why) in &listing.skipped {
        complain(&format!(
            "skipped {}: {}",
            path.display(),
            Printable::line(why)
        ));
    }
    if form == Form::Json {
        return pages::print_json(&listing.sessions);
    }
    if listing.sessions.is_empty() {
        complain(none(scope, searched));
        return Ok(ExitCode::SUCCESS);
    }
    let everyone = match (scope, searched) {
        (Scope::All, false) => Listing::default(),
        _ => store.list(&ListFilter::default()),
    };
    let mut ids: Vec<String> = listing
        .sessions
        .iter()
        .chain(&everyone.sessions)
        .map(|summary| digits(summary.id))
        .collect();
    ids.sort();
    ids.dedup();
    pages::print(&table(&listing.sessions, &ids, scope).to_string())
}

fn none(scope: Scope, searched: bool) -> &'static str {
    match (scope, searched) {
        (Scope::Here, false) => "no sessions here; `--all` shows those of other directories",
        (Scope::Here, true) => {
            "no session here has this text; `--all` looks into those of other directories"
        }
        (Scope::All, false) => "no sessions yet",
        (Scope::All, true) => "no session has this text",
    }
}

fn table(sessions: &[Summary], ids: &[String], scope: Scope) -> Table {
    let now = RealAmbient.now();
    let mut headings = vec!["id", "last", "runs", "model", "title"];
    if scope == Scope::All {
        headings.insert(4, "directory");
    }
    let mut table = Table::new(&headings);
    for summary in sessions {
        let more = if summary.partial { "+" } else { "" };
        let mut row = vec![
            short(summary.id, ids),
            age(summary.updated, now),
            format!("{}{more}", summary.runs),
            summary.model.clone().unwrap_or_default(),
            shorten(&summary.title, TITLE),
        ];
        if scope == Scope::All {
            row.insert(4, summary.cwd.clone());
        }
        table.row(row);
    }
    table
}

fn digits(id: SessionId) -> String {
    id.0.simple().to_string()
}

/// The beginning of an id that no other session shares: ids begin with the
/// time, so sessions of one minute look alike for long.
fn short(id: SessionId, sorted: &[String]) -> String {
    let own = digits(id);
    let at = sorted.partition_point(|other| *other < own);
    let before = at.checked_sub(1).and_then(|before| sorted.get(before));
    let after = sorted.get(at + 1);
    let shared = before
        .into_iter()
        .chain(after)
        .map(|other| common(&own, other))
        .max()
        .unwrap_or(0);
    let needed = (shared + 1).max(LEAST);
    let mut seen = 0;
    id.to_string()
        .chars()
        .take_while(|c| {
            seen += usize::from(*c != '-');
            seen <= needed && !(seen == needed && *c == '-')
        })
        .collect()
}

fn common(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

/// How long ago, or the day when that is long.
fn age(then: Timestamp, now: Timestamp) -> String {
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
        let mut all: Vec<String> = [one, two, far].into_iter().map(digits).collect();
        all.sort();
        assert_eq!(short(one, &all), "0199aaaa-111");
        assert_eq!(short(two, &all), "0199aaaa-112");
        assert_eq!(short(far, &all), "0299aaaa");
    }

    #[test]
    fn a_short_id_that_ends_at_a_group_has_no_dangling_dash() {
        let one = id("0199aaaa-1111-7000-8000-000000000001");
        let two = id("0199aaab-1111-7000-8000-000000000001");
        let mut all: Vec<String> = [one, two].into_iter().map(digits).collect();
        all.sort();
        assert_eq!(short(one, &all), "0199aaaa");
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
