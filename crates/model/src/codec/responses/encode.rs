//! Writes a request: model, instructions and tools, then the items, then the
//! parameters. What may change from step to step stands after the items, so
//! that one request, up to its last item, is the beginning of the next one's.
//!
//! Each parameter can be left out by a quirk: servers that speak this format
//! know different parts of it.

use super::ResponsesOptions;
use super::answers::{Waiting, push};
use super::items::{self, Writer};
use crate::codec::pieces::write;
use crate::quirks::{Quirks, ToolImages};
use crate::{Delivery, Prefix, Request};
use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;
use tenon_vocab::Role;

/// Reasoning as only its maker can read it.
const ENCRYPTED: &str = "reasoning.encrypted_content";

/// The format takes no smaller limit.
const LEAST_OUTPUT: u64 = 16;

#[derive(Serialize)]
struct WireTool<'r> {
    r#type: &'static str,
    name: &'r str,
    description: &'r str,
    parameters: &'r Value,
    /// Strict schemas forbid optional parameters.
    strict: bool,
}

/// Up to the beginning of the items.
pub(super) fn head(model: &str, prefix: &Prefix, quirks: &Quirks) -> Bytes {
    let mut out = b"{\"model\":".to_vec();
    write(&mut out, &model);
    if !prefix.system.is_empty() && !quirks.omits("instructions") {
        out.extend_from_slice(b",\"instructions\":");
        write(&mut out, &prefix.system);
    }
    if sends_tools(prefix, quirks) {
        let tools: Vec<WireTool<'_>> = prefix
            .tools
            .iter()
            .map(|tool| WireTool {
                r#type: "function",
                name: &tool.name,
                description: &tool.description,
                parameters: &tool.parameters,
                strict: false,
            })
            .collect();
        out.extend_from_slice(b",\"tools\":");
        write(&mut out, &tools);
    }
    out.extend_from_slice(b",\"input\":[");
    Bytes::from(out)
}

fn sends_tools(prefix: &Prefix, quirks: &Quirks) -> bool {
    !prefix.tools.is_empty() && !quirks.omits("tools")
}

/// From the end of the items on.
pub(super) fn tail(request: &Request, quirks: &Quirks, options: &ResponsesOptions) -> Bytes {
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
        let parallel = options.parallel_tool_calls;
        field("parallel_tool_calls", parallel.map(Value::from));
    }
    field("store", Some(Value::Bool(options.store)));
    field("include", include(quirks, options));
    let effort = parameters.reasoning_effort.as_deref();
    field(
        "reasoning",
        reasoning(effort.or(options.effort.as_deref()), quirks, options),
    );
    let limit = request.max_tokens().map(|most| most.max(LEAST_OUTPUT));
    field("max_output_tokens", limit.map(Value::from));
    field("temperature", float(parameters.temperature));
    field("top_p", float(parameters.top_p));
    field(
        "prompt_cache_key",
        request.cache_key.as_deref().map(Value::from),
    );
    field("client_metadata", metadata(options));
    field(
        "stream",
        Some(Value::from(request.delivery == Delivery::Streamed)),
    );
    out.push(b'}');
    Bytes::from(out)
}

/// Whether encrypted reasoning is asked for and sent back: one without the
/// other is refused, or of no use.
pub(super) fn returns_reasoning(quirks: &Quirks) -> bool {
    !quirks.omits("include") && !quirks.omits(ENCRYPTED)
}

fn include(quirks: &Quirks, options: &ResponsesOptions) -> Option<Value> {
    let encrypted = returns_reasoning(quirks).then_some(ENCRYPTED);
    let others = options.include.iter().map(String::as_str);
    let names: Vec<&str> = encrypted
        .into_iter()
        .chain(others.filter(|name| *name != ENCRYPTED))
        .collect();
    (!names.is_empty()).then(|| Value::from(names))
}

fn reasoning(effort: Option<&str>, quirks: &Quirks, options: &ResponsesOptions) -> Option<Value> {
    let effort = effort?;
    let summary = options.summary.as_deref().unwrap_or("auto");
    let fields: Map<String, Value> = [("effort", effort), ("summary", summary)]
        .into_iter()
        .filter(|(name, _)| !quirks.omits(&format!("reasoning.{name}")))
        .map(|(name, value)| (name.to_owned(), Value::from(value)))
        .collect();
    (!fields.is_empty()).then_some(Value::Object(fields))
}

fn metadata(options: &ResponsesOptions) -> Option<Value> {
    let fields: Map<String, Value> = options
        .metadata
        .iter()
        .map(|(name, value)| (name.clone(), Value::from(value.as_str())))
        .collect();
    (!fields.is_empty()).then_some(Value::Object(fields))
}

/// The items of the history, each piece beginning with a comma.
pub(super) fn history(request: &Request, writer: &Writer<'_>, key: &Arc<str>) -> Vec<Bytes> {
    let mut pieces = Vec::with_capacity(request.entries.len() + 1);
    let mut images: Vec<Bytes> = Vec::new();
    let mut waiting = Waiting::default();
    for entry in &request.entries {
        let message = &*entry.message;
        if !items::is_sent(message) {
            continue;
        }
        if message.role == Role::Tool {
            waiting.answer(entry, writer, key, &mut pieces);
            if writer.quirks.tool_images == ToolImages::UserMessage {
                let shown = entry.attachment(key, |entry| writer.tool_images(entry));
                push(&mut images, shown);
            }
            continue;
        }
        waiting.close(writer, &mut pieces);
        // Only after the last output: each call wants its answer first.
        if show_images(&mut pieces, &mut images) && message.role == Role::User {
            pieces.push(Bytes::from_static(items::IMAGES_SEEN));
        }
        push(
            &mut pieces,
            entry.fragment(key, |entry| writer.message(entry)),
        );
        if message.role == Role::Assistant {
            waiting.ask(message);
        }
    }
    waiting.close(writer, &mut pieces);
    show_images(&mut pieces, &mut images);
    pieces
}

/// Puts the images that wait into one message; tells whether there were any.
fn show_images(pieces: &mut Vec<Bytes>, images: &mut Vec<Bytes>) -> bool {
    if images.is_empty() {
        return false;
    }
    pieces.push(Bytes::from_static(items::IMAGES_OPEN));
    pieces.append(images);
    pieces.push(Bytes::from_static(items::IMAGES_CLOSE));
    true
}
