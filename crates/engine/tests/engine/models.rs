//! A model that says what a test tells it, in time that the test controls. Its
//! requests are encoded by the real codec and checked as a strict server would.

use crate::formats::Format;
use futures_util::stream;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tenon_engine::{Chosen, ModelSource};
use tenon_model::{
    Adapted, Codec, Delivery, Delta, DeltaStream, Finished, Identity, Model, ModelEntry,
    ModelError, ModelErrorKind, Parameters, Request, Window, WindowSource,
};
use tenon_vocab::port::BoxFuture;
use tenon_vocab::{CallId, Message, Part, StopReason, TodoItem, ToolCallPart, Usage};

/// One reply of the script.
#[derive(Debug, Clone, Default)]
pub struct Turn {
    pub pieces: Vec<(Duration, String)>,
    pub calls: Vec<(String, String, String)>,
    /// Before the text: reasoning, or what only its provider understands.
    pub thoughts: Vec<Part>,
    /// Ends in this error instead.
    pub fails: Option<ModelErrorKind>,
    /// Never ends.
    pub hangs: bool,
    /// Panics when it is asked.
    pub panics: bool,
    pub stop: Option<StopReason>,
    pub usage: Option<Usage>,
    pub todo: Option<Vec<TodoItem>>,
    /// Adapts before it answers: what is said, and the dialect from then on.
    pub adapts: Option<(String, String)>,
}

impl Turn {
    pub fn text(text: &str) -> Self {
        Self {
            pieces: vec![(Duration::ZERO, text.to_owned())],
            ..Self::default()
        }
    }

    pub fn call(id: &str, name: &str, arguments: &str) -> Self {
        Self::default().and_call(id, name, arguments)
    }

    pub fn and_call(mut self, id: &str, name: &str, arguments: &str) -> Self {
        self.calls
            .push((id.to_owned(), name.to_owned(), arguments.to_owned()));
        self
    }

    pub fn thinking(mut self, part: Part) -> Self {
        self.thoughts.push(part);
        self
    }

    pub fn using(mut self, input: u64, output: u64) -> Self {
        self.usage = Some(Usage {
            input,
            output,
            ..Usage::default()
        });
        self
    }

    pub fn fails(mut self, kind: ModelErrorKind) -> Self {
        self.fails = Some(kind);
        self
    }

    pub fn hangs(mut self) -> Self {
        self.hangs = true;
        self
    }

    pub fn finished(&self) -> Finished {
        let mut parts = self.thoughts.clone();
        let text: String = self.pieces.iter().map(|(_, text)| text.as_str()).collect();
        if !text.is_empty() {
            parts.push(Part::text(text));
        }
        for (id, name, arguments) in &self.calls {
            let call = ToolCallPart::new(CallId::new(id.clone()), name.clone(), arguments.clone());
            parts.push(Part::ToolCall(call));
        }
        let stop = self.stop.unwrap_or(if self.calls.is_empty() {
            StopReason::EndTurn
        } else {
            StopReason::ToolUse
        });
        let usage = self.usage.unwrap_or(Usage {
            input: 10,
            output: 5,
            ..Usage::default()
        });
        let mut message = Message::assistant("");
        message.parts = parts;
        Finished {
            message,
            stop,
            usage: Some(usage),
            repairs: Vec::new(),
            todo: self.todo.clone(),
        }
    }
}

pub struct Scripted {
    identity: Mutex<Arc<Identity>>,
    format: Format,
    codec: Arc<dyn Codec>,
    turns: Mutex<VecDeque<Turn>>,
    bodies: Mutex<Vec<Vec<u8>>>,
    deliveries: Mutex<Vec<Delivery>>,
    /// What the server says of its window, and how often it was asked.
    pub served: Option<Window>,
    pub asked_for_window: AtomicUsize,
    pub window_takes: Duration,
    /// Held by every answer and every other question as long as it lasts.
    busy: Arc<()>,
    /// How often something was asked beside an answer.
    pub overlaps: AtomicUsize,
    pub offers: Vec<String>,
}

impl Scripted {
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Arc<Self> {
        let identity = Identity {
            window: Some(Window {
                tokens: 8192,
                source: WindowSource::User,
            }),
            ..Identity::new("test", "scripted")
        };
        Arc::new(Self::with(Format::Chat, identity, turns))
    }

    /// Speaks a format as somebody; signatures are the endpoint's.
    pub fn with(format: Format, identity: Identity, turns: impl IntoIterator<Item = Turn>) -> Self {
        Self {
            codec: format.codec(&identity.endpoint),
            identity: Mutex::new(Arc::new(identity)),
            format,
            turns: Mutex::new(turns.into_iter().collect()),
            bodies: Mutex::default(),
            deliveries: Mutex::default(),
            served: None,
            asked_for_window: AtomicUsize::new(0),
            window_takes: Duration::ZERO,
            busy: Arc::default(),
            overlaps: AtomicUsize::new(0),
            offers: Vec::new(),
        }
    }

    /// More of the script.
    pub fn then(&self, turns: impl IntoIterator<Item = Turn>) {
        self.turns.lock().unwrap().extend(turns);
    }

    /// The next request need not go on from the last one.
    pub fn begins_anew(&self) {
        self.bodies.lock().unwrap().clear();
    }

    /// The bodies of all requests so far.
    pub fn bodies(&self) -> Vec<Vec<u8>> {
        self.bodies.lock().unwrap().clone()
    }

    pub fn texts(&self) -> Vec<String> {
        let text = |body| String::from_utf8(body).unwrap();
        self.bodies().into_iter().map(text).collect()
    }

    pub fn deliveries(&self) -> Vec<Delivery> {
        self.deliveries.lock().unwrap().clone()
    }

    fn check(&self, body: &[u8]) {
        let wrong = self.format.refuses(body);
        assert!(
            wrong.is_empty(),
            "{wrong:?}\n{}",
            String::from_utf8_lossy(body)
        );
        if let Some(before) = self.bodies.lock().unwrap().last() {
            self.format.continues(before, body).unwrap();
        }
    }

    fn begin(&self) -> Arc<()> {
        if Arc::strong_count(&self.busy) > 1 {
            self.overlaps.fetch_add(1, Ordering::SeqCst);
        }
        Arc::clone(&self.busy)
    }

    fn adapt(&self, turn: &Turn) -> Option<Delta> {
        let (message, dialect) = turn.adapts.clone()?;
        let mut identity = self.identity.lock().unwrap();
        *identity = Arc::new(Identity {
            dialect,
            ..Identity::clone(&identity)
        });
        Some(Delta::Adapted(Adapted {
            message,
            hint: Some("set it".into()),
        }))
    }
}

impl Model for Scripted {
    fn identity(&self) -> Arc<Identity> {
        Arc::clone(&self.identity.lock().unwrap())
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let body = self.codec.body(&self.identity().model, &request).concat();
        self.check(&body);
        self.bodies.lock().unwrap().push(body);
        self.deliveries.lock().unwrap().push(request.delivery);
        let turn = self
            .turns
            .lock()
            .unwrap()
            .pop_front()
            .unwrap_or_else(|| Turn::text("done"));
        assert!(!turn.panics, "the script says so");
        let pieces: VecDeque<_> = turn.pieces.iter().cloned().collect();
        let first = self.adapt(&turn).map(Ok);
        let busy = self.begin();
        let rest = stream::unfold(Some((turn, pieces)), move |state| {
            let busy = Arc::clone(&busy);
            async move {
                let _busy = busy;
                let (turn, mut pieces) = state?;
                if let Some((pause, text)) = pieces.pop_front() {
                    tokio::time::sleep(pause).await;
                    return Some((Ok(Delta::Text(text)), Some((turn, pieces))));
                }
                if turn.hangs {
                    std::future::pending::<()>().await;
                }
                let item = match turn.fails {
                    Some(kind) => Err(ModelError::new(kind, "the script says so")),
                    None => Ok(Delta::Finished(turn.finished())),
                };
                Some((item, None))
            }
        });
        Box::pin(futures_util::StreamExt::chain(stream::iter(first), rest))
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelEntry>, ModelError>> {
        let entries = self.offers.iter().map(|id| ModelEntry {
            id: id.clone(),
            context_window: None,
        });
        Box::pin(std::future::ready(Ok(entries.collect())))
    }

    fn served_window(&self) -> BoxFuture<'_, Option<Window>> {
        self.asked_for_window.fetch_add(1, Ordering::SeqCst);
        let busy = self.begin();
        Box::pin(async move {
            let _busy = busy;
            tokio::time::sleep(self.window_takes).await;
            self.served.clone()
        })
    }
}

/// Models by name, as a configuration would give them.
#[derive(Default)]
pub struct Shelf {
    pub models: Vec<(String, Arc<Scripted>)>,
    pub parameters: Parameters,
    pub small: Option<Arc<Scripted>>,
}

impl ModelSource for Shelf {
    fn choose<'a>(
        &'a self,
        name: &'a str,
        _: &'a Identity,
    ) -> BoxFuture<'a, Result<Chosen, ModelError>> {
        assert_ne!(name, "panic", "the name says so");
        let found = self.models.iter().find(|(known, _)| known == name);
        let chosen = found.map(|(_, model)| Chosen {
            model: Arc::clone(model) as Arc<dyn Model>,
            parameters: self.parameters.clone(),
        });
        let chosen = chosen.ok_or_else(|| {
            ModelError::new(
                ModelErrorKind::NotFound,
                format!("There is no model `{name}`."),
            )
            .with_hint("Ask for another.")
        });
        Box::pin(async move {
            if name == "never" {
                std::future::pending::<()>().await;
            }
            chosen
        })
    }

    fn configured(&self) -> Vec<(String, String)> {
        self.models
            .iter()
            .map(|(_, model)| {
                let identity = model.identity();
                (identity.endpoint.clone(), identity.model.clone())
            })
            .collect()
    }

    fn small(&self) -> Option<Arc<dyn Model>> {
        self.small.clone().map(|model| model as Arc<dyn Model>)
    }
}
