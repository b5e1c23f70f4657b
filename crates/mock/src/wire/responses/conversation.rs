//! The order of the items: every call answered once, and reasoning only before
//! what it led to.

use std::collections::{HashSet, VecDeque};

use serde_json::Value;

use super::item::{self, Speaker};
use crate::wire::text;

#[derive(Default)]
struct Checker<'v> {
    /// Calls without an answer, in order.
    open: VecDeque<&'v str>,
    seen: HashSet<&'v str>,
    /// Where reasoning waits for what it led to.
    thought: Option<usize>,
    last: Option<Last>,
    violations: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    Said(Speaker),
    Call,
    Output,
}

pub(super) fn check(items: &[Value], violations: &mut Vec<String>) {
    if items.is_empty() {
        violations.push("`input` is empty.".to_owned());
        return;
    }
    let mut checker = Checker::default();
    for (index, value) in items.iter().enumerate() {
        checker.item(index, value);
    }
    checker.end();
    violations.append(&mut checker.violations);
}

impl<'v> Checker<'v> {
    fn complain(&mut self, index: usize, sentence: &str) {
        self.violations.push(format!("input[{index}]: {sentence}"));
    }

    fn item(&mut self, index: usize, value: &'v Value) {
        let place = format!("input[{index}]");
        let Some(entry) = value.as_object() else {
            return self.complain(index, "an item must be an object.");
        };
        let kind = text(entry, "type").unwrap_or("message");
        match kind {
            "message" => {
                if let Some(speaker) = item::message(entry, &place, &mut self.violations) {
                    self.said(index, speaker);
                }
            }
            "reasoning" => {
                item::reasoning(entry, &place, &mut self.violations);
                self.thought = Some(index);
                if !self.open.is_empty() && self.last == Some(Last::Output) {
                    self.complain(index, "a call before it has no output yet.");
                }
            }
            "function_call" => {
                item::call(entry, &place, &mut self.violations);
                self.thought = None;
                self.called(index, text(entry, "call_id").unwrap_or_default());
            }
            "function_call_output" => {
                item::output(entry, &place, &mut self.violations);
                self.led_to_nothing();
                self.answered(index, text(entry, "call_id").unwrap_or_default());
            }
            other => self.complain(index, &format!("there is no item {other:?}.")),
        }
    }

    fn said(&mut self, index: usize, speaker: Speaker) {
        if speaker != Speaker::Assistant {
            self.led_to_nothing();
        }
        self.thought = None;
        self.unanswered(index);
        if speaker == Speaker::Instructions
            && self.last.is_some_and(|last| last != Last::Said(speaker))
        {
            self.complain(index, "instructions may only stand at the beginning.");
        }
        self.last = Some(Last::Said(speaker));
    }

    fn called(&mut self, index: usize, id: &'v str) {
        if self.last == Some(Last::Output) {
            self.unanswered(index);
        }
        if !self.seen.insert(id) {
            self.complain(index, &format!("the call_id {id:?} was used before."));
        }
        self.open.push_back(id);
        self.last = Some(Last::Call);
    }

    fn answered(&mut self, index: usize, id: &str) {
        self.last = Some(Last::Output);
        let sentence = match self.open.iter().position(|open| *open == id) {
            Some(0) => {
                self.open.pop_front();
                return;
            }
            Some(position) => {
                self.open.remove(position);
                format!("the output of {id:?} comes before that of an earlier call.")
            }
            None if self.seen.contains(id) => format!("the call {id:?} has its output already."),
            None => format!("it answers {id:?}, but no call before it has this id."),
        };
        self.complain(index, &sentence);
    }

    fn unanswered(&mut self, index: usize) {
        if !self.open.is_empty() {
            let ids: Vec<&str> = self.open.drain(..).collect();
            let sentence = format!("the calls before it have no output: {}.", ids.join(", "));
            self.complain(index, &sentence);
        }
    }

    fn led_to_nothing(&mut self) {
        if let Some(index) = self.thought.take() {
            self.complain(
                index,
                "reasoning must be followed by what it led to; leave it out.",
            );
        }
    }

    fn end(&mut self) {
        self.led_to_nothing();
        if !self.open.is_empty() {
            let ids: Vec<&str> = self.open.drain(..).collect();
            self.violations.push(format!(
                "At the end, calls have no output: {}.",
                ids.join(", ")
            ));
        } else if !matches!(self.last, Some(Last::Said(Speaker::User) | Last::Output)) {
            let sentence = "The last item must be the user's or an output.";
            self.violations.push(sentence.to_owned());
        }
    }
}
