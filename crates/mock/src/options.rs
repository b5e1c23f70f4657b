//! How a server behaves, whatever its scenarios say. Values only.

use std::path::PathBuf;
use std::time::Duration;

/// How a server behaves, whatever its scenarios say.
#[derive(Debug, Clone)]
pub struct Options {
    pub strict: Strictness,
    /// How texts are cut into deltas.
    pub chunk: Chunking,
    /// The pause between two deltas. Zero sends as fast as the client reads.
    pub delay: Duration,
    /// The name of the only model.
    pub model: String,
    /// What is kept of the requests. `None` keeps nothing, for long runs.
    pub record: Option<Recording>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            strict: Strictness::default(),
            chunk: Chunking::default(),
            delay: Duration::ZERO,
            model: "mock-model".to_owned(),
            record: Some(Recording::default()),
        }
    }
}

/// What happens to a request that the strictest server would reject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// It is answered; its violations are in the record.
    #[default]
    Lenient,
    /// It gets a 400 that names every violation.
    Strict,
}

/// How texts are cut into deltas. A delta never cuts a character: that happens
/// on the level of bytes, which the network does, not the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Chunking {
    /// A word with the white space after it; arguments in short pieces.
    #[default]
    Words,
    /// At most this many bytes, but always a whole character.
    Bytes(usize),
    /// Each text in one delta.
    Whole,
}

/// What is kept of the requests that came in.
#[derive(Debug, Clone)]
pub struct Recording {
    /// How many bytes of requests are kept in memory. The oldest go first.
    pub memory: usize,
    /// A file to which each request is appended as one JSON line. Headers are
    /// left out of it, because they hold keys.
    pub file: Option<PathBuf>,
}

impl Default for Recording {
    fn default() -> Self {
        Self {
            memory: 256 << 20,
            file: None,
        }
    }
}

/// Only the file, as a server that runs for hours wants it.
impl From<PathBuf> for Recording {
    fn from(file: PathBuf) -> Self {
        Self {
            memory: 0,
            file: Some(file),
        }
    }
}
