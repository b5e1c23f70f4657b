//! The scripts of sed, as far as they write files and run programs. The commands
//! are read as sed reads them: a name may follow `w` without a blank.

use super::argv::Argv;
use super::word::Term;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SedDeed {
    Write(String),
    /// Text for a shell; empty where it is what the input holds.
    Run(String),
}

/// All scripts of a command, as the one that sed makes of them. `None` where one
/// comes from a file.
pub(super) fn script(argv: Argv<'_>) -> Option<String> {
    let mut scripts: Vec<&str> = Vec::new();
    let mut words = argv.arguments().iter().map(|term| term.text.as_str());
    let mut from_file = false;
    while let Some(word) = words.next() {
        if let Some(long) = word.strip_prefix("--") {
            match long.split_once('=') {
                Some(("expression", text)) => scripts.push(text),
                None if long == "expression" => scripts.extend(words.next()),
                _ => from_file |= long.starts_with("file"),
            }
        } else if let Some(letters) = word.strip_prefix('-') {
            // What follows `i` is an ending.
            let letters = letters.split('i').next().unwrap_or_default();
            if let Some((_, text)) = letters.split_once('e') {
                let text = word.split_once('e').map_or(text, |(_, text)| text);
                match text {
                    "" => scripts.extend(words.next()),
                    text => scripts.push(text),
                }
            }
            from_file |= letters.contains('f');
        }
    }
    if scripts.is_empty() && !from_file {
        let first: Option<&Term> = argv.operands("eflE").into_iter().next();
        scripts.extend(first.map(|term| term.text.as_str()));
    }
    (!scripts.is_empty()).then(|| scripts.join("\n"))
}

/// What the script does beside printing.
pub(super) fn deeds(script: &str) -> Vec<SedDeed> {
    let mut reader = Reader {
        chars: script.chars().peekable(),
        found: Vec::new(),
    };
    reader.run();
    reader.found
}

struct Reader<'a> {
    chars: std::iter::Peekable<std::str::Chars<'a>>,
    found: Vec<SedDeed>,
}

impl Reader<'_> {
    fn run(&mut self) {
        loop {
            self.skip(|c| c.is_whitespace() || matches!(c, ';' | '{' | '}'));
            if self.chars.peek().is_none() {
                return;
            }
            self.addresses();
            let Some(command) = self.chars.next() else {
                return;
            };
            self.command(command);
        }
    }

    fn command(&mut self, command: char) {
        match command {
            's' => self.substitution(),
            'y' => {
                let Some(mark) = self.chars.next() else {
                    return;
                };
                self.until(mark);
                self.until(mark);
            }
            'w' | 'W' => {
                let file = self.line();
                self.found.push(SedDeed::Write(file));
            }
            'e' => {
                let code = self.line();
                self.found.push(SedDeed::Run(code));
            }
            'r' | 'R' | '#' => {
                self.line();
            }
            'a' | 'i' | 'c' => self.text(),
            ':' | 'b' | 't' | 'T' => self.skip(|c| !matches!(c, '\n' | ';' | '}')),
            _ => {}
        }
    }

    fn addresses(&mut self) {
        loop {
            match self.chars.peek() {
                Some('/') => {
                    self.chars.next();
                    self.pattern('/');
                    self.skip(|c| matches!(c, 'I' | 'M'));
                }
                Some('\\') => {
                    self.chars.next();
                    if let Some(mark) = self.chars.next() {
                        self.until(mark);
                    }
                    self.skip(|c| matches!(c, 'I' | 'M'));
                }
                Some(c) if c.is_ascii_digit() || "$,~+! \t".contains(*c) => {
                    self.chars.next();
                }
                _ => return,
            }
        }
    }

    fn substitution(&mut self) {
        let Some(mark) = self.chars.next() else {
            return;
        };
        self.pattern(mark);
        self.until(mark);
        while let Some(flag) = self.chars.next_if(|c| c.is_ascii_alphanumeric()) {
            match flag {
                'w' => {
                    let file = self.line();
                    self.found.push(SedDeed::Write(file));
                    return;
                }
                'e' => self.found.push(SedDeed::Run(String::new())),
                _ => {}
            }
        }
    }

    /// The same of a pattern, where the mark may stand in brackets.
    fn pattern(&mut self, mark: char) {
        while let Some(c) = self.chars.next() {
            match c {
                '\\' => {
                    self.chars.next();
                }
                c if c == mark => return,
                '[' => {
                    self.chars.next_if_eq(&'^');
                    self.chars.next_if_eq(&']');
                    self.skip(|c| !matches!(c, ']' | '\n'));
                }
                _ => {}
            }
        }
    }

    /// Up to the mark, which may stand behind a backslash.
    fn until(&mut self, mark: char) {
        while let Some(c) = self.chars.next() {
            match c {
                '\\' => {
                    self.chars.next();
                }
                c if c == mark => return,
                _ => {}
            }
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        while let Some(c) = self.chars.next_if(|c| *c != '\n') {
            line.push(c);
        }
        line.trim().to_owned()
    }

    /// Text of `a`, `i` and `c`: a line that ends with a backslash goes on.
    fn text(&mut self) {
        while self.line().ends_with('\\') && self.chars.next().is_some() {}
    }

    fn skip(&mut self, accept: impl Fn(char) -> bool) {
        while self.chars.next_if(|c| accept(*c)).is_some() {}
    }
}
