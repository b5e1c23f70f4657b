//! One row of the tables: a program, or a subcommand, with the options that leave
//! it a reader, and what its other words are. How the words are cut follows
//! `getopt`: options may stand behind operands, and short ones in clusters.

use super::{Reading, Role, Shown};

/// What the words are that are no options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    /// There are none.
    None,
    Paths,
    /// Paths; the folder where the command stands if there is none.
    PathsOrHere,
    /// At most one path: a second one would be written.
    OnePath,
    /// Names, numbers, text: no paths.
    Text,
    /// A pattern first, unless an option gave it, then paths.
    PatternThenPaths,
    /// Paths or names, but only beside an option of `Row::lists`: without one
    /// they would be made.
    Listed,
}

#[derive(Debug)]
pub(super) struct Row {
    pub names: &'static str,
    /// Short options without a value.
    pub flags: &'static str,
    /// Short options whose value is in the same word, or that have none.
    pub own: &'static str,
    /// Short options with a value, in the same word or the next, that is no path.
    pub valued: &'static str,
    /// Short options whose value is a path, in the next word.
    pub paths: &'static str,
    /// Long options, alone or with a value behind `=` that is no path.
    pub long: &'static str,
    /// Long options whose value may also be the next word, and is no path.
    pub long_valued: &'static str,
    /// Long options whose next word is a path.
    pub long_paths: &'static str,
    pub words: Words,
    pub shown: Shown,
    /// Options, with their dashes, that make it go through whole folders.
    pub deep: &'static str,
    /// Options, with their dashes, beside which operands are only looked for.
    pub lists: &'static str,
}

pub(super) const fn row(names: &'static str, words: Words, shown: Shown) -> Row {
    Row {
        names,
        flags: "",
        own: "",
        valued: "",
        paths: "",
        long: "",
        long_valued: "",
        long_paths: "",
        words,
        shown,
        deep: "",
        lists: "",
    }
}

/// What an option takes along.
enum Takes {
    Nothing,
    /// The next word: text, or a path.
    Next(Role),
}

pub(super) fn lists(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|entry| entry == word)
}

impl Row {
    /// The words behind the name. The word in doubt otherwise.
    pub(super) fn read<'a>(&self, words: &[&'a str]) -> Result<Reading, &'a str> {
        let mut found = Reading {
            roles: Vec::with_capacity(words.len()),
            shown: self.shown,
            looks_here: false,
        };
        let mut pattern_given = self.words != Words::PatternThenPaths;
        let mut operands = Vec::new();
        let (mut listed, mut ended) = (false, false);
        let mut rest = words.iter().copied();
        while let Some(word) = rest.next() {
            let is_option = !ended && word.len() > 1 && word.starts_with('-');
            if !is_option {
                found.roles.push(match (pattern_given, word) {
                    (false, _) | (_, "-") => Role::Other,
                    _ => self.operand(),
                });
                if pattern_given {
                    operands.push(word);
                }
                pattern_given = true;
                continue;
            }
            found.roles.push(Role::Other);
            if word == "--" {
                ended = true;
                continue;
            }
            let takes = self.option(word).ok_or(word)?;
            pattern_given |= self.gives_pattern(word);
            listed |= self.is_among(self.lists, word);
            if self.is_among(self.deep, word) {
                found.shown = Shown::Tree;
            }
            if let Takes::Next(role) = takes {
                rest.next().ok_or(word)?;
                found.roles.push(role);
            }
        }
        let allowed = match self.words {
            Words::None => 0,
            Words::OnePath => 1,
            Words::Listed if !listed => 0,
            _ => usize::MAX,
        };
        if let Some(word) = operands.get(allowed) {
            return Err(word);
        }
        let goes_through = found.shown != Shown::Files && self.words == Words::PatternThenPaths;
        found.looks_here =
            operands.is_empty() && (self.words == Words::PathsOrHere || goes_through);
        Ok(found)
    }

    fn operand(&self) -> Role {
        match self.words {
            Words::Text => Role::Other,
            _ => Role::Path,
        }
    }

    fn gives_pattern(&self, word: &str) -> bool {
        match word.strip_prefix("--") {
            Some(long) => {
                let name = long.split('=').next().unwrap_or(long);
                // With the last two a program searches for nothing.
                matches!(name, "regexp" | "file" | "files" | "type-list")
            }
            None => self
                .cluster(word)
                .is_some_and(|(_, last)| matches!(last, Some('e' | 'f'))),
        }
    }

    /// Whether an option is in a list, also as a letter of a cluster.
    fn is_among(&self, list: &str, word: &str) -> bool {
        if word.starts_with("--") {
            return lists(list, word.split('=').next().unwrap_or(word));
        }
        let read = self.cluster(word).map_or("", |(letters, _)| letters);
        read.chars().any(|letter| {
            let mut entries = list.split_ascii_whitespace();
            entries.any(|entry| entry.strip_prefix('-') == Some(letter.encode_utf8(&mut [0; 4])))
        })
    }

    fn option(&self, word: &str) -> Option<Takes> {
        if let Some(long) = word.strip_prefix("--") {
            if let Some((name, _)) = long.split_once('=') {
                let known = lists(self.long, name) || lists(self.long_valued, name);
                return known.then_some(Takes::Nothing);
            }
            return match long {
                "help" | "version" => Some(Takes::Nothing),
                _ if lists(self.long, long) => Some(Takes::Nothing),
                _ if lists(self.long_valued, long) => Some(Takes::Next(Role::Other)),
                _ if lists(self.long_paths, long) => Some(Takes::Next(Role::Path)),
                _ => None,
            };
        }
        let (letters, last) = self.cluster(word)?;
        let is_whole = letters.len() + 1 == word.len();
        match last {
            None => Some(Takes::Nothing),
            Some(letter) if self.own.contains(letter) => Some(Takes::Nothing),
            Some(letter) if self.valued.contains(letter) => Some(match is_whole {
                true => Takes::Next(Role::Other),
                false => Takes::Nothing,
            }),
            // A path in the same word would need to be cut out of it.
            Some(_) => is_whole.then_some(Takes::Next(Role::Path)),
        }
    }

    /// The letters of a cluster up to the first that has a value, and that one.
    /// `None` where one is not known.
    fn cluster<'w>(&self, word: &'w str) -> Option<(&'w str, Option<char>)> {
        let letters = word.get(1..)?;
        for (at, letter) in letters.char_indices() {
            let has_value = [self.own, self.valued, self.paths]
                .iter()
                .any(|known| known.contains(letter));
            if has_value {
                return Some((letters.get(..at + letter.len_utf8())?, Some(letter)));
            }
            if !self.flags.contains(letter) {
                return None;
            }
        }
        Some((letters, None))
    }
}
