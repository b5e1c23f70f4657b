//! The commands that begin with `/`, parsed once for every front end. What the
//! engine does becomes a [`Command`] or a [`Query`]; what a front end does by
//! itself becomes a [`Local`].

use tenon_vocab::{Command, Query};

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
    ("models", "", "list the models of the server"),
    ("tools", "", "list the tools"),
    ("agents", "", "show the agent"),
    ("context", "", "show what fills the context"),
    ("cost", "", "show the tokens used"),
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
        "models" => Slash::Query(Query::Models),
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

/// Commands that begin with what was typed.
#[must_use]
pub fn complete(line: &str) -> Vec<String> {
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
