//! Markdown as lines, while it streams: what cannot change any more is given
//! away, the rest is drawn anew with each piece.
//!
//! A whole text is drawn by the same machine as a stream, so that both look the
//! same by construction: `settled` and `finish` of any pieces give the lines of
//! [`render`].

mod blocks;
mod close;
mod code;
mod containers;
mod leaf;
mod marks;
mod rows;

use crate::text::Line;
use blocks::{Blocks, MOST_BYTES, Place, Sheet};
pub(crate) use code::fitted;
use std::rc::Rc;

/// A text that is being written.
#[derive(Debug, Default)]
pub struct Stream {
    /// What no block has taken yet: at most the begin of a line, once
    /// [`Stream::settled`] was called.
    text: String,
    blocks: Blocks,
    cut: Cut,
    came: Came,
}

/// Whether `text` is the rest of a line that was cut for its length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Cut {
    #[default]
    No,
    Inside,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Came {
    #[default]
    Nothing,
    Something,
}

impl Stream {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub fn push(&mut self, text: &str) {
        if !text.is_empty() {
            self.came = Came::Something;
            self.text.push_str(text);
        }
    }

    /// Whether nothing was pushed since the begin or the last `finish`.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.came == Came::Nothing
    }

    /// The lines that nothing which may follow can change. Each is given once.
    pub fn settled(&mut self, columns: usize) -> Vec<Line> {
        self.take_lines(Sheet {
            columns,
            place: Place::Scrollback,
        });
        std::mem::take(&mut self.blocks.out)
    }

    /// What may still change, as it looks now; each line fits.
    #[must_use]
    pub fn open(&self, columns: usize) -> Vec<Line> {
        let mut live = Self {
            text: self.text.clone(),
            blocks: self.blocks.clone(),
            cut: self.cut,
            came: self.came,
        };
        let sheet = Sheet {
            columns,
            place: Place::Live,
        };
        live.take_lines(sheet);
        if !close::is_only_marks(&live.text) {
            live.take_rest(sheet);
        }
        if let Some(text) = live.blocks.open_text() {
            close::close(text);
        }
        live.blocks.finish(sheet);
        live.blocks.out
    }

    /// The text is complete: all lines that were not given yet.
    pub fn finish(&mut self, columns: usize) -> Vec<Line> {
        let sheet = Sheet {
            columns,
            place: Place::Scrollback,
        };
        self.take_lines(sheet);
        self.take_rest(sheet);
        self.blocks.finish(sheet);
        std::mem::take(self).blocks.out
    }

    /// Gives all whole lines to the blocks, and all full rows of a line; of one
    /// that is too long, a part.
    fn take_lines(&mut self, sheet: Sheet) {
        let text = std::mem::take(&mut self.text);
        let mut rest = text.as_str();
        loop {
            let near = floor(rest, MOST_BYTES);
            let (head, _) = rest.split_at(near);
            let line = head.split_once('\n').map_or(head, |(line, _)| line);
            if let Some(at) = rows::full(&self.blocks, line, self.cut, sheet) {
                let (part, tail) = rest.split_at(at);
                self.give(part.trim_end(), sheet);
                self.blocks.part(sheet);
                self.cut = Cut::Inside;
                rest = tail;
            } else if let Some(end) = head.find('\n') {
                let (line, tail) = rest.split_at(end);
                self.give(line.strip_suffix('\r').unwrap_or(line), sheet);
                self.cut = Cut::No;
                rest = tail.strip_prefix('\n').unwrap_or(tail);
            } else if rest.len() > MOST_BYTES {
                // A word is kept whole where there are words.
                let at = head.rfind(' ').map_or(near, |space| space + 1);
                let (part, tail) = rest.split_at(at);
                self.give(part, sheet);
                self.cut = Cut::Inside;
                rest = tail;
            } else {
                break;
            }
        }
        self.text = if rest.len() == text.len() {
            text
        } else {
            rest.to_owned()
        };
    }

    fn take_rest(&mut self, sheet: Sheet) {
        if !self.text.is_empty() {
            let text = std::mem::take(&mut self.text);
            self.give(text.strip_suffix('\r').unwrap_or(&text), sheet);
        }
    }

    fn give(&mut self, line: &str, sheet: Sheet) {
        rows::give(&mut self.blocks, line, self.cut, sheet);
    }
}

/// The border between characters at or before so many bytes.
fn floor(text: &str, bytes: usize) -> usize {
    text.floor_char_boundary(bytes)
}

/// A whole text.
#[must_use]
pub fn render(text: &str, columns: usize) -> Vec<Line> {
    let mut stream = Stream::new();
    stream.push(text);
    stream.finish(columns)
}

/// How much of a text is drawn at once, where others wait.
pub const PIECE: usize = 16 * 1024;

/// The lines of [`render`], little by little.
pub fn pieces(text: Rc<str>, columns: usize) -> impl Iterator<Item = Vec<Line>> {
    let mut stream = Some(Stream::new());
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).unwrap_or_default();
        if rest.is_empty() {
            return stream.take().map(|mut stream| stream.finish(columns));
        }
        let (piece, _) = rest.split_at(floor(rest, PIECE));
        at += piece.len();
        let stream = stream.as_mut()?;
        stream.push(piece);
        Some(stream.settled(columns))
    })
}
