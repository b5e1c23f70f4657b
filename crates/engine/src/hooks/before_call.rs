//! Before a call: a hook may block it, warn, or change its input. What was
//! changed is checked by the tool's schema here and by the policy afterwards,
//! from the start (H2).

use super::answer::{Answer, Decision};
use super::fire::{Scene, Word};
use super::input::CallInput;
use crate::run::{Flow, Run};
use crate::schedule::Ready;
use serde_json::{Map, Value};
use tenon_tools::input;
use tenon_vocab::CallId;
use tenon_vocab::profile::{HookEvent, HookSpec};

pub(crate) enum Before {
    /// No hook is about this call.
    Nothing,
    /// It may go on, with these notes for the model. The input may be another
    /// one, and the world too: a hook took its time.
    Asked(Vec<String>),
    Blocked {
        hook: String,
        origin: &'static str,
        reason: String,
    },
}

/// Asks the hooks in order. A hook sees the input as those before it left it;
/// one that comes to be about the call only by a later change, or saw an input
/// that is not the final one, is asked once more.
pub(crate) async fn before_call(run: &Run, call: &CallId, ready: &mut Ready) -> Flow<Before> {
    let mut round = Round {
        scene: Scene::from(run),
        run,
        call,
        notes: Vec::new(),
        seen: Vec::new(),
    };
    if round.hooks(ready).is_empty() {
        return Ok(Before::Nothing);
    }
    for hook in &run.core.hooks.specs {
        if let Some(blocked) = round.ask(hook, ready, Patches::Apply).await? {
            return Ok(blocked);
        }
    }
    for hook in &run.core.hooks.specs {
        if let Some(blocked) = round.ask(hook, ready, Patches::TooLate).await? {
            return Ok(blocked);
        }
    }
    Ok(Before::Asked(round.notes))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Patches {
    Apply,
    /// Hooks that go on changing each other's changes would never end.
    TooLate,
}

struct Round<'a> {
    scene: Scene<'a>,
    run: &'a Run,
    call: &'a CallId,
    notes: Vec<String>,
    /// Which hook has answered for which input: the one that it saw, or made.
    seen: Vec<(&'a HookSpec, Value)>,
}

impl<'a> Round<'a> {
    fn hooks(&self, ready: &Ready) -> Vec<&'a HookSpec> {
        let core = &self.run.core;
        if core.hooks.of(HookEvent::PreToolUse).is_empty() {
            return Vec::new();
        }
        let facts = ready.tool.facts(&ready.input, &core.workspace);
        core.hooks.about(HookEvent::PreToolUse, &facts)
    }

    async fn ask(
        &mut self,
        hook: &'a HookSpec,
        ready: &mut Ready,
        patches: Patches,
    ) -> Flow<Option<Before>> {
        let same = |held: &&HookSpec| std::ptr::eq(*held, hook);
        if hook.event != HookEvent::PreToolUse || !self.hooks(ready).iter().any(same) {
            return Ok(None);
        }
        let answered = |(held, input): &(&HookSpec, Value)| same(held) && *input == ready.input;
        if self.seen.iter().any(answered) {
            return Ok(None);
        }
        let call = CallInput {
            id: &self.call.0,
            tool: &ready.tool.spec().name,
            input: &ready.input,
        };
        let input = Value::Object(self.scene.input(HookEvent::PreToolUse, Some(call)));
        let fits = |answer: &Answer| match &answer.patch {
            // A block needs no patch that fits.
            Some(patch) if answer.decision != Decision::Block => fits(ready, patch),
            _ => Ok(()),
        };
        let word = self.scene.fire_checked(hook, &input, fits).await?;
        if word.decision == Decision::Block {
            return Ok(Some(blocked(hook, word.reason(hook))));
        }
        let refused = change(hook, &word, ready, patches);
        self.seen.push((hook, ready.input.clone()));
        if let Some(message) = word.message {
            self.notes.push(format!("[hook {}: {message}]", hook.name));
        }
        Ok(refused)
    }
}

/// Applies a change that was found to fit.
fn change(hook: &HookSpec, word: &Word, ready: &mut Ready, patches: Patches) -> Option<Before> {
    let patched = patched(&ready.input, word.patch.as_ref()?);
    if patched == ready.input {
        return None;
    }
    if patches == Patches::TooLate {
        let reason = format!(
            "the hook `{}` would change an input that another hook has just changed; hooks must agree",
            hook.name
        );
        return Some(blocked(hook, reason));
    }
    ready.input = patched;
    None
}

/// Whether the tool takes the input with this change; one that it does not take
/// is a failure of the hook.
fn fits(ready: &Ready, patch: &Map<String, Value>) -> Result<(), String> {
    let patched = patched(&ready.input, patch);
    if patched == ready.input {
        return Ok(());
    }
    let spec = ready.tool.spec();
    input::check(&spec.parameters, &patched)
        .and_then(|()| input::marked(spec, &patched).map_or(Ok(()), Err))
        .map_err(|why| format!("its patch does not fit the tool: {why}"))
}

fn blocked(hook: &HookSpec, reason: String) -> Before {
    Before::Blocked {
        hook: hook.name.clone(),
        origin: hook.source.name(),
        reason,
    }
}

/// Fields of the patch replace those of the input, `null` takes one out. A patch
/// that is only `tool_input` replaces all of it.
fn patched(input: &Value, patch: &Map<String, Value>) -> Value {
    if let (1, Some(Value::Object(whole))) = (patch.len(), patch.get("tool_input")) {
        return Value::Object(whole.clone());
    }
    let mut fields = input.as_object().cloned().unwrap_or_default();
    for (name, value) in patch {
        if value.is_null() {
            fields.shift_remove(name);
        } else {
            fields.insert(name.clone(), value.clone());
        }
    }
    Value::Object(fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn patch(input: Value, patch: Value) -> Value {
        patched(&input, patch.as_object().unwrap())
    }

    #[test]
    fn a_patch_sets_fields_takes_them_out_or_replaces_all() {
        let input = json!({"command": "ls", "workdir": "src"});
        assert_eq!(
            patch(input.clone(), json!({"command": "ls -l"})),
            json!({"command": "ls -l", "workdir": "src"})
        );
        assert_eq!(
            patch(input.clone(), json!({"workdir": null})),
            json!({"command": "ls"})
        );
        assert_eq!(
            patch(input, json!({"tool_input": {"command": "pwd"}})),
            json!({"command": "pwd"})
        );
    }
}
