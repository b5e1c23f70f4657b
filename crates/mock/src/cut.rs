//! Cuts a text into the pieces that become deltas, one piece at a time, so
//! that a long text never exists twice.

use crate::options::Chunking;

/// Arguments hold no words worth keeping whole; this is about what servers send.
const ARGUMENT_PIECE: usize = 16;

#[derive(Debug)]
pub(crate) struct Cutter {
    text: String,
    at: usize,
    how: Chunking,
}

impl Cutter {
    pub(crate) fn of_text(text: String, how: Chunking) -> Self {
        Self { text, at: 0, how }
    }

    pub(crate) fn of_arguments(text: String, how: Chunking) -> Self {
        let how = match how {
            Chunking::Words => Chunking::Bytes(ARGUMENT_PIECE),
            other => other,
        };
        Self { text, at: 0, how }
    }

    /// The next piece; together they are the text again. `None` at the end,
    /// and at once for an empty text.
    pub(crate) fn next(&mut self) -> Option<&str> {
        let rest = &self.text[self.at..];
        if rest.is_empty() {
            return None;
        }
        let length = match self.how {
            Chunking::Whole => rest.len(),
            Chunking::Bytes(most) => whole_characters(rest, most),
            Chunking::Words => word(rest),
        };
        self.at += length;
        Some(&rest[..length])
    }

    pub(crate) fn is_done(&self) -> bool {
        self.at == self.text.len()
    }
}

/// At most this many bytes, but at least one character.
fn whole_characters(text: &str, most: usize) -> usize {
    let cut = text.floor_char_boundary(most.min(text.len()));
    if cut > 0 {
        cut
    } else {
        text.chars().next().map_or(0, char::len_utf8)
    }
}

/// A word with the white space after it. White space at the very start is a
/// piece of its own.
fn word(text: &str) -> usize {
    let space = text.find(char::is_whitespace).unwrap_or(text.len());
    let gap = text[space..].find(|c: char| !c.is_whitespace());
    gap.map_or(text.len(), |gap| space + gap)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str, how: Chunking) -> Vec<String> {
        let mut cutter = Cutter::of_text(text.to_owned(), how);
        std::iter::from_fn(|| cutter.next().map(str::to_owned)).collect()
    }

    #[test]
    fn words_keep_the_white_space_after_them() {
        assert_eq!(
            pieces(" one  two\nthree", Chunking::Words),
            [" ", "one  ", "two\n", "three"]
        );
    }

    #[test]
    fn bytes_never_cut_a_character() {
        assert_eq!(pieces("aé漢b", Chunking::Bytes(2)), ["a", "é", "漢", "b"]);
        assert_eq!(pieces("ab", Chunking::Bytes(0)), ["a", "b"]);
    }

    #[test]
    fn an_empty_text_has_no_piece() {
        assert!(pieces("", Chunking::Whole).is_empty());
    }
}
