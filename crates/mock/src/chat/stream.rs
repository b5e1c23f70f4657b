//! An answer as chat chunks, encoded one at a time when the socket asks for
//! more. What goes wrong is not decided here but in `events` and `reply`.

use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::answer::{Answer, Call};
use crate::conversation::UsageChunk;
use crate::cut::Cutter;
use crate::frame::Frame;
use crate::options::Chunking;
use crate::shape::{Quirk, Shape};

#[derive(Debug)]
pub(crate) struct Stream {
    /// Everything of a chunk before its delta; the same for all.
    head: Vec<u8>,
    shape: Shape,
    frame: Frame,
    queue: VecDeque<Item>,
}

#[derive(Debug)]
enum Item {
    Delta(Value),
    Text {
        field: &'static str,
        text: Cutter,
    },
    Arguments {
        index: usize,
        call: Call,
        text: Cutter,
    },
    Finish(String),
    /// The data of an event, as it is.
    Raw(Vec<u8>),
}

impl Stream {
    pub(crate) fn new(answer: Answer, chunking: Chunking, usage: UsageChunk) -> Self {
        let start = json!({
            "id": answer.id,
            "object": "chat.completion.chunk",
            "created": answer.created,
            "model": answer.model,
        });
        let mut start = start.to_string().into_bytes();
        start.pop();
        let mut head = start.clone();
        head.extend_from_slice(br#","choices":[{"index":0,"delta":"#);
        let mut events = Self {
            head,
            frame: Frame::of(&answer.shape),
            shape: answer.shape,
            queue: VecDeque::new(),
        };

        if events.shape.has(Quirk::PromptProgress) {
            events.progress();
        }
        events.opening();
        for (field, text) in [
            ("reasoning_content", answer.reasoning),
            ("content", answer.content),
        ] {
            if let Some(text) = text {
                let text = Cutter::of_text(text, chunking);
                events.queue.push_back(Item::Text { field, text });
            }
        }
        for (index, call) in answer.calls.into_iter().enumerate() {
            events.call(index, call, chunking);
        }
        events.queue.push_back(Item::Finish(answer.finish_reason));
        if let (UsageChunk::Asked, Some(counted)) = (usage, answer.usage) {
            start.extend_from_slice(br#","choices":[],"usage":"#);
            start.extend_from_slice(Value::Object(counted).to_string().as_bytes());
            start.push(b'}');
            events.queue.push_back(Item::Raw(start));
        }
        if !events.shape.has(Quirk::NoDone) {
            events.queue.push_back(Item::Raw(b"[DONE]".to_vec()));
        }
        events
    }

    /// As llama.cpp tells how far it is with the prompt, when it is asked.
    fn progress(&mut self) {
        for processed in [43, 100] {
            let mut chunk = self.head.clone();
            let told =
                json!({"total": 100, "cache": 0, "processed": processed, "time_ms": processed});
            chunk.extend_from_slice(
                br#"{"role":"assistant","content":null},"finish_reason":null}],"prompt_progress":"#,
            );
            chunk.extend_from_slice(told.to_string().as_bytes());
            chunk.push(b'}');
            self.queue.push_back(Item::Raw(chunk));
        }
    }

    fn opening(&mut self) {
        let empty = [Quirk::LlamaCppPython, Quirk::LlamaCpp];
        let content = if empty.into_iter().any(|quirk| self.shape.has(quirk)) {
            json!(null)
        } else {
            json!("")
        };
        self.queue.push_back(Item::Delta(
            json!({"role": "assistant", "content": content}),
        ));
    }

    fn call(&mut self, index: usize, mut call: Call, chunking: Chunking) {
        if self.shape.has(Quirk::ArgumentsObject)
            && let Ok(object @ Value::Object(_)) = serde_json::from_str(&call.arguments)
        {
            let delta = self.opening_of_call(index, &call, &object);
            self.queue.push_back(Item::Delta(delta));
            return;
        }
        let text = Cutter::of_arguments(std::mem::take(&mut call.arguments), chunking);
        if self.shape.has(Quirk::LlamaCppPython) {
            let last = self.piece_of_arguments(index, &call, "");
            self.queue.push_back(Item::Arguments { index, call, text });
            self.queue.push_back(Item::Delta(last));
        } else {
            let opening = self.opening_of_call(index, &call, &json!(""));
            self.queue.push_back(Item::Delta(opening));
            self.queue.push_back(Item::Arguments { index, call, text });
        }
    }

    fn opening_of_call(&self, index: usize, call: &Call, arguments: &Value) -> Value {
        let mut entry = self.entry(index);
        if !self.shape.has(Quirk::NoIds) {
            entry["id"] = json!(call.id);
        }
        entry["type"] = json!("function");
        entry["function"] = json!({"name": call.name, "arguments": arguments});
        json!({"tool_calls": [entry]})
    }

    fn entry(&self, index: usize) -> Value {
        if self.shape.has(Quirk::NoIndex) {
            return json!({});
        }
        json!({"index": if self.shape.has(Quirk::SameIndex) { 0 } else { index }})
    }

    fn piece_of_arguments(&self, index: usize, call: &Call, piece: &str) -> Value {
        if !self.shape.has(Quirk::LlamaCppPython) {
            let mut entry = self.entry(index);
            entry["function"] = json!({"arguments": piece});
            return json!({"tool_calls": [entry]});
        }
        let function = json!({"name": call.name, "arguments": piece});
        let mut delta = json!({"role": null, "content": null, "function_call": function});
        delta["tool_calls"] = self.opening_of_call(index, call, &json!(piece))["tool_calls"].take();
        delta
    }

    /// Appends the next event; `false` when there is none.
    pub(crate) fn write_next(&mut self, out: &mut Vec<u8>) -> bool {
        let Some(item) = self.queue.pop_front() else {
            return false;
        };
        match item {
            Item::Delta(delta) => self.write_chunk(out, delta.to_string().as_bytes(), b"null"),
            Item::Text { field, mut text } => {
                if let Some(piece) = text.next() {
                    self.write_text(out, field, piece);
                }
                if !text.is_done() {
                    self.queue.push_front(Item::Text { field, text });
                }
            }
            Item::Arguments {
                index,
                call,
                mut text,
            } => {
                if let Some(piece) = text.next() {
                    let delta = self.piece_of_arguments(index, &call, piece).to_string();
                    self.write_chunk(out, delta.as_bytes(), b"null");
                }
                if !text.is_done() {
                    self.queue.push_front(Item::Arguments { index, call, text });
                }
            }
            Item::Finish(reason) => {
                let delta: &[u8] = if self.shape.has(Quirk::LlamaCppPython) {
                    br#"{"role":null,"content":null,"function_call":null,"tool_calls":null}"#
                } else {
                    b"{}"
                };
                self.write_chunk(out, delta, Value::from(reason).to_string().as_bytes());
            }
            Item::Raw(data) => self.frame.write(out, None, &data),
        }
        true
    }

    /// The hot path: twenty thousand of these are one long reply.
    fn write_text(&self, out: &mut Vec<u8>, field: &str, piece: &str) {
        self.frame.begin(out, None);
        out.extend_from_slice(&self.head);
        out.extend_from_slice(b"{\"");
        out.extend_from_slice(field.as_bytes());
        out.extend_from_slice(b"\":");
        // Writing a string into memory cannot fail.
        let _ = serde_json::to_writer(&mut *out, piece);
        out.extend_from_slice(br#"},"finish_reason":null}]}"#);
        self.frame.end(out);
    }

    fn write_chunk(&self, out: &mut Vec<u8>, delta: &[u8], finish_reason: &[u8]) {
        self.frame.begin(out, None);
        out.extend_from_slice(&self.head);
        out.extend_from_slice(delta);
        out.extend_from_slice(br#","finish_reason":"#);
        out.extend_from_slice(finish_reason);
        out.extend_from_slice(b"}]}");
        self.frame.end(out);
    }
}
