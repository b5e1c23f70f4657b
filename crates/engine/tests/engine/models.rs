//! A model that says what a test tells it, in time that the test controls. Its
//! requests are encoded by the real codec and checked as a strict server would.

use futures_util::stream;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tenon_model::{Chat, Codec};
use tenon_model::{
    Delivery, Delta, DeltaStream, Finished, Identity, Model, ModelEntry, ModelError,
    ModelErrorKind, Request,
};
use tenon_vocab::port::BoxFuture;
use tenon_vocab::{CallId, Message, Part, StopReason, ToolCallPart, Usage};

/// One reply of the script.
#[derive(Debug, Clone, Default)]
pub struct Turn {
    pub pieces: Vec<(Duration, String)>,
    pub calls: Vec<(String, String, String)>,
    /// Ends in this error instead.
    pub fails: Option<ModelErrorKind>,
    /// Never ends.
    pub hangs: bool,
    /// Panics when it is asked.
    pub panics: bool,
    pub stop: Option<StopReason>,
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

    pub fn fails(mut self, kind: ModelErrorKind) -> Self {
        self.fails = Some(kind);
        self
    }

    pub fn hangs(mut self) -> Self {
        self.hangs = true;
        self
    }

    fn finished(&self) -> Finished {
        let mut parts = Vec::new();
        let text: String = self.pieces.iter().map(|(_, text)| text.as_str()).collect();
        if !text.is_empty() {
            parts.push(Part::text(text));
        }
        for (id, name, arguments) in &self.calls {
            parts.push(Part::ToolCall(ToolCallPart {
                id: CallId::new(id.clone()),
                name: name.clone(),
                arguments: arguments.clone(),
            }));
        }
        let stop = self.stop.unwrap_or(if self.calls.is_empty() {
            StopReason::EndTurn
        } else {
            StopReason::ToolUse
        });
        let usage = Some(Usage {
            input: 10,
            output: 5,
            ..Usage::default()
        });
        let mut message = Message::assistant("");
        message.parts = parts;
        Finished {
            message,
            stop,
            usage,
            repairs: Vec::new(),
        }
    }
}

pub struct Scripted {
    identity: Identity,
    codec: Chat,
    turns: Mutex<VecDeque<Turn>>,
    bodies: Mutex<Vec<Vec<u8>>>,
    deliveries: Mutex<Vec<Delivery>>,
}

impl Scripted {
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Arc<Self> {
        Arc::new(Self {
            identity: Identity {
                endpoint: "test".into(),
                model: "scripted".into(),
                dialect: "native".into(),
                parameters: serde_json::Value::Null,
                quirks: Vec::new(),
                context_window: Some(8192),
            },
            codec: Chat::default(),
            turns: Mutex::new(turns.into_iter().collect()),
            bodies: Mutex::default(),
            deliveries: Mutex::default(),
        })
    }

    /// The bodies of all requests so far.
    pub fn bodies(&self) -> Vec<Vec<u8>> {
        self.bodies.lock().unwrap().clone()
    }

    pub fn deliveries(&self) -> Vec<Delivery> {
        self.deliveries.lock().unwrap().clone()
    }

    fn check(&self, body: &[u8]) {
        let wrong = tenon_mock::wire::chat::validate(body);
        assert!(
            wrong.is_empty(),
            "{wrong:?}\n{}",
            String::from_utf8_lossy(body)
        );
        if let Some(before) = self.bodies.lock().unwrap().last() {
            tenon_mock::wire::chat::validate_prefix(before, body).unwrap();
        }
    }
}

impl Model for Scripted {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let body = self.codec.body(&self.identity.model, &request).concat();
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
        Box::pin(stream::unfold(Some((turn, pieces)), |state| async move {
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
        }))
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelEntry>, ModelError>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}
