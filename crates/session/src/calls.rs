//! Which runs and calls are open. Every run, child runs too, because after a
//! crash each of them needs its results and its end. Knows no texts.

use tenon_vocab::{
    CallId, CallStatus, Cost, Event, EventKind, HistoryRef, Message, Role, RunId, Status,
    Timestamp, ToolUse, Usage,
};

/// A call that has no result yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCall {
    pub call: CallId,
    pub name: String,
    /// A `tool_use` was written: it may have had effects.
    pub started: bool,
}

/// A run without an end. Its figures count from the last snapshot on, because
/// a snapshot does not carry them; they serve only to close a run after a crash.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OpenRun {
    pub run: RunId,
    pub parent: Option<RunId>,
    pub agent: String,
    pub since: Timestamp,
    pub tally: Tally,
    at: HistoryRef,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub steps: u32,
    pub calls: u32,
    pub failed: u32,
    pub denied: u32,
    pub usage: Usage,
    pub cost: Option<Cost>,
}

/// What a result belonged to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Closed {
    /// With the seq of the message.
    CallOfMessage(u64),
    /// Started without a message of the model: a command typed by the user.
    CallOfItsOwn,
    Nothing,
}

#[derive(Debug, Clone, PartialEq)]
struct Group {
    run: Option<RunId>,
    parent: Option<RunId>,
    agent: String,
    /// The message that asked; none for a call of its own.
    message: Option<HistoryRef>,
    calls: Vec<Pending>,
}

#[derive(Debug, Clone, PartialEq)]
struct Pending {
    call: CallId,
    name: String,
    started: Option<HistoryRef>,
    result: Option<HistoryRef>,
}

/// An open call with what recovery needs to close it.
#[derive(Debug, Clone)]
pub(crate) struct Unresolved {
    pub run: Option<RunId>,
    pub parent: Option<RunId>,
    pub agent: String,
    pub open: OpenCall,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Calls {
    runs: Vec<OpenRun>,
    groups: Vec<Group>,
}

/// Whether the calls of a message are to be run: only whole messages that the
/// model will see again.
pub(crate) fn asks(message: &Message) -> bool {
    message.role == Role::Assistant && message.in_context && message.status == Status::Complete
}

impl Calls {
    pub fn apply(&mut self, event: &Event, at: HistoryRef) -> Closed {
        match &event.kind {
            EventKind::RunStarted(_) => self.start_run(event, at),
            EventKind::RunFinished(_) => self.runs.retain(|open| Some(open.run) != event.run),
            EventKind::Message(message) => self.ask(event, message, at),
            EventKind::ToolUse(used) => self.start(event, used, at),
            EventKind::ToolResult(result) => {
                self.tally(event.run, |tally| {
                    tally.calls = tally.calls.saturating_add(1);
                    if !result.ok {
                        tally.failed = tally.failed.saturating_add(1);
                    }
                    if result.status == CallStatus::Denied {
                        tally.denied = tally.denied.saturating_add(1);
                    }
                });
                return self.close(event.run, &result.call, at);
            }
            EventKind::Snapshot(_) => self.forget_tallies(),
            _ => {}
        }
        Closed::Nothing
    }

    fn start_run(&mut self, event: &Event, at: HistoryRef) {
        let Some(run) = event.run else { return };
        if self.runs.iter().any(|open| open.run == run) {
            return;
        }
        self.runs.push(OpenRun {
            run,
            parent: event.parent,
            agent: event.agent.clone(),
            since: event.ts,
            tally: Tally::default(),
            at,
        });
    }

    fn ask(&mut self, event: &Event, message: &Message, at: HistoryRef) {
        // A step is an answer of a model.
        if message.role == Role::Assistant && !message.is_of_shell() {
            self.tally(event.run, |tally| {
                tally.steps = tally.steps.saturating_add(1);
                if let Some(usage) = message.usage {
                    tally.usage += usage;
                }
                if let Some(cost) = message.cost {
                    *tally.cost.get_or_insert_default() += cost;
                }
            });
        }
        if !asks(message) {
            return;
        }
        let calls: Vec<Pending> = message
            .tool_calls()
            .map(|call| Pending {
                call: call.id.clone(),
                name: call.name.clone(),
                started: None,
                result: None,
            })
            .collect();
        if !calls.is_empty() {
            self.groups.push(Group {
                run: event.run,
                parent: event.parent,
                agent: event.agent.clone(),
                message: Some(at),
                calls,
            });
        }
    }

    /// To the newest message that waits for it, as its result will go. A second
    /// start of the same call tells nothing: given to an older message, it would
    /// be told apart from the first only by a record that a snapshot leaves out.
    fn start(&mut self, event: &Event, used: &ToolUse, at: HistoryRef) {
        let waiting = |pending: &Pending| pending.call == used.call && pending.result.is_none();
        let newest = self
            .groups
            .iter_mut()
            .rev()
            .find(|group| group.run == event.run && group.calls.iter().any(waiting));
        match newest {
            Some(group) => {
                let unstarted =
                    |pending: &&mut Pending| waiting(pending) && pending.started.is_none();
                if let Some(pending) = group.calls.iter_mut().find(unstarted) {
                    pending.started = Some(at);
                    pending.name.clone_from(&used.name);
                }
            }
            None => self.groups.push(Group {
                run: event.run,
                parent: event.parent,
                agent: event.agent.clone(),
                message: None,
                calls: vec![Pending {
                    call: used.call.clone(),
                    name: used.name.clone(),
                    started: Some(at),
                    result: None,
                }],
            }),
        }
    }

    /// Models reuse ids, so a result goes to the newest message that waits for it.
    fn close(&mut self, run: Option<RunId>, call: &CallId, at: HistoryRef) -> Closed {
        let waiting = |pending: &Pending| pending.call == *call && pending.result.is_none();
        let Some(index) = self
            .groups
            .iter()
            .rposition(|group| group.run == run && group.calls.iter().any(waiting))
        else {
            return Closed::Nothing;
        };
        let Some(group) = self.groups.get_mut(index) else {
            return Closed::Nothing;
        };
        if let Some(pending) = group.calls.iter_mut().find(|pending| waiting(pending)) {
            pending.result = Some(at);
        }
        let closed = match group.message {
            Some(message) => Closed::CallOfMessage(message.seq),
            None => Closed::CallOfItsOwn,
        };
        if group.calls.iter().all(|pending| pending.result.is_some()) {
            self.groups.remove(index);
        }
        closed
    }

    fn tally(&mut self, run: Option<RunId>, change: impl FnOnce(&mut Tally)) {
        if let Some(open) = self.runs.iter_mut().find(|open| Some(open.run) == run) {
            change(&mut open.tally);
        }
    }

    pub fn forget_tallies(&mut self) {
        for open in &mut self.runs {
            open.tally = Tally::default();
        }
    }

    /// Innermost first: a child ends before the run that it is a part of.
    pub fn runs_to_close(&self) -> impl Iterator<Item = &OpenRun> {
        self.runs.iter().rev()
    }

    /// The run that is not part of another.
    pub fn outer_run(&self) -> Option<RunId> {
        self.runs
            .iter()
            .find(|open| open.parent.is_none())
            .map(|open| open.run)
    }

    pub fn unresolved(&self) -> Vec<Unresolved> {
        self.open(|_| true)
    }

    /// Those that the model asked for in the session's own line of runs.
    pub fn of_messages(&self) -> Vec<OpenCall> {
        self.open(|group| group.message.is_some() && group.parent.is_none())
            .into_iter()
            .map(|unresolved| unresolved.open)
            .collect()
    }

    fn open(&self, wanted: impl Fn(&Group) -> bool) -> Vec<Unresolved> {
        let mut found = Vec::new();
        for group in self.groups.iter().filter(|group| wanted(group)) {
            for pending in group.calls.iter().filter(|call| call.result.is_none()) {
                found.push(Unresolved {
                    run: group.run,
                    parent: group.parent,
                    agent: group.agent.clone(),
                    open: OpenCall {
                        call: pending.call.clone(),
                        name: pending.name.clone(),
                        started: pending.started.is_some(),
                    },
                });
            }
        }
        found
    }

    /// The records from which all this can be built again.
    pub fn sources(&self) -> impl Iterator<Item = HistoryRef> {
        let runs = self.runs.iter().map(|open| open.at);
        let groups = self.groups.iter().flat_map(|group| {
            group.message.into_iter().chain(
                group
                    .calls
                    .iter()
                    .flat_map(|pending| pending.started.into_iter().chain(pending.result)),
            )
        });
        runs.chain(groups)
    }
}
