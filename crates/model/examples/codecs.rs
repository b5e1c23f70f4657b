//! Times the wire formats, for `cargo xtask bench`: `codecs chat` prints as JSON
//! what decoding one delta, encoding a long history, and encoding it again with
//! one more message take, and how much a very long one grows with each request.

use serde_json::json;
use std::fmt::Write as _;
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use tenon_model::{
    Chat, Codec, Delivery, Entry, Messages, Parameters, Prefix, Quirks, Request, Responses,
    ResponsesOptions, estimate_tokens,
};
use tenon_vocab::{CallId, Effect, Message, Origin, Part, Role, ToolCallPart, ToolSpec};

const DELTAS: usize = 2_000;
/// As much as a socket gives at once.
const PIECE: usize = 4_096;
/// Short and often: the least of them is one that nothing disturbed.
const ROUNDS: usize = 100;
const MESSAGES: usize = 1_000;
const VERY_MANY: usize = 100_000;
const FIRST_REQUESTS: usize = 3;
const MORE_REQUESTS: usize = 20;

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    if name == "assembly" {
        println!("{}", json!({"assembly_ms": assembly()}));
        return ExitCode::SUCCESS;
    }
    let quirks = Quirks::default();
    let codec: Box<dyn Codec> = match name.as_str() {
        "chat" => Box::new(Chat::new(quirks)),
        "messages" => Box::new(Messages::new(quirks, "bench")),
        "responses" => Box::new(Responses::new(quirks, "bench", ResponsesOptions::default())),
        _ => {
            eprintln!("codecs chat|messages|responses|assembly");
            return ExitCode::from(2);
        }
    };
    let figures = json!({
        "decode_us": decode(&*codec, &answer(&name)),
        "encode_ms": encode(&*codec),
        "encode_one_more_ms": encode_one_more(&*codec),
        "growth_mb": growth(&*codec),
    });
    println!("{figures}");
    ExitCode::SUCCESS
}

/// One long text as the format streams it.
fn answer(format: &str) -> String {
    let mut body = String::new();
    for number in 0..DELTAS {
        let word = ["The ", "quick ", "brown\\n", "“fox” "][number % 4];
        let _ = match format {
            "chat" => write!(
                body,
                "data: {{\"id\":\"chatcmpl-9f2c\",\"object\":\"chat.completion.chunk\",\"created\":1794768137,\"model\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{word}\"}},\"logprobs\":null,\"finish_reason\":null}}]}}\n\n"
            ),
            "messages" => write!(
                body,
                "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{word}\"}}}}\n\n"
            ),
            _ => write!(
                body,
                "event: response.output_text.delta\ndata: {{\"type\":\"response.output_text.delta\",\"sequence_number\":{number},\"item_id\":\"msg_68af4030592c81938ec0a5fbab4a3e9f05438e46b5f69a3b\",\"output_index\":1,\"content_index\":0,\"delta\":\"{word}\",\"logprobs\":[]}}\n\n"
            ),
        };
    }
    let start = match format {
        "messages" => {
            "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"content\":[],\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
        }
        _ => "",
    };
    format!("{start}{body}")
}

/// Microseconds for a delta. The end is left out: it is no delta.
fn decode(codec: &dyn Codec, body: &str) -> f64 {
    least(|| {
        let mut decoder = codec.decoder();
        let mut deltas = 0_usize;
        let started = Instant::now();
        for piece in body.as_bytes().chunks(PIECE) {
            if let Err(error) = decoder.push(piece, &mut |delta| {
                black_box(&delta);
                deltas += 1;
            }) {
                eprintln!("the answer of the bench cannot be read: {error}");
            }
        }
        let elapsed = started.elapsed().as_secs_f64();
        if deltas < DELTAS {
            return f64::INFINITY;
        }
        elapsed * 1e6 / DELTAS as f64
    })
}

fn least(mut one: impl FnMut() -> f64) -> f64 {
    (0..ROUNDS).map(|_| one()).fold(f64::INFINITY, f64::min)
}

fn prefix() -> Arc<Prefix> {
    let tool = |number: usize| ToolSpec {
        name: format!("tool_{number}"),
        description: "Does one thing and tells what came of it. ".repeat(20),
        parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),
        effect: Effect::Read,
        source: String::from("built-in"),
    };
    Arc::new(Prefix {
        system: "You work in a terminal. ".repeat(200),
        tools: (0..12).map(tool).collect(),
    })
}

/// A prompt, then calls and their results, in turns.
fn message(number: usize) -> Arc<Entry> {
    let call = |number: usize| CallId::new(format!("call_{}", number / 2));
    let message = match number {
        0 => Message::user("Work on it."),
        _ if number % 2 == 1 => {
            let arguments = format!("{{\"path\":\"src/part_{number}.rs\"}}");
            let part = ToolCallPart::new(call(number + 1), "tool_1", arguments);
            let parts = vec![Part::text("I read the next file."), Part::ToolCall(part)];
            Message::new(Role::Assistant, Origin::Model, parts)
        }
        _ => {
            let text = "    let value = compute(\"argument\");\n".repeat(25);
            let result = Part::ToolResult {
                call: call(number),
                name: String::from("tool_1"),
                text,
                ok: true,
            };
            Message::new(Role::Tool, Origin::Model, vec![result])
        }
    };
    Arc::new(Entry::new(Arc::new(message)))
}

fn request(messages: usize) -> Request {
    Request {
        prefix: prefix(),
        entries: (0..messages).map(message).collect(),
        parameters: Parameters::default(),
        delivery: Delivery::Streamed,
        cache_key: Some(Arc::from("session")),
        room: None,
    }
}

/// Milliseconds until a history that was only now read is a request of which one
/// knows how long it is. No wire format has a part in it.
fn assembly() -> f64 {
    let messages: Vec<_> = (0..=MESSAGES)
        .map(|number| Arc::clone(&message(number).message))
        .collect();
    let prefix = prefix();
    least(|| {
        let started = Instant::now();
        let request = Request {
            prefix: Arc::clone(&prefix),
            entries: messages
                .iter()
                .map(|message| Arc::new(Entry::new(Arc::clone(message))))
                .collect(),
            parameters: Parameters::default(),
            delivery: Delivery::Streamed,
            cache_key: None,
            room: None,
        };
        black_box(estimate_tokens(&request));
        started.elapsed().as_secs_f64() * 1e3
    })
}

/// Milliseconds for a history that was never encoded.
fn encode(codec: &dyn Codec) -> f64 {
    least(|| {
        let request = request(MESSAGES + 1);
        let started = Instant::now();
        black_box(codec.body("m", &request));
        started.elapsed().as_secs_f64() * 1e3
    })
}

/// Milliseconds for a history of which all but one step was sent before.
fn encode_one_more(codec: &dyn Codec) -> f64 {
    let mut request = request(MESSAGES + 1);
    codec.body("m", &request);
    let mut length = request.entries.len();
    least(|| {
        request
            .entries
            .extend([message(length), message(length + 1)]);
        length += 2;
        let started = Instant::now();
        black_box(codec.body("m", &request));
        started.elapsed().as_secs_f64() * 1e3
    })
}

/// Megabytes that a very long history grows by while requests go on: what was
/// encoded is kept once, and a request owns nothing but its pieces.
fn growth(codec: &dyn Codec) -> f64 {
    let mut request = request(VERY_MANY + 1);
    let mut one_more = || {
        let length = request.entries.len();
        request
            .entries
            .extend([message(length), message(length + 1)]);
        black_box(codec.body("m", &request));
    };
    // The first ones bring the memory that every later one uses again.
    for _ in 0..FIRST_REQUESTS {
        one_more();
    }
    let before = resident();
    for _ in 0..MORE_REQUESTS {
        one_more();
    }
    (resident() - before).max(0.0)
}

/// Megabytes of this process, as Linux says; nothing elsewhere.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok())
        .map_or(0.0, |kilobytes| kilobytes / 1e3)
}
