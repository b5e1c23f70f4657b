//! The files of editors that are programs in one word: sed, awk, perl.

use super::{Sweep, Touched};
use crate::script::Deed;
use crate::shell::argv::Argv;
use crate::shell::sed::{self, SedDeed};
use crate::shell::word::Term;

pub(in crate::shell) fn in_place(argv: Argv<'_>) -> bool {
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
pub(super) fn edited(argv: Argv<'_>) -> Vec<Touched> {
    let scripted = argv.has_short("ef") || argv.has_long(&["expression", "file"]);
    let mut operands = argv.operands("eflE").into_iter();
    if !scripted {
        operands.next();
    }
    let deed = if in_place(argv) {
        Deed::Change
    } else {
        Deed::Read
    };
    let mut found: Vec<Touched> = operands
        .map(|term| (term.clone(), deed, Sweep::One))
        .collect();
    let deeds = sed::script(argv).map(|script| sed::deeds(&script));
    for deed in deeds.unwrap_or_default() {
        if let SedDeed::Write(path) = deed {
            found.push((Term::literal(&path), Deed::Overwrite, Sweep::One));
        }
    }
    found
}

/// What awk prints into a file, where the name stands in the program.
pub(super) fn awk_files(argv: Argv<'_>) -> Vec<Touched> {
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
