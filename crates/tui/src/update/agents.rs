//! The agent that works: changed with a key, shown at once. The session decides
//! what becomes of it, and says so.

use crate::input::Effect;
use crate::state::State;
use tenon_vocab::{Command, EventKind, Query, Settings, Switch, TableReply, notice};

/// To the next one of the list, after the last one to the first. While a run
/// goes on it waits for its end; until then the status line shows both.
pub(super) fn next(state: &mut State, effects: &mut Vec<Effect>) {
    if state.is_opening() {
        return;
    }
    let now = state.next_agent.as_ref();
    let now = now.unwrap_or(&state.settings.agent_name);
    let at = state.agents.iter().position(|name| name == now);
    let next = match at {
        Some(at) => state.agents.get(at + 1).or(state.agents.first()),
        None => state.agents.first(),
    };
    let Some(next) = next.filter(|next| *next != now).cloned() else {
        return state.hint("There is no other agent");
    };
    state.next_agent = Some(next.clone());
    let switch = Switch {
        agent: Some(next),
        ..Switch::default()
    };
    effects.push(Effect::Send(Command::Switch(switch)));
}

/// The names that a key goes through.
pub(super) fn known(state: &mut State, table: &TableReply) {
    let names = table.rows.iter().filter_map(|row| row.get(1).cloned());
    state.agents = names.collect();
}

/// Asked once for each session: its agents do not change.
pub(super) fn ask(state: &mut State, effects: &mut Vec<Effect>) {
    state.agents.clear();
    state.next_agent = None;
    state.moved_to = None;
    effects.push(Effect::Ask(Query::Agents));
}

/// The settings of the session are these now.
pub(super) fn heard(state: &mut State, settings: &Settings) {
    if settings.agent_name != state.settings.agent_name {
        state.moved_to = Some(settings.agent_name.clone());
    }
}

/// Whether this only says what the status line shows: that a key has changed the
/// agent. What that costs, or why it was not done, is said as ever.
pub(super) fn is_shown(state: &mut State, kind: &EventKind) -> bool {
    let EventKind::Notice(said) = kind else {
        return false;
    };
    let Some(next) = state.next_agent.clone() else {
        return false;
    };
    match said.kind.as_str() {
        notice::SWITCHED => {
            let Some(moved_to) = state.moved_to.take() else {
                return false;
            };
            if moved_to == next {
                state.next_agent = None;
            }
            if said.hint.is_none() {
                state.hint(&said.message);
            }
            said.hint.is_none()
        }
        notice::NOT_SWITCHED => {
            state.next_agent = None;
            false
        }
        _ => false,
    }
}
