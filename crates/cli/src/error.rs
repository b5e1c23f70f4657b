//! Errors sorted by who must act, and the exit code of each, in one place.

use std::fmt;
use std::process::ExitCode;
use tenon_vocab::Outcome;

/// Who must act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The caller: a flag, an id, a prompt that is missing.
    Usage,
    /// The user: something in a configuration file.
    Config,
    /// The world: a server, a disk, a session.
    Runtime,
}

#[derive(Debug)]
pub struct CliError {
    pub kind: Kind,
    pub message: String,
    pub hint: Option<String>,
}

/// 0 success, 1 runtime error, 2 usage; the finer ones of I13.
pub mod code {
    pub const RUNTIME: u8 = 1;
    pub const USAGE: u8 = 2;
    pub const DENIED: u8 = 5;
    pub const LIMIT: u8 = 6;
    pub const SCHEMA: u8 = 7;
    pub const INTERRUPTED: u8 = 130;
}

impl CliError {
    pub fn usage(message: impl Into<String>) -> Self {
        Self {
            kind: Kind::Usage,
            message: message.into(),
            hint: None,
        }
    }

    pub fn config(message: impl Into<String>) -> Self {
        Self {
            kind: Kind::Config,
            message: message.into(),
            hint: None,
        }
    }

    pub fn runtime(message: impl Into<String>) -> Self {
        Self {
            kind: Kind::Runtime,
            message: message.into(),
            hint: None,
        }
    }

    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub fn code(&self) -> u8 {
        match self.kind {
            Kind::Usage | Kind::Config => code::USAGE,
            Kind::Runtime => code::RUNTIME,
        }
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CliError {}

impl From<std::io::Error> for CliError {
    fn from(error: std::io::Error) -> Self {
        Self::runtime(error.to_string())
    }
}

impl From<tenon_session::SessionError> for CliError {
    fn from(error: tenon_session::SessionError) -> Self {
        let usage = matches!(
            error,
            tenon_session::SessionError::NotAnId { .. }
                | tenon_session::SessionError::Ambiguous { .. }
        );
        if usage {
            Self::usage(error.to_string())
        } else {
            Self::runtime(error.to_string())
        }
    }
}

impl From<tenon_config::ConfigError> for CliError {
    fn from(error: tenon_config::ConfigError) -> Self {
        Self::config(error.to_string())
    }
}

/// Without secrets: what a server says may repeat one that was sent to it.
impl From<tenon_model::ModelError> for CliError {
    fn from(error: tenon_model::ModelError) -> Self {
        let masker = tenon_policy::Masker::standard();
        let masked = |text: &str| masker.mask(text).into_owned();
        Self {
            hint: error.hint.as_deref().map(masked),
            ..Self::runtime(masked(&error.to_string()))
        }
    }
}

/// The exit code of a run: of its end, not of what went wrong on the way.
pub fn exit_code(outcome: Outcome) -> ExitCode {
    ExitCode::from(match outcome {
        Outcome::Completed => 0,
        Outcome::Interrupted => code::INTERRUPTED,
        Outcome::Failed | Outcome::Filtered => code::RUNTIME,
        Outcome::Limit | Outcome::Loop => code::LIMIT,
        Outcome::Denied => code::DENIED,
    })
}
