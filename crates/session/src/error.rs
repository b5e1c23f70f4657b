//! What can go wrong with a session, in sentences for the user: what happened,
//! why, what to do next. Not for the model, and never a panic.

use std::io;
use std::path::{Path, PathBuf};
use tenon_vocab::{Event, SessionId};

#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error(
        "`{text}` isn't a session id: use a UUID or its first characters. `tenon sessions list` \
         shows them."
    )]
    NotAnId { text: String },
    #[error("there is no session `{text}`. `tenon sessions list --all` lists all sessions.")]
    NotFound { text: String },
    #[error("`{text}` matches several sessions: {}. Type more of the id.", listed(.candidates))]
    Ambiguous {
        text: String,
        candidates: Vec<SessionId>,
    },
    #[error(
        "record {seq} of session {id} isn't a message, so a copy can't end there. `tenon \
         sessions show {id}` numbers the messages."
    )]
    NoMessage { id: SessionId, seq: u64 },
    #[error("session {id} already exists. Resume it with `--session {id}`, or choose another id.")]
    Exists { id: SessionId },
    #[error("session {id} is in use by {}. Wait until it ends, or work in a copy: `tenon \
         sessions fork {id}`.", holder(*.pid))]
    Locked { id: SessionId, pid: u32 },
    #[error(
        "the session in {} was written by a newer Tenon (schema version {found}; this one knows \
         up to {known}). Update tenon to open it.",
        .path.display()
    )]
    NewerSchema {
        path: PathBuf,
        found: u32,
        known: u32,
    },
    #[error(
        "the first record in {} is incomplete, so the session can't be read. Remove it with \
         `tenon sessions delete`.",
        .path.display()
    )]
    Empty { path: PathBuf },
    #[error(
        "{} is damaged at byte {offset}: {reason}. `tenon sessions show` and `export` can still \
         read the rest; `tenon sessions verify` lists all damage.",
        .path.display()
    )]
    Damaged {
        path: PathBuf,
        offset: u64,
        reason: String,
    },
    #[error(
        "the disk is full: can't write {}. Everything before that is intact. Free some space and \
         resume the session.",
        .path.display()
    )]
    DiskFull { path: PathBuf },
    #[error(
        "can't write {}: {source}. Make the folder writable, set TENON_HOME to another folder, \
         or run with --no-save.",
        .path.display()
    )]
    ReadOnly { path: PathBuf, source: io::Error },
    #[error("can't {action} {}: {source}", .path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error("the log expected event {expected} and got {found}")]
    OutOfSequence { expected: u64, found: u64 },
    #[error("events of the kind `{kind}` don't belong in the log")]
    NotDurable { kind: String },
    #[error("the first event of a session must be `meta` with seq 0, not `{kind}` with seq {seq}")]
    NotMeta { kind: String, seq: u64 },
    #[error("can't write an event as JSON: {0}")]
    Encode(#[from] serde_json::Error),
    #[error("a record of {bytes} bytes is too long for the log; it was not written")]
    TooLong { bytes: usize },
    #[error("`{name}` isn't a name of stored content (64 hexadecimal digits)")]
    BlobName { name: String },
    #[error("the stored content {sha256} is no longer in the session's folder")]
    BlobMissing { sha256: String },
    #[error("the stored content {sha256} is damaged: its hash doesn't match")]
    BlobDamaged { sha256: String },
}

impl SessionError {
    pub(crate) fn not_meta(first: &Event) -> Self {
        Self::NotMeta {
            kind: first.kind.name().to_owned(),
            seq: first.seq,
        }
    }

    /// Sorts an I/O error by who must act: a full disk and a folder that cannot
    /// be written to are said plainly, the rest keeps the system's words.
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge
            | io::ErrorKind::WriteZero => Self::DiskFull { path },
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { path, source },
            io::ErrorKind::PermissionDenied if action != "read" => Self::ReadOnly { path, source },
            _ => Self::Io {
                action,
                path,
                source,
            },
        }
    }
}

fn holder(pid: u32) -> String {
    match pid {
        0 => String::from("another process"),
        pid => format!("process {pid}"),
    }
}

fn listed(candidates: &[SessionId]) -> String {
    const SHOWN: usize = 5;
    let mut names: Vec<String> = candidates
        .iter()
        .take(SHOWN)
        .map(ToString::to_string)
        .collect();
    if candidates.len() > SHOWN {
        names.push(format!("and {} more", candidates.len() - SHOWN));
    }
    names.join(", ")
}
