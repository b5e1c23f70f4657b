//! All rules of a session: those that come along and those that people wrote.

use crate::command::CommandPattern;
use crate::guard::Guard;
use crate::parse;
use crate::rule::{Layer, Matcher, Rule, Weight};
use crate::{RuleError, names};
use serde_json::Value;
use tenon_vocab::Decision;

const BUILT_IN: &str = "built-in";

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rules {
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
            "todoread",
            "todowrite",
            "ask_user",
            "done",
            "skill",
            "process",
        ] {
            rules.built(tool, Matcher::Any, Allow);
        }
        rules.built(names::EDIT_GROUP, Matcher::Any, Ask);
        rules.built(names::EDIT_GROUP, Matcher::Guarded(Guard::Vendored), Deny);
        rules.built("task", Matcher::Any, Ask);
        rules.built("bash", Matcher::Any, Ask);
        // These hold only while it is certain what they read: see `reading`.
        for pattern in ["ls *", "cat *", "grep *"] {
            if let Some(pattern) = CommandPattern::new(pattern) {
                rules.built("bash", Matcher::Command(pattern), Allow);
            }
        }
        rules.built(names::EXTERNAL_DIRECTORY, Matcher::Any, Deny);
        rules
    }

    fn built(&mut self, tool: &str, matcher: Matcher, decision: Decision) {
        self.rules.push(Rule {
            tool: tool.to_owned(),
            matcher,
            decision,
            weight: Weight::Fallback,
            reason: None,
            origin: BUILT_IN.to_owned(),
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
        self.rules.extend(rules);
        Ok(())
    }

    pub fn add(&mut self, rule: Rule) {
        self.rules.push(rule);
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

    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }
}
