//! The tools that the scenarios of the dialect know, a model that says what a
//! test tells it, and a way to read a stream to its end without a runtime.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use tenon_model::{
    Delivery, Delta, DeltaStream, Entry, Finished, Identity, Model, ModelEntry, ModelError,
    Parameters, Prefix, Request,
};
use tenon_vocab::port::BoxFuture;
use tenon_vocab::{Effect, Message, Part, StopReason, ToolSpec, Usage};

pub fn tool(name: &str, required: &[&str], properties: Value) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: format!("What {name} does."),
        parameters: json!({"type": "object", "properties": properties, "required": required}),
        effect: Effect::Read,
        source: String::from("built-in"),
    }
}

pub fn tools() -> Vec<ToolSpec> {
    let text = json!({"type": "string"});
    let number = json!({"type": "integer", "description": "A number."});
    vec![
        tool("read", &["path"], json!({"path": text, "offset": number})),
        tool(
            "write",
            &["path", "content"],
            json!({"path": text, "content": text}),
        ),
        tool(
            "edit",
            &["path", "old", "new"],
            json!({"path": text, "old": text, "new": text, "replace_all": {"type": "boolean"}}),
        ),
        tool("patch", &["patch"], json!({"patch": text})),
        tool(
            "list",
            &[],
            json!({"path": text, "depth": number, "glob": text}),
        ),
        tool("glob", &["pattern"], json!({"pattern": text, "path": text})),
        tool("grep", &["pattern"], json!({"pattern": text, "path": text})),
        tool(
            "bash",
            &["command"],
            json!({"command": text, "background": {"type": "boolean"}}),
        ),
        tool(
            "process",
            &["action"],
            json!({"action": {"type": "string", "enum": ["list", "read", "write", "kill"]}, "id": text, "input": text}),
        ),
        tool("ask_user", &["question"], json!({"question": text})),
        tool(
            "github_create_issue",
            &["title"],
            json!({"title": text, "body": text, "labels": {"type": "array", "items": {"type": "string"}}}),
        ),
    ]
}

/// A model that gives these replies, one after the other, and keeps what it was asked.
#[derive(Default)]
pub struct Scripted {
    replies: Mutex<VecDeque<Vec<Result<Delta, ModelError>>>>,
    pub requests: Mutex<Vec<Request>>,
}

impl Scripted {
    pub fn new(replies: impl IntoIterator<Item = Vec<Result<Delta, ModelError>>>) -> Arc<Self> {
        Arc::new(Self {
            replies: Mutex::new(replies.into_iter().collect()),
            requests: Mutex::default(),
        })
    }

    pub fn asked(&self) -> Vec<Request> {
        self.requests.lock().expect("the lock").clone()
    }
}

impl Model for Scripted {
    fn identity(&self) -> Arc<Identity> {
        Arc::new(Identity::new("test", "scripted"))
    }

    fn stream(&self, request: Request) -> DeltaStream {
        self.requests.lock().expect("the lock").push(request);
        let reply = self.replies.lock().expect("the lock").pop_front();
        Box::pin(Ready(reply.unwrap_or_default().into()))
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelEntry>, ModelError>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

struct Ready(VecDeque<Result<Delta, ModelError>>);

impl futures_core::Stream for Ready {
    type Item = Result<Delta, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.pop_front())
    }
}

/// All that a stream gives. It is always ready: nothing here waits.
pub fn collect(mut stream: DeltaStream) -> Vec<Result<Delta, ModelError>> {
    let mut context = Context::from_waker(Waker::noop());
    let mut all = Vec::new();
    while let Poll::Ready(Some(item)) = stream.as_mut().poll_next(&mut context) {
        all.push(item);
    }
    all
}

/// The one `Finished` at the end.
pub fn finished(stream: DeltaStream) -> Finished {
    let mut all = collect(stream);
    match all.pop() {
        Some(Ok(Delta::Finished(finished))) => finished,
        other => panic!("no end: {other:?}"),
    }
}

/// A whole reply of the inner model, in pieces of a few bytes.
pub fn says(text: &str) -> Vec<Result<Delta, ModelError>> {
    ends(text, StopReason::EndTurn)
}

pub fn ends(text: &str, stop: StopReason) -> Vec<Result<Delta, ModelError>> {
    let characters: Vec<char> = text.chars().collect();
    let mut deltas: Vec<Result<Delta, ModelError>> = characters
        .chunks(7)
        .map(|piece| Ok(Delta::Text(piece.iter().collect())))
        .collect();
    let mut message = Message::assistant(text);
    if text.is_empty() {
        message.parts.clear();
    }
    deltas.push(Ok(whole(message, stop)));
    deltas
}

pub fn whole(message: Message, stop: StopReason) -> Delta {
    let usage = Some(Usage {
        input: 10,
        output: 5,
        ..Usage::default()
    });
    Delta::Finished(Finished {
        message: Message {
            stop: Some(stop),
            usage,
            ..message
        },
        stop,
        usage,
        repairs: Vec::new(),
        todo: None,
    })
}

pub fn request(tools: Vec<ToolSpec>, messages: impl IntoIterator<Item = Message>) -> Request {
    let entries = messages
        .into_iter()
        .map(|message| Arc::new(Entry::new(Arc::new(message))));
    Request {
        prefix: Arc::new(Prefix {
            system: String::from("You are a coding agent."),
            tools,
        }),
        entries: entries.collect(),
        parameters: Parameters::default(),
        delivery: Delivery::Streamed,
        cache_key: None,
        room: None,
    }
}

/// A response of the taught form.
pub fn response(choice: &str, input: &str) -> String {
    format!(
        "# Agent Response\n\n## Thoughts\nI look.\n\n## Tool Choice\n{choice}\n\n## Tool Input\n{input}"
    )
}

pub fn texts(message: &Message) -> Vec<&str> {
    message
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}
