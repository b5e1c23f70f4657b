//! What a command line says, as far as it is certain.
//!
//! Two walks with opposite duties. The strict one proves: it yields commands only
//! where every word is what it looks like, and says "unknown" of all else. The
//! permissive one finds: it sees commands everywhere, also where they are only
//! text that becomes code. The first may serve to allow, the second only to ask,
//! confirm or deny.

use crate::{PathFact, programs, shell};
use tenon_vocab::Class;

/// A command line as it was read. Nothing in it was looked up outside of the text
/// until [`Script::with_facts`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    pub text: String,
    /// The strict walk: proof.
    pub commands: Commands,
    /// The permissive walk: every command found at any depth, with what wrappers
    /// run beside the wrappers themselves. Never proves that a line is safe.
    pub found: Vec<Simple>,
    /// What is dangerous by the text alone, worst first.
    pub dangers: Vec<Danger>,
    /// Files that the line names, and what would be done with them.
    pub targets: Vec<Target>,
    /// One for each target and in their order. Empty until somebody has looked.
    pub(crate) facts: Vec<PathFact>,
    /// Programs of the line that the project could have put in the place of the
    /// system's. Empty until somebody has looked.
    pub(crate) foreign: Vec<Foreign>,
    /// Whether `found` may lack something, so that rules which deny must also
    /// look at the bare words.
    pub(crate) sight: Sight,
    pub(crate) stay: Stay,
    /// Patterns for names of files of which somebody has looked up what they
    /// stand for, each with its part of [`Commands::Exact`].
    pub(crate) resolved: Vec<(usize, String)>,
}

/// How long what a line starts may go on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Stay {
    /// Until its call ends.
    #[default]
    Call,
    /// Beside the session.
    Session,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Commands {
    /// These commands and nothing else, never empty.
    Exact(Vec<Simple>),
    /// Why the line is not certain. Never matches a rule that allows by pattern.
    Unknown(String),
}

/// Whether the permissive walk saw the whole line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    Whole,
    /// The grammar stumbled, or something runs that is not written out.
    Partial,
}

/// One program with its words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Simple {
    pub words: Vec<Word>,
    /// `NAME=value` before the program, as written.
    pub assignments: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Word {
    pub text: String,
    /// Whether the shell may make another word, or several, of it.
    pub expands: bool,
}

impl Simple {
    #[must_use]
    pub fn argv(&self) -> Vec<&str> {
        self.words.iter().map(|word| word.text.as_str()).collect()
    }

    /// The last path component of the first word; empty where there is none.
    #[must_use]
    pub fn program(&self) -> &str {
        self.words.first().map_or("", |word| {
            word.text.rsplit('/').next().unwrap_or(&word.text)
        })
    }

    /// The first word that the shell may turn into other words.
    pub(crate) fn expanding_word(&self) -> Option<&str> {
        let word = self.words.iter().find(|word| word.expands)?;
        Some(&word.text)
    }

    /// Whether a word is an option, or could become one: a file may be named
    /// `--output=x`, and `*` finds it.
    pub(crate) fn may_be_option(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| {
            word.text.starts_with('-') || (word.expands && word.text.starts_with(['*', '?', '[']))
        })
    }
}

/// Something in the line that must not pass unseen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Danger {
    /// `HardDeny`, `Confirm` or `Ask`.
    pub class: Class,
    /// One sentence: "`rm` deletes files".
    pub what: String,
    /// The command found, as text.
    pub piece: String,
}

/// A program, or a file that is run before it, where a command may write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// The name in the line, or the variable that names the file.
    pub name: String,
    pub path: String,
}

impl Foreign {
    #[must_use]
    pub fn new(name: &str, path: &str) -> Self {
        Self {
            name: name.to_owned(),
            path: path.to_owned(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Deed {
    Read,
    Overwrite,
    Append,
    Delete,
    Move,
    /// Its content or its attributes, in place: `sed -i`, `truncate`, `chmod`.
    Change,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    /// As the shell would get it, joined with a literal `cd DIR` before it.
    pub path: String,
    pub deed: Deed,
    /// False for globs and variables and behind `cd $X`: such a one counts as
    /// existing, and as anywhere.
    pub certain: bool,
    /// Whether it would be certain but for a plain pattern in its last name
    /// (`src/*.rs`), so that the files it stands for can be looked up.
    pub pattern: bool,
    /// Which command of [`Commands::Exact`] it belongs to.
    pub part: usize,
}

/// Reads a command line for the shell. Pure; of a text that is too long to be
/// read it only says so.
#[must_use]
pub fn analyse(text: &str) -> Script {
    shell::analyse(text)
}

impl Script {
    /// The one command of a line that is certainly nothing but that.
    #[must_use]
    pub fn single(&self) -> Option<&Simple> {
        match &self.commands {
            Commands::Exact(commands) => match commands.as_slice() {
                [one] => Some(one),
                _ => None,
            },
            Commands::Unknown(_) => None,
        }
    }

    /// The commands, where they are certain.
    #[must_use]
    pub fn exact(&self) -> Option<&[Simple]> {
        match &self.commands {
            Commands::Exact(commands) => Some(commands),
            Commands::Unknown(_) => None,
        }
    }

    /// The same with the files that its patterns stand for in their place, where
    /// a command reads them. `matches` gives `None` where that is not certain. To
    /// be done before [`Self::with_facts`].
    #[must_use]
    pub fn with_matches(mut self, matches: impl Fn(&str) -> Option<Vec<String>>) -> Self {
        let mut targets = Vec::with_capacity(self.targets.len());
        for target in std::mem::take(&mut self.targets) {
            let reads = target.pattern && target.deed == Deed::Read;
            match reads.then(|| matches(&target.path)).flatten() {
                None => targets.push(target),
                Some(files) => {
                    self.resolved.push((target.part, target.path.clone()));
                    // The shell leaves a pattern as it is where nothing fits it.
                    let none = files.is_empty().then(|| target.path.clone());
                    targets.extend(files.into_iter().chain(none).map(|path| Target {
                        path,
                        certain: true,
                        pattern: false,
                        ..target.clone()
                    }));
                }
            }
        }
        self.targets = targets;
        self
    }

    /// Whether it was looked up which files a word of a command stands for.
    pub(crate) fn is_resolved(&self, part: usize, word: &str) -> bool {
        let ends_so = |path: &str| {
            path.strip_suffix(word.trim_start_matches("./"))
                .is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
        };
        let mut resolved = self.resolved.iter();
        resolved.any(|(of, path)| *of == part && ends_so(path))
    }

    /// The same with what was found of its targets, one for each and in order. A
    /// list of another length counts as nobody having looked.
    #[must_use]
    pub fn with_facts(mut self, facts: Vec<PathFact>) -> Self {
        self.facts = if facts.len() == self.targets.len() {
            facts
        } else {
            Vec::new()
        };
        self
    }

    /// The same with the programs that could be the project's.
    #[must_use]
    pub fn with_foreign(mut self, foreign: Vec<Foreign>) -> Self {
        self.foreign = foreign;
        self
    }

    /// The same of a line that is started to go on beside the session.
    #[must_use]
    pub fn in_background(mut self) -> Self {
        self.stay = Stay::Session;
        self
    }

    /// The names of programs that the shell would look for in `PATH`, where it
    /// matters which they are: for what may run unasked, and git. With the shell.
    #[must_use]
    pub fn looked_up(&self) -> Vec<&str> {
        programs::looked_up(self)
    }

    /// Whether a command of the line goes to another folder.
    #[must_use]
    pub fn goes_elsewhere(&self) -> bool {
        let goes = |command: &Simple| matches!(command.program(), "cd" | "pushd" | "popd");
        self.found.iter().any(goes)
    }

    #[must_use]
    pub fn facts(&self) -> &[PathFact] {
        &self.facts
    }

    pub fn observed(&self) -> impl Iterator<Item = (&Target, Option<&PathFact>)> {
        self.targets
            .iter()
            .enumerate()
            .map(|(at, target)| (target, self.facts.get(at)))
    }

    /// The targets of one command of [`Commands::Exact`].
    pub fn observed_of(&self, part: usize) -> impl Iterator<Item = (&Target, Option<&PathFact>)> {
        self.observed()
            .filter(move |(target, _)| target.part == part)
    }

    /// All dangers: those of the text and those that follow from what was found
    /// of the targets, worst first. Before anybody has looked, every target
    /// counts as existing.
    #[must_use]
    pub fn verdicts(&self) -> Vec<Danger> {
        shell::verdicts(self)
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
