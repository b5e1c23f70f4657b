//! The commands that an awk program runs: `system(…)`, pipes in and out.

/// One command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AwkRun {
    /// Written out; the flag says that the program feeds it.
    Written { code: String, fed: Fed },
    /// Put together while it runs.
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fed {
    Yes,
    No,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Text(String),
    Name(String),
    Sign(char),
    /// `|` and `|&`, but not `||`.
    Pipe,
}

pub(super) fn runs(program: &str) -> Vec<AwkRun> {
    let tokens = tokens(program);
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Name(name) if name == "system" => {
                let run = match tokens.get(at + 1..at + 4) {
                    Some([Token::Sign('('), Token::Text(code), Token::Sign(')')]) => {
                        AwkRun::Written {
                            code: code.clone(),
                            fed: Fed::No,
                        }
                    }
                    _ => AwkRun::Unknown,
                };
                found.push(run);
            }
            Token::Pipe => {
                let is_getline = |token: &Token| *token == Token::Name(String::from("getline"));
                let (code, fed) = if tokens.get(at + 1).is_some_and(is_getline) {
                    (at.checked_sub(1).and_then(|at| tokens.get(at)), Fed::No)
                } else {
                    (tokens.get(at + 1), Fed::Yes)
                };
                let beside = match fed {
                    Fed::Yes => tokens.get(at + 2),
                    Fed::No => at.checked_sub(2).and_then(|at| tokens.get(at)),
                };
                let alone = !matches!(
                    beside,
                    Some(Token::Text(_) | Token::Name(_) | Token::Sign('$'))
                ) || fed == Fed::No
                    && matches!(beside, Some(Token::Name(name)) if name == "while");
                found.push(match code {
                    Some(Token::Text(code)) if alone => AwkRun::Written {
                        code: code.clone(),
                        fed,
                    },
                    _ => AwkRun::Unknown,
                });
            }
            _ => {}
        }
    }
    found
}

fn tokens(program: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut chars = program.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_whitespace() => {}
            '#' => while chars.next_if(|c| *c != '\n').is_some() {},
            '"' => found.push(Token::Text(until(&mut chars, '"'))),
            '/' if begins_pattern(found.last()) => {
                until(&mut chars, '/');
                found.push(Token::Sign('/'));
            }
            '|' if chars.next_if_eq(&'|').is_some() => found.push(Token::Sign('&')),
            '|' => {
                chars.next_if_eq(&'&');
                found.push(Token::Pipe);
            }
            c if c.is_alphanumeric() || c == '_' => {
                let mut name = String::from(c);
                while let Some(c) = chars.next_if(|c| c.is_alphanumeric() || *c == '_') {
                    name.push(c);
                }
                found.push(Token::Name(name));
            }
            c => found.push(Token::Sign(c)),
        }
    }
    found
}

/// Whether a `/` there begins a pattern and divides nothing.
fn begins_pattern(before: Option<&Token>) -> bool {
    match before {
        None | Some(Token::Pipe) => true,
        Some(Token::Sign(c)) => !matches!(c, ')' | ']' | '/'),
        Some(Token::Name(name)) => matches!(name.as_str(), "return" | "print" | "in"),
        Some(Token::Text(_)) => false,
    }
}

fn until(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, end: char) -> String {
    let mut text = String::new();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some(other) => text.push(other),
                None => {}
            },
            c if c == end => break,
            c => text.push(c),
        }
    }
    text
}
