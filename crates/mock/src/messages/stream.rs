//! An answer as the events of a message.

use serde_json::{Map, Value, json};

use super::stop_reason;
use crate::answer::{Answer, Call};
use crate::cut::Cutter;
use crate::options::Chunking;
use crate::queue::{Naming, Numbering, Queue};
use crate::shape::{Quirk, Shape};
use crate::tally;

pub(crate) fn queue(answer: Answer, chunking: Chunking) -> Queue {
    let mut writer = Writer {
        queue: Queue::new(Numbering::Unnumbered, Naming::Named),
        shape: answer.shape,
        chunking,
        blocks: 0,
    };
    let usage = answer.usage.as_ref().map(tally::of_messages);
    writer.start(&answer.id, &answer.model, usage.as_ref());
    if let Some(reasoning) = answer.reasoning {
        writer.thinking(reasoning, answer.seal);
    }
    if let Some(content) = answer.content {
        writer.text(content);
    }
    for call in answer.calls {
        writer.call(call);
    }
    writer.end(&answer.finish_reason, usage.as_ref());
    writer.queue
}

struct Writer {
    queue: Queue,
    shape: Shape,
    chunking: Chunking,
    blocks: u64,
}

impl Writer {
    fn start(&mut self, id: &str, model: &str, usage: Option<&Map<String, Value>>) {
        let mut message = json!({
            "id": message_id(id, &self.shape),
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [],
            "stop_reason": null,
            "stop_sequence": null,
        });
        if let Some(usage) = usage {
            message["usage"] = self.usage_at_start(usage);
        }
        self.queue
            .event(json!({"type": "message_start", "message": message}));
        if self.shape.is_plain() {
            self.queue.event(json!({"type": "ping"}));
        }
    }

    fn usage_at_start(&self, usage: &Map<String, Value>) -> Value {
        let mut usage = usage.clone();
        for (name, value) in &mut usage {
            let known_later = name == "output_tokens" || self.shape.has(Quirk::LiteLlm);
            if known_later && value.is_u64() {
                *value = json!(0);
            }
        }
        if self.shape.has(Quirk::LlamaCpp) {
            usage.shift_remove("cache_creation_input_tokens");
        }
        Value::Object(usage)
    }

    fn thinking(&mut self, reasoning: String, seal: Option<String>) {
        let block = json!({"type": "thinking", "thinking": "", "signature": ""});
        let index = self.open(block);
        let text = Cutter::of_text(reasoning, self.chunking);
        self.deltas(&index, "thinking_delta", "thinking", text);
        if let Some(seal) = seal {
            let delta = json!({"type": "signature_delta", "signature": seal});
            let data = with_index("content_block_delta", &index, "delta", delta);
            self.queue.event(data);
        }
        self.close(&index);
    }

    fn text(&mut self, content: String) {
        let index = self.open(json!({"type": "text", "text": ""}));
        let text = Cutter::of_text(content, self.chunking);
        self.deltas(&index, "text_delta", "text", text);
        self.close(&index);
    }

    fn call(&mut self, call: Call) {
        let mut block = json!({"type": "tool_use"});
        if !self.shape.has(Quirk::NoIds) {
            block["id"] = json!(call.id);
        }
        block["name"] = json!(call.name);
        if !self.shape.has(Quirk::LlamaCpp) {
            block["input"] = json!({});
        }
        let index = self.open(block);
        if self.shape.is_plain() {
            let delta = json!({"type": "input_json_delta", "partial_json": ""});
            let data = with_index("content_block_delta", &index, "delta", delta);
            self.queue.event(data);
        }
        let text = Cutter::of_arguments(call.arguments, self.chunking);
        self.deltas(&index, "input_json_delta", "partial_json", text);
        self.close(&index);
    }

    /// The index of the new block, `None` where the server leaves it out.
    fn open(&mut self, block: Value) -> Option<u64> {
        let index = match () {
            () if self.shape.has(Quirk::NoIndex) => None,
            () if self.shape.has(Quirk::SameIndex) => Some(0),
            () => Some(self.blocks),
        };
        self.blocks += 1;
        let data = with_index("content_block_start", &index, "content_block", block);
        self.queue.event(data);
        index
    }

    fn deltas(&mut self, index: &Option<u64>, kind: &str, field: &str, text: Cutter) {
        let place = match index {
            Some(index) => format!("\"index\":{index},"),
            None => String::new(),
        };
        let head = format!(
            "{{\"type\":\"content_block_delta\",{place}\"delta\":{{\"type\":\"{kind}\",\"{field}\":"
        );
        self.queue.texts("content_block_delta", head, text, "}");
    }

    fn close(&mut self, index: &Option<u64>) {
        let mut data = json!({"type": "content_block_stop"});
        if let Some(index) = index {
            data["index"] = json!(index);
        }
        self.queue.event(data);
    }

    fn end(&mut self, finish_reason: &str, usage: Option<&Map<String, Value>>) {
        let mut delta = json!({"stop_reason": stop_reason(finish_reason)});
        if !self.shape.has(Quirk::LiteLlm) {
            delta["stop_sequence"] = json!(null);
        }
        let mut data = json!({"type": "message_delta", "delta": delta});
        if let Some(usage) = usage {
            data["usage"] = if self.shape.has(Quirk::LlamaCpp) {
                json!({"output_tokens": usage.get("output_tokens")})
            } else {
                Value::Object(usage.clone())
            };
        }
        self.queue.event(data);
        self.queue.event(json!({"type": "message_stop"}));
    }
}

fn with_index(kind: &str, index: &Option<u64>, field: &str, value: Value) -> Value {
    let mut data = json!({"type": kind});
    if let Some(index) = index {
        data["index"] = json!(index);
    }
    data[field] = value;
    data
}

pub(super) fn message_id(id: &str, shape: &Shape) -> String {
    if shape.has(Quirk::LlamaCpp) {
        format!("chatcmpl-{id}")
    } else {
        format!("msg_{id}")
    }
}
