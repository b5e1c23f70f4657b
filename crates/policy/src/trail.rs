//! The way to a verdict: which rules were looked at, and the one that decided.
//! Says nothing of how strict a call is to be taken; that is `judge` and `line`.

use crate::rule::Rule;
use tenon_vocab::{Class, Responders, RuleTried};

/// What one question about a call came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub class: Class,
    pub reason: String,
    pub responders: Responders,
    /// Whether it is the rule for commands that only read that allows.
    pub reads: bool,
}

impl Verdict {
    pub(crate) fn new(class: Class, reason: impl Into<String>) -> Self {
        Self {
            class,
            reason: reason.into(),
            responders: Responders::Any,
            reads: false,
        }
    }

    pub(crate) fn of_a_reader(self) -> Self {
        Self {
            reads: self.class == Class::Allow,
            ..self
        }
    }
}

/// One question about a call with its answer; none where nothing spoke of it.
#[derive(Debug)]
pub(crate) struct Finding {
    /// What it was about, as a line of the explanation.
    pub part: String,
    pub verdict: Option<Verdict>,
    pub trail: Trail,
}

/// The rules that were looked at so far, in order.
#[derive(Debug, Default)]
pub(crate) struct Trail(pub Vec<RuleTried>);

impl Trail {
    pub(crate) fn missed(&mut self, rule: impl Into<String>, origin: &str) {
        self.push(rule.into(), origin, false);
    }

    pub(crate) fn missed_rule(&mut self, rule: &Rule) {
        self.push(rule.to_string(), &rule.origin, false);
    }

    /// Notes the rule that decided.
    pub(crate) fn decided(
        &mut self,
        rule: impl Into<String>,
        origin: &str,
        verdict: Verdict,
    ) -> Verdict {
        self.push(rule.into(), origin, true);
        verdict
    }

    fn push(&mut self, rule: String, origin: &str, matched: bool) {
        self.0.push(RuleTried {
            rule,
            origin: origin.to_owned(),
            matched,
        });
    }
}
