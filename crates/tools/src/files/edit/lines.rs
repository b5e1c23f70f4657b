//! A file as lines that know their raw offsets and their own line ends, so that
//! a change can be spliced in without touching, or re-encoding, any other byte.

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Offsets into the file: text is `start..end`, the line end `end..next`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    pub start: usize,
    pub end: usize,
    pub next: usize,
}

#[derive(Debug)]
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    lines: Vec<Line>,
    /// The end that new lines get, whatever stands around them.
    preferred: Option<&'a [u8]>,
}

impl<'a> Lines<'a> {
    /// Splits at LF and CRLF. A bare CR is data, as it is for every tool that
    /// counts lines, unless the file has no LF at all. A byte order mark
    /// belongs to no line.
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        let mark = if memchr::memchr(b'\n', bytes).is_none() {
            b'\r'
        } else {
            b'\n'
        };
        let mut start = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        let mut lines = Vec::new();
        for at in memchr::memchr_iter(mark, bytes) {
            let crlf = mark == b'\n' && at > start && bytes[at - 1] == b'\r';
            lines.push(Line {
                start,
                end: at - usize::from(crlf),
                next: at + 1,
            });
            start = at + 1;
        }
        if start < bytes.len() {
            lines.push(Line {
                start,
                end: bytes.len(),
                next: bytes.len(),
            });
        }
        Self {
            bytes,
            lines,
            preferred: None,
        }
    }

    /// Splits at every LF, CRLF and bare CR; `None` where that makes no
    /// difference. In such a mixture the neighbours of a line say nothing: new
    /// lines end as the first one does.
    pub(crate) fn of_any_end(bytes: &'a [u8]) -> Option<Self> {
        let is_bare = |at: &usize| bytes.get(at + 1) != Some(&b'\n');
        memchr::memchr(b'\n', bytes)?;
        memchr::memchr_iter(b'\r', bytes).find(is_bare)?;
        let mut start = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        let mut lines = Vec::new();
        for at in memchr::memchr2_iter(b'\r', b'\n', bytes) {
            let crlf = bytes[at] == b'\n' && at > start && bytes[at - 1] == b'\r';
            if bytes[at] == b'\r' && !is_bare(&at) {
                continue;
            }
            let end = at - usize::from(crlf);
            let next = at + 1;
            lines.push(Line { start, end, next });
            start = next;
        }
        if start < bytes.len() {
            let end = bytes.len();
            lines.push(Line {
                start,
                end,
                next: end,
            });
        }
        let first = lines.first().map(|line| &bytes[line.end..line.next]);
        Some(Self {
            bytes,
            lines,
            preferred: first.filter(|end| !end.is_empty()),
        })
    }

    pub(crate) fn preferred(&self) -> Option<&'a [u8]> {
        self.preferred
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn line(&self, index: usize) -> Line {
        self.lines.get(index).copied().unwrap_or(Line {
            start: self.bytes.len(),
            end: self.bytes.len(),
            next: self.bytes.len(),
        })
    }

    pub(crate) fn text(&self, index: usize) -> &'a [u8] {
        let line = self.line(index);
        &self.bytes[line.start..line.end]
    }

    pub(crate) fn terminator(&self, index: usize) -> &'a [u8] {
        let line = self.line(index);
        &self.bytes[line.end..line.next]
    }

    /// The line that holds this offset.
    pub(crate) fn at(&self, offset: usize) -> usize {
        self.lines
            .partition_point(|line| line.next <= offset)
            .min(self.lines.len().saturating_sub(1))
    }

    /// The line end in use around a line: its own, else the one before it,
    /// else the one after it, else LF.
    pub(crate) fn style(&self, index: usize) -> &'a [u8] {
        let before = (0..=index.min(self.len())).rev().take(64);
        let after = (index..self.len()).take(64);
        before
            .chain(after)
            .map(|i| self.terminator(i))
            .find(|end| !end.is_empty())
            .unwrap_or(b"\n")
    }
}

/// A line of a text that a model sent, with the line end that it sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece<'a> {
    pub text: &'a [u8],
    pub end: &'a [u8],
}

/// Splits at LF and CRLF; only the last piece may lack a line end.
pub(crate) fn pieces(text: &str) -> Vec<Piece<'_>> {
    text.split_inclusive('\n')
        .map(|line| {
            let cut = line
                .strip_suffix("\r\n")
                .or_else(|| line.strip_suffix('\n'))
                .unwrap_or(line)
                .len();
            Piece {
                text: &line.as_bytes()[..cut],
                end: &line.as_bytes()[cut..],
            }
        })
        .collect()
}

/// Spaces and tabs, what an editor calls white space within a line.
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

pub(crate) fn trim_end(text: &[u8]) -> &[u8] {
    let kept = text
        .iter()
        .rposition(|b| !is_blank(*b))
        .map_or(0, |i| i + 1);
    &text[..kept]
}

/// The white space that a line begins with.
pub(crate) fn indent(text: &[u8]) -> &[u8] {
    let length = text.iter().take_while(|b| is_blank(**b)).count();
    &text[..length]
}

pub(crate) fn trim(text: &[u8]) -> &[u8] {
    trim_end(&text[indent(text).len()..])
}

#[cfg(test)]
mod tests {
    use super::{Lines, pieces};

    fn split(bytes: &[u8]) -> Vec<(&[u8], &[u8])> {
        let lines = Lines::of(bytes);
        (0..lines.len())
            .map(|i| (lines.text(i), lines.terminator(i)))
            .collect()
    }

    #[test]
    fn a_bare_cr_is_data_where_there_are_line_feeds() {
        assert_eq!(
            split(b"a\rb\nc\r\nd"),
            [(&b"a\rb"[..], &b"\n"[..]), (b"c", b"\r\n"), (b"d", b""),]
        );
        assert_eq!(split(b"a\rb"), [(&b"a"[..], &b"\r"[..]), (b"b", b"")]);
    }

    #[test]
    fn the_byte_order_mark_is_no_part_of_the_first_line() {
        assert_eq!(split(b"\xef\xbb\xbfa\n"), [(&b"a"[..], &b"\n"[..])]);
    }

    #[test]
    fn a_line_is_found_by_any_of_its_offsets() {
        let lines = Lines::of(b"ab\ncd");
        assert_eq!([0, 1, 2, 3, 4, 5].map(|o| lines.at(o)), [0, 0, 0, 1, 1, 1]);
    }

    #[test]
    fn only_the_last_piece_lacks_a_line_end() {
        let split: Vec<_> = pieces("a\r\n\nb").iter().map(|p| (p.text, p.end)).collect();
        assert_eq!(
            split,
            [(&b"a"[..], &b"\r\n"[..]), (b"", b"\n"), (b"b", b""),]
        );
        assert!(pieces("").is_empty());
    }
}
