//! What a page says of a session beside its messages, gathered event by event.
//! Unlike [`crate::State`] it holds nothing of what was said, so that a log of any
//! length fits.

use crate::calls::Calls;
use crate::recover::Open;
use crate::totals::Totals;
use crate::{GivenUp, SessionError};
use tenon_vocab::{
    Cost, Event, EventKind, HistoryRef, Meta, ModelTotals, Role, Settings, TodoItem, Usage,
};

#[derive(Debug, Clone)]
pub struct Outline {
    meta: Meta,
    totals: Totals,
    todo: Vec<TodoItem>,
    last_snapshot: Option<u64>,
    calls: Calls,
    given_up: GivenUp,
    /// The first message of the user, the whole of it.
    asked: Option<String>,
}

impl Outline {
    /// After the first event.
    ///
    /// # Errors
    /// When it is no `meta` with seq 0.
    pub(crate) fn new(first: &Event) -> Result<Self, SessionError> {
        match &first.kind {
            EventKind::Meta(meta) if first.seq == 0 => Ok(Self {
                meta: meta.clone(),
                totals: Totals::default(),
                todo: Vec::new(),
                last_snapshot: None,
                calls: Calls::default(),
                given_up: GivenUp::default(),
                asked: None,
            }),
            _ => Err(SessionError::not_meta(first)),
        }
    }

    pub(crate) fn apply(&mut self, event: &Event, offset: u64) {
        let seq = event.seq;
        self.totals.apply(event);
        self.calls.apply(event, HistoryRef { seq, offset });
        self.given_up.note(event);
        match &event.kind {
            EventKind::Snapshot(_) => self.last_snapshot = Some(offset),
            _ if event.parent.is_some() => {}
            EventKind::Todo(todo) => self.todo.clone_from(&todo.items),
            EventKind::Message(message) if message.role == Role::User && !message.is_of_shell() => {
                self.asked.get_or_insert_with(|| message.text());
            }
            _ => {}
        }
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

    /// As set, else the first line of the first prompt, where it says anything.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.settings()
            .and_then(|settings| settings.title.as_deref())
            .or(self.totals.prompt.trim().lines().next())
            .filter(|title| !title.trim().is_empty())
    }

    /// The whole of the first prompt; the run's record holds only its beginning.
    #[must_use]
    pub fn first_prompt(&self) -> &str {
        self.asked.as_deref().unwrap_or(&self.totals.prompt)
    }

    #[must_use]
    pub fn todo(&self) -> &[TodoItem] {
        &self.todo
    }

    #[must_use]
    pub fn runs(&self) -> u32 {
        self.totals.runs
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
    pub fn compactions(&self) -> u32 {
        self.totals.compactions
    }

    /// What the model no longer sees.
    #[must_use]
    pub fn given_up(&self) -> &GivenUp {
        &self.given_up
    }
}
