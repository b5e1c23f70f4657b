//! How a call ended, in one line.

use super::{Fold, changes, count, parts};
use crate::text::{Line, Role, Span, Style};
use tenon_vocab::{Display, Ending, ToolResult, progress};

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
    if ending.is_timed() {
        let seconds = format!(" ({:.2}s)", result.duration_ms as f64 / 1000.0);
        spans.push(Span::new(Role::Dim, &seconds));
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
