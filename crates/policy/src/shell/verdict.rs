//! What becomes dangerous once somebody has looked at the files: overwriting one
//! that exists, deleting a folder that everything lies in.

use crate::Place;
use crate::facts::PathFact;
use crate::script::{Danger, Deed, Script, Target};
use tenon_vocab::Class;

/// All dangers of a line, worst first.
pub(super) fn of(script: &Script) -> Vec<Danger> {
    let mut dangers = script.dangers.clone();
    for (target, fact) in script.observed() {
        if let Some((class, what)) = judge(target, fact) {
            let danger = Danger {
                class,
                what,
                piece: target.path.clone(),
            };
            if !dangers.contains(&danger) {
                dangers.push(danger);
            }
        }
    }
    sort(&mut dangers);
    dangers
}

/// Worst first; among equals the one that was found first.
pub(super) fn sort(dangers: &mut [Danger]) {
    dangers.sort_by_key(|danger| match danger.class {
        Class::HardDeny => 0,
        Class::Deny => 1,
        Class::Confirm => 2,
        Class::Ask => 3,
        Class::Allow => 4,
    });
}

fn judge(target: &Target, fact: Option<&PathFact>) -> Option<(Class, String)> {
    let path = &target.path;
    if let Some(found) = fact.and_then(|fact| by_place(target, fact.place)) {
        return Some(found);
    }
    // What nobody has looked at counts as existing.
    let exists = !target.certain || fact.is_none_or(|fact| fact.exists);
    match target.deed {
        Deed::Overwrite if exists && target.certain && fact.is_some() => Some((
            Class::Confirm,
            format!("`{path}` exists and would be overwritten"),
        )),
        Deed::Overwrite if exists => Some((
            Class::Confirm,
            format!("`{path}` may exist and would be overwritten"),
        )),
        Deed::Delete => Some((Class::Confirm, format!("`{path}` would be deleted"))),
        _ => None,
    }
}

fn by_place(target: &Target, place: Place) -> Option<(Class, String)> {
    let path = &target.path;
    let what = match place {
        Place::FileSystemRoot => "the whole file system",
        Place::Home => "your home",
        Place::AboveRoot => "a folder above the project",
        Place::Device => {
            let writes = matches!(target.deed, Deed::Overwrite | Deed::Append | Deed::Change);
            return writes.then(|| {
                (
                    Class::HardDeny,
                    format!("it would write to the disk `{path}`"),
                )
            });
        }
        Place::Root => {
            return (target.deed == Deed::Delete).then(|| {
                (
                    Class::Confirm,
                    format!("`{path}` is the whole project and would be deleted"),
                )
            });
        }
        Place::AddedRoot => {
            return (target.deed == Deed::Delete).then(|| {
                (
                    Class::Confirm,
                    format!("`{path}` is a whole folder that you added and would be deleted"),
                )
            });
        }
        Place::Ordinary | Place::Added => return None,
    };
    match (target.deed, place) {
        (Deed::Delete, _) => Some((
            Class::HardDeny,
            format!("`{path}` is {what} and would be deleted"),
        )),
        (Deed::Move, _) => Some((
            Class::HardDeny,
            format!("`{path}` is {what} and would be moved"),
        )),
        (Deed::Change, Place::FileSystemRoot) => Some((
            Class::HardDeny,
            format!("`{path}` is {what} and would be changed"),
        )),
        _ => None,
    }
}
