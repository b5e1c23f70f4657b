//! The second look at a text that the grammar stumbled over: commands are taken
//! to begin behind every operator, line end and opening bracket. It knows quotes
//! and here-documents and nothing of structure, and it only finds.

use super::find::{Context, Feed, Finder, Raw, Redirect, brief, terms};
use tenon_vocab::Class;

/// Words behind which a command begins.
const KEYWORDS: &[&str] = &[
    "if", "then", "else", "elif", "fi", "do", "done", "while", "until", "esac", "{", "}", "!",
];

/// The parser takes time and memory by the square of what it has open when it
/// stumbles: long pipes are the worst.
const MAX_PIPE: usize = 64;
const MAX_COMMANDS: usize = 1_000;

/// Whether a text has more in it than the grammar should be asked to read.
pub(super) fn is_too_much(text: &str) -> bool {
    let separators = text.bytes().filter(|byte| b"|;&()\n".contains(byte));
    if separators.count() < MAX_PIPE {
        return false;
    }
    let commands = scanned(text);
    let mut pipe = 0;
    for command in &commands {
        pipe = if command.piped { pipe + 1 } else { 0 };
        if pipe > MAX_PIPE {
            return true;
        }
    }
    commands.len() > MAX_COMMANDS
}

fn scanned(text: &str) -> Vec<Scanned> {
    let mut scanner = Scanner {
        text,
        at: 0,
        words: Vec::new(),
        redirects: Vec::new(),
        waiting: Vec::new(),
        awaited: None,
        commands: Vec::new(),
        piped: false,
    };
    scanner.run();
    scanner.commands
}

pub(super) fn scan(finder: &mut Finder, text: &str, context: &Context) {
    if is_bomb(text) {
        finder.report(
            Class::HardDeny,
            "a function starts endless copies of itself",
            brief(text),
        );
    }
    if text.contains("case") {
        unclosed(finder, text, context);
    }
    let mut feed = Feed::Nothing;
    let mut given = None;
    for command in scanned(text) {
        let mut inner = context.clone();
        if command.piped {
            inner.feed = inner.feed.max(feed);
            inner.given = given.take();
        } else {
            feed = Feed::Nothing;
        }
        let mark = finder.fetched;
        let words = command.words.iter().map(|(_, word)| word);
        let files = command.redirects.iter().map(|(_, file)| file);
        let mut codes: Vec<String> = words
            .chain(files)
            .flat_map(|word| substitutions(word, Quotes::Matter))
            .collect();
        for body in &command.bodies {
            codes.extend(substitutions(body, Quotes::Ignored));
        }
        for code in codes {
            let mut below = inner.clone();
            below.depth += 1;
            finder.text(&code, &below);
        }
        finder.command(raw_command(finder, &command), &inner);
        given = finder.output.take();
        feed = feed.max(if finder.fetched > mark {
            Feed::Download
        } else {
            Feed::Something
        });
    }
}

/// The bracket behind a pattern of `case` closes nothing: where that word stands,
/// the end of a substitution is not known, and all that follows is read.
fn unclosed(finder: &mut Finder, text: &str, context: &Context) {
    const MAX: usize = 8;
    let opened = text
        .match_indices('(')
        .filter(|(at, _)| text[..*at].ends_with(['$', '<', '>']));
    for (at, _) in opened.take(MAX) {
        finder.text(&text[at + 1..], &context.deeper());
    }
}

fn raw_command(finder: &Finder, command: &Scanned) -> Raw {
    let mut raw = Raw {
        given: command.given.clone(),
        ..Raw::default()
    };
    let (first, assigned) = command.own_words();
    let words = command.words.get(first..).unwrap_or_default();
    for (at, (_, word)) in words.iter().enumerate() {
        if at < assigned {
            raw.assignments.push(word.clone());
        } else {
            raw.words.extend(terms(finder, word, usize::MAX));
        }
    }
    for (operator, file) in &command.redirects {
        let files = terms(finder, file, usize::MAX);
        if operator == "<<<" {
            let texts: Vec<String> = files.into_iter().map(|term| term.text).collect();
            raw.given = Some(texts.join(" "));
            continue;
        }
        let mut files = files.into_iter();
        raw.redirects.push(Redirect {
            operator: operator.clone(),
            file: files.next().unwrap_or_default(),
        });
        raw.words.extend(files);
    }
    raw
}

/// Where commands begin in a text, as far as that can be seen without a grammar.
pub(super) fn heads(text: &str) -> Vec<usize> {
    let head = |command: Scanned| {
        let (first, assigned) = command.own_words();
        let words = command.words.get(first..)?;
        words
            .get(assigned)
            .or(words.first())
            .map(|(start, _)| *start)
    };
    scanned(text).into_iter().filter_map(head).collect()
}

impl Scanned {
    /// How many words the grammar of the shell takes for itself, and how many
    /// assignments follow.
    fn own_words(&self) -> (usize, usize) {
        let mut first = 0;
        while let Some((_, word)) = self.words.get(first) {
            match word.as_str() {
                word if KEYWORDS.contains(&word) => first += 1,
                "function" => first += 2,
                // What follows is a name and a list, and no command.
                "for" | "case" | "select" => return (self.words.len(), 0),
                _ => break,
            }
        }
        let rest = self.words.get(first..).unwrap_or_default();
        let assigned = rest
            .iter()
            .take_while(|(_, word)| is_assignment(word))
            .count();
        (first, assigned)
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit())
    })
}

struct Scanned {
    /// With their places.
    words: Vec<(usize, String)>,
    redirects: Vec<(String, String)>,
    given: Option<String>,
    /// The bodies of here-documents in which the shell works out substitutions.
    bodies: Vec<String>,
    piped: bool,
}

/// A here-document whose body begins on the next line.
struct Document {
    command: usize,
    end: String,
    quoted: bool,
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    words: Vec<(usize, String)>,
    redirects: Vec<(String, String)>,
    waiting: Vec<Document>,
    /// The redirection whose file comes next.
    awaited: Option<String>,
    commands: Vec<Scanned>,
    piped: bool,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn run(&mut self) {
        while let Some(c) = self.peek() {
            match c {
                '\n' => {
                    self.at += 1;
                    self.end(false);
                    self.bodies();
                }
                ' ' | '\t' | '\r' => self.at += 1,
                ';' | '(' | ')' => {
                    self.at += 1;
                    self.end(false);
                }
                '&' if self.text[self.at..].starts_with("&>") => {
                    self.at += 2;
                    self.awaited = Some("&>".into());
                }
                '&' => {
                    self.at += 1;
                    self.end(false);
                }
                '|' => {
                    self.at += 1;
                    let pipe = self.peek() != Some('|');
                    if !pipe || self.peek() == Some('&') {
                        self.at += 1;
                    }
                    self.end(pipe);
                }
                '<' | '>' if !self.text[self.at + 1..].starts_with('(') => self.redirection(),
                '#' => {
                    let rest = &self.text[self.at..];
                    self.at += rest.find('\n').unwrap_or(rest.len());
                }
                _ => self.word(),
            }
        }
        self.end(false);
    }

    fn word(&mut self) {
        let start = self.at;
        self.at = word_end(self.text, start);
        let word = self.text.get(start..self.at).unwrap_or_default().to_owned();
        match self.awaited.take() {
            Some(operator) if operator == "<<" => {
                let quotes = ['\'', '"', '\\'];
                self.waiting.push(Document {
                    command: self.commands.len(),
                    end: word.trim_start_matches('-').replace(quotes, ""),
                    quoted: word.contains(quotes),
                });
            }
            Some(operator) => self.redirects.push((operator, word)),
            None => self.words.push((start, word)),
        }
    }

    fn redirection(&mut self) {
        let rest = &self.text[self.at..];
        let operator = ["<<<", "<<-", "<<", "<&", "<>", ">>", ">&", ">|", "<", ">"]
            .into_iter()
            .find(|operator| rest.starts_with(operator))
            .unwrap_or(">");
        self.at += operator.len();
        // A number before it is the number of the open file.
        if self
            .words
            .last()
            .is_some_and(|(_, word)| word.bytes().all(|byte| byte.is_ascii_digit()))
        {
            self.words.pop();
        }
        self.awaited = Some(match operator {
            "<<-" => "<<".into(),
            other => other.to_owned(),
        });
    }

    fn end(&mut self, pipe: bool) {
        self.awaited = None;
        let words = std::mem::take(&mut self.words);
        let redirects = std::mem::take(&mut self.redirects);
        if !words.is_empty() || !redirects.is_empty() {
            self.commands.push(Scanned {
                words,
                redirects,
                given: None,
                bodies: Vec::new(),
                piped: self.piped,
            });
        }
        self.piped = pipe;
    }

    /// The bodies of the here-documents that were opened on the line before.
    fn bodies(&mut self) {
        for document in std::mem::take(&mut self.waiting) {
            let mut body = String::new();
            while self.at < self.text.len() {
                let rest = &self.text[self.at..];
                let line = rest.split('\n').next().unwrap_or_default();
                self.at += (line.len() + 1).min(rest.len());
                if line.trim_start_matches('\t') == document.end {
                    break;
                }
                body.push_str(line);
                body.push('\n');
            }
            if let Some(command) = self.commands.get_mut(document.command) {
                if !document.quoted {
                    command.bodies.push(body.clone());
                }
                command.given = Some(body);
            }
        }
    }
}

/// Where the word that begins at a place ends. Always behind that place.
fn word_end(text: &str, start: usize) -> usize {
    let mut chars = text[start..].char_indices();
    let mut depth = 0usize;
    let mut quote: Option<char> = None;
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some('\''), '\'') => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => {
                chars.next();
            }
            (Some('"'), '"') => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (Some('`'), '`') => quote = None,
            (None, '`') => quote = Some(c),
            (_, '(') if depth > 0 || text[..start + at].ends_with(['$', '<', '>']) => depth += 1,
            (_, ')') if depth > 0 => depth -= 1,
            (None, c) if depth == 0 && at > 0 && (c.is_whitespace() || ";&|()".contains(c)) => {
                return start + at;
            }
            (None, '<' | '>')
                if depth == 0 && at > 0 && !text[start + at + 1..].starts_with('(') =>
            {
                return start + at;
            }
            _ => {}
        }
    }
    text.len()
}

/// Whether a single quote keeps the shell from looking further.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Matter,
    Ignored,
}

/// The commands inside of `$(…)`, backticks, `<(…)` and `>(…)` of a word.
fn substitutions(word: &str, quotes: Quotes) -> Vec<String> {
    const MAX: usize = 16;
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = word.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = &word[at..];
        if quotes == Quotes::Matter && c == '\'' && !word[..at].contains('"') {
            let end = rest[1..].find('\'').map_or(rest.len(), |end| end + 2);
            at += end;
        } else if rest.starts_with("$(") || rest.starts_with("<(") || rest.starts_with(">(") {
            let end = word_end(rest, 0);
            let inner = rest.get(2..end).unwrap_or_default();
            found.push(inner.trim_end_matches(['"', ')']).to_owned());
            at += 2;
        } else if c == '`' {
            let end = closing_backtick(rest);
            let inner = rest.get(1..end).unwrap_or_default();
            let inner = inner.strip_suffix('`').unwrap_or(inner);
            found.push(inner.replace("\\`", "`").replace("\\\\", "\\"));
            at += end;
        } else {
            at += c.len_utf8();
        }
        if found.len() >= MAX {
            break;
        }
    }
    found
}

/// Behind the backtick that closes the first one.
fn closing_backtick(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'`' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// `f(){ f|f& };f`, by its letters.
fn is_bomb(text: &str) -> bool {
    let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    bare.match_indices("(){").any(|(at, _)| {
        let name: String = bare[..at]
            .chars()
            .rev()
            .take_while(|c| !";&|(){}".contains(*c))
            .collect();
        let name: String = name.chars().rev().collect();
        !name.is_empty() && bare[at..].contains(&format!("{name}|{name}"))
    })
}
