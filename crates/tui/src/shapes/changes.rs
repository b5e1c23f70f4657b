//! Changes of files: hunks with the numbers of their lines, and the words that
//! differ. Read from unified diffs, whose counts say what belongs to a hunk: a
//! removed line that begins with `--` is no heading.

use super::tabs::Stops;
use super::words::{self, Word};
use super::{BODY, Fold, GOES_ON, count, inner, margin, more};
use crate::highlight::Highlighter;
use crate::markdown::fitted;
use crate::text::{Band, Line, Role, Span, Style};
use std::ops::Range;
use tenon_vocab::DiffFile;

/// Narrower screens have no room for the numbers of lines.
const NUMBERED: usize = 60;
/// Rows of one line that is shown folded.
const ROWS: usize = 3;
/// What stands between two hunks whose lines have numbers.
const BETWEEN: &str = "⋮";
/// Files that are shown folded.
const FILES: usize = 6;

/// How a tab of a changed line is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tabs {
    Spaces,
    /// Somebody decides by it.
    Visible,
}

pub(super) fn files(files: &[DiffFile], fold: Fold, columns: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let shown = match fold {
        Fold::Folded if files.len() > FILES + 1 => FILES,
        _ => files.len(),
    };
    for file in files.iter().take(shown) {
        if files.len() > 1 {
            let title = Line::of(title(file, &file.operation)).behind(margin());
            lines.extend(fold_line(title, fold, columns));
        }
        lines.extend(rows(file, fold, Tabs::Spaces, columns));
        if file.left_out_bytes > 0 {
            let text = format!("… +{} bytes, not kept", file.left_out_bytes);
            lines.push(Line::of([margin(), Span::new(Role::Warning, &text)]).cut(columns));
        }
    }
    if files.len() > shown {
        let left = count(files.len() - shown, "file");
        lines.push(more(&format!("… +{left}"), columns));
    }
    lines
}

fn fold_line(line: Line, fold: Fold, columns: usize) -> Vec<Line> {
    match fold {
        Fold::Folded => vec![line.cut(columns)],
        Fold::Whole => fitted(&line, columns),
    }
}

/// `updated src/a.rs +3 -1`, with a word for what is done.
pub(super) fn title(file: &DiffFile, done: &str) -> Vec<Span> {
    let done = match done {
        "" => String::from(" "),
        done => format!("{done} "),
    };
    vec![
        Span::new(Role::Text, &done),
        Span::new(Style::from(Role::Text).bold(), &name(file)),
        Span::new(Role::Added, &format!(" +{}", file.additions)),
        Span::new(Role::Removed, &format!(" -{}", file.deletions)),
    ]
}

/// `LICENSE → notes.txt` where a file has another name, or is reached by one.
fn name(file: &DiffFile) -> String {
    match &file.from {
        Some(from) => format!("{from} → {}", file.path),
        None => file.path.clone(),
    }
}

/// The lines of one file's diff.
pub(super) fn rows(file: &DiffFile, fold: Fold, tabs: Tabs, columns: usize) -> Vec<Line> {
    hunks(&file.path, &file.unified, fold, tabs, columns)
}

fn hunks(path: &str, unified: &str, fold: Fold, tabs: Tabs, columns: usize) -> Vec<Line> {
    let rows = read(unified);
    let numbered = columns >= NUMBERED && rows.iter().any(|row| row.number.is_some());
    // Its numbers stand beside the lines.
    let first = usize::from(numbered && rows.first().is_some_and(Row::is_bare_heading));
    let rows = rows.get(first..).unwrap_or_default();
    let limit = match fold {
        Fold::Folded if rows.len() > BODY + 1 => BODY,
        _ => rows.len(),
    };
    let mut drawing = Drawing::new(rows, path, tabs, fold, columns);
    let mut lines = drawing.lines(rows.get(..limit).unwrap_or_default());
    if rows.len() > limit {
        let left = count(rows.len() - limit, "line");
        lines.push(more(&format!("… +{left}"), columns));
    }
    lines
}

/// A diff of several files, with their headings.
pub(super) fn unified(text: &str, fold: Fold, columns: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for (n, file) in split(text).iter().enumerate() {
        if n > 0 {
            lines.push(Line::empty());
        }
        let shown = read(&file.body);
        let signs = |sign: Sign| shown.iter().filter(|row| row.sign == sign).count();
        if !file.name.is_empty() {
            let title = Line::of([
                Span::new(Style::from(Role::Text).bold(), &file.name),
                Span::new(Role::Added, &format!(" +{}", signs(Sign::Added))),
                Span::new(Role::Removed, &format!(" -{}", signs(Sign::Removed))),
            ]);
            lines.extend(fold_line(title, fold, columns));
        }
        for note in &file.notes {
            let note = Line::new(Role::Dim, note).behind(margin());
            lines.extend(fold_line(note, fold, columns));
        }
        lines.extend(hunks(&file.name, &file.body, fold, Tabs::Spaces, columns));
    }
    lines
}

#[derive(Debug, Default)]
struct Split {
    name: String,
    /// Renames, modes, binary files.
    notes: Vec<String>,
    body: String,
}

fn split(text: &str) -> Vec<Split> {
    let mut files: Vec<Split> = Vec::new();
    let mut left = Left::default();
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        if left.takes(line) || line.starts_with('\\') || line.starts_with("@@") {
            if files.is_empty() {
                files.push(Split::default());
            }
            if let Some(header) = Hunk::read(line).filter(|_| left.is_empty()) {
                left = header.left();
            } else {
                left.take(line);
            }
            if let Some(file) = files.last_mut() {
                file.body.push_str(line);
                file.body.push('\n');
            }
        } else if line.starts_with("diff ") || (line.starts_with("--- ") && begins(&files)) {
            let name = line.rsplit(" b/").next().unwrap_or_default();
            let name = name.strip_prefix("--- ").unwrap_or(name);
            files.push(Split {
                name: name.strip_prefix("a/").unwrap_or(name).to_owned(),
                ..Split::default()
            });
        } else if let Some(file) = files.last_mut() {
            match line.strip_prefix("+++ ") {
                Some("/dev/null") => file.notes.push(String::from("deleted")),
                Some(name) => file.name = name.strip_prefix("b/").unwrap_or(name).to_owned(),
                None if line.starts_with("index ") || line.is_empty() => {}
                None if line == "--- /dev/null" => {}
                None if line.starts_with("--- ") => {}
                None => file.notes.push(line.to_owned()),
            }
        } else if !line.is_empty() {
            files.push(Split {
                notes: vec![line.to_owned()],
                ..Split::default()
            });
        }
    }
    files
}

/// Whether a `---` begins another file: one without a line of git before it.
fn begins(files: &[Split]) -> bool {
    files.last().is_none_or(|file| !file.body.is_empty())
}

/// Lines of a hunk that are still to come.
#[derive(Debug, Clone, Copy, Default)]
struct Left {
    old: u64,
    new: u64,
}

impl Left {
    fn is_empty(self) -> bool {
        self.old == 0 && self.new == 0
    }

    fn takes(self, line: &str) -> bool {
        match line.as_bytes().first() {
            Some(b'+') => self.new > 0,
            Some(b'-') => self.old > 0,
            Some(b' ') | None => self.old > 0 && self.new > 0,
            _ => false,
        }
    }

    fn take(&mut self, line: &str) {
        match line.as_bytes().first() {
            Some(b'+') => self.new = self.new.saturating_sub(1),
            Some(b'-') => self.old = self.old.saturating_sub(1),
            Some(b' ') | None => {
                self.old = self.old.saturating_sub(1);
                self.new = self.new.saturating_sub(1);
            }
            _ => {}
        }
    }
}

/// `@@ -10,4 +10,5 @@`
#[derive(Debug, Clone, Copy)]
struct Hunk {
    old: (u64, u64),
    new: (u64, u64),
}

impl Hunk {
    fn read(line: &str) -> Option<Self> {
        let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
        let (old, new) = ranges.split_once(" +")?;
        let range = |text: &str| -> Option<(u64, u64)> {
            match text.split_once(',') {
                Some((from, count)) => Some((from.parse().ok()?, count.parse().ok()?)),
                None => Some((text.parse().ok()?, 1)),
            }
        };
        Some(Self {
            old: range(old)?,
            new: range(new)?,
        })
    }

    fn left(self) -> Left {
        Left {
            old: self.old.1,
            new: self.new.1,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Added,
    Removed,
    Same,
    Hunk,
    /// `\ No newline at end of file`, and what is no diff at all.
    Note,
}

#[derive(Debug)]
struct Row<'a> {
    sign: Sign,
    number: Option<u64>,
    text: &'a str,
}

impl Row<'_> {
    /// A heading that only says which lines follow.
    fn is_bare_heading(&self) -> bool {
        self.sign == Sign::Hunk && self.text.ends_with("@@")
    }
}

fn read(unified: &str) -> Vec<Row<'_>> {
    // Only line feeds part lines: a carriage return is a part of the change.
    let text = unified.strip_suffix('\n').unwrap_or(unified);
    if text.is_empty() {
        return Vec::new();
    }
    let (mut old, mut new) = (None, None);
    text.split('\n')
        .map(|line| {
            if let Some(hunk) = Hunk::read(line) {
                (old, new) = (Some(hunk.old.0), Some(hunk.new.0));
                return Row {
                    sign: Sign::Hunk,
                    number: None,
                    text: line,
                };
            }
            let (sign, text) = match line.split_at_checked(1) {
                Some(("+", text)) => (Sign::Added, text),
                Some(("-", text)) => (Sign::Removed, text),
                Some((" ", text)) => (Sign::Same, text),
                None => (Sign::Same, ""),
                Some(_) => (Sign::Note, line),
            };
            let number = match sign {
                Sign::Removed => old,
                Sign::Added | Sign::Same => new,
                Sign::Hunk | Sign::Note => None,
            };
            let next = |number: Option<u64>| number.map(|n| n.saturating_add(1));
            if matches!(sign, Sign::Removed | Sign::Same) {
                old = next(old);
            }
            if matches!(sign, Sign::Added | Sign::Same) {
                new = next(new);
            }
            Row { sign, number, text }
        })
        .collect()
}

struct Drawing {
    /// Columns of the numbers; none where there is no room.
    gutter: usize,
    tabs: Tabs,
    fold: Fold,
    columns: usize,
    /// The file as it was and as it is: what a line opens on one side is not open
    /// on the other.
    sides: Option<(Highlighter, Highlighter)>,
}

impl Drawing {
    fn new(rows: &[Row<'_>], path: &str, tabs: Tabs, fold: Fold, columns: usize) -> Self {
        let last = rows.iter().filter_map(|row| row.number).max();
        let gutter = match last {
            Some(last) if columns >= NUMBERED => last.to_string().len() + 1,
            _ => 0,
        };
        let side = Highlighter::for_path(path);
        Self {
            gutter,
            tabs,
            fold,
            columns,
            sides: side.clone().zip(side),
        }
    }

    fn lines(&mut self, rows: &[Row<'_>]) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut at = 0;
        while let Some(row) = rows.get(at) {
            if row.sign != Sign::Removed {
                self.row(&mut lines, row, None);
                at += 1;
                continue;
            }
            let run = |from: usize, sign: Sign| {
                let rest = rows.get(from..).unwrap_or_default();
                rest.iter().take_while(|row| row.sign == sign).count()
            };
            let removed = run(at, Sign::Removed);
            let added = run(at + removed, Sign::Added);
            self.changed(&mut lines, rows.get(at..at + removed + added), removed);
            at += removed + added;
        }
        lines
    }

    /// Lines that were removed and those in their place, with the words that
    /// differ where a line is another form of one before.
    fn changed(&mut self, lines: &mut Vec<Line>, rows: Option<&[Row<'_>]>, removed: usize) {
        let (old, new) = rows.unwrap_or_default().split_at(removed);
        let before: Vec<&str> = old.iter().map(|row| row.text).collect();
        let after: Vec<&str> = new.iter().map(|row| row.text).collect();
        let mut marks: Vec<Option<words::Pieces>> = vec![None; new.len()];
        let pairs = words::paired(&before, &after);
        for (n, row) in old.iter().enumerate() {
            let pair = pairs.get(n).copied().flatten();
            let compared = pair.and_then(|at| words::compared(row.text, after.get(at)?));
            let (own, other) = compared.unzip();
            if let Some(mark) = pair.and_then(|at| marks.get_mut(at)) {
                *mark = other;
            }
            self.row(lines, row, own.as_ref());
        }
        for (row, mark) in new.iter().zip(&marks) {
            self.row(lines, row, mark.as_ref());
        }
    }

    /// What of a line is which part of the language; nothing where none is known.
    fn code(&mut self, row: &Row<'_>) -> Option<Vec<(Role, Range<usize>)>> {
        let (old, new) = self.sides.as_mut()?;
        match row.sign {
            Sign::Removed => Some(old.ranges(row.text)),
            Sign::Added => Some(new.ranges(row.text)),
            Sign::Same => {
                old.ranges(row.text);
                Some(new.ranges(row.text))
            }
            Sign::Hunk => {
                old.begin();
                new.begin();
                None
            }
            Sign::Note => None,
        }
    }

    fn row(&mut self, lines: &mut Vec<Line>, row: &Row<'_>, pieces: Option<&words::Pieces>) {
        let (sign, role, strong, band) = match row.sign {
            Sign::Added => ("+", Role::Added, Role::AddedWord, Band::Added),
            Sign::Removed => ("-", Role::Removed, Role::RemovedWord, Band::Removed),
            Sign::Same => (" ", Role::Dim, Role::Dim, Band::Around),
            Sign::Hunk => ("", Role::Hunk, Role::Hunk, Band::None),
            Sign::Note => ("", Role::Dim, Role::Dim, Band::None),
        };
        let code = self.code(row);
        let bare = self.gutter > 0 && row.is_bare_heading();
        let shown = if bare { BETWEEN } else { row.text };
        let style = |piece: Role| match band {
            Band::None => Style::from(role),
            band => Style::from(piece).within(band),
        };
        let whole = vec![(Word::Same, 0..shown.len())];
        let mut stops = Stops::code();
        let mut content = Line::empty();
        for (word, within) in pieces.unwrap_or(&whole) {
            let parts = match (&code, word) {
                (Some(code), Word::Same) => inside(code, within),
                _ => vec![(Role::Text, within.clone())],
            };
            for (piece, range) in parts {
                let text = shown.get(range).unwrap_or_default();
                let text = match self.tabs {
                    Tabs::Spaces => stops.spaced(text),
                    Tabs::Visible => text.to_owned(),
                };
                content.push(
                    match word {
                        Word::Same => style(piece),
                        Word::Differs => strong.into(),
                    },
                    &text,
                );
            }
        }
        let number = match row.number {
            Some(number) if self.gutter > 0 => {
                format!("{number:>width$} ", width = self.gutter - 1)
            }
            _ => " ".repeat(self.gutter),
        };
        let is_heading = matches!(row.sign, Sign::Hunk | Sign::Note);
        let number = if is_heading { String::new() } else { number };
        self.put(lines, content, &number, (sign, role));
    }

    /// In parts under each other where it is long; folded as many as are looked at.
    fn put(&self, lines: &mut Vec<Line>, content: Line, number: &str, sign: (&str, Role)) {
        let band = match sign.1 {
            Role::Added => Band::Added,
            Role::Removed => Band::Removed,
            _ => Band::None,
        };
        let room = inner(self.columns).saturating_sub(number.len() + sign.0.len());
        let content = match self.fold {
            Fold::Folded if sign.0.is_empty() => content.cut(room),
            Fold::Folded => content.cut(room * ROWS),
            Fold::Whole => content,
        };
        let parts = fitted(&content, room);
        let indent = " ".repeat(number.len());
        // In the place of the sign, so that no part looks like a line of its own.
        let goes_on = if sign.0.is_empty() { "" } else { GOES_ON };
        for (n, part) in parts.into_iter().enumerate() {
            let mut spans = vec![margin()];
            match n {
                0 => spans.extend([Span::new(Role::Dim, number), Span::new(sign.1, sign.0)]),
                _ => spans.extend([
                    Span::new(Role::Text, &indent),
                    Span::new(Role::Dim, goes_on),
                ]),
            }
            spans.retain(|span| !span.text().is_empty());
            spans.extend(part.spans);
            lines.push(Line::of(spans).in_band(band));
        }
    }
}

/// The parts of code inside of a range.
fn inside(code: &[(Role, Range<usize>)], within: &Range<usize>) -> Vec<(Role, Range<usize>)> {
    code.iter()
        .map(|(role, range)| {
            let range = range.start.max(within.start)..range.end.min(within.end);
            (*role, range)
        })
        .filter(|(_, range)| !range.is_empty())
        .collect()
}
