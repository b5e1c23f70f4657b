//! The tools that Tenon brings with it, in the order in which the model is
//! told of them, and the few words that all of them share.

use crate::ask_user::AskUser;
use crate::bash::Bash;
use crate::contract::{Tool, ToolSource};
use crate::files::{
    edit::Edit, glob::Glob, grep::Grep, list::List, patch::Patch, read::Read, write::Write,
};
use crate::process::Process;
use crate::skill::Skill;
use crate::todo::{TodoRead, TodoWrite};
use serde_json::{Map, Value};
use std::sync::Arc;
use tenon_policy::{Facts, Subject};
use tenon_vocab::names::tool;
use tenon_vocab::profile::{SkillInfo, ToolLimits};
use tenon_vocab::{Effect, ToolSpec};

/// Whether somebody can answer a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interactive {
    Yes,
    No,
}

/// The built-in tools.
pub struct BuiltIn {
    tools: Vec<Arc<dyn Tool>>,
}

impl std::fmt::Debug for BuiltIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.tools.iter().map(|tool| &tool.spec().name);
        f.debug_list().entries(names).finish()
    }
}

impl BuiltIn {
    /// `ask_user` is there only where somebody can answer (T13).
    #[must_use]
    pub fn new(interactive: Interactive) -> Self {
        let mut tools: Vec<Arc<dyn Tool>> = vec![
            Arc::new(Read::new()),
            Arc::new(Write::new()),
            Arc::new(Edit::new()),
            Arc::new(Patch::new()),
            Arc::new(List::new()),
            Arc::new(Glob::new()),
            Arc::new(Grep::new()),
            Arc::new(Bash::new()),
            Arc::new(Process::new()),
            Arc::new(TodoRead::new()),
            Arc::new(TodoWrite::new()),
        ];
        if interactive == Interactive::Yes {
            tools.push(Arc::new(AskUser::new()));
        }
        Self { tools }
    }

    /// All of them, also those that need somebody to talk to or something to
    /// load.
    #[must_use]
    pub fn every() -> Self {
        let mut all = Self::new(Interactive::Yes);
        all.tools.push(Arc::new(Skill::new(Vec::new())));
        all
    }

    /// With the times that hold for commands.
    #[must_use]
    pub fn with_limits(mut self, limits: &ToolLimits) -> Self {
        for tool in &mut self.tools {
            if tool.spec().name == tool::BASH {
                *tool = Arc::new(Bash::with_limits(limits));
            }
        }
        self
    }

    /// With the tool that loads skills, where there is one that a model may load.
    #[must_use]
    pub fn with_skills(mut self, skills: &[SkillInfo]) -> Self {
        let offered: Vec<SkillInfo> = skills
            .iter()
            .filter(|skill| !skill.user_only)
            .cloned()
            .collect();
        if !offered.is_empty() {
            self.tools.push(Arc::new(Skill::new(offered)));
        }
        self
    }
}

impl ToolSource for BuiltIn {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.tools.clone()
    }
}

pub(crate) fn spec(name: &str, description: &str, effect: Effect, parameters: Value) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters,
        effect,
        source: String::from("built-in"),
    }
}

pub(crate) fn facts(spec: &ToolSpec, subject: Subject, input: &Value) -> Facts {
    Facts {
        tool: spec.name.clone(),
        effect: spec.effect,
        subject,
        input: canonical(input).to_string(),
    }
}

/// The same input always gives the same text, whatever the order of its keys.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort();
            let sorted: Map<String, Value> = names
                .into_iter()
                .map(|name| (name.clone(), canonical(&fields[name])))
                .collect();
            Value::Object(sorted)
        }
        Value::Array(items) => Value::Array(items.iter().map(canonical).collect()),
        other => other.clone(),
    }
}

pub(crate) fn text<'a>(input: &'a Value, key: &str) -> Option<&'a str> {
    input.get(key).and_then(Value::as_str)
}

pub(crate) fn number(input: &Value, key: &str) -> Option<u64> {
    input.get(key).and_then(Value::as_u64)
}

#[cfg(test)]
mod tests {
    use super::canonical;
    use serde_json::json;

    #[test]
    fn key_order_does_not_change_the_canonical_input() {
        let one = json!({"b": [{"y": 1, "x": 2}], "a": null});
        let two = json!({"a": null, "b": [{"x": 2, "y": 1}]});
        assert_eq!(canonical(&one).to_string(), canonical(&two).to_string());
        assert_eq!(
            canonical(&one).to_string(),
            r#"{"a":null,"b":[{"x":2,"y":1}]}"#
        );
    }
}
