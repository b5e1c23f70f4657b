//! The skills that can be loaded, and their names for whoever types one.

use super::table;
use crate::core::Core;
use tenon_vocab::Reply;

pub(super) fn list(core: &Core) -> Reply {
    let skills = &core.given.skills;
    let rows = skills
        .iter()
        .map(|skill| {
            let by = if skill.user_only { "you" } else { "you, model" };
            vec![
                skill.name.clone(),
                skill.source.name().to_owned(),
                by.to_owned(),
                skill.description.clone(),
            ]
        })
        .collect();
    let note = if skills.is_empty() {
        "none yet: a skill is a folder with a SKILL.md in .tenon/skills, .agents/skills or .claude/skills, in the project or your home folder"
    } else {
        "/skill NAME [TEXT] loads one with a prompt"
    };
    table(
        &["skill", "source", "loaded by", "what it is for"],
        rows,
        Some(note.to_owned()),
    )
}

/// Names that begin with what was typed, then those that hold it.
pub(super) fn beginning_with(core: &Core, typed: &str) -> Vec<String> {
    let typed = typed.to_lowercase();
    let mut names: Vec<String> = core
        .given
        .skills
        .iter()
        .map(|skill| skill.name.clone())
        .filter(|name| name.to_lowercase().contains(&typed))
        .collect();
    names.sort_by_key(|name| (!name.to_lowercase().starts_with(&typed), name.clone()));
    names
}
