//! What a user asks for: words that must all occur, `"words in a row"`, and the
//! last word as far as it was typed. There is no other syntax, so no text of a
//! user can be a mistake in it.

use crate::fold::{Token, composed, tokens};
use std::ops::Range;

/// More words than a question has; each costs a look.
const MOST: usize = 64;
/// A last word is taken as a beginning from so many letters on: a shorter one
/// would be the beginning of half of all words.
const BEGINNING: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    #[error("there is nothing to search for: the text has no letter or digit")]
    Empty,
    #[error("a search can have at most {MOST} words")]
    TooLong,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    terms: Vec<Term>,
}

/// Words in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Term {
    words: Vec<String>,
    /// The last of them may go on.
    open: bool,
}

impl Query {
    /// # Errors
    /// When no word is left of the text, or far too many are.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        let text = composed(text);
        let mut terms = Vec::new();
        // Every second piece stands between quotes; a quote that is not closed
        // holds to the end.
        let mut pieces = text.split('"').enumerate().peekable();
        while let Some((at, piece)) = pieces.next() {
            if at % 2 == 1 {
                terms.extend(Term::of(piece));
                continue;
            }
            terms.extend(piece.split_whitespace().filter_map(Term::of));
            let is_last = pieces.peek().is_none();
            if is_last
                && piece.split_whitespace().next_back().is_some_and(ends_open)
                && let Some(last) = terms.last_mut()
            {
                last.open = last.can_go_on();
            }
        }
        // Twice the same is once the same.
        let mut once: Vec<Term> = Vec::new();
        for term in terms {
            if !once.contains(&term) {
                once.push(term);
            }
        }
        let count: usize = once.iter().map(|term| term.words.len()).sum();
        match count {
            0 => Err(QueryError::Empty),
            1..=MOST => Ok(Self { terms: once }),
            _ => Err(QueryError::TooLong),
        }
    }

    pub(crate) fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// For the index: all terms in one passage.
    pub(crate) fn expression(&self) -> String {
        let all: Vec<String> = self.terms.iter().map(Term::expression).collect();
        all.join(" AND ")
    }

    /// Where the terms stand among the words of a passage.
    pub(crate) fn places(&self, words: &[Token]) -> Places {
        let mut places = Places {
            marked: Vec::new(),
            terms: 0,
        };
        for (number, term) in self.terms.iter().enumerate() {
            let before = places.marked.len();
            term.places(words, &mut places.marked);
            if places.marked.len() > before {
                places.terms |= 1 << number;
            }
        }
        places.marked.sort_by_key(|range| range.start);
        places
    }

    /// The set of all terms, as [`Places::terms`] has it.
    pub(crate) fn all(&self) -> u64 {
        match self.terms.len() {
            MOST => u64::MAX,
            count => (1 << count) - 1,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Places {
    /// Bytes of the text, in order.
    pub marked: Vec<Range<usize>>,
    /// One bit for each term that occurs.
    pub terms: u64,
}

/// A word that ends in a dot or a bracket was written to its end.
fn ends_open(word: &str) -> bool {
    word.chars().next_back().is_some_and(char::is_alphanumeric)
}

impl Term {
    fn of(text: &str) -> Option<Self> {
        let words: Vec<String> = tokens(text).into_iter().map(|token| token.word).collect();
        (!words.is_empty()).then_some(Self { words, open: false })
    }

    fn can_go_on(&self) -> bool {
        let long = |word: &String| word.chars().count() >= BEGINNING;
        self.words.last().is_some_and(long)
    }

    /// Words hold letters and digits alone, so that quotes are all it takes.
    pub(crate) fn expression(&self) -> String {
        let ending = if self.open { " *" } else { "" };
        format!("\"{}\"{ending}", self.words.join(" "))
    }

    fn places(&self, words: &[Token], found: &mut Vec<Range<usize>>) {
        let Some((last, before)) = self.words.split_last() else {
            return;
        };
        for row in words.windows(self.words.len()) {
            let Some((end, start)) = row.split_last() else {
                continue;
            };
            let begins = start.iter().zip(before).all(|(a, b)| a.word == *b);
            let ends = if self.open {
                end.word.starts_with(last)
            } else {
                end.word == *last
            };
            if begins && ends {
                let from = row.first().map_or(end.at.start, |token| token.at.start);
                found.push(from..end.at.end);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expression(text: &str) -> String {
        Query::parse(text).unwrap().expression()
    }

    #[test]
    fn words_must_all_occur_and_the_last_may_go_on() {
        assert_eq!(expression("Flaky  test"), "\"flaky\" AND \"test\" *");
        assert_eq!(
            expression("\"flaky test\" retry"),
            "\"flaky test\" AND \"retry\" *"
        );
        assert_eq!(
            expression("retry \"flaky test\""),
            "\"retry\" AND \"flaky test\""
        );
        assert_eq!(
            expression("retry ok"),
            "\"retry\" AND \"ok\"",
            "too short to go on"
        );
        assert_eq!(expression("main.rs"), "\"main rs\"");
        assert_eq!(expression("parse_conf"), "\"parse conf\" *");
        assert_eq!(expression("done."), "\"done\"");
        assert_eq!(expression("测试"), "\"测 试\"");
        assert_eq!(expression("a a A"), "\"a\"");
    }

    #[test]
    fn no_text_is_a_mistake_in_the_syntax() {
        for (text, expected) in [
            ("NOT foo", "\"not\" AND \"foo\" *"),
            (
                "a OR b AND NEAR(c d)",
                "\"a\" AND \"or\" AND \"b\" AND \"and\" AND \"near c\" AND \"d\"",
            ),
            (
                "title:foo* ^bar -baz",
                "\"title foo\" AND \"bar\" AND \"baz\" *",
            ),
            ("\"unclosed quote", "\"unclosed quote\""),
            (
                "it's 50% {x} ; DROP TABLE--",
                "\"it s\" AND \"50\" AND \"x\" AND \"drop\" AND \"table\"",
            ),
            ("a\0b", "\"a b\""),
            ("\"\" \"\" x", "\"x\""),
        ] {
            assert_eq!(expression(text), expected, "{text}");
        }
        for text in ["", "   ", "\"\"", "***", "\0", "…"] {
            assert_eq!(Query::parse(text), Err(QueryError::Empty), "{text:?}");
        }
        let long: String = (0..100).map(|n| format!("w{n} ")).collect();
        assert_eq!(Query::parse(&long), Err(QueryError::TooLong));
    }

    #[test]
    fn places_are_where_a_reader_sees_the_words() {
        let query = Query::parse("\"flaky test\" run").unwrap();
        let text = "A Flaky-Test is running; the test run was flaky.";
        let places = query.places(&tokens(text));
        let marked: Vec<&str> = places.marked.iter().map(|at| &text[at.clone()]).collect();
        assert_eq!(marked, ["Flaky-Test", "running", "run"]);
        assert_eq!(places.terms, query.all());
        assert_eq!(query.places(&tokens("flaky run")).terms, 0b10);
    }
}
