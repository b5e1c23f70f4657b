//! What the words of a command say of the files that it reads. Of most programs
//! that is only a guess, good enough to find what is denied. Of those in
//! `readers` it can be certain, and only then may a built-in rule allow them. Of
//! more, in `room`, it is certain enough where the sandbox holds them to it.

use crate::guard::{is_any_file, word_names_secret};
use crate::readers::{Operands, Reader, Takes, reader_of};
use crate::room::{self, Role, Shown};
use crate::script::{Deed, Script, Simple, Word};

/// A longer path could be cut differently by the system than by us.
const MAX_PATH: usize = 1024;

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// The roles of all words, where the program and every option are known. The
/// word in doubt otherwise; none where the program is not known at all.
fn certain_roles<'a>(argv: &[&'a str]) -> Result<Vec<Role>, Option<&'a str>> {
    let reader = argv
        .first()
        .and_then(|program| reader_of(program))
        .ok_or(None)?;
    match reader.operands {
        Operands::Text => return text_roles(argv),
        Operands::Expression => return expression_roles(argv),
        _ => {}
    }
    let mut roles = vec![Role::Program];
    let mut ended = false;
    let mut pattern_given = reader.operands != Operands::PatternThenPaths;
    let mut operands = 0;
    let mut words = argv.iter().skip(1);
    while let Some(&word) = words.next() {
        if ended || !is_option(word) {
            let role = operand_role(reader, word, operands, pattern_given).ok_or(Some(word))?;
            pattern_given = true;
            operands += 1;
            roles.push(role);
            continue;
        }
        // Behind the first operand it is an option for some, a file for others.
        if operands > 0 && reader.operands == Operands::PatternThenPaths {
            return Err(Some(word));
        }
        if word == "--" {
            ended = true;
            roles.push(Role::Other);
            continue;
        }
        let takes = reader.option(word).ok_or(Some(word))?;
        roles.push(Role::Option);
        pattern_given |= matches!(takes, Takes::Own('e') | Takes::Next('e'));
        if matches!(takes, Takes::Next(_)) {
            words.next().ok_or(Some(word))?;
            roles.push(Role::Other);
        }
    }
    Ok(roles)
}

/// `None` where an operand makes more of the program than a reader.
fn operand_role(reader: &Reader, word: &str, before: usize, pattern_given: bool) -> Option<Role> {
    match reader.operands {
        Operands::PatternThenPaths if !pattern_given => Some(Role::Other),
        _ if word == "-" => Some(Role::Other),
        Operands::OnePath if before > 0 => None,
        Operands::Format => word.starts_with('+').then_some(Role::Other),
        Operands::Other | Operands::Text | Operands::Expression => Some(Role::Other),
        _ => Some(Role::Path),
    }
}

/// `echo` and `printf`; the latter can set a variable, by an option or by `%n`,
/// and the name of a variable may be code.
fn text_roles<'a>(argv: &[&'a str]) -> Result<Vec<Role>, Option<&'a str>> {
    if argv.first() == Some(&"printf") {
        let format = match argv {
            [_, "--", format, ..] => Some(*format),
            [_, first, ..] if first.starts_with('-') => return Err(Some(first)),
            [_, first, ..] => Some(*first),
            _ => None,
        };
        if let Some(format) = format.filter(|format| !only_prints(format)) {
            return Err(Some(format));
        }
    }
    let others = std::iter::repeat_n(Role::Other, argv.len().saturating_sub(1));
    Ok(std::iter::once(Role::Program).chain(others).collect())
}

/// Whether every conversion of a format only prints. `%n` sets a variable, and
/// what is not listed may do as much.
pub(crate) fn only_prints(format: &str) -> bool {
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            continue;
        }
        while chars
            .next_if(|c| "-+ #0.".contains(*c) || c.is_ascii_digit())
            .is_some()
        {}
        if !chars.next().is_some_and(|c| "%sdiuxXocbqfeEgG".contains(c)) {
            return false;
        }
    }
    true
}

/// `test` looks only whether files are there, which is newer, and compares. Its
/// `-v` and `-R` evaluate a subscript, which may be code: what is not listed is
/// a doubt.
fn expression_roles<'a>(argv: &[&'a str]) -> Result<Vec<Role>, Option<&'a str>> {
    let is_file_test = |word: &str| {
        matches!(
            word,
            "-a" | "-b"
                | "-c"
                | "-d"
                | "-e"
                | "-f"
                | "-g"
                | "-h"
                | "-k"
                | "-L"
                | "-p"
                | "-r"
                | "-s"
                | "-S"
                | "-u"
                | "-w"
                | "-x"
                | "-G"
                | "-O"
                | "-N"
        )
    };
    let compares_files = |word: &str| matches!(word, "-nt" | "-ot" | "-ef");
    let compares_numbers =
        |word: &str| matches!(word, "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge");
    let is_number = |word: Option<&&str>| {
        word.is_some_and(|word| {
            !word.is_empty() && word.len() < 19 && word.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let mut roles = vec![Role::Program];
    for (at, word) in argv.iter().copied().enumerate().skip(1) {
        let before = argv.get(at - 1);
        let after = argv.get(at + 1);
        let known = is_file_test(word)
            || compares_files(word)
            || compares_numbers(word)
            || matches!(word, "-n" | "-z" | "-o" | "-t" | "-");
        let evaluates = word.contains(['$', '`']) && word.contains('[');
        let counts = compares_numbers(word) && !(is_number(before) && is_number(after));
        if evaluates || counts || (is_option(word) && !known) {
            return Err(Some(word));
        }
        let path = before.is_some_and(|word| is_file_test(word) || compares_files(word))
            || after.is_some_and(|word| compares_files(word));
        roles.push(if path { Role::Path } else { Role::Other });
    }
    Ok(roles)
}

/// The roles as far as they are known, else the most careful guess: every word
/// that is no option is a path.
fn roles(argv: &[&str]) -> Vec<Role> {
    if let Ok(roles) = certain_roles(argv) {
        return roles;
    }
    if let Ok(reading) = room::reading(argv) {
        return reading.roles;
    }
    let mut ended = false;
    let role = |(at, word): (usize, &&str)| {
        if at == 0 {
            return Role::Program;
        }
        if *word == "-" {
            return Role::Other;
        }
        if ended || !is_option(word) {
            return Role::Path;
        }
        if *word == "--" {
            ended = true;
            return Role::Other;
        }
        Role::Option
    };
    argv.iter().enumerate().map(role).collect()
}

/// The words that may be paths, with their places. A program that looks around
/// where it stands has `.` at the place of its name.
pub(crate) fn path_words<'a>(argv: &[&'a str]) -> Vec<(usize, &'a str)> {
    let roles = roles(argv);
    let looks_here = looks_here(argv) && !roles.contains(&Role::Path);
    let mut found: Vec<(usize, &str)> = argv
        .iter()
        .copied()
        .zip(roles)
        .enumerate()
        .filter_map(|(at, (word, role))| match role {
            Role::Path => Some((at, word)),
            Role::Option => carried_path(word).map(|path| (at, path)),
            Role::Program | Role::Other => None,
        })
        .collect();
    if looks_here {
        found.push((0, "."));
    }
    found
}

/// Whether the program looks around where it stands when no word says where.
fn looks_here(argv: &[&str]) -> bool {
    match certain_roles(argv) {
        Ok(_) => argv
            .first()
            .and_then(|program| reader_of(program))
            .is_some_and(|reader| reader.operands == Operands::PathsOrHere),
        Err(_) => room::reading(argv).is_ok_and(|reading| reading.looks_here),
    }
}

/// Where a command would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ground {
    /// Where it can do what its user can.
    Bare,
    /// Where it can write nothing, reach nobody and see no secrets.
    Room,
}

/// Whether a command reads as far as its ground asks for; the word in doubt
/// otherwise, or none where the program is not known.
fn proven<'a>(argv: &[&'a str], ground: Ground) -> Result<(), Option<&'a str>> {
    let narrow = match certain_roles(argv) {
        Ok(_) => return Ok(()),
        Err(word) => word,
    };
    if ground == Ground::Bare {
        return Err(narrow);
    }
    match room::reading(argv) {
        Ok(_) => Ok(()),
        Err(word) => Err(word.or(narrow)),
    }
}

/// Whether a command shows what is in files that none of its words names.
pub(crate) fn shows_trees(command: &Simple) -> bool {
    let argv = command.argv();
    certain_roles(&argv).is_err()
        && room::reading(&argv).is_ok_and(|reading| reading.shown == Shown::Tree)
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

/// The words that name a file which holds secrets. `ls` shows names only, and a
/// pattern such as `process.env` is no file.
pub(crate) fn secret_words(script: &Script) -> Vec<String> {
    let Some(commands) = script.exact() else {
        let mut words = script.loose_words();
        words.retain(|word| word_names_secret(word));
        return words;
    };
    let of_part = |(part, command): (usize, &Simple)| {
        let mut words = secret_words_of(command);
        // What it stands for was looked up: each of those files is judged.
        words.retain(|word| !(is_any_file(word) && script.is_resolved(part, word)));
        words
    };
    commands.iter().enumerate().flat_map(of_part).collect()
}

pub(crate) fn secret_words_of(command: &Simple) -> Vec<String> {
    let argv = command.argv();
    if argv.first() == Some(&"ls") {
        return Vec::new();
    }
    // All files of a folder, shown to whoever asked: a secret may be among them.
    let shows = argv.first().is_some_and(|name| reader_of(name).is_some());
    command
        .words
        .iter()
        .zip(roles(&argv))
        .filter(|(word, role)| {
            let any = shows && word.expands && is_any_file(&word.text);
            *role != Role::Other && (any || word_names_secret(&word.text))
        })
        .map(|(word, _)| word.text.clone())
        .collect()
}

impl Script {
    /// Whether it is proved that all commands of this line only read. It says
    /// nothing of whether they may: that is decided elsewhere.
    #[must_use]
    pub fn only_reads(&self) -> bool {
        self.exact().is_some_and(|parts| {
            !parts.is_empty()
                && (0..parts.len()).all(|part| doubt(self, part, Ground::Bare).is_none())
        })
    }

    /// Whether a command of this line shows what is in files that none of its words
    /// names.
    #[must_use]
    pub fn shows_trees(&self) -> bool {
        self.exact().unwrap_or_default().iter().any(shows_trees)
    }

    /// Whether it is proved that this command of [`crate::Commands::Exact`]
    /// changes nothing, whatever it may read.
    #[must_use]
    pub fn changes_nothing(&self, part: usize) -> bool {
        let Some(command) = self.exact().and_then(|commands| commands.get(part)) else {
            return false;
        };
        let mut targets = self.observed_of(part);
        self.foreign.is_empty()
            && command.expanding_word().is_none()
            && certain_roles(&command.argv()).is_ok()
            && targets.all(|(target, _)| target.deed == Deed::Read)
    }
}

/// A word that the shell makes another of. In the middle, `~` is only a sign, as
/// in a revision of git: it is a home at the start and behind `=` and `:`.
fn becomes_another(word: &Word) -> Option<&str> {
    let text = word.text.as_str();
    let is_sign = |(at, _): (usize, &str)| {
        let before = text.get(..at).unwrap_or_default();
        !before.is_empty() && !before.ends_with(['=', ':'])
    };
    let is_plain = !text.contains(['*', '?', '[']) && text.match_indices('~').all(is_sign);
    (word.expands && !is_plain).then_some(text)
}

/// Why it is not certain that a command of [`crate::Commands::Exact`] reads the
/// targets found of it and nothing else. `None` proves it, as far as its ground
/// asks for.
pub(crate) fn doubt(script: &Script, part: usize, ground: Ground) -> Option<String> {
    let command = script.exact()?.get(part)?;
    let argv = command.argv();
    let program = *argv.first()?;
    if let Some(foreign) = script.foreign.first() {
        let (name, path) = (&foreign.name, &foreign.path);
        return Some(format!(
            "`{name}` is {path} here, and a command could have written that file"
        ));
    }
    match proven(&argv, ground) {
        Ok(()) => {}
        Err(None) => {
            return Some(format!(
                "Tenon doesn't know `{program}` as a command that only \
             reads"
            ));
        }
        Err(Some(word)) => {
            return Some(format!("with `{word}`, {program} may do more than read"));
        }
    }
    let expanding = match ground {
        Ground::Bare => command.expanding_word(),
        Ground::Room => {
            let mut others = command.words.iter().filter_map(becomes_another);
            others.find(|word| !script.is_resolved(part, word))
        }
    };
    if let Some(word) = expanding {
        return Some(format!(
            "the shell expands `{word}`, so {program} may read other files"
        ));
    }
    for (target, fact) in script.observed_of(part) {
        let path = &target.path;
        if target.deed != Deed::Read {
            return Some(format!("{program} would change `{path}`"));
        }
        // Links are followed before `..` goes up, so that the letters can lie.
        let unclear = !target.certain
            || path.starts_with('~')
            || path.len() > MAX_PATH
            || path.split('/').any(|part| part == "..");
        if unclear {
            return Some(format!(
                "{program} would read `{path}`, which may lead out of the project"
            ));
        }
        if fact.is_none_or(|fact| fact.path.len() > MAX_PATH) {
            return Some(format!("Tenon has not checked what {program} would read"));
        }
    }
    None
}
