//! Collects one page of a file while its bytes go by, and counts the rest.
//! Holds no more than the page, whatever is fed to it.

use super::cut_line;
use std::fmt::Write as _;

#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// The first line of the page, from 1.
    pub(super) first: u64,
    pub(super) lines: usize,
    pub(super) bytes: usize,
    pub(super) line_bytes: usize,
}

#[derive(Debug)]
pub(super) struct Page {
    shape: Shape,
    numbered: String,
    content: String,
    /// The beginning of the current line, as far as it may be shown.
    line: Vec<u8>,
    /// Its whole length so far, and where it starts in the file.
    line_length: u64,
    line_start: u64,
    position: u64,
    ended: u64,
    shown: usize,
    full: bool,
    /// The number of each line that was cut, and the byte to read on from.
    long_lines: Vec<(u64, u64)>,
    lossy: bool,
    crlf: bool,
    complete: bool,
}

impl Page {
    pub(super) fn new(shape: Shape) -> Self {
        Self {
            shape,
            numbered: String::new(),
            content: String::new(),
            line: Vec::new(),
            line_length: 0,
            line_start: 0,
            position: 0,
            ended: 0,
            shown: 0,
            full: false,
            long_lines: Vec::new(),
            lossy: false,
            crlf: false,
            complete: false,
        }
    }

    /// Bytes of the file that are not fed, such as a mark at its start.
    pub(super) fn skipped_bytes(&mut self, count: usize) {
        self.position += count as u64;
        self.line_start += count as u64;
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(at) = memchr::memchr(b'\n', rest) {
            self.take(&rest[..at]);
            self.position += 1;
            self.end_line(b"\n");
            rest = &rest[at + 1..];
        }
        self.take(rest);
    }

    fn take(&mut self, piece: &[u8]) {
        self.position += piece.len() as u64;
        self.line_length += piece.len() as u64;
        if self.wants() {
            // One byte more than is shown, so that a `\r` at the cut is seen.
            let room = (self.shape.line_bytes + 1).saturating_sub(self.line.len());
            self.line.extend_from_slice(&piece[..piece.len().min(room)]);
        }
    }

    fn wants(&self) -> bool {
        !self.full && self.ended + 1 >= self.shape.first
    }

    fn end_line(&mut self, ending: &[u8]) {
        if self.wants() {
            self.show(ending);
        }
        self.ended += 1;
        self.line.clear();
        self.line_length = 0;
        self.line_start = self.position;
    }

    fn show(&mut self, ending: &[u8]) {
        let mut line = self.line.as_slice();
        let whole = line.len() as u64 == self.line_length;
        if whole && !ending.is_empty() && line.ends_with(b"\r") {
            line = &line[..line.len() - 1];
            self.crlf = true;
        }
        let keep = if whole && line.len() <= self.shape.line_bytes {
            line.len()
        } else {
            cut_line(line, self.shape.line_bytes)
        };
        let text = String::from_utf8_lossy(&line[..keep]);
        // The first line of a page is always shown, whatever its length. The
        // numbers are ours and take no room of the file's.
        let length = self.content.len() + text.len() + usize::from(!ending.is_empty());
        if self.shown > 0 && length > self.shape.bytes {
            self.full = true;
            return;
        }
        self.lossy |= matches!(text, std::borrow::Cow::Owned(_));
        // Writing to a string cannot fail.
        let _ = write!(self.numbered, "{}\t{text}", self.ended + 1);
        self.content.push_str(&text);
        if keep < line.len() || !whole {
            let next = self.line_start + keep as u64;
            self.long_lines.push((self.ended + 1, next));
            let _ = write!(
                self.numbered,
                " [… line cut: {keep} of {} bytes; use byte_offset={next} to continue]",
                self.line_length,
            );
        }
        self.numbered.push('\n');
        self.content.push('\n');
        self.shown += 1;
        self.full = self.shown >= self.shape.lines;
    }

    /// The end of what is fed; `complete` says whether it is the end of the
    /// file.
    pub(super) fn finish(&mut self, complete: bool) {
        self.complete = complete || !self.full;
        if self.line_length > 0 && (self.complete || !self.full) {
            let last = self.shown;
            self.end_line(b"");
            // A file without a last line end is given back without one.
            if self.shown > last && self.content.ends_with('\n') {
                self.content.pop();
            }
        }
    }

    /// Whether nothing more will be shown.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    fn last(&self) -> u64 {
        self.shape.first + self.shown as u64 - 1
    }

    fn more(&self) -> bool {
        !self.complete || self.last() < self.ended
    }

    /// Whether something of the file from the first line on was not shown.
    pub(super) fn is_cut(&self) -> bool {
        self.more() || !self.long_lines.is_empty()
    }

    pub(super) fn long_lines(&self) -> &[(u64, u64)] {
        &self.long_lines
    }

    /// The first line of the next page.
    pub(super) fn next(&self) -> Option<u64> {
        (self.shown > 0 && self.more()).then(|| self.last() + 1)
    }

    pub(super) fn is_lossy(&self) -> bool {
        self.lossy
    }

    pub(super) fn has_crlf(&self) -> bool {
        self.crlf
    }

    /// The number of lines of the file, where it was seen to its end.
    pub(super) fn total(&self) -> Option<u64> {
        self.complete.then_some(self.ended)
    }

    pub(super) fn numbered(&self) -> &str {
        &self.numbered
    }

    pub(super) fn content(&self) -> &str {
        &self.content
    }

    /// The complaint about an offset after the last line.
    pub(super) fn beyond(&self, path: &str) -> Option<String> {
        let beyond = self.shown == 0 && self.shape.first > 1;
        beyond.then(|| {
            format!(
                "offset {} is past the end of `{path}`: it has {} lines",
                self.shape.first, self.ended
            )
        })
    }

    pub(super) fn marker(&self, size: u64) -> String {
        if self.shown == 0 {
            return String::from("[the file is empty]");
        }
        let (first, last) = (self.shape.first, self.last());
        match (self.more(), self.total()) {
            (true, Some(total)) => format!(
                "[lines {first}-{last} of {total}; use offset={} to continue]",
                last + 1
            ),
            (true, None) => format!(
                "[lines {first}-{last} of a file of {size} bytes; use offset={} to continue]",
                last + 1
            ),
            (false, _) if first > 1 => format!("[lines {first}-{last} of {last}, the end]"),
            (false, _) => String::new(),
        }
    }

    pub(super) fn summary(&self, path: &str) -> String {
        match self.total() {
            Some(1) => format!("{path}: 1 line"),
            Some(total) if self.more() || self.shape.first > 1 => {
                let (first, last) = (self.shape.first, self.last());
                format!("{path}: lines {first}-{last} of {total}")
            }
            Some(total) => format!("{path}: {total} lines"),
            None => format!("{path}: lines {}-{}", self.shape.first, self.last()),
        }
    }
}
