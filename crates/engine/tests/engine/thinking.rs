//! A session with thinking only ever grows (E9): whatever a model thought or did
//! not, and however little room is left, a request begins with the one before
//! it, in every format and with every effort.

use crate::formats::Format;
use crate::whole::{Dice, prefix};
use serde_json::{Value, json};
use std::sync::Arc;
use tenon_model::{Codec, Delivery, Entry, Parameters, Request};
use tenon_vocab::{CallId, Message, Origin, Part, Role, ToolCallPart};

const OWNER: &str = "mine";

fn thought(dice: &mut Dice, format: Format) -> Part {
    let sealed =
        json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"});
    let provider = match dice.roll(5) {
        0 => "another",
        _ => OWNER,
    };
    if format == Format::Messages && dice.roll(5) == 0 {
        return Part::Opaque {
            provider: provider.into(),
            raw: json!({"type": "redacted_thinking", "data": "abc"}),
        };
    }
    Part::Reasoning {
        text: dice.one(&["hm", "", "let me see"]).into(),
        signature: match format {
            Format::Responses => Some(sealed.to_string()),
            Format::Chat | Format::Messages => Some("EqQBCgIYAhIM".into()),
        },
        provider: Some(provider.into()),
    }
}

/// A reply, and its results.
fn step(dice: &mut Dice, format: Format, serial: u64) -> (Message, Option<Message>) {
    let mut parts = Vec::new();
    for _ in 0..dice.roll(3) {
        parts.push(thought(dice, format));
    }
    if dice.roll(2) == 0 {
        parts.push(Part::text("I look."));
    }
    if dice.roll(5) == 0 {
        parts.push(thought(dice, format));
    }
    let mut results = Vec::new();
    for n in 0..dice.roll(3) {
        let call = CallId::new(format!("call_{serial}_{n}"));
        parts.push(Part::ToolCall(ToolCallPart::new(
            call.clone(),
            "read",
            "{}",
        )));
        results.push(Part::ToolResult {
            call,
            name: "read".into(),
            text: "what it says".into(),
            ok: true,
        });
    }
    let reply = Message::new(Role::Assistant, Origin::Model, parts);
    let results = (!results.is_empty()).then(|| Message::new(Role::Tool, Origin::User, results));
    (reply, results)
}

struct Session {
    format: Format,
    codec: Arc<dyn Codec>,
    model: &'static str,
    request: Request,
    previous: Option<Vec<u8>>,
}

impl Session {
    fn add(&mut self, message: Message) {
        let entry = Entry::new(Arc::new(message));
        self.request.entries.push(Arc::new(entry));
    }

    fn ask(&mut self, place: &str) {
        let body = self.codec.body(self.model, &self.request).concat();
        let text = String::from_utf8_lossy(&body);
        let wrong = self.format.refuses(&body);
        assert!(wrong.is_empty(), "{place}: {wrong:#?}\n{text}");
        if self.format == Format::Messages && self.model == "claude-sonnet-4-5" {
            shows_no_thoughts_where_there_may_be_none(&body, place);
        }
        if let Some(previous) = &self.previous {
            let continued = self.format.continues(previous, &body);
            assert_eq!(continued, Ok(()), "{place}");
        }
        self.previous = Some(body);
    }
}

/// A model that takes a budget and gets none refuses thoughts in its present
/// turn; those of turns before it does not read.
fn shows_no_thoughts_where_there_may_be_none(body: &[u8], place: &str) {
    let body: Value = serde_json::from_slice(body).unwrap();
    if body["thinking"]["type"] == "enabled" {
        return;
    }
    let is = |message: &Value, kind: &str| {
        let blocks = message["content"].as_array().into_iter().flatten();
        blocks.map(|block| &block["type"]).any(|own| own == kind)
    };
    let messages = body["messages"].as_array().unwrap().iter().rev();
    for message in
        messages.take_while(|message| message["role"] == "assistant" || is(message, "tool_result"))
    {
        assert!(
            !is(message, "thinking") && !is(message, "redacted_thinking"),
            "{place}: {message}"
        );
    }
}

fn grow(seed: u64, format: Format) {
    let mut dice = Dice(seed.wrapping_mul(6_007).wrapping_add(31));
    let model = dice.one(&["claude-sonnet-4-5", "claude-opus-4-7", "glm-5"]);
    let effort = dice.one(&[None, Some("none"), Some("low"), Some("high"), Some("max")]);
    let parameters = Parameters {
        max_tokens: dice.one(&[None, Some(100), Some(4_096), Some(40_000)]),
        reasoning_effort: effort.map(str::to_owned),
        ..Parameters::default()
    };
    let mut session = Session {
        format,
        codec: format.codec(OWNER),
        model,
        request: Request {
            prefix: prefix(),
            entries: Vec::new(),
            parameters,
            delivery: Delivery::Streamed,
            cache_key: None,
            room: None,
        },
        previous: None,
    };
    let mut room = dice.one(&[None, Some(6_000), Some(40_000)]);
    for serial in 0..12 {
        let place = format!("seed {seed}, {format:?}, {model}, {effort:?}, step {serial}");
        let last = session.request.entries.last();
        let working = last.is_some_and(|entry| entry.message.role == Role::Tool);
        if !working || dice.roll(6) == 0 {
            session.add(Message::user("go on"));
        }
        session.request.room = room;
        session.ask(&place);
        let (reply, results) = step(&mut dice, format, serial);
        session.add(reply);
        if let Some(results) = results {
            session.add(results);
        }
        room = room.map(|room: u64| room.saturating_sub(dice.roll(1_500)).max(1));
    }
}

#[test]
fn a_growing_session_with_thinking_never_changes_what_was_sent() {
    for seed in 0..300 {
        for format in Format::ALL {
            grow(seed, format);
        }
    }
}
