//! All keys and commands, in groups: the keys first, which no menu shows. The commands come from the program around;
//! the keys are listed here, beside nothing that reads them: a key that changes
//! is changed here too.

use crate::house::Entry;
use crate::overlay::fold::fold_all;
use crate::overlay::needle::shown_width;
use crate::text::{Line, Role, Span, Style, wrap};
use tenon_vocab::slash::Group;

const KEYS: &[(&str, &[(&str, &str)])] = &[
    (
        "Writing",
        &[
            ("enter", "send; during a run, queue it"),
            ("shift+enter, alt+enter, ctrl+j, \\ enter", "a new line"),
            ("@", "a file in the project"),
            ("/", "a command"),
            (
                "!",
                "run a shell command; the model gets its output with the next prompt",
            ),
            (
                "up, down",
                "a row up or down; past the first or last, your earlier prompts",
            ),
            ("ctrl+r", "search your earlier prompts"),
            ("ctrl+g", "write in your editor"),
            ("ctrl+o", "unfold the large paste at the cursor"),
            ("ctrl+a, ctrl+e", "to the start, the end of the line"),
            ("alt+b, alt+f", "a word back, forward"),
            ("ctrl+w, alt+d", "cut the word before, after the cursor"),
            ("ctrl+u, ctrl+k", "cut to the start, the end of the line"),
            (
                "ctrl+y, alt+y",
                "paste what was cut, what was cut before that",
            ),
            ("ctrl+_, alt+_", "undo, redo"),
        ],
    ),
    (
        "Program",
        &[
            ("esc", "stop the run; queued messages come back"),
            (
                "esc esc",
                "go back to an earlier prompt, or clear the input",
            ),
            ("ctrl+c", "clear the input or stop the run; twice: leave"),
            ("ctrl+d", "leave, if the input is empty"),
            ("shift+tab", "the next mode: ask, accept edits, auto, plan"),
            ("ctrl+v", "attach the image in the clipboard"),
            ("ctrl+t", "the whole conversation"),
            ("ctrl+z", "suspend to the shell; fg comes back"),
            ("ctrl+l", "redraw the screen"),
            ("f1, ?", "this page"),
        ],
    ),
    (
        "Questions",
        &[
            ("the key of a choice", "takes it"),
            ("n, enter, esc", "no"),
            ("r", "no, and tell the model why"),
            ("tab, left, right", "mark a choice; enter takes it"),
            ("space, up, down, pgup, pgdn", "read on"),
            ("ctrl+t", "show all of it"),
        ],
    ),
    (
        "Lists",
        &[
            ("letters", "filter the list"),
            ("up, down, ctrl+p, ctrl+n", "mark another"),
            ("tab", "complete the word"),
            ("enter, esc", "take it, close"),
        ],
    ),
    (
        "Pages",
        &[
            ("space, b, ctrl+d, ctrl+u", "a page, half a page"),
            ("g, G", "start, end"),
            ("/, n, N", "search, next, previous"),
            ("q, esc", "close"),
        ],
    ),
];

#[must_use]
pub fn lines(entries: &[Entry], columns: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for (title, keys) in KEYS {
        let keys = keys
            .iter()
            .map(|(key, what)| ((*key).to_owned(), (*what).to_owned()));
        group(&mut lines, &format!("Keys: {title}"), keys, columns);
    }
    for place in Group::ALL {
        let found = entries.iter().filter(|entry| entry.group == Some(place));
        group(&mut lines, place.title(), found.map(command), columns);
    }
    let others = entries.iter().filter(|entry| entry.group.is_none());
    group(&mut lines, "More commands", others.map(command), columns);
    fold_all(lines, columns)
}

/// What is typed, and what it does.
fn command(entry: &Entry) -> (String, String) {
    let mut typed = format!("/{}", entry.name);
    for alias in &entry.aliases {
        typed.push_str(&format!(", /{alias}"));
    }
    if !entry.argument.is_empty() {
        typed.push_str(&format!(" {}", entry.argument));
    }
    (typed, entry.what.clone())
}

fn group(
    lines: &mut Vec<Line>,
    title: &str,
    rows: impl Iterator<Item = (String, String)>,
    columns: usize,
) {
    let rows: Vec<(String, String)> = rows.collect();
    if rows.is_empty() {
        return;
    }
    if !lines.is_empty() {
        lines.push(Line::empty());
    }
    lines.push(Line::new(Style::from(Role::Heading).bold(), title).cut(columns));
    let widest = rows.iter().map(|(typed, _)| shown_width(typed)).max();
    let left = widest.unwrap_or(0).min(columns / 2).min(30);
    for (typed, what) in rows {
        lines.extend(row(&typed, &what, left, columns));
    }
}

/// Side by side, or one above the other where the left side is too long.
fn row(typed: &str, what: &str, left: usize, columns: usize) -> Vec<Line> {
    let wide = shown_width(typed);
    let indent = left + 4;
    let name = Span::new(Role::Accent, typed);
    let narrow = columns < indent * 2 + 2;
    if narrow || wide > left {
        let mut lines = wrap(&Line::of([name]).behind(blank(2)), columns, 2);
        let hang = if narrow { 4 } else { indent };
        lines.extend(wrap(
            &Line::new(Role::Text, what).behind(blank(hang)),
            columns,
            hang,
        ));
        return lines;
    }
    let line = Line::of([
        blank(2),
        name,
        blank(left - wide + 2),
        Span::new(Role::Text, what),
    ]);
    wrap(&line, columns, indent)
}

fn blank(columns: usize) -> Span {
    Span::new(Role::Text, &" ".repeat(columns))
}
