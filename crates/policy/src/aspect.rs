//! A call taken apart into the single questions that are decided one by one:
//! each command of a line, each path for itself, and each path outside of the
//! root once more for being outside. The strictest answer is the call's.

use crate::guard::Guard;
use crate::rule::Target;
use crate::{Access, EXTERNAL_DIRECTORY, Facts, PathFact, Subject};
use tenon_vocab::Effect;
use tenon_vocab::names::tool;

/// A line of more commands than this is judged as a whole, as one that is not
/// understood: nobody wrote it to be read.
const MOST_PARTS: usize = 32;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Aspect<'a> {
    pub facts: &'a Facts,
    /// The name that rules are looked up by.
    pub tool: &'a str,
    pub target: Target<'a>,
}

/// The action of `process` that types into what runs.
pub(crate) const WRITE: &str = "write";

pub(crate) fn aspects(facts: &Facts) -> Vec<Aspect<'_>> {
    // `process` writes to and ends what `bash` started: bash's rules speak of it too.
    if facts.tool != "process" || only_looks(facts) {
        return by_subject(facts, &facts.tool);
    }
    let own = match &facts.subject {
        // Only what is typed is a text.
        Subject::Command(_) => vec![Aspect {
            facts,
            tool: &facts.tool,
            target: Target::Name(WRITE),
        }],
        _ => by_subject(facts, &facts.tool),
    };
    own.into_iter()
        .chain(by_subject(facts, line_tool(facts)))
        .collect()
}

/// The name by which rules speak of the text of a call: what is typed into a
/// process is a matter of bash.
pub(crate) fn line_tool(facts: &Facts) -> &str {
    match facts.tool.as_str() {
        tool::PROCESS => tool::BASH,
        tool => tool,
    }
}

fn by_subject<'a>(facts: &'a Facts, tool: &'a str) -> Vec<Aspect<'a>> {
    let one = |target| Aspect {
        facts,
        tool,
        target,
    };
    match &facts.subject {
        Subject::Nothing => vec![one(Target::Nothing)],
        Subject::Command(script) => match script.exact() {
            Some(all) if all.len() <= MOST_PARTS => (0..all.len())
                .map(|part| one(Target::Part(script, part)))
                .collect(),
            _ => vec![one(Target::Line(script))],
        },
        Subject::Name(name) => vec![one(Target::Name(name))],
        Subject::Paths(paths) if paths.is_empty() => vec![one(Target::Nothing)],
        Subject::Paths(paths) => {
            let mut found: Vec<Aspect<'_>> = paths.iter().map(Target::Path).map(one).collect();
            let outside = paths.iter().filter(|fact| !fact.inside);
            found.extend(outside.map(|fact| Aspect {
                facts,
                tool: EXTERNAL_DIRECTORY,
                target: Target::Path(fact),
            }));
            found
        }
    }
}

fn only_looks(facts: &Facts) -> bool {
    let named = match &facts.subject {
        Subject::Name(action) => matches!(action.as_str(), "list" | "read" | "wait"),
        _ => false,
    };
    facts.effect == Effect::Read || named
}

impl<'a> Aspect<'a> {
    pub(crate) fn path(&self) -> Option<&'a PathFact> {
        match self.target {
            Target::Path(fact) => Some(fact),
            _ => None,
        }
    }

    pub(crate) fn written_path(&self) -> Option<&'a PathFact> {
        self.path().filter(|fact| fact.access == Access::Write)
    }

    /// The defaults that only a rule which names them can weaken.
    pub(crate) fn guards(&self) -> [Option<Guard>; 2] {
        let fact = self.path().filter(|_| self.tool != EXTERNAL_DIRECTORY);
        Guard::ALL.map(|guard| fact.filter(|fact| guard.stands_before(fact)).map(|_| guard))
    }

    /// What the call is about, for a sentence.
    pub(crate) fn subject(&self) -> String {
        match self.target {
            Target::Path(fact) => format!("`{}`", fact.path),
            Target::Line(script) => format!("`{}`", brief(&script.text)),
            Target::Part(script, part) => match script.exact() {
                Some([_]) | None => format!("`{}`", brief(&script.text)),
                Some(all) => {
                    let argv = all.get(part).map(crate::Simple::argv).unwrap_or_default();
                    format!("`{}`", brief(&argv.join(" ")))
                }
            },
            Target::Name(name) => format!("`{} {name}`", self.facts.tool),
            Target::Nothing => format!("`{}`", self.facts.tool),
        }
    }
}

/// A reason is one sentence: the whole command is shown elsewhere.
fn brief(text: &str) -> String {
    const MAX: usize = 80;
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= MAX && line.len() == text.len() {
        return line.to_owned();
    }
    let head: String = line.chars().take(MAX).collect();
    format!("{head}…")
}
