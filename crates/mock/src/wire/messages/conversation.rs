//! The order of the messages: who may speak when, and that every call is
//! answered at once.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{block, parameters};
use crate::wire::{only, text};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    User,
    Assistant,
}

#[derive(Default)]
struct Checker<'v> {
    previous: Option<Role>,
    /// The calls of the message before, in order.
    open: Vec<&'v str>,
    /// All call ids so far.
    seen: HashSet<&'v str>,
    calls: bool,
    violations: Vec<String>,
}

pub(super) fn check(
    messages: &[Value],
    request: &Map<String, Value>,
    violations: &mut Vec<String>,
) {
    if messages.is_empty() {
        violations.push("`messages` is empty.".to_owned());
        return;
    }
    let mut checker = Checker::default();
    for (index, message) in messages.iter().enumerate() {
        checker.message(index, message);
    }
    checker.end();
    violations.append(&mut checker.violations);
    if checker.calls && !request.contains_key("tools") {
        violations.push("Messages with calls or results need `tools`.".to_owned());
    }
    if parameters::thinks(request) {
        begins_with_thinking(messages, violations);
    }
}

impl<'v> Checker<'v> {
    fn complain(&mut self, index: usize, sentence: &str) {
        self.violations
            .push(format!("messages[{index}]: {sentence}"));
    }

    fn message(&mut self, index: usize, message: &'v Value) {
        let Some(message) = message.as_object() else {
            return self.complain(index, "a message must be an object.");
        };
        let role = match text(message, "role") {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some("system") => {
                return self.complain(
                    index,
                    "few servers know the role `system` here; use `system`.",
                );
            }
            Some(other) => return self.complain(index, &format!("there is no role {other:?}.")),
            None => return self.complain(index, "`role` must be a string."),
        };
        match (self.previous, role) {
            (None, Role::Assistant) => {
                self.complain(index, "the first message must be the user's.");
            }
            (Some(before), now) if before == now => {
                self.complain(index, "two messages of one role in a row; join them.");
            }
            _ => {}
        }
        let place = format!("messages[{index}]");
        only(message, &["role", "content"], &place, &mut self.violations);
        self.content(index, role, message.get("content"));
        self.previous = Some(role);
    }

    fn content(&mut self, index: usize, role: Role, content: Option<&'v Value>) {
        let blocks: &[Value] = match content {
            Some(Value::String(text)) => {
                if text.trim().is_empty() {
                    self.complain(index, "`content` must not be empty or white space.");
                }
                &[]
            }
            Some(Value::Array(blocks)) => {
                if blocks.is_empty() {
                    self.complain(index, "`content` has no blocks.");
                }
                blocks
            }
            _ => {
                return self.complain(index, "`content` must be a text or a list of blocks.");
            }
        };
        match role {
            Role::User => self.said_by_user(index, blocks),
            Role::Assistant => self.said_by_assistant(index, blocks),
        }
    }

    /// Results first, all of them and in order; then what the user says.
    fn said_by_user(&mut self, index: usize, blocks: &'v [Value]) {
        let mut open = std::mem::take(&mut self.open).into_iter();
        let mut talking = false;
        for (number, value) in blocks.iter().enumerate() {
            let place = format!("messages[{index}].content[{number}]");
            let Some((block, kind)) = typed(value) else {
                self.violations
                    .push(format!("{place}: a block must have a `type`."));
                continue;
            };
            match kind {
                "tool_result" => {
                    self.calls = true;
                    block::tool_result(block, &place, &mut self.violations);
                    if talking {
                        self.violations
                            .push(format!("{place}: results must come first."));
                    }
                    let id = text(block, "tool_use_id").unwrap_or_default();
                    self.result(&place, id, open.next());
                }
                "text" => {
                    talking = true;
                    block::text_block(block, &place, &mut self.violations);
                }
                "image" => {
                    talking = true;
                    block::image_block(block, &place, &mut self.violations);
                }
                "document" => talking = true,
                other => self
                    .violations
                    .push(format!("{place}: a user has no block {other:?}.")),
            }
        }
        self.unanswered(index, open.collect());
    }

    fn result(&mut self, place: &str, id: &str, expected: Option<&str>) {
        let sentence = match expected {
            Some(expected) if expected == id => return,
            Some(expected) => format!("it answers {id:?}, but {expected:?} is next."),
            None => format!("it answers {id:?}, which the message before did not call."),
        };
        self.violations.push(format!("{place}: {sentence}"));
    }

    fn unanswered(&mut self, index: usize, ids: Vec<&str>) {
        if !ids.is_empty() {
            let sentence = format!("calls have no result here: {}.", ids.join(", "));
            self.complain(index, &sentence);
        }
    }

    fn said_by_assistant(&mut self, index: usize, blocks: &'v [Value]) {
        let stale = std::mem::take(&mut self.open);
        self.unanswered(index, stale);
        for (number, value) in blocks.iter().enumerate() {
            let place = format!("messages[{index}].content[{number}]");
            let Some((block, kind)) = typed(value) else {
                self.violations
                    .push(format!("{place}: a block must have a `type`."));
                continue;
            };
            match kind {
                "text" => {
                    block::text_block(block, &place, &mut self.violations);
                    if !self.open.is_empty() {
                        self.violations
                            .push(format!("{place}: text must come before calls."));
                    }
                }
                "thinking" => block::thinking(block, &place, &mut self.violations),
                "redacted_thinking" => block::redacted(block, &place, &mut self.violations),
                "tool_use" => {
                    self.calls = true;
                    block::tool_use(block, &place, &mut self.violations);
                    let id = text(block, "id").unwrap_or_default();
                    if !self.seen.insert(id) {
                        self.violations
                            .push(format!("{place}: the id {id:?} was used before."));
                    }
                    self.open.push(id);
                }
                other => self
                    .violations
                    .push(format!("{place}: the assistant has no block {other:?}.")),
            }
        }
    }

    fn end(&mut self) {
        let open = std::mem::take(&mut self.open);
        if !open.is_empty() {
            self.violations.push(format!(
                "At the end, calls have no result: {}.",
                open.join(", ")
            ));
        } else if self.previous == Some(Role::Assistant) {
            let sentence = "The last message must be the user's.";
            self.violations.push(sentence.to_owned());
        }
    }
}

fn typed(value: &Value) -> Option<(&Map<String, Value>, &str)> {
    let block = value.as_object()?;
    Some((block, text(block, "type")?))
}

/// With a budget for thinking, a turn that calls tools must begin with the
/// thinking that led to it, as long as it goes on. Its later messages need none:
/// a model thinks once before a row of calls.
fn begins_with_thinking(messages: &[Value], violations: &mut Vec<String>) {
    let is = |block: &Value, kinds: &[&str]| {
        let kind = block.get("type").and_then(Value::as_str);
        kind.is_some_and(|kind| kinds.contains(&kind))
    };
    let mut missing = None;
    for (index, message) in messages.iter().enumerate().rev() {
        let content = message.get("content").and_then(Value::as_array);
        let content = content.map_or(&[][..], Vec::as_slice);
        if message.get("role").and_then(Value::as_str) == Some("user") {
            if !content.iter().any(|block| is(block, &["tool_result"])) {
                break;
            }
            continue;
        }
        let calls = content.iter().any(|block| is(block, &["tool_use"]));
        let thinks = content
            .first()
            .is_some_and(|block| is(block, &["thinking", "redacted_thinking"]));
        missing = (calls && !thinks).then_some(index);
    }
    if let Some(index) = missing {
        violations.push(format!(
            "messages[{index}]: when thinking is enabled, a turn with calls begins with it."
        ));
    }
}
