//! Reads a reply in this format: what its events and its document say.

mod blocks;

use super::fields::{self, Counts};
use crate::codec::body::{BodyDecoder, Flow, Format, not_an_answer, not_json, parse};
use crate::failure;
use crate::reply::Reply;
use crate::{Delta, ModelError, ModelErrorKind};
use blocks::Block;
use serde_json::Value;
use std::sync::Arc;
use tenon_vocab::StopReason;

/// One reply being read.
pub type MessagesDecoder = BodyDecoder<Reading>;

pub(super) fn decoder(owner: &Arc<str>) -> MessagesDecoder {
    BodyDecoder::with(Reading {
        owner: Some(Arc::clone(owner)),
        ..Reading::default()
    })
}

/// What has been understood so far, apart from the bytes that wait.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    owner: Option<Arc<str>>,
    reply: Reply,
    blocks: Vec<Block>,
    /// The block that spoke last.
    speaking: Option<usize>,
    /// Bytes that were held back until a block ended.
    held: usize,
    counts: Counts,
}

impl Format for Reading {
    fn event(
        &mut self,
        name: &str,
        data: &[u8],
        sink: &mut dyn FnMut(Delta),
    ) -> Result<Flow, ModelError> {
        if let Some((index, addition)) = fields::quick(data) {
            self.add(index, addition, sink)?;
            return Ok(Flow::More);
        }
        let value = parse(data).ok_or_else(not_json)?;
        let kind = value.get("type").and_then(Value::as_str).unwrap_or(name);
        if kind == "error" || failure::is_error(&value) {
            return Err(failure::in_reply(&value));
        }
        let index = value.get("index").and_then(Value::as_u64);
        let field = |name: &str| value.get(name).unwrap_or(&Value::Null);
        match kind {
            "content_block_delta" => {
                if let Some(addition) = fields::addition(field("delta")) {
                    self.add(index, addition, sink)?;
                }
            }
            "content_block_start" => self.start(index, field("content_block"), sink)?,
            "content_block_stop" => {
                if let Some(position) = self.find(index) {
                    self.end(position, sink)?;
                }
            }
            "message_start" => self.facts(field("message")),
            "message_delta" => {
                self.facts(field("delta"));
                self.facts(&value);
                // One without a reason only counts tokens; blocks go on.
                if self.reply.has_stop() {
                    self.end_all(sink)?;
                }
            }
            "message_stop" => {
                self.end_all(sink)?;
                return Ok(Flow::Done);
            }
            "message" => self.document(&value, sink)?,
            // `ping`, and what is not known yet.
            _ if value.get("choices").is_some() => return Err(other_format()),
            _ => {}
        }
        Ok(Flow::More)
    }

    fn document(&mut self, whole: &Value, sink: &mut dyn FnMut(Delta)) -> Result<(), ModelError> {
        if failure::is_error(whole) {
            return Err(failure::in_reply(whole));
        }
        match whole.get("content") {
            Some(Value::Array(blocks)) => {
                for block in blocks {
                    self.start(None, block, sink)?;
                    if let Some(position) = self.find(None) {
                        self.end(position, sink)?;
                    }
                }
            }
            Some(Value::String(text)) => self.reply.text(text, sink)?,
            _ if whole.get("choices").is_some() => return Err(other_format()),
            _ => return Err(not_an_answer(whole)),
        }
        self.facts(whole);
        Ok(())
    }

    fn reply(&self) -> &Reply {
        &self.reply
    }

    fn reply_mut(&mut self) -> &mut Reply {
        &mut self.reply
    }
}

fn other_format() -> ModelError {
    ModelError::new(
        ModelErrorKind::Protocol,
        "The server answered in the format of chat completions.",
    )
    .with_hint("Set `type` to `chat` for this provider.")
}

impl Reading {
    /// Stop reason and counts, wherever they stand.
    fn facts(&mut self, value: &Value) {
        if let Some(usage) = value.get("usage") {
            self.counts.update(usage);
            if let Some(usage) = self.counts.usage() {
                self.reply.set_usage(usage);
            }
        }
        if let Some(reason) = value.get("stop_reason").and_then(Value::as_str)
            && !reason.is_empty()
        {
            let stop = fields::stop_reason(reason).unwrap_or_else(|| {
                let shown: String = reason.chars().take(40).collect();
                self.reply.note(&format!("unknown stop_reason `{shown}`"));
                StopReason::EndTurn
            });
            self.reply.set_stop(stop);
        }
    }
}
