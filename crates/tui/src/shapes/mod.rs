//! What tools did, drawn from the shapes of their results. Knows no tool.
//!
//! A call that went well is its heading and what it shows; only one that did not
//! says how it ended, in the words of the plain renderer: `Failed.`, `Denied:`,
//! `Not run:`. Long things are folded and say by how much; what somebody decides
//! by is in [`question`], and there nothing is left out.

mod changes;
mod decide;
pub(crate) mod grid;
mod looks;
mod outcome;
mod output;
mod subject;
pub(crate) mod tabs;
mod words;

use crate::markdown::fitted;
use crate::text::{Line, Role, Span, Style, width, wrap};
use grid::{Align, Grid};
pub use looks::Glance;
use serde_json::Value;
use tenon_vocab::figures::count;
use tenon_vocab::{
    Display, OwnLine, Question, TableReply, TodoItem, TodoStatus, ToolResult, ToolUse, progress,
};

/// In front of what a result shows.
const MARGIN: &str = "    ";
/// Lines of a change or rows of a table that are shown folded.
const BODY: usize = 12;
/// Found files that are shown folded.
const FOUND: usize = 4;
/// What stands for the name of the tool above a task list.
const TASKS: &str = "tasks";
/// In front of what goes on with the line above.
const GOES_ON: &str = "↪";
/// Longer lines are broken anywhere, because breaking them at words takes too long.
const LONG: usize = 4_000;

/// How much of a long thing is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// A few lines, and how many more there are.
    Folded,
    /// All of it: for the pager and for decisions.
    Whole,
}

/// The heading of a call: its name and what it is about.
#[must_use]
pub fn heading(used: &ToolUse, columns: usize) -> Line {
    let line = subject::line(&used.name, &used.input, columns);
    match used.explanation.own_line {
        None => line,
        Some(own) => subject::with_place(line, own.words(), columns),
    }
}

/// The same for a call that was refused before it began.
#[must_use]
pub fn asked(name: &str, arguments: &str, columns: usize) -> Line {
    let input = serde_json::from_str(arguments).unwrap_or(Value::Null);
    subject::line(name, &input, columns)
}

/// A call that is over. What came of a good one stands behind its heading; how
/// another one ended has a line of its own.
#[must_use]
pub fn call(
    name: &str,
    input: &Value,
    result: &ToolResult,
    fold: Fold,
    columns: usize,
) -> Vec<Line> {
    let mut lines = headed(name, input, result, fold, columns);
    lines.extend(display(&result.display, fold, columns));
    lines
}

/// A command of the user's own, as it was run.
#[derive(Debug)]
pub struct OwnCommand<'a> {
    pub input: &'a Value,
    /// Where it ran; `None` if it did not.
    pub place: Option<OwnLine>,
    /// The height of the window.
    pub rows: usize,
}

/// What came of it: it was run to be read.
#[must_use]
pub fn own_command(
    own: &OwnCommand<'_>,
    result: &ToolResult,
    fold: Fold,
    columns: usize,
) -> Vec<Line> {
    let mut lines = subject::lines(&result.name, own.input, fold, columns);
    if let Some(place) = own.place {
        subject::add_place(&mut lines, place.words(), columns);
    }
    match outcome::behind(own.input, result, fold, columns) {
        Some(said) if said.width() > 0 => subject::add(&mut lines, said, columns),
        Some(_) => {}
        None => lines.extend(outcome::lines(result, fold, columns)),
    }
    lines.extend(match &result.display {
        Display::Terminal { output, .. } => output::both_ends(output, own.rows, fold, columns),
        other => display(other, fold, columns),
    });
    lines
}

fn headed(name: &str, input: &Value, result: &ToolResult, fold: Fold, columns: usize) -> Vec<Line> {
    let Some(said) = outcome::behind(input, result, fold, columns) else {
        let mut lines = subject::lines(name, input, fold, columns);
        lines.extend(outcome::lines(result, fold, columns));
        return lines;
    };
    let mut lines = match &result.display {
        // What is said of a change names the file; a task list stands below.
        Display::Diff { .. } => vec![subject::named(name)],
        Display::Todo { .. } => vec![subject::named(TASKS)],
        _ => subject::lines(name, input, fold, columns.saturating_sub(said.width())),
    };
    if let Some(last) = lines.last_mut() {
        last.spans.extend(said.spans);
        *last = std::mem::take(last).cut(columns);
    }
    lines
}

/// Calls that only looked, in one line.
#[must_use]
pub fn looks(glances: &[Glance], columns: usize) -> Line {
    looks::line(glances, columns)
}

/// What a call that only looked gave, in a word.
#[must_use]
pub fn said(result: &ToolResult) -> String {
    outcome::said(&result.display)
}

/// How a call ended, and what it shows: below a heading that stands apart.
#[must_use]
pub fn result(result: &ToolResult, fold: Fold, columns: usize) -> Vec<Line> {
    let mut lines = outcome::lines(result, fold, columns);
    lines.extend(display(&result.display, fold, columns));
    lines
}

/// One shape.
#[must_use]
pub fn display(display: &Display, fold: Fold, columns: usize) -> Vec<Line> {
    match display {
        Display::Nothing => Vec::new(),
        Display::Text { body, .. } => match fold {
            Fold::Folded => Vec::new(),
            Fold::Whole => body
                .lines()
                .flat_map(|line| within(&shown(Role::Text, line), columns))
                .collect(),
        },
        Display::Diff { files } => changes::files(files, fold, columns),
        Display::Files { entries, .. } => {
            let lines = entries.iter().map(|entry| {
                let mut line = Line::new(Role::Dim, &entry.path);
                if let Some(at) = entry.line {
                    line.push(Role::Dim, &format!(":{at}"));
                }
                if let Some(text) = &entry.text {
                    let text = tabs::Stops::terminal().spaced(text.trim());
                    line.push(Role::Text, &format!("  {text}"));
                }
                line
            });
            folded(lines.collect(), FOUND, fold, columns)
        }
        Display::Terminal { output, .. } => output::lines(output, fold, columns),
        Display::Todo { items } => items
            .iter()
            .flat_map(|item| wrap(&task(item), inner(columns), 4))
            .map(|line| line.behind(margin()))
            .collect(),
        Display::Table {
            columns: names,
            rows,
        } => {
            let lines = rows_as_lines(names, rows, inner(columns));
            folded(lines, BODY, fold, columns)
        }
    }
}

/// What a question is about, in full: nothing is left out (G20). The title and
/// the choices are drawn by whoever asks.
#[must_use]
pub fn question(question: &Question, columns: usize) -> Vec<Line> {
    decide::lines(question, columns)
}

#[must_use]
pub fn table(table: &TableReply, columns: usize) -> Vec<Line> {
    let mut lines = rows_as_lines(&table.columns, &table.rows, columns);
    if let Some(note) = &table.note {
        if !lines.is_empty() {
            lines.push(Line::empty());
        }
        for line in note.lines() {
            lines.extend(wrap(&Line::new(Role::Dim, line), columns, 0));
        }
    }
    lines
}

/// A unified diff of several files.
#[must_use]
pub fn diff(text: &str, fold: Fold, columns: usize) -> Vec<Line> {
    changes::unified(text, fold, columns)
}

/// A task list: what is worked on stands out, what is over steps back.
#[must_use]
pub fn todo(items: &[TodoItem], columns: usize) -> Vec<Line> {
    items.iter().map(|item| task(item).cut(columns)).collect()
}

/// How far the tasks are, where the list stands elsewhere.
#[must_use]
pub fn tasks_line(items: &[TodoItem], columns: usize) -> Line {
    let mut line = subject::named(TASKS);
    line.push(Role::Dim, &format!("  {}", progress(items)));
    let now = items
        .iter()
        .find(|item| item.status == TodoStatus::InProgress);
    if let Some(now) = now {
        line.push(Role::Text, &format!("  {}", now.text));
    }
    line.cut(columns)
}

/// The last lines that a running command printed.
#[must_use]
pub fn tail(output: &str, rows: usize, columns: usize) -> Vec<Line> {
    output::last(output, rows, columns)
}

/// What another agent did, set in under its name. The lines are made for
/// `2 * depth` columns less; without a name none is shown.
#[must_use]
pub fn indent(lines: Vec<Line>, depth: usize, agent: &str) -> Vec<Line> {
    let margin = |depth: usize| Span::new(Role::Text, &"  ".repeat(depth));
    let named = (!agent.is_empty() && !lines.is_empty()).then(|| {
        let above = margin(depth.saturating_sub(1));
        Line::of([above, Span::new(Role::Dim, &format!("↳ {agent}"))])
    });
    let blank = |line: &&Line| line.width() == 0;
    let first = lines.iter().take_while(blank).count();
    let mut indented: Vec<Line> = lines
        .into_iter()
        .map(|line| match line.width() {
            0 => line,
            _ => line.behind(margin(depth)),
        })
        .collect();
    if let Some(named) = named {
        indented.insert(first, named);
    }
    indented
}

fn task(item: &TodoItem) -> Line {
    let style = match item.status {
        TodoStatus::Pending => Style::from(Role::Text),
        TodoStatus::InProgress => Style::from(Role::Text).bold(),
        TodoStatus::Completed | TodoStatus::Cancelled => Style::from(Role::Dim),
    };
    Line::new(style, &format!("{} {}", item.status.mark(), item.text))
}

fn rows_as_lines(names: &[String], rows: &[Vec<String>], columns: usize) -> Vec<Line> {
    let is_number = |n: usize| {
        let mut cells = rows.iter().filter_map(|row| row.get(n)).peekable();
        cells.peek().is_some()
            && cells.all(|cell| cell.starts_with(|c: char| c.is_ascii_digit() || c == '-'))
    };
    let aligned = (0..names.len()).map(|n| match is_number(n) {
        true => Align::Right,
        false => Align::Left,
    });
    let mut grid = Grid::aligned(aligned.collect());
    let bold = Style::from(Role::Text).bold();
    let cell = |style: Style, text: &str| -> Vec<Line> {
        text.lines().map(|line| Line::new(style, line)).collect()
    };
    if !names.is_empty() {
        grid.head(names.iter().map(|name| cell(bold, name)).collect());
    }
    for row in rows {
        grid.row(
            row.iter()
                .map(|text| cell(Style::default(), text))
                .collect(),
        );
    }
    match (names, rows) {
        ([], []) => Vec::new(),
        _ => grid.lay(columns),
    }
}

fn margin() -> Span {
    Span::new(Role::Text, MARGIN)
}

fn inner(columns: usize) -> usize {
    columns.saturating_sub(width(MARGIN)).max(1)
}

/// A line of an output: tabs are the space that they stand for.
fn shown(role: Role, line: &str) -> Line {
    Line::new(role, &tabs::Stops::terminal().spaced(line))
}

/// A line behind the margin, in parts that fit.
fn within(line: &Line, columns: usize) -> Vec<Line> {
    parts(line, inner(columns), 0)
        .into_iter()
        .map(|part| part.behind(margin()))
        .collect()
}

/// In parts that fit: at words, but a very long line anywhere.
fn parts(line: &Line, columns: usize, indent: usize) -> Vec<Line> {
    let bytes: usize = line.spans.iter().map(|span| span.text().len()).sum();
    if bytes > LONG {
        fitted(line, columns)
    } else {
        wrap(line, columns, indent)
    }
}

/// The first lines behind the margin, each cut, and how many more there are; or
/// all of them, none cut.
fn folded(lines: Vec<Line>, limit: usize, fold: Fold, columns: usize) -> Vec<Line> {
    if fold == Fold::Whole {
        return lines
            .iter()
            .flat_map(|line| within(line, columns))
            .collect();
    }
    let total = lines.len();
    // One line more costs no more than to say that it is there.
    let limit = if total == limit + 1 { total } else { limit };
    let mut out: Vec<Line> = lines
        .into_iter()
        .take(limit)
        .map(|line| line.behind(margin()).cut(columns))
        .collect();
    if total > limit {
        out.push(more(
            &format!("… +{}", count(total - limit, "line")),
            columns,
        ));
    }
    out
}

/// That something is folded, and the key that shows it.
fn more(what: &str, columns: usize) -> Line {
    let room = columns.saturating_sub(width(MARGIN));
    key_of_rest(what, room).behind(margin()).cut(columns)
}

/// The same where there is so much room: the key stays as long as it can.
pub(crate) fn key_of_rest(what: &str, room: usize) -> Line {
    let long = format!("{what} (ctrl+t shows all)");
    match width(&long) <= room {
        true => Line::new(Role::Dim, &long),
        false => Line::new(Role::Dim, &format!("{what} (ctrl+t)")),
    }
}
