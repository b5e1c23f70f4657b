//! The files that a git command names.

use super::copies::moved;
use super::{Sweep, Touched, guessed};
use crate::script::Deed;
use crate::shell::argv::Argv;
use crate::shell::git;
use crate::shell::place::vital;
use crate::shell::word::Term;

/// Seen from the folder of `-C`.
pub(super) fn by_git(argv: Argv<'_>) -> Vec<Touched> {
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
            let mut found = moved(Argv { words: &words });
            // Git replaces nothing unless it is forced to.
            if git::danger(argv).is_empty() {
                let replaces = |touched: &&mut Touched| touched.1 == Deed::Overwrite;
                let made = found.iter_mut().filter(replaces);
                made.for_each(|touched| touched.1 = Deed::Append);
            }
            found
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
