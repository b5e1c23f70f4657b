//! Writes a chat completion in the strictest dialect: what every server takes.
//! One system message, content always a string where it can be, arguments
//! always the text of an object, no empty lists, no unknown fields.
//!
//! The order is fixed: model, tools, messages, then the parameters. What may
//! change from step to step stands after the messages, so that the body of one
//! request, up to its last message, is the beginning of the next one's.

use super::Progress;
use crate::codec::pieces::write;
use crate::quirks::{
    ContentNull, ImageDetail, MaxTokensField, Quirks, ReturnReasoning, ToolImages,
};
use crate::repair::{sendable_arguments, sendable_id, sendable_name};
use crate::{Delivery, Entry, Prefix, Request};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;
use tenon_vocab::{ImageSource, Message, Part, Role, Status};

/// One user message shows the images of all results before it.
const IMAGES_OPEN: &[u8] =
    br#",{"role":"user","content":[{"type":"text","text":"The images of the tool results above:"}"#;
const IMAGES_CLOSE: &[u8] = b"]}";
const IMAGE_MISSING: &str = "[an image was here; its content is no longer available]";
const IMAGE_LEFT_OUT: &str =
    "[an image was left out: this server doesn't accept images from tools]";
/// Stands between the images of a tool and a user's words, so that roles alternate.
const IMAGES_SEEN: &[u8] = br#",{"role":"assistant","content":"I have the images."}"#;

#[derive(Serialize)]
struct WireTool<'r> {
    r#type: &'static str,
    function: WireFunction<'r>,
}

#[derive(Serialize)]
struct WireFunction<'r> {
    name: &'r str,
    description: &'r str,
    parameters: &'r Value,
}

#[derive(Serialize)]
#[serde(untagged)]
enum WireContent<'r> {
    Text(Cow<'r, str>),
    Parts(Vec<WirePart<'r>>),
}

impl<'r> WireContent<'r> {
    fn text(text: &'r str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum WirePart<'r> {
    Text { text: &'r str },
    ImageUrl { image_url: WireUrl<'r> },
}

#[derive(Serialize)]
struct WireUrl<'r> {
    url: Cow<'r, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'static str>,
}

#[derive(Serialize)]
struct WireMessage<'r> {
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<Cow<'r, str>>,
    /// Absent, null or given: `None`, `Some(None)`, `Some(Some(…))`.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Option<WireContent<'r>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<&'r str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<WireCall<'r>>,
}

#[derive(Serialize)]
struct WireCall<'r> {
    id: Cow<'r, str>,
    r#type: &'static str,
    function: WireCalled<'r>,
}

#[derive(Serialize)]
struct WireCalled<'r> {
    name: Cow<'r, str>,
    arguments: String,
}

impl<'r> WireMessage<'r> {
    fn new(role: &'static str, content: WireContent<'r>) -> Self {
        Self {
            role,
            tool_call_id: None,
            content: Some(Some(content)),
            reasoning_content: None,
            tool_calls: Vec::new(),
        }
    }
}

/// Up to and with the system message.
pub(super) fn head(model: &str, prefix: &Prefix, quirks: &Quirks) -> Bytes {
    let mut out = b"{\"model\":".to_vec();
    write(&mut out, &model);
    if sends_tools(prefix, quirks) {
        let tools: Vec<WireTool<'_>> = prefix
            .tools
            .iter()
            .map(|tool| WireTool {
                r#type: "function",
                function: WireFunction {
                    name: &tool.name,
                    description: &tool.description,
                    parameters: &tool.parameters,
                },
            })
            .collect();
        out.extend_from_slice(b",\"tools\":");
        write(&mut out, &tools);
    }
    out.extend_from_slice(b",\"messages\":[");
    if !prefix.system.is_empty() {
        write(
            &mut out,
            &WireMessage::new("system", WireContent::text(&prefix.system)),
        );
    }
    Bytes::from(out)
}

fn sends_tools(prefix: &Prefix, quirks: &Quirks) -> bool {
    !prefix.tools.is_empty() && !quirks.omits("tools")
}

/// From the end of the messages on.
pub(super) fn tail(request: &Request, quirks: &Quirks, progress: Progress) -> Bytes {
    let mut out = b"]".to_vec();
    let mut field = |name: &str, value: Option<Value>| {
        if let Some(value) = value.filter(|_| !quirks.omits(name)) {
            out.push(b',');
            write(&mut out, &name);
            out.push(b':');
            write(&mut out, &value);
        }
    };
    let parameters = &request.parameters;
    let float = |number: Option<f64>| number.filter(|number| number.is_finite()).map(Value::from);
    if sends_tools(&request.prefix, quirks) {
        field("tool_choice", Some(Value::from("auto")));
    }
    field("temperature", float(parameters.temperature));
    field("top_p", float(parameters.top_p));
    let limit = match quirks.max_tokens_field {
        MaxTokensField::MaxTokens => "max_tokens",
        MaxTokensField::MaxCompletionTokens => "max_completion_tokens",
    };
    field(limit, request.max_tokens().map(Value::from));
    let effort = parameters.reasoning_effort.as_deref();
    field("reasoning_effort", effort.map(Value::from));
    let streamed = request.delivery == Delivery::Streamed;
    field("stream", Some(Value::from(streamed)));
    if streamed && !quirks.omits("stream") {
        let options = serde_json::json!({"include_usage": true});
        field("stream_options", Some(options));
        if progress == Progress::Asked {
            field("return_progress", Some(Value::from(true)));
        }
    }
    out.push(b'}');
    Bytes::from(out)
}

/// The messages of the history, the first piece beginning with a comma.
pub(super) fn history(request: &Request, quirks: &Quirks, key: &Arc<str>) -> Vec<Bytes> {
    let mut pieces = Vec::with_capacity(request.entries.len() + 1);
    let mut images: Vec<Bytes> = Vec::new();
    for entry in &request.entries {
        let role = entry.message.role;
        // Only after the last result: each call wants its answer first.
        if role != Role::Tool && show_images(&mut pieces, &mut images) && role == Role::User {
            pieces.push(Bytes::from_static(IMAGES_SEEN));
        }
        let fragment = entry.fragment(key, |entry| fragment(entry, quirks));
        push(&mut pieces, fragment);
        if role == Role::Tool && quirks.tool_images == ToolImages::UserMessage {
            let shown = entry.attachment(key, |entry| tool_images(entry, quirks));
            push(&mut images, shown);
        }
    }
    show_images(&mut pieces, &mut images);
    pieces
}

/// Puts the images that wait into one message; tells whether there were any.
fn show_images(pieces: &mut Vec<Bytes>, images: &mut Vec<Bytes>) -> bool {
    if images.is_empty() {
        return false;
    }
    pieces.push(Bytes::from_static(IMAGES_OPEN));
    pieces.append(images);
    pieces.push(Bytes::from_static(IMAGES_CLOSE));
    true
}

fn push(pieces: &mut Vec<Bytes>, piece: Bytes) {
    if !piece.is_empty() {
        pieces.push(piece);
    }
}

fn fragment(entry: &Entry, quirks: &Quirks) -> Bytes {
    let message = &*entry.message;
    let mut out = Vec::new();
    if !message.in_context || message.status == Status::Abandoned {
        return Bytes::new();
    }
    match message.role {
        Role::User => append(&mut out, &user(entry, quirks)),
        Role::Assistant => assistant(&mut out, message, quirks),
        Role::Tool => results(&mut out, message, quirks),
    }
    Bytes::from(out)
}

fn user<'r>(entry: &'r Entry, quirks: &Quirks) -> WireMessage<'r> {
    let mut parts: Vec<WirePart<'_>> = Vec::new();
    for part in &entry.message.parts {
        match part {
            Part::Text { text } => parts.push(WirePart::Text { text }),
            Part::Image { source, media_type } => {
                parts.push(image(entry, source, media_type, quirks))
            }
            _ => {}
        }
    }
    let texts: Option<Vec<&str>> = parts
        .iter()
        .map(|part| match part {
            WirePart::Text { text } => Some(*text),
            WirePart::ImageUrl { .. } => None,
        })
        .collect();
    let content = match texts {
        Some(texts) => WireContent::Text(Cow::Owned(texts.join("\n"))),
        None => WireContent::Parts(parts),
    };
    WireMessage::new("user", content)
}

fn image<'r>(
    entry: &'r Entry,
    source: &'r ImageSource,
    media_type: &str,
    quirks: &Quirks,
) -> WirePart<'r> {
    let url = match source {
        ImageSource::Url(url) => Cow::Borrowed(url.as_str()),
        ImageSource::Blob(wanted) => {
            let Some((_, bytes)) = entry.blobs.iter().find(|(blob, _)| blob == wanted) else {
                return WirePart::Text {
                    text: IMAGE_MISSING,
                };
            };
            Cow::Owned(format!(
                "data:{media_type};base64,{}",
                STANDARD.encode(bytes)
            ))
        }
    };
    WirePart::ImageUrl {
        image_url: WireUrl {
            url,
            detail: match quirks.image_detail {
                ImageDetail::Auto => None,
                ImageDetail::Low => Some("low"),
                ImageDetail::High => Some("high"),
            },
        },
    }
}

fn assistant(out: &mut Vec<u8>, message: &Message, quirks: &Quirks) {
    let text = message.text();
    let calls: Vec<WireCall<'_>> = message
        .tool_calls()
        .map(|call| WireCall {
            id: sendable_id(call.id.as_str()),
            r#type: "function",
            function: WireCalled {
                name: sendable_name(&call.name),
                arguments: sendable_arguments(&call.arguments),
            },
        })
        .collect();
    let content = if text.is_empty() && !calls.is_empty() {
        match quirks.content_null {
            ContentNull::EmptyString => Some(Some(WireContent::text(""))),
            ContentNull::Null => Some(None),
            ContentNull::Omit => None,
        }
    } else {
        Some(Some(WireContent::text(&text)))
    };
    let reasoning = reasoning(message);
    let returned = quirks.return_reasoning == ReturnReasoning::ReasoningContent;
    append(
        out,
        &WireMessage {
            role: "assistant",
            tool_call_id: None,
            content,
            reasoning_content: returned.then_some(reasoning.as_str()),
            tool_calls: calls,
        },
    );
}

fn reasoning(message: &Message) -> String {
    let mut all = String::new();
    for part in &message.parts {
        if let Part::Reasoning { text, .. } = part {
            all.push_str(text);
        }
    }
    all
}

fn results(out: &mut Vec<u8>, message: &Message, quirks: &Quirks) {
    let images = message
        .parts
        .iter()
        .any(|part| matches!(part, Part::Image { .. }));
    for part in &message.parts {
        let Part::ToolResult { call, text, .. } = part else {
            continue;
        };
        let noted;
        let shown = if images && quirks.tool_images == ToolImages::LeaveOut {
            noted = format!("{text}\n{IMAGE_LEFT_OUT}");
            &noted
        } else {
            text
        };
        let mut wire = WireMessage::new("tool", WireContent::text(shown));
        wire.tool_call_id = Some(sendable_id(call.as_str()));
        append(out, &wire);
    }
}

/// The images of a tool's result as parts of a message, each after a comma.
fn tool_images(entry: &Entry, quirks: &Quirks) -> Bytes {
    let mut out = Vec::new();
    if !entry.message.in_context {
        return Bytes::new();
    }
    for part in &entry.message.parts {
        if let Part::Image { source, media_type } = part {
            out.push(b',');
            write(&mut out, &image(entry, source, media_type, quirks));
        }
    }
    Bytes::from(out)
}

fn append(out: &mut Vec<u8>, message: &WireMessage<'_>) {
    out.push(b',');
    write(out, message);
}
