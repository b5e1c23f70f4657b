//! One answer, put together from its items. The same content comes several
//! times, in deltas, in the item that is done and in the list at the end; the
//! first that brings it counts. Servers leave out any of these.

use super::names::LONGEST;
use super::slots::{Kind, MAX_ITEMS, Names, Progress, Slot, Slots, Thoughts};
use crate::calls::CallDelta;
use crate::reply::{CallSource, Reply};
use crate::{Delta, ModelError, ModelErrorKind};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Items of the provider's own tools: they go back as they came. Any other is
/// left out, because it might want an answer that nobody gives.
const RETURNED: &[&str] = &[
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_call",
    "mcp_list_tools",
    "compaction",
];
/// Between two messages, or two parts of reasoning, of one answer.
const BREAK: &str = "\n\n";

#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    /// Who may have its reasoning back.
    owner: Arc<str>,
    pub(super) reply: Reply,
    pub(super) slots: Slots,
    /// The item that wrote the text at the very end of the reply.
    speaker: Option<usize>,
}

impl Answer {
    pub(super) fn new(owner: Arc<str>) -> Self {
        Self {
            owner,
            ..Self::default()
        }
    }

    pub(super) fn slot(&mut self, kind: Kind, names: Names) -> Result<usize, ModelError> {
        match self.slots.going_on(kind, names) {
            Some(slot) => Ok(slot),
            None => self.open(kind, names),
        }
    }

    pub(super) fn open(&mut self, kind: Kind, names: Names) -> Result<usize, ModelError> {
        let slot = self.slots.open(kind, names).map_err(|_| {
            ModelError::new(
                ModelErrorKind::Protocol,
                format!("The answer has more than {MAX_ITEMS} parts, so Tenon stopped reading."),
            )
        })?;
        if kind == Kind::Reasoning {
            self.reply.end_reasoning();
        }
        Ok(slot)
    }

    pub(super) fn text(
        &mut self,
        slot: usize,
        part: Option<u64>,
        text: &str,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        let Some(item) = self.slots.get_mut(slot) else {
            return Ok(());
        };
        let begins = item.is_untouched();
        item.mark(part);
        if begins && self.speaker.is_some_and(|speaker| speaker != slot) {
            self.reply.text(BREAK, sink)?;
        }
        self.speaker = Some(slot);
        self.reply.text(text, sink)
    }

    pub(super) fn thought(
        &mut self,
        slot: usize,
        form: Thoughts,
        section: Option<u64>,
        text: &str,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        let Some(item) = self.slots.get_mut(slot) else {
            return Ok(());
        };
        if *item.thoughts.get_or_insert(form) != form {
            return Ok(());
        }
        let begins = item.is_untouched();
        let next = item.section != section;
        item.section = section;
        item.mark(None);
        self.speaker = None;
        if next && !begins {
            self.reply.reasoning(BREAK, sink)?;
        }
        self.reply.reasoning(text, sink)
    }

    /// The item in full: what it has that was not given yet is given now. A
    /// call that the server says is incomplete does not run, whole as it looks.
    pub(super) fn whole_item(
        &mut self,
        slot: usize,
        item: &Value,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        self.rest_of_item(slot, item, sink)?;
        let is_call = self
            .slots
            .get(slot)
            .is_some_and(|known| known.kind == Kind::Call);
        if is_call && item.get("status").and_then(Value::as_str) == Some("incomplete") {
            self.reply.cut_call(slot as u64);
        }
        Ok(())
    }

    fn rest_of_item(
        &mut self,
        slot: usize,
        item: &Value,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        let kind = match self.slots.get_mut(slot) {
            Some(known) if known.progress == Progress::Open => {
                known.progress = Progress::Done;
                known.kind
            }
            _ => return Ok(()),
        };
        match kind {
            Kind::Message => self.whole_message(slot, item, sink),
            Kind::Call => {
                self.open_call(slot, item, sink)?;
                let arguments = item.get("arguments").unwrap_or(&Value::Null);
                self.arguments_done(slot, arguments, sink)
            }
            Kind::Reasoning => self.whole_reasoning(slot, item, sink),
            Kind::Other => self.other(item),
        }
    }

    fn whole_message(
        &mut self,
        slot: usize,
        item: &Value,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        match item.get("content") {
            Some(Value::String(text)) => self.part_done(slot, Some(0), text, sink),
            Some(Value::Array(parts)) => {
                for (number, part) in parts.iter().enumerate() {
                    if let Some(text) = answer_text(part) {
                        self.part_done(slot, Some(number as u64), text, sink)?;
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn part_done(
        &mut self,
        slot: usize,
        part: Option<u64>,
        text: &str,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        let shown = |item: &Slot| match part {
            Some(part) => item.has_shown(part),
            None => !item.is_untouched(),
        };
        if text.is_empty() || self.slots.get(slot).is_none_or(shown) {
            return Ok(());
        }
        self.text(slot, part, text, sink)
    }

    /// A call is opened when its name is known: what has no name yet is
    /// announced again when it is done.
    pub(super) fn open_call(
        &mut self,
        slot: usize,
        item: &Value,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        let text = |name: &str| {
            let text = item.get(name).and_then(Value::as_str);
            text.filter(|text| !text.is_empty())
        };
        let Some(name) = text("name") else {
            return Ok(());
        };
        match self.slots.get_mut(slot) {
            Some(known) if !known.opened => known.opened = true,
            _ => return Ok(()),
        }
        self.speaker = None;
        let delta = CallDelta {
            index: Some(slot as u64),
            id: text("call_id").or_else(|| text("id")),
            name: Some(name),
            arguments: None,
        };
        self.reply.call(&delta, CallSource::WholeMessage, sink)
    }

    pub(super) fn add_arguments(
        &mut self,
        slot: usize,
        arguments: &Value,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        if !self.slots.get(slot).is_some_and(|item| item.opened) {
            return Ok(());
        }
        let delta = CallDelta {
            index: Some(slot as u64),
            arguments: Some(arguments),
            ..CallDelta::default()
        };
        self.reply.call(&delta, CallSource::Stream, sink)
    }

    pub(super) fn arguments_done(
        &mut self,
        slot: usize,
        arguments: &Value,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        let known = self.reply.arguments_at(slot as u64);
        match arguments {
            Value::Null => return Ok(()),
            _ if known.is_empty() => return self.add_arguments(slot, arguments, sink),
            Value::String(whole) => match whole.strip_prefix(known) {
                Some("") => {}
                Some(rest) => {
                    let rest = Value::String(rest.to_owned());
                    return self.add_arguments(slot, &rest, sink);
                }
                None => self
                    .reply
                    .note("the arguments of a call came twice and differed"),
            },
            _ => {}
        }
        Ok(())
    }

    fn whole_reasoning(
        &mut self,
        slot: usize,
        item: &Value,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        if self
            .slots
            .get(slot)
            .is_some_and(|known| known.is_untouched())
        {
            let mut form = Thoughts::Summary;
            let mut texts = texts(item.get("summary"));
            if texts.is_empty() {
                form = Thoughts::Raw;
                texts = self::texts(item.get("content"));
            }
            for (number, text) in texts.into_iter().enumerate() {
                self.thought(slot, form, Some(number as u64), text, sink)?;
            }
        }
        if let Some(signature) = signature(item) {
            self.speaker = None;
            self.reply.sign(&signature, &self.owner)?;
        }
        self.reply.end_reasoning();
        Ok(())
    }

    fn other(&mut self, item: &Value) -> Result<(), ModelError> {
        let kind = item.get("type").and_then(Value::as_str).unwrap_or("");
        if RETURNED.contains(&kind) {
            self.speaker = None;
            let size = item.to_string().len();
            return self.reply.opaque(&self.owner, item.clone(), size);
        }
        let shown: String = kind.chars().take(40).collect();
        self.reply.note(&format!(
            "an item of the unknown type `{shown}` was left out"
        ));
        Ok(())
    }
}

/// The text of a part of an answer: of an event that ends one, as well.
pub(super) fn answer_text(part: &Value) -> Option<&str> {
    match part.get("type").and_then(Value::as_str)? {
        "output_text" | "text" | "response.output_text.done" => part.get("text")?.as_str(),
        "refusal" | "response.refusal.done" => part.get("refusal")?.as_str(),
        _ => None,
    }
}

fn texts(parts: Option<&Value>) -> Vec<&str> {
    parts
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|part| part.as_str().or_else(|| part.get("text")?.as_str()))
        .filter(|text| !text.is_empty())
        .collect()
}

/// A reasoning item as it goes back, when it holds what the provider needs.
/// Its other fields are refused in a request.
fn signature(item: &Value) -> Option<String> {
    item.get("encrypted_content")
        .and_then(Value::as_str)
        .filter(|content| !content.is_empty())?;
    let mut kept = Map::new();
    for name in ["type", "id", "summary", "encrypted_content"] {
        let taken = |field: &&Value| match name {
            // Some proxies make ids of their own, which nobody takes back.
            "id" => field
                .as_str()
                .is_some_and(|id| id.starts_with("rs") && id.len() <= LONGEST),
            _ => !field.is_null(),
        };
        if let Some(field) = item.get(name).filter(taken) {
            kept.insert(name.to_owned(), field.clone());
        }
    }
    kept.entry("summary")
        .or_insert_with(|| Value::Array(Vec::new()));
    Some(Value::Object(kept).to_string())
}
