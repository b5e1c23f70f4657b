//! Which files a found command names, and what it would do with them. Of a
//! program that is not known every word may be a file that it reads.

mod by_git;
mod copies;
mod edits;
mod outputs;
mod searches;

pub(super) use edits::in_place;

use super::argv::Argv;
use super::code::{self, Source};
use super::unfold;
use super::word::Term;
use crate::reading;
use crate::room;
use crate::script::Deed;
use by_git::by_git;
use copies::{Unnamed, archived, copied, downloaded, linked, moved, raw_copy};
use edits::{awk_files, edited};
use searches::searched;

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
    if let Some(read) = by_reader(argv) {
        return read;
    }
    let mut found = by_name(argv, &name);
    for written in outputs::written(argv, &name) {
        // What is written anew is not only read.
        found.retain(|(term, deed, _)| *deed != Deed::Read || term.text != written.0.text);
        found.push(written);
    }
    found
}

/// The files of a program that is known to only read, where its words are.
fn by_reader(argv: Argv<'_>) -> Option<Vec<Touched>> {
    let words: Vec<&str> = argv.words.iter().map(|term| term.text.as_str()).collect();
    let is_written_out = argv.words.iter().all(|term| !term.open);
    (is_written_out && room::reading(&words).is_ok()).then(|| guessed(argv))
}

fn by_name(argv: Argv<'_>, name: &str) -> Vec<Touched> {
    let deep = argv.has_short("rR") || argv.has_long(&["recursive"]);
    let sweep = if deep { Sweep::Tree } else { Sweep::One };
    let each = |terms: Vec<&Term>, deed: Deed| -> Vec<Touched> {
        terms
            .into_iter()
            .map(|term| (term.clone(), deed, sweep))
            .collect()
    };
    match name {
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
        "cp" | "install" | "rsync" | "scp" => copied(argv, name),
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
        "curl" => {
            let by_address =
                argv.has_short("O") || argv.has_long(&["remote-name", "remote-name-all"]);
            let unnamed = if by_address {
                Unnamed::File
            } else {
                Unnamed::Printed
            };
            downloaded(argv.value_of(Some('o'), "output"), argv, unnamed)
        }
        "wget" => {
            let named = argv.value_of(Some('O'), "output-document");
            downloaded(named, argv, Unnamed::File)
        }
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
            let output = archived(argv, name);
            found.extend(output.map(|term| (term, Deed::Overwrite, Sweep::One)));
            found
        }
    }
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
