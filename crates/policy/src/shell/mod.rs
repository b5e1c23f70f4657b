//! Reads command lines as a shell would: what a line certainly runs, what it may
//! run, what is dangerous in it and which files it names. Text in, facts about
//! the text out; nothing is looked up.

mod agree;
mod argv;
mod awk;
mod code;
mod danger;
mod exact;
mod find;
mod git;
mod grammar;
mod interpret;
mod language;
mod place;
mod plain;
mod redirect;
mod replacing;
mod scan;
mod sed;
mod settings;
mod subscript;
#[cfg(test)]
mod tables;
mod targets;
mod touch;
mod unfold;
mod variables;
mod verdict;
mod walk;
mod word;
mod wrappers;

use crate::script::{Commands, Danger, Script, Sight, Stay};
use find::{Context, Finder};
use tenon_vocab::Class;
use walk::Agreement;

/// A longer text is not read.
const MAX_BYTES: usize = 64 * 1024;

pub(crate) fn analyse(text: &str) -> Script {
    if text.len() > MAX_BYTES {
        return too_long(text);
    }
    let tree = grammar::parse(text);
    let commands = exact::commands(text, tree.as_ref());
    let agreement = match commands {
        Commands::Exact(_) => Agreement::Proven,
        Commands::Unknown(_) => Agreement::Unknown,
    };
    let mut finder = Finder::new();
    match &tree {
        Some(tree) => walk::walk_tree(&mut finder, tree, text, &Context::start(), agreement),
        None => finder.too_tangled(text, &Context::start()),
    }
    verdict::sort(&mut finder.dangers);
    Script {
        text: text.to_owned(),
        commands,
        found: finder.found,
        dangers: finder.dangers,
        targets: finder.targets,
        facts: Vec::new(),
        foreign: Vec::new(),
        sight: finder.sight,
        stay: Stay::Call,
        resolved: Vec::new(),
    }
}

fn too_long(text: &str) -> Script {
    let why = format!("it is longer than {MAX_BYTES} bytes");
    Script {
        text: text.to_owned(),
        dangers: vec![Danger {
            class: Class::Confirm,
            what: format!(
                "the command is longer than {MAX_BYTES} bytes, so Tenon did not check it"
            ),
            piece: find::brief(text),
        }],
        commands: Commands::Unknown(why),
        found: Vec::new(),
        targets: Vec::new(),
        facts: Vec::new(),
        foreign: Vec::new(),
        sight: Sight::Partial,
        stay: Stay::Call,
        resolved: Vec::new(),
    }
}

/// Whether a program destroys, whatever its words are.
pub(crate) fn is_dangerous_name(name: &str) -> bool {
    danger::is_dangerous_name(name)
}

pub(crate) fn verdicts(script: &Script) -> Vec<Danger> {
    verdict::of(script)
}
