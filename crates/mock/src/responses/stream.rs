//! An answer as the events of a response.

use serde_json::{Value, json};

use super::item;
use crate::answer::{Answer, Call};
use crate::cut::Cutter;
use crate::options::Chunking;
use crate::queue::{Naming, Numbering, Queue};
use crate::shape::Quirk;

pub(crate) fn queue(answer: Answer, chunking: Chunking) -> Queue {
    let numbering = if answer.shape.is_plain() {
        Numbering::Numbered
    } else {
        Numbering::Unnumbered
    };
    let naming = if answer.shape.has(Quirk::LiteLlm) {
        Naming::Unnamed
    } else {
        Naming::Named
    };
    let mut writer = Writer {
        queue: Queue::new(numbering, naming),
        answer: &answer,
        chunking,
        items: 0,
    };
    writer.opening();
    if let Some(text) = &answer.reasoning {
        writer.reasoning(text);
    }
    if let Some(text) = &answer.content {
        writer.message(text);
    }
    for (index, call) in answer.calls.iter().enumerate() {
        writer.call(index, call);
    }
    writer.closing();
    writer.queue
}

struct Writer<'a> {
    queue: Queue,
    answer: &'a Answer,
    chunking: Chunking,
    items: u64,
}

/// Where an item and its parts stand, as its events name it.
struct Place {
    item_id: String,
    output_index: Option<u64>,
    /// The name of the second index and whether it is sent.
    part: Option<&'static str>,
}

impl Writer<'_> {
    fn opening(&mut self) {
        for kind in ["response.created", "response.in_progress"] {
            let response = if self.answer.shape.has(Quirk::LlamaCpp) {
                json!({
                    "id": format!("resp_{}", self.answer.id),
                    "object": "response",
                    "status": "in_progress",
                })
            } else {
                item::response(self.answer, "in_progress", Vec::new())
            };
            self.queue
                .event(json!({"type": kind, "response": response}));
        }
    }

    fn reasoning(&mut self, text: &str) {
        let whole = item::reasoning(self.answer, text);
        let mut added = whole.clone();
        added["summary"] = json!([]);
        if self.answer.shape.has(Quirk::LlamaCpp) {
            added["content"] = json!([]);
            added["status"] = json!("in_progress");
            let place = self.add(added, None);
            self.texts("response.reasoning_text.delta", &place, text);
            self.done(&place, whole);
            return;
        }
        let place = self.add(added, Some("summary_index"));
        let part = |text: &str| json!({"type": "summary_text", "text": text});
        let prefix = "response.reasoning_summary_part";
        self.at(&format!("{prefix}.added"), &place, "part", part(""));
        self.texts("response.reasoning_summary_text.delta", &place, text);
        let kind = "response.reasoning_summary_text.done";
        self.at(kind, &place, "text", json!(text));
        self.at(&format!("{prefix}.done"), &place, "part", part(text));
        self.done(&place, whole);
    }

    fn message(&mut self, text: &str) {
        let whole = item::message(self.answer, text);
        let mut added = whole.clone();
        added["status"] = json!("in_progress");
        added["content"] = json!([]);
        let place = self.add(added, Some("content_index"));
        let prefix = "response.content_part";
        self.at(
            &format!("{prefix}.added"),
            &place,
            "part",
            item::part(&self.answer.shape, ""),
        );
        self.texts("response.output_text.delta", &place, text);
        let mut data = self.data("response.output_text.done", &place);
        data["text"] = json!(text);
        if self.answer.shape.is_plain() {
            data["logprobs"] = json!([]);
        }
        self.queue.event(data);
        self.at(
            &format!("{prefix}.done"),
            &place,
            "part",
            item::part(&self.answer.shape, text),
        );
        self.done(&place, whole);
    }

    fn call(&mut self, index: usize, call: &Call) {
        let whole = item::call(self.answer, index, call);
        let mut added = whole.clone();
        added["status"] = json!("in_progress");
        added["arguments"] = json!("");
        let place = self.add(added, None);
        let text = Cutter::of_arguments(call.arguments.clone(), self.chunking);
        let kind = "response.function_call_arguments.delta";
        self.deltas(kind, &place, text);
        if !self.answer.shape.has(Quirk::LlamaCpp) {
            let kind = "response.function_call_arguments.done";
            let mut data = self.data(kind, &place);
            if self.answer.shape.is_plain() {
                data["name"] = json!(call.name);
            }
            data["arguments"] = whole["arguments"].clone();
            self.queue.event(data);
        }
        self.done(&place, whole);
    }

    fn closing(&mut self) {
        let status = item::status(self.answer);
        let response = item::response(self.answer, status, item::all(self.answer));
        let kind = format!("response.{status}");
        self.queue
            .event(json!({"type": kind, "response": response}));
        if self.answer.shape.has(Quirk::LiteLlm) {
            self.queue.raw("[DONE]");
        }
    }

    fn add(&mut self, item: Value, part: Option<&'static str>) -> Place {
        let shape = &self.answer.shape;
        let index = match () {
            () if shape.has(Quirk::LlamaCpp) || shape.has(Quirk::NoIndex) => None,
            () if shape.has(Quirk::SameIndex) => Some(0),
            () => Some(self.items),
        };
        self.items += 1;
        let place = Place {
            item_id: item["id"].as_str().unwrap_or_default().to_owned(),
            output_index: index,
            part: part.filter(|_| index.is_some()),
        };
        let mut data = json!({"type": "response.output_item.added"});
        if let Some(index) = index {
            data["output_index"] = json!(index);
        }
        data["item"] = item;
        self.queue.event(data);
        place
    }

    fn done(&mut self, place: &Place, item: Value) {
        let mut data = json!({"type": "response.output_item.done"});
        if let Some(index) = place.output_index {
            data["output_index"] = json!(index);
        }
        data["item"] = item;
        self.queue.event(data);
    }

    fn data(&self, kind: &str, place: &Place) -> Value {
        let mut data = json!({"type": kind, "item_id": place.item_id});
        if let Some(index) = place.output_index {
            data["output_index"] = json!(index);
        }
        if let Some(part) = place.part {
            data[part] = json!(0);
        }
        data
    }

    fn at(&mut self, kind: &str, place: &Place, field: &str, value: Value) {
        let mut data = self.data(kind, place);
        data[field] = value;
        self.queue.event(data);
    }

    fn texts(&mut self, kind: &'static str, place: &Place, text: &str) {
        let text = Cutter::of_text(text.to_owned(), self.chunking);
        self.deltas(kind, place, text);
    }

    fn deltas(&mut self, kind: &'static str, place: &Place, text: Cutter) {
        let mut head = self.data(kind, place).to_string();
        head.pop();
        head.push_str(",\"delta\":");
        let tail = if kind == "response.output_text.delta" && self.answer.shape.is_plain() {
            ",\"logprobs\":[]"
        } else {
            ""
        };
        self.queue.texts(kind, head, text, tail);
    }
}
