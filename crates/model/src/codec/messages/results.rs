//! The results of tools as blocks.

use super::image::image;
use super::wire::{Block, Content, append, says_something};
use crate::Entry;
use bytes::Bytes;
use tenon_vocab::{CallId, ImageSource, Message, Part};

const NO_OUTPUT: &str = "(no output)";
const NO_RESULT: &str = "no result was recorded";

/// One result of a tool, with the images that came with it.
pub(super) struct ToolResult<'r> {
    pub(super) call: &'r CallId,
    text: &'r str,
    ok: bool,
    images: Vec<&'r ImageSource>,
}

/// The results of a message; an image belongs to the result before it.
pub(super) fn read(message: &Message) -> Vec<ToolResult<'_>> {
    let mut results: Vec<ToolResult<'_>> = Vec::new();
    for part in &message.parts {
        match part {
            Part::ToolResult { call, text, ok, .. } => results.push(ToolResult {
                call,
                text,
                ok: *ok,
                images: Vec::new(),
            }),
            Part::Image { source, .. } => {
                if let Some(last) = results.last_mut() {
                    last.images.push(source);
                }
            }
            _ => {}
        }
    }
    results
}

pub(super) fn write(out: &mut Vec<u8>, entry: &Entry, result: &ToolResult<'_>, id: &str) {
    let text = if says_something(result.text) {
        result.text
    } else {
        NO_OUTPUT
    };
    let content = if result.images.is_empty() {
        Content::Text(text)
    } else {
        let images = result.images.iter().map(|source| image(entry, source));
        Content::Blocks(
            std::iter::once(Block::Text { text })
                .chain(images)
                .collect(),
        )
    };
    append(
        out,
        &Block::ToolResult {
            tool_use_id: id,
            content,
            is_error: !result.ok,
        },
    );
}

/// A call without a result would fail every later request.
pub(super) fn missing(id: &str) -> Bytes {
    let mut out = Vec::new();
    append(
        &mut out,
        &Block::ToolResult {
            tool_use_id: id,
            content: Content::Text(NO_RESULT),
            is_error: true,
        },
    );
    Bytes::from(out)
}
