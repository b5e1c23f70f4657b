//! Answers from a recording: the reply to the same request, or else the next
//! one of that path.

use std::collections::{HashSet, VecDeque};
use std::pin::Pin;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::Frame;
use serde_json::{Map, Value};
use tokio::time::Sleep;

use super::slice::{Slices, Slicing};
use super::{Exchange, Tape, TapedEnd, TapedResponse};
use crate::api::below_the_base;
use crate::connection::Delivered;
use crate::reply::CutOff;

/// How fast a recorded reply is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// This long between two pieces.
    Fixed(Duration),
    /// As slowly as the server was. Pieces that are cut anew keep the time of
    /// the piece that they are from.
    Recorded,
}

impl Default for Pace {
    fn default() -> Self {
        Self::Fixed(Duration::ZERO)
    }
}

impl FromStr for Pace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "recorded" {
            return Ok(Self::Recorded);
        }
        let milliseconds = text
            .parse()
            .map_err(|_| "expected milliseconds or `recorded`")?;
        Ok(Self::Fixed(Duration::from_millis(milliseconds)))
    }
}

/// How a recording is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Playback {
    pub slicing: Slicing,
    pub pace: Pace,
}

/// What a session puts into its requests to be recognised; two runs of the same
/// conversation differ in it.
const VOLATILE: &[&str] = &["client_metadata", "metadata", "prompt_cache_key", "user"];

#[derive(Debug)]
pub(crate) struct Player {
    exchanges: Vec<(Key, Exchange)>,
    used: Mutex<HashSet<usize>>,
    playback: Playback,
}

#[derive(Debug, PartialEq)]
struct Key {
    method: String,
    path: String,
    body: Value,
}

impl Key {
    fn new(method: &str, path: &str, body: Value) -> Self {
        let path = path.split('?').next().unwrap_or(path);
        Self {
            method: method.to_owned(),
            path: below_the_base(path).to_owned(),
            body: without_volatile(body),
        }
    }

    fn has_place_of(&self, other: &Self) -> bool {
        self.method == other.method && self.path == other.path
    }
}

fn without_volatile(body: Value) -> Value {
    let Value::Object(parameters) = body else {
        return body;
    };
    let kept = parameters
        .into_iter()
        .filter(|(name, _)| !VOLATILE.contains(&name.as_str()));
    Value::Object(kept.collect::<Map<_, _>>())
}

impl Player {
    pub(crate) fn new(tape: Tape, playback: Playback) -> Self {
        let key = |exchange: &Exchange| {
            let request = &exchange.request;
            Key::new(&request.method, &request.path, request.body.clone())
        };
        let keyed = tape.exchanges.into_iter().map(|taped| (key(&taped), taped));
        Self {
            exchanges: keyed.collect(),
            used: Mutex::default(),
            playback,
        }
    }

    /// Each reply once, in order; when all that fit have been given, the last
    /// of them again.
    pub(crate) fn answer(&self, method: &str, path: &str, body: &[u8]) -> Option<&TapedResponse> {
        let wanted = Key::new(method, path, super::record::body(body));
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |index: &usize| self.exchanges[*index].0 == wanted;
        let near = |index: &usize| self.exchanges[*index].0.has_place_of(&wanted);
        let all = || 0..self.exchanges.len();
        let index = all()
            .filter(|index| !used.contains(index))
            .find(same)
            .or_else(|| all().rfind(same))
            .or_else(|| all().filter(|index| !used.contains(index)).find(near))
            .or_else(|| all().rfind(near))?;
        used.insert(index);
        Some(&self.exchanges[index].1.response)
    }

    pub(crate) fn play(&self, taped: &TapedResponse, delivered: Delivered) -> Playing {
        let Playback { slicing, pace } = self.playback;
        let mut pieces = VecDeque::new();
        let mut clock = 0;
        for (at, bytes) in whole_or_pieces(taped, self.playback) {
            let late = Duration::from_millis(at.saturating_sub(clock));
            clock = clock.max(at);
            for (number, piece) in Slices::new(bytes, slicing).enumerate() {
                let wait = match pace {
                    Pace::Fixed(_) if pieces.is_empty() => Duration::ZERO,
                    Pace::Fixed(wait) => wait,
                    Pace::Recorded if number == 0 => late,
                    Pace::Recorded => Duration::ZERO,
                };
                pieces.push_back((wait, piece));
            }
        }
        delivered.arm();
        Playing {
            pieces,
            end: taped.end,
            sleep: None,
            // The head must arrive too, if only a cut follows it.
            flush: Flush::Awaited,
            delivered,
        }
    }
}

/// Cut anew, the old pieces do not matter, unless their times do.
fn whole_or_pieces(taped: &TapedResponse, playback: Playback) -> Vec<(u64, Bytes)> {
    let pieces = taped.pieces.iter();
    let pieces = pieces.filter_map(|piece| Some((piece.at_ms, piece.bytes()?)));
    if playback.slicing == Slicing::Recorded || playback.pace == Pace::Recorded {
        return pieces.collect();
    }
    let mut whole = Vec::new();
    for (_, bytes) in pieces {
        whole.extend_from_slice(&bytes);
    }
    vec![(0, whole.into())]
}

/// The body of a reply from a recording.
#[derive(Debug)]
pub(crate) struct Playing {
    pieces: VecDeque<(Duration, Bytes)>,
    end: TapedEnd,
    sleep: Option<Pin<Box<Sleep>>>,
    flush: Flush,
    delivered: Delivered,
}

/// Each piece leaves the program before the next is handed over, or they would
/// arrive as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flush {
    Nothing,
    Awaited,
}

impl Playing {
    pub(crate) fn poll(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CutOff>>> {
        if self.flush == Flush::Awaited {
            ready!(self.delivered.poll(cx));
            self.flush = Flush::Nothing;
        }
        if let Some((wait, _)) = self.pieces.front_mut()
            && !wait.is_zero()
        {
            self.sleep = Some(Box::pin(tokio::time::sleep(std::mem::take(wait))));
        }
        if let Some(sleep) = &mut self.sleep {
            ready!(sleep.as_mut().poll(cx));
            self.sleep = None;
        }
        match self.pieces.pop_front() {
            Some((_, piece)) => {
                self.delivered.arm();
                self.flush = Flush::Awaited;
                Poll::Ready(Some(Ok(Frame::data(piece))))
            }
            None if self.end == TapedEnd::Complete => Poll::Ready(None),
            None => Poll::Ready(Some(Err(CutOff))),
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.pieces.is_empty() && self.end == TapedEnd::Complete
    }
}
