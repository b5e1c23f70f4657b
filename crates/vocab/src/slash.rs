//! What a line that a user typed asks for. Lines are read in one place, by the
//! engine's `slash`; these are its words, so that a front end needs no more of
//! the engine than its port.

use crate::{Command, Query, Turn};

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

impl Local {
    /// When it acts while a run goes on: what only reads, at once (U11), and so
    /// does what the engine does at once. The rest needs the session for itself.
    #[must_use]
    pub fn turn(&self) -> Turn {
        match self {
            Self::Help
            | Self::Exit
            | Self::Sessions
            | Self::Export(_)
            | Self::Effort
            | Self::Rename(_)
            | Self::Pin(_)
            | Self::Search(_)
            | Self::History
            | Self::Diff
            | Self::Theme(_) => Turn::AtOnce,
            Self::Clear
            | Self::New
            | Self::Resume(_)
            | Self::Init
            | Self::Fork(_)
            | Self::Handoff(_) => Turn::After,
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn during_a_run_what_only_reads_acts_at_once_and_what_takes_the_session_waits() {
        let text = || String::from("x");
        let at_once = [
            Local::Help,
            Local::Exit,
            Local::Sessions,
            Local::Export(None),
            Local::Export(Some(text())),
            Local::Effort,
            Local::Rename(text()),
            Local::Pin(Pinning::Toggle),
            Local::Search(text()),
            Local::History,
            Local::Diff,
            Local::Theme(None),
            Local::Theme(Some(text())),
        ];
        let after = [
            Local::Clear,
            Local::New,
            Local::Resume(None),
            Local::Resume(Some(text())),
            Local::Init,
            Local::Fork(None),
            Local::Fork(Some(1)),
            Local::Handoff(None),
            Local::Handoff(Some(text())),
        ];
        for command in &at_once {
            assert_eq!(command.turn(), Turn::AtOnce, "{command:?}");
        }
        for command in &after {
            assert_eq!(command.turn(), Turn::After, "{command:?}");
        }
    }
}
