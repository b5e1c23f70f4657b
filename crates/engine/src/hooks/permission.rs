//! Before a person is asked: a hook may answer for them. A no counts from
//! everybody; a yes only from a hook of the user or of the administrator, only
//! for this once, and not where a person alone may say it.

use super::answer::Decision;
use super::fire::{Fired, Scene, record};
use super::input::CallInput;
use crate::run::{Flow, Run};
use crate::schedule::Ready;
use serde_json::{Map, Value, json};
use std::time::Duration;
use tenon_policy::{Facts, Subject};
use tenon_vocab::profile::{HookEvent, HookSource, HookSpec};
use tenon_vocab::{CallId, Explanation, Responders};

pub(crate) enum Permission {
    /// No hook answered.
    Open,
    Allowed {
        hook: String,
    },
    Denied {
        hook: String,
        message: Option<String>,
    },
}

/// Asks all hooks that are about the call: the strictest answer counts.
pub(crate) async fn permission(
    run: &Run,
    call: &CallId,
    ready: &Ready,
    facts: &Facts,
    explanation: &Explanation,
) -> Flow<Permission> {
    let hooks = &run.core.hooks;
    if hooks.of(HookEvent::PermissionRequest).is_empty() {
        return Ok(Permission::Open);
    }
    let scene = Scene::from(run);
    let mut fields = scene.input(
        HookEvent::PermissionRequest,
        Some(CallInput {
            id: &call.0,
            tool: &facts.tool,
            input: &ready.input,
        }),
    );
    fields.insert("question".into(), question(facts, explanation));
    let input = Value::Object(fields);
    let mut answer = Permission::Open;
    for hook in hooks.about(HookEvent::PermissionRequest, facts) {
        let word = scene.fire(hook, &input).await?;
        match word.decision {
            Decision::Block => {
                return Ok(Permission::Denied {
                    hook: hook.name.clone(),
                    message: word.message,
                });
            }
            Decision::Allow => match (may_allow(hook, explanation), &answer) {
                (Ok(()), Permission::Open) => {
                    answer = Permission::Allowed {
                        hook: hook.name.clone(),
                    };
                }
                (Ok(()), _) => {}
                (Err(why), _) => discounted(run, hook, why),
            },
            Decision::Pass | Decision::Warn => {}
        }
    }
    Ok(answer)
}

fn may_allow(hook: &HookSpec, explanation: &Explanation) -> Result<(), &'static str> {
    match (hook.source, explanation.responders) {
        (HookSource::Project, _) => Err("its yes doesn't count: a project's hook can only say no"),
        (_, Responders::Person) => Err("its yes doesn't count: only a person can allow this"),
        _ => Ok(()),
    }
}

fn discounted(run: &Run, hook: &HookSpec, why: &str) {
    record(
        &run.core,
        Some(run.id),
        Fired {
            event: hook.event,
            hook: &hook.name,
            result: "warn",
            message: Some(why.to_owned()),
            duration: Duration::ZERO,
        },
    );
}

fn question(facts: &Facts, explanation: &Explanation) -> Value {
    let mut fields = Map::new();
    fields.insert("class".into(), json!(explanation.class));
    fields.insert("reason".into(), json!(explanation.reason));
    if explanation.responders == Responders::Person {
        fields.insert("only_a_person".into(), json!(true));
    }
    match &facts.subject {
        Subject::Command(script) => {
            fields.insert("command".into(), json!(script.text));
        }
        Subject::Paths(paths) => {
            let paths: Vec<&str> = paths.iter().map(|fact| fact.path.as_str()).collect();
            fields.insert("affects".into(), json!(paths));
        }
        Subject::Nothing | Subject::Name(_) => {}
    }
    Value::Object(fields)
}
