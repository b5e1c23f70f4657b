//! The built-in rule that lets commands read: what speaks against it, and whether
//! a whole line rests on it.

use super::Judge;
use crate::aspect::Aspect;
use crate::reading::{Ground, doubt, shows_trees};
use crate::rule::{Layer, Rule, Target};
use crate::script::Stay;
use crate::trail::Finding;
use crate::{Commands, Deed, EXTERNAL_DIRECTORY, Facts, ReadingRoom, Rules, Script, Subject};
use tenon_vocab::names::tool;
use tenon_vocab::{Class, Decision};

impl Judge<'_> {
    pub(super) fn doubt_reading(&self, aspect: &Aspect<'_>) -> Option<String> {
        match aspect.target {
            Target::Part(script, part) => {
                let ground = self.ground(aspect.facts);
                doubt(script, part, ground)
                    .or_else(|| self.unreadable(script, part, ground))
                    .or_else(|| self.unseen(script, part))
                    .or_else(|| noticed(script))
            }
            Target::Line(script) => Some(unclear(script)),
            Target::Nothing | Target::Path(_) | Target::Name(_) => None,
        }
    }

    /// Whether a line runs unasked only because each of its commands reads, and
    /// the sandbox can hold it to that.
    pub(crate) fn holds_read_only(&self, facts: &Facts, findings: &[Finding]) -> bool {
        let mut verdicts = findings
            .iter()
            .flat_map(|finding| &finding.verdict)
            .peekable();
        self.ground(facts) == Ground::Room
            && verdicts.peek().is_some()
            && verdicts.all(|verdict| verdict.reads)
    }

    /// What goes on beside the session is not run in the room.
    fn ground(&self, facts: &Facts) -> Ground {
        let ends_with_its_call = match &facts.subject {
            Subject::Command(script) => facts.tool == tool::BASH && script.stay == Stay::Call,
            _ => false,
        };
        match self.authority.reading_room {
            ReadingRoom::Enforced | ReadingRoom::SomeSecretsShown if ends_with_its_call => {
                Ground::Room
            }
            _ => Ground::Bare,
        }
    }

    /// Why a command that only reads may not read unasked what it names.
    fn unreadable(&self, script: &Script, part: usize, ground: Ground) -> Option<String> {
        let program = script.exact()?.get(part)?.program();
        script.observed_of(part).find_map(|(target, fact)| {
            let Some(fact) = fact else {
                return Some(format!("Tenon has not checked what {program} would read"));
            };
            if target.deed != Deed::Read {
                return Some(format!("{program} would change {}", fact.path));
            }
            let of_system = ground == Ground::Room
                && is_of_system(&fact.path)
                && self.narrowing(&[EXTERNAL_DIRECTORY, tool::READ]).is_none();
            if !fact.inside && !of_system {
                let path = &fact.path;
                return Some(format!(
                    "{program} would read {path}, which is outside the project"
                ));
            }
            let found = self.of_path(tool::READ, fact)?;
            (found.class != Class::Allow)
                .then(|| format!("{program} would read {}: {}", fact.path, found.reason))
        })
    }

    /// A rule by which somebody has written that not everything may be done with
    /// one of these tools.
    fn narrowing(&self, tools: &[&str]) -> Option<&Rule> {
        let own = self.authority.agent_rules.into_iter().flat_map(Rules::iter);
        self.rules.iter().chain(own).find(|rule| {
            rule.layer != Layer::BuiltIn
                && rule.decision != Decision::Allow
                && rule.tool != "*"
                && tools.iter().any(|name| rule.speaks_of(name))
        })
    }

    /// Why a command may not show unasked what is in files that none of its words
    /// names: some are hidden from nobody, or somebody has said which may be read.
    fn unseen(&self, script: &Script, part: usize) -> Option<String> {
        let command = script.exact()?.get(part)?;
        if !shows_trees(command) {
            return None;
        }
        let program = command.program();
        if self.authority.reading_room == ReadingRoom::SomeSecretsShown {
            return Some(format!(
                "{program} could show secrets: the project has more secret files than the \
                 sandbox can hide"
            ));
        }
        let rule = self.narrowing(&[tool::READ])?;
        Some(format!(
            "{program} could show files that the rule `{rule}` ({}) protects",
            rule.origin
        ))
    }
}

/// Whether a file came with the system and says nothing of its user: headers,
/// libraries, documentation, what kind of machine it is. Not what is below
/// `/usr/local`, where people install programs of their own.
fn is_of_system(path: &str) -> bool {
    const FOLDERS: [&str; 3] = ["/usr/include", "/usr/lib", "/usr/share"];
    const FILES: [&str; 8] = [
        "/etc/os-release",
        "/etc/lsb-release",
        "/etc/debian_version",
        "/etc/alpine-release",
        "/proc/cpuinfo",
        "/proc/meminfo",
        "/proc/version",
        "/proc/loadavg",
    ];
    let below = |folder: &&str| {
        let rest = path.strip_prefix(*folder);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    FILES.contains(&path) || FOLDERS.iter().any(below)
}

/// Whatever the walk that only finds has noticed speaks against the proof that a
/// line only reads.
fn noticed(script: &Script) -> Option<String> {
    let mut dangers = script.dangers.iter();
    dangers
        .find(|danger| danger.class == Class::Ask)
        .map(|danger| danger.what.clone())
}

/// Why a line is not judged command by command.
fn unclear(script: &Script) -> String {
    let mut dangers = script.dangers.iter();
    match (
        &script.commands,
        dangers.find(|danger| danger.class == Class::Ask),
    ) {
        (_, Some(danger)) => danger.what.clone(),
        (Commands::Unknown(why), None) => format!("Tenon can't be sure what this line runs: {why}"),
        (Commands::Exact(all), None) => format!(
            "the line has {} commands, too many to check one by one",
            all.len()
        ),
    }
}
