//! `/context` as a chart: what fills the window, by part. Made from the table
//! that every front end gets; what cannot be read as a figure is shown as it is.

use super::fold::{fold, worded};
use crate::overlay::needle::shown_width;
use crate::text::{Line, Role, Span, Style};
use tenon_vocab::{Meter, TableReply, figures};

/// Rows at the end of the table that are no parts.
const WHOLE: [&str; 3] = ["prompt", "used", "limit"];
/// Columns of a bar.
const WIDEST: usize = 24;
/// Eighths of a cell, from the left.
const BLOCKS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// A row of the table.
#[derive(Debug)]
struct Part<'a> {
    name: &'a str,
    /// As it is written, with a `~` for an estimate.
    tokens: &'a str,
    source: &'a str,
    count: Option<u64>,
}

#[must_use]
pub fn context(table: &TableReply, meter: Option<&Meter>, columns: usize) -> Vec<Line> {
    if columns == 0 {
        return Vec::new();
    }
    let all: Vec<Part<'_>> = table.rows.iter().map(|row| part(row)).collect();
    let is_part = |part: &&Part<'_>| !WHOLE.contains(&part.name);
    let summed = all.iter().rev().take(WHOLE.len());
    let summed = summed.take_while(|part| !is_part(part)).count();
    let (parts, ends) = all.split_at(all.len() - summed);
    let named = |name: &str| ends.iter().find(|part| part.name == name);
    let (used, limit) = (named("used"), named("limit"));
    let total = parts
        .iter()
        .filter_map(|part| part.count)
        .fold(0, u64::saturating_add);
    // The status line's figures are older than the table.
    let window = limit
        .and_then(|limit| limit.count)
        .or_else(|| meter.and_then(|meter| meter.limit))
        .filter(|limit| *limit > 0);
    let mut lines = whole(used, meter, window, columns);
    // It says the same in words.
    if let Some(note) = table.note.as_ref().filter(|_| lines.is_empty()) {
        lines.extend(worded(&Line::new(Role::Dim, note), columns, 0));
    }
    if !lines.is_empty() && !parts.is_empty() {
        lines.push(Line::empty());
    }
    let scale = Scale::new(parts, window, total, columns);
    for part in parts {
        lines.extend(scale.lines(part, columns));
    }
    if !ends.is_empty() {
        lines.push(Line::empty());
    }
    for part in ends {
        let mut line = Line::new(Role::Text, &format!("{} {}", part.name, figure(part)));
        if !part.source.is_empty() {
            line.push(Role::Dim, &format!("  {}", part.source));
        }
        lines.extend(worded(&line, columns, 2));
    }
    lines
}

fn part(row: &[String]) -> Part<'_> {
    let cell = |at: usize| row.get(at).map_or("", String::as_str);
    Part {
        name: cell(0),
        tokens: cell(1),
        source: cell(2),
        count: cell(1).trim_start_matches('~').parse().ok(),
    }
}

/// How full the window is, as one bar.
fn whole(
    used: Option<&Part<'_>>,
    meter: Option<&Meter>,
    window: Option<u64>,
    columns: usize,
) -> Vec<Line> {
    let count = used
        .and_then(|used| used.count)
        .or_else(|| meter.map(|meter| meter.used));
    let (Some(count), Some(window)) = (count, window) else {
        return Vec::new();
    };
    let share = count.saturating_mul(100) / window;
    let role = match share {
        0..figures::FILLING => Role::Success,
        figures::FILLING..figures::FULL => Role::Warning,
        _ => Role::Error,
    };
    let cells = columns.saturating_sub(2).clamp(1, 2 * WIDEST);
    let bar = bar(count, window, cells);
    let rest = cells.saturating_sub(shown_width(&bar));
    let mut lines = vec![
        Line::of([
            Span::new(role, &bar),
            Span::new(Role::Border, &"░".repeat(rest)),
        ])
        .cut(columns),
    ];
    let is_estimate = match used {
        Some(used) => used.tokens.starts_with('~'),
        None => meter.is_some_and(|meter| meter.estimated),
    };
    let about = if is_estimate { "~" } else { "" };
    let mut line = Line::new(Style::from(role).bold(), &format!("{about}{share} %"));
    line.push(
        Role::Text,
        &format!("  {about}{} of {} tokens", grouped(count), grouped(window)),
    );
    lines.extend(worded(&line, columns, 0));
    lines
}

/// What a part is measured by, and how wide its cells are.
struct Scale {
    name: usize,
    tokens: usize,
    cells: usize,
    /// The longest bar.
    largest: u64,
    /// What a percent is a hundredth of.
    whole: u64,
}

impl Scale {
    fn new(parts: &[Part<'_>], window: Option<u64>, total: u64, columns: usize) -> Self {
        let widest = |of: fn(&Part<'_>) -> usize| parts.iter().map(of).max().unwrap_or(0);
        let name = widest(|part| shown_width(part.name)).min(columns / 3);
        let tokens = widest(|part| shown_width(&figure(part)));
        // Name, bar, tokens and percent, with two blanks between.
        let cells = columns.saturating_sub(name + tokens + 2 + 2 + 2 + 5);
        Self {
            name,
            tokens,
            cells: cells.min(WIDEST),
            largest: parts
                .iter()
                .filter_map(|part| part.count)
                .max()
                .unwrap_or(0),
            whole: window.unwrap_or(total),
        }
    }

    fn lines(&self, part: &Part<'_>, columns: usize) -> Vec<Line> {
        let name = Line::new(Role::Text, part.name).cut(self.name);
        let mut line = name;
        let gap = self.name.saturating_sub(line.width()) + 2;
        line.push(Role::Text, &" ".repeat(gap));
        if self.cells >= 4 {
            let bar = bar(part.count.unwrap_or(0), self.largest, self.cells);
            let rest = self.cells - shown_width(&bar).min(self.cells) + 2;
            line.push(Role::Accent, &bar);
            line.push(Role::Text, &" ".repeat(rest));
        }
        let figure = figure(part);
        let gap = self.tokens.saturating_sub(shown_width(&figure));
        line.push(Role::Text, &format!("{}{figure}", " ".repeat(gap)));
        if let Some(count) = part.count {
            line.push(Role::Dim, &format!("  {:>5}", percent(count, self.whole)));
        }
        let mut lines = Vec::new();
        let source = Line::new(Role::Dim, part.source);
        if part.source.is_empty() || line.width() + 2 + source.width() <= columns {
            if !part.source.is_empty() {
                line.push(Role::Dim, &format!("  {}", part.source));
            }
            lines.push(line.cut(columns));
        } else {
            lines.push(line.cut(columns));
            let indent = Span::new(Role::Dim, "  ");
            lines.extend(
                fold(source, columns.saturating_sub(2).max(1))
                    .into_iter()
                    .map(|row| row.behind(indent.clone()).cut(columns)),
            );
        }
        lines
    }
}

fn figure(part: &Part<'_>) -> String {
    match part.count {
        Some(count) if part.tokens.starts_with('~') => format!("~{}", grouped(count)),
        Some(count) => grouped(count),
        None => part.tokens.to_owned(),
    }
}

fn percent(count: u64, whole: u64) -> String {
    let tenths = count.saturating_mul(1000).checked_div(whole).unwrap_or(0);
    if tenths < 100 {
        format!("{}.{} %", tenths / 10, tenths % 10)
    } else {
        format!("{} %", tenths / 10)
    }
}

/// Thousands apart, so that figures can be compared at a glance.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Never empty where there is something, never longer than its cells.
fn bar(count: u64, of: u64, cells: usize) -> String {
    if count == 0 || of == 0 {
        return String::new();
    }
    let eighths = cells as u128 * 8;
    let filled = (u128::from(count) * eighths / u128::from(of)).clamp(1, eighths);
    let filled = usize::try_from(filled).unwrap_or(0);
    let mut bar = "█".repeat(filled / 8);
    if let Some(block) = (filled % 8).checked_sub(1).and_then(|at| BLOCKS.get(at)) {
        bar.push(*block);
    }
    bar
}
