//! Rules as people write them: an object by tool and pattern, or a list.

use crate::command::CommandPattern;
use crate::examples;
use crate::names::{rule_tool, takes_paths};
use crate::path::PathPattern;
use crate::rule::{Answers, Layer, Matcher, Rule, Weight};
use serde_json::{Map, Value};
use tenon_vocab::Decision;
use tenon_vocab::names::tool;

/// A rule that cannot be used. `at` is where it stands below `permission`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", at_prefix(.at))]
pub struct RuleError {
    /// Keys from `permission` down, without it: `["bash", "git *"]`.
    pub at: Vec<String>,
    pub message: String,
}

fn at_prefix(at: &[String]) -> String {
    if at.is_empty() {
        return "`permission`: ".into();
    }
    format!("`permission.{}`: ", at.join("."))
}

pub(crate) fn wrong<T>(at: &[&str], message: impl Into<String>) -> Result<T, RuleError> {
    Err(RuleError {
        at: at.iter().map(|key| (*key).to_owned()).collect(),
        message: message.into(),
    })
}

pub(crate) fn rules(value: &Value, layer: Layer, origin: &str) -> Result<Vec<Rule>, RuleError> {
    let place = Place { layer, origin };
    match value {
        Value::String(_) => Ok(vec![place.rule(
            "*",
            Matcher::Any,
            decision(value, &[])?,
            Weight::Fallback,
        )]),
        Value::Object(tools) => by_tool(tools, &place),
        Value::Array(list) => list
            .iter()
            .enumerate()
            .map(|(index, entry)| listed(entry, &index.to_string(), &place))
            .collect(),
        _ => wrong(
            &[],
            "expected an object of tools, a list of rules, or one of allow, ask, confirm, deny",
        ),
    }
}

/// A decision as a rule writes it.
#[derive(Debug, Clone, Copy)]
struct Said {
    decision: Decision,
    answers: Answers,
}

struct Place<'a> {
    layer: Layer,
    origin: &'a str,
}

impl Place<'_> {
    fn rule(&self, tool: &str, matcher: Matcher, said: Said, weight: Weight) -> Rule {
        Rule {
            tool: tool.to_owned(),
            matcher,
            decision: said.decision,
            answers: said.answers,
            weight,
            reason: None,
            origin: self.origin.to_owned(),
            layer: self.layer,
        }
    }
}

fn by_tool(tools: &Map<String, Value>, place: &Place<'_>) -> Result<Vec<Rule>, RuleError> {
    let mut found = Vec::new();
    for (key, value) in tools {
        let tool = tool_name(key, &[key])?;
        match value {
            Value::String(_) => {
                let weight = if tool == "*" {
                    Weight::Fallback
                } else {
                    Weight::Explicit
                };
                found.push(place.rule(&tool, Matcher::Any, decision(value, &[key])?, weight));
            }
            Value::Object(patterns) => {
                for (pattern, value) in patterns {
                    let said = decision(value, &[key, pattern])?;
                    let matcher = matcher(&tool, pattern, said.decision, &[key, pattern])?;
                    let weight = match matcher {
                        Matcher::Any => Weight::Fallback,
                        _ => Weight::Explicit,
                    };
                    found.push(place.rule(&tool, matcher, said, weight));
                }
            }
            _ => {
                return wrong(
                    &[key],
                    "expected allow, ask, confirm or deny, or an object with one of these for \
                     each pattern",
                );
            }
        }
    }
    Ok(found)
}

fn tool_name(key: &str, at: &[&str]) -> Result<String, RuleError> {
    let tool = rule_tool(key);
    let plain = |c: char| c.is_alphanumeric() || "_-.*?/:@".contains(c);
    if tool.is_empty() || !tool.chars().all(plain) {
        return wrong(at, format!("there is no tool called `{key}`"));
    }
    Ok(tool)
}

fn decision(value: &Value, at: &[&str]) -> Result<Said, RuleError> {
    let (decision, answers) = match value.as_str() {
        Some("allow") => (Decision::Allow, Answers::Lasting),
        Some("ask") => (Decision::Ask, Answers::Lasting),
        Some("confirm") => (Decision::Ask, Answers::EachTime),
        Some("deny") => (Decision::Deny, Answers::Lasting),
        _ => {
            return wrong(
                at,
                format!("expected allow, ask, confirm or deny, found {value}"),
            );
        }
    };
    Ok(Said { decision, answers })
}

fn matcher(
    tool: &str,
    pattern: &str,
    decision: Decision,
    at: &[&str],
) -> Result<Matcher, RuleError> {
    if pattern.trim() == "*" || (takes_paths(tool) && pattern.trim() == "**") {
        return Ok(Matcher::Any);
    }
    if tool == tool::BASH {
        return command(pattern, CommandPattern::new(pattern), decision, at);
    }
    if takes_paths(tool) {
        return path(pattern, decision, at);
    }
    if pattern.trim().is_empty() {
        return wrong(at, "the pattern is empty");
    }
    Ok(Matcher::Name(pattern.trim().to_owned()))
}

fn command(
    text: &str,
    pattern: Option<CommandPattern>,
    decision: Decision,
    at: &[&str],
) -> Result<Matcher, RuleError> {
    let Some(pattern) = pattern else {
        return wrong(
            at,
            format!("`{text}` has no words, or a quote that isn't closed"),
        );
    };
    if decision == Decision::Allow && CommandPattern::is_compound(text) {
        return wrong(
            at,
            format!(
                "`{text}` can never match: a rule that allows is about one plain command. Write \
                 one rule for each command"
            ),
        );
    }
    Ok(Matcher::Command(pattern))
}

fn path(text: &str, decision: Decision, at: &[&str]) -> Result<Matcher, RuleError> {
    match PathPattern::new(text, decision) {
        Ok(pattern) => Ok(Matcher::Path(pattern)),
        Err(why) => wrong(at, format!("`{text}` isn't a path pattern: {why}")),
    }
}

/// `{tool, match: {path_glob | command_prefix | name}, decision, reason, examples}`
fn listed(entry: &Value, index: &str, place: &Place<'_>) -> Result<Rule, RuleError> {
    const KEYS: &[&str] = &["tool", "match", "decision", "reason", "examples"];
    let Value::Object(fields) = entry else {
        return wrong(
            &[index],
            "expected a rule: {tool, match, decision, reason, examples}",
        );
    };
    if let Some(key) = fields.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return wrong(
            &[index, key],
            "a rule has only tool, match, decision, reason and examples",
        );
    }
    let Some(key) = fields.get("tool").and_then(Value::as_str) else {
        return wrong(&[index, "tool"], "expected the name of a tool");
    };
    let tool = tool_name(key, &[index, "tool"])?;
    let said = decision(
        fields.get("decision").unwrap_or(&Value::Null),
        &[index, "decision"],
    )?;
    let matcher = match fields.get("match") {
        None => Matcher::Any,
        Some(wanted) => listed_match(wanted, &tool, said.decision, index)?,
    };
    let weight = match (tool.as_str(), &matcher) {
        ("*", Matcher::Any) => Weight::Fallback,
        _ => Weight::Explicit,
    };
    let mut rule = place.rule(&tool, matcher, said, weight);
    rule.reason = match fields.get("reason") {
        None => None,
        Some(Value::String(reason)) => Some(reason.clone()),
        Some(_) => return wrong(&[index, "reason"], "expected a sentence"),
    };
    if let Some(given) = fields.get("examples") {
        examples::check(&rule, given, index)?;
    }
    Ok(rule)
}

fn listed_match(
    wanted: &Value,
    tool: &str,
    decision: Decision,
    index: &str,
) -> Result<Matcher, RuleError> {
    let one = wanted.as_object().filter(|fields| fields.len() == 1);
    let Some((key, value)) = one.and_then(|fields| fields.iter().next()) else {
        return wrong(
            &[index, "match"],
            "expected one of path_glob, command_prefix or name",
        );
    };
    let at = [index, "match", key.as_str()];
    let Some(text) = value.as_str() else {
        return wrong(&at, "expected a text");
    };
    match key.as_str() {
        "command_prefix" | "commandPrefix" if tool == tool::BASH => {
            command(text, CommandPattern::prefix(text), decision, &at)
        }
        "command_prefix" | "commandPrefix" => wrong(&at, "only rules for bash can have it"),
        "path_glob" | "pathGlob" if takes_paths(tool) => matcher(tool, text, decision, &at),
        "path_glob" | "pathGlob" => wrong(&at, "only rules for file tools can have it"),
        "name" if !takes_paths(tool) && tool != tool::BASH => matcher(tool, text, decision, &at),
        _ => wrong(&at, "expected one of path_glob, command_prefix or name"),
    }
}
