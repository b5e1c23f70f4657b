//! The one table of tool names: how other products and models spell what Tenon
//! calls `read`, `edit`, `bash`. What a model calls, and what rules, hooks and
//! agents name, all pass through it (G16).

/// The names themselves, for whoever means one tool.
pub mod tool {
    pub const READ: &str = "read";
    pub const WRITE: &str = "write";
    pub const EDIT: &str = "edit";
    pub const PATCH: &str = "patch";
    pub const LIST: &str = "list";
    pub const GLOB: &str = "glob";
    pub const GREP: &str = "grep";
    pub const BASH: &str = "bash";
    pub const PROCESS: &str = "process";
    pub const ASK_USER: &str = "ask_user";
    pub const TODO_READ: &str = "todoread";
    pub const TODO_WRITE: &str = "todowrite";
    pub const TASK: &str = "task";
    pub const SKILL: &str = "skill";
    pub const DONE: &str = "done";
}

/// Spellings in lower case without `_`, `-`, space; the canonical name first.
const NAMES: &[(&str, &[&str])] = &[
    (
        tool::READ,
        &[
            "read", "readfile", "cat", "view", "viewfile", "openfile", "fileread",
        ],
    ),
    (
        tool::WRITE,
        &[
            "write",
            "writefile",
            "createfile",
            "writetofile",
            "savefile",
            "filewrite",
        ],
    ),
    (
        tool::EDIT,
        &[
            "edit",
            "editfile",
            "strreplace",
            "strreplaceeditor",
            "strreplacebasededittool",
            "replace",
            "replaceinfile",
            "multiedit",
            "searchreplace",
            "searchandreplace",
            "findandreplace",
            "findandreplaceinfile",
            "fileedit",
        ],
    ),
    (
        tool::PATCH,
        &["patch", "applypatch", "patchfile", "applydiff"],
    ),
    (
        tool::LIST,
        &[
            "list",
            "listdirectory",
            "listdir",
            "listfiles",
            "ls",
            "tree",
            "directorytree",
        ],
    ),
    (
        tool::GLOB,
        &[
            "glob",
            "globfiles",
            "findfiles",
            "filesearch",
            "find",
            "searchforfiles",
        ],
    ),
    (
        tool::GREP,
        &[
            "grep",
            "search",
            "searchfiles",
            "searchfilecontent",
            "searchtext",
            "searchcode",
            "grepsearch",
            "ripgrep",
            "rg",
        ],
    ),
    (
        tool::BASH,
        &[
            "bash",
            "shell",
            "sh",
            "command",
            "runcommand",
            "executecommand",
            "execcommand",
            "runshellcommand",
            "runshell",
            "runterminalcmd",
            "runterminalcommand",
            "executebash",
            "runbash",
            "bashcommand",
            "shellcommand",
            "localshell",
            "terminal",
            "exec",
        ],
    ),
    (
        tool::PROCESS,
        &[
            "process",
            "processes",
            "backgroundprocess",
            "readbackgroundprocess",
            "readprocess",
            "bashoutput",
            "listbackgroundprocesses",
            "listbackgroundprocess",
            "listprocesses",
            "killbackgroundprocess",
            "killprocess",
            "killshell",
            "killbash",
            "writebackgroundprocess",
            "writeprocess",
            "writestdin",
        ],
    ),
    (
        tool::ASK_USER,
        &[
            "askuser",
            "ask",
            "askquestion",
            "askuserquestion",
            "askfollowupquestion",
            "question",
        ],
    ),
    (
        tool::TODO_READ,
        &["todoread", "readtodos", "readtodo", "todolist"],
    ),
    (
        tool::TODO_WRITE,
        &[
            "todowrite",
            "todo",
            "writetodos",
            "writetodo",
            "updatetodos",
            "updatetodolist",
            "updatetasklist",
            "updateplan",
        ],
    ),
    (
        tool::TASK,
        &[
            "task",
            "delegateagent",
            "delegate",
            "agent",
            "subagent",
            "dispatchagent",
            "spawnagent",
        ],
    ),
    (tool::SKILL, &["skill", "useskill", "loadskill"]),
    (
        tool::DONE,
        &[
            "done",
            "finish",
            "complete",
            "attemptcompletion",
            "taskcomplete",
        ],
    ),
];

/// Namespaces that some servers and models put before a name.
const PREFIXES: &[&str] = &[
    "functions.",
    "function.",
    "tools.",
    "tool.",
    "default_api.",
    "default_api:",
];

/// Longer names are nobody's spelling of ours.
const LONGEST: usize = 64;

/// The canonical name for any known spelling, without regard to case and
/// separators; `None` for a name that is not in the table. A tool that is
/// really called so (an MCP server's, a custom one) must be looked up first.
#[must_use]
pub fn canonical_name(name: &str) -> Option<&'static str> {
    let plain = squash(without_prefix(name))?;
    NAMES
        .iter()
        .find(|(_, spellings)| spellings.contains(&plain.as_str()))
        .map(|(canonical, _)| *canonical)
}

/// The action that a spelling of `process` stands for: some say it in the name
/// only, as `KILL_BACKGROUND_PROCESS`.
#[must_use]
pub fn implied_action(name: &str) -> Option<&'static str> {
    if canonical_name(name) != Some(tool::PROCESS) {
        return None;
    }
    let plain = squash(without_prefix(name))?;
    [
        ("list", "list"),
        ("kill", "kill"),
        ("write", "write"),
        ("wait", "wait"),
        ("read", "read"),
        ("output", "read"),
    ]
    .into_iter()
    .find(|(part, _)| plain.contains(part))
    .map(|(_, action)| action)
}

/// Every canonical name.
pub fn canonical_names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|(canonical, _)| *canonical)
}

/// Every spelling, the canonical names among them.
pub fn spellings() -> impl Iterator<Item = &'static str> {
    NAMES
        .iter()
        .flat_map(|(_, spellings)| spellings.iter().copied())
}

/// A name without the namespace that some put before it.
#[must_use]
pub fn without_prefix(name: &str) -> &str {
    let name = name.trim();
    PREFIXES
        .iter()
        .find_map(|prefix| {
            let head = name.get(..prefix.len())?;
            head.eq_ignore_ascii_case(prefix)
                .then(|| &name[prefix.len()..])
        })
        .unwrap_or(name)
}

/// Lower case without separators; `None` when it cannot be one of our names.
#[must_use]
pub fn squash(name: &str) -> Option<String> {
    if name.len() > LONGEST {
        return None;
    }
    let plain: String = name
        .chars()
        .filter(|c| !matches!(c, '_' | '-' | ' '))
        .flat_map(char::to_lowercase)
        .collect();
    (!plain.is_empty()).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::{NAMES, canonical_name};
    use std::collections::BTreeSet;

    #[test]
    fn no_spelling_stands_for_two_tools() {
        let mut seen = BTreeSet::new();
        for (_, spellings) in NAMES {
            for spelling in *spellings {
                assert!(seen.insert(*spelling), "{spelling} is listed twice");
            }
        }
    }

    #[test]
    fn every_canonical_name_is_its_own_spelling() {
        for (canonical, _) in NAMES {
            assert_eq!(canonical_name(canonical), Some(*canonical));
        }
    }
}
