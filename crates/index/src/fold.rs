//! Text as a search compares it: words in small letters, without accents, in
//! one width. Scripts that are written without spaces give one word for each
//! character, so that a part of a sentence is found as these in a row. The one
//! definition for what is indexed, for what is asked, and for what is marked.

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use std::borrow::Cow;
use std::ops::Range;

/// Characters of one word that count. What is longer is no word of a language.
const LONGEST: usize = 64;

/// A word and where it stands in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub word: String,
    pub at: Range<usize>,
}

/// The same text with each accent in one character with its letter: what the
/// places of tokens are about. Looks the same.
pub(crate) fn composed(text: &str) -> Cow<'_, str> {
    ComposingNormalizerBorrowed::new_nfc().normalize(text)
}

/// The words of a text that is [`composed`].
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut reading = Reading::default();
    for (at, character) in text.char_indices() {
        reading.take(at, character);
    }
    reading.end_word();
    reading.found
}

/// The words alone, as the index is given them.
pub(crate) fn words(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for token in tokens(text) {
        if !all.is_empty() {
            all.push(' ');
        }
        all.push_str(&token.word);
    }
    all
}

struct Reading {
    found: Vec<Token>,
    word: String,
    characters: usize,
    at: Range<usize>,
    apart: DecomposingNormalizerBorrowed<'static>,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            found: Vec::new(),
            word: String::new(),
            characters: 0,
            at: 0..0,
            apart: DecomposingNormalizerBorrowed::new_nfkd(),
        }
    }
}

impl Reading {
    fn take(&mut self, at: usize, character: char) {
        let end = at + character.len_utf8();
        if character.is_ascii_alphanumeric() {
            self.put(at..end, character.to_ascii_lowercase());
        } else if character.is_ascii() {
            self.end_word();
        } else if is_mark(character) {
            self.at.end = end.max(self.at.end);
        } else if !character.is_alphanumeric() {
            self.end_word();
        } else if stands_alone(character) {
            self.end_word();
            self.put(at..end, character);
            self.end_word();
        } else {
            self.take_folded(at..end, character);
        }
    }

    /// A letter of which the plain form has to be found.
    fn take_folded(&mut self, at: Range<usize>, character: char) {
        let small = character.to_lowercase();
        let plain: String = self.apart.normalize_iter(small).collect();
        let whole = ComposingNormalizerBorrowed::new_nfc().normalize(&plain);
        // Letters of half width become those that stand alone.
        if whole.chars().any(stands_alone) {
            self.end_word();
            for each in whole.chars().filter(|c| stands_alone(*c)) {
                self.put(at.clone(), each);
                self.end_word();
            }
            return;
        }
        for each in plain.chars().flat_map(char::to_lowercase) {
            match each {
                'ß' => {
                    self.put(at.clone(), 's');
                    self.put(at.clone(), 's');
                }
                'ς' => self.put(at.clone(), 'σ'),
                each if each.is_alphanumeric() && !is_mark(each) => self.put(at.clone(), each),
                _ => {}
            }
        }
    }

    fn put(&mut self, at: Range<usize>, character: char) {
        if self.word.is_empty() {
            self.at.start = at.start;
        }
        self.at.end = at.end;
        if self.characters < LONGEST {
            self.word.push(character);
            self.characters += 1;
        }
    }

    fn end_word(&mut self) {
        if !self.word.is_empty() {
            self.found.push(Token {
                word: std::mem::take(&mut self.word),
                at: self.at.clone(),
            });
        }
        self.characters = 0;
    }
}

/// Signs above and below letters; in Arabic and Hebrew those that are seldom
/// written.
fn is_mark(character: char) -> bool {
    matches!(u32::from(character),
        0x0300..=0x036F | 0x0591..=0x05BD | 0x05BF | 0x05C1..=0x05C7 | 0x0610..=0x061A
        | 0x064B..=0x065F | 0x0670 | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF
        | 0xFE20..=0xFE2F)
}

/// Letters of scripts without spaces between words, and those of Korean, whose
/// words carry their endings with them.
fn stands_alone(character: char) -> bool {
    matches!(u32::from(character),
        0x0E01..=0x0E30 | 0x0E32..=0x0E33 | 0x0E40..=0x0E46 | 0x0E50..=0x0E59 // Thai
        | 0x0E81..=0x0EB0 | 0x0EB2..=0x0EB3 | 0x0EC0..=0x0EC6 // Lao
        | 0x1000..=0x102A | 0x1780..=0x17B3 // Burmese, Khmer
        | 0x3005..=0x3007 | 0x3041..=0x3096 | 0x309D..=0x309F // Japanese
        | 0x30A1..=0x30FA | 0x30FC..=0x30FF | 0x31F0..=0x31FF
        | 0x3105..=0x312F // Bopomofo
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF // Chinese characters
        | 0x20000..=0x323AF
        | 0xAC00..=0xD7A3) // Korean
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        words(&composed(text))
    }

    #[test]
    fn case_accents_and_width_do_not_count() {
        for (text, expected) in [
            ("Hello, World!", "hello world"),
            ("ÄÖÜ naïve Ångström", "aou naive angstrom"),
            ("Straße STRASSE", "strasse strasse"),
            ("ΟΔΥΣΣΕΥΣ οδυσσευς", "οδυσσευσ οδυσσευσ"),
            ("İstanbul", "istanbul"),
            ("ﬁle ＡＢＣ １２", "file abc 12"),
            ("Ёлка ёлка", "елка елка"),
            ("parse_config(src/main.rs)", "parse config src main rs"),
        ] {
            assert_eq!(folded(text), expected, "{text}");
        }
    }

    #[test]
    fn a_text_means_the_same_however_its_accents_are_stored() {
        assert_eq!(folded("cafe\u{301}"), folded("café"));
        assert_eq!(folded("か\u{3099}"), folded("が"));
        assert_ne!(
            folded("か"),
            folded("が"),
            "in Japanese it is another letter"
        );
        assert_eq!(folded("\u{1112}\u{1161}\u{11ab}"), folded("한"));
        assert_eq!(folded("ｶﾞ"), "カ", "the sign of half width has no letter");
    }

    #[test]
    fn characters_of_scripts_without_spaces_are_words() {
        assert_eq!(folded("修复测试"), "修 复 测 试");
        assert_eq!(folded("Rustで書く"), "rust で 書 く");
        assert_eq!(folded("テスト"), "テ ス ト");
        assert_eq!(folded("한국어를"), "한 국 어 를");
    }

    #[test]
    fn each_word_knows_where_it_stands() {
        let text = composed("Ein Müller, 測試").into_owned();
        let marked: Vec<&str> = tokens(&text).into_iter().map(|t| &text[t.at]).collect();
        assert_eq!(marked, ["Ein", "Müller", "測", "試"]);
    }

    #[test]
    fn a_word_without_end_is_cut_and_nothing_else_is_lost() {
        let text = format!("{} end", "x".repeat(100_000));
        let words: Vec<String> = tokens(&text).into_iter().map(|t| t.word).collect();
        assert_eq!(words, ["x".repeat(LONGEST), String::from("end")]);
    }

    #[test]
    fn hostile_text_has_words_or_none() {
        assert_eq!(folded("\0\u{202e}\u{feff}…—«»"), "");
        assert_eq!(folded("a\0b"), "a b");
        assert_eq!(folded("\u{301}\u{301}x"), "x");
    }
}
