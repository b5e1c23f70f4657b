//! The order of the messages and what each must hold.
//!
//! Chat templates subscript, concatenate and compare without looking first, so
//! a null, a missing field or a role out of turn is an error on some server.

use std::collections::{HashSet, VecDeque};

use serde_json::{Map, Value};

use crate::wire::schema::is_tool_name;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    System,
    User,
    Assistant,
    Tool,
}

/// What the messages so far ask of the next one.
#[derive(Default)]
struct Checker<'v> {
    previous: Option<Role>,
    /// Calls without an answer, in order.
    open: VecDeque<&'v str>,
    /// All call ids so far.
    seen: HashSet<&'v str>,
    violations: Vec<String>,
}

pub(super) fn check(messages: &[Value], violations: &mut Vec<String>) {
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
        let role = match message.get("role").and_then(Value::as_str) {
            Some("system") => Role::System,
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some("tool") => Role::Tool,
            Some("developer") => {
                return self.complain(
                    index,
                    "few servers know the role `developer`; use `system`.",
                );
            }
            Some(other) => {
                return self.complain(index, &format!("there is no role {other:?}."));
            }
            None => return self.complain(index, "`role` must be a string."),
        };
        self.order(index, role);
        self.keys(index, role, message);
        self.content(index, role, message.get("content"));
        match role {
            Role::Assistant => self.calls(index, message),
            Role::Tool => self.result(index, message),
            Role::System | Role::User => {}
        }
        self.previous = Some(role);
    }

    fn order(&mut self, index: usize, role: Role) {
        if role != Role::Tool && !self.open.is_empty() {
            let ids: Vec<&str> = self.open.drain(..).collect();
            let sentence = format!(
                "the calls before it have no answer yet: {}.",
                ids.join(", ")
            );
            self.complain(index, &sentence);
        }
        match (self.previous, role) {
            (None, Role::System) => {}
            (_, Role::System) => self.complain(
                index,
                "a system message may only be the first message, and only one.",
            ),
            (None | Some(Role::System), Role::Assistant | Role::Tool) => {
                self.complain(
                    index,
                    "the first message after the system message must be the user's.",
                );
            }
            (Some(Role::User), Role::User) => {
                self.complain(index, "two user messages in a row; join them into one.");
            }
            (Some(Role::Assistant), Role::Assistant) => {
                self.complain(
                    index,
                    "two assistant messages in a row; join them into one.",
                );
            }
            _ => {}
        }
    }

    /// Reasoning is let through: some servers want it back, and a client has
    /// to be told so by its user.
    fn keys(&mut self, index: usize, role: Role, message: &Map<String, Value>) {
        for name in message.keys() {
            let known = match name.as_str() {
                "role" | "content" => true,
                "name" => role != Role::Tool,
                "tool_calls" | "refusal" | "reasoning_content" | "reasoning" => {
                    role == Role::Assistant
                }
                "tool_call_id" => role == Role::Tool,
                _ => false,
            };
            if !known {
                self.complain(
                    index,
                    &format!("`{name}` does not belong into this message."),
                );
            }
        }
    }

    fn content(&mut self, index: usize, role: Role, content: Option<&Value>) {
        match content {
            None => self.complain(index, "`content` is missing; write \"\"."),
            Some(Value::Null) => self.complain(index, "`content` is null; write \"\"."),
            Some(Value::String(_)) => {}
            Some(Value::Array(parts)) if role == Role::User => self.parts(index, parts),
            Some(_) if role == Role::User => {
                self.complain(index, "`content` must be a string or a list of parts.");
            }
            Some(_) => self.complain(index, "`content` must be a string."),
        }
    }

    fn parts(&mut self, index: usize, parts: &[Value]) {
        if parts.is_empty() {
            self.complain(index, "`content` has no parts; write \"\".");
        }
        for (number, part) in parts.iter().enumerate() {
            let well_formed = match part.get("type").and_then(Value::as_str) {
                Some("text") => part.get("text").is_some_and(Value::is_string),
                Some("image_url") => part.pointer("/image_url/url").is_some_and(Value::is_string),
                Some("input_audio" | "file") => true,
                _ => false,
            };
            if !well_formed {
                let sentence = format!(
                    "content[{number}] must be a text part or an image part with their fields."
                );
                self.complain(index, &sentence);
            }
        }
    }

    fn calls(&mut self, index: usize, message: &'v Map<String, Value>) {
        let calls = match message.get("tool_calls") {
            None => return,
            Some(Value::Array(calls)) if !calls.is_empty() => calls,
            Some(Value::Array(_)) => {
                return self.complain(index, "`tool_calls` is empty; leave it out.");
            }
            Some(_) => return self.complain(index, "`tool_calls` must be an array."),
        };
        for (number, call) in calls.iter().enumerate() {
            let id = call.get("id").and_then(Value::as_str).unwrap_or_default();
            if id.is_empty() {
                let sentence = format!("tool_calls[{number}]: `id` must be a non-empty string.");
                self.complain(index, &sentence);
            } else {
                if !self.seen.insert(id) {
                    let sentence = format!("tool_calls[{number}]: the id {id:?} was used before.");
                    self.complain(index, &sentence);
                }
                self.open.push_back(id);
            }
            self.function(index, number, call);
        }
    }

    fn function(&mut self, index: usize, number: usize, call: &Value) {
        if call.get("type").and_then(Value::as_str) != Some("function") {
            let sentence = format!("tool_calls[{number}]: `type` must be \"function\".");
            self.complain(index, &sentence);
        }
        let name = call
            .pointer("/function/name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if !is_tool_name(name) {
            let sentence = format!("tool_calls[{number}]: {name:?} cannot be the name of a tool.");
            self.complain(index, &sentence);
        }
        let sentence = match call.pointer("/function/arguments") {
            Some(Value::String(text)) => match serde_json::from_str::<Map<String, Value>>(text) {
                Ok(_) => return,
                Err(error) => format!("`arguments` does not hold a JSON object: {error}."),
            },
            _ => "`arguments` must be a string that holds JSON.".to_owned(),
        };
        self.complain(index, &format!("tool_calls[{number}]: {sentence}"));
    }

    fn result(&mut self, index: usize, message: &Map<String, Value>) {
        let Some(id) = message.get("tool_call_id").and_then(Value::as_str) else {
            return self.complain(index, "`tool_call_id` must be a string.");
        };
        let sentence = match self.open.iter().position(|open| *open == id) {
            Some(0) => {
                self.open.pop_front();
                return;
            }
            Some(position) => {
                self.open.remove(position);
                format!("the answer to {id:?} comes before that of an earlier call.")
            }
            None if self.seen.contains(id) => format!("the call {id:?} has its answer already."),
            None => format!("it answers {id:?}, but no call before it has this id."),
        };
        self.complain(index, &sentence);
    }

    fn end(&mut self) {
        if !self.open.is_empty() {
            let ids: Vec<&str> = self.open.drain(..).collect();
            self.violations.push(format!(
                "At the end, calls have no answer: {}.",
                ids.join(", ")
            ));
        } else if matches!(self.previous, Some(Role::Assistant | Role::System)) {
            let sentence = "The last message must be the user's or a tool's.";
            self.violations.push(sentence.to_owned());
        }
    }
}
