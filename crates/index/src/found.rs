//! What a search is asked for and what it gives. The same for the index and for
//! the plain walk through all logs.

use crate::snippet::Snippet;
use serde::Serialize;
use tenon_session::Summary;
use tenon_vocab::{SessionId, Timestamp};

/// Sessions that one answer names, unless more are asked for.
const USUAL: usize = 50;

/// Which sessions are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Only those of this directory, by its exact recorded name.
    pub cwd: Option<String>,
    /// At most so many sessions.
    pub most: usize,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            cwd: None,
            most: USUAL,
        }
    }
}

/// Who said what was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    User,
    Assistant,
    /// A call or its result.
    Tool,
    /// Nobody: it is the title.
    Title,
}

/// One session in which all words occur.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hit {
    pub session: SessionId,
    pub title: String,
    pub cwd: String,
    pub updated: Timestamp,
    /// Of the record that is shown; none for the title.
    pub seq: Option<u64>,
    /// The number of the message, as `sessions show` counts them.
    pub message: Option<u32>,
    pub role: Speaker,
    pub snippet: Snippet,
    /// Passages of this session in which all words, or else some, occur.
    pub passages: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// First those with all words in one passage, then those that have them in
    /// several; the newest first.
    pub hits: Vec<Hit>,
    /// At least so many sessions have all words beyond those asked for.
    pub more: usize,
}

/// What a hit says of its session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct About {
    pub title: String,
    pub cwd: String,
    pub updated: Timestamp,
}

impl From<Summary> for About {
    fn from(summary: Summary) -> Self {
        Self {
            title: summary.title,
            cwd: summary.cwd,
            updated: summary.updated,
        }
    }
}
