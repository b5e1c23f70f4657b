//! What a matcher sees of one candidate, and what it may answer.

/// Whether more text may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Open,
    Closed,
}

/// The answer about a candidate. It must not change when more text follows,
/// unless it is `More`: that is why a stream masks as the whole does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    No,
    Mask {
        from: usize,
        to: usize,
        name: &'static str,
    },
    /// Text that follows may change the answer: nothing from `hold` on goes out.
    /// Between the candidate and `hold` no other candidate can begin.
    More {
        hold: usize,
    },
}

/// A text and the place in it where a literal was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sight<'a> {
    pub(super) text: &'a str,
    /// Where the literal begins.
    pub(super) start: usize,
    /// Where it ends.
    pub(super) end: usize,
    pub(super) ending: Ending,
}

impl<'a> Sight<'a> {
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    pub(super) fn at(&self, index: usize) -> Option<u8> {
        self.bytes().get(index).copied()
    }

    pub(super) fn before(&self, index: usize, back: usize) -> Option<u8> {
        index.checked_sub(back).and_then(|index| self.at(index))
    }

    /// Whether the text is over at this index and could go on.
    pub(super) fn is_open_at(&self, index: usize) -> bool {
        self.ending == Ending::Open && index >= self.text.len()
    }

    /// Where a run of such bytes that begins at `from` ends; it is not followed
    /// for more than `limit` bytes.
    pub(super) fn run(&self, from: usize, limit: usize, accept: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes().get(from..).unwrap_or_default();
        let window = rest.get(..limit).unwrap_or(rest);
        let length = window
            .iter()
            .position(|byte| !accept(*byte))
            .unwrap_or(window.len());
        #[cfg(test)]
        count::add(length);
        from + length
    }

    /// The bytes between two places.
    pub(super) fn look(&self, from: usize, to: usize) -> &'a [u8] {
        self.bytes().get(from..to).unwrap_or_default()
    }

    /// The text between two places that lie beside ASCII.
    pub(super) fn slice(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or_default()
    }

    /// Whether a word may begin here: nothing of a word stands before it. An
    /// escape such as `\n` or `\u0026`, and the `%3D` of an address, are no words.
    pub(super) fn begins_word(&self, index: usize) -> bool {
        let Some(before) = self.before(index, 1) else {
            return true;
        };
        match before {
            b'n' | b'r' | b't' => self.before(index, 2) == Some(b'\\'),
            b'-' => matches!(self.before(index, 2), Some(b':') | None),
            b'A'..=b'F' | b'a'..=b'f' | b'0'..=b'9' => {
                let is_percent = self.before(index, 3) == Some(b'%')
                    && self.before(index, 2).is_some_and(|b| b.is_ascii_hexdigit());
                let is_unicode =
                    self.before(index, 5) == Some(b'u') && self.before(index, 6) == Some(b'\\');
                is_percent || is_unicode
            }
            _ => !is_word(before),
        }
    }
}

/// Letters, digits and `_`. Letters of other scripts do not count: no secret is
/// made of them, and a sentence may end where one begins.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// How many bytes the runs had that were followed: what hostile text can make
/// many.
#[cfg(test)]
pub(super) mod count {
    use std::cell::Cell;

    thread_local! {
        static LOOKED: Cell<usize> = const { Cell::new(0) };
    }

    pub(in super::super) fn add(bytes: usize) {
        LOOKED.with(|looked| looked.set(looked.get() + bytes));
    }

    pub(in super::super) fn looked() -> usize {
        LOOKED.with(Cell::get)
    }
}
