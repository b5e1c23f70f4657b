//! What was typed, looked for in the lines of a list: letters in their order,
//! with gaps. No letter has a meaning of its own, so that narrowing a result by
//! one more letter never brings a line back.

use crate::text::{Span, Style};
use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use unicode_segmentation::UnicodeSegmentation;

/// Longer words are looked for by their beginning: scores are small numbers.
const LONGEST: usize = 200;
const MOST_WORDS: usize = 8;

#[derive(Debug)]
pub struct Needle {
    atoms: Vec<Atom>,
    matcher: Matcher,
    letters: Vec<char>,
}

impl Needle {
    /// Each word by itself, in any order.
    #[must_use]
    pub fn words(text: &str) -> Self {
        let words = text.split_whitespace().take(MOST_WORDS).map(atom).collect();
        Self::new(words, Config::DEFAULT)
    }

    /// One word that may hold spaces, as a path may.
    #[must_use]
    pub fn path(text: &str) -> Self {
        let word = (!text.is_empty()).then(|| atom(text));
        Self::new(word.into_iter().collect(), Config::DEFAULT.match_paths())
    }

    fn new(atoms: Vec<Atom>, config: Config) -> Self {
        Self {
            atoms,
            matcher: Matcher::new(config),
            letters: Vec::new(),
        }
    }

    /// How well it fits; `None` if it does not. Everything fits no word.
    pub fn score(&mut self, text: &str) -> Option<u32> {
        let haystack = spread(text, &mut self.letters);
        let mut sum = 0;
        for atom in &self.atoms {
            sum += u32::from(atom.score(haystack, &mut self.matcher)?);
        }
        Some(sum)
    }

    /// Which of its graphemes fit, in their order.
    pub fn letters(&mut self, text: &str) -> Vec<u32> {
        let haystack = spread(text, &mut self.letters);
        let mut found = Vec::new();
        for atom in &self.atoms {
            let _ = atom.indices(haystack, &mut self.matcher, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn atom(word: &str) -> Atom {
    let end = word
        .grapheme_indices(true)
        .nth(LONGEST)
        .map_or(word.len(), |(at, _)| at);
    Atom::new(
        word.get(..end).unwrap_or(word),
        CaseMatching::Smart,
        Normalization::Smart,
        AtomKind::Fuzzy,
        false,
    )
}

/// A letter for each grapheme. The matcher's own conversion takes a text whose
/// graphemes all begin with ASCII for ASCII, and then counts bytes.
fn spread<'a>(text: &'a str, letters: &'a mut Vec<char>) -> Utf32Str<'a> {
    if text.is_ascii() {
        return Utf32Str::Ascii(text.as_bytes());
    }
    letters.clear();
    letters.extend(text.graphemes(true).filter_map(|one| one.chars().next()));
    Utf32Str::Unicode(letters)
}

/// Which end of a text that is too long is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    Start,
    /// Of a path the last part says most.
    End,
}

/// How the letters of a list's line look.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    pub plain: Style,
    pub found: Style,
}

/// A text with the letters that fit told apart, cut to so many columns.
#[must_use]
pub fn marked(text: &str, letters: &[u32], look: Look, keep: Keep, columns: usize) -> Vec<Span> {
    let pieces = pieces(text, letters, look);
    let mut widths: Vec<usize> = pieces.iter().map(Span::width).collect();
    if widths.iter().sum::<usize>() <= columns {
        return joined(pieces);
    }
    let mut room = columns.saturating_sub(1);
    if keep == Keep::End {
        widths.reverse();
    }
    let fit = widths
        .iter()
        .take_while(|wide| match room.checked_sub(**wide) {
            Some(left) => {
                room = left;
                true
            }
            None => false,
        })
        .count();
    let mut ellipsis = (columns > 0).then(|| Span::new(look.plain, "…"));
    let mut shown = Vec::new();
    match keep {
        Keep::Start => {
            shown.extend(pieces.into_iter().take(fit));
            shown.extend(ellipsis.take());
        }
        Keep::End => {
            shown.extend(ellipsis.take());
            let skip = widths.len() - fit;
            shown.extend(pieces.into_iter().skip(skip));
        }
    }
    joined(shown)
}

/// One span for each grapheme.
fn pieces(text: &str, letters: &[u32], look: Look) -> Vec<Span> {
    let mut next = letters.iter().peekable();
    let mut piece = |at: usize, one: &str| {
        let hit = next.next_if(|letter| **letter as usize == at).is_some();
        Span::new(if hit { look.found } else { look.plain }, one)
    };
    if text.is_ascii() {
        // Here the matcher counts bytes: a CR LF is two letters and one grapheme.
        let mut buffer = [0; 4];
        text.chars()
            .enumerate()
            .map(|(at, c)| piece(at, c.encode_utf8(&mut buffer)))
            .collect()
    } else {
        text.graphemes(true)
            .enumerate()
            .map(|(at, one)| piece(at, one))
            .collect()
    }
}

/// Neighbours of one style as one span.
fn joined(pieces: Vec<Span>) -> Vec<Span> {
    let mut spans: Vec<(Style, String)> = Vec::new();
    for piece in pieces {
        match spans.last_mut() {
            Some((style, text)) if *style == piece.style => text.push_str(piece.text()),
            _ => spans.push((piece.style, piece.text().to_owned())),
        }
    }
    spans
        .into_iter()
        .map(|(style, text)| Span::new(style, &text))
        .collect()
}

/// The columns of a text in a list, controls made visible.
#[must_use]
pub fn shown_width(text: &str) -> usize {
    Span::new(Style::default(), text).width()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Role;
    use proptest::prelude::*;

    const LOOK: Look = Look {
        plain: Style {
            role: Role::Text,
            bold: crate::text::Weight::Plain,
            italic: crate::text::Slant::Upright,
            line: crate::text::Ruled::No,
            band: crate::text::Band::None,
        },
        found: Style {
            role: Role::Match,
            bold: crate::text::Weight::Plain,
            italic: crate::text::Slant::Upright,
            line: crate::text::Ruled::No,
            band: crate::text::Band::None,
        },
    };

    fn shown(text: &str, word: &str, keep: Keep, columns: usize) -> String {
        let letters = Needle::words(word).letters(text);
        marked(text, &letters, LOOK, keep, columns)
            .iter()
            .map(|span| match span.style.role {
                Role::Match => format!("<{}>", span.text()),
                _ => span.text().to_owned(),
            })
            .collect()
    }

    #[test]
    fn letters_that_fit_are_marked() {
        assert_eq!(
            shown("src/main.rs", "main", Keep::Start, 80),
            "src/<main>.rs"
        );
        assert_eq!(
            shown("漢字のmain", "字 ma", Keep::Start, 80),
            "漢<字>の<ma>in"
        );
        // Nothing but ASCII begins its graphemes, and yet it is not ASCII.
        assert_eq!(shown("e\u{301}xy", "y", Keep::Start, 80), "e\u{301}x<y>");
    }

    #[test]
    fn what_is_too_long_is_cut_at_the_end_that_says_least() {
        assert_eq!(shown("src/long/main.rs", "", Keep::End, 8), "…main.rs");
        assert_eq!(shown("src/long/main.rs", "", Keep::Start, 8), "src/lon…");
        assert_eq!(shown("漢字漢字", "", Keep::End, 4), "…字");
    }

    #[test]
    fn capitals_in_the_word_count() {
        assert!(Needle::words("Main").score("main.rs").is_none());
        assert!(Needle::words("main").score("Main.rs").is_some());
    }

    proptest! {
        #[test]
        fn no_text_and_no_word_is_too_much(
            text in "\\PC{0,40}|[a-c\r\n]{0,40}", word in "\\PC{0,20}|[a-c]{0,600}", columns in 0_usize..30,
        ) {
            let letters = Needle::words(&word).letters(&text);
            for keep in [Keep::Start, Keep::End] {
                let spans = marked(&text, &letters, LOOK, keep, columns);
                prop_assert!(spans.iter().map(Span::width).sum::<usize>() <= columns);
            }
            let _ = Needle::path(&word).score(&text);
        }

        #[test]
        fn one_more_letter_never_brings_a_line_back(
            text in "[a-cA-Cä ]{0,12}", word in "[a-cA-Cä]{1,4}", more in "[a-cA-Cä]",
        ) {
            let longer = format!("{word}{more}");
            if Needle::path(&longer).score(&text).is_some() {
                prop_assert!(Needle::path(&word).score(&text).is_some());
            }
        }
    }
}
