//! What is written for a program that ended without warning: the message it
//! was streaming, a result for each open call, and the end of its runs. Pure;
//! opening a session appends these events, showing one only looks at them.

use crate::calls::{Calls, OpenRun, Unresolved};
use crate::{Leftovers, State};
use tenon_vocab::{
    CallStatus, Display, Envelope, ErrorCode, Event, EventKind, Interrupted, Message, Origin,
    Outcome, Part, Role, RunFinished, RunId, SessionId, Status, Timestamp, ToolError, ToolResult,
};

/// Why something has no end in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    Crash,
    /// A copy was cut here; where it was made from, things may have gone on.
    Fork,
}

impl Cause {
    fn name(self) -> &'static str {
        match self {
            Self::Crash => Interrupted::CRASH,
            Self::Fork => Interrupted::FORK,
        }
    }

    fn reason(self) -> &'static str {
        match self {
            Self::Crash => "Tenon ended unexpectedly",
            Self::Fork => "the copy was cut here",
        }
    }

    fn unknown(self) -> &'static str {
        match self {
            Self::Crash => "Tenon ended while this ran; check its effects before you continue",
            Self::Fork => {
                "the copy of the session was cut while this ran; check its effects before you \
                 continue"
            }
        }
    }

    fn not_started(self) -> &'static str {
        match self {
            Self::Crash => "Tenon ended before this started; nothing was done",
            Self::Fork => {
                "the copy of the session was cut before this started; check the files before you \
                 rely on them"
            }
        }
    }
}

/// The events that make a log whole again, numbered from `next_seq`. None when
/// nothing is open.
#[must_use]
pub fn recovery_events(
    state: &State,
    left: &Leftovers,
    next_seq: u64,
    now: Timestamp,
) -> Vec<Event> {
    closing_events(state.open(), left, next_seq, now, Cause::Crash)
}

/// What of a session has no end yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Open<'a> {
    pub session: SessionId,
    pub calls: &'a Calls,
    pub last_snapshot: Option<u64>,
}

/// The same for any cause.
pub(crate) fn closing_events(
    open: Open<'_>,
    left: &Leftovers,
    next_seq: u64,
    now: Timestamp,
    cause: Cause,
) -> Vec<Event> {
    let mut recovery = Recovery {
        open,
        left,
        now,
        cause,
        seq: next_seq,
        events: Vec::new(),
    };
    let unresolved = open.calls.unresolved();
    for run in open.calls.runs_to_close() {
        recovery.close_run(run, &unresolved);
    }
    recovery.close_strays(&unresolved);
    recovery.events
}

struct Recovery<'a> {
    open: Open<'a>,
    left: &'a Leftovers,
    now: Timestamp,
    cause: Cause,
    seq: u64,
    events: Vec<Event>,
}

/// Who an event is by.
#[derive(Clone, Copy)]
struct By<'a> {
    run: Option<RunId>,
    parent: Option<RunId>,
    agent: &'a str,
}

impl Recovery<'_> {
    fn push(&mut self, by: By<'_>, kind: impl Into<EventKind>) {
        self.events.push(Event {
            seq: self.seq,
            sub: None,
            ts: self.now,
            session: self.open.session,
            run: by.run,
            parent: by.parent,
            agent: by.agent.to_owned(),
            kind: kind.into(),
        });
        self.seq += 1;
    }

    fn close_run(&mut self, open: &OpenRun, unresolved: &[Unresolved]) {
        let by = By {
            run: Some(open.run),
            parent: open.parent,
            agent: &open.agent,
        };
        let mut closed = 0;
        for call in unresolved.iter().filter(|call| call.run == by.run) {
            self.close_call(call);
            closed += 1;
        }
        for (run, parts) in self.left.messages() {
            if run == open.run {
                self.close_message(by, parts);
            }
        }
        let interrupted = Interrupted {
            by: self.cause.name().to_owned(),
        };
        self.push(by, interrupted);
        let tally = open.tally;
        let elapsed = self.now.duration_since(open.since).as_millis();
        let finished = RunFinished {
            outcome: Outcome::Interrupted,
            reason: Some(self.cause.reason().to_owned()),
            steps: tally.steps,
            calls: tally.calls.saturating_add(closed),
            failed_calls: tally.failed.saturating_add(closed),
            denied_calls: tally.denied,
            usage: tally.usage,
            cost: tally.cost,
            duration_ms: u64::try_from(elapsed).unwrap_or(0),
            snapshot: self.open.last_snapshot,
        };
        self.push(by, finished);
    }

    /// Calls and messages whose run is not open, or that have none: in a log
    /// that another program wrote. They too must not stay without an end.
    fn close_strays(&mut self, unresolved: &[Unresolved]) {
        let open: Vec<RunId> = self.open.calls.runs_to_close().map(|o| o.run).collect();
        let is_open = |run: Option<RunId>| run.is_some_and(|run| open.contains(&run));
        for call in unresolved.iter().filter(|call| !is_open(call.run)) {
            self.close_call(call);
        }
        for (run, parts) in self.left.messages() {
            if !is_open(Some(run)) {
                let by = By {
                    run: Some(run),
                    parent: None,
                    agent: "",
                };
                self.close_message(by, parts);
            }
        }
    }

    fn close_message(&mut self, by: By<'_>, parts: Vec<Part>) {
        if parts.is_empty() {
            return;
        }
        let mut message = Message::new(Role::Assistant, Origin::Model, parts);
        message.status = Status::Broken;
        message.in_context = !message.text().trim().is_empty();
        self.push(by, message);
    }

    fn close_call(&mut self, call: &Unresolved) {
        let (status, code, message) = if call.open.started {
            (
                CallStatus::UnknownOutcome,
                ErrorCode::UnknownOutcome,
                self.cause.unknown(),
            )
        } else {
            (
                CallStatus::NotStarted,
                ErrorCode::NotStarted,
                self.cause.not_started(),
            )
        };
        let mut model_text = format!("error: {}: {message}", code.name());
        let mut body = String::new();
        if let Some(output) = self.left.output(call.run, &call.open.call) {
            if output.left_out > 0 {
                body = format!("[{} earlier bytes left out]\n", output.left_out);
            }
            body.push_str(&output.text);
            model_text.push_str("\nOutput until then:\n");
            model_text.push_str(&body);
        }
        let result = ToolResult {
            call: call.open.call.clone(),
            name: call.open.name.clone(),
            ok: false,
            status,
            envelope: Envelope::Err(ToolError {
                code,
                message: message.to_owned(),
                details: None,
            }),
            model_text,
            display: Display::Text {
                summary: message.to_owned(),
                body,
            },
            duration_ms: 0,
            reads: Vec::new(),
            images: Vec::new(),
            sandbox: None,
            explanation: None,
        };
        let by = By {
            run: call.run,
            parent: call.parent,
            agent: &call.agent,
        };
        self.push(by, result);
    }
}
