//! Which command lines only read, where the sandbox holds them to it: nothing can
//! be written, nobody can be reached, and secrets of the project are hidden. The
//! kernel answers for what a command does; what is read here is which files it
//! names, so that those outside of the project are asked about as ever.

mod git;
mod row;
mod scripts;
mod table;

use row::{Row, lists};
use std::collections::HashMap;
use std::sync::LazyLock;

/// What a word is to the program that gets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Program,
    Option,
    /// Known not to be a path: a pattern, a number, the end of the options.
    Other,
    Path,
}

/// How much of the files a command shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// That they are there.
    Names,
    /// What is in those that it names.
    Files,
    /// What is in files that it finds.
    Tree,
}

/// The words of a command, understood.
#[derive(Debug)]
pub(crate) struct Reading {
    /// One for each word.
    pub roles: Vec<Role>,
    pub shown: Shown,
    /// Whether it looks around where it stands.
    pub looks_here: bool,
}

impl Reading {
    /// Words of which none is a file.
    fn told(words: usize) -> Self {
        Self {
            roles: vec![Role::Other; words],
            shown: Shown::Names,
            looks_here: false,
        }
    }
}

/// Programs that tell which version they are.
const VERSIONED: &str = "python python3 node deno bun npm pnpm yarn ruby perl php java javac rustc \
    rustup cargo clang gcc g++ cc make cmake ninja meson git docker podman kubectl \
    helm terraform jq rg fd tmux vim nvim gh uv poetry pip pip3 tsc eslint prettier ghc swift dotnet \
    gradle mvn sqlite3 psql openssl curl wget tar zip unzip sed gawk awk grep find tree";

static BY_NAME: LazyLock<HashMap<&str, &Row>> = LazyLock::new(|| {
    let named = |row: &'static Row| {
        row.names
            .split_ascii_whitespace()
            .map(move |name| (name, row))
    };
    table::ROWS.iter().flat_map(named).collect()
});

/// What each word is, where the program and all of its options are known. The
/// word in doubt otherwise; none where the program is not known at all.
pub(crate) fn reading<'a>(argv: &[&'a str]) -> Result<Reading, Option<&'a str>> {
    let (program, words) = argv.split_first().ok_or(None)?;
    if tells_version(program, words) {
        return Ok(with_program(Reading::told(words.len())));
    }
    let found = match *program {
        "find" => scripts::find(words),
        "sed" => scripts::sed(words),
        "awk" | "gawk" | "mawk" | "nawk" => scripts::awk(words),
        "jq" => scripts::jq(words),
        "git" => git::read(words),
        "go" => go(words),
        "strings" => strings(words),
        name => match BY_NAME.get(name) {
            Some(row) => row.read(words),
            None => told_by(name, words).ok_or(None)?,
        },
    };
    found.map(with_program).map_err(Some)
}

fn with_program(mut found: Reading) -> Reading {
    found.roles.insert(0, Role::Program);
    found
}

/// Whether a program is only asked which one it is, and looks at nothing else.
pub(crate) fn tells_version(program: &str, words: &[&str]) -> bool {
    let asks = match words {
        ["--version"] => true,
        ["-V"] => matches!(program, "python" | "python3" | "rustc" | "cargo"),
        ["-v"] => matches!(program, "node" | "npm" | "pnpm" | "yarn"),
        ["-version"] => matches!(program, "java" | "javac"),
        _ => false,
    };
    asks && lists(VERSIONED, program)
}

/// A subcommand of a build tool. `None` where the tool is not known.
fn told_by<'a>(program: &str, words: &[&'a str]) -> Option<Result<Reading, &'a str>> {
    let mut rows = table::TOLD
        .iter()
        .filter(|(name, _)| *name == program)
        .peekable();
    rows.peek()?;
    let (verb, rest) = words.split_first()?;
    let Some((_, row)) = rows.find(|(_, row)| lists(row.names, verb)) else {
        return Some(Err(verb));
    };
    Some(row.read(rest).map(|mut found| {
        found.roles.insert(0, Role::Other);
        found
    }))
}

/// A word such as `@file` stands for the words in that file.
fn strings<'a>(words: &[&'a str]) -> Result<Reading, &'a str> {
    match words.iter().find(|word| word.starts_with('@')) {
        Some(word) => Err(word),
        None => table::STRINGS.read(words),
    }
}

/// `go` writes its options with one dash.
fn go<'a>(words: &[&'a str]) -> Result<Reading, &'a str> {
    const LIST: &str = "-m -json -deps -test -e -find -compiled -versions -retracted";
    const ENV: &str = "-json -changed";
    let (verb, rest) = words.split_first().ok_or("go")?;
    let options = match *verb {
        "list" => LIST,
        "env" => ENV,
        "version" => "-m -v",
        _ => return Err(verb),
    };
    let mut found = Reading::told(1);
    let mut rest = rest.iter().copied();
    while let Some(word) = rest.next() {
        let is_format = word == "-f" && *verb == "list";
        if word.starts_with('-') && !is_format && !lists(options, word) {
            return Err(word);
        }
        let is_option = word.starts_with('-') || *verb == "env";
        found
            .roles
            .push(if is_option { Role::Other } else { Role::Path });
        if is_format {
            rest.next().ok_or(word)?;
            found.roles.push(Role::Other);
        }
    }
    Ok(found)
}
