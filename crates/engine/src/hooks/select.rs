//! Which hooks are about a call. Tools and patterns mean what they mean in a
//! rule that denies: names pass through the alias table, `edit` is a group, a
//! command is looked for wherever it could begin, a path is a glob. So the
//! policy is asked, with that one rule and nothing else.

use serde_json::{Value, json};
use tenon_policy::{Authority, Facts, Grants, Layer, ReadOnly, ReadingRoom, Rules, decide};
use tenon_vocab::profile::{HookEvent, HookSpec};
use tenon_vocab::{Decision, Timestamp};

/// The hooks of an event, and of a call where the event is about one.
pub(crate) fn hooks_of<'h>(
    hooks: &'h [HookSpec],
    event: HookEvent,
    facts: Option<&Facts>,
) -> Vec<&'h HookSpec> {
    hooks
        .iter()
        .filter(|hook| hook.event == event)
        .filter(|hook| facts.is_none_or(|facts| speaks_of(hook, facts)))
        .collect()
}

/// Whether a hook is about this call.
#[must_use]
pub fn speaks_of(hook: &HookSpec, facts: &Facts) -> bool {
    let everything = |text: &str| matches!(text.trim(), "*" | "**");
    let tool = hook.tool.as_deref().filter(|tool| !everything(tool));
    let pattern = hook.pattern.as_deref().filter(|text| !everything(text));
    tool.is_none_or(|tool| denied(facts, &json!({ tool: "deny" })))
        && pattern.is_none_or(|pattern| {
            let tool = facts.tool.as_str();
            denied(facts, &json!({ tool: { pattern: "deny" } }))
        })
}

/// A rule that cannot be read was checked when it was loaded, for its tool. For
/// another tool it may make no sense; the hook is then asked rather than passed
/// over.
fn denied(facts: &Facts, rule: &Value) -> bool {
    let mut rules = Rules::empty();
    if rules.add_config(rule, Layer::Managed, "hook").is_err() {
        return true;
    }
    let authority = Authority {
        agent: "",
        read_only: ReadOnly::No,
        agent_rules: None,
        reading_room: ReadingRoom::Absent,
        mode: Default::default(),
    };
    let now = Timestamp::UNIX_EPOCH;
    decide(facts, &rules, &Grants::new(), &authority, now).decision() == Decision::Deny
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_policy::{Subject, analyse};
    use tenon_vocab::Effect;
    use tenon_vocab::profile::HookSource;

    fn hook(tool: Option<&str>, pattern: Option<&str>) -> HookSpec {
        HookSpec {
            name: "test".into(),
            event: HookEvent::PreToolUse,
            tool: tool.map(str::to_owned),
            pattern: pattern.map(str::to_owned),
            command: "true".into(),
            timeout: HookSpec::TIMEOUT,
            required: false,
            source: HookSource::User,
        }
    }

    fn bash(command: &str) -> Facts {
        Facts {
            tool: "bash".into(),
            effect: Effect::Execute,
            subject: Subject::Command(analyse(command)),
            input: String::new(),
        }
    }

    fn named(tool: &str) -> Facts {
        Facts {
            tool: tool.into(),
            effect: Effect::Write,
            subject: Subject::Nothing,
            input: String::new(),
        }
    }

    #[test]
    fn a_hook_without_a_tool_is_about_every_call() {
        assert!(speaks_of(&hook(None, None), &bash("ls")));
        assert!(speaks_of(&hook(Some("*"), None), &named("server_thing")));
        assert!(speaks_of(&hook(None, None), &named("todowrite")));
    }

    #[test]
    fn tools_are_named_as_in_rules() {
        assert!(speaks_of(&hook(Some("bash"), None), &bash("ls")));
        assert!(!speaks_of(&hook(Some("read"), None), &bash("ls")));
        assert!(speaks_of(&hook(Some("edit"), None), &named("patch")));
        assert!(speaks_of(&hook(Some("Shell"), None), &bash("ls")));
        assert!(speaks_of(&hook(Some("gh_*"), None), &named("gh_merge")));
        assert!(!speaks_of(&hook(Some("gh_*"), None), &named("gl_merge")));
    }

    #[test]
    fn a_command_is_found_wherever_it_begins_and_not_as_a_part_of_a_word() {
        let push = hook(Some("bash"), Some("git push*"));
        assert!(speaks_of(&push, &bash("git push origin")));
        assert!(speaks_of(&push, &bash("cd x && git push")));
        assert!(!speaks_of(&push, &bash("git status")));
        assert!(!speaks_of(&push, &bash("legit push")));
    }
}
