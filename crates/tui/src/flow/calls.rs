//! Calls of tools, also those of other agents: what runs, and what came of it.

use super::{Block, Flow, keep_end};
use crate::shapes::{Fold, Glance, OwnCommand};
use crate::{boxes, shapes};
use serde_json::Value;
use std::time::Instant;
use tenon_vocab::{
    CallId, CallStatus, Display, Ending, Event, EventKind, Look, RunOrigin, RunStarted, TodoItem,
    TodoStatus, ToolCallPart, ToolDelta, ToolResult, ToolStream, ToolUse, form,
};

/// Where the tasks of a run stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Tasks {
    /// Nothing is known of them, or they stand above.
    #[default]
    Listed,
    /// In the live area, and how far they are above.
    Told,
}

/// How much of a running command's output is kept to be looked at.
const KEPT: usize = 8 * 1024;
/// The call by which a reply that could not be read goes back to the model.
const UNREAD: &str = "reply_format";

/// A call at work.
#[derive(Debug)]
pub struct Running {
    pub used: ToolUse,
    pub since: Instant,
    /// The end of what it has printed.
    pub output: String,
    /// The agent, where it is not the first one.
    pub child: Option<String>,
}

/// A run that is a command of the user's own. No message of the model's names it.
#[derive(Debug)]
pub(super) struct Shell {
    command: String,
    pub refused: Option<Refused>,
}

/// Who said no to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// The agent may not, whatever the rules say.
    ForTheAgent,
    Otherwise,
}

impl Shell {
    pub(super) fn of(started: &RunStarted) -> Option<Self> {
        let command = started.prompt.strip_prefix('!');
        let command = command.filter(|_| started.origin == RunOrigin::Shell)?;
        Some(Self {
            command: command.to_owned(),
            refused: None,
        })
    }

    fn input(&self) -> Value {
        serde_json::json!({ "command": self.command })
    }
}

impl Refused {
    fn of(result: &ToolResult) -> Self {
        let why = result.explanation.as_ref();
        match why.is_some_and(|why| why.reason.starts_with("the agent `")) {
            true => Self::ForTheAgent,
            false => Self::Otherwise,
        }
    }
}

impl Flow {
    pub(super) fn output(&mut self, delta: &ToolDelta) {
        let Some(running) = self
            .running
            .iter_mut()
            .find(|run| run.used.call == delta.call)
        else {
            return;
        };
        running.output.push_str(&delta.text);
        if delta.stream == ToolStream::Status {
            running.output.push('\n');
        }
        keep_end(&mut running.output, KEPT);
    }

    /// How high the window is: what is shown of an output goes by it.
    pub fn set_height(&mut self, rows: usize) {
        self.rows = rows;
    }

    pub(super) fn started(&mut self, used: &ToolUse, child: Option<String>, now: Instant) {
        self.forget(&used.call);
        self.running.push(Running {
            used: used.clone(),
            since: now,
            output: String::new(),
            child,
        });
    }

    fn forget(&mut self, call: &CallId) -> Option<ToolCallPart> {
        let at = self.asked.iter().position(|asked| asked.id == *call)?;
        Some(self.asked.remove(at))
    }

    /// What came of a call; `child` is the agent that made it, where that is not
    /// the first one.
    pub(super) fn result(
        &mut self,
        result: &ToolResult,
        agent: &str,
        child: Option<&str>,
        columns: usize,
    ) {
        let at = self
            .running
            .iter()
            .position(|running| running.used.call == result.call);
        // A call that was refused was never started: say which it was.
        let asked = match at {
            Some(_) => None,
            None => self.forget(&result.call),
        };
        self.refusals.ended(result, asked.as_ref(), agent);
        if form::is_call(&result.call) && result.name != UNREAD && boxes::fit(columns) {
            return self.result_in_box(result, at, asked.as_ref(), columns);
        }
        let mut place = None;
        let (name, input) = match (at, asked) {
            (Some(at), _) => {
                let used = self.running.remove(at).used;
                place = used.explanation.own_line;
                (used.name, used.input)
            }
            (None, Some(asked)) => {
                let input = serde_json::from_str(&asked.arguments).unwrap_or_default();
                (asked.name, input)
            }
            (None, None) => {
                let input = self.shell.as_ref().map(Shell::input);
                (result.name.clone(), input.unwrap_or_default())
            }
        };
        if let (CallStatus::Denied, Some(shell)) = (result.status, &mut self.shell) {
            shell.refused = Some(Refused::of(result));
        }
        if let Display::Todo { items } = &result.display {
            self.todo.clone_from(items);
            // The live area lists them while the run goes on.
            if self.fold == Fold::Folded && result.ending() == Ending::Done {
                self.tasks = Tasks::Told;
                self.begin(Block::Tool);
                return self.out.push(shapes::tasks_line(items, columns));
            }
        }
        if let (Fold::Folded, Some(look)) = (self.fold, Look::of_result(result)) {
            let said = shapes::said(result);
            let glance = Glance {
                look,
                name,
                input,
                said,
            };
            return self.looked(glance, child);
        }
        let result = self.answers.with_reason(result);
        let lines = match &self.shell {
            Some(_) => {
                let (input, rows) = (&input, self.rows);
                let own = OwnCommand { input, place, rows };
                shapes::own_command(&own, &result, self.fold, columns)
            }
            None => shapes::call(&name, &input, &result, self.fold, columns),
        };
        let body = lines.len() > 1;
        self.begin(Block::Tool);
        self.out.extend(lines);
        if body {
            self.last = Block::ToolBody;
        }
    }

    /// What a run leaves to do is listed at its end: the live area shows it no more.
    pub(super) fn leave_tasks(&mut self, columns: usize) {
        let told = std::mem::replace(&mut self.tasks, Tasks::Listed);
        let is_left = |item: &TodoItem| item.status != TodoStatus::Completed;
        if told == Tasks::Told && self.todo.iter().any(is_left) {
            self.begin(Block::ToolBody);
            self.out.extend(shapes::todo(&self.todo, columns));
        }
    }

    /// The call and what came of it, of a reply of the markdown dialect.
    fn result_in_box(
        &mut self,
        result: &ToolResult,
        at: Option<usize>,
        asked: Option<&ToolCallPart>,
        columns: usize,
    ) {
        let input = match (at, asked) {
            (Some(at), _) => self.running.remove(at).used.input,
            (None, Some(asked)) => serde_json::from_str(&asked.arguments).unwrap_or_default(),
            (None, None) => serde_json::Value::Null,
        };
        if let Display::Todo { items } = &result.display {
            self.todo.clone_from(items);
        }
        let result = self.answers.with_reason(result);
        self.boxed(boxes::tool(&result.name, &input, self.fold, columns));
        self.boxed(boxes::result(&result, self.fold, columns));
    }

    /// What another agent does for this one: its calls, not its words.
    pub(super) fn of_child(&mut self, event: &Event, columns: usize, now: Instant) {
        let inner = columns.saturating_sub(2).max(1);
        match &event.kind {
            EventKind::ToolUse(used) => self.started(used, Some(event.agent.clone()), now),
            EventKind::ToolDelta(delta) => self.output(delta),
            EventKind::ToolResult(_) | EventKind::Notice(_) => {
                let goes_on = match &event.kind {
                    EventKind::ToolResult(result) => Look::of_result(result).is_some(),
                    _ => false,
                };
                // Its line is set in by itself.
                if !goes_on || self.fold == Fold::Whole {
                    self.settle_looks();
                }
                let before = self.out.len();
                let agent = event.agent.as_str();
                match &event.kind {
                    EventKind::ToolResult(result) => {
                        self.result(result, agent, Some(agent), inner);
                    }
                    EventKind::Notice(notice) => self.notice(notice, inner),
                    _ => {}
                }
                if self.looks.is_some() {
                    return;
                }
                let lines = self.out.split_off(before);
                if lines.is_empty() {
                    return;
                }
                let name = self.name_of_child(agent);
                self.out.extend(shapes::indent(lines, 1, name));
                self.child = Some(event.agent.clone());
            }
            EventKind::RunFinished(_) => self.running.retain(|run| run.child.is_none()),
            _ => {}
        }
    }
}
