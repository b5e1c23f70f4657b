//! One found command with its words, and the questions that the tables ask of it.
//! Too many hits are right here: these answers only raise the class of a line.

use super::word::Term;
use crate::script::{Simple, Word};
use std::borrow::Cow;

#[derive(Debug, Clone, Copy)]
pub(super) struct Argv<'a> {
    pub words: &'a [Term],
}

impl<'a> Argv<'a> {
    /// The program by its last path component, in small letters: some systems
    /// run `RM` as `rm`.
    pub(super) fn name(&self) -> Cow<'a, str> {
        let head = self.words.first().map_or("", |term| term.text.as_str());
        let name = head.rsplit(['/', '\\']).next().unwrap_or(head);
        let name = name.strip_suffix(".exe").unwrap_or(name);
        if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            let small = name.to_ascii_lowercase();
            return Cow::Owned(small.strip_suffix(".exe").unwrap_or(&small).to_owned());
        }
        Cow::Borrowed(name)
    }

    pub(super) fn arguments(&self) -> &'a [Term] {
        self.words.get(1..).unwrap_or_default()
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.arguments().iter().map(|term| term.text.as_str())
    }

    fn options(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.texts()
            .take_while(|text| *text != "--")
            .filter(|text| text.len() > 1 && text.starts_with('-'))
    }

    /// Whether one of these letters is among the short options.
    pub(super) fn has_short(&self, letters: &str) -> bool {
        self.options()
            .filter(|option| !option.starts_with("--"))
            .any(|option| option.contains(|c| letters.contains(c)))
    }

    /// Whether a long option stands there, with a value or cut short.
    pub(super) fn has_long(&self, names: &[&str]) -> bool {
        self.options()
            .filter_map(|option| option.strip_prefix("--"))
            .map(|option| option.split('=').next().unwrap_or(option))
            .any(|option| {
                names
                    .iter()
                    .any(|name| *name == option || (option.len() > 2 && name.starts_with(option)))
            })
    }

    /// Words that are no options and no values of the short options that take
    /// one. All that stands behind `--`.
    pub(super) fn operands(&self, valued: &str) -> Vec<&'a Term> {
        let mut found = Vec::new();
        let mut ended = false;
        let mut words = self.arguments().iter();
        while let Some(term) = words.next() {
            let text = term.text.as_str();
            if ended || text == "-" || !text.starts_with('-') {
                found.push(term);
            } else if text == "--" {
                ended = true;
            } else if !text.starts_with("--")
                && text.chars().next_back().is_some_and(|c| valued.contains(c))
            {
                words.next();
            }
        }
        found
    }

    /// The value of an option, in the same word or in the next.
    pub(super) fn value_of(&self, short: Option<char>, long: &str) -> Option<Term> {
        let mut words = self.arguments().iter();
        while let Some(term) = words.next() {
            let text = term.text.as_str();
            if let Some(rest) = text.strip_prefix("--") {
                if long.is_empty() {
                    continue;
                }
                if rest == long {
                    return words.next().cloned();
                }
                if let Some(value) = rest.strip_prefix(long).and_then(|v| v.strip_prefix('=')) {
                    return Some(Term {
                        text: value.to_owned(),
                        ..term.clone()
                    });
                }
            } else if let Some(short) = short
                && let Some(letters) = text.strip_prefix('-')
                && let Some((_, value)) = letters.split_once(short)
            {
                if value.is_empty() {
                    return words.next().cloned();
                }
                return Some(Term {
                    text: value.to_owned(),
                    ..term.clone()
                });
            }
        }
        None
    }

    /// Only asked what it is.
    pub(super) fn only_informs(&self) -> bool {
        let mut texts = self.texts().peekable();
        texts.peek().is_some() && texts.all(|text| matches!(text, "--help" | "--version"))
    }

    pub(super) fn piece(&self) -> String {
        const MAX: usize = 200;
        let words: Vec<&str> = self.words.iter().map(|term| term.text.as_str()).collect();
        let line = words.join(" ");
        match line.char_indices().nth(MAX) {
            Some((at, _)) => format!("{}…", &line[..at]),
            None => line,
        }
    }

    pub(super) fn simple(&self, assignments: &[String]) -> Simple {
        Simple {
            words: self
                .words
                .iter()
                .map(|term| Word {
                    text: term.text.clone(),
                    expands: term.expands || term.open,
                })
                .collect(),
            assignments: assignments.to_vec(),
        }
    }
}
