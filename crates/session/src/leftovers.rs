//! What a program that ended without warning left in `<id>.d/partial`: read
//! back, without what the log holds already.

use crate::SessionError;
use crate::frames::{Frame, Line};
use crate::lines::Lines;
use crate::place::Place;
use std::io;
use tenon_vocab::{CallId, Event, EventKind, Part, Role, RunId, TextChannel};

/// What is given back of a call's output.
const OUTPUT_TAIL: usize = 16 * 1024;
/// What is given back of a message; no model writes more in one.
const MESSAGE_BYTES: usize = 32 * 1024 * 1024;

/// Streams that never got their record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Leftovers {
    streams: Vec<Stream>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Stream {
    run: RunId,
    /// None for the message that a run was writing.
    call: Option<CallId>,
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    seq: u64,
    channel: TextChannel,
    text: String,
    /// Bytes that stood before `text`.
    left_out: u64,
}

/// The end of what a call had printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Output {
    pub text: String,
    pub left_out: u64,
}

impl Leftovers {
    /// What is torn or foreign in the file ends the reading: nothing after it
    /// can be trusted to be whole.
    pub(crate) fn read(place: &Place) -> Result<Self, SessionError> {
        let path = place.partial();
        let file = match tenon_files::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(SessionError::io("read", &path, error)),
        };
        let mut left = Self::default();
        let mut lines = Lines::new(&file, 0);
        while let Some(line) = lines
            .next_whole()
            .map_err(|error| SessionError::io("read", &path, error))?
        {
            match serde_json::from_slice::<Line<Frame>>(&line.bytes) {
                Ok(line) => left.take(line.seq, line.frame),
                Err(_) => break,
            }
        }
        Ok(left)
    }

    /// Frames as if they had been read from a file; `seq` is where the log stood.
    #[must_use]
    pub fn from_frames(frames: impl IntoIterator<Item = (u64, Frame)>) -> Self {
        let mut left = Self::default();
        for (seq, frame) in frames {
            left.take(seq, frame);
        }
        left
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.streams.is_empty()
    }

    /// The records from here on decide what is superseded.
    pub(crate) fn first_seq(&self) -> Option<u64> {
        self.streams
            .iter()
            .flat_map(|stream| &stream.pieces)
            .map(|piece| piece.seq)
            .min()
    }

    /// Drops what this record of the log holds in full.
    pub fn supersede(&mut self, event: &Event) {
        let ended = |stream: &Stream| match &event.kind {
            EventKind::Message(message) => message.role == Role::Assistant && stream.call.is_none(),
            EventKind::ToolResult(result) => stream.call.as_ref() == Some(&result.call),
            _ => false,
        };
        for stream in &mut self.streams {
            if Some(stream.run) == event.run && ended(stream) {
                stream.pieces.retain(|piece| piece.seq > event.seq);
            }
        }
        self.streams.retain(|stream| !stream.pieces.is_empty());
    }

    /// The runs that were writing a message, with its parts so far.
    pub(crate) fn messages(&self) -> impl Iterator<Item = (RunId, Vec<Part>)> {
        self.streams
            .iter()
            .filter(|stream| stream.call.is_none())
            .map(|stream| (stream.run, parts(&stream.pieces)))
    }

    pub(crate) fn output(&self, run: Option<RunId>, call: &CallId) -> Option<Output> {
        let stream = self
            .streams
            .iter()
            .find(|stream| Some(stream.run) == run && stream.call.as_ref() == Some(call))?;
        let mut all = Output {
            text: String::new(),
            left_out: 0,
        };
        for piece in &stream.pieces {
            all.left_out += piece.left_out;
            all.text.push_str(&piece.text);
        }
        all.left_out += keep_tail(&mut all.text);
        Some(all)
    }

    fn take(&mut self, seq: u64, frame: Frame) {
        let (run, call, channel, text) = match frame {
            Frame::Message { run, channel, text } => (run, None, channel, text),
            Frame::Tool {
                run, call, text, ..
            } => (run, Some(call), TextChannel::Text, text),
        };
        let is_output = call.is_some();
        let known = self
            .streams
            .iter()
            .position(|stream| stream.run == run && stream.call == call);
        let index = known.unwrap_or(self.streams.len());
        if known.is_none() {
            self.streams.push(Stream {
                run,
                call,
                pieces: Vec::new(),
            });
        }
        let Some(stream) = self.streams.get_mut(index) else {
            return;
        };
        match stream.pieces.last_mut() {
            Some(last) if last.seq == seq && last.channel == channel => {
                if is_output {
                    last.text.push_str(&text);
                    // Cutting at each line would copy the tail each time.
                    if last.text.len() > 4 * OUTPUT_TAIL {
                        last.left_out += keep_tail(&mut last.text);
                    }
                } else if last.text.len() + text.len() <= MESSAGE_BYTES {
                    last.text.push_str(&text);
                }
            }
            _ => stream.pieces.push(Piece {
                seq,
                channel,
                text,
                left_out: 0,
            }),
        }
    }
}

/// Parts in the order in which they came, neighbours of one channel joined.
fn parts(pieces: &[Piece]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for piece in pieces.iter().filter(|piece| !piece.text.is_empty()) {
        match (parts.last_mut(), piece.channel) {
            (Some(Part::Text { text }), TextChannel::Text)
            | (Some(Part::Reasoning { text, .. }), TextChannel::Reasoning) => {
                text.push_str(&piece.text);
            }
            (_, TextChannel::Text) => parts.push(Part::text(&piece.text)),
            (_, TextChannel::Reasoning) => parts.push(Part::Reasoning {
                text: piece.text.clone(),
                signature: None,
                provider: None,
            }),
        }
    }
    parts
}

/// Cuts to the end of a text and says how many bytes went.
fn keep_tail(text: &mut String) -> u64 {
    let mut cut = text.len().saturating_sub(OUTPUT_TAIL);
    while !text.is_char_boundary(cut) {
        cut += 1;
    }
    text.drain(..cut);
    cut as u64
}
