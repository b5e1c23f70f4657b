//! The permission mode: changed with a key, shown at once. The session decides
//! what becomes of it, and says so.

use crate::input::Effect;
use crate::state::State;
use tenon_vocab::{
    Command, EventKind, NoticeLevel, PermissionMode, Query, Settings, SettingsChange, TableReply,
    notice,
};

/// To the next one, after the last one to the first. Into `plan` and out of it
/// waits for the end of a run; until then the status line shows both.
pub(super) fn next(state: &mut State, effects: &mut Vec<Effect>) {
    if state.is_opening() {
        return;
    }
    let now = state.next_mode.unwrap_or(state.settings.permission_mode);
    let Some(next) = now.next(&state.modes) else {
        return state.hint("There is no other mode");
    };
    state.next_mode = Some(next);
    let change = SettingsChange::permission_mode(next);
    effects.push(Effect::Send(Command::Settings(change)));
}

/// The modes that a key goes through: the last cell says why one cannot be.
pub(super) fn known(state: &mut State, table: &TableReply) {
    let allowed = table
        .rows
        .iter()
        .filter(|row| row.get(3).is_none_or(String::is_empty));
    let names = allowed.filter_map(|row| PermissionMode::named(row.get(1)?));
    state.modes = names.collect();
}

/// Asked once for each session: what is forbidden does not change.
pub(super) fn ask(state: &mut State, effects: &mut Vec<Effect>) {
    state.modes = PermissionMode::ALL.to_vec();
    state.next_mode = None;
    state.moved_to = None;
    effects.push(Effect::Ask(Query::Modes));
}

/// The settings of the session are these now.
pub(super) fn heard(state: &mut State, settings: &Settings) {
    if settings.permission_mode != state.settings.permission_mode {
        state.moved_to = Some(settings.permission_mode);
    }
}

/// Whether this only says what the status line shows: that a key has changed the
/// mode. What that costs, or why it was not done, is said as ever.
pub(super) fn is_shown(state: &mut State, kind: &EventKind) -> bool {
    let EventKind::Notice(said) = kind else {
        return false;
    };
    let Some(next) = state.next_mode else {
        return false;
    };
    let there = next == state.settings.permission_mode;
    match said.kind.as_str() {
        // It waits for the end of a run.
        notice::SETTINGS if !there && said.level == NoticeLevel::Info => {
            state.hint(&said.message);
            return true;
        }
        notice::SETTINGS if said.level != NoticeLevel::Info => {
            state.next_mode = None;
            return false;
        }
        notice::NOT_SWITCHED => {
            state.next_mode = None;
            return false;
        }
        notice::SETTINGS if there => {}
        notice::SWITCHED if state.moved_to.is_some() && there => {}
        _ => return false,
    }
    state.next_mode = None;
    state.moved_to = None;
    if said.hint.is_none() {
        state.hint(&said.message);
    }
    said.hint.is_none()
}
