//! `tenon cost`: tokens and money over the sessions of this machine. What no
//! price was known for has tokens and no cost; nothing is estimated.

use super::pages;
use crate::CommandResult;
use crate::args::{CostArgs, CostBy, Shared};
use crate::error::CliError;
use crate::place::Place;
use crate::render::table::Table;
use crate::screen::complain;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;
use tenon_session::Spent;
use tenon_vocab::{Cost, Printable, Timestamp, Usage};

const DAY: u64 = 24 * 60 * 60;

/// What is added up for one line.
#[derive(Debug, Clone, Default)]
struct Sum {
    requests: u64,
    /// Of those, the ones whose price was known.
    priced: u64,
    usage: Usage,
    cost: Cost,
}

impl Sum {
    fn add(&mut self, spent: &Spent<'_>) {
        self.requests += 1;
        self.usage += spent.usage;
        if let Some(cost) = spent.cost {
            self.priced += 1;
            self.cost += cost;
        }
    }

    fn merge(&mut self, other: &Self) {
        self.requests += other.requests;
        self.priced += other.priced;
        self.usage += other.usage;
        self.cost += other.cost;
    }

    /// `-` where no price was known, `≥` where only some were.
    fn cost(&self) -> String {
        match self.priced {
            0 => String::from("-"),
            all if all == self.requests => self.cost.to_string(),
            _ => format!("≥ {}", self.cost),
        }
    }

    fn cells(&self) -> [String; 6] {
        [
            self.requests.to_string(),
            self.usage.input.to_string(),
            self.usage.cached.to_string(),
            self.usage.output.to_string(),
            self.usage.reasoning.to_string(),
            self.cost(),
        ]
    }

    fn json(&self) -> Value {
        let cost = (self.priced > 0).then(|| self.cost.0 as f64 / 1_000_000.0);
        json!({
            "requests": self.requests,
            "unpriced_requests": self.requests - self.priced,
            "input": self.usage.input,
            "cached": self.usage.cached,
            "cache_write": self.usage.cache_write,
            "output": self.usage.output,
            "reasoning": self.usage.reasoning,
            "estimated": self.usage.estimated,
            "cost_usd": cost,
        })
    }
}

pub fn run(shared: &Shared, args: &CostArgs) -> CommandResult {
    let place = Place::find(shared)?;
    let since = since(args.days, Timestamp::now())?;
    let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
    let skipped = place.store().spending(since, &mut |spent| {
        sums.entry(key(args.by, spent)).or_default().add(spent);
    });
    for (path, why) in &skipped {
        complain(&format!(
            "skipped {}: {}",
            Printable::line(&path.to_string_lossy()),
            Printable::line(why)
        ));
    }
    let mut total = Sum::default();
    for sum in sums.values() {
        total.merge(sum);
    }
    let rows = sorted(args.by, sums);
    let about = About::of(&place, args.by, &rows);
    if args.json {
        return print_json(args, since, &rows, &about, &total, skipped.len());
    }
    if rows.is_empty() {
        complain(match args.days {
            0 => "No session has asked a model yet.",
            _ => "No model was asked in these days; `--days 0` looks at all.",
        });
        return Ok(ExitCode::SUCCESS);
    }
    print(args.by, &rows, &about, &total)
}

/// What a session is known by: its id says nothing to anybody.
#[derive(Debug, Default)]
struct About(BTreeMap<String, (Timestamp, String)>);

impl About {
    fn of(place: &Place, by: CostBy, rows: &[(String, Sum)]) -> Self {
        if by != CostBy::Session {
            return Self::default();
        }
        let store = place.store();
        let about = |key: &String| {
            let summary = store.summary(key.parse().ok()?).ok()?;
            Some((key.clone(), (summary.updated, summary.title)))
        };
        Self(rows.iter().filter_map(|(key, _)| about(key)).collect())
    }

    /// The day on which it was last used, and its title cut to a line.
    fn cells(&self, key: &str) -> [String; 2] {
        const MOST: usize = 60;
        let Some((updated, title)) = self.0.get(key) else {
            return Default::default();
        };
        let mut short: String = title.chars().take(MOST).collect();
        if short.len() < title.len() {
            short.push('…');
        }
        [updated.strftime("%Y-%m-%d").to_string(), short]
    }
}

/// Whole days in UTC, today included.
fn since(days: u32, now: Timestamp) -> Result<Option<Timestamp>, CliError> {
    let Some(before) = days.checked_sub(1) else {
        return Ok(None);
    };
    let into_today = now.as_second().rem_euclid(DAY as i64).unsigned_abs();
    let back = Duration::from_secs(into_today + u64::from(before) * DAY);
    let begin = now
        .checked_sub(back)
        .ok()
        .and_then(|begin| Timestamp::from_second(begin.as_second()).ok());
    begin.map(Some).ok_or_else(|| {
        CliError::usage(format!("{days} days are more than there are"))
            .with_hint("`--days 0` means all.")
    })
}

fn key(by: CostBy, spent: &Spent<'_>) -> String {
    match by {
        CostBy::Day => spent.at.strftime("%Y-%m-%d").to_string(),
        CostBy::Model => match (spent.provider, spent.model) {
            ("", "") => String::from("unknown"),
            (provider, model) => format!("{provider}/{model}"),
        },
        CostBy::Session => spent.session.to_string(),
        CostBy::Project => spent.cwd.to_owned(),
    }
}

/// Days and sessions in their order, the newest last; the rest by what it cost,
/// then by its tokens.
fn sorted(by: CostBy, sums: BTreeMap<String, Sum>) -> Vec<(String, Sum)> {
    let mut rows: Vec<(String, Sum)> = sums.into_iter().collect();
    if matches!(by, CostBy::Model | CostBy::Project) {
        rows.sort_by_key(|(_, sum)| std::cmp::Reverse((sum.cost.0, sum.usage.total())));
    }
    rows
}

fn heading(by: CostBy) -> &'static str {
    match by {
        CostBy::Day => "day (UTC)",
        CostBy::Model => "model",
        CostBy::Session => "session",
        CostBy::Project => "directory",
    }
}

fn print(by: CostBy, rows: &[(String, Sum)], about: &About, total: &Sum) -> CommandResult {
    let mut heads = vec![
        heading(by),
        "requests",
        "input",
        "cached",
        "output",
        "reasoning",
        "cost",
    ];
    if by == CostBy::Session {
        heads.extend(["last used", "title"]);
    }
    let mut table = Table::new(&heads);
    let all = [(String::from("total"), total.clone())];
    for (key, sum) in rows.iter().chain(&all) {
        let mut cells = vec![key.clone()];
        cells.extend(sum.cells());
        if by == CostBy::Session {
            cells.extend(about.cells(key));
        }
        table.row(cells);
    }
    let mut page = table.to_string();
    if total.priced < total.requests {
        page.push_str(
            "\nNo price is known for some of it; `prices` of a provider or model sets one.\n",
        );
    }
    pages::print(&page)
}

fn print_json(
    args: &CostArgs,
    since: Option<Timestamp>,
    rows: &[(String, Sum)],
    about: &About,
    total: &Sum,
    skipped: usize,
) -> CommandResult {
    let name = match args.by {
        CostBy::Day => "day",
        CostBy::Model => "model",
        CostBy::Session => "session",
        CostBy::Project => "project",
    };
    let rows: Vec<Value> = rows
        .iter()
        .map(|(key, sum)| {
            let mut row = sum.json();
            row[name] = Value::from(key.clone());
            if let Some((updated, title)) = about.0.get(key) {
                row["updated"] = Value::from(updated.to_string());
                row["title"] = Value::from(title.clone());
            }
            row
        })
        .collect();
    pages::print_json(&json!({
        "by": name,
        "since": since.map(|since| since.to_string()),
        "rows": rows,
        "total": total.json(),
        "skipped_logs": skipped,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_whole_and_today_is_one_of_them() {
        let now: Timestamp = "2026-03-10T15:30:00.5Z".parse().unwrap();
        let begin = |days| since(days, now).unwrap().map(|begin| begin.to_string());
        assert_eq!(begin(1).as_deref(), Some("2026-03-10T00:00:00Z"));
        assert_eq!(begin(30).as_deref(), Some("2026-02-09T00:00:00Z"));
        assert_eq!(begin(0), None);
        assert!(since(u32::MAX, now).is_err());
    }
}
