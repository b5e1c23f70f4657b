//! One rule, and how specific it is.

use crate::guard::{Guard, guard_of};
use crate::names::tool_rank;
use crate::{PathFact, Script};
use std::fmt;
use tenon_vocab::Decision;

pub use crate::command::CommandPattern;
pub use crate::path::PathPattern;

/// Who wrote a rule. Only `BuiltIn` is weaker than the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    BuiltIn,
    User,
    Project,
    Extra,
    Managed,
    Agent,
}

/// What a rule is about, beside its tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Matcher {
    Any,
    Command(CommandPattern),
    Path(PathPattern),
    /// `*` and `?` as wildcards.
    Name(String),
    /// A kind of file that the program knows; only built-in rules have it.
    Guarded(Guard),
}

/// Whether a rule was meant for what it matches, or for all that is left over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Written as `*`: what no other rule of that place speaks of.
    Fallback,
    Explicit,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// A canonical name, a name with `*`, the group `edit`, or `*`.
    pub tool: String,
    pub matcher: Matcher,
    pub decision: Decision,
    pub weight: Weight,
    pub reason: Option<String>,
    /// `built-in`, or a file and a line.
    pub origin: String,
    pub layer: Layer,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.tool)?;
        match &self.matcher {
            Matcher::Any => {}
            Matcher::Command(pattern) => write!(f, "\"{}\" = ", pattern.text)?,
            Matcher::Path(pattern) => write!(f, "\"{}\" = ", pattern.text)?,
            Matcher::Name(pattern) => write!(f, "\"{pattern}\" = ")?,
            Matcher::Guarded(Guard::Secret) => f.write_str("secret files = ")?,
            Matcher::Guarded(Guard::Vendored) => f.write_str("vendored folders = ")?,
        }
        f.write_str(word(self.decision))
    }
}

pub(crate) fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::Allow => "allow",
        Decision::Ask => "ask",
        Decision::Deny => "deny",
    }
}

/// Stricter is greater.
pub(crate) fn strictness(decision: Decision) -> u8 {
    match decision {
        Decision::Allow => 0,
        Decision::Ask => 1,
        Decision::Deny => 2,
    }
}

/// The one thing that a rule is held against.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target<'a> {
    Nothing,
    Path(&'a PathFact),
    Command(&'a Script),
    Name(&'a str),
}

impl Rule {
    pub(crate) fn matches(&self, tool: &str, target: Target<'_>) -> bool {
        if tool_rank(&self.tool, tool).is_none() {
            return false;
        }
        match (&self.matcher, target) {
            (Matcher::Any, _) => true,
            (Matcher::Command(pattern), Target::Command(script)) => {
                pattern.matches(script, self.decision)
            }
            (Matcher::Path(pattern), Target::Path(fact)) => pattern.matches(&fact.path),
            (Matcher::Name(pattern), Target::Name(name)) => crate::command::wildcard(pattern, name),
            (Matcher::Guarded(guard), Target::Path(fact)) => guard_of(&fact.path) == Some(*guard),
            _ => false,
        }
    }

    /// Greater is more specific: the place where it is written, then the
    /// pattern, then the tool; on a tie the stricter one.
    pub(crate) fn specificity(&self, tool: &str) -> impl Ord + use<> {
        let (shape, literal) = match &self.matcher {
            Matcher::Any => (0, 0),
            Matcher::Command(pattern) => {
                (1 + u8::from(pattern.is_exact()), pattern.literal_length())
            }
            Matcher::Path(pattern) => (1 + u8::from(pattern.is_exact()), pattern.literal_length()),
            Matcher::Name(pattern) => {
                let wild = pattern.find(['*', '?']);
                (1 + u8::from(wild.is_none()), wild.unwrap_or(pattern.len()))
            }
            Matcher::Guarded(_) => (1, usize::MAX),
        };
        (
            self.layer != Layer::BuiltIn,
            shape,
            literal,
            tool_rank(&self.tool, tool),
            strictness(self.decision),
        )
    }
}
