//! How other products call the fields of our tools.

/// Spellings of a field, squashed (lower case, no separators). A spelling may
/// stand for one field in one tool and for another elsewhere.
struct Alias {
    tools: &'static [&'static str],
    field: &'static str,
    spellings: &'static [&'static str],
}

const FILE_TOOLS: &[&str] = &["read", "write", "edit"];
const FOLDER_TOOLS: &[&str] = &["list", "glob", "grep"];

const ALIASES: &[Alias] = &[
    Alias {
        tools: FILE_TOOLS,
        field: "path",
        spellings: &[
            "filepath",
            "filename",
            "file",
            "absolutepath",
            "targetfile",
            "relativepath",
            "relativeworkspacepath",
            "uri",
        ],
    },
    Alias {
        tools: FOLDER_TOOLS,
        field: "path",
        spellings: &[
            "dir",
            "directory",
            "dirpath",
            "directorypath",
            "folder",
            "root",
            "cwd",
            "filepath",
            "searchpath",
            "absolutepath",
            "relativeworkspacepath",
        ],
    },
    Alias {
        tools: &["read"],
        field: "offset",
        spellings: &["startline", "line", "linestart", "from", "start"],
    },
    Alias {
        tools: &["read"],
        field: "limit",
        spellings: &["lines", "numlines", "linecount", "maxlines", "count"],
    },
    Alias {
        tools: &["write"],
        field: "content",
        spellings: &[
            "text",
            "filetext",
            "contents",
            "filecontent",
            "filecontents",
            "data",
            "body",
            "code",
        ],
    },
    Alias {
        tools: &["edit"],
        field: "old",
        spellings: &[
            "oldstring",
            "oldstr",
            "oldtext",
            "oldcontent",
            "search",
            "find",
            "before",
            "original",
            "searchstring",
        ],
    },
    Alias {
        tools: &["edit"],
        field: "new",
        spellings: &[
            "newstring",
            "newstr",
            "newtext",
            "newcontent",
            "replace",
            "replacement",
            "after",
            "replacewith",
            "replacestring",
        ],
    },
    Alias {
        tools: &["edit"],
        field: "replace_all",
        spellings: &["all", "global", "allowmultiple", "allowmultiplematches"],
    },
    Alias {
        tools: &["edit"],
        field: "expected_replacements",
        spellings: &[
            "expectedcount",
            "expectedoccurrences",
            "expectedmatches",
            "count",
            "occurrences",
        ],
    },
    Alias {
        tools: &["patch"],
        field: "patch",
        spellings: &[
            "diff",
            "input",
            "patchtext",
            "patchcontent",
            "text",
            "content",
            "unifieddiff",
        ],
    },
    Alias {
        tools: &["glob"],
        field: "pattern",
        spellings: &["query", "glob", "globpattern", "filepattern", "name"],
    },
    Alias {
        tools: &["grep"],
        field: "pattern",
        spellings: &[
            "query",
            "regex",
            "regexp",
            "search",
            "searchpattern",
            "term",
            "text",
        ],
    },
    Alias {
        tools: &["grep", "list"],
        field: "glob",
        spellings: &[
            "include",
            "includepattern",
            "filepattern",
            "fileglob",
            "filter",
            "pattern",
        ],
    },
    Alias {
        tools: &["grep"],
        field: "ignore_case",
        spellings: &["caseinsensitive", "i"],
    },
    Alias {
        tools: &["grep"],
        field: "mode",
        spellings: &["outputmode", "output"],
    },
    Alias {
        tools: &["grep"],
        field: "context",
        spellings: &["contextlines", "c"],
    },
    Alias {
        tools: &["list"],
        field: "depth",
        spellings: &["maxdepth", "levels"],
    },
    Alias {
        tools: &["bash"],
        field: "command",
        spellings: &[
            "cmd",
            "script",
            "commandline",
            "shellcommand",
            "bashcommand",
            "code",
            "input",
        ],
    },
    Alias {
        tools: &["bash"],
        field: "workdir",
        spellings: &[
            "cwd",
            "workingdirectory",
            "workingdir",
            "dir",
            "directory",
            "path",
        ],
    },
    Alias {
        tools: &["bash", "process"],
        field: "timeout_ms",
        spellings: &["timeout", "timeoutmilliseconds"],
    },
    Alias {
        tools: &["process"],
        field: "until",
        spellings: &["pattern", "regex", "waitfor"],
    },
    Alias {
        tools: &["bash"],
        field: "background",
        spellings: &["runinbackground", "isbackground", "detach"],
    },
    Alias {
        tools: &["process"],
        field: "id",
        spellings: &[
            "processid",
            "pid",
            "bashid",
            "shellid",
            "jobid",
            "sessionid",
            "process",
        ],
    },
    Alias {
        tools: &["process"],
        field: "input",
        spellings: &["text", "stdin", "data", "chars"],
    },
    Alias {
        tools: &["ask_user"],
        field: "question",
        spellings: &["prompt", "message", "text", "query"],
    },
    Alias {
        tools: &["ask_user"],
        field: "options",
        spellings: &["choices", "answers", "followup"],
    },
    Alias {
        tools: &["task"],
        field: "agent",
        spellings: &["agentname", "subagenttype", "subagent", "name"],
    },
    Alias {
        tools: &["task"],
        field: "task",
        spellings: &["prompt", "instructions", "request"],
    },
    Alias {
        tools: &["skill"],
        field: "name",
        spellings: &["skill", "skillname", "command"],
    },
    Alias {
        tools: &["todowrite"],
        field: "items",
        spellings: &[
            "todos", "todolist", "tasks", "plan", "list", "todo", "steps",
        ],
    },
    Alias {
        tools: &["todowrite"],
        field: "todos",
        spellings: &["items", "todolist", "tasks", "plan", "list"],
    },
    Alias {
        tools: &["done"],
        field: "summary",
        spellings: &["result", "message", "text", "output"],
    },
];

/// The fields of `tool` that this spelling may stand for, best first. The
/// caller keeps those that the schema really has.
pub(super) fn fields<'a>(tool: &'a str, squashed: &'a str) -> impl Iterator<Item = &'static str> {
    ALIASES
        .iter()
        .filter(move |alias| alias.tools.contains(&tool) && alias.spellings.contains(&squashed))
        .map(|alias| alias.field)
}
