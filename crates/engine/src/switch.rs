//! Changes the model of a session, or how hard it thinks (P12): between two
//! runs, never inside a step, so that a request and its reply belong to one
//! model. What cannot be done leaves everything as it was and is said.

use crate::active::Current;
use crate::context::{self, Cause};
use crate::core::Core;
use std::sync::Arc;
use tenon_model::{ModelError, ModelErrorKind, Parameters};
use tenon_session::SessionError;
use tenon_vocab::{Notice, NoticeLevel, Settings, Switch, effort};
use tokio_util::sync::CancellationToken;

/// Does what was asked for. Ends in exactly one notice, `switched` or
/// `not_switched`: a front end waits for it.
pub(crate) async fn apply(core: &Arc<Core>, switch: Switch, token: &CancellationToken) {
    if switch.agent.is_some() || switch.mode.is_some() {
        let error = ModelError::new(
            ModelErrorKind::Configuration,
            "The agent and the mode cannot be changed inside a session in this version.",
        )
        .with_hint("Start a new session with `--agent`.");
        return refuse(core, &error);
    }
    let chosen = tokio::select! {
        biased;
        () = token.cancelled() => Err(ModelError::new(
            ModelErrorKind::Configuration,
            "The change of the model was stopped.",
        )),
        chosen = choose(core, &switch) => chosen,
    };
    match chosen {
        Err(error) => refuse(core, &error),
        Ok(current) => {
            if take(core, current, &switch).is_err() {
                // The log is gone, which has been said; nothing can go on.
                core.inbox.shutdown.cancel();
            }
        }
    }
}

async fn choose(core: &Core, switch: &Switch) -> Result<Current, ModelError> {
    let now = core.active.get();
    let (model, parameters) = match switch.model.as_deref() {
        None => (Arc::clone(&now.model), now.parameters.clone()),
        Some(name) => {
            let models = core.models.as_ref().ok_or_else(|| {
                ModelError::new(
                    ModelErrorKind::Configuration,
                    "This session cannot change its model.",
                )
                .with_hint("Start a new one with `--model`.")
            })?;
            let chosen = models.choose(name, &now.identity()).await?;
            (chosen.model, chosen.parameters)
        }
    };
    let reasoning_effort = match switch.effort.as_deref() {
        None => parameters.reasoning_effort.clone(),
        Some("") => None,
        Some(level) => effort::sent(Some(effort::read(level).map_err(|error| {
            ModelError::new(
                ModelErrorKind::Configuration,
                format!("The effort was not changed: {error}."),
            )
        })?)),
    };
    let parameters = Parameters {
        reasoning_effort,
        ..parameters
    };
    Ok(Current::new(model, parameters))
}

/// Records it, then says it. A request from here on is the new model's.
fn take(core: &Core, current: Current, switch: &Switch) -> Result<(), SessionError> {
    let identity = current.identity();
    let known = core.emitter.state(|state| state.settings().cloned());
    let settings = Settings {
        provider: identity.endpoint.clone(),
        model: identity.model.clone(),
        effort: current.parameters.reasoning_effort.clone(),
        ..known.clone().unwrap_or_else(|| core.settings.clone())
    };
    let message = told(&settings);
    let hint = settings.effort.as_deref().and_then(effort::doubt);
    core.active.set(current);
    let cause = if switch.model.is_some() {
        core.meter.forget();
        Cause::Model
    } else {
        Cause::Effort
    };
    if known.as_ref() != Some(&settings) {
        core.emitter.emit(None, settings)?;
    }
    context::compile(core, cause)?;
    let notice = Notice {
        level: NoticeLevel::Info,
        kind: String::from("switched"),
        message,
        hint,
    };
    core.emitter.emit(None, notice).map(|_| ())
}

fn told(settings: &Settings) -> String {
    let effort = match settings.effort.as_deref() {
        Some(level) => format!(", effort {level}"),
        None => String::new(),
    };
    format!(
        "The model is {} of {}{effort}, from the next request on.",
        settings.model, settings.provider
    )
}

fn refuse(core: &Core, error: &ModelError) {
    core.emit_or_end(
        None,
        Notice {
            level: NoticeLevel::Warning,
            kind: String::from("not_switched"),
            message: error.message.clone(),
            hint: error.hint.clone(),
        },
    );
}
