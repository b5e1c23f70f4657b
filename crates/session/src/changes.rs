//! Which runs changed files, in what order, and what of it was taken back: the
//! places of the records, so that an undo after a resume reads those and not the
//! log. Contents and files are not its matter.

use tenon_vocab::{
    ChangedRun, Checkpoint, CheckpointAction, ContextChange, Event, EventKind, FilesMoved,
    HistoryRef, Role, RunId, TakenBack, UndoState,
};

/// Records that are remembered; the oldest runs are forgotten first, and never
/// the newest one.
const RECORDS: usize = 10_000;
/// What the model is told of at once, and the names of each.
const MOVES: usize = 20;
const NAMES: usize = 50;

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Changes {
    state: UndoState,
    /// Records in `state.done`.
    held: usize,
}

impl Changes {
    pub(crate) fn restored(state: Option<&UndoState>) -> Self {
        let state = state.cloned().unwrap_or_default();
        let held = state.done.iter().map(|run| run.at.len()).sum();
        Self { state, held }
    }

    pub(crate) fn get(&self) -> &UndoState {
        &self.state
    }

    /// For a snapshot; nothing where there is nothing.
    pub(crate) fn kept(&self) -> Option<Box<UndoState>> {
        (self.state != UndoState::default()).then(|| Box::new(self.state.clone()))
    }

    pub(crate) fn apply(&mut self, event: &Event, at: HistoryRef) {
        match &event.kind {
            EventKind::Checkpoint(checkpoint) => {
                // The run of a child agent is a part of the run that asked for it.
                let run = event.parent.or(event.run);
                self.checkpoint(run, checkpoint, at);
            }
            EventKind::Message(message)
                if message.role == Role::User
                    && !message.is_of_shell()
                    && message.in_context
                    && event.parent.is_none() =>
            {
                for moved in &mut self.state.moved {
                    moved.told.get_or_insert(event.seq);
                }
            }
            EventKind::Context(ContextChange::Reverted(reverted)) if event.parent.is_none() => {
                self.forget(reverted.before);
            }
            _ => {}
        }
    }

    /// What was moved of changes that are given up is nothing to tell. What was
    /// told in a message that is given up was not told.
    fn forget(&mut self, before: u64) {
        self.state.moved.retain(|moved| match moved.action {
            CheckpointAction::Reverted => moved.to_seq <= before,
            _ => moved.to_seq < before,
        });
        for moved in &mut self.state.moved {
            moved.told = moved.told.filter(|told| *told < before);
        }
    }

    fn checkpoint(&mut self, run: Option<RunId>, checkpoint: &Checkpoint, at: HistoryRef) {
        let to_seq = checkpoint.to_seq.unwrap_or(0);
        match checkpoint.action {
            CheckpointAction::Saved => self.saved(run, checkpoint, at),
            // What was given again and then broken off is given by the next redo:
            // all of it is in what was taken back.
            CheckpointAction::Redone if checkpoint.ahead => {}
            CheckpointAction::Undone | CheckpointAction::Reverted if checkpoint.ahead => {
                self.begun(checkpoint.action, to_seq, at);
            }
            CheckpointAction::Undone | CheckpointAction::Reverted => {
                self.taken_back(checkpoint.action, to_seq, at);
                self.tell(checkpoint, to_seq, Known::Yes);
            }
            CheckpointAction::Redone => {
                let (from, known) = match self.given_again(to_seq) {
                    Some(group)
                        if group.by == CheckpointAction::Reverted && !group.runs.is_empty() =>
                    {
                        // Nothing that is still said made these changes, so a
                        // revert to any later message must not silence it.
                        (to_seq, Known::No)
                    }
                    Some(group) => (group.to_seq, Known::Yes),
                    None => (to_seq, Known::Yes),
                };
                self.tell(checkpoint, from, known);
            }
        }
    }

    fn saved(&mut self, run: Option<RunId>, checkpoint: &Checkpoint, at: HistoryRef) {
        let is_change = !checkpoint.files.is_empty() || !checkpoint.unkept.is_empty();
        if !is_change && checkpoint.untouched.is_empty() {
            return;
        }
        // Something new was changed: what was taken back does not fit on it. What
        // is only kept ahead has changed nothing yet.
        if is_change && !checkpoint.ahead {
            self.state.undone.clear();
        }
        match self.state.done.last_mut() {
            Some(last) if last.run == run => last.at.push(at),
            _ => self.state.done.push(ChangedRun { run, at: vec![at] }),
        }
        self.held += 1;
        while self.held > RECORDS && self.state.done.len() > 1 {
            self.held -= self.state.done.remove(0).at.len();
        }
    }

    /// Something is about to be taken back. Until it is, its runs count as done:
    /// a group without runs is one that was broken off. Where no run is left to
    /// take back, it goes on with what the last time left.
    fn begun(&mut self, by: CheckpointAction, to_seq: u64, at: HistoryRef) {
        let last = self.state.done.last().and_then(|run| run.at.last());
        let goes_on = last.is_none_or(|last| last.seq <= to_seq);
        match self.state.undone.last_mut() {
            Some(group) if group.to_seq == to_seq && (goes_on || group.runs.is_empty()) => {
                group.records.push(at);
            }
            _ => self.state.undone.push(TakenBack {
                by,
                to_seq,
                records: vec![at],
                runs: Vec::new(),
            }),
        }
    }

    fn taken_back(&mut self, by: CheckpointAction, to_seq: u64, at: HistoryRef) {
        let mut runs = Vec::new();
        while let Some(mut last) = self.state.done.pop() {
            let split = last.at.partition_point(|at| at.seq <= to_seq);
            let gone = last.at.split_off(split);
            self.held -= gone.len();
            let is_done = gone.is_empty() || !last.at.is_empty();
            if !gone.is_empty() {
                runs.push(ChangedRun {
                    run: last.run,
                    at: gone,
                });
            }
            if !last.at.is_empty() {
                self.state.done.push(last);
            }
            if is_done {
                break;
            }
        }
        runs.reverse();
        match self.state.undone.last_mut() {
            // A long list of files is in more than one record.
            Some(group) if runs.is_empty() && group.to_seq == to_seq => group.records.push(at),
            // What was about to be done is done, maybe by a second one after the
            // first was killed.
            Some(group) if group.runs.is_empty() && group.to_seq == to_seq => {
                group.records.push(at);
                group.by = by;
                group.runs = runs;
            }
            _ => self.state.undone.push(TakenBack {
                by,
                to_seq,
                records: vec![at],
                runs,
            }),
        }
    }

    fn given_again(&mut self, to_seq: u64) -> Option<TakenBack> {
        let group = self
            .state
            .undone
            .pop_if(|group| last_seq(group) == to_seq)?;
        for run in group.runs.iter().cloned() {
            self.held += run.at.len();
            match self.state.done.last_mut() {
                // A revert may have split it.
                Some(last) if last.run == run.run => last.at.extend(run.at),
                _ => self.state.done.push(run),
            }
        }
        Some(group)
    }

    fn tell(&mut self, checkpoint: &Checkpoint, to_seq: u64, known: Known) {
        if checkpoint.files.is_empty() && checkpoint.unkept.is_empty() {
            return;
        }
        if self.state.moved.len() == MOVES {
            self.state.moved.remove(0);
        }
        let plain: Vec<&str> = checkpoint
            .files
            .iter()
            .map(|file| file.path.as_str())
            .collect();
        let names = |all: Vec<&str>| -> Vec<String> {
            all.into_iter().take(NAMES).map(str::to_owned).collect()
        };
        let left: Vec<&str> = checkpoint
            .unkept
            .iter()
            .map(|unkept| unkept.path.as_str())
            .collect();
        let more = plain.len().saturating_sub(NAMES) + left.len().saturating_sub(NAMES);
        self.state.moved.push(FilesMoved {
            action: checkpoint.action,
            to_seq,
            told: None,
            forgotten: known == Known::No,
            back: names(plain),
            left: names(left),
            more: more as u64,
        });
    }
}

/// Whether the conversation still holds the messages that changed the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Yes,
    No,
}

/// The last change of a group: what the files stand at when it is given again.
/// Of one that was broken off nothing went back.
fn last_seq(group: &TakenBack) -> u64 {
    let last = group.runs.last().and_then(|run| run.at.last());
    last.map_or(0, |at| at.seq)
}
