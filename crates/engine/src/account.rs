//! What fills the window, part by part, with where each part comes from (C4).
//! Pure: the session's own answer to `/context` and `tenon context show` are
//! made by it. Figures are estimates, the same that the limits of a request go
//! by; what a server counted is known to the meter alone.

use crate::prompt::{self, Fragment};
use std::sync::Arc;
use tenon_model::{estimate_message, estimate_text, estimate_tool};
use tenon_vocab::marked::{self, Mark};
use tenon_vocab::{Message, Origin, Part, Role, ToolSpec};

/// One part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// `base`, `rules`, `tools`, `prompts`, …
    pub part: &'static str,
    /// A path, `built-in`, or how many there are.
    pub source: String,
    /// As written by its author: without the header that a file gets.
    pub bytes: u64,
    pub tokens: u64,
}

/// All parts in the order in which they are sent.
#[must_use]
pub fn shares(fragments: &[Fragment], tools: &[ToolSpec], history: &[Arc<Message>]) -> Vec<Share> {
    let mut all: Vec<Share> = prompt::ordered(fragments)
        .into_iter()
        .map(|piece| Share {
            part: piece.kind.name(),
            source: piece.source.clone(),
            bytes: prompt::written(piece).len() as u64,
            tokens: estimate_text(&piece.text),
        })
        .collect();
    all.extend(of_tools(tools));
    all.extend(of_history(history));
    all
}

/// The sum of the parts.
#[must_use]
pub fn total(shares: &[Share]) -> u64 {
    shares.iter().map(|share| share.tokens).sum()
}

/// Each source of tools on its own, in the order of its first tool.
fn of_tools(tools: &[ToolSpec]) -> Vec<Share> {
    let mut found: Vec<(&str, u64, Share)> = Vec::new();
    for tool in tools {
        let bytes = tool.name.len() + tool.description.len() + tool.parameters.to_string().len();
        let (bytes, tokens) = (bytes as u64, estimate_tool(tool));
        match found.iter_mut().find(|(source, ..)| *source == tool.source) {
            Some((_, count, share)) => {
                *count += 1;
                share.bytes += bytes;
                share.tokens += tokens;
            }
            None => {
                let share = Share {
                    part: "tools",
                    source: String::new(),
                    bytes,
                    tokens,
                };
                found.push((&tool.source, 1, share));
            }
        }
    }
    found
        .into_iter()
        .map(|(source, count, share)| Share {
            source: format!("{source}, {count}"),
            ..share
        })
        .collect()
}

/// What a part of a message counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Summary,
    Prompts,
    Notes,
    Answers,
    Calls,
    Results,
    Images,
}

impl Kind {
    /// In the order in which they are listed.
    const ALL: [Self; 7] = [
        Self::Summary,
        Self::Prompts,
        Self::Notes,
        Self::Answers,
        Self::Calls,
        Self::Results,
        Self::Images,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Prompts => "prompts",
            Self::Notes => "notes",
            Self::Answers => "answers",
            Self::Calls => "calls",
            Self::Results => "results",
            Self::Images => "images",
        }
    }

    fn of(message: &Message, part: &Part) -> Self {
        match (part, message.role, message.origin) {
            (Part::Image { .. }, ..) => Self::Images,
            (Part::ToolCall(_), ..) => Self::Calls,
            (Part::ToolResult { .. }, ..) | (_, Role::Tool, _) => Self::Results,
            (_, _, Origin::Shell) => Self::Notes,
            (_, Role::Assistant, _) => Self::Answers,
            (_, Role::User, Origin::Compaction) => Self::Summary,
            (Part::Text { text }, Role::User, Origin::User) if marked::of(text).is_some() => {
                Self::Notes
            }
            (_, Role::User, Origin::User | Origin::Steer) => Self::Prompts,
            (_, Role::User, _) => Self::Notes,
        }
    }
}

/// Lines for what came later, at most; the smaller ones are added up.
const NAMED: usize = 30;

/// A file, folder, skill or rules that came with a prompt or a result.
struct Named {
    mark: Mark,
    source: String,
    times: u64,
    bytes: u64,
    tokens: u64,
}

/// What a note is and where it comes from, for those that come from a place.
fn origin(text: &str) -> Option<(Mark, String)> {
    let mark = marked::of(text)?;
    let source = match mark {
        Mark::Rules => marked::mentioned(mark, "path", text).into_iter().next()?,
        Mark::File | Mark::Folder => marked::read(mark, "path", text)?.0,
        Mark::Skill => {
            let folder = marked::read(mark, "folder", text);
            folder.or_else(|| marked::read(mark, "name", text))?.0
        }
        Mark::Agent => marked::read(mark, "name", text)?.0,
        Mark::Shell
        | Mark::Hook
        | Mark::Undo
        | Mark::AddedFolders
        | Mark::Jobs
        | Mark::Permissions
        | Mark::Git => return None,
    };
    Some((mark, source))
}

/// The rules of folders that follow a result, each with its length. Only for the
/// figures: a file that ends like this is counted so.
fn after_result(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut rest = text.trim_end();
    while rest.ends_with("</rules>") {
        let Some(at) = rest.rfind("<rules path=\"") else {
            break;
        };
        // The sentence stands on the line before.
        let before = rest[..at].trim_end_matches('\n');
        let begin = before.rfind('\n').unwrap_or(0);
        let paths = marked::mentioned(Mark::Rules, "path", &rest[at..]);
        let Some(path) = paths.into_iter().next() else {
            break;
        };
        found.push((path, rest.len() - begin));
        rest = rest[..begin].trim_end();
    }
    found
}

fn add(all: &mut Vec<Named>, mark: Mark, source: String, bytes: u64, tokens: u64) {
    let same = |one: &&mut Named| one.mark == mark && one.source == source;
    if let Some(known) = all.iter_mut().find(same) {
        known.times += 1;
        known.bytes += bytes;
        known.tokens += tokens;
        return;
    }
    all.push(Named {
        mark,
        source,
        times: 1,
        bytes,
        tokens,
    });
}

fn of_history(history: &[Arc<Message>]) -> Vec<Share> {
    let mut sums = Kind::ALL.map(|kind| (kind, 0_u64, 0_u64, 0_u64));
    let mut named: Vec<Named> = Vec::new();
    for message in history {
        // What a template puts around a message goes to its first part.
        let mut around = Some(());
        for part in &message.parts {
            let kind = Kind::of(message, part);
            let alone = Message {
                parts: vec![part.clone()],
                ..Message::new(message.role, message.origin, Vec::new())
            };
            let mut tokens = estimate_message(&alone);
            if around.take().is_none() {
                tokens = tokens.saturating_sub(estimate_message(&Message::new(
                    message.role,
                    message.origin,
                    Vec::new(),
                )));
            }
            let mut bytes = bytes_of(part);
            if let (Kind::Notes, Part::Text { text }) = (kind, part)
                && let Some((mark, source)) = origin(text)
            {
                add(&mut named, mark, source, bytes, tokens);
                continue;
            }
            if let Part::ToolResult { text, .. } = part {
                for (path, length) in after_result(text) {
                    let length = (length as u64).min(bytes);
                    let share = (tokens * length).checked_div(bytes).unwrap_or(0);
                    bytes -= length;
                    tokens -= share;
                    add(&mut named, Mark::Rules, path, length, share);
                }
            }
            if let Some((_, count, sum, of)) = sums.iter_mut().find(|(one, ..)| *one == kind) {
                *count += 1;
                *sum += bytes;
                *of += tokens;
            }
        }
    }
    let mut shares: Vec<Share> = sums
        .into_iter()
        .filter(|(_, count, ..)| *count > 0)
        .map(|(kind, count, bytes, tokens)| Share {
            part: kind.name(),
            source: format!("history, {count}"),
            bytes,
            tokens,
        })
        .collect();
    let before = [Kind::Summary.name(), Kind::Prompts.name()];
    let at = shares
        .iter()
        .take_while(|share| before.contains(&share.part));
    let at = at.count();
    shares.splice(at..at, of_named(named));
    shares
}

/// A line each, in the order in which they came.
fn of_named(mut named: Vec<Named>) -> Vec<Share> {
    let mut rest = None;
    if named.len() > NAMED {
        let mut sizes: Vec<u64> = named.iter().map(|one| one.tokens).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let least = sizes.get(NAMED - 1).copied().unwrap_or(0);
        let (mut kept, mut other) = (Vec::new(), (0_u64, 0_u64, 0_u64));
        for one in named {
            if one.tokens >= least && kept.len() < NAMED {
                kept.push(one);
            } else {
                other = (other.0 + 1, other.1 + one.bytes, other.2 + one.tokens);
            }
        }
        named = kept;
        rest = Some(Share {
            part: Kind::Notes.name(),
            source: format!("{} smaller files, folders, rules and skills", other.0),
            bytes: other.1,
            tokens: other.2,
        });
    }
    let lines = named.into_iter().map(|one| Share {
        part: one.mark.tag(),
        source: match one.times {
            1 => one.source,
            times => format!("{}, {times} times", one.source),
        },
        bytes: one.bytes,
        tokens: one.tokens,
    });
    lines.chain(rest).collect()
}

fn bytes_of(part: &Part) -> u64 {
    let bytes = match part {
        Part::Text { text } | Part::ToolResult { text, .. } => text.len(),
        Part::ToolCall(call) => call.name.len() + call.arguments.len(),
        Part::Image { .. } | Part::Reasoning { .. } | Part::Opaque { .. } => 0,
    };
    bytes as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_vocab::CallId;

    #[test]
    fn the_parts_of_a_history_add_up_to_its_estimate() {
        let mixed = Message::new(
            Role::User,
            Origin::User,
            vec![
                Part::text("The rules have changed:\n<rules path=\"a\">\nx\n</rules>"),
                Part::text("go on"),
            ],
        );
        let answer = Message::new(
            Role::Assistant,
            Origin::Model,
            vec![Part::text("yes, done")],
        );
        let history = [Arc::new(mixed), Arc::new(answer)];
        let shares = shares(&[], &[], &history);
        let parts: Vec<&str> = shares.iter().map(|share| share.part).collect();
        assert_eq!(parts, ["prompts", "rules", "answers"]);
        let whole: u64 = history
            .iter()
            .map(|message| estimate_message(message))
            .sum();
        assert_eq!(total(&shares), whole);
    }

    fn told(parts: Vec<Part>) -> Arc<Message> {
        Arc::new(Message::new(Role::User, Origin::User, parts))
    }

    #[test]
    fn what_came_later_is_named_by_the_file_it_came_from() {
        let file = |path: &str| Part::text(marked::element("file", &[("path", path)], "x"));
        let rules = marked::element("rules", &[("path", "sub/AGENTS.md")], "Use tabs.");
        let skill = marked::element("skill", &[("name", "pdf"), ("folder", "/s/pdf")], "x");
        let mut result = Message::new(Role::Tool, Origin::Model, Vec::new());
        result.parts.push(Part::ToolResult {
            call: CallId::new("c"),
            name: "read".into(),
            ok: true,
            text: format!("fn main() {{}}\n\nRules of the project for what is below sub:\n{rules}"),
        });
        let history = [
            told(vec![Part::text("look"), file("a.txt"), file("b.txt")]),
            told(vec![Part::text("again"), file("a.txt"), Part::text(skill)]),
            Arc::new(result),
        ];
        let shares = shares(&[], &[], &history);
        let lines: Vec<(&str, &str)> = shares
            .iter()
            .map(|share| (share.part, share.source.as_str()))
            .collect();
        assert_eq!(
            lines,
            [
                ("prompts", "history, 2"),
                ("file", "a.txt, 2 times"),
                ("file", "b.txt"),
                ("skill", "/s/pdf"),
                ("rules", "sub/AGENTS.md"),
                ("results", "history, 1"),
            ]
        );
        let whole = history.iter().map(|message| estimate_message(message));
        assert_eq!(total(&shares), whole.sum::<u64>());
    }

    #[test]
    fn many_files_are_added_up_and_none_is_lost() {
        let file = |n: usize| {
            let text = "word ".repeat(n + 1);
            Part::text(marked::element("file", &[("path", &format!("{n}"))], &text))
        };
        let history = [told((0..80).map(file).collect())];
        let shares = shares(&[], &[], &history);
        assert_eq!(shares.len(), NAMED + 1);
        let rest = shares.last().unwrap();
        assert_eq!(rest.source, "50 smaller files, folders, rules and skills");
        let whole = history.iter().map(|message| estimate_message(message));
        assert_eq!(total(&shares), whole.sum::<u64>());
    }
}
