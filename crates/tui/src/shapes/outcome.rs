//! How a call ended, in one line: the same words as in the plain renderer.

use super::{Fold, changes, count, parts};
use crate::text::{Line, Role, Span, Style};
use tenon_vocab::{AnsweredBy, CallStatus, Display, ErrorCode, TodoItem, TodoStatus, ToolResult};

/// Characters of a message that are shown folded.
const MESSAGE: usize = 400;

pub(super) fn lines(result: &ToolResult, fold: Fold, columns: usize) -> Vec<Line> {
    let seconds = format!(" ({:.2}s)", result.duration_ms as f64 / 1000.0);
    let took = Span::new(Role::Dim, &seconds);
    let bold = Style::from(Role::Text).bold();
    let said = |text: &str| Span::new(Role::Text, &format!(" {}", shortened(text, fold)));
    let mut spans = vec![Span::new(Role::Text, "  ")];
    match (result.status, result.envelope.error()) {
        (_, None) => {
            spans.push(match ended_badly(&result.display) {
                true => Span::new(Role::Error, "Failed."),
                false => Span::new(Role::Success, "Done."),
            });
            spans.push(took);
            spans.extend(summary(&result.display, fold));
        }
        // What is written for the model says nothing to people here.
        (CallStatus::Denied, Some(error)) => {
            let reason = result
                .explanation
                .as_ref()
                .map_or(error.message.as_str(), |why| &why.reason);
            let by_user = result
                .explanation
                .as_ref()
                .and_then(|why| why.answered_by.as_deref())
                == Some(AnsweredBy::User.name());
            let word = if by_user { "Denied by you:" } else { "Denied:" };
            spans.push(Span::new(Role::Error, word));
            spans.push(said(reason));
        }
        (CallStatus::NotStarted, Some(error)) => {
            spans.push(Span::new(bold, "Not run:"));
            spans.push(said(&error.message));
        }
        (_, Some(error)) if error.code == ErrorCode::DryRun => {
            spans.push(Span::new(bold, "Not done (dry run)."));
            match &result.display {
                Display::Terminal { command, .. } => {
                    spans.push(said(&format!("It would run: {command}")));
                }
                other => spans.extend(summary(other, fold)),
            }
        }
        (_, Some(error)) => {
            spans.push(Span::new(Role::Error, "Failed:"));
            spans.push(took);
            spans.push(said(&error.message));
        }
    }
    parts(&Line::of(spans), columns, 4)
}

/// A command that ran and says itself that it failed.
fn ended_badly(display: &Display) -> bool {
    matches!(display, Display::Terminal { exit_code: Some(code), .. } if *code != 0)
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
        Display::Terminal { exit_code, job, .. } => match (exit_code, job) {
            (_, Some(job)) => format!("running in the background as {job}"),
            (Some(code), None) => format!("exit {code}"),
            (None, None) => String::from("no exit code"),
        },
        Display::Todo { items } => progress(items),
        Display::Table { rows, .. } => count(rows.len(), "row"),
    };
    match text.is_empty() {
        true => Vec::new(),
        false => vec![Span::new(Role::Text, &format!(" {text}"))],
    }
}

/// `2 of 5 done`
fn progress(items: &[TodoItem]) -> String {
    let is_done = |item: &&TodoItem| item.status == TodoStatus::Completed;
    match items.len() {
        0 => String::from("no items"),
        all => format!("{} of {all} done", items.iter().filter(is_done).count()),
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
