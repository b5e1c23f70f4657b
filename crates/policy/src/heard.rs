//! The rules that speak of one question, gathered once, most specific first.

use crate::aspect::Aspect;
use crate::names::{only_talks, speaks_of};
use crate::rule::{Matcher, Rule, strictness};
use crate::{EXTERNAL_DIRECTORY, Rules};
use tenon_vocab::Decision;

#[derive(Debug)]
pub(crate) struct Heard<'r> {
    /// The calling agent's own.
    pub own: Vec<&'r Rule>,
    /// Everybody's.
    pub all: Vec<&'r Rule>,
}

impl<'r> Heard<'r> {
    pub(crate) fn about(aspect: &Aspect<'_>, all: &'r Rules, own: Option<&'r Rules>) -> Self {
        Self {
            own: own.map(|own| speaking(own, aspect)).unwrap_or_default(),
            all: speaking(all, aspect),
        }
    }
}

fn speaking<'r>(rules: &'r Rules, aspect: &Aspect<'_>) -> Vec<&'r Rule> {
    let guards = aspect.guards();
    let access = aspect.path().map(|fact| fact.access);
    let speaks = |rule: &Rule| match rule.tool.as_str() {
        // Being outside of the root is a question of its own, and so is talking.
        "*" if aspect.tool == EXTERNAL_DIRECTORY => false,
        "*" if only_talks(aspect.tool) => rule.decision == Decision::Deny,
        name => speaks_of(name, aspect.tool),
    };
    // What is guarded yields only to a rule that names it.
    let strong = |rule: &Rule| {
        guards.iter().flatten().all(|guard| {
            let strict = access
                .is_none_or(|access| strictness(rule.class()) >= strictness(guard.class(access)));
            strict
                || matches!(&rule.matcher, Matcher::Path(pattern) if pattern.names == Some(*guard))
        })
    };
    rules
        .iter()
        .filter(|rule| speaks(rule) && strong(rule))
        .collect()
}
