//! The frames in which a reply of the markdown dialect is drawn: thoughts, task list,
//! tool and result, each in a box of its own. On a screen too narrow for them there
//! are none. For the lines of the plain front end as well.

use crate::shapes::{self, Fold};
use crate::text::{Line, Role, Span, Style, wrap};
use tenon_vocab::figures::count;
use tenon_vocab::{Display, TodoItem, TodoStatus, ToolResult, form, names, subject};

/// Fewer columns are too narrow.
pub const NARROWEST: usize = 40;
/// Longer lines are hard to read.
const WIDEST: usize = 100;
/// Lines of an input or of a tree that are shown folded.
const BODY: usize = 40;

/// Whether there is room for boxes.
#[must_use]
pub fn fit(columns: usize) -> bool {
    columns >= NARROWEST
}

#[must_use]
pub fn thoughts(text: &str, columns: usize) -> Vec<Line> {
    let lines = text.trim().lines().map(|line| Line::new(Role::Dim, line));
    framed(&Line::new(Role::Dim, "Thoughts"), lines.collect(), columns)
}

#[must_use]
pub fn tasks(items: &[TodoItem], columns: usize) -> Vec<Line> {
    let lines = items.iter().map(|item| {
        let style: Style = match item.status {
            TodoStatus::Pending => Role::Text.into(),
            TodoStatus::InProgress => Role::Warning.into(),
            TodoStatus::Completed => Role::Success.into(),
            TodoStatus::Cancelled => Role::Dim.into(),
        };
        Line::new(style, &format!("{} {}", item.status.mark(), item.text))
    });
    framed(
        &Line::new(Role::Accent, "Task List"),
        lines.collect(),
        columns,
    )
}

/// What is called, and with what.
#[must_use]
pub fn tool(name: &str, input: &serde_json::Value, fold: Fold, columns: usize) -> Vec<Line> {
    let title = Line::of([
        Span::new(Role::Text, "Tool: "),
        Span::new(Style::from(Role::Tool).bold(), name),
    ]);
    let is_empty = input.as_object().is_none_or(serde_json::Map::is_empty);
    let about = match subject(name, input) {
        Some(about) => about.to_owned(),
        None if is_empty => String::new(),
        None => input.to_string(),
    };
    let lines = about.lines().map(|line| Line::new(Role::Text, line));
    framed(&title, folded(lines.collect(), fold), columns)
}

/// What came of it: how it ended, and what it shows. A listing is its tree.
#[must_use]
pub fn result(result: &ToolResult, fold: Fold, columns: usize) -> Vec<Line> {
    let mut lines = shapes::result(result, fold, inner(columns));
    if let Display::Text { body, .. } = &result.display
        && result.name == names::tool::LIST
    {
        lines.truncate(1);
        let tree = form::branches(body);
        let tree = tree.iter().map(|line| Line::new(Role::Text, line));
        lines.extend(folded(tree.collect(), fold));
    }
    framed(&Line::new(Role::Text, "Result"), lines, columns)
}

fn folded(mut lines: Vec<Line>, fold: Fold) -> Vec<Line> {
    let more = lines.len().saturating_sub(BODY);
    if fold == Fold::Folded && more > 0 {
        lines.truncate(BODY);
        lines.push(Line::new(
            Role::Dim,
            &format!("… (+{})", count(more, "line")),
        ));
    }
    lines
}

fn outer(columns: usize) -> usize {
    columns.min(WIDEST)
}

fn inner(columns: usize) -> usize {
    outer(columns).saturating_sub(4)
}

/// `┌─ title ───┐`, and below it the lines between `│`.
fn framed(title: &Line, lines: Vec<Line>, columns: usize) -> Vec<Line> {
    let (outer, inner) = (outer(columns), inner(columns));
    let border = |text: &str| Span::new(Role::Border, text);
    let title = title.clone().cut(inner.saturating_sub(2));
    let rest = outer.saturating_sub(title.width() + 5);
    let mut top = title.behind(border("┌─ "));
    top.spans.push(border(&format!(" {}┐", "─".repeat(rest))));
    let mut framed = vec![top];
    for line in lines.iter().flat_map(|line| wrap(line, inner, 2)) {
        let blank = " ".repeat(inner.saturating_sub(line.width()));
        let mut row = line.behind(border("│ "));
        row.spans.push(border(&format!("{blank} │")));
        framed.push(row);
    }
    let bottom = format!("└{}┘", "─".repeat(outer.saturating_sub(2)));
    framed.push(Line::new(Role::Border, &bottom));
    framed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_a_box_is_as_wide_as_the_others() {
        let text = "The user wants 漢字 and a lot of other things that do not fit one row at all.";
        for columns in [NARROWEST, 61, 80, 300] {
            let lines = thoughts(text, columns);
            let widths: Vec<usize> = lines.iter().map(Line::width).collect();
            let wanted = columns.min(WIDEST);
            assert!(widths.iter().all(|width| *width == wanted), "{widths:?}");
            assert!(lines[0].plain().starts_with("┌─ Thoughts ─"));
            assert!(lines[1].plain().starts_with("│ The user"));
        }
    }

    #[test]
    fn a_tool_is_named_and_its_input_stands_below() {
        let lines = tool(
            "bash",
            &serde_json::json!({"command": "ls -l"}),
            Fold::Folded,
            40,
        );
        let plain: Vec<String> = lines.iter().map(Line::plain).collect();
        assert_eq!(
            plain,
            [
                "┌─ Tool: bash ─────────────────────────┐",
                "│ ls -l                                │",
                "└──────────────────────────────────────┘",
            ]
        );
    }
}
