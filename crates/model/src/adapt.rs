//! A model that learns from refusals. A server that names what it does not
//! take is asked again without it, before anybody saw a word; what helped is
//! remembered, so that it is learned once.
//!
//! This is no retry: waiting for a server that is ill is the engine's. Nothing
//! is asked again once content has come, and nothing twice in the same form.

mod change;
mod images;

use crate::contract::{Delta, DeltaStream, Model, ModelEntry, ModelError, Remedy, Request, Window};
use crate::{Adapted, Identity, ModelErrorKind, Quirks};
use futures_core::Stream;
use images::Refused;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use tenon_vocab::port::BoxFuture;

/// How often one request is sent differently, at most.
const MAX_REMEDIES: usize = 4;

/// How tools are given to a model, as configured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// As the wire format has them; in the text once the server refused that.
    #[default]
    Auto,
    /// As the wire format has them, always.
    Native,
    /// In the text, always.
    Markdown,
}

/// One way of speaking to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    pub quirks: Quirks,
    /// Never [`Dialect::Auto`].
    pub dialect: Dialect,
}

/// Makes the model that speaks in this way. It must not ask the server.
pub type Build = Box<dyn Fn(&Variant) -> Result<Arc<dyn Model>, ModelError> + Send + Sync>;

/// Where it is kept what was learned of one model of one server.
pub trait Memory: Send + Sync {
    /// What was learned earlier, the oldest first.
    fn recall(&self) -> Vec<Remedy>;

    /// This helped. Never called for what holds for one request only.
    fn learn(&self, remedy: &Remedy);
}

/// Keeps nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Forgetful;

impl Memory for Forgetful {
    fn recall(&self) -> Vec<Remedy> {
        Vec::new()
    }

    fn learn(&self, _remedy: &Remedy) {}
}

/// A model whose form of asking follows what its server takes.
pub struct Adaptive {
    shared: Arc<Shared>,
}

struct Shared {
    build: Build,
    configured: Dialect,
    memory: Arc<dyn Memory>,
    state: Mutex<State>,
}

/// What holds for the next request.
struct State {
    variant: Variant,
    model: Arc<dyn Model>,
    refused: Refused,
    /// The longest answer of this model, when the server named it.
    longest: Option<u64>,
}

impl fmt::Debug for Adaptive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Adaptive")
            .field("configured", &self.shared.configured)
            .field("variant", &self.shared.state().variant)
            .finish_non_exhaustive()
    }
}

impl Adaptive {
    /// Begins with what was configured and what is remembered.
    ///
    /// # Errors
    /// When no model can be made of it: an unusable address or header.
    pub fn new(
        build: Build,
        quirks: Quirks,
        dialect: Dialect,
        memory: Arc<dyn Memory>,
    ) -> Result<Self, ModelError> {
        let mut variant = Variant {
            quirks,
            dialect: match dialect {
                Dialect::Markdown => Dialect::Markdown,
                Dialect::Auto | Dialect::Native => Dialect::Native,
            },
        };
        for remedy in memory.recall() {
            if let Some(changed) = change::applied(&remedy, &variant, dialect) {
                variant = changed;
            }
        }
        let model = build(&variant)?;
        Ok(Self {
            shared: Arc::new(Shared {
                build,
                configured: dialect,
                memory,
                state: Mutex::new(State {
                    variant,
                    model,
                    refused: Refused::default(),
                    longest: None,
                }),
            }),
        })
    }

    /// How the server is spoken to now.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.shared.state().variant.clone()
    }

    fn model(&self) -> Arc<dyn Model> {
        Arc::clone(&self.shared.state().model)
    }
}

impl Model for Adaptive {
    fn identity(&self) -> Arc<Identity> {
        self.model().identity()
    }

    fn stream(&self, mut request: Request) -> DeltaStream {
        let (variant, model) = {
            let mut state = self.shared.state();
            state.refused.leave_out(&mut request);
            if let Some(longest) = state.longest {
                limit(&mut request, longest);
            }
            (state.variant.clone(), Arc::clone(&state.model))
        };
        let stream = model.stream(request.clone());
        Box::pin(Asking {
            shared: Arc::clone(&self.shared),
            request,
            variant,
            model,
            stream,
            tried: Vec::new(),
            refused: Vec::new(),
            progress: Progress::Unanswered,
        })
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelEntry>, ModelError>> {
        let model = self.model();
        Box::pin(async move { model.models().await })
    }

    fn served_window(&self) -> BoxFuture<'_, Option<Window>> {
        let model = self.model();
        Box::pin(async move { model.served_window().await })
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the answer may be this long; `false` when it was no longer before.
fn limit(request: &mut Request, most: u64) -> bool {
    let asked = request.parameters.max_tokens;
    if most == 0 || asked.is_some_and(|asked| asked <= most) {
        return false;
    }
    request.parameters.max_tokens = Some(most);
    true
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// The request may still be sent differently.
    Unanswered,
    /// Content has come: what was changed helped, and nothing is asked again.
    Answered,
    Ended,
}

/// One request, in as many forms as it takes.
struct Asking {
    shared: Arc<Shared>,
    request: Request,
    variant: Variant,
    model: Arc<dyn Model>,
    stream: DeltaStream,
    tried: Vec<Remedy>,
    /// The images that this request gave up.
    refused: Vec<String>,
    progress: Progress,
}

impl Asking {
    /// Asks again in another form; `None` when there is none.
    fn adapt(&mut self, error: &ModelError) -> Option<Adapted> {
        let remedy = error.remedy.as_deref()?;
        if self.tried.len() >= MAX_REMEDIES
            || self.tried.contains(remedy)
            || error.partial.is_some()
        {
            return None;
        }
        match remedy {
            Remedy::NoImages => {
                let mut state = self.shared.state();
                let refused = state.refused.refuse(&self.request);
                if refused.is_empty() {
                    return None;
                }
                state.refused.leave_out(&mut self.request);
                self.refused = refused;
            }
            Remedy::MaxTokens { most } => {
                if !limit(&mut self.request, *most) {
                    return None;
                }
                // A limit that has nothing to do with the prompt is the model's own.
                if error.kind != ModelErrorKind::ContextOverflow {
                    self.shared.state().longest = Some(*most);
                }
            }
            other => {
                let changed = change::applied(other, &self.variant, self.shared.configured)?;
                self.model = (self.shared.build)(&changed).ok()?;
                self.variant = changed;
            }
        }
        self.tried.push(remedy.clone());
        self.stream = self.model.stream(self.request.clone());
        Some(change::told(remedy, error))
    }

    /// The server took the request: what it took is how it is asked from now on.
    fn confirm(&mut self) {
        if self.progress != Progress::Unanswered {
            return;
        }
        self.progress = Progress::Answered;
        let lasting: Vec<&Remedy> = self
            .tried
            .iter()
            .filter(|remedy| change::lasts(remedy))
            .collect();
        if lasting.is_empty() {
            return;
        }
        let mut state = self.shared.state();
        // Another request may have learned something else meanwhile.
        let mut variant = state.variant.clone();
        for remedy in &lasting {
            if let Some(changed) = change::applied(remedy, &variant, self.shared.configured) {
                variant = changed;
            }
        }
        if variant == self.variant {
            state.variant = variant;
            state.model = Arc::clone(&self.model);
        } else if variant != state.variant
            && let Ok(model) = (self.shared.build)(&variant)
        {
            state.variant = variant;
            state.model = model;
        }
        drop(state);
        for remedy in lasting {
            self.shared.memory.learn(remedy);
        }
    }
}

impl Asking {
    fn give_up(&mut self) {
        if self.progress == Progress::Unanswered && !self.refused.is_empty() {
            self.shared.state().refused.forgive(&self.refused);
        }
        self.progress = Progress::Ended;
    }
}

impl Stream for Asking {
    type Item = Result<Delta, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.progress == Progress::Ended {
            return Poll::Ready(None);
        }
        let item = match ready!(self.stream.as_mut().poll_next(cx)) {
            Some(Ok(delta @ Delta::Adapted(_))) => Ok(delta),
            Some(Ok(delta)) => {
                self.confirm();
                if matches!(delta, Delta::Finished(_)) {
                    self.progress = Progress::Ended;
                }
                Ok(delta)
            }
            Some(Err(error)) => {
                if self.progress == Progress::Unanswered
                    && let Some(adapted) = self.adapt(&error)
                {
                    return Poll::Ready(Some(Ok(Delta::Adapted(adapted))));
                }
                self.give_up();
                Err(error)
            }
            None => {
                self.progress = Progress::Ended;
                return Poll::Ready(None);
            }
        };
        Poll::Ready(Some(item))
    }
}
