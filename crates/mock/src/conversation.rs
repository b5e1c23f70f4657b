//! A request of any format as the script sees it: who said what, and in which
//! form the reply is wanted. Nothing is checked here; `wire` does that.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::api::Api;
use crate::scenarios::Scope;

/// The conversation so far. Contents stay raw, so that a long history costs a
/// scan and no copies.
#[derive(Debug)]
pub(crate) struct Conversation<'a> {
    entries: Vec<Entry<'a>>,
    delivery: Delivery,
    pub(crate) seals: Seals,
    /// How much the client lets the model say.
    pub(crate) output_limit: Option<u64>,
}

#[derive(Debug)]
enum Entry<'a> {
    User(Option<&'a RawValue>),
    ToolResult(Option<&'a RawValue>),
    Other,
}

/// The form in which the client wants its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delivery {
    Whole,
    Stream { usage: UsageChunk },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UsageChunk {
    Asked,
    NotAsked,
}

/// Whether reasoning comes with what the server needs to recognise it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seals {
    Wanted,
    NotWanted,
}

#[derive(Deserialize)]
#[serde(expecting = "a request with `messages`")]
struct MessagesBody<'a> {
    #[serde(borrow)]
    messages: Vec<MessageView<'a>>,
    #[serde(default)]
    stream: Option<bool>,
    #[serde(default)]
    stream_options: Option<StreamOptions>,
    #[serde(default, borrow)]
    max_tokens: Option<&'a RawValue>,
    #[serde(default, borrow)]
    max_completion_tokens: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(expecting = "stream options")]
struct StreamOptions {
    #[serde(default)]
    include_usage: Option<bool>,
}

#[derive(Deserialize)]
#[serde(expecting = "a message")]
struct MessageView<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct BlockView<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(expecting = "a request with `input`")]
struct ResponsesBody<'a> {
    #[serde(borrow)]
    input: &'a RawValue,
    #[serde(default)]
    stream: Option<bool>,
    #[serde(default)]
    include: Option<Vec<String>>,
    #[serde(default, borrow)]
    max_output_tokens: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(expecting = "an item of `input`")]
struct ItemView<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    role: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
}

impl<'a> Conversation<'a> {
    /// The error is a sentence for the client.
    pub(crate) fn parse(api: Api, body: &'a [u8]) -> Result<Self, String> {
        let (field, what) = match api {
            Api::Chat => ("messages", "chat request"),
            Api::Messages => ("messages", "Messages request"),
            Api::Responses => ("input", "Responses request"),
        };
        // serde would take an array for the fields in their order.
        if body.trim_ascii_start().first() == Some(&b'[') {
            return Err(format!("The body must be a JSON object with `{field}`."));
        }
        let parsed = match api {
            Api::Chat => Self::of_chat(body),
            Api::Messages => Self::of_messages(body),
            Api::Responses => Self::of_responses(body),
        };
        parsed.map_err(|error| format!("The body is not a {what}: {error}."))
    }

    fn of_chat(body: &'a [u8]) -> serde_json::Result<Self> {
        let body: MessagesBody<'a> = serde_json::from_slice(body)?;
        let entry = |message: &MessageView<'a>| match &*message.role {
            "user" => Entry::User(message.content),
            "tool" => Entry::ToolResult(message.content),
            _ => Entry::Other,
        };
        let options = body.stream_options.unwrap_or_default();
        Ok(Self {
            entries: body.messages.iter().map(entry).collect(),
            delivery: match (body.stream, options.include_usage) {
                (Some(true), Some(true)) => Delivery::Stream {
                    usage: UsageChunk::Asked,
                },
                (Some(true), _) => Delivery::Stream {
                    usage: UsageChunk::NotAsked,
                },
                _ => Delivery::Whole,
            },
            seals: Seals::NotWanted,
            output_limit: number(body.max_tokens.or(body.max_completion_tokens)),
        })
    }

    /// A user message that carries results is those results, and then the
    /// user's own words if it has any.
    fn of_messages(body: &'a [u8]) -> serde_json::Result<Self> {
        let body: MessagesBody<'a> = serde_json::from_slice(body)?;
        let mut entries = Vec::new();
        for message in &body.messages {
            if message.role != "user" {
                entries.push(Entry::Other);
                continue;
            }
            let blocks: Vec<BlockView<'a>> = message
                .content
                .and_then(|raw| serde_json::from_str(raw.get()).ok())
                .unwrap_or_default();
            let is_result = |block: &BlockView<'_>| block.kind.as_deref() == Some("tool_result");
            let results = blocks.iter().filter(|block| is_result(block));
            entries.extend(results.map(|block| Entry::ToolResult(block.content)));
            if blocks.is_empty() || !blocks.iter().all(is_result) {
                entries.push(Entry::User(message.content));
            }
        }
        Ok(Self {
            entries,
            delivery: streamed(body.stream),
            seals: Seals::Wanted,
            output_limit: number(body.max_tokens),
        })
    }

    fn of_responses(body: &'a [u8]) -> serde_json::Result<Self> {
        let body: ResponsesBody<'a> = serde_json::from_slice(body)?;
        let entries = if body.input.get().starts_with('"') {
            vec![Entry::User(Some(body.input))]
        } else {
            let items: Vec<ItemView<'a>> = serde_json::from_str(body.input.get())?;
            items.iter().map(entry_of_item).collect()
        };
        let include = body.include.unwrap_or_default();
        let wanted = include
            .iter()
            .any(|name| name == "reasoning.encrypted_content");
        Ok(Self {
            entries,
            delivery: streamed(body.stream),
            seals: if wanted {
                Seals::Wanted
            } else {
                Seals::NotWanted
            },
            output_limit: number(body.max_output_tokens),
        })
    }

    pub(crate) fn delivery(&self) -> Delivery {
        self.delivery
    }

    /// The text of the last message of the user, "" without one.
    pub(crate) fn prompt(&self) -> String {
        let of_user = |entry: &Entry<'a>| match entry {
            Entry::User(content) => Some(text(*content)),
            Entry::ToolResult(_) | Entry::Other => None,
        };
        self.entries
            .iter()
            .rev()
            .find_map(of_user)
            .unwrap_or_default()
    }

    pub(crate) fn last_tool_result(&self) -> String {
        let of_tool = |entry: &Entry<'a>| match entry {
            Entry::ToolResult(content) => Some(text(*content)),
            Entry::User(_) | Entry::Other => None,
        };
        self.entries
            .iter()
            .rev()
            .find_map(of_tool)
            .unwrap_or_default()
    }

    pub(crate) fn tool_results(&self, scope: Scope) -> u64 {
        let from = match scope {
            Scope::Conversation => 0,
            Scope::Turn => self
                .entries
                .iter()
                .rposition(|entry| matches!(entry, Entry::User(_)))
                .unwrap_or(0),
        };
        self.entries[from..]
            .iter()
            .filter(|entry| matches!(entry, Entry::ToolResult(_)))
            .count() as u64
    }
}

fn entry_of_item<'a>(item: &ItemView<'a>) -> Entry<'a> {
    match (item.kind.as_deref(), item.role.as_deref()) {
        (None | Some("message"), Some("user")) => Entry::User(item.content),
        (Some("function_call_output" | "custom_tool_call_output"), _) => {
            Entry::ToolResult(item.output)
        }
        _ => Entry::Other,
    }
}

fn streamed(stream: Option<bool>) -> Delivery {
    match stream {
        Some(true) => Delivery::Stream {
            usage: UsageChunk::Asked,
        },
        _ => Delivery::Whole,
    }
}

fn number(raw: Option<&RawValue>) -> Option<u64> {
    raw?.get().parse().ok()
}

/// A string, or the text parts of a list, one a line.
fn text(raw: Option<&RawValue>) -> String {
    #[derive(Deserialize)]
    struct PartView {
        #[serde(default)]
        text: Option<String>,
    }
    let Some(raw) = raw else {
        return String::new();
    };
    if let Ok(text) = serde_json::from_str::<String>(raw.get()) {
        return text;
    }
    let parts: Vec<PartView> = serde_json::from_str(raw.get()).unwrap_or_default();
    let texts: Vec<String> = parts.into_iter().filter_map(|part| part.text).collect();
    texts.join("\n")
}
