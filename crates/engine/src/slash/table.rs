//! The list of Tenon's own commands. What they do is said where they are parsed.

use tenon_vocab::slash::Group;

/// A command of Tenon's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Own {
    pub name: &'static str,
    /// Other names of it: as taken as the first one.
    pub aliases: &'static [&'static str],
    /// What may be written after it.
    pub argument: &'static str,
    pub what: &'static str,
    /// Where help lists it.
    pub group: Group,
}

impl Own {
    /// All of its names, the one that is shown first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

const fn own(
    group: Group,
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
        group,
    }
}

/// The source of parsing, of `/help`, of completion and of what a command of the
/// user's own cannot be called.
pub const SLASH: &[Own] = &[
    own(Group::Settings, "help", &["?"], "", "show these commands"),
    own(
        Group::Conversation,
        "new",
        &[],
        "",
        "start a new session, with the configuration read again",
    ),
    own(
        Group::Conversation,
        "clear",
        &[],
        "",
        "start a new session with the same settings",
    ),
    own(
        Group::Sessions,
        "sessions",
        &[],
        "",
        "list the sessions of this directory",
    ),
    own(Group::Sessions, "resume", &[], "[ID]", "resume a session"),
    own(
        Group::Model,
        "models",
        &["model"],
        "[NAME]",
        "list the models, or change to one",
    ),
    own(
        Group::Model,
        "effort",
        &[],
        "[LEVEL]",
        "how hard the model thinks: none, minimal, low, medium, high, xhigh, max, default",
    ),
    own(Group::Model, "tools", &[], "", "list the tools"),
    own(
        Group::Model,
        "provider",
        &["providers"],
        "[NAME]",
        "list the providers, or change to one and its model",
    ),
    own(
        Group::Model,
        "agent",
        &["agents"],
        "[NAME]",
        "list the agents, or change to one",
    ),
    own(
        Group::Model,
        "mode",
        &[],
        "[MODE]",
        "what runs without a question: ask, accept-edits, auto, plan",
    ),
    own(
        Group::Model,
        "add-dir",
        &[],
        "DIR",
        "open a folder outside the project as if it were in it",
    ),
    own(
        Group::Model,
        "mcp",
        &[],
        "",
        "list the MCP servers of this session",
    ),
    own(
        Group::Conversation,
        "context",
        &["status"],
        "",
        "show what fills the context",
    ),
    own(
        Group::Conversation,
        "compact",
        &[],
        "[FOCUS]",
        "compact the conversation; say what to keep above all",
    ),
    own(Group::Changes, "todo", &[], "", "show the task list"),
    own(Group::Model, "skills", &[], "", "list the skills"),
    own(
        Group::Model,
        "skill",
        &[],
        "NAME [TEXT]",
        "load a skill, with a prompt",
    ),
    own(
        Group::Settings,
        "commands",
        &[],
        "",
        "list your own commands",
    ),
    own(
        Group::Changes,
        "undo",
        &[],
        "",
        "undo the file changes of the last run",
    ),
    own(Group::Changes, "redo", &[], "", "redo what was undone last"),
    own(
        Group::Conversation,
        "revert",
        &["rewind"],
        "[N]",
        "take conversation and files back to before message N, or before the last prompt",
    ),
    own(
        Group::Conversation,
        "history",
        &[],
        "",
        "list your prompts with their numbers, for /revert and /fork",
    ),
    own(
        Group::Changes,
        "diff",
        &[],
        "",
        "show what this session changed",
    ),
    own(
        Group::Conversation,
        "fork",
        &[],
        "[N]",
        "continue in a copy, cut after message N",
    ),
    own(
        Group::Sessions,
        "rename",
        &[],
        "TITLE",
        "give this session a title",
    ),
    own(
        Group::Sessions,
        "pin",
        &[],
        "[on|off]",
        "keep this session when old ones are removed",
    ),
    own(
        Group::Sessions,
        "search",
        &[],
        "TEXT",
        "search the sessions for a text",
    ),
    own(
        Group::Sessions,
        "handoff",
        &[],
        "[GOAL]",
        "write a handoff: what someone needs to continue",
    ),
    own(
        Group::Model,
        "cost",
        &[],
        "",
        "show the tokens used and what they cost",
    ),
    own(
        Group::Model,
        "permissions",
        &["approvals"],
        "",
        "show what is allowed, asked about and denied",
    ),
    own(Group::Changes, "jobs", &[], "", "list background processes"),
    own(
        Group::Settings,
        "init",
        &[],
        "",
        "draft an AGENTS.md for this project",
    ),
    own(
        Group::Settings,
        "theme",
        &[],
        "[NAME]",
        "choose the colours of the terminal interface",
    ),
    own(
        Group::Sessions,
        "export",
        &[],
        "[FILE]",
        "export this session as Markdown, or as HTML or JSON by the file's ending",
    ),
    own(Group::Conversation, "stop", &[], "", "stop the run"),
    own(
        Group::Conversation,
        "exit",
        &["quit"],
        "",
        "leave; the session can be resumed",
    ),
];
