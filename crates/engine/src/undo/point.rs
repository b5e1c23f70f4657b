//! Where a revert leads to: the message, what stood there, the changes of files
//! since, and the task list as it was. Reads only.

use tenon_session::{Log, SessionError, State};
use tenon_vocab::{Checkpoint, EventKind, HistoryRef, Origin, Role, TodoItem};

/// A message to go back to before.
#[derive(Debug)]
pub struct Point {
    /// The first seq that is given up.
    pub before: u64,
    /// As `sessions show` counts; `None` when nobody can count any more.
    pub number: Option<u32>,
    /// What was said there by the user.
    pub prompt: Option<String>,
    /// The changes of files since then.
    pub changes: Vec<HistoryRef>,
    /// The task list as it was then, where it is another now.
    pub todo: Option<Vec<TodoItem>>,
}

/// Why there is no way back to a message.
#[derive(Debug)]
pub enum NoPoint {
    NoPrompt,
    NoSuchNumber {
        number: u32,
        last: u32,
    },
    /// A summary stands for it.
    Summarised(u32),
    GivenUp(u32),
    Log(SessionError),
}

impl std::fmt::Display for NoPoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoPrompt => f.write_str("There is no prompt to go back to before."),
            Self::NoSuchNumber { number, last: 0 } => {
                write!(f, "There is no message {number}: the session has none.")
            }
            Self::NoSuchNumber { number, last } => write!(
                f,
                "There is no message {number}: the last one is {last}. `tenon sessions show` numbers them."
            ),
            Self::Summarised(number) => write!(
                f,
                "Message {number} is before the last compaction: the model knows only a summary of it. `tenon sessions fork --at {number}` makes a session that goes on from there."
            ),
            Self::GivenUp(number) => write!(
                f,
                "Message {number} was taken back already. `tenon sessions fork --at {number}` makes a session that goes on from there."
            ),
            Self::Log(error) => error.fmt(f),
        }
    }
}

impl Point {
    /// Finds the message with this number; without one, the last prompt.
    ///
    /// # Errors
    /// When there is none, or the model no longer sees it.
    pub fn find(log: &Log, state: &State, number: Option<u32>) -> Result<Self, NoPoint> {
        let numbers = log.numbered().map_err(NoPoint::Log)?;
        let before = match number {
            Some(number) => {
                let found = numbers.iter().find(|(n, _)| *n == number);
                let last = numbers.last().map_or(0, |(n, _)| *n);
                let seq = found.ok_or(NoPoint::NoSuchNumber { number, last })?.1;
                still_seen(state, number, seq)?
            }
            None => {
                state
                    .live()
                    .filter(|live| {
                        live.message.role == Role::User && live.message.origin == Origin::User
                    })
                    .last()
                    .ok_or(NoPoint::NoPrompt)?
                    .seq
            }
        };
        let todo = log.todo_before(before).map_err(NoPoint::Log)?;
        let changes = state.undo().done.iter().flat_map(|run| &run.at);
        Ok(Self {
            before,
            number: numbers
                .iter()
                .find(|(_, seq)| *seq == before)
                .map(|(n, _)| *n),
            prompt: prompt_at(state, before),
            changes: changes.filter(|at| at.seq > before).copied().collect(),
            todo: (todo != state.todo()).then_some(todo),
        })
    }
}

fn still_seen(state: &State, number: u32, seq: u64) -> Result<u64, NoPoint> {
    if state.live().any(|live| live.seq == seq) {
        return Ok(seq);
    }
    let summarised = state
        .compacted()
        .is_some_and(|compacted| seq < compacted.kept_from);
    Err(if summarised {
        NoPoint::Summarised(number)
    } else {
        NoPoint::GivenUp(number)
    })
}

/// What the user typed: notes that went along with it stand before.
fn prompt_at(state: &State, seq: u64) -> Option<String> {
    let live = state.live().find(|live| live.seq == seq)?;
    let message = live.message;
    let typed = message.role == Role::User && message.origin == Origin::User;
    typed.then(|| message.text())
}

/// The records of changes, in order, and how many could not be read.
#[must_use]
pub fn records(log: &Log, places: &[HistoryRef]) -> (Vec<Checkpoint>, usize) {
    let found: Vec<Checkpoint> = places
        .iter()
        .filter_map(|at| match log.record_at(*at)?.kind {
            EventKind::Checkpoint(checkpoint) => Some(checkpoint),
            _ => None,
        })
        .collect();
    let missing = places.len() - found.len();
    (found, missing)
}
