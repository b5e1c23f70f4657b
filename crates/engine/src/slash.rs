//! The commands that begin with `/`, parsed once for every front end. What the
//! engine does becomes a [`Command`] or a [`Query`]; what a front end does by
//! itself becomes a [`Local`].

mod table;

use crate::parts::ContextParts;
pub use table::{Own, SLASH};
use tenon_vocab::names::squash;
pub use tenon_vocab::slash::{Line, Local, Pinning};
use tenon_vocab::{Command, Query, Switch, effort};

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
        "mode" => Slash::Local(Local::Mode(argument)),
        "exit" => Slash::Local(Local::Exit),
        "stop" => Slash::Command(Command::Interrupt),
        "models" => models(argument),
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
    let typed = line
        .strip_prefix("/models ")
        .or_else(|| line.strip_prefix("/model "))?
        .trim_start();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_command_is_understood() {
        for name in SLASH.iter().flat_map(Own::names) {
            let parsed = parse(&format!("/{name}"));
            assert!(
                !matches!(parsed, None | Some(Slash::Unknown { .. })),
                "/{name}"
            );
        }
    }

    #[test]
    fn a_word_after_a_command_that_takes_none_is_not_passed_over() {
        for line in [
            "/undo 2",
            "/redo 5",
            "/diff a.txt",
            "/todo clear",
            "/stop it",
        ] {
            let Some(Slash::Misused(said)) = parse(line) else {
                panic!("{line} was understood")
            };
            assert!(said.contains("takes no argument"), "{said}");
        }
        assert_eq!(parse("/undo "), Some(Slash::Command(Command::Undo)));
        for (line, wanted) in [
            ("/pin", Pinning::Toggle),
            ("/pin on", Pinning::On),
            ("/pin off", Pinning::Off),
        ] {
            assert_eq!(
                parse(line),
                Some(Slash::Local(Local::Pin(wanted))),
                "{line}"
            );
        }
        assert!(matches!(parse("/pin never"), Some(Slash::Misused(_))));
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
    fn another_name_of_a_command_means_the_same() {
        for (other, name) in [("/model", "/models"), ("/quit", "/exit"), ("/?", "/help")] {
            assert_eq!(parse(other), parse(name), "{other}");
        }
        let mut names: Vec<&str> = SLASH.iter().flat_map(Own::names).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all, "a name stands for two commands");
        assert_eq!(complete("/mode"), ["/models", "/mode"]);
        assert_eq!(complete("/q"), ["/quit"]);
        assert_eq!(wants_model("/model gp"), Some("gp"));
    }

    #[test]
    fn a_skill_that_is_not_there_is_said_before_a_run_begins() {
        let names = Names {
            skills: vec![String::from("release-notes")],
            ..Names::default()
        };
        let Some(Slash::Misused(said)) = resolve("/skill relese-notes for 2.1", &names) else {
            panic!("a run would begin")
        };
        assert!(said.contains("`release-notes`"), "{said}");
        for there in ["/skill release-notes", "/skill Release_Notes now"] {
            assert!(
                matches!(
                    resolve(there, &names),
                    Some(Slash::Command(Command::Skill { .. }))
                ),
                "{there}"
            );
        }
    }

    #[test]
    fn a_name_that_is_not_ours_is_a_command_of_the_user_or_a_skill() {
        let names = Names {
            commands: vec![String::from("review"), String::from("both")],
            skills: vec![String::from("pdf"), String::from("both")],
        };
        let custom = |name: &str, arguments: &str| {
            Slash::Command(Command::Custom {
                name: name.into(),
                arguments: arguments.into(),
            })
        };
        let skill = Slash::Command(Command::Skill {
            name: "pdf".into(),
            text: "fill\nit".into(),
        });
        for (line, wanted) in [
            ("/review  a b ", Some(custom("review", "a b"))),
            ("/both", Some(custom("both", ""))),
            ("/pdf fill\nit", Some(skill.clone())),
            ("/skill pdf fill\nit", Some(skill)),
            ("/undo", parse("/undo")),
            ("/etc/hosts", None),
        ] {
            assert_eq!(resolve(line, &names), wanted, "{line}");
        }
        let Some(Slash::Unknown { nearest, .. }) = resolve("/reviw", &names) else {
            panic!("understood")
        };
        assert_eq!(nearest.as_deref(), Some("review"));
    }

    #[test]
    fn a_revert_without_a_number_acts_and_a_question_mark_only_lists() {
        let revert = |message| Some(Slash::Command(Command::Revert { message }));
        assert_eq!(parse("/revert"), revert(None));
        assert_eq!(parse("/revert 3"), revert(Some(3)));
        assert_eq!(parse("/revert ?"), Some(Slash::Local(Local::History)));
        assert_eq!(parse("/history"), Some(Slash::Local(Local::History)));
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
