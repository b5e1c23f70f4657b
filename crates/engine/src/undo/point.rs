//! Where a revert leads to: the message, what stood there, the changes of files
//! since, and the task list as it was. Reads only.

use super::roll::{Outcome, Plan, Stage};
use tenon_session::{Blobs, Log, Prompt, Reach, SessionError, State, is_prompt};
use tenon_tools::Workspace;
use tenon_vocab::{
    Checkpoint, CheckpointAction, ContextChange, EventKind, HistoryRef, Reverted, Settings,
    TodoItem, TodoList,
};

/// A message to go back to before.
#[derive(Debug)]
pub struct Point {
    /// The first seq that is given up.
    pub before: u64,
    /// As `sessions show` counts; `None` when nobody can count any more.
    pub number: Option<u32>,
    /// The last message of the conversation, which a copy may be cut after.
    pub last: Option<u32>,
    /// What the user typed there.
    pub prompt: Option<String>,
    /// The changes of files since then.
    pub changes: Vec<HistoryRef>,
    /// The task list as it was then, where it is another now.
    pub todo: Option<Vec<TodoItem>>,
    /// The settings with the agent that worked then, where it is another now.
    pub settings: Option<Settings>,
}

/// Why there is no way back to a message.
#[derive(Debug)]
pub enum NoPoint {
    NoPrompt,
    /// The last prompt is in the summary; its number.
    LastSummarised(u32),
    NoSuchNumber {
        number: u32,
        last: u32,
    },
    /// A summary stands for it.
    Summarised(u32),
    GivenUp(u32),
    Log(SessionError),
}

/// Where it is said, which decides what can be typed next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// In the session.
    Inside,
    /// By a command of its own.
    Outside,
}

impl Said {
    fn numbers(self) -> &'static str {
        match self {
            Self::Inside => "/history numbers the prompts.",
            Self::Outside => "`tenon sessions show` numbers them.",
        }
    }

    /// On from just before a message that a revert does not reach.
    fn before(self, number: u32) -> String {
        match (self, number.saturating_sub(1)) {
            (Self::Inside, 0) => String::from("/new starts a new session."),
            (Self::Outside, 0) => String::from("Start a new session instead."),
            (Self::Inside, at) => format!("/fork {at} continues in a copy that ends before it."),
            (Self::Outside, at) => {
                format!("`tenon sessions fork --at {at}` makes a copy that ends before it.")
            }
        }
    }
}

impl NoPoint {
    /// Why, and what to do instead.
    #[must_use]
    pub fn told(&self, said: Said) -> String {
        match self {
            Self::NoPrompt => String::from("There is no prompt to go back to."),
            Self::LastSummarised(number) => format!(
                "Your last prompt, message {number}, was compacted: the model only has a summary of it. {}",
                said.before(*number)
            ),
            Self::NoSuchNumber { number, last: 0 } => {
                format!("There is no message {number}: the session has none.")
            }
            Self::NoSuchNumber { number, last } => format!(
                "There is no message {number}: the last one is {last}. {}",
                said.numbers()
            ),
            Self::Summarised(number) => format!(
                "Message {number} is before the last compaction: the model only has a summary of it. {}",
                said.before(*number)
            ),
            Self::GivenUp(number) => format!(
                "Message {number} was already taken back. {}",
                said.before(*number)
            ),
            Self::Log(error) => error.to_string(),
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
        let prompts = log.prompts().map_err(NoPoint::Log)?;
        let before = match number {
            Some(number) => {
                let found = numbers.iter().find(|(n, _)| *n == number);
                let last = numbers.last().map_or(0, |(n, _)| *n);
                let seq = found.ok_or(NoPoint::NoSuchNumber { number, last })?.1;
                still_seen(state, number, seq)?
            }
            None => {
                let seen = state.live().filter(|live| is_prompt(live.message)).last();
                let summarised = |prompt: &&Prompt| prompt.reach == Reach::Summarised;
                match (seen, prompts.iter().rfind(summarised)) {
                    (Some(live), _) => live.seq,
                    (None, Some(prompt)) => return Err(NoPoint::LastSummarised(prompt.number)),
                    (None, None) => return Err(NoPoint::NoPrompt),
                }
            }
        };
        let todo = log.todo_before(before).map_err(NoPoint::Log)?;
        let agent = log.agent_before(before).map_err(NoPoint::Log)?;
        // Not the mode of that time: what may run unasked is for now to say.
        let settings = state.settings().zip(agent).map(|(now, agent)| {
            let mut settings: Settings = now.clone();
            settings.act_as(&agent);
            settings
        });
        let changes = state.undo().done.iter().flat_map(|run| &run.at);
        Ok(Self {
            before,
            number: numbers
                .iter()
                .find(|(_, seq)| *seq == before)
                .map(|(n, _)| *n),
            last: numbers
                .iter()
                .rfind(|(_, seq)| state.live().any(|live| live.seq == *seq))
                .map(|(n, _)| *n),
            prompt: prompts
                .into_iter()
                .find(|prompt| prompt.seq == before)
                .map(|prompt| prompt.text),
            changes: changes.filter(|at| at.seq > before).copied().collect(),
            todo: (todo != state.todo()).then_some(todo),
            settings: settings.filter(|then| Some(then) != state.settings()),
        })
    }

    /// For people.
    #[must_use]
    pub fn name(&self) -> String {
        self.number.map_or_else(
            || String::from("the last prompt"),
            |number| format!("message {number}"),
        )
    }

    /// Goes back. The files first: when they cannot be recorded, the conversation
    /// stays too. `emit` writes to the log.
    ///
    /// # Errors
    /// When the log cannot be written. What was done before is in it.
    pub fn carry_out(
        &self,
        plan: Plan,
        workspace: &Workspace,
        blobs: &Blobs,
        mut emit: impl FnMut(EventKind) -> Result<(), SessionError>,
    ) -> Result<Outcome, SessionError> {
        let before = self.before;
        let mut outcome = Outcome::default();
        if !self.changes.is_empty() {
            outcome = plan.carry_out(workspace, blobs, |stage, files, unkept| {
                emit(EventKind::from(Checkpoint {
                    action: CheckpointAction::Reverted,
                    call: None,
                    to_seq: Some(before),
                    files,
                    ahead: stage == Stage::Ahead,
                    untouched: Vec::new(),
                    unkept,
                }))
            })?;
        }
        emit(ContextChange::Reverted(Reverted { before }).into())?;
        if let Some(items) = self.todo.clone() {
            emit(TodoList { items }.into())?;
        }
        if let Some(settings) = self.settings.clone() {
            emit(settings.into())?;
        }
        Ok(outcome)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_that_a_revert_does_not_reach_is_named_where_it_can_be_typed() {
        let last = NoPoint::LastSummarised(7);
        let inside = last.told(Said::Inside);
        assert!(
            inside.contains("message 7") && inside.contains("/fork 6"),
            "{inside}"
        );
        let outside = last.told(Said::Outside);
        assert!(outside.contains("tenon sessions fork --at 6"), "{outside}");
        assert!(NoPoint::Summarised(1).told(Said::Inside).contains("/new"));
        let none = NoPoint::NoSuchNumber { number: 9, last: 2 };
        assert!(none.told(Said::Inside).contains("/history"));
        assert!(none.told(Said::Outside).contains("sessions show"));
    }
}
