//! Nothing that a log holds can make a session unusable: whatever was stored,
//! cut anywhere, the next request is one that the strictest server of each
//! format takes.

use crate::formats::Format;
use crate::support::first;
use bytes::Bytes;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use tenon_model::{Codec, Delivery, Entry, Parameters, Prefix, Request};
use tenon_session::State;
use tenon_vocab::{
    BlobRef, CallId, CallStatus, Compacted, ContextChange, Display, Envelope, Event, EventKind,
    ImageSource, Message, Origin, Outcome, Part, Role, RunFinished, RunId, RunOrigin, RunStarted,
    SessionId, Status, Timestamp, ToolCallPart, ToolResult, ToolSpec, Usage,
};

/// Small and repeatable; quality does not matter here.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    pub fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len() as u64) as usize].clone()
    }
}

const TEXTS: &[&str] = &[
    "",
    " ",
    "\n",
    "hello",
    "ünïcödé 漢字",
    "\u{0}\u{1b}[2J",
    "</think>",
];
const OWNERS: &[&str] = &["chat", "messages", "responses", "gone"];
const ARGUMENTS: &[&str] = &[
    "{}",
    "",
    r#"{"path":"a"}"#,
    r#"{"path":"#,
    "null",
    "[1,2]",
    "not json",
    r#""{\"path\":\"a\"}""#,
    "{\"text\":\"line\nbreak\"}",
];
const NAMES: &[&str] = &["read", "teleport", "with space", "näme", "a.b", ""];

fn kept_picture() -> (BlobRef, Bytes) {
    let blob = BlobRef {
        sha256: "ab".repeat(32),
        bytes: 4,
    };
    (blob, Bytes::from_static(b"\x89PNG"))
}

fn image(dice: &mut Dice) -> Part {
    let lost = BlobRef {
        sha256: "cd".repeat(32),
        bytes: 9,
    };
    let source = match dice.roll(3) {
        0 => ImageSource::Blob(kept_picture().0),
        1 => ImageSource::Blob(lost),
        _ => ImageSource::Url("https://example.com/a.png".into()),
    };
    Part::Image {
        source,
        media_type: "image/png".into(),
    }
}

fn reasoning(dice: &mut Dice) -> Part {
    let item = json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"});
    let signature = match dice.roll(4) {
        0 => None,
        1 => Some(String::from("EqQBCgIYAhIM")),
        2 => Some(item.to_string()),
        _ => Some(String::new()),
    };
    Part::Reasoning {
        text: dice.one(TEXTS).into(),
        signature,
        provider: (dice.roll(4) > 0).then(|| dice.one(OWNERS).into()),
    }
}

fn opaque(dice: &mut Dice) -> Part {
    let raw = match dice.roll(3) {
        0 => json!({"type": "redacted_thinking", "data": "abc"}),
        1 => json!({"type": "web_search_call", "id": "ws_1", "status": "completed"}),
        _ => json!("nonsense"),
    };
    // What a provider keeps for itself came from it; only foreign ones vary.
    let provider = match &raw {
        Value::Object(item) if item["type"] == "redacted_thinking" => {
            dice.one(&["messages", "gone"])
        }
        _ => "gone",
    };
    Part::Opaque {
        provider: provider.into(),
        raw,
    }
}

/// The engine gives each call an id of its own; what it looks like is the server's.
fn call(dice: &mut Dice, calls: &mut Vec<String>) -> Part {
    let n = calls.len();
    let id = match dice.roll(5) {
        0 => format!("call:{n}/ü "),
        1 => format!("{}{n}", "x".repeat(100)),
        2 => format!("functions.read:{n}"),
        _ => format!("call_{n}"),
    };
    calls.push(id.clone());
    Part::ToolCall(ToolCallPart::new(
        CallId::new(id),
        dice.one(NAMES),
        dice.one(ARGUMENTS),
    ))
}

fn user(dice: &mut Dice) -> Message {
    let mut parts = Vec::new();
    for _ in 0..dice.roll(4) {
        parts.push(match dice.roll(3) {
            0 => image(dice),
            _ => Part::text(dice.one(TEXTS)),
        });
    }
    Message::new(Role::User, dice.one(&[Origin::User, Origin::Steer]), parts)
}

fn assistant(dice: &mut Dice, calls: &mut Vec<String>) -> Message {
    let mut parts = Vec::new();
    for _ in 0..dice.roll(6) {
        parts.push(match dice.roll(6) {
            0 | 1 => Part::text(dice.one(TEXTS)),
            2 => reasoning(dice),
            3 => opaque(dice),
            _ => call(dice, calls),
        });
    }
    let mut message = Message::new(Role::Assistant, Origin::Model, parts);
    message.status = dice.one(&[
        Status::Complete,
        Status::Complete,
        Status::Complete,
        Status::Interrupted,
        Status::Broken,
        Status::Abandoned,
    ]);
    message
}

fn result(dice: &mut Dice, calls: &[String]) -> ToolResult {
    let known = match calls.last() {
        Some(_) if dice.roll(6) > 0 => dice.one(calls),
        _ => String::from("never_asked"),
    };
    let pictures = match dice.roll(4) {
        0 => vec![(kept_picture().0, String::from("image/png"))],
        _ => Vec::new(),
    };
    ToolResult {
        call: CallId::new(known),
        name: dice.one(NAMES).into(),
        ok: dice.roll(2) == 0,
        status: CallStatus::Completed,
        envelope: Envelope::Ok(Value::Null),
        model_text: dice.one(TEXTS).into(),
        display: Display::Nothing,
        duration_ms: 0,
        reads: Vec::new(),
        images: pictures,
        sandbox: None,
        explanation: None,
    }
}

fn compaction(dice: &mut Dice, seq: u64) -> EventKind {
    ContextChange::Compacted(Compacted {
        kept_from: dice.roll(seq + 1),
        summary: dice.one(TEXTS).into(),
        pruned: Vec::new(),
        recap: None,
        refused: None,
        untold: Vec::new(),
        tokens_before: 2,
        tokens_after: 1,
    })
    .into()
}

fn event(dice: &mut Dice, seq: u64, calls: &mut Vec<String>) -> EventKind {
    match dice.roll(20) {
        0 => compaction(dice, seq),
        1 => RunStarted {
            prompt: String::new(),
            origin: RunOrigin::Prompt,
        }
        .into(),
        2 => RunFinished {
            outcome: Outcome::Interrupted,
            reason: None,
            steps: 0,
            calls: 0,
            failed_calls: 0,
            denied_calls: 0,
            usage: Usage::default(),
            cost: None,
            duration_ms: 0,
            snapshot: None,
        }
        .into(),
        3..7 => user(dice).into(),
        7..13 => assistant(dice, calls).into(),
        _ => result(dice, calls).into(),
    }
}

fn run(n: u64) -> RunId {
    format!("00000000-0000-7000-8000-{n:012}").parse().unwrap()
}

fn stamped(seq: u64, session: SessionId, run: RunId, kind: EventKind) -> Event {
    Event {
        seq,
        sub: None,
        ts: Timestamp::from_second(1_800_000_000).unwrap(),
        session,
        run: Some(run),
        parent: None,
        agent: "build".into(),
        kind,
    }
}

pub fn prefix() -> Arc<Prefix> {
    Arc::new(Prefix {
        system: "You are a test.".into(),
        tools: vec![ToolSpec {
            name: "read".into(),
            description: "Read a file.".into(),
            parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
            effect: tenon_vocab::Effect::Read,
            source: "test".into(),
        }],
    })
}

fn request(state: &State, prefix: &Arc<Prefix>) -> Request {
    let entries = state.history().messages().iter().map(|message| {
        let blobs = vec![kept_picture()];
        Arc::new(Entry::with_blobs(Arc::clone(message), blobs))
    });
    Request {
        prefix: Arc::clone(prefix),
        entries: entries.collect(),
        parameters: Parameters::default(),
        delivery: Delivery::Streamed,
        cache_key: Some("session".into()),
        room: None,
    }
}

/// Every cut of one transcript, as the next prompt finds it.
fn transcript(seed: u64, codecs: &[(Format, Arc<dyn Codec>)], prefix: &Arc<Prefix>) {
    let mut dice = Dice(seed.wrapping_mul(7919).wrapping_add(17));
    let id = SessionId::generate();
    let mut state = State::new(&first(id, Path::new("/project"))).unwrap();
    let mut calls = Vec::new();
    for seq in 1..3 + dice.roll(14) {
        let kind = event(&mut dice, seq, &mut calls);
        state.apply(&stamped(seq, id, run(seq / 4), kind), seq * 100);
        let place = format!("seed {seed}, cut after {seq}");
        // In the middle of a run: every call has its result, and the next step
        // is asked for.
        let last = state.history().messages().last().map(|last| last.role);
        if last == Some(Role::Tool) && state.open_calls().is_empty() {
            check(&request(&state, prefix), codecs, &place);
        }
        let mut next = state.clone();
        let prompt = Message::user("go on").into();
        next.apply(&stamped(seq + 1, id, run(999), prompt), seq * 100 + 50);
        check(&request(&next, prefix), codecs, &place);
    }
}

fn check(request: &Request, codecs: &[(Format, Arc<dyn Codec>)], place: &str) {
    for (format, codec) in codecs {
        let body = codec.body("model", request).concat();
        let wrong = format.refuses(&body);
        assert!(
            wrong.is_empty(),
            "{format:?}, {place}: {wrong:#?}\n{}",
            String::from_utf8_lossy(&body)
        );
    }
}

#[test]
fn no_stored_message_and_no_cut_of_a_log_makes_a_request_that_is_refused() {
    let codecs: Vec<_> = [
        (Format::Chat, "chat"),
        (Format::Messages, "messages"),
        (Format::Responses, "responses"),
    ]
    .into_iter()
    .map(|(format, owner)| (format, format.codec(owner)))
    .collect();
    let prefix = prefix();
    for seed in 0..1_000 {
        transcript(seed, &codecs, &prefix);
    }
}
