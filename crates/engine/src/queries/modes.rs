//! The permission modes, which of them holds, and which a policy forbids.

use super::table;
use crate::core::Core;
use tenon_vocab::{PermissionMode, Reply};

/// In the order in which a key goes through them. The last column is empty where
/// a mode can be changed to.
pub(super) fn list(core: &Core) -> Reply {
    let now = core.permission_mode();
    let rows = PermissionMode::ALL
        .into_iter()
        .map(|mode| {
            let mark = if mode == now { "*" } else { "" };
            let forbidden = core.forbids(mode);
            vec![
                mark.to_owned(),
                mode.name().to_owned(),
                mode.what().to_owned(),
                forbidden.map_or_else(String::new, |file| format!("{file} forbids it")),
            ]
        })
        .collect();
    table(
        &["", "mode", "what it does", ""],
        rows,
        Some(String::from("/mode NAME changes the mode")),
    )
}

pub(super) fn beginning_with(typed: &str) -> Vec<String> {
    let names = PermissionMode::ALL.into_iter().map(PermissionMode::name);
    names
        .filter(|name| name.starts_with(typed))
        .map(str::to_owned)
        .collect()
}
