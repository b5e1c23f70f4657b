//! What fills the window, part by part, with where each part comes from (C4).
//! Pure: the session's own answer to `/context` and `tenon context show` are
//! made by it. Figures are estimates, the same that the limits of a request go
//! by; what a server counted is known to the meter alone.

use crate::prompt::{self, Fragment};
use std::sync::Arc;
use tenon_model::{estimate_message, estimate_text, estimate_tool};
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
            (_, Role::Assistant, _) => Self::Answers,
            (_, Role::User, Origin::Compaction) => Self::Summary,
            (Part::Text { text }, Role::User, Origin::User) if is_added(text) => Self::Notes,
            (_, Role::User, Origin::User | Origin::Steer) => Self::Prompts,
            (_, Role::User, _) => Self::Notes,
        }
    }
}

/// Whether Tenon put a text into a prompt: files, skills, rules, output of the
/// user's own commands. Only for the figures; a user who types such a tag is
/// counted so.
fn is_added(text: &str) -> bool {
    const MARKS: [&str; 4] = ["<file ", "<skill ", "<user_shell ", "<folder "];
    MARKS.iter().any(|mark| text.starts_with(mark)) || text.contains("\n<rules path=\"")
}

fn of_history(history: &[Arc<Message>]) -> Vec<Share> {
    let mut sums = Kind::ALL.map(|kind| (kind, 0_u64, 0_u64, 0_u64));
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
            if let Some((_, count, bytes, sum)) = sums.iter_mut().find(|(one, ..)| *one == kind) {
                *count += 1;
                *bytes += bytes_of(part);
                *sum += tokens;
            }
        }
    }
    sums.into_iter()
        .filter(|(_, count, ..)| *count > 0)
        .map(|(kind, count, bytes, tokens)| Share {
            part: kind.name(),
            source: format!("history, {count}"),
            bytes,
            tokens,
        })
        .collect()
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
        assert_eq!(parts, ["prompts", "notes", "answers"]);
        let whole: u64 = history
            .iter()
            .map(|message| estimate_message(message))
            .sum();
        assert_eq!(total(&shares), whole);
    }
}
