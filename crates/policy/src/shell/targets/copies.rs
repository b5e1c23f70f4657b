//! What copies, moves, links, packs and downloads would write, and what of it is
//! read for that.

use super::{Sweep, Touched};
use crate::script::Deed;
use crate::shell::argv::Argv;
use crate::shell::word::Term;

/// `mv A B`: A goes, and B may be replaced, or a file of the same name in B.
pub(super) fn moved(argv: Argv<'_>) -> Vec<Touched> {
    let mut found = copied(argv, "mv");
    for (_, deed, sweep) in &mut found {
        if *deed == Deed::Read {
            *deed = Deed::Move;
            *sweep = Sweep::Tree;
        }
    }
    found
}

pub(super) fn copied(argv: Argv<'_>, name: &str) -> Vec<Touched> {
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
    let contents =
        |term: &&&Term| term.text.ends_with("/.") || (name == "rsync" && term.text.ends_with('/'));
    // What lies in a folder goes into the other, over whatever is there.
    if sources.iter().any(|term| contents(&term)) {
        found.push((target.clone(), Deed::Overwrite, Sweep::Tree));
    }
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

pub(super) fn linked(argv: Argv<'_>) -> Vec<Touched> {
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

pub(super) fn raw_copy(term: &Term) -> Option<Touched> {
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

/// The file that a program makes of others.
pub(super) fn archived(argv: Argv<'_>, name: &str) -> Option<Term> {
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

/// What a download without a name for it becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unnamed {
    /// A file with the last name of its address.
    File,
    /// It is printed.
    Printed,
}

pub(super) fn downloaded(named: Option<Term>, argv: Argv<'_>, unnamed: Unnamed) -> Vec<Touched> {
    let mut found = Vec::new();
    match named {
        Some(term) if term.text != "-" => found.push((term, Deed::Overwrite, Sweep::One)),
        Some(_) => {}
        None if unnamed == Unnamed::File => {
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
