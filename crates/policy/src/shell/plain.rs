//! The plain part of the shell language, read by hand: words, quotes, the
//! operators that only join commands, groups and conditions, and redirections
//! that write nowhere.
//!
//! Refuses everything else and says why. The strict walk believes the grammar
//! only where this reading agrees with it, word for word: neither may allow
//! alone.

use super::place::is_connection;
use std::ops::Range;

/// First words after which the shell does something other than run a program.
const RESERVED: &[&str] = &[
    "do", "done", "case", "esac", "while", "until", "for", "in", "select", "function", "coproc",
    "[[", "]]",
];

/// Variables that change how a program talks and nothing else. Never those that
/// name a file, a program or a library.
const SAFE_VARIABLES: &[&str] = &[
    "LANG",
    "LANGUAGE",
    "TZ",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CI",
    "TERM",
    "COLUMNS",
    "LINES",
    "RUST_BACKTRACE",
    "CARGO_TERM_COLOR",
    "PYTHONUNBUFFERED",
    "DEBIAN_FRONTEND",
    "GIT_TERMINAL_PROMPT",
];

#[derive(Debug, Default)]
pub(super) struct PlainCommand {
    pub words: Vec<PlainWord>,
    pub assignments: Vec<String>,
    /// Where its words stand, with assignments and the files of redirections.
    pub ranges: Vec<Range<usize>>,
}

/// One word: its text, where it stands, whether anything in it was quoted, and
/// whether anything that was not is for the shell to expand.
#[derive(Debug, Default, Clone)]
pub(super) struct PlainWord {
    pub text: String,
    pub range: Range<usize>,
    pub expands: bool,
    quoted: bool,
    started: bool,
    /// How much of the text came before the first quote or escape.
    bare: usize,
}

impl PlainWord {
    fn push(&mut self, c: char) {
        self.text.push(c);
        self.started = true;
        if !self.quoted {
            self.bare = self.text.len();
        }
    }

    fn quote(&mut self) {
        self.quoted = true;
        self.started = true;
    }
}

/// What the next word is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pending {
    Word,
    /// Only `/dev/null` will do.
    Sink,
    Source,
    /// What the command reads, as text.
    Text,
    /// Only a number of an open file will do.
    Descriptor,
}

/// Whether the line may end here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Anything,
    /// Behind `&&`, `||` and `|` a command must follow.
    Operator,
}

/// What holds several commands together, and is not closed yet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Subshell,
    Group,
    If,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    commands: Vec<PlainCommand>,
    command: PlainCommand,
    word: PlainWord,
    pending: Pending,
    before: Before,
    open: Vec<Open>,
    /// Whether the last of these has ended, and nothing has come since that
    /// begins another command.
    closed: bool,
}

type Refusal = String;

/// The commands of a plain line, or why it is none.
pub(super) fn read(text: &str) -> Result<Vec<PlainCommand>, Refusal> {
    let mut reader = Reader {
        text,
        at: 0,
        commands: Vec::new(),
        command: PlainCommand::default(),
        word: PlainWord::default(),
        pending: Pending::Word,
        before: Before::Anything,
        open: Vec::new(),
        closed: false,
    };
    while let Some(c) = reader.next() {
        reader.step(c)?;
        if reader.word.started {
            reader.word.range.end = reader.at;
        }
    }
    reader.end_word()?;
    reader.end_command(Before::Anything)?;
    if reader.before == Before::Operator {
        return Err("the command at the end is missing".into());
    }
    if !reader.open.is_empty() {
        return Err("a group of commands is not closed".into());
    }
    if reader.commands.is_empty() {
        return Err("it is empty".into());
    }
    Ok(reader.commands)
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn step(&mut self, c: char) -> Result<(), Refusal> {
        if !self.word.started {
            self.word.range.start = self.at - c.len_utf8();
        }
        match c {
            ' ' | '\t' => self.end_word(),
            '\'' => self.single_quoted(),
            '"' => self.double_quoted(),
            '\\' => match self.next() {
                None | Some('\n') => Err("it uses a line continuation".into()),
                Some(escaped) => {
                    self.word.quote();
                    self.word.push(literal(escaped)?);
                    Ok(())
                }
            },
            '#' if !self.word.started => Err("it has a comment".into()),
            '\n' => {
                self.end_word()?;
                // A command that an operator waits for may stand on the next line.
                let is_empty = self.command.words.is_empty() && !self.closed;
                if is_empty && self.pending == Pending::Word {
                    return if self.command.assignments.is_empty() {
                        Ok(())
                    } else {
                        Err("it sets a variable".into())
                    };
                }
                self.end_command(Before::Anything)
            }
            ';' | '&' | '|' => self.operator(c),
            '<' | '>' => self.redirection(c),
            '(' if self.is_at_start() && self.peek() != Some('(') => self.begin(Open::Subshell),
            '{' if self.is_at_start() && self.is_before(" \t\n") => self.begin(Open::Group),
            ')' => {
                self.end_word()?;
                self.end_group(Open::Subshell)
            }
            '}' if self.is_at_start() && self.is_before(" \t\n;&|)") => self.end_group(Open::Group),
            '!' if self.is_at_start() && self.is_before(" \t") => {
                self.before = Before::Operator;
                Ok(())
            }
            // An operand of `test` or `find`.
            '!' if !self.word.started
                && !self.command.words.is_empty()
                && self.is_before(" \t=") =>
            {
                self.word.push(c);
                Ok(())
            }
            '(' | '{' | '}' | '$' | '`' | '!' => Err(format!("it uses `{c}`")),
            '\r' => Err("it has a control character".into()),
            // What counts as blank outside ASCII depends on the locale.
            c if c.is_whitespace() => Err("it has an unusual space character".into()),
            c => {
                self.word.expands |= matches!(c, '*' | '?' | '[' | '~');
                self.word.push(literal(c)?);
                Ok(())
            }
        }
    }

    fn operator(&mut self, c: char) -> Result<(), Refusal> {
        if c == '&' && self.peek() == Some('>') {
            self.end_word()?;
            self.at += 1;
            self.take('>');
            return self.expect(Pending::Sink);
        }
        self.end_word()?;
        let before = match c {
            '&' if self.take('&') => Before::Operator,
            '&' => return Err("it uses `&`".into()),
            '|' if self.take('|') => Before::Operator,
            '|' if self.peek() == Some('&') => return Err("it uses `|&`".into()),
            '|' => Before::Operator,
            _ if matches!(self.peek(), Some(';' | '&')) => return Err("it uses `;;`".into()),
            _ => Before::Anything,
        };
        if self.command.words.is_empty() && !self.closed {
            return Err("a command is missing before an operator".into());
        }
        self.end_command(before)
    }

    fn redirection(&mut self, c: char) -> Result<(), Refusal> {
        // `2>` is one thing only where nothing stands between.
        let number = self.word.started
            && !self.word.quoted
            && self.word.text.bytes().all(|byte| byte.is_ascii_digit());
        if number {
            self.word = PlainWord::default();
        } else {
            self.end_word()?;
        }
        if c == '<'
            && !number
            && self
                .text
                .get(self.at..)
                .is_some_and(|rest| rest.starts_with("<<"))
        {
            self.at += 2;
            return self.expect(Pending::Text);
        }
        let pending = match (c, self.peek()) {
            ('<', Some('<' | '>' | '&' | '(')) => return Err("it uses `<` in a special way".into()),
            ('<', _) if number => return Err("it opens a file by number".into()),
            ('<', _) => Pending::Source,
            (_, Some('(')) => return Err("it uses `>(`".into()),
            (_, Some('&')) => {
                self.at += 1;
                Pending::Descriptor
            }
            (_, Some('>' | '|')) => {
                self.at += 1;
                Pending::Sink
            }
            _ => Pending::Sink,
        };
        self.expect(pending)
    }

    fn expect(&mut self, pending: Pending) -> Result<(), Refusal> {
        if self.pending != Pending::Word {
            return Err("a redirection has no file".into());
        }
        self.pending = pending;
        Ok(())
    }

    fn end_word(&mut self) -> Result<(), Refusal> {
        if !self.word.started {
            return Ok(());
        }
        let mut word = std::mem::take(&mut self.word);
        // A bracket alone is no pattern.
        if word.text == "[" {
            word.expands = false;
        }
        if !word.quoted && is_foreign_home(&word.text) {
            return Err(format!("it uses `{}`", word.text));
        }
        match std::mem::replace(&mut self.pending, Pending::Word) {
            Pending::Word => return self.keep(word),
            Pending::Sink if word.text == "/dev/null" => {}
            Pending::Sink => return Err("it writes to a file".into()),
            Pending::Descriptor if matches!(word.text.as_str(), "1" | "2") && !word.quoted => {}
            Pending::Descriptor => return Err("it uses `>&`".into()),
            // The shell opens no file there but a connection.
            Pending::Source if is_connection(&word.text) => {
                return Err("it opens a connection to another machine".into());
            }
            Pending::Source if word.expands => {
                return Err("which file it reads only shows when it runs".into());
            }
            Pending::Text if word.expands => return Err("it uses a special text as input".into()),
            Pending::Source | Pending::Text => {}
        }
        self.command.ranges.push(word.range);
        Ok(())
    }

    fn keep(&mut self, word: PlainWord) -> Result<(), Refusal> {
        if self.closed {
            return Err("a group of commands has words behind it".into());
        }
        if self.command.words.is_empty() {
            if self.command.ranges.is_empty() && !word.quoted && self.is_condition(&word.text)? {
                return Ok(());
            }
            if let Some(name) = assigned_name(&word) {
                if !is_safe_assignment(name, &word) {
                    return Err(format!("it sets the variable `{name}`"));
                }
                self.command.ranges.push(word.range);
                self.command.assignments.push(word.text);
                return Ok(());
            }
            check_head(&word)?;
        }
        self.command.ranges.push(word.range.clone());
        self.command.words.push(word);
        Ok(())
    }

    fn end_command(&mut self, before: Before) -> Result<(), Refusal> {
        if self.pending != Pending::Word {
            return Err("a redirection has no file".into());
        }
        let command = std::mem::take(&mut self.command);
        if std::mem::take(&mut self.closed) {
            // What a group as a whole is sent to, or reads.
            if let Some(last) = self.commands.last_mut() {
                last.ranges.extend(command.ranges);
            }
            self.before = before;
            return Ok(());
        }
        if command.words.is_empty() {
            if command.ranges.is_empty() {
                return Ok(());
            }
            return Err("it sets a variable or opens a file without running anything".into());
        }
        self.commands.push(command);
        self.before = before;
        Ok(())
    }

    /// Whether the next word would be the name of a command.
    fn is_at_start(&self) -> bool {
        !self.word.started
            && !self.closed
            && self.pending == Pending::Word
            && self.command.words.is_empty()
            && self.command.ranges.is_empty()
    }

    /// Whether the line ends here or goes on with one of these.
    fn is_before(&self, next: &str) -> bool {
        self.peek().is_none_or(|c| next.contains(c))
    }

    fn begin(&mut self, open: Open) -> Result<(), Refusal> {
        self.open.push(open);
        self.before = Before::Operator;
        Ok(())
    }

    fn end_group(&mut self, open: Open) -> Result<(), Refusal> {
        self.end_command(Before::Anything)?;
        if self.before == Before::Operator || self.open.pop() != Some(open) {
            return Err("a group of commands is not complete".into());
        }
        self.closed = true;
        Ok(())
    }

    /// Takes a word of `if … then … fi`, where a command could stand.
    fn is_condition(&mut self, word: &str) -> Result<bool, Refusal> {
        match word {
            "if" => self.begin(Open::If)?,
            "then" | "else" | "elif" => {
                let fits = self.open.last() == Some(&Open::If) && self.before == Before::Anything;
                if !fits {
                    return Err("a condition is not complete".into());
                }
                self.before = Before::Operator;
            }
            "fi" => self.end_group(Open::If)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn single_quoted(&mut self) -> Result<(), Refusal> {
        self.word.quote();
        while let Some(c) = self.next() {
            if c == '\'' {
                return Ok(());
            }
            self.word.push(literal(c)?);
        }
        Err("a quote isn't closed".into())
    }

    fn double_quoted(&mut self) -> Result<(), Refusal> {
        self.word.quote();
        while let Some(c) = self.next() {
            match c {
                '"' => return Ok(()),
                '$' | '`' => return Err(format!("it uses `{c}`")),
                '\\' => match self.next() {
                    Some(escaped @ ('$' | '`' | '"' | '\\')) => self.word.push(escaped),
                    Some('\n') => return Err("it uses a line continuation".into()),
                    Some(other) => {
                        self.word.push('\\');
                        self.word.push(literal(other)?);
                    }
                    None => break,
                },
                c => self.word.push(literal(c)?),
            }
        }
        Err("a quote isn't closed".into())
    }
}

fn literal(c: char) -> Result<char, Refusal> {
    if c.is_control() && c != '\n' && c != '\t' {
        return Err("it has a control character".into());
    }
    Ok(c)
}

fn is_foreign_home(text: &str) -> bool {
    text.starts_with('~') && text != "~" && !text.starts_with("~/")
}

fn check_head(head: &PlainWord) -> Result<(), Refusal> {
    if head.text.is_empty() {
        return Err("the command's name is empty".into());
    }
    if !head.quoted && RESERVED.contains(&head.text.as_str()) {
        return Err(format!("it uses `{}`", head.text));
    }
    if head.text != "[" && head.text.contains(['*', '?', '[', '%', '~']) {
        return Err("the command's name only shows when it runs".into());
    }
    if head.text.contains('=') {
        return Err("it sets a variable".into());
    }
    Ok(())
}

/// The name in `NAME=value`, where the shell takes the word as an assignment.
fn assigned_name(word: &PlainWord) -> Option<&str> {
    let (name, _) = word.text.get(..word.bare)?.split_once('=')?;
    let first = name.chars().next()?;
    let fits = (first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    fits.then_some(name)
}

/// Whether an assignment before a command changes nothing that matters. A locale
/// may be a path, and a time zone a file: neither may lead out of its folder.
pub(super) fn is_safe_variable(name: &str, value: &str) -> bool {
    if !(SAFE_VARIABLES.contains(&name) || name.starts_with("LC_")) {
        return false;
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "._@-+,:".contains(c);
    let zone = |c: char| plain(c) || c == '/';
    if name == "TZ" {
        return value.chars().all(zone) && !value.starts_with(['/', ':']) && !value.contains("..");
    }
    value.chars().all(plain)
}

fn is_safe_assignment(name: &str, word: &PlainWord) -> bool {
    let value = word.text.get(name.len() + 1..).unwrap_or_default();
    !word.expands && is_safe_variable(name, value)
}
