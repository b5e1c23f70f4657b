//! Characters that a reader cannot tell apart, folded to one form for matching
//! only: what is written is never folded.

use icu_normalizer::DecomposingNormalizerBorrowed;
use icu_normalizer::properties::CanonicalCombiningClassMapBorrowed;
use std::borrow::Cow;

/// A folded line and the way back to its raw bytes.
pub(super) struct Folded {
    pub bytes: Vec<u8>,
    /// Where each character with its marks begins: (folded, raw), and the end.
    clusters: Vec<(usize, usize)>,
}

impl Folded {
    /// The raw offset of a match that begins here; `None` inside a character.
    pub(super) fn raw_start(&self, folded: usize) -> Option<usize> {
        self.clusters
            .iter()
            .rev()
            .find(|(at, _)| *at == folded)
            .map(|(_, raw)| *raw)
    }

    /// The raw offset of a match that ends here; `None` inside a character.
    pub(super) fn raw_end(&self, folded: usize) -> Option<usize> {
        self.clusters
            .iter()
            .find(|(at, _)| *at == folded)
            .map(|(_, raw)| *raw)
    }
}

pub(super) fn fold(text: &[u8]) -> Cow<'_, [u8]> {
    if text.is_ascii() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(fold_with_map(text).bytes)
    }
}

pub(super) fn fold_with_map(text: &[u8]) -> Folded {
    let mut folded = Folded {
        bytes: Vec::with_capacity(text.len()),
        clusters: Vec::with_capacity(text.len() + 1),
    };
    let mut raw = 0;
    for chunk in text.utf8_chunks() {
        fold_text(chunk.valid(), raw, &mut folded);
        raw += chunk.valid().len();
        for byte in chunk.invalid() {
            folded.clusters.push((folded.bytes.len(), raw));
            folded.bytes.push(*byte);
            raw += 1;
        }
    }
    folded.clusters.push((folded.bytes.len(), raw));
    folded
}

fn fold_text(text: &str, raw: usize, out: &mut Folded) {
    let normalizer = DecomposingNormalizerBorrowed::new_nfd();
    let classes = CanonicalCombiningClassMapBorrowed::new();
    let mut rest = text.char_indices().peekable();
    while let Some((start, first)) = rest.next() {
        let mut end = start + first.len_utf8();
        while let Some((at, mark)) = rest.peek().copied() {
            if mark.is_ascii() || classes.get_u8(mark) == 0 {
                break;
            }
            end = at + mark.len_utf8();
            rest.next();
        }
        out.clusters.push((out.bytes.len(), raw + start));
        for c in normalizer.normalize(&text[start..end]).chars() {
            push(c, &mut out.bytes);
        }
    }
}

fn push(c: char, out: &mut Vec<u8>) {
    let plain = match c {
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
            " "
        }
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2bc}' | '\u{ff07}' => "'",
        '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ff02}' => "\"",
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => "-",
        '\u{2026}' => "...",
        '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => "",
        other => {
            out.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes());
            return;
        }
    };
    out.extend_from_slice(plain.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::{fold, fold_with_map};

    #[test]
    fn composed_and_decomposed_text_fold_to_the_same() {
        assert_eq!(fold("caf\u{e9}".as_bytes()), fold("cafe\u{301}".as_bytes()));
        assert_eq!(
            fold("한".as_bytes()),
            fold("\u{1112}\u{1161}\u{11ab}".as_bytes())
        );
    }

    #[test]
    fn a_match_may_not_begin_or_end_inside_a_character() {
        let folded = fold_with_map("\u{e9}x".as_bytes());
        assert_eq!(folded.bytes, "e\u{301}x".as_bytes());
        assert_eq!(folded.raw_end(1), None);
        assert_eq!(folded.raw_end(3), Some(2));
        assert_eq!(folded.raw_start(3), Some(2));
    }

    #[test]
    fn bytes_that_are_not_utf8_stay_themselves() {
        assert_eq!(fold(b"a\xe9b\xff").as_ref(), b"a\xe9b\xff");
    }
}
