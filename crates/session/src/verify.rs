//! The invariants of a log, checked from the outside: what the writer promises
//! is counted again here from the records alone.

mod snapshots;

use crate::calls::{Calls, Closed};
use crate::record::moved_strings;
use crate::{Blobs, Reading, Record, SessionError};
use snapshots::Snapshots;
use std::collections::{HashMap, HashSet};
use std::fmt;
use tenon_vocab::{
    BlobRef, CallId, CallStatus, ContextChange, Event, EventKind, HistoryRef, ImageSource, Message,
    Part, QuestionId, RunId, SessionId, ToolResult,
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
///
/// # Errors
/// When the file cannot be read.
pub fn verify(reading: &Reading) -> Result<Vec<Finding>, SessionError> {
    let mut check = Check {
        session: reading.id,
        blobs: reading.blobs(),
        found: Vec::new(),
        more: 0,
        expected: Some(0),
        calls: Calls::default(),
        asked: HashSet::new(),
        runs: Vec::new(),
        finished: HashSet::new(),
        questions: HashMap::new(),
        content: HashSet::new(),
        kept_from: 0,
        snapshots: Snapshots::default(),
    };
    for (offset, reason) in &reading.damage.named {
        let message = format!("can't read the line at byte {offset}: {reason}");
        check.say(About::Lines, None, message);
    }
    match reading.damage.unnamed() {
        0 => {}
        more => check.say(
            About::Lines,
            None,
            format!("{more} more lines can't be read"),
        ),
    }
    for record in reading.records() {
        let record = record?;
        check.sequence(&record.event);
        check.event(&record.event);
        check.content(&record);
        let fault = check.snapshots.take(record.offset, record.event);
        if let Some((seq, fault)) = fault {
            check.say(About::Snapshots, Some(seq), fault);
        }
    }
    reading
        .virtual_tail
        .iter()
        .for_each(|event| check.event(event));
    check.ends();
    Ok(check.all())
}

/// What findings are about, in the order in which they are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum About {
    Lines,
    Sequence,
    Events,
    Content,
    Snapshots,
}

/// Findings that are told: in a file of nothing but faults the rest is counted.
const MOST: usize = 1_000;

struct Check {
    session: SessionId,
    blobs: Blobs,
    found: Vec<(About, Finding)>,
    more: usize,
    /// The seq that the next record must have; none once one had another.
    expected: Option<u64>,
    calls: Calls,
    /// The ids of all calls that a message asked for or that were started.
    asked: HashSet<CallId>,
    /// Open runs, the innermost last.
    runs: Vec<RunId>,
    finished: HashSet<RunId>,
    questions: HashMap<QuestionId, u32>,
    content: HashSet<BlobRef>,
    /// Before this a summary stands for the conversation.
    kept_from: u64,
    snapshots: Snapshots,
}

impl Check {
    fn say(&mut self, about: About, seq: Option<u64>, message: impl Into<String>) {
        if self.found.len() >= MOST {
            self.more += 1;
            return;
        }
        let message = message.into();
        self.found.push((about, Finding { seq, message }));
    }

    fn all(mut self) -> Vec<Finding> {
        self.found.sort_by_key(|(about, _)| *about);
        let mut all: Vec<Finding> = self.found.into_iter().map(|(_, finding)| finding).collect();
        if self.more > 0 {
            all.push(Finding {
                seq: None,
                message: format!("{} more faults are not listed", self.more),
            });
        }
        all
    }

    fn sequence(&mut self, event: &Event) {
        let Some(expected) = self.expected else {
            return;
        };
        let seq = Some(event.seq);
        if event.seq != expected {
            self.expected = None;
            let message = format!("is where record {expected} should be");
            self.say(About::Sequence, seq, message);
            return;
        }
        self.expected = expected.checked_add(1);
        if !event.is_durable() {
            let kind = event.kind.name();
            let message = format!("`{kind}` doesn't belong in a log");
            self.say(About::Sequence, seq, message);
        }
        if event.session != self.session {
            self.say(About::Sequence, seq, "belongs to another session");
        }
        if matches!(event.kind, EventKind::Meta(_)) != (expected == 0) {
            let message = "`meta` must be the first record, once";
            self.say(About::Sequence, seq, message);
        }
    }

    fn event(&mut self, event: &Event) {
        self.runs(event);
        self.calls(event);
        self.questions(event);
        self.back_references(event);
    }

    fn runs(&mut self, event: &Event) {
        let seq = Some(event.seq);
        match (&event.kind, event.run) {
            (EventKind::RunStarted(_), Some(run)) => {
                if self.runs.contains(&run) || self.finished.contains(&run) {
                    self.say(
                        About::Events,
                        seq,
                        format!("run {run} starts a second time"),
                    );
                    return;
                }
                match event.parent {
                    None if !self.runs.is_empty() => {
                        self.say(
                            About::Events,
                            seq,
                            format!("run {run} starts inside another run"),
                        );
                    }
                    Some(parent) if !self.runs.contains(&parent) => {
                        self.say(
                            About::Events,
                            seq,
                            format!("run {run} starts outside its parent"),
                        );
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
                    None => self.say(
                        About::Events,
                        seq,
                        format!("run {run} ends without being open"),
                    ),
                }
                if let Some(offset) = finished.snapshot
                    && !self.snapshots.stands_at(offset)
                {
                    self.say(
                        About::Events,
                        seq,
                        format!("there is no snapshot at byte {offset}"),
                    );
                }
            }
            (EventKind::RunStarted(_) | EventKind::RunFinished(_), None) => {
                self.say(About::Events, seq, "a run without an id");
            }
            _ => {}
        }
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
                About::Events,
                Some(event.seq),
                format!("a result for call {call}, which is not open"),
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
                    // Taken once more, for a later call that it was given for.
                    Some(1..) if answer.call.is_some() => return,
                    None => format!("an answer to {}, which was not asked", answer.question),
                    Some(answers) => {
                        *answers += 1;
                        if *answers == 1 {
                            return;
                        }
                        format!("a second answer to {}", answer.question)
                    }
                };
                self.say(About::Events, Some(event.seq), message);
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
                        "refers to record {}, which comes later",
                        compacted.kept_from
                    )
                })
            }
            EventKind::Context(ContextChange::Reverted(reverted)) => {
                let before = reverted.before;
                if before > event.seq {
                    Some(format!("drops record {before}, which comes later"))
                } else {
                    (before < self.kept_from)
                        .then(|| format!("drops record {before}, which a summary already replaced"))
                }
            }
            EventKind::Checkpoint(checkpoint) => checkpoint
                .to_seq
                .filter(|to| *to > event.seq)
                .map(|to| format!("restores files as of record {to}, which comes later")),
            _ => None,
        };
        if let Some(fault) = fault {
            self.say(About::Events, Some(event.seq), fault);
        }
    }

    fn ends(&mut self) {
        for call in self.calls.unresolved() {
            self.say(
                About::Events,
                None,
                format!("call {} has no result", call.open.call),
            );
        }
        for run in std::mem::take(&mut self.runs) {
            self.say(About::Events, None, format!("run {run} has no end"));
        }
    }

    fn content(&mut self, record: &Record) {
        let mut names = moved_strings(&record.line);
        names.extend(named_content(&record.event));
        for name in names {
            if !self.content.insert(name.clone()) {
                continue;
            }
            if let Err(error) = self.blobs.get(&name) {
                let seq = Some(record.event.seq);
                self.say(About::Content, seq, error.to_string());
            }
        }
    }
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
