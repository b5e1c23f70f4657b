//! Changes the model of a session, how hard it thinks (P12), or the agent:
//! between two runs, never inside a step, so that a request and its reply belong
//! to one of each. What cannot be done leaves everything as it was and is said.

use crate::active::Current;
use crate::context::{self, Cause};
use crate::core::Core;
use crate::layout;
use crate::parts::ModelSource;
use std::sync::Arc;
use tenon_model::{ModelError, ModelErrorKind, Parameters};
use tenon_session::SessionError;
use tenon_tools::input::suggest_name;
use tenon_vocab::notice;
use tenon_vocab::{Notice, NoticeLevel, PermissionMode, Printable, Settings, Switch, effort};
use tokio_util::sync::CancellationToken;

/// Does what was asked for. Ends in exactly one notice, `switched` or
/// `not_switched`: a front end waits for it.
pub(crate) async fn apply(core: &Arc<Core>, switch: Switch, token: &CancellationToken) {
    to(core, switch, None, token).await;
}

/// The same, with the permission mode that the agent is to work in.
pub(crate) async fn to(
    core: &Arc<Core>,
    switch: Switch,
    mode: Option<PermissionMode>,
    token: &CancellationToken,
) {
    let possible = match (&switch.mode, &switch.agent) {
        (Some(_), _) => Err(refused(
            "The mode stays single: agents can't delegate in this version.",
        )),
        (None, Some(agent)) => choosable(core, agent, mode),
        (None, None) => Ok(()),
    };
    if let Err(error) = possible {
        return refuse(core, &error);
    }
    let chosen = tokio::select! {
        biased;
        () = token.cancelled() => Err(refused("Stopped: the model was not changed.")),
        chosen = choose(core, &switch) => chosen,
    };
    match chosen {
        Err(error) => refuse(core, &error),
        Ok(current) => {
            if take(core, current, &switch, mode).is_err() {
                // The log is gone, which has been said; nothing can go on.
                core.inbox.shutdown.cancel();
            }
        }
    }
}

/// Whether a user may change to this agent: not to one that only others call,
/// and not to one that is hidden.
fn choosable(core: &Core, agent: &str, mode: Option<PermissionMode>) -> Result<(), ModelError> {
    let names: Vec<&str> = core
        .cast
        .choosable()
        .map(|profile| profile.name.as_str())
        .collect();
    if names.contains(&agent) {
        let mode = mode.unwrap_or(core.permission_mode().with_agent(agent));
        return match core.forbids(mode) {
            None => Ok(()),
            Some(file) => Err(refused(&format!(
                "The agent was not changed: {file} forbids the mode {mode}."
            ))),
        };
    }
    let shown = Printable::line(agent);
    let message = if core.cast.knows(agent) {
        format!("You can't change to the agent `{shown}`: it only works for other agents.")
    } else {
        format!("There is no agent `{shown}`.")
    };
    let all = format!("The agents are: {}.", names.join(", "));
    Err(
        refused(&message).with_hint(match suggest_name(agent, &names) {
            Some(near) => format!("Did you mean `{near}`? {all}"),
            None => all,
        }),
    )
}

/// The model that is asked from here on; none where it stays as it is.
async fn choose(core: &Core, switch: &Switch) -> Result<Option<Current>, ModelError> {
    if switch.model.is_none() && switch.provider.is_none() && switch.effort.is_none() {
        return Ok(None);
    }
    let now = core.active.get();
    let models = || {
        core.models.as_ref().ok_or_else(|| {
            refused("This session can't change its model.")
                .with_hint("Start a new one with `--model`.")
        })
    };
    let named = match (&switch.provider, &switch.model) {
        (None, model) => model.clone(),
        (Some(provider), Some(model)) => Some(format!("{provider}/{model}")),
        (Some(provider), None) => Some(own_model(models()?.as_ref(), provider).await?),
    };
    let (model, parameters) = match named {
        None => (Arc::clone(&now.model), now.parameters.clone()),
        Some(name) => {
            let chosen = models()?.choose(&name, &now.identity()).await?;
            (chosen.model, chosen.parameters)
        }
    };
    let reasoning_effort = match switch.effort.as_deref() {
        None => parameters.reasoning_effort.clone(),
        Some("") => None,
        Some(level) => {
            effort::sent(Some(effort::read(level).map_err(|error| {
                refused(&format!("The effort was not changed: {error}."))
            })?))
        }
    };
    let parameters = Parameters {
        reasoning_effort,
        ..parameters
    };
    Ok(Some(Current::new(model, parameters)))
}

/// The model of a provider, by its full name: the one that is configured for it,
/// else the only one that its server has.
async fn own_model(models: &dyn ModelSource, provider: &str) -> Result<String, ModelError> {
    let all = models.providers();
    let Some(known) = all.iter().find(|known| known.name == provider) else {
        let names: Vec<&str> = all.iter().map(|known| known.name.as_str()).collect();
        let shown = Printable::line(provider);
        let error = refused(&format!("There is no provider `{shown}`."));
        return Err(error.with_hint(match suggest_name(provider, &names) {
            Some(near) => format!("Did you mean `{near}`?"),
            None => format!(
                "The providers are: {}. `tenon config edit` adds one for new sessions.",
                names.join(", ")
            ),
        }));
    };
    if let Some(model) = &known.model {
        return Ok(format!("{provider}/{model}"));
    }
    match models.offered(provider).await?.as_slice() {
        [only] => Ok(format!("{provider}/{}", only.id)),
        _ => Err(refused(&format!(
            "The provider `{provider}` has no model of its own."
        ))
        .with_hint(format!("Name one: /models {provider}/MODEL."))),
    }
}

/// Records it, then says it. A request from here on is the new model's, a prompt
/// the new agent's.
fn take(
    core: &Core,
    current: Option<Current>,
    switch: &Switch,
    mode: Option<PermissionMode>,
) -> Result<(), SessionError> {
    let known = core.emitter.state(|state| state.settings().cloned());
    let mut settings = known.clone().unwrap_or_else(|| core.settings.clone());
    let mut told = Vec::new();
    let mut hint = None;
    if let Some(agent) = &switch.agent {
        settings.act_as(agent);
        settings.permission_mode = mode.unwrap_or(settings.permission_mode);
        core.act_as(agent);
        told.push(said_of_agent(core));
        hint = costs(core);
    }
    let mut cause = Cause::Agent;
    if let Some(current) = current {
        let identity = current.identity();
        settings.provider.clone_from(&identity.endpoint);
        settings.model.clone_from(&identity.model);
        settings
            .effort
            .clone_from(&current.parameters.reasoning_effort);
        told.push(said_of_model(&settings));
        hint = hint.or_else(|| settings.effort.as_deref().and_then(effort::doubt));
        core.active.set(current);
        cause = if switch.model.is_some() || switch.provider.is_some() {
            core.meter.forget();
            layout::fit_model(core);
            Cause::Model
        } else {
            Cause::Effort
        };
    }
    if known.as_ref() != Some(&settings) {
        core.emitter.emit(None, settings)?;
    }
    // What the agent brings along is recorded once, with the next prompt.
    if !(cause == Cause::Agent && layout::is_due(core)) {
        context::compile(core, cause)?;
    }
    let notice = Notice {
        level: NoticeLevel::Info,
        kind: String::from(notice::SWITCHED),
        message: told.join(" "),
        hint,
    };
    core.emitter.emit(None, notice).map(|_| ())
}

fn said_of_agent(core: &Core) -> String {
    let acting = core.agent();
    let (name, what) = (acting.name(), &acting.profile.description);
    let what = what.trim_end_matches('.');
    if what.is_empty() {
        format!("The agent is {name}, from the next prompt on.")
    } else {
        format!("The agent is {name}, from the next prompt on. {what}.")
    }
}

/// What a server has in its cache does not fit any more.
fn costs(core: &Core) -> Option<String> {
    let said = core.emitter.history(usize::MAX).1 > 0;
    (said && layout::is_due(core)).then(|| {
        String::from(
            "Its tools differ, so with the next prompt the server reads the whole conversation again, once.",
        )
    })
}

fn said_of_model(settings: &Settings) -> String {
    let effort = match settings.effort.as_deref() {
        Some(level) => format!(", effort {level}"),
        None => String::new(),
    };
    format!(
        "The model is {} of {}{effort}, from the next request on.",
        settings.model, settings.provider
    )
}

fn refused(message: &str) -> ModelError {
    ModelError::new(ModelErrorKind::Configuration, message)
}

fn refuse(core: &Core, error: &ModelError) {
    core.emit_or_end(
        None,
        Notice {
            level: NoticeLevel::Warning,
            kind: String::from(notice::NOT_SWITCHED),
            message: error.message.clone(),
            hint: error.hint.clone(),
        },
    );
}
