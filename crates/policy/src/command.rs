//! Patterns of commands, matched word by word and never as substrings.

use crate::script::{Script, Sight, Simple};

/// A pattern such as `git diff *`. A last `*` stands for any further words, also
/// none; elsewhere `*` and `?` match inside of one word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPattern {
    pub text: String,
    tokens: Vec<String>,
    /// Whether further words may follow.
    open: bool,
}

impl CommandPattern {
    /// `None` when the pattern has no words or an open quote.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let mut tokens: Vec<String> = shlex::split(text)?;
        if tokens.iter().any(|token| token.contains('\0')) {
            return None;
        }
        // Operators may stand in a rule that denies (`curl * | sh`): it is
        // searched among loose words, which know none.
        tokens.retain(|token| !matches!(token.as_str(), "|" | "&&" | "||" | ";" | "&"));
        let open = tokens.last().is_some_and(|last| last == "*");
        if open {
            tokens.pop();
        }
        (!tokens.is_empty()).then(|| Self {
            text: text.trim().to_owned(),
            tokens,
            open,
        })
    }

    /// A prefix of words, as M's rules write it: anything may follow.
    pub(crate) fn prefix(text: &str) -> Option<Self> {
        let mut pattern = Self::new(text)?;
        pattern.text = format!("{} *", text.trim().trim_end_matches(" *"));
        pattern.open = true;
        Some(pattern)
    }

    pub(crate) fn is_exact(&self) -> bool {
        !self.open && self.tokens.iter().all(|token| !is_wild(token))
    }

    /// Characters before the first wildcard.
    pub(crate) fn literal_length(&self) -> usize {
        let mut length = 0;
        for token in &self.tokens {
            if let Some(at) = token.find(['*', '?']) {
                return length + at;
            }
            length += token.len() + 1;
        }
        length
    }

    /// Whether it has words that no single plain command can have.
    pub(crate) fn is_compound(text: &str) -> bool {
        text.contains(['|', ';', '&', '<', '>', '`', '$', '\n'])
    }

    /// Whether the pattern allows one certain command: word for word.
    pub(crate) fn allows(&self, command: &Simple) -> bool {
        let argv = command.argv();
        let enough = if self.open {
            argv.len() >= self.tokens.len()
        } else {
            argv.len() == self.tokens.len()
        };
        enough
            && self
                .tokens
                .iter()
                .zip(argv)
                .all(|(token, word)| wildcard(token, word))
    }

    /// Whether one command meets the pattern, to ask, confirm or deny.
    pub(crate) fn meets(&self, command: &Simple) -> bool {
        self.begins(&command.argv())
    }

    /// Whether the pattern is met anywhere in the line, to ask, confirm or deny:
    /// it is a prefix then, and is looked for wherever a command could begin.
    pub(crate) fn is_found_in(&self, script: &Script) -> bool {
        script
            .found
            .iter()
            .any(|command| self.begins(&command.argv()))
            || ((script.sight == Sight::Partial || Self::is_compound(&self.text))
                && self.is_somewhere_in(&script.loose_words()))
    }

    fn is_somewhere_in(&self, words: &[String]) -> bool {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        (0..words.len()).any(|at| self.begins(&words[at..]))
    }

    /// Whether the words begin with this pattern: the program by its last path
    /// component, in any case; options may stand between the other words.
    fn begins(&self, words: &[&str]) -> bool {
        let (Some((head, rest)), Some((program, arguments))) =
            (self.tokens.split_first(), words.split_first())
        else {
            return false;
        };
        let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
        let name = name.strip_suffix(".exe").unwrap_or(name);
        let fits = wildcard(&head.to_ascii_lowercase(), &name.to_ascii_lowercase())
            || wildcard(head, program);
        fits && follows(rest, arguments)
    }
}

/// Whether the tokens come in this order, with only options (and the value that
/// an option may have) between them. A token `*` stands for any words.
///
/// Keeps the set of tokens that may come next instead of trying each way in
/// turn, so that a hostile line costs its length and not a power of it.
pub(crate) fn follows(tokens: &[String], words: &[&str]) -> bool {
    // reached[i]: the first i tokens have been found. The flag says whether the
    // word before was an option, whose value may be passed over.
    let mut reached = vec![false; tokens.len() + 1];
    reached[0] = true;
    let mut after_option = false;
    for word in words {
        close(&mut reached, tokens);
        if reached[tokens.len()] {
            return true;
        }
        let mut next = vec![false; tokens.len() + 1];
        for (at, token) in tokens.iter().enumerate() {
            if !reached[at] {
                continue;
            }
            if token == "*" {
                next[at] = true;
            } else if wildcard(token, word) {
                next[at + 1] = true;
            }
            if word.starts_with('-') || after_option {
                next[at] = true;
            }
        }
        after_option = word.starts_with('-') && !word.contains('=');
        reached = next;
    }
    close(&mut reached, tokens);
    reached[tokens.len()]
}

/// A token `*` also stands for no word at all.
fn close(reached: &mut [bool], tokens: &[String]) {
    for (at, token) in tokens.iter().enumerate() {
        if reached[at] && token == "*" {
            reached[at + 1] = true;
        }
    }
}

fn is_wild(token: &str) -> bool {
    token.contains(['*', '?'])
}

/// `*` for any characters, `?` for one. Linear in practice, quadratic at worst.
pub(crate) fn wildcard(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut at, mut here) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while here < text.len() {
        if at < pattern.len() && pattern[at] == '*' {
            star = Some((at, here));
            at += 1;
        } else if at < pattern.len() && (pattern[at] == '?' || pattern[at] == text[here]) {
            at += 1;
            here += 1;
        } else if let Some((star_at, star_here)) = star {
            at = star_at + 1;
            here = star_here + 1;
            star = Some((star_at, star_here + 1));
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}
