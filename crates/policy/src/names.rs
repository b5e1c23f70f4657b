//! Names of tools as rules may write them (G16). Not the alias table for what a
//! model calls a tool: that one also repairs inputs and lives with the tools.

/// The key of rules about paths outside of the root.
pub const EXTERNAL_DIRECTORY: &str = "external_directory";

/// The group of all tools that change files; also the name of one of them.
pub const EDIT_GROUP: &str = "edit";

/// Every tool that the program brings along, by canonical name.
pub const BUILT_IN_TOOLS: &[&str] = &[
    "read",
    "write",
    "edit",
    "patch",
    "list",
    "glob",
    "grep",
    "bash",
    "process",
    "todoread",
    "todowrite",
    "skill",
    "task",
    "ask_user",
    "done",
];

/// Tools that only talk. A `*` rule that asks or allows does not speak of them:
/// asking whether the user may be asked helps nobody.
const TALKING: &[&str] = &["ask_user", "todoread", "todowrite", "done"];

const ALIASES: &[(&str, &str)] = &[
    ("read_file", "read"),
    ("write_file", "write"),
    ("edit_file", "edit"),
    ("str_replace", "edit"),
    ("multi_edit", "edit"),
    ("multiedit", "edit"),
    ("apply_patch", "patch"),
    ("list_dir", "list"),
    ("list_directory", "list"),
    ("list_files", "list"),
    ("ls", "list"),
    ("find_files", "glob"),
    ("search", "grep"),
    ("search_files", "grep"),
    ("shell", "bash"),
    ("command", "bash"),
    ("run_command", "bash"),
    ("execute_command", "bash"),
    ("list_background_processes", "process"),
    ("read_background_process", "process"),
    ("kill_background_process", "process"),
    ("todo_read", "todoread"),
    ("todo_write", "todowrite"),
    ("update_task_list", "todowrite"),
    ("delegate_agent", "task"),
    ("ask", "ask_user"),
    ("question", "ask_user"),
];

/// The canonical name of a tool, in any spelling that rules accept. A name that
/// is not known (an MCP or a custom tool) comes back as it is.
#[must_use]
pub fn canonical_tool(name: &str) -> String {
    let folded = name.trim().to_ascii_lowercase().replace('-', "_");
    if BUILT_IN_TOOLS.contains(&folded.as_str()) || folded == EXTERNAL_DIRECTORY {
        return folded;
    }
    ALIASES
        .iter()
        .find(|(alias, _)| *alias == folded)
        .map_or_else(
            || name.trim().to_owned(),
            |(_, canonical)| (*canonical).to_owned(),
        )
}

/// How closely a rule's tool name fits a tool; `None` when it does not.
pub(crate) fn tool_rank(rule: &str, tool: &str) -> Option<u16> {
    if rule == "*" {
        return Some(0);
    }
    if rule == EDIT_GROUP {
        return in_edit_group(tool).then_some(500);
    }
    if rule == tool {
        return Some(1000);
    }
    if rule.contains(['*', '?']) && crate::command::wildcard(rule, tool) {
        let literal = rule.chars().filter(|c| !matches!(c, '*' | '?')).count();
        return Some(u16::try_from(literal.clamp(1, 499)).unwrap_or(499));
    }
    None
}

pub(crate) fn in_edit_group(tool: &str) -> bool {
    matches!(tool, "write" | "edit" | "patch")
}

pub(crate) fn only_talks(tool: &str) -> bool {
    TALKING.contains(&tool)
}

pub(crate) fn is_built_in(tool: &str) -> bool {
    BUILT_IN_TOOLS.contains(&tool)
}
