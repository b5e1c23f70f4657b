//! All rules of a session: those that come along and those that people wrote.

use crate::guard::Guard;
use crate::parse;
use crate::rule::{Answers, Layer, Matcher, PathPattern, Rule, Weight};
use crate::{RuleError, names};
use serde_json::Value;
use std::cmp::Ordering;
use tenon_vocab::Decision;
use tenon_vocab::names::tool;

const BUILT_IN: &str = "built-in";
/// The built-in hook that keeps secrets (H3), which is these rules seen as one.
pub(crate) const PROTECT_ENV_FILES: &str = "built-in hook";

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rules {
    /// Most specific first, whatever the order in which they came.
    rules: Vec<Rule>,
    /// Folders of the program itself, which no file tool may change.
    own_folders: Vec<String>,
}

impl Rules {
    /// No rules at all: every call asks. The start of an agent's own rules.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// The default policy.
    #[must_use]
    pub fn built_in() -> Self {
        use Decision::{Allow, Ask, Deny};
        let mut rules = Self::default();
        rules.built("*", Matcher::Any, Ask);
        for tool in names::READING {
            rules.built(tool, Matcher::Any, Allow);
            rules.built(tool, Matcher::Guarded(Guard::Secret), Ask);
        }
        for tool in [
            tool::TODO_READ,
            tool::TODO_WRITE,
            tool::ASK_USER,
            tool::DONE,
            tool::SKILL,
            tool::PROCESS,
        ] {
            rules.built(tool, Matcher::Any, Allow);
        }
        rules.built(names::EDIT_GROUP, Matcher::Any, Ask);
        rules.built(names::EDIT_GROUP, Matcher::Guarded(Guard::Vendored), Deny);
        rules.built(names::EDIT_GROUP, Matcher::Guarded(Guard::Secret), Deny);
        rules.built(tool::TASK, Matcher::Any, Ask);
        rules.built(tool::BASH, Matcher::Any, Ask);
        // Which these are, and how it is certain, says `reading`.
        rules.built(tool::BASH, Matcher::Reads, Allow);
        rules.built(names::EXTERNAL_DIRECTORY, Matcher::Any, Deny);
        rules
    }

    fn built(&mut self, tool: &str, matcher: Matcher, decision: Decision) {
        let origin = match matcher {
            Matcher::Guarded(Guard::Secret) => PROTECT_ENV_FILES,
            _ => BUILT_IN,
        };
        self.add(Rule {
            tool: tool.to_owned(),
            matcher,
            decision,
            answers: Answers::Lasting,
            weight: Weight::Fallback,
            reason: None,
            origin: origin.to_owned(),
            layer: Layer::BuiltIn,
        });
    }

    /// Adds what a configuration says under `permission`: one decision for
    /// everything, an object by tool, or a list of rules.
    ///
    /// # Errors
    /// When the value has another shape, or a pattern cannot be read. Nothing is
    /// added then.
    pub fn add_config(
        &mut self,
        value: &Value,
        layer: Layer,
        origin: &str,
    ) -> Result<(), RuleError> {
        let rules = parse::rules(value, layer, origin)?;
        rules.into_iter().for_each(|rule| self.add(rule));
        Ok(())
    }

    pub fn add(&mut self, rule: Rule) {
        let at = self
            .rules
            .partition_point(|held| held.before(&rule) != Ordering::Greater);
        self.rules.insert(at, rule);
    }

    /// The same rule as it would be if another decision were written there.
    pub fn rewrite(&mut self, held: &Rule, decision: Decision) {
        let mut rule = Rule {
            decision,
            answers: Answers::Lasting,
            ..held.clone()
        };
        // What a path pattern covers depends on what it decides.
        if let Matcher::Path(pattern) = &held.matcher {
            let Ok(pattern) = PathPattern::new(&pattern.text, decision) else {
                return;
            };
            rule.matcher = Matcher::Path(pattern);
        }
        let count = self.rules.len();
        self.rules.retain(|one| one != held);
        if self.rules.len() < count {
            self.add(rule);
        }
    }

    /// Names a folder of the program itself (configuration, state), absolute or
    /// relative to the root. No file tool may change anything in it.
    pub fn protect_folder(&mut self, folder: &str) {
        let folder = folder.trim_end_matches(['/', '\\']);
        if !folder.is_empty() && folder != "." {
            self.own_folders.push(folder.to_owned());
        }
    }

    pub(crate) fn own_folders(&self) -> &[String] {
        &self.own_folders
    }

    /// Most specific first.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }
}
