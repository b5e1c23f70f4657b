//! All that a command has printed: the excerpts of both streams for its result,
//! the whole for the file, and what nobody has read yet. Secrets are taken out
//! here, before anything of it is kept, so the file has none either (H6).

use super::capture::{Capture, Excerpt};
use super::clean::Cleaner;
use super::shelter::Shelter;
use super::spec::{Collected, Whole};
use super::spill::Spill;
use std::sync::Arc;
use tenon_policy::{Findings, MaskStream, Masker};
use tenon_vocab::ToolStream;
use tokio::sync::mpsc;

#[derive(Debug)]
struct Track {
    cleaner: Cleaner,
    capture: Capture,
    /// For the record.
    masked: MaskStream,
    /// For the screen, which sees lines before they are finished.
    live: MaskStream,
}

#[derive(Debug)]
pub(super) struct Output {
    /// Bytes of each stream for the result.
    kept: usize,
    stdout: Track,
    stderr: Track,
    spill: Spill,
    unread: Capture,
    /// What the result of its start has shown, until somebody reads or waits: the
    /// model may ask for a line in the same reply, before it saw that result.
    shown_at_start: Excerpt,
    found: Findings,
    /// Who waits for something to be printed.
    listeners: Vec<mpsc::UnboundedSender<Piece>>,
}

/// Something that was printed, as it is kept.
pub(super) type Piece = (ToolStream, String);

impl Output {
    pub(super) fn new(
        shelter: &Arc<Shelter>,
        label: &str,
        limit: usize,
        kept: usize,
        masker: &Arc<Masker>,
    ) -> Self {
        let track = || Track {
            cleaner: Cleaner::default(),
            capture: Capture::new(kept),
            masked: masker.stream(),
            live: masker.stream(),
        };
        Self {
            kept,
            stdout: track(),
            stderr: track(),
            spill: Spill::new(shelter, label, limit),
            unread: Capture::new(limit),
            shown_at_start: Excerpt::default(),
            found: Findings::default(),
            listeners: Vec::new(),
        }
    }

    /// Takes bytes as they came; gives what a screen may show of them now.
    pub(super) fn push(&mut self, stream: ToolStream, bytes: &[u8]) -> String {
        let cleaned = self.track(stream).cleaner.feed(bytes);
        self.keep(stream, &cleaned.text);
        self.track(stream).live.push(&cleaned.live)
    }

    /// A stream has ended; gives what a screen has yet to show.
    pub(super) fn finish(&mut self, stream: ToolStream) -> String {
        let cleaned = self.track(stream).cleaner.finish();
        self.keep(stream, &cleaned.text);
        let held = self.track(stream).masked.finish();
        self.store(stream, &held);
        let track = self.track(stream);
        let mut live = track.live.push(&cleaned.live);
        live.push_str(&track.live.finish());
        live
    }

    /// Nothing more will come, whether or not the streams have ended: what was
    /// held because it might become a secret is kept as it is.
    pub(super) fn close(&mut self) {
        for stream in [ToolStream::Stdout, ToolStream::Stderr] {
            self.finish(stream);
        }
    }

    /// Everything up to now, also lines that have not ended. The beginning of
    /// what may be a secret stays held until it is known.
    pub(super) fn collected(&mut self) -> Collected {
        self.flush();
        Collected {
            stdout: self.stdout.capture.excerpt(self.kept),
            stderr: self.stderr.capture.excerpt(self.kept),
            whole: self.spill.whole(),
            masked: self.found.clone(),
        }
    }

    /// Nothing up to now is unread, because the result of the start shows it.
    pub(super) fn show_at_start(&mut self) {
        self.flush();
        self.found = Findings::default();
        self.shown_at_start = self.unread.take();
    }

    /// What came since this was last called.
    pub(super) fn take_unread(&mut self) -> (Excerpt, Whole, Findings) {
        self.flush();
        self.shown_at_start = Excerpt::default();
        let found = std::mem::take(&mut self.found);
        (self.unread.take(), self.spill.whole(), found)
    }

    /// Every text that a wait has to look through first: what is unread, and before
    /// anything was read what the start has shown.
    pub(super) fn before_wait(&self) -> [String; 4] {
        let unread = self.unread.excerpt(usize::MAX);
        let shown = &self.shown_at_start;
        [
            shown.head.clone(),
            shown.tail.clone(),
            unread.head,
            unread.tail,
        ]
    }

    /// All that is kept from now on, as it comes.
    pub(super) fn listen(&mut self) -> mpsc::UnboundedReceiver<Piece> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.listeners.push(sender);
        receiver
    }

    /// The lines that have not ended. What looks like progress may still be taken
    /// back, so they are only looked at.
    pub(super) fn unfinished(&self) -> [&str; 2] {
        [self.stdout.cleaner.held(), self.stderr.cleaner.held()]
    }

    pub(super) fn unread_bytes(&self) -> u64 {
        let held = self.stdout.cleaner.held().len() + self.stderr.cleaner.held().len();
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
        let masked = self.track(stream).masked.push(text);
        self.store(stream, &masked);
    }

    fn store(&mut self, stream: ToolStream, text: &str) {
        let found = self.track(stream).masked.take_found();
        self.found.add(&found);
        if text.is_empty() {
            return;
        }
        self.track(stream).capture.push(text);
        self.spill.push(text);
        self.unread.push(text);
        self.listeners
            .retain(|listener| listener.send((stream, text.to_owned())).is_ok());
    }

    fn track(&mut self, stream: ToolStream) -> &mut Track {
        match stream {
            ToolStream::Stderr => &mut self.stderr,
            ToolStream::Stdout | ToolStream::Status => &mut self.stdout,
        }
    }
}
