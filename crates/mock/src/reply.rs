//! The body of every response: bytes at the pace and with the accidents that
//! the step asks for. It knows time and bytes, not what they say.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::Sleep;

use crate::connection::Delivered;
use crate::events::Events;
use crate::tape::play::Playing;
use crate::tape::record::Passing;

/// Written at once when nothing slows the stream down. Large enough that
/// system calls cost nothing, small enough that a reader starts early.
const BUFFER: usize = 32 << 10;

/// How often a stalled stream shows that its connection still lives.
const KEEP_ALIVE: Duration = Duration::from_millis(200);

/// The connection is to be closed here, as the script asked.
#[derive(Debug, thiserror::Error)]
#[error("the reply was cut off as scripted")]
pub(crate) struct CutOff;

/// Where a reply ends before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Complete,
    /// Closed after exactly so many bytes.
    Cut(u64),
    /// Silent after the event that reaches so many bytes.
    Stall(u64),
}

/// When and how the bytes go out.
#[derive(Debug)]
pub(crate) struct Manner {
    pub(crate) first: Duration,
    pub(crate) between: Duration,
    pub(crate) ending: Ending,
    pub(crate) delivered: Delivered,
}

impl Manner {
    /// At once and whole.
    fn plain() -> Self {
        Self {
            first: Duration::ZERO,
            between: Duration::ZERO,
            ending: Ending::Complete,
            delivered: Delivered::default(),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Reply {
    source: Source,
    manner: Manner,
    phase: Phase,
    sleep: Option<Pin<Box<Sleep>>>,
    sent: u64,
    length: Option<u64>,
}

#[derive(Debug)]
enum Source {
    Whole(Bytes),
    Events(Box<Events>),
    Playing(Box<Playing>),
    Passing(Box<Passing>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Waiting,
    Flowing,
    Cutting,
    Stalled,
    Ended,
}

impl Reply {
    pub(crate) fn plain(bytes: Bytes) -> Self {
        Self::whole(bytes, Manner::plain())
    }

    pub(crate) fn whole(bytes: Bytes, manner: Manner) -> Self {
        let length = Some(bytes.len() as u64);
        Self::new(Source::Whole(bytes), manner, length)
    }

    pub(crate) fn stream(events: Events, manner: Manner) -> Self {
        Self::new(Source::Events(Box::new(events)), manner, None)
    }

    /// From a recording, at the recording's own pace.
    pub(crate) fn played(playing: Playing) -> Self {
        Self::new(Source::Playing(Box::new(playing)), Manner::plain(), None)
    }

    /// From a real server, as it comes.
    pub(crate) fn passed(passing: Passing) -> Self {
        Self::new(Source::Passing(Box::new(passing)), Manner::plain(), None)
    }

    fn new(source: Source, manner: Manner, length: Option<u64>) -> Self {
        Self {
            source,
            manner,
            phase: Phase::Waiting,
            sleep: None,
            sent: 0,
            length,
        }
    }

    /// The next bytes, already shortened by a cut or ended by a stall.
    fn flow(&mut self) -> Bytes {
        let mut bytes = self.take();
        let reached = self.sent + bytes.len() as u64;
        match self.manner.ending {
            Ending::Cut(after) if reached >= after => {
                bytes.truncate(self.missing(after));
                self.phase = Phase::Cutting;
                self.manner.delivered.arm();
            }
            Ending::Stall(after) if reached >= after => {
                if matches!(self.source, Source::Whole(_)) {
                    bytes.truncate(self.missing(after));
                }
                self.phase = Phase::Stalled;
            }
            _ => {}
        }
        self.sent += bytes.len() as u64;
        bytes
    }

    /// One event when the stream is paced, else as many as make a good write.
    fn take(&mut self) -> Bytes {
        let mut enough = if self.manner.between.is_zero() {
            BUFFER
        } else {
            1
        };
        if let Ending::Stall(after) = self.manner.ending {
            enough = enough.min(self.missing(after));
        }
        match &mut self.source {
            Source::Whole(bytes) => {
                self.phase = Phase::Ended;
                std::mem::take(bytes)
            }
            Source::Events(events) => {
                let mut buffer = Vec::with_capacity(enough);
                while buffer.len() < enough {
                    if !events.write_next(&mut buffer) {
                        self.phase = Phase::Ended;
                        break;
                    }
                }
                buffer.into()
            }
            // They have a way of their own, see `poll_frame`.
            Source::Playing(_) | Source::Passing(_) => {
                self.phase = Phase::Ended;
                Bytes::new()
            }
        }
    }

    fn missing(&self, until: u64) -> usize {
        usize::try_from(until.saturating_sub(self.sent)).unwrap_or(usize::MAX)
    }

    fn pause(&mut self, duration: Duration) {
        if !duration.is_zero() {
            self.sleep = Some(Box::pin(tokio::time::sleep(duration)));
        }
    }

    fn keep_alive(&self) -> Option<Bytes> {
        match &self.source {
            Source::Events(events) => Some(events.keep_alive()),
            Source::Whole(_) | Source::Playing(_) | Source::Passing(_) => None,
        }
    }
}

impl Body for Reply {
    type Data = Bytes;
    type Error = CutOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CutOff>>> {
        match &mut self.source {
            Source::Playing(playing) => return playing.poll(cx),
            Source::Passing(passing) => return passing.poll(cx),
            Source::Whole(_) | Source::Events(_) => {}
        }
        loop {
            if let Some(sleep) = &mut self.sleep {
                ready!(sleep.as_mut().poll(cx));
                self.sleep = None;
                if self.phase == Phase::Stalled
                    && let Some(comment) = self.keep_alive()
                {
                    self.pause(KEEP_ALIVE);
                    return Poll::Ready(Some(Ok(Frame::data(comment))));
                }
            }
            match self.phase {
                Phase::Waiting => {
                    self.phase = Phase::Flowing;
                    let first = self.manner.first;
                    self.pause(first);
                }
                Phase::Flowing => {
                    let bytes = self.flow();
                    if self.phase == Phase::Flowing {
                        let between = self.manner.between;
                        self.pause(between);
                    }
                    if !bytes.is_empty() {
                        return Poll::Ready(Some(Ok(Frame::data(bytes))));
                    }
                }
                Phase::Cutting => {
                    ready!(self.manner.delivered.poll(cx));
                    return Poll::Ready(Some(Err(CutOff)));
                }
                Phase::Stalled => self.pause(KEEP_ALIVE),
                Phase::Ended => return Poll::Ready(None),
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.source {
            Source::Playing(playing) => playing.is_over(),
            Source::Passing(_) => false,
            Source::Whole(_) | Source::Events(_) => {
                self.phase == Phase::Ended || self.length == Some(0)
            }
        }
    }

    fn size_hint(&self) -> SizeHint {
        self.length
            .map(|length| SizeHint::with_exact(length - self.sent.min(length)))
            .unwrap_or_default()
    }
}
