//! Programs that run other programs: what they run, as far as their words tell.
//!
//! For the permissive walk. Where an option is not understood, every later word
//! that could be a dangerous program is taken for one.

use super::argv::Argv;
use super::danger::{is_dangerous_name, lists};
use super::git;
use super::word::Term;
use super::wrappers::{
    CODE_OPTIONS, CODE_VARIABLES, FOLDER_OPTIONS, LISTED, RUNNERS, WRAPPERS, WRAPPING, Wrapper,
};
use crate::readers::reader_of;

/// Something that a command would run.
#[derive(Debug, Clone)]
pub(super) struct Inner {
    pub what: What,
    pub place: Where,
}

#[derive(Debug, Clone)]
pub(super) enum What {
    /// A program with its words.
    Words(Vec<Term>),
    /// Text for a shell.
    Code(Term),
}

/// Where it would run: what it names on another machine is no file of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    Here,
    Elsewhere,
}

pub(super) fn is_wrapper(name: &str) -> bool {
    WRAPPING.contains(name)
}

/// All that this command would run.
pub(super) fn unfold(argv: Argv<'_>) -> Vec<Inner> {
    let name = argv.name();
    let mut found = Vec::new();
    if LISTED.contains(name.as_ref()) {
        found.extend(by_tables(argv, &name));
    }
    found.extend(by_own_grammar(argv, &name));
    found.extend(started(argv, &name));
    if is_wrapper(&name) || lists("export declare typeset readonly local", &name) {
        let held = argv.arguments().iter().filter_map(held_code);
        found.extend(held.map(|term| Inner {
            what: What::Code(term),
            place: Where::Here,
        }));
    }
    found
}

/// The text of `NAME=text` that some program would run for the variable's sake.
pub(super) fn held_code(assignment: &Term) -> Option<Term> {
    let (_, value) = assignment.text.split_once('=')?;
    // `LESSOPEN` begins with a pipe.
    let text = value.trim_start_matches(['|', '-', ' ']);
    (holds_code(&assignment.text) && !text.is_empty()).then(|| Term {
        text: text.to_owned(),
        ..assignment.clone()
    })
}

/// Whether `NAME=…` sets such a variable.
pub(super) fn holds_code(assignment: &str) -> bool {
    let name = assignment.split_once('=').map_or("", |(name, _)| name);
    lists(CODE_VARIABLES, name.trim_end_matches('+'))
}

/// The folder that a wrapper goes to before it runs something.
pub(super) fn folder(argv: Argv<'_>, name: &str) -> Option<Term> {
    FOLDER_OPTIONS
        .iter()
        .filter(|(names, _, _)| lists(names, name))
        .find_map(|(_, short, long)| argv.value_of(*short, long))
}

fn by_tables(argv: Argv<'_>, name: &str) -> Vec<Inner> {
    let mut found = Vec::new();
    let here = |what| Inner {
        what,
        place: Where::Here,
    };
    for wrapper in WRAPPERS {
        if lists(wrapper.names, name) && !only_asks(argv, name) {
            found.extend(behind(argv, wrapper).into_iter().map(What::Words).map(here));
        }
    }
    for (names, subcommands, place) in RUNNERS {
        if lists(names, name) {
            for words in behind_subcommand(argv, subcommands) {
                found.push(Inner {
                    what: What::Words(words),
                    place: *place,
                });
            }
        }
    }
    for (names, short, long) in CODE_OPTIONS {
        if lists(names, name) {
            found.extend(argv.value_of(*short, long).map(What::Code).map(here));
        }
    }
    found
}

fn by_own_grammar(argv: Argv<'_>, name: &str) -> Vec<Inner> {
    let here = |what| Inner {
        what,
        place: Where::Here,
    };
    let code = |term: Term| here(What::Code(term));
    match name {
        "find" | "gfind" | "fd" | "fdfind" => executed_by_find(argv)
            .into_iter()
            .map(What::Words)
            .map(here)
            .collect(),
        "ssh" | "mosh" | "autossh" => behind_host(argv),
        "eval" => vec![code(joined(argv.arguments()))],
        "trap" => argv
            .operands("")
            .first()
            .map(|term| code((*term).clone()))
            .into_iter()
            .collect(),
        "tmux" | "screen" => {
            let texts = argv
                .arguments()
                .iter()
                .filter(|term| term.text.contains(' '));
            let words = likely_program(argv.words, 1).map(|words| joined(&words));
            texts.cloned().chain(words).map(code).collect()
        }
        "watch" | "parallel" => vec![code(joined(&until_colons(argv, name)))],
        // Each word is a command, and so is what its options prepare with.
        "hyperfine" => argv
            .arguments()
            .iter()
            .filter_map(|term| match term.text.strip_prefix("--") {
                Some(long) => long.split_once('=').map(|(_, value)| value),
                None => Some(term.text.trim_start_matches('-')),
            })
            .map(|text| code(Term::literal(text)))
            .collect(),
        "python" | "python2" | "python3" | "pypy" | "pypy3" => {
            let module = argv.words.iter().position(|term| term.text == "-m");
            let words = module.and_then(|at| argv.words.get(at + 1..));
            let words = words.filter(|words| !words.is_empty());
            words
                .map(|words| here(What::Words(words.to_vec())))
                .into_iter()
                .collect()
        }
        "gdb" | "lldb" | "sqlite3" => argv
            .arguments()
            .iter()
            .filter_map(|term| {
                let marks = ["shell ", "!", ".shell ", ".system ", "platform shell "];
                let value = marks.iter().find_map(|mark| term.text.strip_prefix(mark))?;
                Some(code(Term {
                    text: value.to_owned(),
                    ..term.clone()
                }))
            })
            .collect(),
        "git" => git::runs(&argv).into_iter().map(code).collect(),
        "alias" => argv
            .arguments()
            .iter()
            .filter_map(|term| {
                let (_, value) = term.text.split_once('=')?;
                Some(code(Term {
                    text: value.to_owned(),
                    ..term.clone()
                }))
            })
            .collect(),
        "tar" | "bsdtar" => argv
            .arguments()
            .iter()
            .filter_map(|term| {
                let (_, value) = term.text.split_once("exec=")?;
                Some(code(Term {
                    text: value.to_owned(),
                    ..term.clone()
                }))
            })
            .collect(),
        "ssh-copy-id" | "vim" | "vi" | "nvim" | "ex" | "ed" | "view" => argv
            .arguments()
            .iter()
            .filter_map(|term| {
                let (_, value) = term.text.split_once('!')?;
                Some(code(Term {
                    text: value.to_owned(),
                    ..term.clone()
                }))
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Programs that start what they are given, in ways of their own.
fn started(argv: Argv<'_>, name: &str) -> Vec<Inner> {
    let here = |what| Inner {
        what,
        place: Where::Here,
    };
    let code = |term: Term| here(What::Code(term));
    match name {
        "gdb" | "lldb" if argv.texts().any(|text| matches!(text, "--args" | "--")) => {
            let words = argv.words.iter();
            let rest = words.skip_while(|term| !matches!(term.text.as_str(), "--args" | "--"));
            vec![here(What::Words(rest.skip(1).cloned().collect()))]
        }
        "pee" => argv.arguments().iter().cloned().map(code).collect(),
        "socat" => argv
            .texts()
            .filter_map(|text| Some(code(Term::literal(socat_program(text)?))))
            .collect(),
        "expect" => argv
            .value_of(Some('c'), "")
            .iter()
            .flat_map(|term| spawned(&term.text))
            .map(code)
            .collect(),
        name if is_loader(name) => {
            let words = likely_program(argv.words, 1).or_else(|| {
                let at = argv.texts().position(|text| !text.starts_with('-'))?;
                argv.words.get(at + 1..).map(<[Term]>::to_vec)
            });
            words.into_iter().map(What::Words).map(here).collect()
        }
        _ => by_path(argv, name)
            .into_iter()
            .map(What::Words)
            .map(here)
            .collect(),
    }
}

/// What loads and starts the program that it is given.
fn is_loader(name: &str) -> bool {
    ["ld-linux", "ld-musl", "ld.so", "ld64.so", "qemu-"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// Of a program that nobody knows: a dangerous one that is named by its whole
/// path would be started, for what else.
fn by_path(argv: Argv<'_>, name: &str) -> Option<Vec<Term>> {
    const ONLY_TELL: &str = "man which whereis dpkg rpm pacman apt-file ldd nm readelf objdump \
         strings xxd cp install ln rsync scp tar diff git docker podman hash alias";
    if reader_of(name).is_some() || lists(ONLY_TELL, name) {
        return None;
    }
    let at = argv.words.iter().skip(1).position(|term| {
        let folder = term.text.rsplit_once('/').map_or("", |(folder, _)| folder);
        folder.starts_with('/')
            && (folder.ends_with("/bin") || folder.ends_with("/sbin"))
            && is_dangerous_name(&term.text)
    })?;
    argv.words.get(at + 1..).map(<[Term]>::to_vec)
}

/// The program in an address of socat: `EXEC:cmd,options`.
pub(super) fn socat_program(address: &str) -> Option<&str> {
    let (kind, rest) = address.split_once(':')?;
    let runs = ["exec", "system", "shell"]
        .iter()
        .any(|kind_that_runs| kind.eq_ignore_ascii_case(kind_that_runs));
    runs.then(|| rest.split(',').next().unwrap_or(rest))
}

/// The commands that a script of expect starts.
fn spawned(script: &str) -> Vec<Term> {
    let parts = script.split([';', '\n', '{', '}', '[', ']']);
    let starts = ["spawn ", "exec ", "system "];
    parts
        .filter_map(|part| {
            let part = part.trim();
            starts.iter().find_map(|start| part.strip_prefix(start))
        })
        .map(Term::literal)
        .collect()
}

/// The words behind a wrapper's own; more than one reading where it is not clear
/// which are its own.
fn behind(argv: Argv<'_>, wrapper: &Wrapper) -> Vec<Vec<Term>> {
    let words = argv.words;
    let mut at = 1;
    let mut understood = true;
    while let Some(term) = words.get(at) {
        let text = term.text.as_str();
        if text == "--" {
            at += 1;
            break;
        }
        if let Some(long) = text.strip_prefix("--") {
            understood &= long.contains('=') || wrapper.long.contains(&long);
            at += 1 + usize::from(wrapper.long.contains(&long));
        } else if text.len() > 1 && text.starts_with('-') {
            let letters = &text[1..];
            let valued = letters.find(|c| wrapper.valued.contains(c));
            let takes_next = valued.is_some_and(|found| found + 1 == letters.len());
            let flags = letters
                .get(..valued.unwrap_or(letters.len()))
                .unwrap_or_default();
            understood &= flags.chars().all(|c| wrapper.flags.contains(c));
            at += 1 + usize::from(takes_next);
        } else {
            break;
        }
    }
    at += wrapper.skip;
    // Variables may stand before the program: env, sudo.
    while words.get(at).is_some_and(|term| is_assignment(&term.text)) {
        at += 1;
    }
    let rest = words.get(at..).unwrap_or_default();
    let mut found = Vec::new();
    if !rest.is_empty() {
        found.push(rest.to_vec());
    }
    if !understood || rest.is_empty() || rest[0].open {
        found.extend(likely_program(words, 1));
    }
    found
}

/// `command -v rm` says where it is.
fn only_asks(argv: Argv<'_>, name: &str) -> bool {
    name == "command" && matches!(argv.texts().next(), Some("-v" | "-V"))
}

fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// The words from the first one on that could be a program worth a look.
fn likely_program(words: &[Term], from: usize) -> Option<Vec<Term>> {
    let at = words.iter().skip(from).position(|term| {
        let name = term.text.rsplit('/').next().unwrap_or(&term.text);
        is_dangerous_name(name)
            || lists(
                "sh bash zsh dash ksh ash fish git find xargs env sudo tee cp curl wget eval",
                name,
            )
            || is_wrapper(name)
    })?;
    words.get(from + at..).map(<[Term]>::to_vec)
}

/// The words behind a subcommand, in each way in which they could be meant: a
/// container or an image may stand before the program, and values of options.
fn behind_subcommand(argv: Argv<'_>, subcommands: &str) -> Vec<Vec<Term>> {
    const READINGS: usize = 3;
    let words = argv.words;
    let Some(at) = argv.texts().position(|text| lists(subcommands, text)) else {
        return Vec::new();
    };
    let rest = words.get(at + 2..).unwrap_or_default();
    if let Some(dashes) = rest.iter().position(|term| term.text == "--") {
        let behind = rest.get(dashes + 1..).unwrap_or_default();
        return (!behind.is_empty())
            .then(|| behind.to_vec())
            .into_iter()
            .collect();
    }
    let plain = rest
        .iter()
        .enumerate()
        .filter(|(_, term)| !term.text.starts_with('-'))
        .map(|(at, _)| rest[at..].to_vec());
    plain
        .take(READINGS)
        .chain(likely_program(rest, 0))
        .collect()
}

/// `find … -exec CMD ;`, `fd -x CMD`.
fn executed_by_find(argv: Argv<'_>) -> Vec<Vec<Term>> {
    let mut found = Vec::new();
    let mut rest = argv.arguments();
    while let Some(at) = rest.iter().position(|term| {
        matches!(
            term.text.as_str(),
            "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch"
        )
    }) {
        rest = &rest[at + 1..];
        let end = rest
            .iter()
            .position(|term| matches!(term.text.as_str(), ";" | "+"))
            .unwrap_or(rest.len());
        if end > 0 {
            let words = rest[..end]
                .iter()
                .map(|term| match term.text.contains("{}") {
                    true => Term {
                        expands: true,
                        open: true,
                        ..term.clone()
                    },
                    false => term.clone(),
                });
            found.push(words.collect());
        }
        rest = &rest[end..];
    }
    found
}

/// `ssh -p 22 host rm x`: what follows the host is text for a shell there.
fn behind_host(argv: Argv<'_>) -> Vec<Inner> {
    const VALUED: &str = "BbcDEeFIiJLlmOopQRSWw";
    let mut found = Vec::new();
    for option in argv.arguments() {
        if let Some((_, command)) = option.text.split_once("ProxyCommand") {
            let text = command.trim_start_matches(['=', ' ']).to_owned();
            found.push(Inner {
                what: What::Code(Term {
                    text,
                    ..option.clone()
                }),
                place: Where::Here,
            });
        }
    }
    let behind_options = |mut at: usize| {
        while let Some(term) = argv.words.get(at) {
            let text = term.text.as_str();
            if !text.starts_with('-') {
                break;
            }
            let alone = text.len() == 2 && text.chars().all(|c| c == '-' || VALUED.contains(c));
            at += 1 + usize::from(alone && text != "--");
        }
        at
    };
    // Options may stand behind the host as well.
    if let Some(rest) = argv.words.get(behind_options(behind_options(1) + 1)..)
        && !rest.is_empty()
    {
        found.push(Inner {
            what: What::Code(joined(rest)),
            place: Where::Elsewhere,
        });
    }
    found
}

/// The text that `watch` and `parallel` hand to a shell.
fn until_colons(argv: Argv<'_>, name: &str) -> Vec<Term> {
    let valued = if name == "watch" { "n" } else { "jNISPLdCEkX" };
    let Some(first) = argv.operands(valued).first().copied() else {
        return Vec::new();
    };
    argv.arguments()
        .iter()
        .skip_while(|term| !std::ptr::eq(*term, first))
        .take_while(|term| !term.text.starts_with(":::"))
        .cloned()
        .collect()
}

/// Several words as the one text that a shell gets.
pub(super) fn joined(words: &[Term]) -> Term {
    let texts: Vec<&str> = words.iter().map(|term| term.text.as_str()).collect();
    let raws: Vec<&str> = words.iter().map(|term| term.raw.as_str()).collect();
    Term {
        text: texts.join(" "),
        expands: false,
        open: words.iter().any(|term| term.open),
        raw: raws.join(" "),
    }
}
