//! Which files a found command names, and what it would do with them. Of a
//! program that is not known every word may be a file that it reads.

use super::argv::Argv;
use super::code::{self, Source};
use super::place::vital;
use super::word::Term;
use super::{git, unfold};
use crate::reading;
use crate::script::Deed;

/// Whether a deed is for a folder with all that it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sweep {
    One,
    Tree,
}

pub(super) type Touched = (Term, Deed, Sweep);

/// All that the command names.
pub(super) fn of(argv: Argv<'_>) -> Vec<Touched> {
    let name = argv.name();
    if argv.only_informs() {
        return Vec::new();
    }
    let deep = argv.has_short("rR") || argv.has_long(&["recursive"]);
    let sweep = if deep { Sweep::Tree } else { Sweep::One };
    let each = |terms: Vec<&Term>, deed: Deed| -> Vec<Touched> {
        terms
            .into_iter()
            .map(|term| (term.clone(), deed, sweep))
            .collect()
    };
    match name.as_ref() {
        "rm" | "unlink" | "rmdir" | "srm" | "wipe" | "trash" => {
            each(argv.operands(""), Deed::Delete)
        }
        "rimraf" => argv
            .operands("")
            .into_iter()
            .map(|term| (term.clone(), Deed::Delete, Sweep::Tree))
            .collect(),
        "shred" => each(argv.operands("ns"), Deed::Delete),
        "mv" => moved(argv),
        "cp" | "install" | "rsync" | "scp" => copied(argv, &name),
        "ln" => linked(argv),
        "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" => {
            let skip = usize::from(!argv.has_long(&["reference"]));
            each(
                argv.operands("").into_iter().skip(skip).collect(),
                Deed::Change,
            )
        }
        "truncate" => each(argv.operands("sr"), Deed::Change),
        "touch" | "mkdir" | "mkfifo" => each(argv.operands("mdrt"), Deed::Append),
        "tee" if argv.has_short("a") || argv.has_long(&["append"]) => {
            each(argv.operands(""), Deed::Append)
        }
        "tee" | "sponge" => each(argv.operands(""), Deed::Overwrite),
        "dd" => argv.arguments().iter().filter_map(raw_copy).collect(),
        "sed" | "gsed" => edited(argv),
        "perl" | "ruby" if in_place(argv) => {
            each(argv.operands("eE").into_iter().collect(), Deed::Change)
        }
        "awk" | "gawk" | "mawk" => awk_files(argv),
        "curl" => downloaded(
            argv.value_of(Some('o'), "output"),
            argv,
            argv.has_short("O") || argv.has_long(&["remote-name", "remote-name-all"]),
        ),
        "wget" => downloaded(argv.value_of(Some('O'), "output-document"), argv, true),
        "find" | "gfind" => searched(argv),
        "sort" => {
            let mut found = guessed(argv);
            found.extend(
                argv.value_of(Some('o'), "output")
                    .map(|term| (term, Deed::Overwrite, Sweep::One)),
            );
            found
        }
        "uniq" => {
            let mut operands = argv.operands("fsw").into_iter();
            let mut found: Vec<Touched> = Vec::new();
            found.extend(
                operands
                    .next()
                    .map(|term| (term.clone(), Deed::Read, Sweep::One)),
            );
            found.extend(
                operands
                    .next()
                    .map(|term| (term.clone(), Deed::Overwrite, Sweep::One)),
            );
            found
        }
        "git" => by_git(argv),
        // The finder follows them itself.
        "cd" | "pushd" | "popd" => Vec::new(),
        name if code::is_shell(name) => match code::of_shell(argv) {
            Source::File(term) => vec![(term, Deed::Read, Sweep::One)],
            _ => Vec::new(),
        },
        "eval" | "trap" | "alias" | "export" | "declare" | "ssh" | "watch" | "parallel"
        | "hyperfine" => Vec::new(),
        // What they run is looked at for itself.
        name if unfold::is_wrapper(name) => Vec::new(),
        _ => {
            let mut found = guessed(argv);
            let output = archived(argv, &name);
            found.extend(output.map(|term| (term, Deed::Overwrite, Sweep::One)));
            found
        }
    }
}

/// The file that a program makes of others.
fn archived(argv: Argv<'_>, name: &str) -> Option<Term> {
    let operands = || argv.operands("");
    let output = match name {
        "tar" | "bsdtar" | "gtar" => archive_of_tar(argv),
        "zip" => operands().first().map(|term| (*term).clone()),
        "7z" | "7za" => match operands().as_slice() {
            [action, archive, ..] if action.text == "a" => Some((*archive).clone()),
            _ => None,
        },
        "pv" => argv.value_of(Some('o'), "output"),
        _ => None,
    };
    output.filter(|term| term.text != "-")
}

/// `tar cf F`, `tar -czf F`, `tar --create --file=F`.
fn archive_of_tar(argv: Argv<'_>) -> Option<Term> {
    let arguments = argv.arguments();
    let first = arguments.first()?;
    let old = !first.text.starts_with('-');
    let creates = (old && first.text.contains(['c', 'r', 'u']))
        || argv.has_short("cru")
        || argv.has_long(&["create", "append", "update"]);
    if !creates {
        return None;
    }
    if old {
        // The values follow in the order of their letters.
        let before = first.text.split_once('f')?.0;
        let values = before.chars().filter(|c| "bCIT".contains(*c)).count();
        return arguments.get(1 + values).cloned();
    }
    argv.value_of(Some('f'), "file")
}

/// What a program that is not known may read.
fn guessed(argv: Argv<'_>) -> Vec<Touched> {
    let words: Vec<&str> = argv.words.iter().map(|term| term.text.as_str()).collect();
    let mut found: Vec<Touched> = Vec::new();
    for (at, path) in reading::path_words(&words) {
        let term = argv.words.get(at).cloned().unwrap_or_default();
        found.push((
            Term {
                text: path.to_owned(),
                ..term
            },
            Deed::Read,
            Sweep::One,
        ));
    }
    found
}

/// `mv A B`: A goes, and B may be replaced, or a file of the same name in B.
fn moved(argv: Argv<'_>) -> Vec<Touched> {
    let mut found = copied(argv, "mv");
    for (_, deed, sweep) in &mut found {
        if *deed == Deed::Read {
            *deed = Deed::Move;
            *sweep = Sweep::Tree;
        }
    }
    found
}

fn copied(argv: Argv<'_>, name: &str) -> Vec<Touched> {
    let valued = match name {
        "install" => "gmoSt",
        "rsync" => "efBT",
        "scp" => "cFiJloPSX",
        _ => "St",
    };
    let folder = argv
        .value_of(Some('t'), "target-directory")
        .filter(|_| name != "rsync");
    let mut sources = argv.operands(valued);
    if name == "install" && argv.has_short("d") {
        return sources
            .into_iter()
            .map(|term| (term.clone(), Deed::Append, Sweep::One))
            .collect();
    }
    let remote = |term: &Term| matches!(name, "rsync" | "scp") && term.text.contains(':');
    let target = match &folder {
        Some(folder) => Some(folder.clone()),
        None if sources.len() > 1 => sources.pop().cloned(),
        None => None,
    };
    let mut found: Vec<Touched> = sources
        .iter()
        .filter(|term| !remote(term))
        .map(|term| ((*term).clone(), Deed::Read, Sweep::One))
        .collect();
    let Some(target) = target.filter(|term| !remote(term)) else {
        return found;
    };
    let several = folder.is_some()
        || sources.len() > 1
        || target.text.ends_with('/')
        || matches!(target.text.as_str(), "." | "..");
    for source in sources {
        let name = source
            .text
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or_default();
        let inside = Term {
            text: format!("{}/{name}", target.text.trim_end_matches('/')),
            expands: source.expands || target.expands,
            open: source.open || target.open,
            raw: target.raw.clone(),
        };
        // Into a folder: only the file of that name is in danger.
        found.push((inside, Deed::Overwrite, Sweep::One));
    }
    // What the source does not have goes.
    if name == "rsync" && argv.has_long(&["delete", "delete-after", "delete-before"]) {
        found.push((target.clone(), Deed::Delete, Sweep::Tree));
    }
    if !several {
        found.push((target, Deed::Overwrite, Sweep::One));
    }
    found
}

fn linked(argv: Argv<'_>) -> Vec<Touched> {
    let operands = argv.operands("St");
    let forced = argv.has_short("f") || argv.has_long(&["force"]);
    let deed = if forced {
        Deed::Overwrite
    } else {
        Deed::Append
    };
    match operands.as_slice() {
        [_, .., last] => vec![((*last).clone(), deed, Sweep::One)],
        _ => Vec::new(),
    }
}

fn raw_copy(term: &Term) -> Option<Touched> {
    let (key, value) = term.text.split_once('=')?;
    let deed = match key {
        "of" => Deed::Overwrite,
        "if" => Deed::Read,
        _ => return None,
    };
    Some((
        Term {
            text: value.to_owned(),
            ..term.clone()
        },
        deed,
        Sweep::One,
    ))
}

pub(super) fn in_place(argv: Argv<'_>) -> bool {
    argv.arguments().iter().any(|term| {
        let text = term.text.as_str();
        text.starts_with("--in-place")
            || (text.starts_with('-') && !text.starts_with("--") && short_in_place(text))
    })
}

/// `-i`, `-i.bak`, `-ni`, `-pi`; but `-e'…i…'` is a script.
fn short_in_place(text: &str) -> bool {
    let letters = text.trim_start_matches('-');
    let before = letters
        .split(['e', 'f', 'E', 'F', 'I', 'M', 'l', '0'])
        .next()
        .unwrap_or_default();
    before.contains('i')
}

/// The files of sed: changed in place, or read; and those that its script writes.
fn edited(argv: Argv<'_>) -> Vec<Touched> {
    let scripted = argv.has_short("ef") || argv.has_long(&["expression", "file"]);
    let mut operands = argv.operands("eflE").into_iter();
    let mut scripts: Vec<Term> = Vec::new();
    if scripted {
        scripts.extend(argv.value_of(Some('e'), "expression"));
    } else {
        scripts.extend(operands.next().cloned());
    }
    let deed = if in_place(argv) {
        Deed::Change
    } else {
        Deed::Read
    };
    let mut found: Vec<Touched> = operands
        .map(|term| (term.clone(), deed, Sweep::One))
        .collect();
    for script in scripts {
        let written = sed_writes(&script.text);
        found.extend(written.map(|path| (Term::literal(&path), Deed::Overwrite, Sweep::One)));
    }
    found
}

/// The file of sed's `w`, as a command or as a flag.
fn sed_writes(script: &str) -> Option<String> {
    let at = script.match_indices("w ").find(|(at, _)| {
        let before = script[..*at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() || "gpIiMme0123456789".contains(c))
    })?;
    let path = script[at.0 + 2..].split(['\n', ';', '}']).next()?.trim();
    let looks = !path.is_empty() && !path.contains(char::is_whitespace);
    looks.then(|| path.to_owned())
}

/// What awk prints into a file, where the name stands in the program.
fn awk_files(argv: Argv<'_>) -> Vec<Touched> {
    let operands = argv.operands("FvfiE");
    let mut found = Vec::new();
    let Some((program, files)) = operands.split_first() else {
        return found;
    };
    found.extend(
        files
            .iter()
            .map(|term| ((*term).clone(), Deed::Read, Sweep::One)),
    );
    let mut rest = program.text.as_str();
    while let Some((_, after)) = rest.split_once('>') {
        let (deed, after) = match after.strip_prefix('>') {
            Some(after) => (Deed::Append, after),
            None => (Deed::Overwrite, after),
        };
        let name = after.trim_start();
        if let Some(path) = name
            .strip_prefix('"')
            .and_then(|name| name.split('"').next())
        {
            found.push((Term::literal(path), deed, Sweep::One));
        }
        rest = after;
    }
    found
}

fn downloaded(named: Option<Term>, argv: Argv<'_>, by_address: bool) -> Vec<Touched> {
    let mut found = Vec::new();
    match named {
        Some(term) if term.text != "-" => found.push((term, Deed::Overwrite, Sweep::One)),
        Some(_) => {}
        None if by_address => {
            let address = argv.texts().find(|text| text.contains("://"));
            let name = address.and_then(|address| {
                let path = address.split("://").nth(1)?.split(['?', '#']).next()?;
                path.split_once('/')?
                    .1
                    .rsplit('/')
                    .next()
                    .filter(|name| !name.is_empty())
            });
            let term = name.map_or_else(Term::anything, Term::literal);
            found.push((term, Deed::Overwrite, Sweep::One));
        }
        None => {}
    }
    // What is sent is read: `-d @file`, `-F x=@file`, `-T file`.
    for term in argv.arguments() {
        if let Some((before, path)) = term.text.split_once('@')
            && !path.is_empty()
            && (before.is_empty() || before.ends_with('=') || before.starts_with('-'))
        {
            found.push((
                Term {
                    text: path.to_owned(),
                    ..term.clone()
                },
                Deed::Read,
                Sweep::One,
            ));
        }
    }
    found.extend(
        argv.value_of(Some('T'), "upload-file")
            .map(|term| (term, Deed::Read, Sweep::One)),
    );
    found
}

/// The folders that `find` goes through. With a test in between, what is deleted
/// is not the folder as a whole.
fn searched(argv: Argv<'_>) -> Vec<Touched> {
    let mut folders: Vec<Term> = argv
        .arguments()
        .iter()
        .skip_while(|term| matches!(term.text.as_str(), "-H" | "-L" | "-P"))
        .take_while(|term| !term.text.starts_with(['-', '(', '!']))
        .cloned()
        .collect();
    if folders.is_empty() {
        folders.push(Term::literal("."));
    }
    let mut found = Vec::new();
    let deletes = argv.texts().any(|text| text == "-delete") || executes_removal(argv);
    let texts: Vec<&str> = argv.texts().collect();
    // `-name '*'` picks everything.
    let all = |at: usize| texts.get(at + 1) == Some(&"*") && texts[at].ends_with("name");
    let picks = texts.iter().enumerate().any(|(at, text)| {
        !all(at)
            && matches!(
                *text,
                "-name"
                    | "-iname"
                    | "-path"
                    | "-ipath"
                    | "-wholename"
                    | "-regex"
                    | "-iregex"
                    | "-newer"
                    | "-mtime"
                    | "-mmin"
                    | "-atime"
                    | "-ctime"
                    | "-size"
                    | "-empty"
                    | "-user"
                    | "-maxdepth"
                    | "-links"
                    | "-perm"
                    | "-inum"
            )
    });
    for folder in folders {
        if deletes {
            let term = if picks {
                Term {
                    text: format!("{}/**/*", folder.text.trim_end_matches('/')),
                    expands: true,
                    ..folder.clone()
                }
            } else {
                folder.clone()
            };
            let sweep = if picks { Sweep::One } else { Sweep::Tree };
            found.push((term, Deed::Delete, sweep));
        }
        found.push((folder, Deed::Read, Sweep::Tree));
    }
    let arguments = argv.arguments();
    for (at, term) in arguments.iter().enumerate() {
        if matches!(
            term.text.as_str(),
            "-fprint" | "-fprint0" | "-fprintf" | "-fls"
        ) && let Some(file) = arguments.get(at + 1)
        {
            found.push((file.clone(), Deed::Overwrite, Sweep::One));
        }
    }
    found
}

fn executes_removal(argv: Argv<'_>) -> bool {
    let texts: Vec<&str> = argv.texts().collect();
    texts.windows(2).any(|pair| {
        pair[0].starts_with("-exec")
            && matches!(pair[1].rsplit('/').next(), Some("rm" | "unlink" | "shred"))
    })
}

/// The files that a git command names, seen from the folder of `-C`.
fn by_git(argv: Argv<'_>) -> Vec<Touched> {
    let Some(sub) = git::subcommand(&argv) else {
        return Vec::new();
    };
    let folder = git::folder(&argv);
    let placed = |term: &Term| match &folder {
        Some(folder) if !term.text.starts_with('/') => Term {
            text: format!("{}/{}", folder.text.trim_end_matches('/'), term.text),
            expands: term.expands || folder.expands,
            open: term.open || folder.open,
            raw: term.raw.clone(),
        },
        _ => term.clone(),
    };
    let all = |deed: Deed| -> Vec<Touched> {
        vec![(
            Term {
                expands: true,
                open: true,
                ..placed(&Term::literal("."))
            },
            deed,
            Sweep::Tree,
        )]
    };
    let named = |deed: Deed| -> Vec<Touched> {
        sub.operands("")
            .into_iter()
            .map(|term| (placed(term), deed, Sweep::One))
            .collect()
    };
    match sub.name().as_ref() {
        "rm" | "restore" if git::danger(argv).is_empty() => Vec::new(),
        "rm" => named(Deed::Delete),
        "mv" => {
            let words: Vec<Term> = std::iter::once(Term::literal("mv"))
                .chain(sub.operands("").into_iter().map(&placed))
                .collect();
            moved(Argv { words: &words })
        }
        "restore" => named(Deed::Change),
        "checkout" if !git::danger(argv).is_empty() => {
            let after: Vec<Touched> = sub
                .arguments()
                .iter()
                .skip_while(|term| term.text != "--")
                .skip(1)
                .map(|term| (placed(term), Deed::Change, Sweep::One))
                .collect();
            if after.is_empty() {
                named(Deed::Change)
            } else {
                after
            }
        }
        // Where nothing is a repository, all of it is untracked.
        "clean"
            if !git::danger(argv).is_empty()
                && folder.as_ref().is_some_and(|f| vital(&f.text).is_some()) =>
        {
            all(Deed::Delete)
        }
        // A name that is a file as well: only who looks can tell.
        "checkout" if !git::creates_branch(&sub) => sub
            .operands("")
            .into_iter()
            .filter(|term| term.text != "-")
            .map(|term| (placed(term), Deed::Overwrite, Sweep::One))
            .collect(),
        "reset" | "clean" if !git::danger(argv).is_empty() => all(Deed::Change),
        name => {
            let mut found = guessed(argv);
            let output = git::output(name, &sub);
            found.extend(output.map(|term| (placed(&term), Deed::Overwrite, Sweep::One)));
            found
        }
    }
}
