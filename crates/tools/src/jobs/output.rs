//! All that a command has printed: the excerpts of both streams for its result,
//! the whole for the file, and what nobody has read yet.

use super::capture::{Capture, Excerpt};
use super::clean::Cleaner;
use super::shelter::Shelter;
use super::spec::{Collected, Whole};
use super::spill::Spill;
use std::sync::Arc;
use tenon_vocab::ToolStream;

#[derive(Debug)]
struct Track {
    cleaner: Cleaner,
    capture: Capture,
}

#[derive(Debug)]
pub(super) struct Output {
    limit: usize,
    stdout: Track,
    stderr: Track,
    spill: Spill,
    unread: Capture,
}

impl Output {
    pub(super) fn new(shelter: &Arc<Shelter>, label: &str, limit: usize) -> Self {
        let track = || Track {
            cleaner: Cleaner::default(),
            capture: Capture::new(limit),
        };
        Self {
            limit,
            stdout: track(),
            stderr: track(),
            spill: Spill::new(shelter, label, limit),
            unread: Capture::new(limit),
        }
    }

    /// Takes bytes as they came; gives what a screen may show of them now.
    pub(super) fn push(&mut self, stream: ToolStream, bytes: &[u8]) -> String {
        let cleaned = self.track(stream).cleaner.feed(bytes);
        self.keep(stream, &cleaned.text);
        cleaned.live
    }

    /// A stream has ended.
    pub(super) fn finish(&mut self, stream: ToolStream) {
        let cleaned = self.track(stream).cleaner.finish();
        self.keep(stream, &cleaned.text);
    }

    /// Everything up to now, also lines that have not ended.
    pub(super) fn collected(&mut self) -> Collected {
        self.flush();
        Collected {
            stdout: self.stdout.capture.excerpt(self.limit),
            stderr: self.stderr.capture.excerpt(self.limit),
            whole: self.spill.whole(),
        }
    }

    /// What came since this was last called.
    pub(super) fn take_unread(&mut self) -> (Excerpt, Whole) {
        self.flush();
        (self.unread.take(), self.spill.whole())
    }

    pub(super) fn unread_bytes(&self) -> u64 {
        let held = self.stdout.cleaner.held() + self.stderr.cleaner.held();
        self.unread.bytes() + u64::try_from(held).unwrap_or(0)
    }

    fn flush(&mut self) {
        for stream in [ToolStream::Stdout, ToolStream::Stderr] {
            let text = self.track(stream).cleaner.flush();
            self.keep(stream, &text);
        }
    }

    fn keep(&mut self, stream: ToolStream, text: &str) {
        if text.is_empty() {
            return;
        }
        self.track(stream).capture.push(text);
        self.spill.push(text);
        self.unread.push(text);
    }

    fn track(&mut self, stream: ToolStream) -> &mut Track {
        match stream {
            ToolStream::Stderr => &mut self.stderr,
            ToolStream::Stdout | ToolStream::Status => &mut self.stdout,
        }
    }
}
