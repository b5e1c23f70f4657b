//! What a command line says, as far as it is certain.
//!
//! Two walks with opposite duties. [`analyse`] proves: it yields an argv only for
//! one plain command in which every word is what it looks like, and says
//! "unknown" of all else. [`Script::loose_words`] finds: it sees words everywhere,
//! also where there are none. The first may serve to allow, the second only to
//! ask or deny. Neither is a shell grammar.

use crate::{PathFact, reading};

const MAX_BYTES: usize = 64 * 1024;

/// First words after which the shell does something other than run a program.
const RESERVED: &[&str] = &[
    "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for",
    "in", "select", "function", "time", "coproc", "[[", "]]",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    pub text: String,
    pub parts: Parts,
    /// What was found of [`Script::path_words`], one for each and in their order.
    /// Empty until somebody has looked.
    pub paths: Vec<PathFact>,
    /// For each word of the argv, whether the shell may make other words of it.
    expands: Vec<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parts {
    /// One plain command: its argv, never empty.
    Simple(Vec<String>),
    /// Why the line is not certain. Never matches a rule that allows by pattern.
    Unknown(String),
}

/// Reads a command line for the shell.
#[must_use]
pub fn analyse(text: &str) -> Script {
    let (parts, expands) = match split(text) {
        Ok(words) => {
            let expands = words.iter().map(|word| word.expands).collect();
            let argv = words.into_iter().map(|word| word.text).collect();
            (Parts::Simple(argv), expands)
        }
        Err(why) => (Parts::Unknown(why), Vec::new()),
    };
    Script {
        text: text.to_owned(),
        parts,
        paths: Vec::new(),
        expands,
    }
}

impl Script {
    /// The argv, where it is certain.
    #[must_use]
    pub fn argv(&self) -> Option<&[String]> {
        match &self.parts {
            Parts::Simple(argv) => Some(argv),
            Parts::Unknown(_) => None,
        }
    }

    /// The same with what was found of its [`Script::path_words`].
    #[must_use]
    pub fn with_paths(mut self, paths: Vec<PathFact>) -> Self {
        self.paths = paths;
        self
    }

    /// Every word that may be a path: each one after the program that is no
    /// option, and what options carry with them. None of a line that was not
    /// understood.
    #[must_use]
    pub fn path_words(&self) -> Vec<&str> {
        self.argv().map(reading::path_words).unwrap_or_default()
    }

    /// The first word that the shell may turn into other words.
    pub(crate) fn expanding_word(&self) -> Option<&str> {
        let at = self.expands.iter().position(|expands| *expands)?;
        self.argv()?.get(at).map(String::as_str)
    }

    /// Whether a word is an option, or could become one: a file may be named
    /// `--output=x`, and `*` finds it.
    pub(crate) fn may_be_option(&self, at: usize) -> bool {
        let word = self.argv().and_then(|argv| argv.get(at));
        let expands = self.expands.get(at).copied().unwrap_or_default();
        word.is_some_and(|word| {
            word.starts_with('-') || (expands && word.starts_with(['*', '?', '[']))
        })
    }

    /// All that could be a word, with quotes and escapes gone and every operator
    /// taken as white space. Suitable to find what is denied; must not be used
    /// to prove that a command is safe.
    #[must_use]
    pub fn loose_words(&self) -> Vec<String> {
        loose_words(&self.text)
    }
}

pub(crate) fn loose_words(text: &str) -> Vec<String> {
    let text = text
        .replace("\\\r\n", "")
        .replace("\\\n", "")
        .replace("${IFS}", " ")
        .replace("$IFS", " ");
    text.split(|c: char| c.is_whitespace() || c.is_control() || ";&|<>(){}$`".contains(c))
        .map(|word| word.replace(['"', '\'', '\\'], ""))
        .filter(|word| !word.is_empty())
        .collect()
}

/// One word as it is read: its text, whether anything in it was quoted, and
/// whether anything that was not is for the shell to expand.
#[derive(Default)]
struct Word {
    text: String,
    quoted: bool,
    started: bool,
    expands: bool,
}

impl Word {
    fn push(&mut self, c: char) {
        self.text.push(c);
        self.started = true;
    }

    fn quote(&mut self) {
        self.quoted = true;
        self.started = true;
    }
}

fn split(text: &str) -> Result<Vec<Word>, String> {
    if text.len() > MAX_BYTES {
        return Err(format!("it is longer than {MAX_BYTES} bytes"));
    }
    let mut words: Vec<Word> = Vec::new();
    let mut word = Word::default();
    let mut chars = text.trim_matches([' ', '\t', '\n']).chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => {
                if word.started {
                    words.push(std::mem::take(&mut word));
                }
            }
            '\'' => single_quoted(&mut chars, &mut word)?,
            '"' => double_quoted(&mut chars, &mut word)?,
            '\\' => match chars.next() {
                None | Some('\n') => return Err("it uses a line continuation".into()),
                Some(escaped) => {
                    word.quote();
                    word.push(literal(escaped)?);
                }
            },
            '#' if !word.started => return Err("it has a comment".into()),
            ';' | '&' | '|' | '<' | '>' | '(' | ')' | '{' | '}' | '$' | '`' | '!' => {
                return Err(format!("it uses `{c}`"));
            }
            '\n' | '\r' => return Err("it has more than one line".into()),
            // What counts as blank outside ASCII depends on the locale.
            c if c.is_whitespace() => return Err("it has an unusual blank".into()),
            c => {
                word.expands |= matches!(c, '*' | '?' | '[' | '~');
                word.push(literal(c)?);
            }
        }
    }
    if word.started {
        words.push(word);
    }
    check_head(&words)?;
    Ok(words)
}

fn literal(c: char) -> Result<char, String> {
    if c.is_control() && c != '\n' && c != '\t' {
        return Err("it has a control character".into());
    }
    Ok(c)
}

fn single_quoted(chars: &mut std::str::Chars<'_>, word: &mut Word) -> Result<(), String> {
    word.quote();
    for c in chars {
        if c == '\'' {
            return Ok(());
        }
        word.push(literal(c)?);
    }
    Err("a quote is not closed".into())
}

fn double_quoted(chars: &mut std::str::Chars<'_>, word: &mut Word) -> Result<(), String> {
    word.quote();
    while let Some(c) = chars.next() {
        match c {
            '"' => return Ok(()),
            '$' | '`' => return Err(format!("it uses `{c}`")),
            '\\' => match chars.next() {
                Some(escaped @ ('$' | '`' | '"' | '\\')) => word.push(escaped),
                Some('\n') => return Err("it uses a line continuation".into()),
                Some(other) => {
                    word.push('\\');
                    word.push(literal(other)?);
                }
                None => break,
            },
            c => word.push(literal(c)?),
        }
    }
    Err("a quote is not closed".into())
}

fn check_head(words: &[Word]) -> Result<(), String> {
    let Some(head) = words.first() else {
        return Err("it is empty".into());
    };
    if head.text.is_empty() {
        return Err("the name of the command is empty".into());
    }
    if !head.quoted && RESERVED.contains(&head.text.as_str()) {
        return Err(format!("it uses `{}`", head.text));
    }
    if head.text.contains(['*', '?', '[', '%', '~']) {
        return Err("the name of the command is not written out".into());
    }
    if head.text.contains('=') {
        return Err("it sets a variable".into());
    }
    let foreign_home = |word: &&Word| {
        !word.quoted
            && word.text.starts_with('~')
            && word.text != "~"
            && !word.text.starts_with("~/")
    };
    if let Some(word) = words.iter().find(foreign_home) {
        return Err(format!("it uses `{}`", word.text));
    }
    Ok(())
}
