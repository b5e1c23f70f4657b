//! The piece of a passage around the words that were found, as one line.

use crate::fold::{composed, tokens};
use crate::query::Query;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::ops::Range;

/// Characters before the first word that was found.
const BEFORE: usize = 30;
/// Characters of the whole.
const LENGTH: usize = 140;

/// One line of foreign text: whoever shows it makes it printable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snippet {
    pub text: String,
    /// Bytes of the text that were searched for, in order.
    pub marked: Vec<Range<usize>>,
}

impl Serialize for Snippet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let words: Vec<&str> = self
            .marked
            .iter()
            .filter_map(|at| self.text.get(at.clone()))
            .collect();
        let mut fields = serializer.serialize_struct("Snippet", 2)?;
        fields.serialize_field("text", &self.text)?;
        fields.serialize_field("matched", &words)?;
        fields.end()
    }
}

impl Snippet {
    /// `None` when no term occurs: what claimed so was wrong.
    pub(crate) fn of(text: &str, query: &Query) -> Option<(Self, u64)> {
        let text = composed(text);
        let places = query.places(&tokens(&text));
        let around = densest(&places.marked)?;
        Some((cut(&text, &places.marked, around), places.terms))
    }
}

/// The place from which most that was found fits into one snippet.
fn densest(marked: &[Range<usize>]) -> Option<usize> {
    let mut best = (0, None);
    for (number, first) in marked.iter().enumerate() {
        let within = marked[number..]
            .iter()
            .take_while(|at| at.end <= first.start + LENGTH - BEFORE)
            .count();
        if best.1.is_none() || within > best.0 {
            best = (within, Some(first.start));
        }
    }
    best.1
}

fn cut(text: &str, marked: &[Range<usize>], around: usize) -> Snippet {
    let start = text[..around]
        .char_indices()
        .rev()
        .take(BEFORE)
        .take_while(|(_, c)| *c != '\n')
        .last()
        .map_or(around, |(at, _)| at);
    let end = text[start..]
        .char_indices()
        .nth(LENGTH)
        .map_or(text.len(), |(at, _)| start + at);
    let mut snippet = Snippet::default();
    if !text[..start].trim().is_empty() && !text[..start].ends_with('\n') {
        snippet.text.push('…');
    }
    let mut at = start;
    for range in marked {
        if range.start < at || range.end > end {
            continue;
        }
        snippet.put(&text[at..range.start]);
        let from = snippet.text.len();
        snippet.put(&text[range.clone()]);
        snippet.marked.push(from..snippet.text.len());
        at = range.end;
    }
    snippet.put(&text[at..end]);
    let rest = snippet.text.trim_end().len();
    snippet.text.truncate(rest);
    if !text[end..].trim().is_empty() {
        snippet.text.push('…');
    }
    snippet
}

impl Snippet {
    /// Runs of blanks and line feeds become one blank.
    fn put(&mut self, text: &str) {
        for character in text.chars() {
            if !character.is_whitespace() {
                self.text.push(character);
            } else if !self.text.is_empty() && !self.text.ends_with(' ') {
                self.text.push(' ');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, query: &str) -> String {
        let (snippet, _) = Snippet::of(text, &Query::parse(query).unwrap()).unwrap();
        let mut all = String::new();
        let mut at = 0;
        for marked in &snippet.marked {
            all.push_str(&snippet.text[at..marked.start]);
            all.push_str(&format!("[{}]", &snippet.text[marked.clone()]));
            at = marked.end;
        }
        all + &snippet.text[at..]
    }

    #[test]
    fn shows_the_words_in_their_sentence_on_one_line() {
        assert_eq!(
            shown("first\n\n  the Flaky   test\nfailed", "flaky test"),
            "the [Flaky] [test] failed"
        );
        let long = format!("{} needle {}", "before ".repeat(100), "after ".repeat(100));
        let snippet = shown(&long, "needle");
        assert!(
            snippet.starts_with('…') && snippet.ends_with('…'),
            "{snippet}"
        );
        assert!(snippet.contains("before [needle] after"), "{snippet}");
        assert!(snippet.chars().count() < 160);
    }

    #[test]
    fn prefers_the_place_where_the_words_stand_together() {
        let text = format!("alpha {} alpha and beta", "filler ".repeat(50));
        assert!(shown(&text, "alpha beta").contains("[alpha] and [beta]"));
    }

    #[test]
    fn marks_what_is_written_otherwise() {
        assert_eq!(shown("Das Café", "CAFE"), "Das [Café]");
        assert_eq!(shown("请修复这个测试。", "测试"), "请修复这个[测试]。");
        assert_eq!(shown("これはテストです", "テスト"), "これは[テスト]です");
    }

    #[test]
    fn there_is_none_where_nothing_was_found() {
        let query = Query::parse("absent").unwrap();
        assert_eq!(Snippet::of("something else", &query), None);
    }
}
