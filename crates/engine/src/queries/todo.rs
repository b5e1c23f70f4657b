//! The task list.

use super::table;
use crate::core::Core;
use tenon_vocab::{Reply, TodoItem};

pub(super) fn list(core: &Core) -> Reply {
    let rows = core.emitter.state(|state| {
        let row = |item: &TodoItem| vec![item.status.mark().to_owned(), item.text.clone()];
        state.todo().iter().map(row).collect::<Vec<_>>()
    });
    let note = rows.is_empty().then(|| {
        String::from("There is no task list. The model keeps one for work with several parts.")
    });
    table(&["", "task"], rows, note)
}
