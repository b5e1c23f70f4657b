//! Words as a shell would make them of their text, as far as that is written in
//! the line: quotes, escapes, literal braces and variables that the line itself
//! sets once. For the permissive walk only: it guesses where it must, and marks
//! what it could not know as open.

use super::variables::Variables;

/// How many words braces may become before the rest is left alone.
const MAX_WORDS: usize = 64;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Term {
    pub text: String,
    /// The shell may make another word, or several, of it.
    pub expands: bool,
    /// A part of it is not written in the line.
    pub open: bool,
    /// As it stands in the line.
    pub raw: String,
}

impl Term {
    pub(super) fn literal(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            raw: text.to_owned(),
            ..Self::default()
        }
    }

    /// A word of which nothing is known.
    pub(super) fn anything() -> Self {
        Self {
            text: "…".into(),
            expands: true,
            open: true,
            raw: String::new(),
        }
    }
}

/// A piece of a word, smallest first.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Quoted(char),
    Bare(char),
    /// The blank between two words that a variable became.
    Break,
    /// What is not written out, as it stands in the line.
    Open {
        raw: String,
        quoted: bool,
    },
    /// A pair of quotes with nothing in it still makes a word.
    Empty,
}

/// The words that one written word becomes.
pub(super) fn read(raw: &str, variables: &Variables, at: usize) -> Vec<Term> {
    let mut scanner = Scanner {
        chars: raw.char_indices().peekable(),
        raw,
        pieces: Vec::new(),
        variables,
        at,
    };
    scanner.run();
    let pieces = scanner.pieces;
    let mut words = Vec::new();
    for alternative in expand_braces(pieces) {
        for part in alternative.split(|piece| *piece == Piece::Break) {
            if !part.is_empty() {
                words.push(finish(part, raw));
            }
        }
    }
    words
}

struct Scanner<'a> {
    chars: std::iter::Peekable<std::str::CharIndices<'a>>,
    raw: &'a str,
    pieces: Vec<Piece>,
    variables: &'a Variables,
    at: usize,
}

impl Scanner<'_> {
    fn run(&mut self) {
        while let Some((at, c)) = self.chars.next() {
            match c {
                '\'' => {
                    self.pieces.push(Piece::Empty);
                    for (_, c) in self.chars.by_ref() {
                        if c == '\'' {
                            break;
                        }
                        self.pieces.push(Piece::Quoted(c));
                    }
                }
                '"' => self.double_quoted(),
                '\\' => match self.chars.next() {
                    None | Some((_, '\n')) => {}
                    Some((_, escaped)) => self.pieces.push(Piece::Quoted(escaped)),
                },
                '$' => self.dollar(at, Quoting::Bare),
                '`' => self.backtick(at, Quoting::Bare),
                '<' | '>' if self.next_is('(') => {
                    self.chars.next();
                    self.open_until(at, '(', ')', Quoting::Bare);
                }
                c => self.pieces.push(Piece::Bare(c)),
            }
        }
    }

    fn next_is(&mut self, wanted: char) -> bool {
        self.chars.peek().is_some_and(|(_, c)| *c == wanted)
    }

    fn double_quoted(&mut self) {
        self.pieces.push(Piece::Empty);
        while let Some((at, c)) = self.chars.next() {
            match c {
                '"' => return,
                '\\' => match self.chars.next() {
                    Some((_, escaped @ ('$' | '`' | '"' | '\\'))) => {
                        self.pieces.push(Piece::Quoted(escaped));
                    }
                    Some((_, '\n')) | None => {}
                    Some((_, other)) => {
                        self.pieces.push(Piece::Quoted('\\'));
                        self.pieces.push(Piece::Quoted(other));
                    }
                },
                '$' => self.dollar(at, Quoting::Double),
                '`' => self.backtick(at, Quoting::Double),
                c => self.pieces.push(Piece::Quoted(c)),
            }
        }
    }

    fn dollar(&mut self, start: usize, quoting: Quoting) {
        match self.chars.peek().map(|(_, c)| *c) {
            Some('\'') if quoting == Quoting::Bare => {
                self.chars.next();
                self.ansi_quoted();
            }
            Some('"') if quoting == Quoting::Bare => {
                self.chars.next();
                self.double_quoted();
            }
            Some('(') => {
                self.chars.next();
                self.open_until(start, '(', ')', quoting);
            }
            Some('{') => {
                self.chars.next();
                let raw = self.until(start, '{', '}');
                let name = raw
                    .strip_prefix("${")
                    .and_then(|raw| raw.strip_suffix('}'))
                    .unwrap_or_default();
                self.variable(name, &raw, quoting);
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let mut name = String::new();
                while let Some((_, c)) = self
                    .chars
                    .next_if(|(_, c)| c.is_ascii_alphanumeric() || *c == '_')
                {
                    name.push(c);
                }
                let raw = format!("${name}");
                self.variable(&name, &raw, quoting);
            }
            Some(c) if c.is_ascii_digit() || "@*#?-$!".contains(c) => {
                self.chars.next();
                self.variable(&c.to_string(), &format!("${c}"), quoting);
            }
            _ => self.pieces.push(Piece::Quoted('$')),
        }
    }

    fn variable(&mut self, name: &str, raw: &str, quoting: Quoting) {
        if name == "IFS" && quoting == Quoting::Bare {
            self.pieces.push(Piece::Break);
            return;
        }
        // Where the line says itself what splits words.
        let set = self.variables.value("IFS", self.at).unwrap_or_default();
        match self.variables.value(name, self.at) {
            Some(value) if quoting == Quoting::Double => {
                self.pieces.extend(value.chars().map(Piece::Quoted));
            }
            Some(value) => self.pieces.extend(value.chars().map(|c| match c {
                ' ' | '\t' | '\n' => Piece::Break,
                c if set.contains(c) => Piece::Break,
                // What a variable holds is not read for quotes or braces again.
                '*' | '?' | '[' => Piece::Bare(c),
                c => Piece::Quoted(c),
            })),
            None => {
                // With an operator behind it, it may still be its value.
                let base = name
                    .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                    .map_or(name, |end| &name[..end]);
                self.pieces.push(Piece::Open {
                    raw: match base {
                        "HOME" => "$HOME".into(),
                        "PWD" => ".".into(),
                        _ => raw.to_owned(),
                    },
                    quoted: quoting == Quoting::Double,
                });
            }
        }
    }

    fn backtick(&mut self, start: usize, quoting: Quoting) {
        let mut end = self.raw.len();
        while let Some((at, c)) = self.chars.next() {
            match c {
                '\\' => {
                    self.chars.next();
                }
                '`' => {
                    end = at + 1;
                    break;
                }
                _ => {}
            }
        }
        self.push_open(start, end, quoting);
    }

    fn open_until(&mut self, start: usize, open: char, close: char, quoting: Quoting) {
        let raw = self.until(start, open, close);
        self.pieces.push(Piece::Open {
            raw,
            quoted: quoting == Quoting::Double,
        });
    }

    fn push_open(&mut self, start: usize, end: usize, quoting: Quoting) {
        let raw = self.raw.get(start..end).unwrap_or_default().to_owned();
        self.pieces.push(Piece::Open {
            raw,
            quoted: quoting == Quoting::Double,
        });
    }

    /// The text up to the bracket that closes the one just passed.
    fn until(&mut self, start: usize, open: char, close: char) -> String {
        let mut depth = 1;
        let mut end = self.raw.len();
        let mut single = false;
        while let Some((at, c)) = self.chars.next() {
            match c {
                '\'' => single = !single,
                _ if single => {}
                '\\' => {
                    self.chars.next();
                }
                c if c == open => depth += 1,
                c if c == close => {
                    depth -= 1;
                    if depth == 0 {
                        end = at + c.len_utf8();
                        break;
                    }
                }
                _ => {}
            }
        }
        self.raw.get(start..end).unwrap_or_default().to_owned()
    }

    fn ansi_quoted(&mut self) {
        self.pieces.push(Piece::Empty);
        let mut text = String::new();
        while let Some((_, c)) = self.chars.next() {
            match c {
                '\'' => break,
                '\\' => {
                    text.push('\\');
                    if let Some((_, c)) = self.chars.next() {
                        text.push(c);
                    }
                }
                c => text.push(c),
            }
        }
        self.pieces
            .extend(unescape(&text).chars().map(Piece::Quoted));
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quoting {
    Bare,
    Double,
}

/// The escapes of `$'…'`, `echo -e` and `printf`.
pub(super) fn unescape(text: &str) -> String {
    let mut plain = String::new();
    let mut chars = text.chars().peekable();
    let number = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>, radix, most| {
        let mut digits = String::new();
        while digits.len() < most {
            match chars.next_if(|c| c.is_digit(radix)) {
                Some(c) => digits.push(c),
                None => break,
            }
        }
        u32::from_str_radix(&digits, radix)
            .ok()
            .and_then(char::from_u32)
    };
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some('a' | 'b' | 'f' | 'v' | 'e' | 'E') => plain.push(' '),
            Some('x') => plain.extend(number(&mut chars, 16, 2)),
            Some('u') => plain.extend(number(&mut chars, 16, 4)),
            Some('U') => plain.extend(number(&mut chars, 16, 8)),
            Some('0') => plain.extend(number(&mut chars, 8, 3)),
            Some('c') => {
                chars.next();
            }
            Some(c @ '1'..='7') => {
                let mut digits = String::from(c);
                while digits.len() < 3 {
                    match chars.next_if(|c| c.is_digit(8)) {
                        Some(c) => digits.push(c),
                        None => break,
                    }
                }
                plain.extend(
                    u32::from_str_radix(&digits, 8)
                        .ok()
                        .and_then(char::from_u32),
                );
            }
            Some(c) => plain.push(c),
            None => plain.push('\\'),
        }
    }
    plain
}

/// All alternatives of the first brace, and of those behind it.
fn expand_braces(pieces: Vec<Piece>) -> Vec<Vec<Piece>> {
    let mut done = Vec::new();
    let mut waiting = vec![pieces];
    while let Some(pieces) = waiting.pop() {
        match first_brace(&pieces) {
            Some(brace) if done.len() + waiting.len() < MAX_WORDS => {
                // The last one is taken first from the stack.
                for (from, to) in brace.parts.iter().rev() {
                    let mut one = pieces[..brace.start].to_vec();
                    one.extend_from_slice(&pieces[*from..*to]);
                    one.extend_from_slice(&pieces[brace.end + 1..]);
                    waiting.push(one);
                }
            }
            _ => done.push(pieces),
        }
    }
    done
}

struct Brace {
    start: usize,
    end: usize,
    parts: Vec<(usize, usize)>,
}

fn first_brace(pieces: &[Piece]) -> Option<Brace> {
    let opens = pieces
        .iter()
        .enumerate()
        .filter(|(_, piece)| **piece == Piece::Bare('{'))
        .map(|(at, _)| at)
        .take(MAX_WORDS);
    for start in opens {
        let mut depth = 0usize;
        let mut from = start + 1;
        let mut parts = Vec::new();
        for (at, piece) in pieces.iter().enumerate().skip(start) {
            match piece {
                Piece::Bare('{') => depth += 1,
                Piece::Bare('}') if depth == 1 => {
                    parts.push((from, at));
                    if parts.len() > 1 {
                        return Some(Brace {
                            start,
                            end: at,
                            parts,
                        });
                    }
                    break;
                }
                Piece::Bare('}') => depth = depth.saturating_sub(1),
                Piece::Bare(',') if depth == 1 => {
                    parts.push((from, at));
                    from = at + 1;
                }
                _ => {}
            }
        }
    }
    None
}

fn finish(pieces: &[Piece], raw: &str) -> Term {
    let mut term = Term {
        raw: raw.to_owned(),
        ..Term::default()
    };
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Quoted(c) => term.text.push(*c),
            Piece::Bare(c) => {
                let tilde = *c == '~' && at == 0;
                term.expands |= tilde || matches!(c, '*' | '?' | '[');
                term.text.push(*c);
            }
            Piece::Open { raw, quoted } => {
                term.open = true;
                term.expands |= !quoted;
                term.text.push_str(raw);
            }
            Piece::Break | Piece::Empty => {}
        }
    }
    // A bracket alone is no pattern.
    if matches!(term.text.as_str(), "[" | "[[") {
        term.expands = false;
    }
    term
}
