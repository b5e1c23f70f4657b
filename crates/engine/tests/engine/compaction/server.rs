//! A model server that enforces its window, counts what it reads, checks every
//! request as the strictest one would, and measures how often the prefix breaks.

use crate::formats::Format;
use crate::models::Turn;
use futures_util::stream;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tenon_model::{
    Codec, Delta, DeltaStream, Identity, Model, ModelEntry, ModelError, ModelErrorKind, Request,
    Window, WindowSource,
};
use tenon_policy::{Facts, Subject};
use tenon_tools::{Host, Tool, Workspace};
use tenon_vocab::port::BoxFuture;
use tenon_vocab::{Display, Effect, ToolOutput, ToolSpec, Usage};

/// By which the question for a summary is known.
pub const ASKS_FOR_SUMMARY: &str = "Write the summary that replaces it";

/// What a script is asked with: how many steps were answered before, and the body.
type Script = Box<dyn FnMut(usize, &str) -> Turn + Send>;

pub struct Server {
    identity: Arc<Identity>,
    format: Format,
    codec: Arc<dyn Codec>,
    /// Refuses what is longer.
    window: AtomicU64,
    steps: Mutex<Script>,
    summaries: Mutex<Script>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    steps: Vec<Vec<u8>>,
    summaries: Vec<String>,
    answered: usize,
    refused: usize,
    /// Steps that did not begin with the step before.
    breaks: usize,
    /// Questions for a summary that did begin with the step before.
    warm: usize,
    most: u64,
}

/// Four bytes a token, as the mock counts.
pub fn tokens(body: &[u8]) -> u64 {
    body.len().div_ceil(4) as u64
}

pub struct Setup {
    pub format: Format,
    pub window: u64,
    pub said: Option<WindowSource>,
}

impl Setup {
    pub fn chat(window: u64) -> Self {
        Self {
            format: Format::Chat,
            window,
            said: Some(WindowSource::User),
        }
    }
}

impl Server {
    pub fn new(
        setup: Setup,
        steps: impl FnMut(usize, &str) -> Turn + Send + 'static,
        summaries: impl FnMut(usize, &str) -> Turn + Send + 'static,
    ) -> Arc<Self> {
        let identity = Identity {
            window: setup.said.map(|source| Window {
                tokens: setup.window,
                source,
            }),
            ..Identity::new("test", "claude-sonnet-4-5")
        };
        Arc::new(Self {
            codec: setup.format.codec(&identity.endpoint),
            identity: Arc::new(identity),
            format: setup.format,
            window: AtomicU64::new(setup.window),
            steps: Mutex::new(Box::new(steps)),
            summaries: Mutex::new(Box::new(summaries)),
            seen: Mutex::default(),
        })
    }

    /// As if it was started anew with another window.
    pub fn holds(&self, tokens: u64) {
        self.window.store(tokens, Ordering::SeqCst);
    }

    fn window(&self) -> u64 {
        self.window.load(Ordering::SeqCst)
    }

    /// The bodies of the steps, the refused ones too.
    pub fn steps(&self) -> Vec<String> {
        let steps = self.seen.lock().unwrap().steps.clone();
        steps
            .into_iter()
            .map(|body| String::from_utf8(body).unwrap())
            .collect()
    }

    pub fn last(&self) -> String {
        self.steps().pop().unwrap()
    }

    pub fn summaries(&self) -> Vec<String> {
        self.seen.lock().unwrap().summaries.clone()
    }

    pub fn breaks(&self) -> usize {
        self.seen.lock().unwrap().breaks
    }

    pub fn refused(&self) -> usize {
        self.seen.lock().unwrap().refused
    }

    pub fn warm(&self) -> usize {
        self.seen.lock().unwrap().warm
    }

    /// The longest request that was answered.
    pub fn most(&self) -> u64 {
        self.seen.lock().unwrap().most
    }

    fn answer(&self, body: Vec<u8>) -> Result<Turn, ModelError> {
        let wrong = self.format.refuses(&body);
        let text = String::from_utf8(body.clone()).unwrap();
        assert!(wrong.is_empty(), "{wrong:?}\n{text}");
        let mut seen = self.seen.lock().unwrap();
        let is_summary = text.contains(ASKS_FOR_SUMMARY);
        let continues = match seen.steps.last() {
            Some(before) => self.format.continues(before, &body).is_ok(),
            None => true,
        };
        if is_summary {
            seen.warm += usize::from(continues);
            seen.summaries.push(text.clone());
        } else {
            seen.breaks += usize::from(!continues);
            seen.steps.push(body.clone());
        }
        if tokens(&body) > self.window() {
            seen.refused += 1;
            let message = format!(
                "This model's maximum context length is {} tokens. However, your messages resulted in {} tokens.",
                self.window(),
                tokens(&body)
            );
            return Err(ModelError::new(ModelErrorKind::ContextOverflow, message));
        }
        seen.most = seen.most.max(tokens(&body));
        if is_summary {
            let number = seen.summaries.len();
            drop(seen);
            return Ok((self.summaries.lock().unwrap())(number, &text));
        }
        let number = seen.answered;
        seen.answered += 1;
        drop(seen);
        Ok((self.steps.lock().unwrap())(number, &text))
    }
}

impl Model for Server {
    fn identity(&self) -> Arc<Identity> {
        Arc::clone(&self.identity)
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let body = self.codec.body(&self.identity.model, &request).concat();
        let counted = tokens(&body);
        let turn = match self.answer(body) {
            Ok(turn) => turn,
            Err(error) => return Box::pin(stream::iter([Err(error)])),
        };
        if turn.hangs {
            return Box::pin(stream::pending());
        }
        if let Some(kind) = turn.fails {
            let error = ModelError::new(kind, "the script says so");
            return Box::pin(stream::iter([Err(error)]));
        }
        let mut finished = turn.finished();
        finished.usage = turn.usage.or(Some(Usage {
            input: counted,
            output: 20,
            ..Usage::default()
        }));
        Box::pin(stream::iter([Ok(Delta::Finished(finished))]))
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelEntry>, ModelError>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    fn served_window(&self) -> BoxFuture<'_, Option<Window>> {
        let said = self.identity.window.clone();
        let says = said.filter(|said| matches!(said.source, WindowSource::Server(_)));
        Box::pin(std::future::ready(says.map(|said| Window {
            tokens: self.window(),
            ..said
        })))
    }
}

/// Prints as many bytes as its input says.
pub struct Printer(ToolSpec);

impl Printer {
    pub fn new(name: &str) -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {"path": {"type": "string"}, "bytes": {"type": "integer"}},
        });
        Self(ToolSpec {
            name: name.into(),
            description: format!("{name} for tests"),
            parameters,
            // One of them says that it changes something.
            effect: match name {
                "save" => Effect::Write,
                _ => Effect::Read,
            },
            source: "test".into(),
        })
    }
}

impl Tool for Printer {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn facts(&self, input: &Value, _: &Workspace) -> Facts {
        Facts {
            tool: self.0.name.clone(),
            effect: self.0.effect,
            subject: Subject::Nothing,
            input: input.to_string(),
        }
    }

    fn preview(&self, _: &Value, _: &Workspace) -> Display {
        Display::Nothing
    }

    fn run<'a>(&'a self, input: Value, _: &'a dyn Host) -> BoxFuture<'a, ToolOutput> {
        let bytes = input["bytes"].as_u64().unwrap_or(10) as usize;
        let text: String = "some words of a file\n"
            .chars()
            .cycle()
            .take(bytes)
            .collect();
        Box::pin(std::future::ready(ToolOutput::ok(
            json!({}),
            text,
            Display::Nothing,
        )))
    }
}

/// A summary that says nothing of what was planted.
pub fn vague(_: usize, _: &str) -> Turn {
    Turn::text("## Objective\nThe assistant works on something with the user, and goes on.")
}
