//! The projection: everything that can be known of a session from its log.
//! The engine applies each event as it writes it, and opening a log applies
//! the same events, so going on after a stop cannot differ from going on.

use crate::SessionError;
use crate::calls::{Calls, Closed, OpenCall};
use crate::changes::Changes;
use crate::history::{History, result_message};
use crate::recover::Open;
use crate::shell::ShellNotes;
use crate::totals::Totals;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use tenon_vocab::{
    CallId, Checkpoint, CheckpointAction, Compacted, Compiled, ContextChange, Cost, Event,
    EventKind, FileHash, HistoryRef, Message, Meta, ModelTotals, Part, PrunedCall, Role, RunId,
    Settings, ShellNote, Snapshot, TodoItem, UndoState, Usage,
};

#[derive(Debug, Clone, PartialEq)]
pub struct State {
    meta: Meta,
    pub(crate) totals: Totals,
    compiled: Option<Compiled>,
    compacted: Option<Compacted>,
    todo: Vec<TodoItem>,
    reads: BTreeMap<String, Known>,
    checkpoint_head: Option<u64>,
    changes: Changes,
    last_snapshot: Option<u64>,
    pub(crate) calls: Calls,
    shell: ShellNotes,
    history: History,
    /// What the history was made from, in the order of the log.
    sources: Vec<Source>,
}

/// What a file held when it was last read or written, and where that is told.
#[derive(Debug, Clone, PartialEq)]
struct Known {
    sha256: String,
    seq: u64,
}

#[derive(Debug, Clone, PartialEq)]
struct Source {
    at: HistoryRef,
    run: Option<RunId>,
    message: Arc<Message>,
    /// For a result: the seq of the message that asked for it.
    asked_at: Option<u64>,
    pruned: bool,
}

/// One message or result that the model still sees.
#[derive(Debug, Clone, Copy)]
pub struct Live<'a> {
    pub seq: u64,
    /// Where its record stands in the file.
    pub offset: u64,
    pub run: Option<RunId>,
    pub message: &'a Arc<Message>,
    /// For a result: the seq of the message that asked for it.
    pub asked_at: Option<u64>,
    /// Its text has already been replaced by a compaction.
    pub pruned: bool,
}

impl State {
    /// The state after the first event.
    ///
    /// # Errors
    /// When the event is no `meta` with seq 0.
    pub fn new(first: &Event) -> Result<Self, SessionError> {
        match &first.kind {
            EventKind::Meta(meta) if first.seq == 0 => Ok(Self {
                meta: meta.clone(),
                totals: Totals::default(),
                compiled: None,
                compacted: None,
                todo: Vec::new(),
                reads: BTreeMap::new(),
                checkpoint_head: None,
                changes: Changes::default(),
                last_snapshot: None,
                calls: Calls::default(),
                shell: ShellNotes::default(),
                history: History::default(),
                sources: Vec::new(),
            }),
            _ => Err(SessionError::not_meta(first)),
        }
    }

    /// Takes one durable event in. `offset` is where it stands in the file.
    pub fn apply(&mut self, event: &Event, offset: u64) {
        let at = HistoryRef {
            seq: event.seq,
            offset,
        };
        self.totals.apply(event);
        self.shell.apply(event);
        self.changes.apply(event, at);
        self.place(event, at);
        match &event.kind {
            EventKind::ToolResult(result) => {
                for read in &result.reads {
                    let known = Known {
                        sha256: read.sha256.clone(),
                        seq: event.seq,
                    };
                    self.reads.insert(read.path.clone(), known);
                }
            }
            EventKind::Snapshot(_) => self.last_snapshot = Some(offset),
            EventKind::Checkpoint(checkpoint) => self.move_head(event.seq, checkpoint),
            // The lists and prefixes of child runs are their own.
            _ if event.parent.is_some() => {}
            EventKind::Context(ContextChange::Compiled(compiled)) => {
                self.compiled = Some(compiled.clone());
            }
            EventKind::Context(ContextChange::Compacted(compacted)) => self.compact(compacted),
            EventKind::Context(ContextChange::Reverted(reverted)) => self.revert(reverted.before),
            EventKind::Todo(todo) => self.todo.clone_from(&todo.items),
            _ => {}
        }
    }

    /// The part of applying that a snapshot leaves to the records it names.
    fn place(&mut self, event: &Event, at: HistoryRef) {
        let closed = self.calls.apply(event, at);
        if event.parent.is_some() || at.seq < self.kept_from() {
            return;
        }
        let (message, asked_at) = match (&event.kind, closed) {
            (EventKind::Message(message), _)
                if message.in_context && message.role != Role::Tool =>
            {
                (message.clone(), None)
            }
            (EventKind::ToolResult(result), Closed::CallOfMessage(asked_at))
                if asked_at >= self.kept_from() =>
            {
                (result_message(result), Some(asked_at))
            }
            _ => return,
        };
        let message = Arc::new(message);
        self.history.push(event.run, &message);
        self.sources.push(Source {
            at,
            run: event.run,
            message,
            asked_at,
            pruned: false,
        });
    }

    fn move_head(&mut self, seq: u64, checkpoint: &Checkpoint) {
        self.checkpoint_head = match checkpoint.action {
            CheckpointAction::Saved => Some(seq),
            _ => checkpoint.to_seq,
        };
    }

    fn kept_from(&self) -> u64 {
        self.compacted
            .as_ref()
            .map_or(0, |compacted| compacted.kept_from)
    }

    fn compact(&mut self, change: &Compacted) {
        let mut next = change.clone();
        if let Some(before) = &self.compacted {
            // What was given up does not come back, and pruning alone gives no
            // new summary: the old one stands.
            next.kept_from = next.kept_from.max(before.kept_from);
            if next.summary.is_empty() {
                next.summary.clone_from(&before.summary);
                next.recap = next.recap.or_else(|| before.recap.clone());
            }
        }
        // A result goes with the message that asked for it.
        self.sources
            .retain(|source| source.asked_at.unwrap_or(source.at.seq) >= next.kept_from);
        self.prune(&next.pruned);
        next.pruned = Vec::new();
        self.compacted = Some(next);
        self.project();
    }

    /// Gives up what the model saw from here on. A result stands after the
    /// message that asked for it, so both go or both stay.
    fn revert(&mut self, before: u64) {
        // What the model read there it has not seen any more.
        self.reads.retain(|_, known| known.seq < before);
        self.sources
            .retain(|source| source.asked_at.unwrap_or(source.at.seq) < before);
        self.project();
    }

    /// Ids may come twice in a log: the first entry for an id is for the first
    /// result with it, the second for the second.
    fn prune(&mut self, pruned: &[PrunedCall]) {
        let mut texts: BTreeMap<&CallId, VecDeque<&str>> = BTreeMap::new();
        for call in pruned {
            texts
                .entry(&call.call)
                .or_default()
                .push_back(&call.model_text);
        }
        for source in &mut self.sources {
            let Some(text) = result_call(&source.message)
                .and_then(|call| texts.get_mut(call))
                .and_then(VecDeque::pop_front)
            else {
                continue;
            };
            if text_of_result(&source.message) == Some(text) {
                continue;
            }
            let mut message = Message::clone(&source.message);
            // Pruned means gone: the pictures of the result go with its text.
            message.parts.truncate(1);
            if let Some(Part::ToolResult { text: shown, .. }) = message.parts.first_mut() {
                text.clone_into(shown);
            }
            source.message = Arc::new(message);
            source.pruned = true;
        }
    }

    /// Makes the history anew from its sources.
    fn project(&mut self) {
        let summary = self
            .compacted
            .as_ref()
            .map_or("", |compacted| compacted.summary.as_str());
        let changes = u64::from(self.totals.compactions) + u64::from(self.totals.reverts);
        let mut history = History::after_compaction(changes, summary);
        for source in &self.sources {
            history.push(source.run, &source.message);
        }
        self.history = history;
    }

    pub(crate) fn open(&self) -> Open<'_> {
        Open {
            session: self.meta.id,
            calls: &self.calls,
            last_snapshot: self.last_snapshot,
        }
    }

    #[must_use]
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    #[must_use]
    pub fn settings(&self) -> Option<&Settings> {
        self.totals.settings.as_ref()
    }

    #[must_use]
    pub fn compiled(&self) -> Option<&Compiled> {
        self.compiled.as_ref()
    }

    /// The last compaction, with the summary that stands before the history.
    #[must_use]
    pub fn compacted(&self) -> Option<&Compacted> {
        self.compacted.as_ref()
    }

    /// What the history is made of, in the order of the log: where a compaction
    /// may cut, and what it may shorten.
    pub fn live(&self) -> impl Iterator<Item = Live<'_>> {
        self.sources.iter().map(|source| Live {
            seq: source.at.seq,
            offset: source.at.offset,
            run: source.run,
            message: &source.message,
            asked_at: source.asked_at,
            pruned: source.pruned,
        })
    }

    #[must_use]
    pub fn todo(&self) -> &[TodoItem] {
        &self.todo
    }

    #[must_use]
    pub fn usage(&self) -> Usage {
        self.totals.usage
    }

    /// What the session has cost; `None` where no price is known.
    #[must_use]
    pub fn cost(&self) -> Option<Cost> {
        self.totals.cost()
    }

    /// Usage and cost by model, in the order of their first use.
    #[must_use]
    pub fn by_model(&self) -> &[ModelTotals] {
        &self.totals.models
    }

    #[must_use]
    pub fn runs(&self) -> u32 {
        self.totals.runs
    }

    #[must_use]
    pub fn compactions(&self) -> u32 {
        self.totals.compactions
    }

    #[must_use]
    pub fn first_prompt(&self) -> &str {
        &self.totals.prompt
    }

    /// The checkpoint that the files stand at.
    #[must_use]
    pub fn checkpoint_head(&self) -> Option<u64> {
        self.checkpoint_head
    }

    /// Path and hash of each file as it was last read or written.
    pub fn reads(&self) -> impl Iterator<Item = (&str, &str)> {
        self.reads
            .iter()
            .map(|(path, known)| (path.as_str(), known.sha256.as_str()))
    }

    /// What of the files can be taken back, and given again.
    #[must_use]
    pub fn undo(&self) -> &UndoState {
        self.changes.get()
    }

    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Calls that the model asked for and that have no result, in order.
    #[must_use]
    pub fn open_calls(&self) -> Vec<OpenCall> {
        self.calls.of_messages()
    }

    /// The run that was started and not finished; of child runs, the outermost.
    #[must_use]
    pub fn open_run(&self) -> Option<RunId> {
        self.calls.outer_run()
    }

    /// Where the last snapshot stands, for `run_finished`.
    #[must_use]
    pub fn last_snapshot(&self) -> Option<u64> {
        self.last_snapshot
    }

    /// What the user's own commands printed since the last prompt.
    #[must_use]
    pub fn shell_notes(&self) -> &[ShellNote] {
        self.shell.all()
    }

    /// All that is needed to go on from here. `history` names the records of
    /// the live history, and those of what is open: runs, their unfinished
    /// messages, started calls.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let mut history: Vec<HistoryRef> = self
            .sources
            .iter()
            .map(|source| source.at)
            .chain(self.calls.sources())
            .collect();
        history.sort_by_key(|at| at.seq);
        history.dedup_by_key(|at| at.seq);
        let mut compacted = self.compacted.clone();
        if let Some(compacted) = &mut compacted {
            compacted.pruned = self.pruned();
        }
        Snapshot {
            settings: self.totals.settings.clone(),
            compiled: self.compiled.clone().map(Box::new),
            compacted: compacted.map(Box::new),
            todo: self.todo.clone(),
            usage: self.totals.usage,
            models: self.totals.models.clone(),
            runs: self.totals.runs,
            compactions: self.totals.compactions,
            reverts: self.totals.reverts,
            prompt: self.totals.prompt.clone(),
            checkpoint_head: self.checkpoint_head,
            undo: self.changes.kept(),
            reads: self
                .reads()
                .map(|(path, sha256)| FileHash {
                    path: path.to_owned(),
                    sha256: sha256.to_owned(),
                })
                .collect(),
            reads_at: self.reads.values().map(|known| known.seq).collect(),
            shell: self.shell.all().to_vec(),
            history,
        }
    }

    /// What [`Self::prune`] needs to give the same texts to the same results.
    fn pruned(&self) -> Vec<PrunedCall> {
        let mut last = BTreeMap::new();
        for (index, source) in self.sources.iter().enumerate() {
            if let Some(call) = result_call(&source.message).filter(|_| source.pruned) {
                last.insert(call, index);
            }
        }
        let mut pruned = Vec::new();
        for (index, source) in self.sources.iter().enumerate() {
            if let Some(Part::ToolResult { call, text, .. }) = source.message.parts.first()
                && last.get(call).is_some_and(|last| index <= *last)
            {
                pruned.push(PrunedCall {
                    call: call.clone(),
                    model_text: text.clone(),
                });
            }
        }
        pruned
    }

    /// The state as of a snapshot. `fetch` gives the record at a reference;
    /// `None` when one is missing or is not the one that was meant.
    pub fn from_snapshot(
        first: &Event,
        at: u64,
        snapshot: &Snapshot,
        mut fetch: impl FnMut(HistoryRef) -> Option<Event>,
    ) -> Option<Self> {
        let mut state = Self::new(first).ok()?;
        state.totals = Totals {
            settings: snapshot.settings.clone(),
            prompt: snapshot.prompt.clone(),
            runs: snapshot.runs,
            compactions: snapshot.compactions,
            reverts: snapshot.reverts,
            usage: snapshot.usage,
            models: snapshot.models.clone(),
        };
        state.compiled = snapshot.compiled.as_deref().cloned();
        state.todo.clone_from(&snapshot.todo);
        state.checkpoint_head = snapshot.checkpoint_head;
        state.changes = Changes::restored(snapshot.undo.as_deref());
        state.shell = ShellNotes::restored(snapshot.shell.clone());
        state.reads = snapshot
            .reads
            .iter()
            // Where it is not told, any revert makes it unknown.
            .zip(
                snapshot
                    .reads_at
                    .iter()
                    .copied()
                    .chain(std::iter::repeat(u64::MAX)),
            )
            .map(|(read, seq)| {
                let known = Known {
                    sha256: read.sha256.clone(),
                    seq,
                };
                (read.path.clone(), known)
            })
            .collect();
        let mut compacted = snapshot.compacted.as_deref().cloned();
        let pruned = compacted
            .as_mut()
            .map(|compacted| std::mem::take(&mut compacted.pruned))
            .unwrap_or_default();
        state.compacted = compacted;
        for reference in &snapshot.history {
            let event = fetch(*reference).filter(|event| event.seq == reference.seq)?;
            state.place(&event, *reference);
        }
        state.prune(&pruned);
        state.project();
        state.calls.forget_tallies();
        state.last_snapshot = Some(at);
        Some(state)
    }
}

fn text_of_result(message: &Message) -> Option<&str> {
    match message.parts.first() {
        Some(Part::ToolResult { text, .. }) => Some(text),
        _ => None,
    }
}

fn result_call(message: &Message) -> Option<&CallId> {
    match message.parts.first() {
        Some(Part::ToolResult { call, .. }) => Some(call),
        _ => None,
    }
}
