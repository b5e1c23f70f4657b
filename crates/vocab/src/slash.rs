//! What a line that a user typed asks for. Lines are read in one place, by the
//! engine's `slash`; these are its words, so that a front end needs no more of
//! the engine than its port.

use crate::{Command, Query};

/// A typed line, understood.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    Nothing,
    /// It cannot be done; what to say.
    Wrong(String),
    Query(Query),
    Local(Local),
    Command(Command),
}

impl Line {
    /// Whether what was typed belongs into the history: something that was said,
    /// and not a command that only controls (U11). A blank before it keeps it
    /// out.
    #[must_use]
    pub fn is_remembered(&self, typed: &str) -> bool {
        !typed.starts_with(' ')
            && match self {
                Self::Nothing | Self::Wrong(_) | Self::Query(_) | Self::Local(_) => false,
                Self::Command(command) => matches!(
                    command,
                    Command::Prompt { .. }
                        | Command::Shell { .. }
                        | Command::Skill { .. }
                        | Command::Custom { .. }
                ),
            }
    }
}

/// Done by the front end and the program around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Local {
    Help,
    /// A new session with the same settings; the old one stays resumable (U9).
    Clear,
    /// The same, with the configuration read again.
    New,
    Exit,
    Sessions,
    Resume(Option<String>),
    /// Where to; the default is the screen.
    Export(Option<String>),
    /// Draft an AGENTS.md and ask before writing it.
    Init,
    Mode(Option<String>),
    /// How hard the model thinks now.
    Effort,
    /// A copy of this session, cut after a message, by its number.
    Fork(Option<u32>),
    Rename(String),
    /// Whether it stays when old sessions are removed.
    Pin(Pinning),
    /// Sessions in which a text occurs.
    Search(String),
    /// The prompts with their numbers.
    History,
    /// What the session changed, as a diff.
    Diff,
    /// A handoff for this goal.
    Handoff(Option<String>),
    /// The colours of the terminal interface.
    Theme(Option<String>),
}

/// What commands belong together, in the order in which help lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    Conversation,
    Sessions,
    Changes,
    Model,
    Settings,
}

impl Group {
    pub const ALL: [Self; 5] = [
        Self::Conversation,
        Self::Sessions,
        Self::Changes,
        Self::Model,
        Self::Settings,
    ];

    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Conversation => "Conversation",
            Self::Sessions => "Sessions",
            Self::Changes => "Changes",
            Self::Model => "Model and tools",
            Self::Settings => "Settings",
        }
    }
}

/// How a session is to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pinning {
    On,
    Off,
    /// The other way round than it is.
    Toggle,
}
