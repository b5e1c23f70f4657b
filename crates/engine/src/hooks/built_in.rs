//! The hooks that come along (H3). They are parts of the policy and of the
//! engine, not commands: what they decide is decided there, and here it gets
//! the name under which people find it. None of them can be switched off, and
//! none of them can fail open.

use super::fire;
use crate::run::Run;
use std::time::Duration;
use tenon_vocab::profile::HookEvent;
use tenon_vocab::{Class, Explanation, RuleTried};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltInHook {
    pub name: &'static str,
    pub event: HookEvent,
    pub about: &'static str,
}

pub const DANGEROUS: &str = "block-dangerous-bash";
pub const SECRET_FILES: &str = "protect-env-files";

pub const BUILT_IN: [BuiltInHook; 4] = [
    BuiltInHook {
        name: DANGEROUS,
        event: HookEvent::PreToolUse,
        about: "commands that never run: they would destroy the system, a disk or a home, or run what was just downloaded",
    },
    BuiltInHook {
        name: SECRET_FILES,
        event: HookEvent::PreToolUse,
        about: ".env and key files: never written, and read only after a yes",
    },
    BuiltInHook {
        name: "mask-secrets",
        event: HookEvent::AfterModelResponse,
        about: "keys and tokens in the model's text and in the output of tools, before anything is stored or sent",
    },
    BuiltInHook {
        name: "inject-env-info",
        event: HookEvent::SessionStart,
        about: "platform, shell and project root, in the system prompt",
    },
];

/// The built-in hook that a verdict of the policy is known by.
#[must_use]
pub fn behind(explanation: &Explanation) -> Option<&'static str> {
    let RuleTried { rule, origin, .. } =
        explanation.tried.iter().rev().find(|rule| rule.matched)?;
    // A rule of the user may contain such a name, too.
    if !origin.starts_with("built-in") {
        return None;
    }
    [DANGEROUS, SECRET_FILES]
        .into_iter()
        .find(|name| rule.contains(name))
}

/// Puts the verdict of a built-in hook on the record. Gives its name when the
/// call is refused by it.
pub(crate) fn report(run: &Run, explanation: &Explanation) -> Option<&'static str> {
    let name = behind(explanation)?;
    let refused = matches!(explanation.class, Class::HardDeny | Class::Deny);
    let result = match explanation.class {
        Class::Allow => return None,
        Class::HardDeny | Class::Deny => "block",
        Class::Confirm | Class::Ask => "warn",
    };
    fire::record(
        &run.core,
        Some(run.id),
        fire::Fired {
            event: HookEvent::PreToolUse,
            hook: name,
            result,
            message: Some(explanation.reason.clone()),
            duration: Duration::ZERO,
        },
    );
    refused.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(rule: &str, origin: &str) -> Explanation {
        let mut explanation = Explanation::new(Class::Deny, "test");
        explanation.tried.push(RuleTried {
            rule: rule.to_owned(),
            origin: origin.to_owned(),
            matched: true,
        });
        explanation
    }

    #[test]
    fn a_rule_of_the_user_is_no_built_in_hook_whatever_its_pattern_says() {
        let rule = format!("{SECRET_FILES}: .env");
        assert_eq!(behind(&decided(&rule, "built-in hook")), Some(SECRET_FILES));
        assert_eq!(behind(&decided(&rule, "tenon.json:3")), None);
    }
}
