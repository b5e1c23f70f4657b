//! Names of tools as rules may write them (G16).

use tenon_vocab::names::{canonical_name, canonical_names, tool};

/// The key of rules about paths outside of the root.
pub const EXTERNAL_DIRECTORY: &str = "external_directory";

/// The group of all tools that change files; also the name of one of them.
pub const EDIT_GROUP: &str = tool::EDIT;

/// How a rule names the tool `edit` without the others of its group: as any
/// other spelling of it would.
pub const EDIT_ALONE: &str = "edit_file";

/// The tools that only look at files.
pub const READING: &[&str] = &[tool::READ, tool::LIST, tool::GLOB, tool::GREP];

/// Tools that only talk. A `*` rule that asks or allows does not speak of them:
/// asking whether the user may be asked helps nobody.
const TALKING: &[&str] = &[
    tool::ASK_USER,
    tool::TODO_READ,
    tool::TODO_WRITE,
    tool::DONE,
];

/// The canonical name of a tool, in any spelling. A name that is not known (an
/// MCP or a custom tool) comes back as it is.
#[must_use]
pub fn canonical_tool(name: &str) -> String {
    let name = name.trim();
    if name
        .replace('-', "_")
        .eq_ignore_ascii_case(EXTERNAL_DIRECTORY)
    {
        return EXTERNAL_DIRECTORY.to_owned();
    }
    // A model's stray space is forgiven; a rule's is a slip to be told.
    match canonical_name(name) {
        Some(canonical) if !name.contains(char::is_whitespace) => canonical.to_owned(),
        _ => name.to_owned(),
    }
}

/// The name of a tool as a rule holds it. `edit` is the group, and another
/// spelling of that tool is the tool alone (G16).
pub(crate) fn rule_tool(name: &str) -> String {
    match canonical_tool(name) {
        tool if tool == EDIT_GROUP && !name.trim().eq_ignore_ascii_case(EDIT_GROUP) => {
            EDIT_ALONE.to_owned()
        }
        tool => tool,
    }
}

/// Whether a rule's tool name fits a tool.
pub(crate) fn speaks_of(rule: &str, tool: &str) -> bool {
    match rule {
        "*" => true,
        EDIT_GROUP => in_edit_group(tool),
        EDIT_ALONE => tool == tool::EDIT,
        _ => rule == tool || (is_wild(rule) && crate::command::wildcard(rule, tool)),
    }
}

/// How closely a rule's tool name fits the tools that it fits at all.
pub(crate) fn name_rank(rule: &str) -> u16 {
    match rule {
        "*" => 0,
        EDIT_GROUP => 500,
        _ if is_wild(rule) => {
            let literal = rule.chars().filter(|c| !matches!(c, '*' | '?')).count();
            u16::try_from(literal.clamp(1, 499)).unwrap_or(499)
        }
        _ => 1000,
    }
}

fn is_wild(rule: &str) -> bool {
    rule.contains(['*', '?'])
}

pub(crate) fn in_edit_group(tool: &str) -> bool {
    matches!(tool, tool::WRITE | tool::EDIT | tool::PATCH)
}

/// Whether rules of this name speak of paths.
pub(crate) fn takes_paths(rule: &str) -> bool {
    in_edit_group(rule)
        || matches!(rule, EDIT_ALONE | EXTERNAL_DIRECTORY | "*")
        || READING.contains(&rule)
}

pub(crate) fn only_talks(tool: &str) -> bool {
    TALKING.contains(&tool)
}

pub(crate) fn is_built_in(tool: &str) -> bool {
    canonical_names().any(|name| name == tool)
}
