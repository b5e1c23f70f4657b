//! The invariants of a log, checked from the outside: what the writer promises
//! is counted again here from the records alone.

use crate::Loaded;
use crate::calls::{Calls, Closed};
use crate::record::moved_strings;
use crate::state::State;
use std::collections::{HashMap, HashSet};
use std::fmt;
use tenon_vocab::{
    BlobRef, CallId, CallStatus, ContextChange, Event, EventKind, HistoryRef, ImageSource, Message,
    Part, QuestionId, RunId, Snapshot, ToolResult,
};

/// One thing that is not as it must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Of the record, where it is one record's fault.
    pub seq: Option<u64>,
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.seq {
            Some(seq) => write!(f, "record {seq}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// All that is wrong with a log; empty when it is whole. A torn last line and
/// an unfinished last run are what a kill leaves, and are not wrong: opening the
/// session repairs both.
#[must_use]
pub fn verify(loaded: &Loaded) -> Vec<Finding> {
    let mut check = Check {
        loaded,
        found: Vec::new(),
        calls: Calls::default(),
        asked: HashSet::new(),
        runs: Vec::new(),
        finished: HashSet::new(),
        questions: HashMap::new(),
        blobs: HashSet::new(),
        kept_from: 0,
    };
    for (offset, reason) in &loaded.damage {
        check.say(
            None,
            format!("the line at byte {offset} cannot be read: {reason}"),
        );
    }
    check.sequence();
    for event in loaded.events() {
        check.runs(event);
        check.calls(event);
        check.questions(event);
        check.back_references(event);
    }
    check.ends();
    check.content();
    check.snapshots();
    check.found
}

struct Check<'a> {
    loaded: &'a Loaded,
    found: Vec<Finding>,
    calls: Calls,
    /// The ids of all calls that a message asked for or that were started.
    asked: HashSet<CallId>,
    /// Open runs, the innermost last.
    runs: Vec<RunId>,
    finished: HashSet<RunId>,
    questions: HashMap<QuestionId, u32>,
    blobs: HashSet<BlobRef>,
    /// Before this a summary stands for the conversation.
    kept_from: u64,
}

impl Check<'_> {
    fn say(&mut self, seq: Option<u64>, message: impl Into<String>) {
        self.found.push(Finding {
            seq,
            message: message.into(),
        });
    }

    fn sequence(&mut self) {
        for (expected, record) in (0_u64..).zip(&self.loaded.records) {
            let event = &record.event;
            if event.seq != expected {
                self.say(
                    Some(event.seq),
                    format!("stands where record {expected} should be"),
                );
                return;
            }
            if !event.is_durable() {
                let kind = event.kind.name();
                self.say(
                    Some(event.seq),
                    format!("`{kind}` does not belong in a log"),
                );
            }
            if event.session != self.loaded.id {
                self.say(Some(event.seq), "belongs to another session");
            }
            if matches!(event.kind, EventKind::Meta(_)) != (expected == 0) {
                self.say(Some(event.seq), "`meta` must be the first record, once");
            }
        }
    }

    fn runs(&mut self, event: &Event) {
        let seq = Some(event.seq);
        match (&event.kind, event.run) {
            (EventKind::RunStarted(_), Some(run)) => {
                if self.runs.contains(&run) || self.finished.contains(&run) {
                    self.say(seq, format!("run {run} starts a second time"));
                    return;
                }
                match event.parent {
                    None if !self.runs.is_empty() => {
                        self.say(seq, format!("run {run} starts inside another run"));
                    }
                    Some(parent) if !self.runs.contains(&parent) => {
                        self.say(seq, format!("run {run} starts outside of its parent"));
                    }
                    _ => {}
                }
                self.runs.push(run);
            }
            (EventKind::RunFinished(finished), Some(run)) => {
                match self.runs.iter().rposition(|open| *open == run) {
                    Some(index) => {
                        self.runs.remove(index);
                        self.finished.insert(run);
                    }
                    None => self.say(seq, format!("run {run} ends without being open")),
                }
                if let Some(offset) = finished.snapshot
                    && !self.is_snapshot(offset)
                {
                    self.say(seq, format!("there is no snapshot at byte {offset}"));
                }
            }
            (EventKind::RunStarted(_) | EventKind::RunFinished(_), None) => {
                self.say(seq, "a run without an id");
            }
            _ => {}
        }
    }

    fn is_snapshot(&self, offset: u64) -> bool {
        self.loaded.records.iter().any(|record| {
            record.offset == offset && matches!(record.event.kind, EventKind::Snapshot(_))
        })
    }

    fn calls(&mut self, event: &Event) {
        let at = HistoryRef {
            seq: event.seq,
            offset: 0,
        };
        match &event.kind {
            EventKind::Message(message) => {
                let ids = message.tool_calls().map(|call| call.id.clone());
                self.asked.extend(ids);
            }
            EventKind::ToolUse(used) => {
                self.asked.insert(used.call.clone());
            }
            _ => {}
        }
        let closed = self.calls.apply(event, at);
        // A line of the user's own that is refused has a result and nothing else.
        let refused = |result: &ToolResult| {
            result.status == CallStatus::Denied && !self.asked.contains(&result.call)
        };
        if let EventKind::ToolResult(result) = &event.kind
            && closed == Closed::Nothing
            && !refused(result)
        {
            let CallId(call) = &result.call;
            self.say(
                Some(event.seq),
                format!("a result for call {call}, which nobody waits for"),
            );
        }
    }

    fn questions(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Question(question) => {
                self.questions.insert(question.id.clone(), 0);
            }
            EventKind::Answer(answer) => {
                let message = match self.questions.get_mut(&answer.question) {
                    None => format!("an answer to {}, which was not asked", answer.question),
                    Some(answers) => {
                        *answers += 1;
                        if *answers == 1 {
                            return;
                        }
                        format!("a second answer to {}", answer.question)
                    }
                };
                self.say(Some(event.seq), message);
            }
            _ => {}
        }
    }

    /// What a record says of earlier ones must be about earlier ones.
    fn back_references(&mut self, event: &Event) {
        let fault = match &event.kind {
            EventKind::Context(ContextChange::Compacted(compacted)) => {
                let later = compacted.kept_from > event.seq;
                if event.parent.is_none() && !later {
                    self.kept_from = self.kept_from.max(compacted.kept_from);
                }
                later.then(|| {
                    format!(
                        "keeps from record {}, which comes later",
                        compacted.kept_from
                    )
                })
            }
            EventKind::Context(ContextChange::Reverted(reverted)) => {
                let before = reverted.before;
                if before > event.seq {
                    Some(format!("gives up record {before}, which comes later"))
                } else {
                    (before < self.kept_from).then(|| {
                        format!("gives up record {before}, for which a summary stands already")
                    })
                }
            }
            EventKind::Checkpoint(checkpoint) => checkpoint
                .to_seq
                .filter(|to| *to > event.seq)
                .map(|to| format!("takes the files to record {to}, which comes later")),
            _ => None,
        };
        if let Some(fault) = fault {
            self.say(Some(event.seq), fault);
        }
    }

    fn ends(&mut self) {
        for call in self.calls.unresolved() {
            self.say(None, format!("call {} has no result", call.open.call));
        }
        for run in std::mem::take(&mut self.runs) {
            self.say(None, format!("run {run} has no end"));
        }
    }

    fn content(&mut self) {
        for record in &self.loaded.records {
            let mut names = moved_strings(&record.line);
            names.extend(named_content(&record.event));
            for name in names {
                if !self.blobs.insert(name.clone()) {
                    continue;
                }
                if let Err(error) = self.loaded.blobs.get(&name) {
                    self.say(Some(record.event.seq), error.to_string());
                }
            }
        }
    }

    /// Each snapshot must give the state that reading from the first line gives.
    fn snapshots(&mut self) {
        let Some((first, rest)) = self.loaded.records.split_first() else {
            return;
        };
        let Ok(mut state) = State::new(&first.event) else {
            return;
        };
        let by_offset: HashMap<u64, &Event> = self
            .loaded
            .records
            .iter()
            .map(|record| (record.offset, &record.event))
            .collect();
        for record in rest {
            state.apply(&record.event, record.offset);
            if let EventKind::Snapshot(snapshot) = &record.event.kind {
                let fault =
                    snapshot_fault(&first.event, record.offset, snapshot, &state, &by_offset);
                if let Some(fault) = fault {
                    self.say(Some(record.event.seq), fault);
                }
            }
        }
    }
}

fn snapshot_fault(
    first: &Event,
    offset: u64,
    snapshot: &Snapshot,
    expected: &State,
    by_offset: &HashMap<u64, &Event>,
) -> Option<String> {
    let record = |at: HistoryRef| {
        by_offset
            .get(&at.offset)
            .filter(|event| event.seq == at.seq)
    };
    if let Some(wrong) = snapshot.history.iter().find(|at| record(**at).is_none()) {
        return Some(format!(
            "the snapshot names record {} at byte {}, which is not there",
            wrong.seq, wrong.offset
        ));
    }
    let restored = State::from_snapshot(first, offset, snapshot, |at| {
        record(at).map(|e| (*e).clone())
    });
    (restored.as_ref() != Some(expected))
        .then(|| String::from("the snapshot gives another state than the records before it"))
}

/// Content that an event names in fields of its own.
pub(crate) fn named_content(event: &Event) -> Vec<BlobRef> {
    match &event.kind {
        EventKind::Message(message) => images(message),
        EventKind::ToolResult(result) => {
            result.images.iter().map(|(name, _)| name.clone()).collect()
        }
        EventKind::Context(ContextChange::Compiled(compiled)) => {
            let mut kept = vec![compiled.system.clone(), compiled.tools.clone()];
            kept.extend(compiled.fragments.clone());
            kept
        }
        EventKind::Checkpoint(checkpoint) => checkpoint
            .files
            .iter()
            .filter_map(|file| file.before.clone())
            .collect(),
        _ => Vec::new(),
    }
}

fn images(message: &Message) -> Vec<BlobRef> {
    message
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Image {
                source: ImageSource::Blob(name),
                ..
            } => Some(name.clone()),
            _ => None,
        })
        .collect()
}
