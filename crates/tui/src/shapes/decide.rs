//! What a person decides by: the change or the command in full, why it is asked,
//! what the model says and what it would affect (G12, G20). What is shown is
//! what runs, so nothing is cut, stripped or laid out anew; tabs, carriage
//! returns and escapes are visible. Only empty lines are counted where there are
//! many: they would push the rest off the screen.

use super::changes::{self, Tabs};
use super::{Fold, GOES_ON, parts};
use crate::markdown::fitted;
use crate::text::{Line, Role, Span, Style};
use tenon_vocab::{BodyRow, Display, Question};

const MARGIN: &str = "  ";
/// Rows of a command that hide nothing below them.
const SHORT: usize = 4;

pub(super) fn lines(question: &Question, columns: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let body = match (&question.display, question.body.as_str()) {
        (Display::Terminal { command, .. }, "") => command,
        (Display::Text { summary, .. }, "") => summary,
        (_, body) => body,
    };
    let mut exact = Vec::new();
    exactly(&mut exact, body, columns);
    // What a danger would destroy comes before a long command: that may be as long
    // as the model likes.
    let is_long = question.is_danger() && exact.len() > SHORT;
    if is_long {
        known(&mut lines, question, columns);
    }
    change(&mut lines, question, columns);
    lines.append(&mut exact);
    if !is_long {
        known(&mut lines, question, columns);
    }
    // After what is known: it may be as long as the model likes.
    if let Some(intent) = &question.intent {
        told(&mut lines, "the model says: ", intent, Role::Dim, columns);
    }
    // Last, where it is still on the screen when the choices are read.
    if let Display::Diff { files } = &question.display {
        for file in files.iter().filter(|file| file.left_out_bytes > 0) {
            let loud = format!(
                "NOT ALL OF THE CHANGE IS SHOWN: {} bytes more in {}",
                file.left_out_bytes, file.path
            );
            let line = Line::new(Style::from(Role::Error).bold(), &loud);
            lines.extend(set_in(&line, columns, 0));
        }
    }
    lines
}

/// Why it is asked, and what it would affect.
fn known(lines: &mut Vec<Line>, question: &Question, columns: usize) {
    if let Some(reason) = &question.reason {
        told(lines, "why: ", reason, Role::Dim, columns);
    }
    for affected in &question.affects {
        told(lines, "affects: ", affected, Role::Error, columns);
    }
}

fn change(lines: &mut Vec<Line>, question: &Question, columns: usize) {
    let Display::Diff { files } = &question.display else {
        return;
    };
    for (at, file) in files.iter().enumerate() {
        let mut title = Line::of(changes::title(file, file.to_do()));
        if files.len() > 1 {
            let number = format!("{}/{} ", at + 1, files.len());
            title = title.behind(Span::new(Role::Dim, &number));
        }
        lines.extend(set_in(&title, columns, 2));
        let rows = changes::rows(file, Fold::Whole, Tabs::Visible, columns);
        lines.extend(rows);
    }
}

/// What would run: each space of it, and no part that looks like a line.
fn exactly(lines: &mut Vec<Line>, text: &str, columns: usize) {
    let text = text.strip_suffix('\n').unwrap_or(text);
    if text.is_empty() {
        return;
    }
    let room = columns.saturating_sub(2 * MARGIN.len()).max(1);
    for row in BodyRow::of(text) {
        let line = match row {
            BodyRow::Line(line) => line,
            BodyRow::Empty(count) => {
                let text = format!("{MARGIN}… {count} empty lines");
                lines.push(Line::new(Role::Dim, &text).cut(columns));
                continue;
            }
        };
        let whole = Line::new(Role::Text, line);
        // Where a line is broken at words, the space between them goes.
        let parts = match line.trim_start().contains("  ") {
            true => fitted(&whole, room),
            false => parts(&whole, room, 0),
        };
        for (n, part) in parts.into_iter().enumerate() {
            let goes_on = Span::new(Role::Dim, &format!("{GOES_ON} "));
            let part = if n == 0 { part } else { part.behind(goes_on) };
            lines.push(part.behind(Span::new(Role::Text, MARGIN)));
        }
    }
}

/// A text behind its label, each of its lines under the first.
fn told(lines: &mut Vec<Line>, label: &str, text: &str, role: Role, columns: usize) {
    // Only line feeds part lines: a carriage return stays visible.
    let text = text.strip_suffix('\n').unwrap_or(text);
    if text.is_empty() {
        return;
    }
    let mut label = label.to_owned();
    for line in text.split('\n') {
        let line = Line::of([Span::new(role, &label), Span::new(role, line)]);
        lines.extend(set_in(&line, columns, label.len()));
        label = " ".repeat(label.len());
    }
}

fn set_in(line: &Line, columns: usize, indent: usize) -> Vec<Line> {
    let room = columns.saturating_sub(MARGIN.len()).max(1);
    parts(line, room, indent)
        .into_iter()
        .map(|mut part| {
            part.spans.retain(|span| !span.text().is_empty());
            part.behind(Span::new(Role::Text, MARGIN))
        })
        .collect()
}
