//! The one-line and few-line forms of what tools do, drawn from their shapes.

use crate::screen::{Paint, Style};
use serde_json::Value;
use tenon_vocab::{
    CallStatus, DiffFile, Display, ErrorCode, Printable, TodoStatus, ToolCallPart, ToolResult,
    ToolUse,
};

/// Characters of an input that a line shows.
const INPUT: usize = 100;
/// Lines of a diff or an output that a result shows.
const BODY: usize = 12;

/// `▸ read src/main.rs`
pub fn started(paint: Paint, used: &ToolUse) -> String {
    heading(paint, &used.name, &used.input)
}

/// The same for a call that was not started: what the model asked for.
pub fn asked(paint: Paint, call: &ToolCallPart) -> String {
    let input = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
    heading(paint, Printable::line(&call.name).as_str(), &input)
}

fn heading(paint: Paint, name: &str, input: &Value) -> String {
    format!("▸ {} {}", paint.paint(Style::Tool, name), subject(input))
}

/// What a call is about: its first text, shortened with a count.
fn subject(input: &Value) -> String {
    let text = input
        .as_object()
        .and_then(|fields| fields.values().find_map(Value::as_str))
        .unwrap_or_default();
    shorten(text, INPUT)
}

/// The first characters, and how many were left out.
pub fn shorten(text: &str, limit: usize) -> String {
    let total = text.chars().count();
    let shown: String = text.chars().take(limit).collect();
    let shown = Printable::line(&shown).into_string();
    if total > limit {
        format!("{shown}… (+{} characters)", total - limit)
    } else {
        shown
    }
}

/// `  Done. (0.12s) 3 lines`, and a few lines of what it did.
pub fn finished(paint: Paint, result: &ToolResult) -> Vec<String> {
    let seconds = result.duration_ms as f64 / 1000.0;
    let error = result.envelope.error();
    let first = match (result.status, error) {
        (_, None) => format!(
            "  {} ({seconds:.2}s) {}",
            paint.paint(Style::Green, "Done."),
            summary(&result.display)
        ),
        // What is written for the model says nothing to people here.
        (CallStatus::Denied, Some(error)) => {
            let reason = result
                .explanation
                .as_ref()
                .map_or(error.message.as_str(), |why| &why.reason);
            format!(
                "  {} {}",
                paint.paint(Style::Red, "Denied:"),
                shorten(reason, 400)
            )
        }
        (_, Some(error)) if error.code == ErrorCode::DryRun => {
            format!(
                "  {} {}",
                paint.paint(Style::Bold, "Not done (dry run)."),
                intent(&result.display)
            )
        }
        (_, Some(error)) => format!(
            "  {} ({seconds:.2}s) {}",
            paint.paint(Style::Red, "Failed:"),
            shorten(&error.message, 400)
        ),
    };
    let mut lines = vec![first.trim_end().to_owned()];
    lines.extend(body(paint, &result.display));
    lines
}

/// What a call would have done.
fn intent(display: &Display) -> String {
    match display {
        Display::Terminal { command, .. } => format!("It would run: {}", shorten(command, 400)),
        other => summary(other),
    }
}

fn summary(display: &Display) -> String {
    match display {
        Display::Nothing => String::new(),
        Display::Text { summary, .. } | Display::Files { summary, .. } => shorten(summary, 200),
        Display::Diff { files } => files
            .iter()
            .map(|file| {
                format!(
                    "{} {} +{} -{}",
                    file.operation,
                    shorten(&name(file), 400),
                    file.additions,
                    file.deletions
                )
            })
            .collect::<Vec<_>>()
            .join(", "),
        Display::Terminal { exit_code, job, .. } => match (exit_code, job) {
            (_, Some(job)) => format!("running in the background as {}", Printable::line(job)),
            (Some(code), None) => format!("exit {code}"),
            (None, None) => String::from("no exit code"),
        },
        Display::Todo { items } => format!("{} items", items.len()),
        Display::Table { rows, .. } => format!("{} rows", rows.len()),
    }
}

/// `LICENSE → notes.txt` where a file has another name, or is reached by one.
/// Not yet fit for a screen.
pub fn name(file: &DiffFile) -> String {
    match &file.from {
        Some(from) => format!("{from} → {}", file.path),
        None => file.path.clone(),
    }
}

fn body(paint: Paint, display: &Display) -> Vec<String> {
    match display {
        Display::Diff { files } => files
            .iter()
            .flat_map(|file| diff(paint, &file.unified, BODY))
            .collect(),
        Display::Terminal { output, .. } => tail(paint, output),
        Display::Todo { items } => items
            .iter()
            .map(|item| format!("  {} {}", mark(item.status), shorten(&item.text, 200)))
            .collect(),
        _ => Vec::new(),
    }
}

fn mark(status: TodoStatus) -> &'static str {
    match status {
        TodoStatus::Pending => "[ ]",
        TodoStatus::InProgress => "[~]",
        TodoStatus::Completed => "[x]",
        TodoStatus::Cancelled => "[-]",
    }
}

/// A unified diff in colour, all of it: what somebody decides by.
pub fn whole_diff(paint: Paint, unified: &str) -> Vec<String> {
    // Only line feeds part lines: a carriage return is a part of the change.
    let text = unified.strip_suffix('\n').unwrap_or(unified);
    if text.is_empty() {
        return Vec::new();
    }
    text.split('\n')
        .map(|line| diff_line(paint, line, Printable::line(line).as_str()))
        .collect()
}

fn diff_line(paint: Paint, line: &str, shown: &str) -> String {
    let style = match line.chars().next() {
        Some('+') => Style::Green,
        Some('-') => Style::Red,
        _ => Style::Dim,
    };
    format!("    {}", paint.paint(style, shown))
}

/// A unified diff in colour, at most `limit` lines of it, each shortened.
pub fn diff(paint: Paint, unified: &str, limit: usize) -> Vec<String> {
    let total = unified.lines().count();
    let mut lines: Vec<String> = unified
        .lines()
        .take(limit)
        .map(|line| diff_line(paint, line, &shorten(line, 300)))
        .collect();
    if total > limit {
        lines.push(paint.paint(Style::Dim, &format!("    … (+{} lines)", total - limit)));
    }
    lines
}

/// The last lines of an output.
fn tail(paint: Paint, output: &str) -> Vec<String> {
    let all: Vec<&str> = output.lines().collect();
    let skipped = all.len().saturating_sub(BODY);
    let mut lines = Vec::new();
    if skipped > 0 {
        lines.push(paint.paint(Style::Dim, &format!("    … (+{skipped} lines before)")));
    }
    lines.extend(
        all.iter()
            .skip(skipped)
            .map(|line| paint.paint(Style::Dim, &format!("    {}", shorten(line, 300)))),
    );
    lines
}
