//! The commands that begin with `/`, parsed once for every front end. What the
//! engine does becomes a [`Command`] or a [`Query`]; what a front end does by
//! itself becomes a [`Local`].

mod reading;
mod table;
#[cfg(test)]
mod tests;

use crate::parts::ContextParts;
pub use reading::{read, words};
pub use table::{Own, SLASH};
use tenon_vocab::names::squash;
pub use tenon_vocab::slash::{Line, Local, Pinning};
use tenon_vocab::{Command, PermissionMode, Query, SettingsChange, Switch, effort};

/// The names that are not Tenon's: commands of the user and of the project, and
/// skills. They do not change while a session is open.
#[derive(Debug, Clone, Default)]
pub struct Names {
    pub commands: Vec<String>,
    pub skills: Vec<String>,
}

impl Names {
    #[must_use]
    pub fn of(context: &ContextParts) -> Self {
        let commands = context.commands.iter();
        let skills = context.skills.iter();
        Self {
            commands: commands.map(|command| command.name.clone()).collect(),
            skills: skills.map(|skill| skill.name.clone()).collect(),
        }
    }

    /// As loading one by name takes it: case and hyphens do not matter.
    fn has_skill(&self, name: &str) -> bool {
        let plain = squash(name);
        let is = |known: &String| known == name || plain.is_some() && squash(known) == plain;
        self.skills.iter().any(is)
    }

    fn no_skill(&self, name: &str) -> String {
        let names: Vec<&str> = self.skills.iter().map(String::as_str).collect();
        match tenon_tools::input::suggest_name(name, &names) {
            Some(near) => format!("There is no skill `{name}`. Did you mean `{near}`?"),
            None => format!("There is no skill `{name}`. /skills lists those there are."),
        }
    }

    fn nearest(&self, name: &str) -> Option<String> {
        let own = self.commands.iter().chain(&self.skills);
        let names: Vec<&str> = own.map(String::as_str).collect();
        tenon_tools::input::suggest_name(name, &names)
    }
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
    let known = SLASH.iter().find(|own| own.names().any(|own| own == name));
    // What is written after it is meant: to pass it over would do another thing.
    if let Some(own) = known.filter(|own| own.argument.is_empty() && argument.is_some()) {
        return Some(Slash::Misused(format!(
            "/{} takes no argument; nothing was done.",
            own.name
        )));
    }
    Some(match known.map_or(name, |own| own.name) {
        "help" => Slash::Local(Local::Help),
        "new" => Slash::Local(Local::New),
        "clear" => Slash::Local(Local::Clear),
        "sessions" => Slash::Local(Local::Sessions),
        "resume" => Slash::Local(Local::Resume(argument)),
        "export" => Slash::Local(Local::Export(argument)),
        "init" => Slash::Local(Local::Init),
        "mode" => mode(argument),
        "add-dir" => match argument {
            Some(folder) => Slash::Command(Command::Settings(SettingsChange::add_dir(folder))),
            None => Slash::Misused(String::from("write it as /add-dir DIR")),
        },
        "exit" => Slash::Local(Local::Exit),
        "stop" => Slash::Command(Command::Interrupt),
        "models" => named(argument, "/models", Query::Models, |name| Switch {
            model: Some(name),
            ..Switch::default()
        }),
        "provider" => named(argument, "/provider", Query::Providers, |name| Switch {
            provider: Some(name),
            ..Switch::default()
        }),
        "agent" => named(argument, "/agent", Query::Agents, |name| Switch {
            agent: Some(name),
            ..Switch::default()
        }),
        "effort" => effort(argument.as_deref()),
        "compact" => Slash::Command(Command::Compact { focus: argument }),
        "undo" => Slash::Command(Command::Undo),
        "redo" => Slash::Command(Command::Redo),
        "history" => Slash::Local(Local::History),
        // Asked for the numbers, and not for the deed.
        "revert" if argument.as_deref() == Some("?") => Slash::Local(Local::History),
        "revert" => numbered(argument, "/revert N", |message| {
            Slash::Command(Command::Revert { message })
        }),
        "fork" => numbered(argument, "/fork N", |message| {
            Slash::Local(Local::Fork(message))
        }),
        "skill" => skill(argument),
        "rename" => with(argument, "/rename TITLE", Local::Rename),
        "search" => with(argument, "/search TEXT", Local::Search),
        "pin" => pin(argument.as_deref()),
        "diff" => Slash::Local(Local::Diff),
        "handoff" => Slash::Local(Local::Handoff(argument)),
        "theme" => Slash::Local(Local::Theme(argument)),
        "todo" => Slash::Query(Query::Todo),
        "skills" => Slash::Query(Query::Skills),
        "commands" => Slash::Query(Query::Commands),
        "tools" => Slash::Query(Query::Tools),
        "mcp" => Slash::Query(Query::Mcp),
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

/// As [`parse`], but a name that is not Tenon's may be one of `names`: a command
/// of the user's own before a skill.
#[must_use]
pub fn resolve(line: &str, names: &Names) -> Option<Slash> {
    let (name, nearest) = match parse(line)? {
        Slash::Unknown { name, nearest } => (name, nearest),
        // Before a run begins: a slip would be its prompt, and name the session.
        Slash::Command(Command::Skill { name, .. }) if !names.has_skill(&name) => {
            return Some(Slash::Misused(names.no_skill(&name)));
        }
        other => return Some(other),
    };
    let rest = line.trim().split_once(char::is_whitespace);
    let rest = rest.map_or("", |(_, rest)| rest.trim()).to_owned();
    Some(if names.commands.contains(&name) {
        Slash::Command(Command::Custom {
            name,
            arguments: rest,
        })
    } else if names.skills.contains(&name) {
        Slash::Command(Command::Skill { name, text: rest })
    } else {
        let nearest = nearest.or_else(|| names.nearest(&name));
        Slash::Unknown { name, nearest }
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
            "{usage}: N is the number of a message; /history lists your prompts with theirs"
        )),
    }
}

fn with(argument: Option<String>, usage: &str, make: impl FnOnce(String) -> Local) -> Slash {
    match argument {
        Some(text) => Slash::Local(make(text)),
        None => Slash::Misused(format!("write it as {usage}")),
    }
}

fn pin(argument: Option<&str>) -> Slash {
    Slash::Local(Local::Pin(match argument {
        None => Pinning::Toggle,
        Some("on") => Pinning::On,
        Some("off") => Pinning::Off,
        Some(_) => return Slash::Misused(String::from("write it as /pin, /pin on or /pin off")),
    }))
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

/// Lists without a name, changes to one with it.
fn named(
    name: Option<String>,
    command: &str,
    list: Query,
    change: impl FnOnce(String) -> Switch,
) -> Slash {
    match name {
        None => Slash::Query(list),
        Some(name) if name.contains(char::is_whitespace) => {
            Slash::Misused(format!("{command} takes one name: {command} NAME"))
        }
        Some(name) => Slash::Command(Command::Switch(change(name))),
    }
}

fn mode(name: Option<String>) -> Slash {
    let Some(name) = name else {
        return Slash::Query(Query::Modes);
    };
    match PermissionMode::named(&name) {
        Some(mode) => Slash::Command(Command::Settings(SettingsChange::permission_mode(mode))),
        None if matches!(name.as_str(), "single" | "multi") => Slash::Misused(String::from(
            "The session stays single: agents can't delegate in this version.",
        )),
        None => Slash::Misused(format!(
            "There is no mode `{name}`. The modes are: {}.",
            PermissionMode::ALL.map(PermissionMode::name).join(", ")
        )),
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

/// What a name is of that is being typed after a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Name {
    Model,
    Provider,
    Agent,
    Skill,
    Mode,
}

/// The beginning of a name, where one is being typed.
#[must_use]
pub fn wants_name(line: &str) -> Option<(Name, &str)> {
    let (command, typed) = line.strip_prefix('/')?.split_once(' ')?;
    let typed = typed.trim_start();
    let own = SLASH
        .iter()
        .find(|own| own.names().any(|name| name == command))?;
    let name = match own.name {
        "models" => Name::Model,
        "provider" => Name::Provider,
        "agent" => Name::Agent,
        "skill" => Name::Skill,
        "mode" => Name::Mode,
        _ => return None,
    };
    (!typed.contains(char::is_whitespace)).then_some((name, typed))
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
    // A name that says all is not offered beside its other one.
    let fits = |own: &Own| {
        let all: Vec<&str> = own.names().filter(|name| name.starts_with(typed)).collect();
        all.first().map(|name| format!("/{name}"))
    };
    SLASH.iter().filter_map(fits).collect()
}

fn nearest(name: &str) -> Option<String> {
    let names: Vec<&str> = SLASH.iter().flat_map(Own::names).collect();
    tenon_tools::input::suggest_name(name, &names)
}
