//! How a call ended, in one line; of a good end only what came of it.

use super::{Fold, changes, count, parts, subject};
use crate::text::{Line, Role, Span, Style};
use serde_json::Value;
use std::time::Duration;
use tenon_vocab::{DiffFile, Display, Ending, ToolResult, figures, progress};

/// Characters of a message that are shown folded.
const MESSAGE: usize = 400;

pub(super) fn lines(result: &ToolResult, fold: Fold, columns: usize) -> Vec<Line> {
    let ending = result.ending();
    let style = match ending {
        Ending::Done => Role::Success.into(),
        Ending::NotRun(_) | Ending::DryRun => Style::from(Role::Text).bold(),
        Ending::EndedBadly | Ending::Denied(_) | Ending::DeniedByUser(_) | Ending::Failed(_) => {
            Role::Error.into()
        }
    };
    let mut spans = vec![Span::new(Role::Text, "  "), Span::new(style, ending.word())];
    if ending.is_timed() && result.is_slow() {
        spans.push(Span::new(Role::Dim, &format!(" ({})", time(result))));
    }
    let said = |text: &str| Span::new(Role::Text, &format!(" {}", shortened(text, fold)));
    match (ending, ending.why(), &result.display) {
        (_, Some(why), _) => spans.push(said(why)),
        (Ending::DryRun, None, Display::Terminal { command, .. }) => {
            spans.push(said(&format!("It would run: {command}")));
        }
        (_, None, display) => spans.extend(summary(display, fold)),
    }
    parts(&Line::of(spans), columns, 4)
}

/// What stands behind the heading of a call that went well, the time only where
/// it was long; `None` where how it ended needs a line.
pub(super) fn behind(
    input: &Value,
    result: &ToolResult,
    fold: Fold,
    columns: usize,
) -> Option<Line> {
    if result.ending() != Ending::Done {
        return None;
    }
    let mut line = match &result.display {
        Display::Diff { files } => Line::of(changed(files)),
        display => {
            let said = said(display);
            let said = subject::apart(&said, &result.name, input);
            subject::behind(&shortened(said, fold), columns)
        }
    };
    if result.is_slow() {
        line.push(Role::Dim, &format!("  {}", time(result)));
    }
    Some(line)
}

/// A file by its name, several by their number: each has a heading below.
fn changed(files: &[DiffFile]) -> Vec<Span> {
    let [file] = files else {
        let sum = |of: fn(&DiffFile) -> u64| files.iter().map(of).sum::<u64>();
        return vec![
            Span::new(Role::Text, &format!(" {}", count(files.len(), "file"))),
            Span::new(Role::Added, &format!(" +{}", sum(|file| file.additions))),
            Span::new(Role::Removed, &format!(" -{}", sum(|file| file.deletions))),
        ];
    };
    let mut spans = changes::title(file, "");
    if file.operation != "updated" {
        spans.push(Span::new(Role::Dim, &format!("  {}", file.operation)));
    }
    spans
}

fn time(result: &ToolResult) -> String {
    figures::took(Duration::from_millis(result.duration_ms))
}

/// What a call gave, in a word or two; empty where what it shows says it.
pub(super) fn said(display: &Display) -> String {
    match display {
        Display::Nothing | Display::Diff { .. } => String::new(),
        Display::Text { summary, .. } | Display::Files { summary, .. } => summary.clone(),
        Display::Terminal {
            exit_code: Some(0),
            job: None,
            state: None,
            output,
            ..
        } => match output.trim().is_empty() {
            true => String::from("no output"),
            false => String::new(),
        },
        Display::Terminal { .. } => display.exit().unwrap_or_default(),
        Display::Todo { items } => progress(items),
        Display::Table { rows, .. } => count(rows.len(), "row"),
    }
}

fn summary(display: &Display, fold: Fold) -> Vec<Span> {
    let text = match display {
        Display::Nothing => String::new(),
        Display::Text { summary, .. } | Display::Files { summary, .. } => shortened(summary, fold),
        Display::Diff { files } => match files.as_slice() {
            [file] => {
                let mut spans = vec![Span::new(Role::Text, " ")];
                spans.extend(changes::title(file, &file.operation));
                return spans;
            }
            files => count(files.len(), "file"),
        },
        Display::Terminal { .. } => display.exit().unwrap_or_default(),
        Display::Todo { items } => progress(items),
        Display::Table { rows, .. } => count(rows.len(), "row"),
    };
    match text.is_empty() {
        true => Vec::new(),
        false => vec![Span::new(Role::Text, &format!(" {text}"))],
    }
}

/// The first characters, and how many were left out.
fn shortened(text: &str, fold: Fold) -> String {
    let Some((at, _)) = text.char_indices().nth(MESSAGE) else {
        return text.to_owned();
    };
    if fold == Fold::Whole {
        return text.to_owned();
    }
    let (shown, rest) = text.split_at(at);
    format!("{shown}… (+{} characters)", rest.chars().count())
}
