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
pub(crate) fn behind(explanation: &Explanation) -> Option<&'static str> {
    let RuleTried { rule, .. } = explanation.tried.iter().rev().find(|rule| rule.matched)?;
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
