//! One rule, and how specific it is.

use crate::guard::Guard;
use crate::names::{name_rank, speaks_of};
use crate::reading::{Ground, doubt};
use crate::{PathFact, Script};
use std::cmp::Ordering;
use std::fmt;
use tenon_vocab::{Class, Decision};

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
    /// A command of which it is certain that it only reads what it names; only
    /// a built-in rule has it.
    Reads,
}

/// Whether a rule that asks can be answered for longer than once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answers {
    #[default]
    Lasting,
    /// Written as `confirm`: each call needs a yes of its own.
    EachTime,
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
    /// A canonical name, a name with `*`, the group `edit`, `edit_file` for that tool
    /// alone, or `*`.
    pub tool: String,
    pub matcher: Matcher,
    /// `ask` for a rule that is written as `confirm`.
    pub decision: Decision,
    pub answers: Answers,
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
            Matcher::Guarded(Guard::Secret) => {
                f.write_str("secret files (protect-env-files) = ")?
            }
            Matcher::Guarded(Guard::Vendored) => f.write_str("vendored folders = ")?,
            Matcher::Reads => f.write_str("commands that only read = ")?,
        }
        f.write_str(word(self.class()))
    }
}

/// A class as a rule writes it.
fn word(class: Class) -> &'static str {
    match class {
        Class::Allow => "allow",
        Class::Ask => "ask",
        Class::Confirm => "confirm",
        Class::Deny | Class::HardDeny => "deny",
    }
}

/// Stricter is greater.
pub(crate) fn strictness(class: Class) -> u8 {
    match class {
        Class::Allow => 0,
        Class::Ask => 1,
        Class::Confirm => 2,
        Class::Deny => 3,
        Class::HardDeny => 4,
    }
}

/// The one thing that a rule is held against.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target<'a> {
    Nothing,
    Path(&'a PathFact),
    /// A whole command line. No pattern that allows fits it.
    Line(&'a Script),
    /// One command of a line of which all commands are certain.
    Part(&'a Script, usize),
    Name(&'a str),
}

impl Rule {
    /// What a match of this rule means.
    #[must_use]
    pub fn class(&self) -> Class {
        match (self.decision, self.answers) {
            (Decision::Allow, _) => Class::Allow,
            (Decision::Ask, Answers::Lasting) => Class::Ask,
            (Decision::Ask, Answers::EachTime) => Class::Confirm,
            (Decision::Deny, _) => Class::Deny,
        }
    }

    /// Whether it is about this tool at all.
    #[must_use]
    pub fn speaks_of(&self, tool: &str) -> bool {
        speaks_of(&self.tool, tool)
    }

    /// The origin without the line.
    pub(crate) fn file(&self) -> &str {
        let bare = self.origin.trim_end_matches(|c: char| c.is_ascii_digit());
        bare.strip_suffix(':').unwrap_or(&self.origin)
    }

    pub(crate) fn matches(&self, tool: &str, target: Target<'_>) -> bool {
        speaks_of(&self.tool, tool) && self.fits(target)
    }

    /// Whether it matches, for a tool that it speaks of.
    pub(crate) fn fits(&self, target: Target<'_>) -> bool {
        match (&self.matcher, target) {
            (Matcher::Any, _) => true,
            (Matcher::Command(pattern), Target::Line(script)) => {
                self.decision != Decision::Allow && pattern.is_found_in(script)
            }
            (Matcher::Command(pattern), Target::Part(script, part)) => {
                let command = script.exact().and_then(|all| all.get(part));
                command.is_some_and(|command| match self.decision {
                    Decision::Allow => pattern.allows(command),
                    Decision::Ask | Decision::Deny => pattern.meets(command),
                })
            }
            (Matcher::Reads, Target::Part(script, part)) => {
                doubt(script, part, Ground::Bare).is_none()
            }
            (Matcher::Path(pattern), Target::Path(fact)) => pattern.matches(&fact.path),
            (Matcher::Name(pattern), Target::Name(name)) => crate::command::wildcard(pattern, name),
            (Matcher::Guarded(guard), Target::Path(fact)) => guard.stands_before(fact),
            _ => false,
        }
    }

    /// Most specific first: the place where it is written, then the pattern, then
    /// the tool; on a tie the stricter one. Total, so that the order in which
    /// rules were added is forgotten.
    pub(crate) fn before(&self, other: &Self) -> Ordering {
        other
            .specificity()
            .cmp(&self.specificity())
            .then_with(|| self.to_string().cmp(&other.to_string()))
            .then_with(|| self.origin.cmp(&other.origin))
            .then_with(|| self.layer.cmp(&other.layer))
            .then_with(|| self.weight.cmp(&other.weight))
            .then_with(|| self.reason.cmp(&other.reason))
    }

    fn specificity(&self) -> impl Ord + use<> {
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
            Matcher::Guarded(_) | Matcher::Reads => (1, usize::MAX),
        };
        (
            self.layer != Layer::BuiltIn,
            shape,
            literal,
            name_rank(&self.tool),
            strictness(self.class()),
        )
    }
}
