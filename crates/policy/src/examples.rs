//! Examples that a rule carries: what it must match and what it must not. They
//! are held against the rule when it is read, and then forgotten.

use crate::analyse;
use crate::command::wildcard;
use crate::parse::{RuleError, wrong};
use crate::rule::{Matcher, Rule};
use serde_json::Value;
use tenon_vocab::Decision;

/// # Errors
/// When the examples have another shape, or one of them is not what it is given as.
pub(crate) fn check(rule: &Rule, given: &Value, index: &str) -> Result<(), RuleError> {
    let Value::Object(lists) = given else {
        return wrong(
            &[index, "examples"],
            "expected {match: [texts], not_match: [texts]}",
        );
    };
    for (key, list) in lists {
        let wanted = match key.as_str() {
            "match" => true,
            "not_match" | "notMatch" => false,
            _ => {
                return wrong(
                    &[index, "examples", key],
                    "examples go under match and not_match",
                );
            }
        };
        let Value::Array(texts) = list else {
            return wrong(&[index, "examples", key], "expected a list of strings");
        };
        for (at, text) in texts.iter().enumerate() {
            let at = [index, "examples", key, &at.to_string()];
            let Some(text) = text.as_str() else {
                return wrong(&at, "expected a text");
            };
            if fits(rule, text) != wanted {
                let not = if wanted { "does not match" } else { "matches" };
                return wrong(
                    &at,
                    format!(
                        "the rule `{rule}` {not} its example `{text}`: change the rule or \
                         the example"
                    ),
                );
            }
        }
    }
    Ok(())
}

/// Whether a call about this text would meet the rule: each command of a line for
/// a rule that allows, any of them for one that asks or denies.
fn fits(rule: &Rule, text: &str) -> bool {
    match &rule.matcher {
        Matcher::Any => true,
        Matcher::Command(pattern) => {
            let script = analyse(text);
            match rule.decision {
                Decision::Allow => script
                    .exact()
                    .is_some_and(|all| all.iter().all(|command| pattern.allows(command))),
                Decision::Ask | Decision::Deny => pattern.is_found_in(&script),
            }
        }
        Matcher::Path(pattern) => pattern.matches(text.strip_prefix("./").unwrap_or(text)),
        Matcher::Name(pattern) => wildcard(pattern, text),
        Matcher::Guarded(_) | Matcher::Reads => false,
    }
}
