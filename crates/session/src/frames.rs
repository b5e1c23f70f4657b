//! What streams, on the disk before it is seen: one JSON line for each piece in
//! `<id>.d/partial`. No record of the log, only what would be lost if the
//! program ended before the record is written.
//!
//! Each line carries the seq that the log stood at. A record of the same run or
//! call at or after that seq supersedes it, so leftovers are told apart from
//! what is already in the log, also when the program ended in between.

use crate::SessionError;
use crate::place::{Place, private_file};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use tenon_vocab::{CallId, RunId, TextChannel, ToolStream};

/// Output of a call that is kept for the case of a crash; the end of it says
/// most, but a program that prints for hours must not fill the disk here.
const TOOL_BYTES: u64 = 4 * 1024 * 1024;

/// A piece of what streams.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum Frame {
    Message {
        run: RunId,
        channel: TextChannel,
        text: String,
    },
    Tool {
        run: RunId,
        call: CallId,
        name: String,
        stream: ToolStream,
        text: String,
    },
}

/// Which stream is over.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FrameOf {
    Message,
    Tool(CallId),
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Line<F> {
    pub seq: u64,
    #[serde(flatten)]
    pub frame: F,
}

/// The writing side.
#[derive(Debug)]
pub(crate) struct Partial {
    path: PathBuf,
    file: Option<File>,
    bytes: u64,
    streaming: HashSet<FrameOf>,
    line: Vec<u8>,
}

impl Partial {
    pub fn new(place: &Place) -> Self {
        Self {
            path: place.partial(),
            file: None,
            bytes: 0,
            streaming: HashSet::new(),
            line: Vec::new(),
        }
    }

    pub fn write(&mut self, seq: u64, frame: &Frame) -> Result<(), SessionError> {
        let of = match frame {
            Frame::Message { .. } => FrameOf::Message,
            Frame::Tool { .. } if self.bytes > TOOL_BYTES => return Ok(()),
            Frame::Tool { call, .. } => FrameOf::Tool(call.clone()),
        };
        self.line.clear();
        serde_json::to_writer(&mut self.line, &Line { seq, frame })?;
        self.line.push(b'\n');
        let mut file = match self.file.take() {
            Some(file) => file,
            None => tenon_files::open_with(private_file().append(true).create(true), &self.path)
                .map_err(|error| SessionError::io("open", &self.path, error))?,
        };
        let written = file.write_all(&self.line);
        if written.is_err() {
            // A torn line would end the reading before what follows it.
            let _ = file.set_len(self.bytes);
        }
        self.file = Some(file);
        written.map_err(|error| SessionError::io("write", &self.path, error))?;
        self.bytes += self.line.len() as u64;
        self.streaming.insert(of);
        Ok(())
    }

    /// Costs nothing when nothing was written. While other streams go on, their
    /// lines must stay, and so do these: the record in the log supersedes them.
    pub fn clear(&mut self, of: &FrameOf) -> Result<(), SessionError> {
        let was_streaming = self.streaming.remove(of);
        if was_streaming && self.streaming.is_empty() {
            self.empty()
        } else {
            Ok(())
        }
    }

    pub fn empty(&mut self) -> Result<(), SessionError> {
        let emptied = match &self.file {
            Some(file) => file.set_len(0),
            None => {
                let mut options = private_file();
                match tenon_files::open_with(options.write(true).truncate(true), &self.path) {
                    Ok(_) => Ok(()),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                    Err(error) => Err(error),
                }
            }
        };
        emptied.map_err(|error| SessionError::io("empty", &self.path, error))?;
        self.bytes = 0;
        Ok(())
    }
}
