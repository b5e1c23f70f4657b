//! What tells a message of the markdown dialect from any other, for whoever draws
//! it: there a reply has sections, and its thoughts are told apart from its answer.

use crate::{CallId, Message, Part};

/// Whose parts of a message are the dialect's own.
pub const OWNER: &str = "markdown";
/// What the ids of its calls begin with.
pub const CALL: &str = "md_";

/// Whether the dialect read this call out of a reply.
#[must_use]
pub fn is_call(id: &CallId) -> bool {
    id.as_str().starts_with(CALL)
}

/// Whether a message was written in it.
#[must_use]
pub fn is_of(message: &Message) -> bool {
    message.parts.iter().any(|part| match part {
        Part::ToolCall(call) => is_call(&call.id),
        Part::Opaque { provider, .. } => provider == OWNER,
        Part::Reasoning { provider, .. } => provider.as_deref() == Some(OWNER),
        _ => false,
    })
}

/// The section of thoughts: of a reply with calls it is all the text there is.
#[must_use]
pub fn thoughts(message: &Message) -> String {
    if message.tool_calls().next().is_some() {
        return message.text();
    }
    let own = message.parts.iter().filter_map(|part| match part {
        Part::Reasoning { text, provider, .. } if provider.as_deref() == Some(OWNER) => {
            Some(text.as_str())
        }
        _ => None,
    });
    own.collect::<Vec<_>>().join("\n")
}

/// A tree that is set in by two blanks a level, with branches.
///
/// ```
/// use tenon_vocab::form::branches;
///
/// assert_eq!(
///     branches("src/\n  a.rs\n  b/\n    c.rs\nz\n"),
///     ["├── src/", "│   ├── a.rs", "│   └── b/", "│       └── c.rs", "└── z"]
/// );
/// ```
#[must_use]
pub fn branches(tree: &str) -> Vec<String> {
    let depth = |line: &str| (line.len() - line.trim_start_matches(' ').len()) / 2;
    let mut below = Vec::new();
    let mut drawn: Vec<String> = Vec::new();
    // From the end: whether anything follows on a level is known there.
    for line in tree.lines().rev() {
        let level = depth(line);
        below.resize(level + 1, false);
        let mut out = String::new();
        for open in &below[..level] {
            out.push_str(if *open { "│   " } else { "    " });
        }
        out.push_str(if below[level] {
            "├── "
        } else {
            "└── "
        });
        out.push_str(line.trim_start_matches(' '));
        below[level] = true;
        drawn.push(out);
    }
    drawn.reverse();
    drawn
}
