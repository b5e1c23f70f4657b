//! What a front end may ask of the engine: commands change something and are
//! answered by events; queries change nothing and are not logged.

use crate::slash::Pinning;
use crate::{Answer, Cost, JobId, Part, PermissionMode, Settings, Usage};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Switch {
    /// A model of the current provider, or `PROVIDER/MODEL`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// A provider: its own model is taken where `model` names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// How hard the model is to think; an empty text means as the server does by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// Another agent, by its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
}

/// What a user may say of the session itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingsChange {
    /// One line; no title is made for it any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Whether it stays when old sessions are removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// What may run without a question. It holds from the next call on, also
    /// while a run goes on; `plan` is another agent, and waits for its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<PermissionMode>,
    /// A folder outside of the project that is opened beside it: absolute, or
    /// relative to the project, or below `~/`. It holds from the next call on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub add_dir: Option<String>,
}

impl SettingsChange {
    #[must_use]
    pub fn permission_mode(mode: PermissionMode) -> Self {
        Self {
            permission_mode: Some(mode),
            ..Self::default()
        }
    }

    #[must_use]
    pub fn add_dir(folder: String) -> Self {
        Self {
            add_dir: Some(folder),
            ..Self::default()
        }
    }

    #[must_use]
    pub fn renamed(title: String) -> Self {
        Self {
            title: Some(title),
            ..Self::default()
        }
    }

    /// Of a session with these settings.
    #[must_use]
    pub fn pinned(settings: &Settings, how: Pinning) -> Self {
        let pinned = match how {
            Pinning::On => true,
            Pinning::Off => false,
            Pinning::Toggle => !settings.pinned,
        };
        Self {
            pinned: Some(pinned),
            ..Self::default()
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Command {
    /// Starts a run; while one is going on it is queued and follows it.
    Prompt {
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attachments: Vec<Part>,
    },
    /// Delivered at the next step boundary of the current run.
    Steer {
        text: String,
    },
    Answer(Answer),
    Interrupt,
    Compact {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        focus: Option<String>,
    },
    Switch(Switch),
    /// Done at once, also while a run goes on. Answered by the settings in full
    /// and a notice of the kind `settings`.
    Settings(SettingsChange),
    /// The files as they were before the last run that changed some. The
    /// conversation stays, and the model is told with the next prompt.
    Undo,
    /// Takes the last undo back.
    Redo,
    /// Conversation and files back to before a message, by its number as
    /// `sessions show` counts; without one, before the last prompt.
    Revert {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<u32>,
    },
    /// A prompt together with the whole text of a skill.
    Skill {
        name: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
    },
    /// A command of the user's or the project's own (`commands/*.md`): its text
    /// becomes the prompt.
    Custom {
        name: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        arguments: String,
    },
    /// A command typed by the user with `!`: the policy applies, and the model
    /// is shown the transcript with the next prompt.
    Shell {
        command: String,
    },
    /// Ends a background process. For a program that drives the engine: no line
    /// that is typed means it.
    KillJob {
        id: JobId,
    },
    Shutdown,
}

/// When a command acts while a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Whatever the run does.
    AtOnce,
    /// In the run, at its next step.
    InBetween,
    /// When the run is over.
    After,
}

impl Command {
    #[must_use]
    pub fn turn(&self) -> Turn {
        match self {
            Self::Answer(_)
            | Self::Interrupt
            | Self::Settings(_)
            | Self::KillJob { .. }
            | Self::Shutdown => Turn::AtOnce,
            Self::Steer { .. } => Turn::InBetween,
            Self::Prompt { .. }
            | Self::Compact { .. }
            | Self::Switch(_)
            | Self::Undo
            | Self::Redo
            | Self::Revert { .. }
            | Self::Skill { .. }
            | Self::Custom { .. }
            | Self::Shell { .. } => Turn::After,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Query {
    Models,
    /// The providers that are configured.
    Providers,
    /// The models of one of them.
    ModelsOf {
        provider: String,
    },
    /// The agents that can be changed to.
    Agents,
    /// The permission modes, and which of them a policy forbids.
    Modes,
    Tools,
    Context,
    /// How full the window is, and what was used, as figures.
    Meter,
    Cost,
    Grants,
    Jobs,
    /// The MCP servers of this session.
    Mcp,
    /// The task list.
    Todo,
    Skills,
    /// The commands of the user and of the project.
    Commands,
    /// Files whose path begins with, or contains, this.
    Files {
        prefix: String,
    },
    /// What could stand at the end of this input line.
    Completion {
        line: String,
    },
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableReply {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// How full the window is, and what the session has used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meter {
    /// Tokens of the next request.
    pub used: u64,
    /// Whether `used` is an estimate.
    pub estimated: bool,
    /// Tokens that fit, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    pub usage: Usage,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply {
    Table(TableReply),
    Meter(Meter),
    Words { words: Vec<String> },
    Unavailable { reason: String },
}
