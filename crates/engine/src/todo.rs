//! The task list of a session: read and replaced by the tools, by replies of the
//! markdown dialect, and begun by the runtime where a task has several parts.

mod complex;
mod first;

pub(crate) use first::{First, Waiting, hold, remind, take_back};

use crate::core::Core;
use tenon_session::SessionError;
use tenon_tools::HostReply;
use tenon_tools::todo::bounded;
use tenon_vocab::{RunId, TodoItem, TodoList};

/// Reads the list, or replaces it and reads it.
pub(crate) fn request(core: &Core, run: RunId, update: Option<Vec<TodoItem>>) -> HostReply {
    if let Some(items) = update
        && let Err(error) = replace(core, run, items)
    {
        return HostReply::Unavailable(error.to_string());
    }
    HostReply::Todo(core.emitter.state(|state| state.todo().to_vec()))
}

/// A list that is the same is not recorded again. One that came in a reply is
/// bounded like one that came in a call.
pub(crate) fn replace(core: &Core, run: RunId, items: Vec<TodoItem>) -> Result<(), SessionError> {
    let (items, _) = bounded(items);
    if core.emitter.state(|state| state.todo() == items) {
        return Ok(());
    }
    core.emitter.emit(Some(run), TodoList { items }).map(|_| ())
}
