//! Each snapshot must give the state that reading from the first line gives. Both
//! states are made of condensed events: for a long text stands its hash. So two
//! that differ still differ, and a conversation of gigabytes fits.

use crate::State;
use crate::blobs::hash;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use tenon_vocab::{
    ContextChange, Display, Envelope, Event, EventKind, HistoryRef, ImageSource, Message, Part,
    Snapshot,
};

/// Texts up to this stay as they are.
const SHORT: usize = 100;
/// Records that are held before those that no snapshot can name are let go.
const HELD: usize = 4_096;

#[derive(Debug, Default)]
pub(super) struct Snapshots {
    first: Option<Event>,
    state: Option<State>,
    /// What a snapshot may name, by its place.
    records: HashMap<u64, Event>,
    /// When so many are held they are looked through.
    full: usize,
    /// Where snapshots stand.
    places: HashSet<u64>,
}

impl Snapshots {
    pub fn stands_at(&self, offset: u64) -> bool {
        self.places.contains(&offset)
    }

    /// The next record; where it is a snapshot that does not hold, its seq and
    /// what is wrong.
    pub fn take(&mut self, offset: u64, event: Event) -> Option<(u64, String)> {
        let event = condensed(event);
        if self.first.is_none() {
            self.state = State::new(&event).ok();
            self.first = Some(event);
            return None;
        }
        let state = self.state.as_mut()?;
        state.apply(&event, offset);
        let mut fault = None;
        if let EventKind::Snapshot(snapshot) = &event.kind {
            self.places.insert(offset);
            fault = self.fault(offset, snapshot).map(|fault| (event.seq, fault));
        }
        let may_be_named = matches!(
            event.kind,
            EventKind::Message(_)
                | EventKind::ToolUse(_)
                | EventKind::ToolResult(_)
                | EventKind::RunStarted(_)
        );
        if may_be_named {
            self.records.insert(offset, event);
            self.let_go();
        }
        fault
    }

    /// What is given up is never named again.
    fn let_go(&mut self) {
        let Some(state) = self
            .state
            .as_ref()
            .filter(|_| self.records.len() > self.full.max(HELD))
        else {
            return;
        };
        let history = state.snapshot().history;
        let live: HashSet<u64> = history.iter().map(|at| at.offset).collect();
        self.records.retain(|offset, _| live.contains(offset));
        self.full = self.records.len() * 2;
    }

    fn fault(&self, offset: u64, snapshot: &Snapshot) -> Option<String> {
        let record = |at: HistoryRef| {
            let found = self.records.get(&at.offset);
            found.filter(|event| event.seq == at.seq)
        };
        if let Some(wrong) = snapshot.history.iter().find(|at| record(**at).is_none()) {
            return Some(format!(
                "the snapshot refers to record {} at byte {}, which does not exist",
                wrong.seq, wrong.offset
            ));
        }
        let first = self.first.as_ref()?;
        let restored = State::from_snapshot(first, offset, snapshot, |at| record(at).cloned());
        (restored != self.state)
            .then(|| String::from("the snapshot does not match the records before it"))
    }
}

/// The event with hashes in the place of long texts. The same text is always
/// replaced by the same, wherever it stands.
fn condensed(mut event: Event) -> Event {
    match &mut event.kind {
        EventKind::Message(message) => shorten_message(message),
        EventKind::ToolResult(result) => {
            shorten(&mut result.model_text);
            result.display = Display::Nothing;
            result.envelope = Envelope::Ok(Value::Null);
            result.explanation = None;
        }
        // What the user's own commands printed is told with their command.
        EventKind::ToolUse(used) => used.input = json!({"command": used.input["command"]}),
        EventKind::Context(ContextChange::Compacted(compacted)) => {
            for call in &mut compacted.pruned {
                shorten(&mut call.model_text);
            }
        }
        EventKind::Snapshot(snapshot) => {
            let pruned = snapshot.compacted.as_mut().map(|known| &mut known.pruned);
            for call in pruned.into_iter().flatten() {
                shorten(&mut call.model_text);
            }
            for note in &mut snapshot.shell {
                shorten(&mut note.text);
            }
        }
        _ => {}
    }
    event
}

fn shorten_message(message: &mut Message) {
    for part in &mut message.parts {
        match part {
            Part::Text { text } | Part::Reasoning { text, .. } | Part::ToolResult { text, .. } => {
                shorten(text);
            }
            Part::ToolCall(call) => shorten(&mut call.arguments),
            Part::Image { source, .. } => {
                if let ImageSource::Url(url) = source {
                    shorten(url);
                }
            }
            Part::Opaque { raw, .. } => {
                let mut text = raw.to_string();
                shorten(&mut text);
                *raw = Value::String(text);
            }
        }
    }
}

fn shorten(text: &mut String) {
    if text.len() > SHORT {
        *text = hash(text.as_bytes());
    }
}
