//! The facts that stand beside every summary, written by the program: requests
//! word for word, open tasks, files, commands. Whatever a model leaves out of its
//! summary, the goal, the constraints and the chosen commands are still there.
//! Bounded; each section has a share, and what one does not need the others get.

use crate::compact::text::{lines_within, within};
use tenon_model::estimate_text;
use tenon_session::binds;
use tenon_vocab::{FileDone, Recap, TodoItem, TodoStatus};

/// One section: its heading, its share in percent, and what it would say.
struct Section {
    heading: &'static str,
    share: u64,
    body: Body,
}

enum Body {
    /// Word for word, cut in the middle where it must be.
    Text(String),
    /// Whole lines, the most important first.
    Lines(Vec<String>),
}

impl Section {
    fn need(&self) -> u64 {
        let body = match &self.body {
            Body::Text(text) => estimate_text(text),
            Body::Lines(lines) => lines.iter().map(|line| estimate_text(line) + 1).sum(),
        };
        body + estimate_text(self.heading) + 4
    }

    fn write(&self, tokens: u64) -> Option<String> {
        let tokens = tokens.checked_sub(estimate_text(self.heading) + 4)?;
        let body = match &self.body {
            Body::Text(text) => within(text, tokens),
            Body::Lines(lines) => lines_within(lines, tokens).join("\n"),
        };
        (!body.is_empty()).then(|| format!("## {}\n{body}", self.heading))
    }
}

/// All that fits into so many tokens.
pub(crate) fn write(recap: &Recap, tokens: u64) -> String {
    let mut sections = sections(recap);
    sections.retain(|section| match &section.body {
        Body::Text(text) => !text.is_empty(),
        Body::Lines(lines) => !lines.is_empty(),
    });
    let own = |section: &Section| (tokens.saturating_mul(section.share) / 100).min(section.need());
    let mut left = tokens.saturating_sub(sections.iter().map(own).sum());
    sections
        .iter()
        .filter_map(|section| {
            let base = own(section);
            let more = (section.need() - base).min(left);
            left -= more;
            section.write(base + more)
        })
        .collect::<Vec<_>>()
        .join("\n\n")
}

fn sections(recap: &Recap) -> Vec<Section> {
    let mut prompts = recap.prompts.clone();
    let current = prompts.pop().unwrap_or_default();
    let section = |heading, share, body| Section {
        heading,
        share,
        body,
    };
    vec![
        section(
            "Original request (word for word)",
            28,
            Body::Text(recap.goal.clone()),
        ),
        section(
            "Last request before what follows (word for word)",
            14,
            Body::Text(current),
        ),
        section("Open tasks", 12, Body::Lines(open_tasks(&recap.todo))),
        section(
            "Other things the user said (word for word)",
            18,
            Body::Lines(said(&prompts)),
        ),
        section("Files", 14, Body::Lines(files(recap))),
        section("Commands that were run", 10, Body::Lines(commands(recap))),
        section(
            "Answers of the user",
            4,
            Body::Lines(newest_first(&recap.decisions)),
        ),
    ]
}

pub(crate) fn open_tasks(todo: &[TodoItem]) -> Vec<String> {
    todo.iter()
        .filter(|item| matches!(item.status, TodoStatus::Pending | TodoStatus::InProgress))
        .map(|item| match item.status {
            TodoStatus::InProgress => format!("- {} (in progress)", item.text),
            _ => format!("- {}", item.text),
        })
        .collect()
}

/// What binds later work first, in its order; then the rest, the newest first.
fn said(prompts: &[String]) -> Vec<String> {
    let line = |prompt: &String| format!("- {}", prompt.replace('\n', "\n  "));
    let (binding, others): (Vec<&String>, Vec<&String>) =
        prompts.iter().partition(|prompt| binds(prompt));
    binding
        .into_iter()
        .map(line)
        .chain(others.into_iter().rev().map(line))
        .collect()
}

/// What was changed first, the newest first; then what was only read.
pub(crate) fn files(recap: &Recap) -> Vec<String> {
    let (read, changed): (Vec<_>, Vec<_>) = recap
        .files
        .iter()
        .rev()
        .partition(|file| file.done == FileDone::Read);
    changed
        .into_iter()
        .chain(read)
        .map(|file| format!("- {}: {}", file.path, file.done.name()))
        .collect()
}

/// What is run again and again is how the project is worked with; then the newest.
pub(crate) fn commands(recap: &Recap) -> Vec<String> {
    let mut known: Vec<_> = recap.commands.iter().rev().collect();
    known.sort_by_key(|command| std::cmp::Reverse(command.times.min(3)));
    known
        .into_iter()
        .map(|command| {
            let times = match command.times {
                0 | 1 => String::new(),
                many => format!(" ({many} times)"),
            };
            let line = command.command.replace('\n', "\n  ");
            format!("- `{line}`: {}{times}", command.outcome)
        })
        .collect()
}

fn newest_first(lines: &[String]) -> Vec<String> {
    lines.iter().rev().map(|line| format!("- {line}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_vocab::{CommandFact, FileFact};

    fn recap() -> Recap {
        Recap {
            goal: "Port the parser to the new lexer.".into(),
            prompts: (0..90)
                .map(|n| match n {
                    3 => "Never touch vendor/.".into(),
                    n => format!("and now step number {n}, please, as we discussed"),
                })
                .collect(),
            files: (0..80)
                .map(|n| FileFact {
                    path: format!("src/file_{n}.rs"),
                    done: if n == 2 {
                        FileDone::Edited
                    } else {
                        FileDone::Read
                    },
                })
                .collect(),
            commands: (0..50)
                .map(|n| CommandFact {
                    command: if n == 1 {
                        "make check-fast".into()
                    } else {
                        format!("ls {n}")
                    },
                    outcome: "exit 0".into(),
                    times: if n == 1 { 9 } else { 1 },
                })
                .collect(),
            todo: vec![TodoItem {
                text: "write the changelog".into(),
                status: TodoStatus::Pending,
            }],
            ..Recap::default()
        }
    }

    #[test]
    fn what_matters_is_there_word_for_word_however_little_room_there_is() {
        for tokens in [400, 800, 1_200] {
            let text = write(&recap(), tokens);
            assert!(estimate_text(&text) <= tokens + 20, "{tokens}: {text}");
            for fact in [
                "Port the parser to the new lexer.",
                "Never touch vendor/.",
                "make check-fast",
                "write the changelog",
                "src/file_2.rs: edited",
                "and now step number 89",
            ] {
                assert!(text.contains(fact), "{tokens}: no {fact} in {text}");
            }
        }
    }

    #[test]
    fn a_long_request_is_cut_and_the_cut_is_said() {
        let long = Recap {
            goal: "Do it with care. ".repeat(2_000),
            ..recap()
        };
        let text = write(&long, 800);
        assert!(text.contains("characters cut"), "{text}");
        assert!(text.contains("make check-fast"), "{text}");
        assert!(estimate_text(&text) <= 820);
    }
}
