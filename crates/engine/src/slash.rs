//! The commands that begin with `/`, parsed once for every front end. What the
//! engine does becomes a [`Command`] or a [`Query`]; what a front end does by
//! itself becomes a [`Local`].

use tenon_vocab::{Command, Query, Switch, effort};

/// Done by the front end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Local {
    Help,
    /// A new session with the same settings; the old one stays resumable (U9).
    Clear,
    /// The same, with the configuration read again.
    New,
    Exit,
    Sessions,
    Resume(Option<String>),
    /// Where to; the default is the screen.
    Export(Option<String>),
    /// Draft an AGENTS.md and ask before writing it.
    Init,
    Mode(Option<String>),
    /// How hard the model thinks now.
    Effort,
    /// A copy of this session, cut after a message, by its number.
    Fork(Option<u32>),
    Rename(String),
    /// Whether it stays when old sessions are removed.
    Pin,
    /// Sessions in which a text occurs.
    Search(String),
    /// What the session changed, as a diff.
    Diff,
    /// A handoff for this goal.
    Handoff(Option<String>),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Slash {
    Command(Command),
    Query(Query),
    Local(Local),
    /// Not one of ours; the nearest that is.
    Unknown {
        name: String,
        nearest: Option<String>,
    },
    /// One of ours with something that it cannot be used with; what to write.
    Misused(String),
}

/// Name, argument and what it does: the source of `/help` and of completion.
pub const SLASH: &[(&str, &str, &str)] = &[
    ("help", "", "show these commands"),
    (
        "new",
        "",
        "start a new session, with the configuration read again",
    ),
    ("clear", "", "start a new session with the same settings"),
    ("sessions", "", "list the sessions of this directory"),
    ("resume", "[ID]", "go on with a session"),
    ("models", "[NAME]", "list the models, or change to one"),
    (
        "effort",
        "[LEVEL]",
        "how hard the model thinks: none, minimal, low, medium, high, xhigh, max, default",
    ),
    ("tools", "", "list the tools"),
    ("agents", "", "show the agent"),
    ("context", "", "show what fills the context"),
    (
        "compact",
        "[FOCUS]",
        "make the conversation shorter; what to keep above all",
    ),
    ("todo", "", "show the task list"),
    ("skills", "", "list the skills"),
    ("skill", "NAME [TEXT]", "load a skill, with a prompt"),
    ("commands", "", "list your own commands"),
    ("undo", "", "take back the file changes of the last run"),
    ("redo", "", "take the last undo back"),
    (
        "revert",
        "[N]",
        "conversation and files back to before message N, or the last prompt",
    ),
    ("diff", "", "show what this session changed"),
    ("fork", "[N]", "go on in a copy, cut after message N"),
    ("rename", "TITLE", "give this session a title"),
    ("pin", "", "keep this session when old ones are removed"),
    ("search", "TEXT", "find sessions in which a text occurs"),
    ("handoff", "[GOAL]", "write what somebody needs to go on"),
    ("cost", "", "show the tokens used and what they cost"),
    ("permissions", "", "show what runs without asking"),
    ("jobs", "", "list background processes"),
    (
        "mode",
        "[single|multi]",
        "show or set whether agents may delegate",
    ),
    ("init", "", "draft an AGENTS.md for this project"),
    ("export", "[FILE]", "write this session as markdown"),
    ("stop", "", "stop what runs"),
    ("exit", "", "leave; the session can be resumed"),
    ("quit", "", "the same"),
];

/// Parses a line that begins with `/`; `None` for any other, and for a path such
/// as `/etc/hosts`.
#[must_use]
pub fn parse(line: &str) -> Option<Slash> {
    let rest = line.trim().strip_prefix('/')?;
    let (name, argument) = match rest.split_once(char::is_whitespace) {
        Some((name, argument)) => (
            name,
            Some(argument.trim().to_owned()).filter(|a| !a.is_empty()),
        ),
        None => (rest, None),
    };
    if name.is_empty() || name.contains('/') {
        return None;
    }
    Some(match name {
        "help" | "?" => Slash::Local(Local::Help),
        "new" => Slash::Local(Local::New),
        "clear" => Slash::Local(Local::Clear),
        "sessions" => Slash::Local(Local::Sessions),
        "resume" => Slash::Local(Local::Resume(argument)),
        "export" => Slash::Local(Local::Export(argument)),
        "init" => Slash::Local(Local::Init),
        "mode" => Slash::Local(Local::Mode(argument)),
        "exit" | "quit" => Slash::Local(Local::Exit),
        "stop" => Slash::Command(Command::Interrupt),
        "models" | "model" => models(argument),
        "effort" => effort(argument.as_deref()),
        "compact" => Slash::Command(Command::Compact { focus: argument }),
        "undo" => Slash::Command(Command::Undo),
        "redo" => Slash::Command(Command::Redo),
        "revert" => numbered(argument, "/revert N", |message| {
            Slash::Command(Command::Revert { message })
        }),
        "fork" => numbered(argument, "/fork N", |message| {
            Slash::Local(Local::Fork(message))
        }),
        "skill" => skill(argument),
        "rename" => with(argument, "/rename TITLE", Local::Rename),
        "search" => with(argument, "/search TEXT", Local::Search),
        "pin" => Slash::Local(Local::Pin),
        "diff" => Slash::Local(Local::Diff),
        "handoff" => Slash::Local(Local::Handoff(argument)),
        "todo" => Slash::Query(Query::Todo),
        "skills" => Slash::Query(Query::Skills),
        "commands" => Slash::Query(Query::Commands),
        "tools" => Slash::Query(Query::Tools),
        "agents" => Slash::Query(Query::Agents),
        "context" => Slash::Query(Query::Context),
        "cost" => Slash::Query(Query::Cost),
        "permissions" => Slash::Query(Query::Grants),
        "jobs" => Slash::Query(Query::Jobs),
        other => Slash::Unknown {
            name: other.to_owned(),
            nearest: nearest(other),
        },
    })
}

fn numbered(
    argument: Option<String>,
    usage: &str,
    make: impl FnOnce(Option<u32>) -> Slash,
) -> Slash {
    match argument.map(|text| text.parse::<u32>()) {
        None => make(None),
        Some(Ok(number)) => make(Some(number)),
        Some(Err(_)) => Slash::Misused(format!(
            "{usage}: N is the number of a message, as `tenon sessions show` counts them"
        )),
    }
}

fn with(argument: Option<String>, usage: &str, make: impl FnOnce(String) -> Local) -> Slash {
    match argument {
        Some(text) => Slash::Local(make(text)),
        None => Slash::Misused(format!("write it as {usage}")),
    }
}

fn skill(argument: Option<String>) -> Slash {
    let Some(argument) = argument else {
        return Slash::Query(Query::Skills);
    };
    let (name, text) = match argument.split_once(char::is_whitespace) {
        Some((name, text)) => (name, text.trim()),
        None => (argument.as_str(), ""),
    };
    Slash::Command(Command::Skill {
        name: name.to_owned(),
        text: text.to_owned(),
    })
}

fn models(name: Option<String>) -> Slash {
    match name {
        None => Slash::Query(Query::Models),
        Some(name) if name.contains(char::is_whitespace) => {
            Slash::Misused(String::from("/models takes one name: /models NAME"))
        }
        Some(name) => Slash::Command(Command::Switch(Switch {
            model: Some(name),
            ..Switch::default()
        })),
    }
}

fn effort(level: Option<&str>) -> Slash {
    let Some(level) = level else {
        return Slash::Local(Local::Effort);
    };
    match effort::read(level) {
        Ok(level) => Slash::Command(Command::Switch(Switch {
            effort: Some(level),
            ..Switch::default()
        })),
        Err(error) => Slash::Misused(format!("/effort: {error}")),
    }
}

/// The beginning of a model's name, where one is being typed.
#[must_use]
pub fn wants_model(line: &str) -> Option<&str> {
    let typed = line.strip_prefix("/models ")?.trim_start();
    (!typed.contains(char::is_whitespace)).then_some(typed)
}

/// The beginning of a skill's name, where one is being typed.
#[must_use]
pub fn wants_skill(line: &str) -> Option<&str> {
    let typed = line.strip_prefix("/skill ")?.trim_start();
    (!typed.contains(char::is_whitespace)).then_some(typed)
}

/// Commands that begin with what was typed, or what may follow one.
#[must_use]
pub fn complete(line: &str) -> Vec<String> {
    if let Some(typed) = line.strip_prefix("/effort ") {
        return effort::LEVELS
            .iter()
            .chain([&effort::DEFAULT])
            .filter(|level| level.starts_with(typed.trim_start()))
            .map(|&level| level.to_owned())
            .collect();
    }
    let typed = line.trim_start_matches('/');
    SLASH
        .iter()
        .filter(|(name, _, _)| name.starts_with(typed))
        .map(|(name, _, _)| format!("/{name}"))
        .collect()
}

fn nearest(name: &str) -> Option<String> {
    let names: Vec<&str> = SLASH.iter().map(|(name, _, _)| *name).collect();
    tenon_tools::input::suggest_name(name, &names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_command_is_understood() {
        for (name, _, _) in SLASH {
            let parsed = parse(&format!("/{name}"));
            assert!(
                !matches!(parsed, None | Some(Slash::Unknown { .. })),
                "/{name}"
            );
        }
    }

    #[test]
    fn a_model_and_an_effort_are_switched_to_by_name() {
        let model = |name: &str| Switch {
            model: Some(name.into()),
            ..Switch::default()
        };
        let effort = |level: &str| Switch {
            effort: Some(level.into()),
            ..Switch::default()
        };
        for (line, wanted) in [
            ("/models gpt-x", model("gpt-x")),
            ("/models  other/big-1 ", model("other/big-1")),
            ("/effort High", effort("high")),
            ("/effort default", effort("default")),
            ("/effort turbo", effort("turbo")),
            ("/effort none", effort("none")),
        ] {
            let wanted = Slash::Command(Command::Switch(wanted));
            assert_eq!(parse(line), Some(wanted), "{line}");
        }
        assert_eq!(parse("/models"), Some(Slash::Query(Query::Models)));
        assert!(matches!(
            parse("/effort very high"),
            Some(Slash::Misused(_))
        ));
        assert_eq!(parse("/effort"), Some(Slash::Local(Local::Effort)));
        assert!(matches!(parse("/models a b"), Some(Slash::Misused(_))));
    }

    #[test]
    fn what_follows_a_command_is_completed_too() {
        assert_eq!(wants_model("/models gp"), Some("gp"));
        assert_eq!(wants_model("/models"), None);
        assert_eq!(complete("/effort m"), ["minimal", "medium", "max"]);
        assert_eq!(complete("/eff"), ["/effort"]);
    }

    #[test]
    fn a_path_is_no_command() {
        assert_eq!(parse("/etc/hosts is broken"), None);
        assert_eq!(parse("what does / mean"), None);
    }

    #[test]
    fn a_typing_error_gets_a_suggestion() {
        let Some(Slash::Unknown { nearest, .. }) = parse("/modles") else {
            panic!("understood")
        };
        assert_eq!(nearest.as_deref(), Some("models"));
    }
}
