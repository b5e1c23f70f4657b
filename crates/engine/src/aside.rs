//! One question to a model that is no part of a conversation: the summary of a
//! compaction, a title, the words of a page. How it is made, how often it is tried
//! again and what it took are decided here, for all of them (0016). Whoever asks
//! says what is to be heard of it meanwhile, and stops it by dropping it. Not a
//! step of a run; that is `step`.

use crate::core::Core;
use crate::parts::Ambient;
use futures_util::StreamExt;
use std::fmt;
use std::sync::Arc;
use tenon_model::{
    Adapted, Delivery, Delta, Entry, Identity, Model, ModelError, ModelErrorKind, Parameters,
    Prefix, Request, RetryPlan, Warned, estimate_tokens, estimate_usage,
};
use tenon_vocab::{Message, ModelRequest, RequestPurpose, Retry, Settings, SideRequest};

/// What is asked, of whom, and how often.
pub struct Question<'a> {
    pub model: &'a dyn Model,
    pub request: Request,
    pub retry: &'a RetryPlan,
    pub ambient: &'a dyn Ambient,
    pub purpose: RequestPurpose,
}

impl fmt::Debug for Question<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Question")
            .field("retry", self.retry)
            .finish_non_exhaustive()
    }
}

/// What happens while it is waited for.
#[derive(Debug)]
pub enum Meanwhile {
    /// It failed and is asked again after a pause.
    Again(Retry),
    /// The server took another form of the request.
    Adapted(Adapted),
    /// What is to be known of the way to the server.
    Warned(Warned),
    /// The request goes out now.
    Asked(ModelRequest),
}

#[derive(Debug)]
pub struct Answer {
    pub message: Message,
    /// What it took, by the server's count or by our own.
    pub side: SideRequest,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Failed<E> {
    Model(ModelError),
    /// Whoever listens wants no more of it.
    Stopped(E),
}

/// For one question only.
pub const ONCE: RetryPlan = RetryPlan {
    attempts: 0,
    first: std::time::Duration::ZERO,
    cap: std::time::Duration::ZERO,
};

/// Asks, and again where that may help: as often and as late as for a step.
///
/// # Errors
/// When no try was answered, or `heard` gave an error.
pub async fn ask<E>(
    question: Question<'_>,
    mut heard: impl FnMut(Meanwhile) -> Result<(), E>,
) -> Result<Answer, Failed<E>> {
    let Question {
        model,
        request,
        retry,
        ambient,
        purpose,
    } = question;
    let mut attempt = 0;
    loop {
        let asked = asked(
            purpose,
            &model.identity(),
            &request,
            estimate_tokens(&request),
        );
        heard(Meanwhile::Asked(asked)).map_err(Failed::Stopped)?;
        let error = match once(model, request.clone(), &mut heard).await {
            Err(Failed::Model(error)) => error,
            other => return other,
        };
        attempt += 1;
        let Some(pause) = retry.pause(attempt, &error, ambient.jitter()) else {
            return Err(Failed::Model(error));
        };
        heard(Meanwhile::Again(Retry {
            attempt,
            of: retry.attempts,
            delay_ms: u64::try_from(pause.as_millis()).unwrap_or(u64::MAX),
            reason: error.message.trim_end_matches('.').to_owned(),
        }))
        .map_err(Failed::Stopped)?;
        tokio::time::sleep(pause).await;
    }
}

async fn once<E>(
    model: &dyn Model,
    request: Request,
    heard: &mut impl FnMut(Meanwhile) -> Result<(), E>,
) -> Result<Answer, Failed<E>> {
    let sent = estimate_tokens(&request);
    let mut stream = model.stream(request);
    while let Some(delta) = stream.next().await {
        match delta.map_err(Failed::Model)? {
            Delta::Finished(finished) => {
                let message = finished.message;
                let usage = finished
                    .usage
                    .unwrap_or_else(|| estimate_usage(sent, &message));
                let identity = model.identity();
                let side = SideRequest {
                    provider: identity.endpoint.clone(),
                    model: identity.model.clone(),
                    usage,
                    cost: identity.prices.map(|prices| prices.cost(&usage)),
                };
                return Ok(Answer { message, side });
            }
            Delta::Adapted(adapted) => {
                heard(Meanwhile::Adapted(adapted)).map_err(Failed::Stopped)?;
            }
            Delta::Warned(warned) | Delta::Unanswered(warned) => {
                heard(Meanwhile::Warned(warned)).map_err(Failed::Stopped)?;
            }
            // It is no part of the conversation, so nobody reads it as it comes.
            Delta::Text(_)
            | Delta::Reasoning(_)
            | Delta::ToolCall { .. }
            | Delta::Reading { .. } => {}
        }
    }
    Err(Failed::Model(ModelError::new(
        ModelErrorKind::Protocol,
        "the model's answer broke off",
    )))
}

/// What goes on the stream of events about a request.
pub(crate) fn asked(
    purpose: RequestPurpose,
    identity: &Identity,
    request: &Request,
    tokens: u64,
) -> ModelRequest {
    ModelRequest {
        purpose,
        model: identity.model.clone(),
        endpoint: identity.endpoint.clone(),
        messages: request.entries.len() as u64,
        estimated_tokens: tokens,
    }
}

/// One message under a system prompt of its own, without tools.
#[must_use]
pub fn request(
    system: String,
    text: String,
    parameters: Parameters,
    delivery: Delivery,
) -> Request {
    Request {
        prefix: Arc::new(Prefix {
            system,
            tools: Vec::new(),
        }),
        entries: vec![Arc::new(Entry::new(Arc::new(Message::user(text))))],
        parameters,
        delivery,
        cache_key: None,
        room: None,
    }
}

/// A limit only where the model is not told to think: it would reach the budget
/// for thinking, and with it the prefix.
pub(crate) fn limited(parameters: Parameters, most: u64) -> Parameters {
    if parameters.reasoning_effort.is_some() {
        return parameters;
    }
    Parameters {
        max_tokens: Some(parameters.max_tokens.map_or(most, |own| own.min(most))),
        ..parameters
    }
}

/// The record that counts it in the figures of the session, and says nothing else
/// that was not said before. `None` when the session has no settings yet.
pub(crate) fn counted(core: &Core, side: SideRequest) -> Option<Settings> {
    let mut settings = core.emitter.state(|state| state.settings().cloned())?;
    settings.side = Some(Box::new(side));
    Some(settings)
}
