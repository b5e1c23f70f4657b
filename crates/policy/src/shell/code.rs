//! Programs that run text: shells and interpreters. Where the text comes from,
//! and what can be seen in that of other languages.

use super::argv::Argv;
use super::danger::{is_dangerous_name, lists};
use super::word::{Term, unescape};

pub(super) const SHELLS: &str = "sh bash dash zsh ksh ksh93 mksh ash rbash fish csh tcsh yash osh";

const INTERPRETERS: &str = "python pypy perl ruby node nodejs deno bun php lua luajit tclsh \
     rscript osascript pwsh powershell irb jshell julia groovy scala elixir swift ipython tsx \
     ts-node guile racket raku";

/// Programs that bring what they write from another machine.
const DOWNLOADERS: &str = "curl wget wget2 fetch aria2c lynx w3m links elinks http https xh curlie \
     httpie nc ncat netcat socat ftp tftp lwp-request lwp-download get axel";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    /// The text itself.
    Text(Term),
    /// A file, or something that stands for one.
    File(Term),
    Stdin,
    /// It runs nothing of its own.
    Nothing,
}

pub(super) fn is_shell(name: &str) -> bool {
    lists(SHELLS, name)
}

pub(super) fn is_interpreter(name: &str) -> bool {
    // `python3.12` is a `python`.
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    lists(INTERPRETERS, bare) || lists(INTERPRETERS, name)
}

pub(super) fn downloads(name: &str) -> bool {
    lists(DOWNLOADERS, name)
}

/// Where a shell takes its text from.
pub(super) fn of_shell(argv: Argv<'_>) -> Source {
    let mut words = argv.arguments().iter();
    let mut first = First::File;
    while let Some(term) = words.next() {
        let text = term.text.as_str();
        match text {
            "--" | "-" => break,
            "--rcfile" | "--init-file" | "-o" | "+o" | "-O" | "+O" => {
                words.next();
                continue;
            }
            "--command" => {
                first = First::Text;
                continue;
            }
            "--version" | "--help" => return Source::Nothing,
            _ => {}
        }
        if let Some(code) = text.strip_prefix("--command=") {
            return Source::Text(Term {
                text: code.to_owned(),
                ..term.clone()
            });
        }
        let is_option = text.len() > 1 && text.starts_with(['-', '+']);
        if !is_option {
            return operand(term, first);
        }
        if !text.starts_with("--") {
            if text.contains('c') {
                first = First::Text;
            } else if text.contains('s') && first == First::File {
                first = First::Argument;
            }
            // `-oc pipefail`: the letter takes the next word.
            if text.ends_with('o') {
                words.next();
            }
        }
    }
    match words.next() {
        Some(term) => operand(term, first),
        None => Source::Stdin,
    }
}

/// What the options of a shell make of its first word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    File,
    /// With `-s` it is for the text on the input.
    Argument,
    /// With `-c`.
    Text,
}

fn operand(term: &Term, first: First) -> Source {
    match term.text.as_str() {
        _ if first == First::Text => Source::Text(term.clone()),
        _ if first == First::Argument => Source::Stdin,
        "/dev/stdin" | "/proc/self/fd/0" | "/dev/fd/0" => Source::Stdin,
        _ => Source::File(term.clone()),
    }
}

/// Where an interpreter takes its program from.
pub(super) fn of_interpreter(argv: Argv<'_>) -> Source {
    let name = argv.name();
    let (letters, longs): (&str, &[&str]) =
        match name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
            "python" | "pypy" | "ipython" => ("c", &[]),
            "php" => ("rBE", &["run"]),
            "pwsh" | "powershell" => ("", &["-command", "-c", "-encodedcommand", "-e"]),
            "perl" => ("eE", &[]),
            _ => ("ep", &["eval", "print", "execute"]),
        };
    let mut words = argv.arguments().iter();
    while let Some(term) = words.next() {
        let text = term.text.as_str();
        if text == "eval" && matches!(name.as_ref(), "deno" | "bun") {
            return words.next().cloned().map_or(Source::Stdin, Source::Text);
        }
        if let Some(long) = text.strip_prefix("--") {
            let (long, value) = long
                .split_once('=')
                .map_or((long, None), |(l, v)| (l, Some(v)));
            if longs.contains(&long) {
                return match value {
                    Some(code) => Source::Text(Term {
                        text: code.to_owned(),
                        ..term.clone()
                    }),
                    None => words.next().cloned().map_or(Source::Stdin, Source::Text),
                };
            }
            continue;
        }
        if longs.contains(&text.to_ascii_lowercase().as_str()) {
            return words.next().cloned().map_or(Source::Stdin, Source::Text);
        }
        match text.strip_prefix('-') {
            Some("") => return Source::Stdin,
            Some(option)
                if matches!(name.as_ref(), "python" | "python3" | "python2")
                    && option.starts_with('m') =>
            {
                return Source::Nothing;
            }
            // `-MFile::Path`, `-rfileutils`: a name, and no letters.
            Some(option) if names_module(&name, option) => {
                if option.len() == 1 {
                    words.next();
                }
            }
            Some(option) => {
                if let Some(at) = option.find(|c| letters.contains(c)) {
                    let rest = &option[at + 1..];
                    if rest.is_empty() {
                        return words.next().cloned().map_or(Source::Stdin, Source::Text);
                    }
                    return Source::Text(Term {
                        text: rest.to_owned(),
                        ..term.clone()
                    });
                }
                if matches!(option, "W" | "X" | "I" | "r" | "M" | "Q") {
                    words.next();
                }
            }
            None => return operand(term, First::File),
        }
    }
    Source::Stdin
}

/// Whether an option says what to load first or where from.
fn names_module(name: &str, option: &str) -> bool {
    match name {
        "perl" => option.starts_with(['M', 'm', 'I']),
        "ruby" => option.starts_with(['r', 'I']),
        _ => false,
    }
}

/// Strings in a program of another language that may be commands: those which
/// name a dangerous program.
pub(super) fn suspicious_strings(program: &str) -> Vec<String> {
    const MAX: usize = 16;
    let mut found = Vec::new();
    let mut rest = program;
    while let Some(start) = rest.find(['"', '\'', '`']) {
        let Some(quote) = rest[start..].chars().next() else {
            break;
        };
        let body = &rest[start + 1..];
        let end = closing(body, quote);
        let text = unescape(body.get(..end).unwrap_or(body));
        if names_danger(&text) && found.len() < MAX {
            found.push(text);
        }
        rest = body.get(end + 1..).unwrap_or_default();
    }
    // `qx(rm x)`, `%x{rm x}`: brackets instead of quotes.
    if found.is_empty() && names_danger_by_word(program) && program.contains(['(', '{', '[']) {
        let inside = program
            .split(['(', ')', '{', '}', '[', ']'])
            .filter(|part| names_danger(part))
            .take(MAX);
        found.extend(inside.map(str::to_owned));
    }
    found
}

fn closing(body: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in body.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at,
            _ => {}
        }
    }
    body.len()
}

/// Whether a dangerous program stands where a command could begin.
fn names_danger(text: &str) -> bool {
    text.split(|c: char| c.is_whitespace() || ";|&()$".contains(c))
        .any(is_dangerous_name)
        || (text.contains("git ") && (text.contains("--hard") || text.contains("--force")))
        || text.contains("| sh")
        || text.contains("|sh")
        || text.contains("| bash")
}

fn names_danger_by_word(text: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'))
        .any(is_dangerous_name)
}

/// Whether a program makes copies of itself without end.
pub(super) fn forks_forever(program: &str) -> bool {
    program.contains("fork")
        && (program.contains("while") || program.contains("for(;;)") || program.contains("loop"))
}

/// What a command writes, where that stands in the line: `echo`, `printf`, and
/// `cat` of a text that it is given.
pub(super) fn written(argv: Argv<'_>, given: Option<&str>) -> Option<String> {
    let known = argv.arguments().iter().all(|term| !term.open);
    match argv.name().as_ref() {
        "echo" if known => {
            let words: Vec<&str> = argv
                .texts()
                .skip_while(|text| matches!(*text, "-n" | "-e" | "-E" | "-ne" | "-en"))
                .collect();
            Some(with_escapes(&words.join(" ")))
        }
        "printf" if known => {
            let words: Vec<&str> = argv.texts().skip_while(|text| *text == "--").collect();
            let (format, values) = words.split_first()?;
            Some(with_escapes(&filled(format, values)))
        }
        "cat" | "tee"
            if argv.operands("").iter().all(|term| term.text == "-") || argv.name() == "tee" =>
        {
            given.map(str::to_owned)
        }
        _ => None,
    }
}

/// Shells differ in whether `echo` reads escapes: both readings count.
fn with_escapes(text: &str) -> String {
    let read = unescape(text);
    if read == text {
        return read;
    }
    format!("{text}\n{read}")
}

fn filled(format: &str, values: &[&str]) -> String {
    const ROUNDS: usize = 64;
    let mut values = values.iter();
    let mut text = String::new();
    for _ in 0..ROUNDS {
        let mut used = false;
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            if c != '%' {
                text.push(c);
                continue;
            }
            match chars
                .by_ref()
                .find(|c| c.is_ascii_alphabetic() || *c == '%')
            {
                Some('%') => text.push('%'),
                Some(_) => {
                    used = true;
                    text.push_str(values.next().copied().unwrap_or_default());
                }
                None => {}
            }
        }
        if !used || values.len() == 0 {
            break;
        }
    }
    text
}
