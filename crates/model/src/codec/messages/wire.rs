//! The blocks of this format, as they are written.

pub(super) use crate::codec::pieces::write;

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value};
use std::borrow::Cow;

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block<'r> {
    Text {
        text: &'r str,
    },
    Image {
        source: Source<'r>,
    },
    Thinking {
        thinking: &'r str,
        signature: &'r str,
    },
    ToolUse {
        id: &'r str,
        name: Cow<'r, str>,
        input: Map<String, Value>,
    },
    ToolResult {
        tool_use_id: &'r str,
        content: Content<'r>,
        #[serde(skip_serializing_if = "is_false")]
        is_error: bool,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Content<'r> {
    Text(&'r str),
    Blocks(Vec<Block<'r>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Source<'r> {
    Base64 {
        media_type: &'static str,
        data: String,
    },
    Url {
        url: &'r str,
    },
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands out references"
)]
fn is_false(flag: &bool) -> bool {
    !*flag
}

pub(super) fn says_something(text: &str) -> bool {
    !text.trim().is_empty()
}

/// Writes a block after a comma.
pub(super) fn append(out: &mut Vec<u8>, block: &Block<'_>) {
    out.push(b',');
    write(out, block);
}

/// The text of a filler, as the only block of a message.
pub(super) fn filler(text: &str) -> Bytes {
    let mut out = Vec::new();
    append(&mut out, &Block::Text { text });
    Bytes::from(out)
}
