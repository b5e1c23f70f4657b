//! Keeps the start and the end of a text of any length in bounded memory.

/// A line break this near to a cut moves the cut to it.
const NEAR: usize = 512;

/// The start and the end of a text, and how much lies between.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The whole text when nothing was left out.
    pub head: String,
    pub tail: String,
    pub left_out_bytes: u64,
    pub left_out_lines: u64,
}

impl Excerpt {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.head.is_empty() && self.tail.is_empty()
    }

    /// The bytes of the text as it was.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        length(&self.head) + self.left_out_bytes + length(&self.tail)
    }

    /// Head, a line that stands for what was left out, tail.
    #[must_use]
    pub fn joined(&self, marker: impl FnOnce(&Self) -> String) -> String {
        if self.left_out_bytes == 0 {
            return format!("{}{}", self.head, self.tail);
        }
        let mut text = self.head.clone();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&marker(self));
        text.push('\n');
        text.push_str(&self.tail);
        text
    }

    /// The same text in at most this many bytes.
    #[must_use]
    pub fn within(&self, limit: usize) -> Self {
        if self.left_out_bytes == 0 && self.head.len() + self.tail.len() <= limit {
            return self.clone();
        }
        let whole;
        let (head, tail) = if self.left_out_bytes == 0 {
            whole = format!("{}{}", self.head, self.tail);
            (whole.as_str(), whole.as_str())
        } else {
            (self.head.as_str(), self.tail.as_str())
        };
        let kept_head = cut_head(head, limit / 2);
        let kept_tail = cut_tail(tail, limit - limit / 2);
        let lines = newlines(&self.head) + newlines(&self.tail) + self.left_out_lines;
        Self {
            left_out_bytes: self
                .total_bytes()
                .saturating_sub(length(kept_head) + length(kept_tail)),
            left_out_lines: lines.saturating_sub(newlines(kept_head) + newlines(kept_tail)),
            head: kept_head.to_owned(),
            tail: kept_tail.to_owned(),
        }
    }
}

fn length(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}

fn newlines(text: &str) -> u64 {
    let count = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// At most `limit` bytes from the start of a text that goes on: whole characters, whole lines where
/// that costs little.
fn cut_head(text: &str, limit: usize) -> &str {
    let end = text.floor_char_boundary(limit.min(text.len()));
    let kept = text.get(..end).unwrap_or_default();
    match kept.rfind('\n') {
        Some(at) if kept.len() - at <= NEAR => &kept[..=at],
        _ => kept,
    }
}

/// The same from the end of a text that has begun before.
fn cut_tail(text: &str, limit: usize) -> &str {
    let start = text.ceil_char_boundary(text.len().saturating_sub(limit));
    let kept = text.get(start..).unwrap_or_default();
    match kept.find('\n') {
        Some(at) if at < NEAR && at + 1 < kept.len() => &kept[at + 1..],
        _ => kept,
    }
}

/// Collects a text; never holds more than about one and a half times its limit.
#[derive(Debug)]
pub(super) struct Capture {
    half: usize,
    head: String,
    /// Everything after the head, or its last part.
    tail: String,
    bytes: u64,
    lines: u64,
}

impl Capture {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            half: limit / 2,
            head: String::new(),
            tail: String::new(),
            bytes: 0,
            lines: 0,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn push(&mut self, text: &str) {
        self.bytes += length(text);
        self.lines += newlines(text);
        let mut rest = text;
        if self.tail.is_empty() && self.head.len() < self.half {
            let room = self.half - self.head.len();
            let (fits, beyond) = rest.split_at(rest.floor_char_boundary(room.min(rest.len())));
            self.head.push_str(fits);
            rest = beyond;
        }
        if rest.len() > self.half {
            // Only its end can matter.
            let start = rest.ceil_char_boundary(rest.len() - self.half);
            self.tail.clear();
            rest = rest.get(start..).unwrap_or_default();
        }
        self.tail.push_str(rest);
        if self.tail.len() > 2 * self.half {
            let start = self.tail.ceil_char_boundary(self.tail.len() - self.half);
            self.tail.drain(..start);
        }
    }

    /// What there is, in at most `limit` bytes.
    pub(super) fn excerpt(&self, limit: usize) -> Excerpt {
        let kept = length(&self.head) + length(&self.tail);
        let left_out_bytes = self.bytes.saturating_sub(kept);
        Excerpt {
            head: self.head.clone(),
            tail: self.tail.clone(),
            left_out_bytes,
            left_out_lines: self
                .lines
                .saturating_sub(newlines(&self.head) + newlines(&self.tail)),
        }
        .within(limit)
    }

    /// What there is, and starts anew.
    pub(super) fn take(&mut self) -> Excerpt {
        let limit = 2 * self.half;
        let taken = std::mem::replace(self, Self::new(limit));
        taken.excerpt(limit)
    }
}

#[cfg(test)]
mod tests {
    use super::Capture;

    #[test]
    fn a_text_within_the_limit_is_kept_whole() {
        let mut capture = Capture::new(16);
        for piece in ["abcde", "fghij", "klmnop"] {
            capture.push(piece);
        }
        let excerpt = capture.excerpt(16);
        assert_eq!(excerpt.joined(|_| unreachable!()), "abcdefghijklmnop");
    }

    #[test]
    fn what_lies_between_is_counted_exactly() {
        let mut capture = Capture::new(64);
        let line = "0123456789\n";
        for _ in 0..1000 {
            capture.push(line);
        }
        let excerpt = capture.excerpt(64);
        assert!(excerpt.head.len() + excerpt.tail.len() <= 64);
        assert_eq!(excerpt.total_bytes(), 11_000);
        let kept = u64::try_from(excerpt.head.len() + excerpt.tail.len()).unwrap();
        assert_eq!(excerpt.left_out_bytes, 11_000 - kept);
        assert_eq!(excerpt.left_out_lines * 11, excerpt.left_out_bytes);
        assert!(excerpt.head.starts_with(line) && excerpt.tail.ends_with(line));
    }

    #[test]
    fn memory_stays_bounded_whatever_the_size_of_the_pieces() {
        for size in [1, 7, 100, 5000] {
            let mut capture = Capture::new(100);
            for _ in 0..200 {
                capture.push(&"é".repeat(size));
                assert!(capture.head.len() + capture.tail.len() <= 152);
            }
            assert_eq!(capture.bytes(), u64::try_from(size * 2 * 200).unwrap());
        }
    }

    #[test]
    fn a_cut_never_splits_a_character() {
        for limit in 1..40 {
            let mut capture = Capture::new(limit);
            capture.push(&"日本語".repeat(30));
            let excerpt = capture.excerpt(limit);
            assert_eq!(excerpt.total_bytes(), 270);
        }
    }

    #[test]
    fn taking_starts_anew() {
        let mut capture = Capture::new(100);
        capture.push("one");
        assert_eq!(capture.take().head, "one");
        capture.push("two");
        assert_eq!(capture.take().head, "two");
        assert!(capture.take().is_empty());
    }
}
