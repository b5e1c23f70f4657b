//! A recording of a real server: each request with the exact bytes of its
//! reply, one JSON line each. Made by [`Recorder`], answered from by [`Player`].
//!
//! [`Recorder`]: crate::tape::record::Recorder
//! [`Player`]: crate::tape::play::Player

mod headers;
pub(crate) mod play;
pub(crate) mod record;
mod scrub;
pub(crate) mod slice;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Larger recordings are refused: they are held in memory.
const FILE_LIMIT: u64 = 256 << 20;

/// A recording, read and understood.
#[derive(Debug, Clone)]
pub struct Tape {
    pub(crate) exchanges: Vec<Exchange>,
}

/// Why a recording cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum TapeError {
    #[error("cannot read the recording {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{}, line {line}: {problem}", path.display())]
    Syntax {
        path: PathBuf,
        line: usize,
        problem: String,
    },
    #[error("the recording {} holds no request", path.display())]
    Empty { path: PathBuf },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Exchange {
    pub(crate) request: TapedRequest,
    pub(crate) response: TapedResponse,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct TapedRequest {
    pub(crate) method: String,
    /// Path and query, without keys.
    pub(crate) path: String,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    /// The JSON, or the text when it is none.
    #[serde(default)]
    pub(crate) body: Value,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct TapedResponse {
    pub(crate) status: u16,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) pieces: Vec<Piece>,
    #[serde(default)]
    pub(crate) end: TapedEnd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TapedEnd {
    #[default]
    Complete,
    /// The server or the client broke it off.
    Cut,
    /// It went on, but nobody should keep that much.
    TooLarge,
}

/// What came in one piece, and when, counted from the request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Piece {
    pub(crate) at_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// For bytes that are no text, or the half of a character.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

impl Piece {
    pub(crate) fn new(at_ms: u64, bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self {
                at_ms,
                text: Some(text.to_owned()),
                base64: None,
            },
            Err(_) => Self {
                at_ms,
                text: None,
                base64: Some(STANDARD.encode(bytes)),
            },
        }
    }

    /// `None` when neither form is there or the second is broken.
    fn bytes(&self) -> Option<Bytes> {
        match (&self.text, &self.base64) {
            (Some(text), _) => Some(text.clone().into()),
            (None, Some(encoded)) => STANDARD.decode(encoded).ok().map(Bytes::from),
            (None, None) => None,
        }
    }
}

impl Tape {
    /// Reads a recording.
    ///
    /// # Errors
    /// When it cannot be read, a line of it is none of ours, or it has none.
    pub fn load(path: &Path) -> Result<Self, TapeError> {
        let read = |source| TapeError::Read {
            path: path.to_owned(),
            source,
        };
        let file = File::open(path).map_err(read)?;
        let size = file.metadata().map_err(read)?.len();
        if size > FILE_LIMIT {
            return Err(read(io::Error::other("it is larger than 256 MiB")));
        }
        let mut exchanges = Vec::new();
        for (index, line) in BufReader::new(file.take(FILE_LIMIT)).lines().enumerate() {
            let line = line.map_err(read)?;
            if line.trim().is_empty() {
                continue;
            }
            exchanges.push(parse(&line).map_err(|problem| TapeError::Syntax {
                path: path.to_owned(),
                line: index + 1,
                problem,
            })?);
        }
        if exchanges.is_empty() {
            return Err(TapeError::Empty {
                path: path.to_owned(),
            });
        }
        Ok(Self { exchanges })
    }
}

fn parse(line: &str) -> Result<Exchange, String> {
    let exchange: Exchange = serde_json::from_str(line).map_err(|error| error.to_string())?;
    if !(100..=599).contains(&exchange.response.status) {
        return Err(format!("{} is no status", exchange.response.status));
    }
    let broken = exchange
        .response
        .pieces
        .iter()
        .position(|piece| piece.bytes().is_none());
    match broken {
        Some(index) => Err(format!(
            "piece {index} has neither `text` nor sound `base64`"
        )),
        None => Ok(exchange),
    }
}
