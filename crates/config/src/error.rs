//! What is wrong with a configuration, where, and what to do about it.

use std::fmt;
use std::path::PathBuf;

/// A place in a file, with the line as it stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    pub path: PathBuf,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// Made printable and cut to a readable length.
    pub source: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// Something in a file.
    #[error("{}", located(.at, .message, .hint.as_deref()))]
    InFile {
        at: Location,
        message: String,
        hint: Option<String>,
    },
    /// Something that is not a matter of one line.
    #[error("{message}{}", hint_line(.hint.as_deref()))]
    General {
        message: String,
        hint: Option<String>,
    },
}

impl ConfigError {
    pub(crate) fn general(message: impl Into<String>) -> Self {
        Self::General {
            message: message.into(),
            hint: None,
        }
    }

    pub(crate) fn hinted(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::General {
            message: message.into(),
            hint: Some(hint.into()),
        }
    }

    /// What happened, without place and hint.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            Self::InFile { message, .. } | Self::General { message, .. } => message,
        }
    }

    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::InFile { hint, .. } | Self::General { hint, .. } => hint.as_deref(),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.path.display(), self.line, self.column)
    }
}

fn located(at: &Location, message: &str, hint: Option<&str>) -> String {
    let number = at.line.to_string();
    let blank = " ".repeat(number.len());
    let shown = at.source.chars().count();
    let caret = if at.column <= shown {
        format!("\n{blank} | {}^", " ".repeat(at.column - 1))
    } else {
        String::new()
    };
    format!(
        "{at}: {message}\n{number} | {}{caret}{}",
        at.source,
        hint_line(hint)
    )
}

fn hint_line(hint: Option<&str>) -> String {
    hint.map(|hint| format!("\n{hint}")).unwrap_or_default()
}
