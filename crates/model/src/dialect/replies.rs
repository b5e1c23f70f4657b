//! One answer of the inner model becomes one answer of the dialect. The text is
//! held back to its end, with signs of life meanwhile (K2); then it is parsed
//! and given out as thoughts and calls.
//!
//! A reply that only changes the task list leads to the next step at once: no
//! tool has anything to do, so the model is asked again here, a few times at
//! most. What cannot be read becomes a call of [`super::REPLY_FORMAT`], which
//! no toolbox has: the engine counts it as a failure (E6), and the history
//! tells the model what was wrong (K5).

use super::forms::{Choice, choose};
use super::parse::{Action, Call, Parsed, parse};
use super::problem::Problem;
use super::{OWNER, REPLY_FORMAT, control, render, teach};
use crate::rescue::rescue;
use crate::{Delta, DeltaStream, Entry, Finished, Model, ModelError, Prefix, Request};
use futures_core::Stream;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tenon_vocab::form::CALL;
use tenon_vocab::{CallId, Message, Origin, Part, Role, StopReason, TodoItem, ToolCallPart, Usage};

/// Updates of the task list alone that lead to another question.
const MOST_ROUNDS: usize = 3;

pub(super) struct Replies {
    model: Arc<dyn Model>,
    /// As the inner model gets it; grows when it is asked again.
    request: Request,
    /// The prefix with the tools.
    prefix: Arc<Prefix>,
    inner: DeltaStream,
    bytes: usize,
    rounds: usize,
    /// Of the replies that only changed the task list.
    before: Before,
    ready: VecDeque<Delta>,
    ended: bool,
    /// The number of entries when it began: makes ids that do not repeat.
    number: usize,
}

#[derive(Debug, Default)]
struct Before {
    /// Thoughts and list of each reply that only changed the list.
    updates: Vec<(String, Vec<TodoItem>)>,
    /// The last list.
    tasks: Vec<TodoItem>,
    /// The list of the reply that is given.
    own: Vec<TodoItem>,
    usage: Option<Usage>,
    repairs: Vec<String>,
}

impl Replies {
    /// `request` is what the inner model gets, `prefix` the one with the tools.
    pub(super) fn new(
        model: Arc<dyn Model>,
        request: Request,
        prefix: Arc<Prefix>,
        number: usize,
    ) -> Self {
        let inner = model.stream(request.clone());
        Self {
            model,
            request,
            prefix,
            inner,
            bytes: 0,
            rounds: 0,
            before: Before::default(),
            ready: VecDeque::new(),
            ended: false,
            number,
        }
    }

    /// What one delta of the inner model becomes; `None` when there is nothing yet.
    fn take(&mut self, delta: Delta) -> Option<Delta> {
        match delta {
            Delta::Text(text) => {
                self.bytes += text.len();
                Some(Delta::ToolCall {
                    index: 0,
                    name: String::new(),
                    bytes: self.bytes,
                })
            }
            Delta::Finished(finished) => {
                self.finish(finished);
                self.ready.pop_front()
            }
            other => Some(other),
        }
    }

    fn finish(&mut self, finished: Finished) {
        add_usage(&mut self.before.usage, finished.usage);
        self.before.repairs.extend(finished.repairs.iter().cloned());
        let native = finished.message.tool_calls().next().is_some();
        let stopped = matches!(finished.stop, StopReason::ContentFilter | StopReason::Error);
        if native || stopped {
            let text = finished.message.text();
            return self.end(finished.message, finished.stop, &text, Vec::new());
        }
        match self.understand(&finished) {
            Ok(parsed) if parsed.action == Action::Tasks => self.ask_again(parsed, &finished),
            Ok(parsed) => self.give(parsed, &finished),
            Err(problem) => self.refuse(&problem, &finished),
        }
    }

    /// The text is the reply. Where there is none, it may stand in reasoning
    /// whose end the model forgot.
    fn understand(&self, finished: &Finished) -> Result<Parsed, Problem> {
        let text = finished.message.text();
        let parsed = if text.trim().is_empty() {
            parse(&reasoning(&finished.message), &self.prefix.tools)
        } else {
            parse(&text, &self.prefix.tools)
        };
        match parsed {
            Ok(parsed) if finished.stop != StopReason::MaxTokens => Ok(parsed),
            // A cut answer is an answer; a cut call is not what was meant.
            Ok(parsed) if matches!(parsed.action, Action::Answer(_)) => Ok(parsed),
            _ if finished.stop == StopReason::MaxTokens => Err(Problem::Cut),
            Err(Problem::NoResponse) if text.trim().is_empty() => Err(Problem::Empty),
            other => other,
        }
    }

    fn give(&mut self, parsed: Parsed, finished: &Finished) {
        let mut parts = kept(&finished.message);
        if !parsed.tasks.is_empty() {
            self.before.tasks.clone_from(&parsed.tasks);
            self.before.own = parsed.tasks;
        }
        self.before.repairs.extend(parsed.notes);
        let thoughts = parsed.thoughts;
        let (shown, stop) = match parsed.action {
            Action::Answer(answer) => {
                if !thoughts.is_empty() {
                    self.ready.push_back(Delta::Reasoning(thoughts.clone()));
                    parts.push(own_reasoning(thoughts));
                }
                parts.push(Part::text(answer.clone()));
                (answer, finished.stop)
            }
            Action::Calls(calls) => {
                if !thoughts.is_empty() {
                    parts.push(Part::text(thoughts.clone()));
                }
                parts.extend(self.calls(calls));
                (thoughts, StopReason::ToolUse)
            }
            Action::Tasks => (thoughts, finished.stop),
        };
        let message = Message::new(Role::Assistant, Origin::Model, parts);
        self.end(message, stop, &shown, Vec::new());
    }

    fn calls(&self, calls: Vec<Call>) -> Vec<Part> {
        let id = |index| CallId::new(format!("{CALL}{}_{index}", self.number));
        let part = |(index, call): (usize, Call)| {
            let arguments = Value::Object(call.input).to_string();
            Part::ToolCall(ToolCallPart::new(id(index), call.name, arguments))
        };
        calls.into_iter().enumerate().map(part).collect()
    }

    /// No template: another way of writing a call, or a reply to be written again.
    fn refuse(&mut self, problem: &Problem, finished: &Finished) {
        let tools = &self.prefix.tools;
        let is_tool = |name: &str| matches!(choose(name, tools), Some(Choice::Tool(_)));
        if *problem != Problem::Cut
            && let Some(rescued) = rescue(&finished.message, &is_tool)
        {
            let text = rescued.message.text();
            return self.end(rescued.message, StopReason::ToolUse, &text, rescued.notes);
        }
        let text = control::purged(&finished.message.text()).into_owned();
        let mut parts = kept(&finished.message);
        if !text.trim().is_empty() {
            parts.push(Part::text(text.clone()));
        }
        let id = CallId::new(format!("{CALL}{}_0", self.number));
        let complaint = teach::complaint(&problem.to_string());
        parts.push(Part::ToolCall(ToolCallPart::new(
            id,
            REPLY_FORMAT,
            complaint,
        )));
        let message = Message::new(Role::Assistant, Origin::Model, parts);
        self.end(message, StopReason::ToolUse, &text, Vec::new());
    }

    /// The task list is taken; the model goes on with the next step.
    fn ask_again(&mut self, parsed: Parsed, finished: &Finished) {
        self.rounds += 1;
        if self.rounds > MOST_ROUNDS {
            return self.refuse(&Problem::OnlyTasks(self.rounds), finished);
        }
        let said = Message::assistant(render::only_tasks(&parsed.thoughts, &parsed.tasks));
        let told = Message::user(teach::TASKS_UPDATED);
        for message in [said, told] {
            self.request
                .entries
                .push(Arc::new(Entry::new(Arc::new(message))));
        }
        if !parsed.tasks.is_empty() {
            self.before.tasks.clone_from(&parsed.tasks);
        }
        if !parsed.thoughts.is_empty() {
            let thoughts = Delta::Reasoning(parsed.thoughts.clone());
            self.ready.push_back(thoughts);
        }
        self.before.updates.push((parsed.thoughts, parsed.tasks));
        self.before.repairs.extend(parsed.notes);
        self.inner = self.model.stream(self.request.clone());
    }

    /// The one end of the stream.
    fn end(&mut self, mut message: Message, stop: StopReason, shown: &str, notes: Vec<String>) {
        let before = std::mem::take(&mut self.before);
        message.parts.splice(0..0, before.parts());
        if !shown.is_empty() {
            self.ready.push_back(Delta::Text(shown.to_owned()));
        }
        message.stop = Some(stop);
        message.usage = before.usage;
        let mut repairs = before.repairs;
        repairs.extend(notes);
        self.ready.push_back(Delta::Finished(Finished {
            message,
            stop,
            usage: before.usage,
            repairs,
            todo: (!before.tasks.is_empty()).then_some(before.tasks),
        }));
        self.ended = true;
    }
}

impl Before {
    /// What the history needs to say the same again: the lists, and the
    /// thoughts of updates, one for each.
    fn parts(&self) -> Vec<Part> {
        let lists: Vec<&Vec<TodoItem>> = self.updates.iter().map(|(_, list)| list).collect();
        let raw = match (lists.is_empty(), self.own.is_empty()) {
            (true, true) => return Vec::new(),
            (true, false) => json!({"tasks": self.own}),
            (false, _) => json!({"tasks": self.own, "updates": lists}),
        };
        let mut parts = vec![Part::Opaque {
            provider: OWNER.to_owned(),
            raw,
        }];
        let thoughts = self.updates.iter().map(|(thoughts, _)| thoughts);
        parts.extend(thoughts.cloned().map(own_reasoning));
        parts
    }
}

fn own_reasoning(text: String) -> Part {
    Part::Reasoning {
        text,
        signature: None,
        provider: Some(OWNER.to_owned()),
    }
}

/// The reasoning, for people to read. Signatures go: what they sign is not what
/// the history keeps.
fn kept(message: &Message) -> Vec<Part> {
    let reasoning = |part: &Part| match part {
        Part::Reasoning { text, .. } if !text.is_empty() => Some(Part::Reasoning {
            text: text.clone(),
            signature: None,
            provider: None,
        }),
        _ => None,
    };
    message.parts.iter().filter_map(reasoning).collect()
}

fn reasoning(message: &Message) -> String {
    let text = |part: &Part| match part {
        Part::Reasoning { text, .. } => Some(text.clone()),
        _ => None,
    };
    message
        .parts
        .iter()
        .filter_map(text)
        .collect::<Vec<_>>()
        .join("\n")
}

fn add_usage(sum: &mut Option<Usage>, new: Option<Usage>) {
    match (sum.as_mut(), new) {
        (Some(sum), Some(new)) => *sum += new,
        (None, new) => *sum = new,
        (Some(_), None) => {}
    }
}

impl Stream for Replies {
    type Item = Result<Delta, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(delta) = self.ready.pop_front() {
                return Poll::Ready(Some(Ok(delta)));
            }
            if self.ended {
                return Poll::Ready(None);
            }
            match self.inner.as_mut().poll_next(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(delta))) => {
                    if let Some(delta) = self.take(delta) {
                        return Poll::Ready(Some(Ok(delta)));
                    }
                }
                Poll::Ready(Some(Err(error))) => {
                    self.ended = true;
                    return Poll::Ready(Some(Err(error)));
                }
                Poll::Ready(None) => {
                    self.ended = true;
                    return Poll::Ready(None);
                }
            }
        }
    }
}
