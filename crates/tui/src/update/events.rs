//! What the session says.

use super::{ask, next_question};
use crate::input::Effect;
use crate::state::{Asker, Files, Overlay, Run, State};
use crate::{figures, flow};
use std::time::Duration;
use tenon_vocab::{
    Answer, Event, EventKind, Message, Query, Role as Speaker, RunFinished, RunOrigin, RunState,
};

/// A run that took longer than this is worth a notice when it ends.
const LONG: Duration = Duration::from_secs(10);

pub(super) fn event(state: &mut State, event: &Event, effects: &mut Vec<Effect>) {
    let (columns, now) = (state.size.columns, state.now);
    state.flow.event(event, columns, now);
    let own = event.parent.is_none();
    match &event.kind {
        EventKind::RunStarted(started) if own => {
            if started.origin == RunOrigin::Shell {
                unqueue_shell(state);
            }
            state.run = Some(Run {
                since: now,
                state: RunState::Planning,
                read: None,
                stopping: false,
            });
        }
        EventKind::State(changed) if own => {
            if let Some(run) = &mut state.run {
                run.state = changed.state;
                run.read = changed.read_percent;
            }
        }
        EventKind::Message(message) if own => heard(state, message, effects),
        EventKind::RunFinished(finished) if own => run_over(state, finished, effects),
        EventKind::Settings(settings) if own => {
            state.settings.clone_from(settings);
            effects.push(Effect::Ask(Query::Meter));
        }
        EventKind::Context(_) => effects.push(Effect::Ask(Query::Meter)),
        EventKind::Question(question) => ask(state, question.clone(), Asker::Session, effects),
        // Also one that was not given here: the run was interrupted.
        EventKind::Answer(answer) => answered(state, answer),
        _ => {}
    }
}

/// What was queued is now a part of the conversation.
fn heard(state: &mut State, message: &Message, effects: &mut Vec<Effect>) {
    match message.role {
        Speaker::User => {
            let said = flow::said(message);
            state.queue.retain(|queued| !said.contains(queued.trim()));
        }
        _ => effects.push(Effect::Ask(Query::Meter)),
    }
}

/// A command of the user's own that runs now.
fn unqueue_shell(state: &mut State) {
    if let Some(at) = state.queue.iter().position(|line| line.starts_with('!')) {
        state.queue.remove(at);
    }
}

fn run_over(state: &mut State, finished: &RunFinished, effects: &mut Vec<Effect>) {
    state.run = None;
    // The run may have made files.
    state.menu.stale();
    state.files = Files::Unasked;
    state.questions.retain(|(_, asker)| *asker == Asker::House);
    if matches!(state.overlay, Some(Overlay::Ask(_, Asker::Session))) {
        state.overlay = None;
        next_question(state);
    }
    effects.push(Effect::Ask(Query::Meter));
    let time = Duration::from_millis(finished.duration_ms);
    if state.wants_notice() || (state.wishes.notify != crate::house::Notify::Never && time > LONG) {
        let text = format!("Done after {}", figures::elapsed(time));
        effects.push(Effect::Notify(text));
    }
}

fn answered(state: &mut State, answer: &Answer) {
    state
        .questions
        .retain(|(asked, _)| asked.id != answer.question);
    if let Some(Overlay::Ask(shown, Asker::Session)) = &state.overlay
        && shown.question().id == answer.question
    {
        state.overlay = None;
    }
    next_question(state);
}
