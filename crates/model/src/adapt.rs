//! A model that learns from refusals. A server that names what it does not
//! take is asked again without it, before anybody saw a word; what helped is
//! remembered, so that it is learned once. What the user wrote comes first: a
//! lesson against it is neither kept nor remembered, and a parameter of the
//! user's that a lesson leaves out is said to be, once in a session.
//!
//! This is no retry: waiting for a server that is ill is the engine's. Nothing
//! is asked again once content has come, and nothing twice in the same form.

mod change;
mod refused;

use crate::contract::{
    Delta, DeltaStream, Holds, Model, ModelEntry, ModelError, Remedy, Request, Window,
};
use crate::{Adapted, Identity, ModelErrorKind, Quirks};
use futures_core::Stream;
use refused::{Name, Refused, Sort};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use tenon_vocab::port::BoxFuture;

/// How often one request is sent differently, at most.
const MAX_REMEDIES: usize = 8;

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

/// How a server is to be spoken to, by what the user wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Configured {
    pub quirks: Quirks,
    /// The names of those quirks that the user wrote: `omit`, `content_null`.
    /// What was learned does not change them.
    pub written: BTreeSet<String>,
    pub dialect: Dialect,
}

impl Configured {
    /// Whether a lesson may change what it is about.
    #[must_use]
    pub fn leaves_open(&self, remedy: &Remedy) -> bool {
        match remedy {
            Remedy::Markdown => self.dialect == Dialect::Auto,
            _ => remedy
                .quirk()
                .is_some_and(|quirk| !self.written.contains(quirk)),
        }
    }
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
    configured: Configured,
    memory: Arc<dyn Memory>,
    state: Mutex<State>,
}

/// What holds for the next request.
struct State {
    variant: Variant,
    model: Arc<dyn Model>,
    /// The one that is being tried, for the log: the record of what is sent
    /// is made when the change is told of.
    trying: Option<Arc<dyn Model>>,
    refused: Refused,
    /// Fields that a remembered lesson leaves out and that nobody was told of.
    unsaid: Vec<String>,
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
        configured: Configured,
        memory: Arc<dyn Memory>,
    ) -> Result<Self, ModelError> {
        let mut variant = Variant {
            quirks: configured.quirks.clone(),
            dialect: match configured.dialect {
                Dialect::Markdown => Dialect::Markdown,
                Dialect::Auto | Dialect::Native => Dialect::Native,
            },
        };
        let mut unsaid = Vec::new();
        for remedy in memory.recall() {
            if !configured.leaves_open(&remedy) {
                continue;
            }
            if let Some(changed) = variant.adapted(&remedy, configured.dialect) {
                variant = changed;
                if let Remedy::Omit { field } = remedy {
                    unsaid.push(field);
                }
            }
        }
        let model = build(&variant)?;
        Ok(Self {
            shared: Arc::new(Shared {
                build,
                configured,
                memory,
                state: Mutex::new(State {
                    variant,
                    model,
                    trying: None,
                    refused: Refused::default(),
                    unsaid,
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
        let state = self.shared.state();
        let identity = state.trying.as_ref().unwrap_or(&state.model).identity();
        let left_out = state.refused.quirks();
        if left_out.is_empty() {
            return identity;
        }
        let mut identity = Identity::clone(&identity);
        identity.quirks.extend(left_out);
        Arc::new(identity)
    }

    fn stream(&self, mut request: Request) -> DeltaStream {
        let (variant, model, untold) = {
            let mut state = self.shared.state();
            let untold = change::unsent(&mut state.unsaid, &request.parameters);
            state.refused.leave_out(&mut request);
            if let Some(longest) = state.longest {
                limit(&mut request, longest);
            }
            (state.variant.clone(), Arc::clone(&state.model), untold)
        };
        let stream = model.stream(request.clone());
        Box::pin(Asking {
            shared: Arc::clone(&self.shared),
            request,
            variant,
            model,
            stream,
            untold,
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
    let asked = request.max_tokens();
    if most == 0 || asked.is_some_and(|asked| asked <= most) {
        return false;
    }
    request.parameters.allowed = Some(most);
    true
}

/// Whether something had arrived before the error. One that comes inside a
/// stream carries what there was, which may be nothing.
fn has_content(error: &ModelError) -> bool {
    let partial = error.partial.as_ref();
    partial.is_some_and(|partial| !partial.parts.is_empty())
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
    untold: VecDeque<Adapted>,
    tried: Vec<(Remedy, Holds)>,
    /// The parts of the history that this request gave up.
    refused: Vec<Name>,
    progress: Progress,
}

impl Asking {
    /// Asks again in another form; `None` when there is none.
    fn adapt(&mut self, error: &ModelError) -> Option<Adapted> {
        let remedy = error.remedy.as_deref()?;
        let was_tried = self.tried.iter().any(|(tried, _)| tried == remedy);
        if self.tried.len() >= MAX_REMEDIES || was_tried || has_content(error) {
            return None;
        }
        let mut images = Vec::new();
        match remedy {
            Remedy::NoImages => images = self.give_up_parts(Sort::Image)?,
            Remedy::NoSealedReasoning => drop(self.give_up_parts(Sort::Seal)?),
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
                let configured = self.shared.configured.dialect;
                let changed = self.variant.adapted(other, configured)?;
                self.model = (self.shared.build)(&changed).ok()?;
                self.variant = changed;
                self.shared.state().trying = Some(Arc::clone(&self.model));
            }
        }
        self.tried.push((remedy.clone(), error.holds));
        self.stream = self.model.stream(self.request.clone());
        Some(change::told(remedy, &self.variant, error, &images))
    }

    /// What people call them; `None` when the request has none of them.
    fn give_up_parts(&mut self, sort: Sort) -> Option<Vec<String>> {
        let mut state = self.shared.state();
        let refused = state.refused.refuse(&self.request, sort);
        if refused.is_empty() {
            return None;
        }
        let labels = Refused::labels(&self.request, &refused);
        state.refused.leave_out(&mut self.request);
        self.refused.extend(refused);
        Some(labels)
    }

    /// The server took the request: what it took is how it is asked from now on.
    fn confirm(&mut self) {
        if self.progress != Progress::Unanswered {
            return;
        }
        self.progress = Progress::Answered;
        let lasting: Vec<&(Remedy, Holds)> = self
            .tried
            .iter()
            .filter(|(remedy, _)| change::lasts(remedy))
            .collect();
        if lasting.is_empty() {
            return;
        }
        let mut state = self.shared.state();
        state.trying = None;
        // Another request may have learned something else meanwhile.
        let mut variant = state.variant.clone();
        for (remedy, _) in &lasting {
            if let Some(changed) = variant.adapted(remedy, self.shared.configured.dialect) {
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
        for (remedy, holds) in lasting {
            if *holds == Holds::Kept && self.shared.configured.leaves_open(remedy) {
                self.shared.memory.learn(remedy);
            }
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

impl Drop for Asking {
    fn drop(&mut self) {
        // Nobody knows whether it would have helped.
        if self.progress != Progress::Answered && !self.tried.is_empty() {
            self.shared.state().trying = None;
        }
    }
}

impl Stream for Asking {
    type Item = Result<Delta, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.progress == Progress::Ended {
            return Poll::Ready(None);
        }
        if let Some(adapted) = self.untold.pop_front() {
            return Poll::Ready(Some(Ok(Delta::Adapted(adapted))));
        }
        let item = match ready!(self.stream.as_mut().poll_next(cx)) {
            Some(Ok(
                delta @ (Delta::Adapted(_)
                | Delta::Warned(_)
                | Delta::Unanswered(_)
                | Delta::Reading { .. }),
            )) => Ok(delta),
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
