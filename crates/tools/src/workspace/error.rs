//! Every way in which the workspace refuses or fails, each with the words that
//! a model or a person can act on, and with its code of the tool contract.

use std::fmt;
use std::io;
use tenon_vocab::{ErrorCode, ToolOutput};
use thiserror::Error;

/// What stands where a regular file was wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherKind {
    Folder,
    Link,
    Fifo,
    Socket,
    Device,
    Unknown,
}

impl fmt::Display for OtherKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Folder => "a folder",
            Self::Link => "a symbolic link",
            Self::Fifo => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Unknown => "not a regular file",
        })
    }
}

/// What was being done when the system said no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    Resolving,
    Reading,
    Writing,
    CreatingFolder,
    Removing,
    Renaming,
}

impl fmt::Display for Doing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Resolving => "look up",
            Self::Reading => "read",
            Self::Writing => "write",
            Self::CreatingFolder => "create the folder of",
            Self::Removing => "remove",
            Self::Renaming => "rename",
        })
    }
}

/// The journal could not keep what a change would destroy.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct JournalError(pub String);

#[derive(Debug, Error)]
pub enum WorkspaceError {
    #[error("{}", outside_text(.path, .target, .root, .access))]
    Outside {
        path: String,
        /// Where it leads, absolute and with links resolved.
        target: String,
        root: String,
        access: tenon_policy::Access,
    },
    #[error("`{path}` can't be used as a path: {reason}")]
    BadPath { path: String, reason: String },
    #[error(
        "`{path}` is a Windows path outside the project folder `{root}`; write it relative to \
         that folder, with `/`"
    )]
    Foreign { path: String, root: String },
    #[error("`{path}` does not exist{}", near_text(.near))]
    NotFound { path: String, near: Vec<String> },
    #[error("`{path}` is {kind}, not a file{}", kind_hint(.kind))]
    NotAFile { path: String, kind: OtherKind },
    #[error("`{path}` is not a folder")]
    NotAFolder { path: String },
    #[error("`{path}` is too large: {size} bytes, and at most {cap} can be handled at once")]
    TooLarge { path: String, size: u64, cap: u64 },
    #[error("`{path}` already exists; nothing was changed")]
    Exists { path: String },
    #[error("`{path}` has changed on disk; nothing was written. `read` it again first")]
    Changed { path: String },
    #[error("`{path}` is read-only; nothing was written")]
    ReadOnly { path: String },
    #[error("`{path}` would be changed here; this was a rehearsal, so nothing was changed")]
    Rehearsed { path: String },
    #[error("something kept replacing `{path}` with links; nothing was done")]
    Unsettled { path: String },
    #[error("could not {doing} `{path}`: {source}{}", io_hint(.source))]
    Io {
        doing: Doing,
        path: String,
        source: io::Error,
    },
    #[error("nothing was changed, because `{path}` could not be saved for undo: {source}")]
    Journal { path: String, source: JournalError },
}

fn outside_text(path: &str, target: &str, root: &str, access: &tenon_policy::Access) -> String {
    let verb = match access {
        tenon_policy::Access::Read => "read",
        tenon_policy::Access::Write => "written",
    };
    let way = if path == target {
        format!("`{path}` is")
    } else {
        format!("`{path}` leads to `{target}`, which is")
    };
    format!(
        "{way} outside the project folder `{root}` and was not {verb}; use a path inside it. Only the user can open another folder: `--add-dir DIR` when Tenon starts, `/add-dir DIR` in a session"
    )
}

fn near_text(near: &[String]) -> String {
    if near.is_empty() {
        return String::from("; use `glob` or `list` to see what is there");
    }
    let names: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    format!("; did you mean {}?", names.join(" or "))
}

fn kind_hint(kind: &OtherKind) -> &'static str {
    match kind {
        OtherKind::Folder => "; use `list` to see what is in it",
        OtherKind::Link => "; use `bash` to work on the link itself",
        _ => "; only regular files can be used here",
    }
}

fn io_hint(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free some space and try again"
        }
        io::ErrorKind::ReadOnlyFilesystem => "; this file system cannot be written to",
        _ => "",
    }
}

impl WorkspaceError {
    pub(super) fn io(doing: Doing, path: impl Into<String>, source: impl Into<io::Error>) -> Self {
        Self::Io {
            doing,
            path: path.into(),
            source: source.into(),
        }
    }

    /// The code of the tool contract (T20).
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Outside { .. } => ErrorCode::PathOutsideRoot,
            Self::BadPath { .. }
            | Self::Foreign { .. }
            | Self::NotFound { .. }
            | Self::NotAFile { .. }
            | Self::NotAFolder { .. }
            | Self::Unsettled { .. } => ErrorCode::PathError,
            Self::TooLarge { .. } => ErrorCode::ReadError,
            Self::Exists { .. } | Self::Changed { .. } => ErrorCode::Stale,
            Self::ReadOnly { .. } | Self::Journal { .. } | Self::Rehearsed { .. } => {
                ErrorCode::WriteError
            }
            Self::Io { doing, .. } => match doing {
                Doing::Resolving => ErrorCode::PathError,
                Doing::Reading => ErrorCode::ReadError,
                Doing::CreatingFolder => ErrorCode::MkdirError,
                Doing::Writing | Doing::Removing | Doing::Renaming => ErrorCode::WriteError,
            },
        }
    }

    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
    }

    /// The same failure, met on the way to a write.
    #[must_use]
    pub fn while_writing(mut self) -> Self {
        if let Self::Outside { access, .. } = &mut self {
            *access = tenon_policy::Access::Write;
        }
        self
    }

    /// The failure as a tool gives it back.
    #[must_use]
    pub fn output(&self) -> ToolOutput {
        ToolOutput::error(self.code(), self.to_string())
    }
}
