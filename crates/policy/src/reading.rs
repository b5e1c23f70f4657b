//! What the words of a command say of the files that it reads. Of most programs
//! that is only a guess, good enough to find what is denied. Of `cat`, `grep` and
//! `ls` it can be certain, and only then may a built-in rule allow them.

use crate::Script;
use crate::guard::word_names_secret;

/// What a word is to the program that gets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Program,
    Option,
    /// Known not to be a path: a pattern, a number, the end of the options.
    Other,
    Path,
}

/// A longer path could be cut differently by the system than by us.
const MAX_PATH: usize = 1024;

const GREP_PLAIN: &str = "EFGPivwxyclLoqsbHhnTZzUaI0123456789";
const GREP_LONG: &[&str] = &[
    "--extended-regexp",
    "--fixed-strings",
    "--basic-regexp",
    "--perl-regexp",
    "--ignore-case",
    "--no-ignore-case",
    "--invert-match",
    "--word-regexp",
    "--line-regexp",
    "--count",
    "--color",
    "--colour",
    "--files-with-matches",
    "--files-without-match",
    "--only-matching",
    "--quiet",
    "--silent",
    "--no-messages",
    "--byte-offset",
    "--with-filename",
    "--no-filename",
    "--line-number",
    "--initial-tab",
    "--null",
    "--text",
    "--help",
    "--version",
];
const GREP_VALUED: &[&str] = &[
    "--color",
    "--colour",
    "--regexp",
    "--max-count",
    "--context",
    "--after-context",
    "--before-context",
];
const CAT_LONG: &[&str] = &[
    "--show-all",
    "--number",
    "--number-nonblank",
    "--show-ends",
    "--show-tabs",
    "--show-nonprinting",
    "--squeeze-blank",
    "--help",
    "--version",
];
/// `ls` shows names only, so that going down is harmless.
const LS_LONG: &[&str] = &[
    "--all",
    "--almost-all",
    "--recursive",
    "--reverse",
    "--human-readable",
    "--size",
    "--inode",
    "--directory",
    "--classify",
    "--file-type",
    "--group-directories-first",
    "--full-time",
    "--no-group",
    "--numeric-uid-gid",
    "--color",
    "--help",
    "--version",
];
const LS_VALUED: &[&str] = &["--color", "--sort", "--time", "--format", "--time-style"];

/// What one option of grep takes with it.
enum Takes {
    Nothing,
    /// The pattern, in the same word.
    Pattern,
    NextNumber,
    NextPattern,
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

fn is_listed(word: &str, plain: &[&str], valued: &[&str]) -> bool {
    match word.split_once('=') {
        Some((name, _)) => valued.contains(&name),
        None => plain.contains(&word),
    }
}

/// `None` for an option that is not known to be harmless.
fn grep_option(word: &str) -> Option<Takes> {
    if word.starts_with("--") {
        let takes = if word.starts_with("--regexp=") {
            Takes::Pattern
        } else {
            Takes::Nothing
        };
        return is_listed(word, GREP_LONG, GREP_VALUED).then_some(takes);
    }
    let letters = word.get(1..)?;
    for (at, letter) in letters.char_indices() {
        let last = at + letter.len_utf8() == letters.len();
        match letter {
            'e' if last => return Some(Takes::NextPattern),
            'e' => return Some(Takes::Pattern),
            'm' | 'A' | 'B' | 'C' if last => return Some(Takes::NextNumber),
            'm' | 'A' | 'B' | 'C' => return Some(Takes::Nothing),
            letter if GREP_PLAIN.contains(letter) => {}
            _ => return None,
        }
    }
    Some(Takes::Nothing)
}

fn is_harmless(program: &str, word: &str) -> bool {
    let long = word.starts_with("--");
    match program {
        "grep" => grep_option(word).is_some(),
        "cat" if long => is_listed(word, CAT_LONG, &[]),
        "ls" if long => is_listed(word, LS_LONG, LS_VALUED),
        "cat" | "ls" => word.chars().skip(1).all(|c| c.is_ascii_alphanumeric()),
        _ => false,
    }
}

/// The places of grep's patterns and numbers, in order. None at all where an option is not
/// known or stands behind the first file: who reads what is then not certain.
fn grep_others(argv: &[String]) -> Vec<usize> {
    let mut others = Vec::new();
    let mut pattern_given = false;
    let mut at = 1;
    while let Some(word) = argv.get(at).filter(|word| is_option(word)) {
        at += 1;
        if word == "--" {
            if !pattern_given {
                others.push(at);
            }
            return others;
        }
        match grep_option(word) {
            None => return Vec::new(),
            Some(Takes::Nothing) => {}
            Some(Takes::Pattern) => pattern_given = true,
            Some(takes) => {
                pattern_given |= matches!(takes, Takes::NextPattern);
                others.push(at);
                at += 1;
            }
        }
    }
    if argv.iter().skip(at).any(|word| is_option(word)) {
        return Vec::new();
    }
    if !pattern_given {
        others.push(at);
    }
    others
}

fn roles(argv: &[String]) -> Vec<Role> {
    let others = match argv.first().map(String::as_str) {
        Some("grep") => grep_others(argv),
        _ => Vec::new(),
    };
    let mut ended = false;
    let role = |(at, word): (usize, &String)| {
        if at == 0 {
            return Role::Program;
        }
        if others.binary_search(&at).is_ok() || word == "-" {
            return Role::Other;
        }
        if ended || !is_option(word) {
            return Role::Path;
        }
        if word == "--" {
            ended = true;
            return Role::Other;
        }
        Role::Option
    };
    argv.iter().enumerate().map(role).collect()
}

pub(crate) fn path_words(argv: &[String]) -> Vec<&str> {
    argv.iter()
        .zip(roles(argv))
        .filter_map(|(word, role)| match role {
            Role::Path => Some(word.as_str()),
            Role::Option => carried_path(word),
            Role::Program | Role::Other => None,
        })
        .collect()
}

/// The path in `--file=a/b` or `-Ia/b`, where it looks like one.
fn carried_path(option: &str) -> Option<&str> {
    let value = match option.split_once('=') {
        Some((_, value)) => value,
        None if option.starts_with("--") => return None,
        None => option.get(2..)?,
    };
    value.contains(['/', '.']).then_some(value)
}

/// Whether a command names a file that holds secrets. `ls` shows names only, and
/// a pattern such as `process.env` is no file.
pub(crate) fn names_secret(script: &Script) -> bool {
    match script.argv() {
        Some([head, ..]) if head == "ls" => false,
        Some(argv) => argv
            .iter()
            .zip(roles(argv))
            .any(|(word, role)| role != Role::Other && word_names_secret(word)),
        None => script
            .loose_words()
            .iter()
            .any(|word| word_names_secret(word)),
    }
}

/// Why it is not certain that a command reads the paths found of it and nothing
/// else. `None` proves it, for `cat`, `grep` and `ls` only.
pub(crate) fn doubt(script: &Script) -> Option<String> {
    let argv = script.argv()?;
    let program = argv.first()?;
    if let Some(word) = script.expanding_word() {
        return Some(format!(
            "the shell decides which files `{word}` stands for, and so what {program} reads"
        ));
    }
    let options = argv.iter().zip(roles(argv));
    let mut unknown =
        options.filter(|(word, role)| *role == Role::Option && !is_harmless(program, word));
    if let Some((word, _)) = unknown.next() {
        return Some(format!(
            "with `{word}` {program} may read more than it names"
        ));
    }
    let words = path_words(argv);
    // Links are followed before `..` goes up, so that the letters can lie.
    let unclear = |word: &&&str| {
        word.starts_with('~') || word.len() > MAX_PATH || word.split('/').any(|part| part == "..")
    };
    if let Some(word) = words.iter().find(unclear) {
        return Some(format!(
            "{program} would read `{word}`, which may lead elsewhere"
        ));
    }
    let seen = script.paths.len() == words.len()
        && script.paths.iter().all(|fact| fact.path.len() <= MAX_PATH);
    (!seen).then(|| format!("nobody has looked at what {program} would read"))
}
