//! The facts that stand beside every summary, written by the program: requests
//! word for word, open tasks, files, commands. Whatever a model leaves out of its
//! summary, the goal, the constraints and the chosen commands are still there.
//! Bounded; each section has a share, and what one does not need the others get.

use crate::compact::text::{lines_within, within};
use crate::compact::view::View;
use tenon_model::estimate_text;
use tenon_session::{FIRST_KEPT, LONGEST_GOAL, binds};
use tenon_vocab::{FileDone, Message, Origin, Part, Recap, TodoItem, TodoStatus, marked};

/// Percent of the facts that the original request has at least.
pub(crate) const GOAL: u64 = 26;
/// A line that is longer than this part of its section is cut: it must not keep
/// all others out, nor be left out itself.
const LINE: u64 = 2;
/// Tokens that a line has in any case.
const SHORT: u64 = 40;

/// One section: its heading, its share in percent, and what it would say.
struct Section {
    heading: &'static str,
    share: u64,
    body: Body,
}

enum Body {
    /// Word for word, cut in the middle where it must be, and then under this
    /// heading.
    Text(String, &'static str),
    /// All of them, each cut where it must be.
    Each(Vec<String>),
    /// Whole lines, the most important first.
    Lines(Vec<String>),
}

impl Section {
    fn is_empty(&self) -> bool {
        match &self.body {
            Body::Text(text, _) => text.is_empty(),
            Body::Each(lines) | Body::Lines(lines) => lines.is_empty(),
        }
    }

    fn need(&self) -> u64 {
        let body = match &self.body {
            Body::Text(text, _) => estimate_text(text),
            Body::Each(lines) | Body::Lines(lines) => lines.iter().map(cost).sum(),
        };
        body + estimate_text(self.heading) + 4
    }

    fn write(&self, tokens: u64) -> Option<String> {
        let tokens = tokens.checked_sub(estimate_text(self.heading) + 4)?;
        let mut heading = self.heading;
        let body = match &self.body {
            Body::Text(text, heading_of_cut) => {
                let cut = within(text, tokens);
                // What is longer than that was cut before it came here.
                if cut != *text || text.chars().count() > LONGEST_GOAL {
                    heading = heading_of_cut;
                }
                cut
            }
            Body::Each(lines) => each_within(lines, tokens).join("\n"),
            Body::Lines(lines) => {
                let most = (tokens / LINE).max(SHORT).min(tokens);
                let lines: Vec<String> = lines.iter().map(|line| within(line, most)).collect();
                lines_within(&lines, tokens).join("\n")
            }
        };
        (!body.is_empty()).then(|| format!("## {heading}\n{body}"))
    }
}

#[expect(clippy::ptr_arg, reason = "the form that iterators over strings give")]
fn cost(line: &String) -> u64 {
    estimate_text(line) + 1
}

/// Every line in its place; what the short ones do not need the long ones get.
fn each_within(lines: &[String], tokens: u64) -> Vec<String> {
    let mut by_length: Vec<usize> = (0..lines.len()).collect();
    by_length.sort_by_key(|index| cost(&lines[*index]));
    let mut written = vec![String::new(); lines.len()];
    let mut left = tokens;
    for (done, index) in by_length.into_iter().enumerate() {
        let share = left / (lines.len() - done) as u64;
        let line = within(&lines[index], share.saturating_sub(1));
        left = left.saturating_sub(cost(&line));
        written[index] = line;
    }
    written
}

/// All that fits into so many tokens, of which the original request may have so
/// many.
pub(crate) fn write(recap: &Recap, tokens: u64, goal: u64) -> String {
    let goal = goal.max(tokens.saturating_mul(GOAL) / 100).min(tokens);
    let mut sections = sections(recap);
    sections.retain(|section| !section.is_empty());
    let own = |section: &Section| {
        let share = match section.share {
            GOAL => goal,
            percent => (tokens - goal).saturating_mul(percent) / (100 - GOAL),
        };
        share.min(section.need())
    };
    let mut left = tokens.saturating_sub(sections.iter().map(own).sum());
    let is_short = |section: &&Section| section.need() > own(section);
    let mut short = sections.iter().filter(is_short).count() as u64;
    sections
        .iter()
        .filter_map(|section| {
            let base = own(section);
            let mut more = 0;
            if is_short(&section) {
                more = (section.need() - base).min(left / short.max(1));
                left -= more;
                short -= 1;
            }
            section.write(base + more)
        })
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// What the original request needs to be kept whole.
pub(crate) fn need_of_goal(view: &View) -> u64 {
    let known = view
        .previous
        .as_ref()
        .and_then(|known| known.recap.as_ref());
    let goal = match known {
        Some(recap) if !recap.goal.is_empty() => estimate_text(&recap.goal),
        _ => view
            .items
            .iter()
            .filter(|item| item.message.origin == Origin::User)
            .map(|item| said_in(&item.message))
            .find(|tokens| *tokens > 0)
            .unwrap_or(0),
    };
    // Its heading, and what an estimate in pieces may be off by.
    goal + 40
}

fn said_in(message: &Message) -> u64 {
    message
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Text { text } if marked::of(text).is_none() => Some(estimate_text(text)),
            _ => None,
        })
        .sum()
}

fn sections(recap: &Recap) -> Vec<Section> {
    let (current, before) = match recap.prompts.split_last() {
        Some((current, before)) => (current.clone(), before),
        None => (String::new(), &[][..]),
    };
    let (first, later) = before.split_at(before.len().min(FIRST_KEPT));
    let section = |heading, share, body| Section {
        heading,
        share,
        body,
    };
    vec![
        section(
            "Original request (word for word)",
            GOAL,
            Body::Text(
                recap.goal.clone(),
                "Original request (too long to be kept whole: its beginning and its end)",
            ),
        ),
        section(
            "Last request before what follows (word for word)",
            12,
            Body::Text(
                current,
                "Last request before what follows (too long to be kept whole)",
            ),
        ),
        section("Open tasks", 10, Body::Lines(open_tasks(&recap.todo))),
        section(
            "What the user said first after that (word for word)",
            13,
            Body::Each(first.iter().map(line).collect()),
        ),
        section(
            "Other things the user said (word for word)",
            11,
            Body::Lines(said(later, first)),
        ),
        section("Files", 10, Body::Lines(files(recap))),
        section("Commands that were run", 10, Body::Lines(commands(recap))),
        section(
            "Answers of the user",
            8,
            Body::Lines(said(&recap.decisions, &[])),
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

#[expect(clippy::ptr_arg, reason = "the form that iterators over strings give")]
fn line(words: &String) -> String {
    format!("- {}", words.replace('\n', "\n  "))
}

/// One of each in turn, each only once: however many there are of one kind, the
/// others have their part.
fn in_turn(kinds: &[Vec<usize>]) -> Vec<usize> {
    let longest = kinds.iter().map(Vec::len).max().unwrap_or(0);
    let mut order: Vec<usize> = Vec::new();
    for index in (0..longest).flat_map(|at| kinds.iter().filter_map(move |kind| kind.get(at))) {
        if !order.contains(index) {
            order.push(*index);
        }
    }
    order
}

/// What looks as if it binds later work and the newest, in turn.
fn said(words: &[String], known: &[String]) -> Vec<String> {
    let words: Vec<&String> = words.iter().filter(|said| !known.contains(said)).collect();
    let binding = (0..words.len()).filter(|at| binds(words[*at])).collect();
    let newest = (0..words.len()).rev().collect();
    in_turn(&[binding, newest])
        .into_iter()
        .map(|at| line(words[at]))
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

/// What is run again and again is how the project is worked with; what was run
/// first is how that was found out; then the newest.
pub(crate) fn commands(recap: &Recap) -> Vec<String> {
    let known = &recap.commands;
    let newest: Vec<usize> = (0..known.len()).rev().collect();
    let mut often = newest.clone();
    often.retain(|at| known[*at].times > 1);
    often.sort_by_key(|at| std::cmp::Reverse(known[*at].times.min(3)));
    let first = (0..known.len().min(FIRST_KEPT)).collect();
    in_turn(&[often, first, newest])
        .into_iter()
        .map(|at| &known[at])
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
            let text = write(&recap(), tokens, 0);
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
        let text = write(&long, 800, 0);
        assert!(text.contains("characters cut"), "{text}");
        assert!(!text.contains("Original request (word for word)"), "{text}");
        assert!(text.contains("make check-fast"), "{text}");
        assert!(estimate_text(&text) <= 820);
    }

    #[test]
    fn with_its_room_a_long_request_is_whole() {
        let rules: String = (0..120)
            .map(|n| format!("{n}. Rule number {n} is one of many, and each of them counts.\n"))
            .collect();
        let long = Recap {
            goal: rules.clone(),
            ..recap()
        };
        let goal = estimate_text(&rules) + 40;
        let text = write(&long, 900 + goal, goal);
        assert!(text.contains(&rules), "{text}");
        assert!(text.contains("Original request (word for word)"), "{text}");
        assert!(text.contains("Never touch vendor/."), "{text}");
        // What was cut before is no longer word for word either.
        let book = Recap {
            goal: "x".repeat(LONGEST_GOAL + 1),
            ..Recap::default()
        };
        let text = write(&book, 100_000, 90_000);
        assert!(text.contains("too long to be kept whole"));
    }

    #[test]
    fn the_first_words_and_commands_are_there_whatever_they_say_and_however_long() {
        let frozen = "Everything below vendor/legacy is frozen; the public API stays.";
        let mut facts = recap();
        facts.prompts = (0..90)
            .map(|n| format!("You must always use part {n}, and never do it without the others."))
            .collect();
        facts.prompts[1] = frozen.into();
        facts.prompts[2] = "A long word, and longer. ".repeat(80);
        for command in &mut facts.commands {
            command.times = 7;
        }
        facts.commands[2].times = 1;
        facts.commands[2].command = "./configure --with-once".into();
        for tokens in [800, 1_200] {
            let text = write(&facts, tokens, 0);
            assert!(estimate_text(&text) <= tokens + 20, "{tokens}: {text}");
            for fact in [frozen, "A long word", "part 88,", "--with-once", "ls 49"] {
                assert!(text.contains(fact), "{tokens}: no {fact} in {text}");
            }
        }
    }

    #[test]
    fn an_answer_of_the_user_is_there_however_long_it_is() {
        let mut facts = recap();
        facts.decisions = (0..40)
            .map(|n| {
                format!(
                    "Which one for {n}?: number {n}. {}",
                    "It is so. ".repeat(60)
                )
            })
            .collect();
        for tokens in [800, 1_200] {
            let text = write(&facts, tokens, 0);
            assert!(text.contains("number 39"), "{tokens}: {text}");
            assert!(estimate_text(&text) <= tokens + 20, "{tokens}: {text}");
        }
    }
}
