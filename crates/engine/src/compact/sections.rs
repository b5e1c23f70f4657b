//! The summary that needs no model (C5): the same sections, from the facts of the
//! log. It knows what was done and not why; so what the model last said, and the
//! last summary of a model, are kept in it.

use crate::compact::facts;
use crate::compact::text::{lines_within, within};
use tenon_vocab::{FileDone, Recap, TodoStatus};

/// The headings of a summary, whoever writes it.
pub(crate) mod heading {
    pub(crate) const OBJECTIVE: &str = "Objective";
    pub(crate) const REQUEST: &str = "Original request";
    pub(crate) const COMPLETED: &str = "Work completed";
    pub(crate) const STATE: &str = "Current state";
    pub(crate) const CONTEXT: &str = "Critical context";
    pub(crate) const FILES: &str = "Files touched";
    pub(crate) const RISKS: &str = "Pending risks";
    pub(crate) const NEXT: &str = "Next steps";
}

/// What there is besides the facts.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Beside<'a> {
    /// The summary that stood before, where a model wrote it.
    pub(crate) earlier: Option<&'a str>,
    /// What the model last said in the part that is replaced.
    pub(crate) said: Option<&'a str>,
}

pub(crate) fn write(recap: &Recap, beside: Beside<'_>, tokens: u64) -> String {
    let share = |percent: u64| tokens.saturating_mul(percent) / 100;
    let mut sections: Vec<(&str, String)> = Vec::new();
    if let Some(earlier) = beside.earlier {
        sections.push(("Earlier", within(earlier.trim(), share(35))));
    }
    sections.push((heading::OBJECTIVE, objective(recap, share(15))));
    sections.push((heading::COMPLETED, completed(recap, share(20))));
    sections.push((heading::STATE, state(recap, beside.said, share(20))));
    sections.push((heading::RISKS, risks(recap, share(8))));
    sections.push((heading::NEXT, next(recap, share(12))));
    sections.retain(|(_, body)| !body.is_empty());
    sections
        .into_iter()
        .map(|(heading, body)| format!("## {heading}\n{body}"))
        .collect::<Vec<_>>()
        .join("\n\n")
}

fn objective(recap: &Recap, tokens: u64) -> String {
    let first = recap.goal.lines().next().unwrap_or_default();
    within(first, tokens)
}

fn completed(recap: &Recap, tokens: u64) -> String {
    let changed = Recap {
        files: recap
            .files
            .iter()
            .filter(|file| file.done != FileDone::Read)
            .cloned()
            .collect(),
        ..Recap::default()
    };
    let mut lines = facts::files(&changed);
    lines.extend(
        recap
            .todo
            .iter()
            .filter(|item| item.status == TodoStatus::Completed)
            .map(|item| format!("- done: {}", item.text)),
    );
    lines_within(&lines, tokens).join("\n")
}

fn state(recap: &Recap, said: Option<&str>, tokens: u64) -> String {
    let mut lines = Vec::new();
    if let Some(last) = recap.commands.last() {
        let command = within(&last.command, tokens / 3);
        lines.push(format!("The last command: `{command}`: {}", last.outcome));
    }
    if let Some(said) = said {
        let said = within(said.trim(), tokens * 2 / 3);
        lines.push(format!("The assistant last said: {said}"));
    }
    lines.join("\n")
}

fn risks(recap: &Recap, tokens: u64) -> String {
    let lines: Vec<String> = recap
        .errors
        .iter()
        .rev()
        .take(5)
        .map(|error| format!("- failed: {error}"))
        .collect();
    lines_within(&lines, tokens).join("\n")
}

fn next(recap: &Recap, tokens: u64) -> String {
    let open = facts::open_tasks(&recap.todo);
    if open.is_empty() {
        return String::from(
            "Go on with the last request. This summary was made without a model: look at the files before you rely on it.",
        );
    }
    lines_within(&open, tokens).join("\n")
}
