//! Masks text that comes in pieces. What comes out, joined, is what masking the
//! whole would have given; held back is only what may become a secret, and never
//! more than a block of a private key.

use super::body::Body;
use super::custom::Lines;
use super::known::Pieces;
use super::scan::{BEHIND, Place};
use super::sight::Ending;
use super::{Findings, Masker, SCANNER, State};
use std::borrow::Cow;
use std::sync::Arc;

/// The text that is done is let go in steps, not at every piece.
const SLACK: usize = 4096;
/// What is held grows by so much before it is gone through again, as long as
/// letters come by which no secret ends.
const GROWTH: usize = 512;

/// One stream of text on its way to the log.
#[derive(Debug)]
pub struct MaskStream {
    masker: Arc<Masker>,
    pieces: Pieces,
    lines: Lines,
    /// The end of what is out, for looking back, and what is held.
    buffer: String,
    place: Place,
    /// Bytes at the end that were not looked at yet.
    unread: usize,
    body: Body,
    found: Findings,
}

impl MaskStream {
    pub(super) fn new(masker: Arc<Masker>) -> Self {
        Self {
            masker,
            pieces: Pieces::default(),
            lines: Lines::default(),
            buffer: String::new(),
            place: Place::default(),
            unread: 0,
            body: Body::default(),
            found: Findings::default(),
        }
    }

    /// Takes a piece; gives what may go out now.
    pub fn push(&mut self, text: &str) -> String {
        if self.masker.state == State::Off {
            return text.to_owned();
        }
        let known = self.masker.known();
        let text = if known.is_empty() {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(self.pieces.push(&known, text, &mut self.found))
        };
        if self.masker.custom.is_empty() {
            let out = self.scan(&text, Ending::Open);
            return self.body.push(&out, &mut self.found);
        }
        let text = self.lines.push(&self.masker.custom, &text, &mut self.found);
        let out = self.scan(&text, Ending::Open);
        self.body.push(&out, &mut self.found)
    }

    /// The stream has ended: gives what was held. The next piece begins anew.
    pub fn finish(&mut self) -> String {
        if self.masker.state == State::Off {
            return String::new();
        }
        let custom = &self.masker.custom;
        let last = self.pieces.finish(&self.masker.known(), &mut self.found);
        let text = if custom.is_empty() {
            last
        } else {
            let whole_lines = self.lines.push(custom, &last, &mut self.found);
            whole_lines + &self.lines.finish(custom, &mut self.found)
        };
        let out = self.scan(&text, Ending::Closed);
        self.buffer.clear();
        self.place = Place::default();
        let body = self.body.push(&out, &mut self.found);
        body + &self.body.finish(&mut self.found)
    }

    /// Bytes that are held back.
    #[must_use]
    pub fn held(&self) -> usize {
        let before = self.pieces.held() + self.lines.held();
        before + self.buffer.len() - self.place.emitted + self.body.held()
    }

    /// What was masked since this was last called.
    pub fn take_found(&mut self) -> Findings {
        std::mem::take(&mut self.found)
    }

    fn scan(&mut self, text: &str, ending: Ending) -> String {
        self.buffer.push_str(text);
        if ending == Ending::Open && self.can_wait(text) {
            self.unread += text.len();
            return String::new();
        }
        self.unread = 0;
        let mut out = String::new();
        let progress = SCANNER.scan(&self.buffer, self.place, ending, &mut out, &mut self.found);
        self.place = progress.place;
        let ready = self.buffer.get(self.place.emitted..progress.hold);
        out.push_str(ready.unwrap_or_default());
        self.place.emitted = self.place.emitted.max(progress.hold);
        self.forget();
        out
    }

    /// Whether a secret has begun that this cannot end. What is held may then be
    /// gone through later: byte by byte it would be gone through at each.
    fn can_wait(&self, text: &str) -> bool {
        let held = self.buffer.len() - self.place.emitted - self.unread - text.len();
        let goes_on = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.+/".contains(&byte);
        self.unread + text.len() <= GROWTH.min(held / 4) && text.bytes().all(goes_on)
    }

    fn forget(&mut self) {
        let needed = self.place.at.min(self.place.emitted);
        if needed < BEHIND + SLACK {
            return;
        }
        let cut = self.buffer.floor_char_boundary(needed - BEHIND);
        self.buffer.drain(..cut);
        self.place.at -= cut;
        self.place.emitted -= cut;
    }
}
