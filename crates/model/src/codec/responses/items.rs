//! One message as the items of this format: messages, calls, their outputs,
//! reasoning. Items carry no ids of their own, because the server keeps none
//! of them; only reasoning goes back exactly as it came.

use super::encode::returns_reasoning;
use super::names::{call_id, fingerprint, tool_name};
use crate::Entry;
use crate::codec::pieces::write;
use crate::quirks::{ImageDetail, Quirks, ReturnReasoning, ToolImages};
use crate::repair::sendable_arguments;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value};
use std::borrow::Cow;
use tenon_vocab::{CallId, ImageSource, Message, Part, Role, Status};

/// One user message shows the images of all results before it: servers refuse
/// them inside an output.
pub(super) const IMAGES_OPEN: &[u8] = br#",{"type":"message","role":"user","content":[{"type":"input_text","text":"The images of the tool results above:"}"#;
pub(super) const IMAGES_CLOSE: &[u8] = b"]}";
/// Stands between the images of a tool and a user's words, so that roles alternate.
pub(super) const IMAGES_SEEN: &[u8] = br#",{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I have the images."}]}"#;
const IMAGE_MISSING: &str = "[an image was here; its content is no longer available]";
const IMAGE_LEFT_OUT: &str =
    "[an image was left out: this server doesn't accept images from tools]";
const NO_RESULT: &str = "[no result was recorded]";
/// An answer without text and calls still takes its turn.
const NO_TEXT: &str = "[no text]";

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Item<'r> {
    Message {
        role: &'static str,
        content: Vec<Content<'r>>,
    },
    FunctionCall {
        call_id: Cow<'r, str>,
        name: Cow<'r, str>,
        arguments: String,
    },
    FunctionCallOutput {
        call_id: Cow<'r, str>,
        output: Cow<'r, str>,
    },
    Reasoning {
        id: String,
        summary: [&'static str; 0],
        content: [Content<'r>; 1],
    },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Content<'r> {
    InputText {
        text: &'r str,
    },
    InputImage {
        image_url: Cow<'r, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        detail: Option<&'static str>,
    },
    OutputText {
        text: Cow<'r, str>,
    },
    ReasoningText {
        text: &'r str,
    },
}

/// Whether the model sees a message at all.
pub(super) fn is_sent(message: &Message) -> bool {
    message.in_context && message.status != Status::Abandoned
}

/// How messages are written for one server.
#[derive(Debug, Clone, Copy)]
pub(super) struct Writer<'w> {
    pub(super) quirks: &'w Quirks,
    owner: &'w str,
}

impl<'w> Writer<'w> {
    pub(super) fn new(quirks: &'w Quirks, owner: &'w str) -> Self {
        Self { quirks, owner }
    }

    /// All items of a message, each after a comma.
    pub(super) fn message(&self, entry: &Entry) -> Bytes {
        let mut out = Vec::new();
        let message = &*entry.message;
        match message.role {
            Role::User => append(&mut out, &self.user(entry)),
            Role::Assistant => self.assistant(&mut out, message),
            Role::Tool => {
                for part in &message.parts {
                    self.write_result(&mut out, message, part);
                }
            }
        }
        Bytes::from(out)
    }

    /// One result of a message, after a comma.
    pub(super) fn result(&self, message: &Message, part: &Part) -> Bytes {
        let mut out = Vec::new();
        self.write_result(&mut out, message, part);
        Bytes::from(out)
    }

    /// The output of a call that got none.
    pub(super) fn missing_result(&self, call: &CallId) -> Bytes {
        let mut out = Vec::new();
        append(
            &mut out,
            &Item::FunctionCallOutput {
                call_id: call_id(call.as_str()),
                output: Cow::Borrowed(NO_RESULT),
            },
        );
        Bytes::from(out)
    }

    /// The images of a tool's result as parts of a message, each after a comma.
    pub(super) fn tool_images(&self, entry: &Entry) -> Bytes {
        let mut out = Vec::new();
        for part in &entry.message.parts {
            if let Part::Image { source, media_type } = part {
                out.push(b',');
                write(&mut out, &self.image(entry, source, media_type));
            }
        }
        Bytes::from(out)
    }

    fn user<'r>(&self, entry: &'r Entry) -> Item<'r> {
        let mut content: Vec<Content<'_>> = Vec::new();
        for part in &entry.message.parts {
            match part {
                Part::Text { text } => content.push(Content::InputText { text }),
                Part::Image { source, media_type } => {
                    content.push(self.image(entry, source, media_type));
                }
                _ => {}
            }
        }
        if content.is_empty() {
            content.push(Content::InputText { text: "" });
        }
        Item::Message {
            role: "user",
            content,
        }
    }

    fn image<'r>(
        &self,
        entry: &'r Entry,
        source: &'r ImageSource,
        media_type: &str,
    ) -> Content<'r> {
        let image_url = match source {
            ImageSource::Url(url) => Cow::Borrowed(url.as_str()),
            ImageSource::Blob(wanted) => {
                let Some((_, bytes)) = entry.blobs.iter().find(|(blob, _)| blob == wanted) else {
                    return Content::InputText {
                        text: IMAGE_MISSING,
                    };
                };
                let content = STANDARD.encode(bytes);
                Cow::Owned(format!("data:{media_type};base64,{content}"))
            }
        };
        Content::InputImage {
            image_url,
            detail: match self.quirks.image_detail {
                ImageDetail::Auto => None,
                ImageDetail::Low => Some("low"),
                ImageDetail::High => Some("high"),
            },
        }
    }

    /// Reasoning is refused without an item after it, so it is written with
    /// that item: an answer that was cut before it leaves its reasoning out.
    /// All text stands before the first call, where every template wants it.
    fn assistant(&self, out: &mut Vec<u8>, message: &Message) {
        let mut text = Some(message.text()).filter(|text| !text.is_empty());
        let mut waiting = Vec::new();
        let start = out.len();
        for part in &message.parts {
            match part {
                Part::Reasoning { .. } => self.reasoning(&mut waiting, part),
                Part::Text { .. } => {
                    if let Some(text) = text.take() {
                        out.append(&mut waiting);
                        append(out, &answer(text));
                    }
                }
                Part::ToolCall(call) => {
                    out.append(&mut waiting);
                    if let Some(text) = text.take() {
                        append(out, &answer(text));
                    }
                    append(
                        out,
                        &Item::FunctionCall {
                            call_id: call_id(call.id.as_str()),
                            name: tool_name(&call.name),
                            arguments: sendable_arguments(&call.arguments),
                        },
                    );
                }
                Part::Opaque { provider, raw } if provider == self.owner && raw.is_object() => {
                    out.append(&mut waiting);
                    append(out, raw);
                }
                Part::Opaque { .. } | Part::Image { .. } | Part::ToolResult { .. } => {}
            }
        }
        if out.len() == start {
            append(out, &answer(String::from(NO_TEXT)));
        }
    }

    fn reasoning(&self, out: &mut Vec<u8>, part: &Part) {
        let Part::Reasoning {
            text,
            signature,
            provider,
        } = part
        else {
            return;
        };
        if let Some(signature) = signature
            && provider.as_deref() == Some(self.owner)
        {
            // What is kept is the item itself, checked because a log can be
            // edited.
            if returns_reasoning(self.quirks)
                && let Ok(item) = serde_json::from_str::<Map<String, Value>>(signature)
                && item.get("type").and_then(Value::as_str) == Some("reasoning")
            {
                append(out, &item);
            }
        } else if self.quirks.return_reasoning == ReturnReasoning::ReasoningContent
            && !text.trim().is_empty()
        {
            append(
                out,
                &Item::Reasoning {
                    id: format!("rs_{:016x}", fingerprint(text)),
                    summary: [],
                    content: [Content::ReasoningText { text }],
                },
            );
        }
    }

    fn write_result(&self, out: &mut Vec<u8>, message: &Message, part: &Part) {
        let Part::ToolResult { call, text, .. } = part else {
            return;
        };
        let images = message
            .parts
            .iter()
            .any(|part| matches!(part, Part::Image { .. }));
        let output = if images && self.quirks.tool_images == ToolImages::LeaveOut {
            Cow::Owned(format!("{text}\n{IMAGE_LEFT_OUT}"))
        } else {
            Cow::Borrowed(text.as_str())
        };
        append(
            out,
            &Item::FunctionCallOutput {
                call_id: call_id(call.as_str()),
                output,
            },
        );
    }
}

fn answer<'r>(text: String) -> Item<'r> {
    Item::Message {
        role: "assistant",
        content: vec![Content::OutputText {
            text: Cow::Owned(text),
        }],
    }
}

fn append<T: Serialize>(out: &mut Vec<u8>, item: &T) {
    out.push(b',');
    write(out, item);
}
