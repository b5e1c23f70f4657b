//! Where a motion leads: words, lines, ends. Pure functions over the text; rows
//! of the screen are not known here.
//!
//! A word is a run of letters and digits of one kind. Chinese, Japanese and
//! Korean are written without spaces or with few: a run of Han characters, of
//! hiragana or of katakana is a word too. A folded paste is a word by itself.

use super::buffer::{Buffer, Place, part_from};
use super::paste;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Space,
    Letters,
    Han,
    Hiragana,
    Katakana,
    Punctuation,
    Paste,
}

/// What counts as one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    /// Letters; what stands between them is skipped.
    Letters,
    /// All that stands between spaces, as shells take it.
    Spaced,
}

pub(super) fn class(grapheme: &str) -> Class {
    let Some(first) = grapheme.chars().next() else {
        return Class::Space;
    };
    match first {
        _ if paste::is_mark(first) => Class::Paste,
        _ if first.is_whitespace() => Class::Space,
        '\u{3040}'..='\u{309f}' => Class::Hiragana,
        '\u{30a0}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}' => {
            Class::Katakana
        }
        '々' | '〆' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' => Class::Han,
        '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => Class::Han,
        '_' => Class::Letters,
        _ if first.is_alphanumeric() => Class::Letters,
        _ => Class::Punctuation,
    }
}

/// The class as far as it decides where a word ends.
fn kind(words: Words, grapheme: &str) -> Class {
    match (words, class(grapheme)) {
        (Words::Spaced, Class::Punctuation) => Class::Letters,
        (_, class) => class,
    }
}

fn is_gap(words: Words, class: Class) -> bool {
    class == Class::Space || (words == Words::Letters && class == Class::Punctuation)
}

/// A line feed is a space.
pub(super) fn after(buffer: &Buffer, words: Words, at: Place) -> Class {
    buffer
        .grapheme_after(at)
        .map_or(Class::Space, |grapheme| kind(words, grapheme))
}

fn before(buffer: &Buffer, words: Words, at: Place) -> Class {
    buffer
        .grapheme_before(at)
        .map_or(Class::Space, |grapheme| kind(words, grapheme))
}

/// The end of the word behind a place.
pub(super) fn word_end(buffer: &Buffer, words: Words, at: Place) -> Place {
    let mut at = at;
    while is_gap(words, after(buffer, words, at)) {
        let Some(next) = buffer.next(at) else {
            return at;
        };
        at = next;
    }
    let first = after(buffer, words, at);
    loop {
        let Some(next) = buffer.next(at) else {
            return at;
        };
        at = next;
        if first == Class::Paste || after(buffer, words, at) != first {
            return at;
        }
    }
}

/// The beginning of the word before a place.
pub(super) fn word_start(buffer: &Buffer, words: Words, at: Place) -> Place {
    let mut at = at;
    while is_gap(words, before(buffer, words, at)) {
        let Some(previous) = buffer.previous(at) else {
            return at;
        };
        at = previous;
    }
    let first = before(buffer, words, at);
    loop {
        let Some(previous) = buffer.previous(at) else {
            return at;
        };
        at = previous;
        if first == Class::Paste || before(buffer, words, at) != first {
            return at;
        }
    }
}

/// The first character of a line that is not a space.
pub(super) fn line_text(buffer: &Buffer, line: usize) -> Place {
    let text = buffer.line(line);
    Place::new(line, text.len() - text.trim_start().len())
}

/// Where a line begins and, for those who stand there already, where the one
/// before it ends: what is removed towards the beginning.
pub(super) fn towards_line_start(buffer: &Buffer, at: Place) -> Place {
    if at.byte > 0 {
        Place::new(at.line, 0)
    } else {
        buffer.previous(at).unwrap_or(at)
    }
}

pub(super) fn towards_line_end(buffer: &Buffer, at: Place) -> Place {
    if part_from(buffer.line(at.line), at.byte).is_empty() {
        buffer.next(at).unwrap_or(at)
    } else {
        buffer.line_end(at.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Buffer {
        let mut buffer = Buffer::default();
        buffer.splice(Place::default()..Place::default(), text);
        buffer
    }

    fn stops(text: &str, words: Words) -> Vec<String> {
        let buffer = of(text);
        let mut at = Place::default();
        let mut stops = Vec::new();
        while at < buffer.end() {
            let next = word_end(&buffer, words, at);
            stops.push(buffer.slice(at..next));
            at = next;
        }
        stops
    }

    fn stops_back(text: &str, words: Words) -> Vec<String> {
        let buffer = of(text);
        let mut at = buffer.end();
        let mut stops = Vec::new();
        while at > Place::default() {
            let next = word_start(&buffer, words, at);
            stops.push(buffer.slice(next..at));
            at = next;
        }
        stops
    }

    #[test]
    fn words_are_letters_and_runs_of_one_script() {
        assert_eq!(
            stops("fix src/main.rs, ok", Words::Letters),
            ["fix", " src", "/main", ".rs", ", ok"]
        );
        assert_eq!(
            stops("漢字をカナ한국어 テスト", Words::Letters),
            ["漢字", "を", "カナ", "한국어", " テスト"]
        );
        assert_eq!(
            stops("naïve e\u{301}té Ωmega नमस्ते", Words::Letters),
            ["naïve", " e\u{301}té", " Ωmega", " नमस्ते"]
        );
        assert_eq!(stops("a\n\nb", Words::Letters), ["a", "\n\nb"]);
    }

    #[test]
    fn words_of_shells_stand_between_spaces() {
        assert_eq!(
            stops_back("rm -rf ./a/b.c  ", Words::Spaced),
            ["./a/b.c  ", "-rf ", "rm "]
        );
        assert_eq!(
            stops_back("運行を止め", Words::Spaced),
            ["め", "止", "を", "運行"]
        );
        assert_eq!(stops_back("a\nb", Words::Spaced), ["b", "a\n"]);
    }

    #[test]
    fn backwards_stops_where_words_begin() {
        assert_eq!(
            stops_back("fix src/main.rs, ok", Words::Letters),
            ["ok", "rs, ", "main.", "src/", "fix "]
        );
    }
}
