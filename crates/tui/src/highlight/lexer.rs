//! Words, strings, comments and numbers of the languages that are shown most.
//! One pass over each line: a stream of code costs next to nothing, and no line
//! can be written that takes long. It does not understand code: what a grammar
//! would tell better, it leaves plain.

use crate::text::Role;
use std::ops::Range;

/// What tells the words of a language apart.
#[derive(Debug)]
pub(super) struct Language {
    pub comment: &'static [&'static str],
    pub block: Option<(&'static str, &'static str)>,
    /// The longer mark before the shorter.
    pub quotes: &'static [Quote],
    pub keywords: &'static str,
    pub types: &'static str,
    pub literals: &'static str,
    /// Letters of words beside those of the alphabet.
    pub word: &'static str,
    /// `'a` is a name and `'a'` a letter.
    pub lifetimes: bool,
    /// The first word is a command.
    pub commands: bool,
    /// What stands before `:` or `=` is a name.
    pub keys: bool,
    pub any_case: bool,
}

impl Language {
    pub const PLAIN: Self = Self {
        comment: &[],
        block: None,
        quotes: &[],
        keywords: "",
        types: "",
        literals: "",
        word: "_",
        lifetimes: false,
        commands: false,
        keys: false,
        any_case: false,
    };
}

#[derive(Debug)]
pub(super) struct Quote {
    pub mark: &'static str,
    pub ends: Ends,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// Or else it was none.
    WithLine,
    /// It may go on over lines.
    Later,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Lexer {
    language: &'static Language,
    within: Within,
}

/// What the line before has left open, and the mark that closes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Code,
    Comment(&'static str),
    Quote(&'static str),
}

type Pieces = Vec<(Role, Range<usize>)>;

impl Lexer {
    pub fn new(language: &'static Language) -> Self {
        Self {
            language,
            within: Within::Code,
        }
    }

    /// Nothing of the lines before is open any more.
    pub fn begin(&mut self) {
        self.within = Within::Code;
    }

    /// Pieces of the line and what they are.
    pub fn line(&mut self, text: &str) -> Pieces {
        let mut pieces = Pieces::new();
        let mut at = 0;
        let mut command = self.language.commands;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let (role, length) = match self.within {
                Within::Comment(end) => (Role::Comment, self.until(rest, end)),
                Within::Quote(end) => (Role::StringText, self.quoted(rest, end)),
                Within::Code => self.code(text, at, rest, &mut command),
            };
            let to = at + length.max(1);
            match pieces.last_mut() {
                Some((last, before)) if *last == role => before.end = to,
                _ => pieces.push((role, at..to)),
            }
            at = to;
        }
        pieces
    }

    /// Up to the end of a comment, or all of it.
    fn until(&mut self, rest: &str, end: &str) -> usize {
        match rest.find(end) {
            Some(at) => {
                self.within = Within::Code;
                at + end.len()
            }
            None => rest.len(),
        }
    }

    /// Up to the end of a string, past what is escaped in it.
    fn quoted(&mut self, rest: &str, end: &str) -> usize {
        match closing(rest, end) {
            Some(length) => {
                self.within = Within::Code;
                length
            }
            None => rest.len(),
        }
    }

    fn code(&mut self, text: &str, at: usize, rest: &str, command: &mut bool) -> (Role, usize) {
        let Some(c) = rest.chars().next() else {
            return (Role::Text, rest.len());
        };
        if c.is_whitespace() {
            return (Role::Text, c.len_utf8());
        }
        if let Some(found) = self.comment(text, at, rest) {
            return found;
        }
        if let Some(found) = self.string(rest) {
            return found;
        }
        if c.is_ascii_digit() {
            return (Role::Literal, number(rest));
        }
        if c.is_alphabetic() || self.language.word.contains(c) {
            return self.word(text, at, rest, command);
        }
        if "|;&(".contains(c) {
            *command = self.language.commands;
        }
        let role = if c.is_ascii() {
            Role::Punctuation
        } else {
            Role::Text
        };
        (role, c.len_utf8())
    }

    fn comment(&mut self, text: &str, at: usize, rest: &str) -> Option<(Role, usize)> {
        if let Some((begin, end)) = self.language.block
            && let Some(inside) = rest.strip_prefix(begin)
        {
            self.within = Within::Comment(end);
            return Some((Role::Comment, begin.len() + self.until(inside, end)));
        }
        let mark = self
            .language
            .comment
            .iter()
            .find(|mark| rest.starts_with(**mark))?;
        // `a#b` is a word in a shell and `$#` a count.
        let is_free = text
            .get(..at)?
            .chars()
            .next_back()
            .is_none_or(char::is_whitespace);
        (is_free || *mark != "#").then_some((Role::Comment, rest.len()))
    }

    fn string(&mut self, rest: &str) -> Option<(Role, usize)> {
        if self.language.lifetimes && rest.starts_with('\'') {
            return Some(letter(rest));
        }
        let quote = self
            .language
            .quotes
            .iter()
            .find(|quote| rest.starts_with(quote.mark))?;
        let inside = rest.get(quote.mark.len()..)?;
        match (closing(inside, quote.mark), quote.ends) {
            (Some(length), _) => {
                let whole = quote.mark.len() + length;
                let behind = rest.get(whole..).unwrap_or_default().trim_start();
                let is_key = self.language.keys && behind.starts_with(':');
                let role = if is_key {
                    Role::TypeName
                } else {
                    Role::StringText
                };
                Some((role, whole))
            }
            (None, Ends::Later) => {
                self.within = Within::Quote(quote.mark);
                Some((Role::StringText, rest.len()))
            }
            (None, Ends::WithLine) => Some((Role::Punctuation, quote.mark.len())),
        }
    }

    fn word(&self, text: &str, at: usize, rest: &str, command: &mut bool) -> (Role, usize) {
        let language = self.language;
        let is_part = |c: char| c.is_alphanumeric() || language.word.contains(c);
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(length);
        let lower = word.to_lowercase();
        let sought = if language.any_case {
            lower.as_str()
        } else {
            word
        };
        let is_in = |words: &str| words.split(' ').any(|known| known == sought);
        let is_first = std::mem::take(command);
        let role = if word.len() > 24 {
            Role::Text
        } else if is_in(language.keywords) {
            *command = language.commands;
            Role::Keyword
        } else if is_in(language.literals) {
            Role::Literal
        } else if is_in(language.types) {
            Role::TypeName
        } else {
            Role::Text
        };
        if role != Role::Text {
            return (role, length);
        }
        let before = text.get(..at).unwrap_or_default();
        let is_name = language.keys
            && behind.trim_start().starts_with([':', '='])
            && before.trim_start_matches([' ', '-', '"']).is_empty();
        let is_macro = behind.starts_with("!(") || behind.starts_with("![");
        let role = if is_first && !behind.starts_with('=') {
            Role::Function
        } else if is_name {
            Role::TypeName
        } else if !language.commands && (behind.starts_with('(') || is_macro) {
            Role::Function
        } else if !language.commands && !language.keys && word.starts_with(char::is_uppercase) {
            Role::TypeName
        } else {
            Role::Text
        };
        (role, length)
    }
}

/// Bytes up to and with the mark, past what a backslash escapes.
fn closing(text: &str, mark: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if text.get(at..)?.starts_with(mark) {
            return Some(at + mark.len());
        } else {
            escaped = c == '\\';
        }
    }
    None
}

/// `'a'` or `'\n'`, or else the name of a lifetime.
fn letter(rest: &str) -> (Role, usize) {
    let inside = rest.get(1..).unwrap_or_default();
    let near = inside.floor_char_boundary(12);
    match inside.get(..near).and_then(|near| closing(near, "'")) {
        Some(length) if inside.starts_with('\\') || inside.chars().nth(1) == Some('\'') => {
            (Role::StringText, 1 + length)
        }
        _ => {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            let length = inside.find(|c| !is_part(c)).unwrap_or(inside.len());
            (Role::TypeName, 1 + length)
        }
    }
}

/// A number: `1_000`, `0xff`, `1.5e3`; in `0..5` it ends before the dots.
fn number(rest: &str) -> usize {
    let mut before = '0';
    for (at, c) in rest.char_indices() {
        let is_part = c.is_ascii_alphanumeric() || c == '_';
        let follows = rest.get(at + 1..).unwrap_or_default();
        let is_point =
            c == '.' && before != '.' && follows.starts_with(|c: char| c.is_ascii_digit());
        if !is_part && !is_point {
            return at;
        }
        before = c;
    }
    rest.len()
}
