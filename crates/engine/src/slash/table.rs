//! The list of Tenon's own commands. What they do is said where they are parsed.

/// A command of Tenon's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Own {
    pub name: &'static str,
    /// Other names of it: as taken as the first one.
    pub aliases: &'static [&'static str],
    /// What may be written after it.
    pub argument: &'static str,
    pub what: &'static str,
}

impl Own {
    /// All of its names, the one that is shown first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

const fn own(
    name: &'static str,
    aliases: &'static [&'static str],
    argument: &'static str,
    what: &'static str,
) -> Own {
    Own {
        name,
        aliases,
        argument,
        what,
    }
}

/// The source of parsing, of `/help`, of completion and of what a command of the
/// user's own cannot be called.
pub const SLASH: &[Own] = &[
    own("help", &["?"], "", "show these commands"),
    own(
        "new",
        &[],
        "",
        "start a new session, with the configuration read again",
    ),
    own(
        "clear",
        &[],
        "",
        "start a new session with the same settings",
    ),
    own("sessions", &[], "", "list the sessions of this directory"),
    own("resume", &[], "[ID]", "go on with a session"),
    own(
        "models",
        &["model"],
        "[NAME]",
        "list the models, or change to one",
    ),
    own(
        "effort",
        &[],
        "[LEVEL]",
        "how hard the model thinks: none, minimal, low, medium, high, xhigh, max, default",
    ),
    own("tools", &[], "", "list the tools"),
    own("agents", &[], "", "show the agent"),
    own("context", &[], "", "show what fills the context"),
    own(
        "compact",
        &[],
        "[FOCUS]",
        "make the conversation shorter; what to keep above all",
    ),
    own("todo", &[], "", "show the task list"),
    own("skills", &[], "", "list the skills"),
    own("skill", &[], "NAME [TEXT]", "load a skill, with a prompt"),
    own("commands", &[], "", "list your own commands"),
    own(
        "undo",
        &[],
        "",
        "take back the file changes of the last run",
    ),
    own("redo", &[], "", "take the last undo back"),
    own(
        "revert",
        &["rewind"],
        "[N]",
        "conversation and files back to before message N, or the last prompt",
    ),
    own(
        "history",
        &[],
        "",
        "list your prompts with their numbers, for /revert and /fork",
    ),
    own("diff", &[], "", "show what this session changed"),
    own("fork", &[], "[N]", "go on in a copy, cut after message N"),
    own("rename", &[], "TITLE", "give this session a title"),
    own(
        "pin",
        &[],
        "[on|off]",
        "keep this session when old ones are removed",
    ),
    own(
        "search",
        &[],
        "TEXT",
        "find sessions in which a text occurs",
    ),
    own(
        "handoff",
        &[],
        "[GOAL]",
        "write what somebody needs to go on",
    ),
    own("cost", &[], "", "show the tokens used and what they cost"),
    own("permissions", &[], "", "show what runs without asking"),
    own("jobs", &[], "", "list background processes"),
    own(
        "mode",
        &[],
        "[single|multi]",
        "show or set whether agents may delegate",
    ),
    own("init", &[], "", "draft an AGENTS.md for this project"),
    own(
        "theme",
        &[],
        "[NAME]",
        "choose the colours of the terminal interface",
    ),
    own(
        "export",
        &[],
        "[FILE]",
        "write this session: markdown, or what the ending .html or .json says",
    ),
    own("stop", &[], "", "stop what runs"),
    own("exit", &["quit"], "", "leave; the session can be resumed"),
];
