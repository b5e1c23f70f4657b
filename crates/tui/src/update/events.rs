//! What the session says.

use super::{ask, modes, next_question};
use crate::composer::Aim;
use crate::flow;
use crate::house::LONG;
use crate::input::Effect;
use crate::state::{Asker, Overlay, Queued, Run, State};
use std::time::Duration;
use tenon_vocab::figures;
use tenon_vocab::{
    Answer, ContextChange, Event, EventKind, Message, Query, Role as Speaker, RunFinished,
    RunOrigin, RunState,
};

pub(super) fn event(state: &mut State, event: &Event, effects: &mut Vec<Effect>) {
    let (columns, now) = (state.size.columns, state.now);
    if !modes::is_shown(state, &event.kind) {
        state.flow.set_height(state.size.rows);
        state.flow.event(event, columns, now);
    }
    let own = event.parent.is_none();
    match &event.kind {
        EventKind::RunStarted(started) if own => {
            if started.origin == RunOrigin::Shell {
                unqueue_shell(state);
            }
            state.run = Some(Run {
                since: now,
                state: RunState::Planning,
                changed: now,
                read: None,
                stopping: false,
            });
        }
        EventKind::State(changed) if own => {
            if let Some(run) = &mut state.run {
                if run.state != changed.state {
                    run.changed = now;
                }
                run.state = changed.state;
                run.read = changed.read_percent;
            }
        }
        EventKind::Message(message) if own => heard(state, message, effects),
        EventKind::RunFinished(finished) if own => run_over(state, finished, effects),
        EventKind::Settings(settings) if own => {
            modes::heard(state, settings);
            state.settings.clone_from(settings);
            effects.push(Effect::Ask(Query::Meter));
        }
        EventKind::Context(change) => {
            if let ContextChange::Reverted(to) = change {
                effects.push(Effect::PromptAt(to.before));
            }
            effects.push(Effect::Ask(Query::Meter));
        }
        EventKind::Question(question) => ask(state, question.clone(), Asker::Session, effects),
        // Also one that was not given here: the run was interrupted.
        EventKind::Answer(answer) => answered(state, answer),
        _ => {}
    }
}

/// What was queued is now a part of the conversation.
fn heard(state: &mut State, message: &Message, effects: &mut Vec<Effect>) {
    match message.role {
        // It was taken out when its run began.
        Speaker::User if message.is_of_shell() => {}
        Speaker::User => {
            unqueue(&mut state.queue, &flow::said(message));
        }
        _ => effects.push(Effect::Ask(Query::Meter)),
    }
}

/// Takes out what a message says, in its order: several words in between become
/// one message, and a longer one may contain a shorter one.
fn unqueue(queue: &mut Vec<Queued>, said: &str) {
    let mut rest = said.trim_start();
    queue.retain(|queued| {
        let words = (queued.aim == Aim::Model).then(|| queued.typed.trim());
        let queued = words.unwrap_or_default();
        let Some(after) = rest.strip_prefix(queued).filter(|_| !queued.is_empty()) else {
            return true;
        };
        // A whole one: its end, the next one, or the images that go along.
        if !(after.is_empty() || after.starts_with('\n') || after.starts_with(" [")) {
            return true;
        }
        rest = after.trim_start();
        false
    });
}

/// A command of the user's own that runs now.
fn unqueue_shell(state: &mut State) {
    let mut queue = state.queue.iter();
    if let Some(at) = queue.position(|queued| queued.aim == Aim::Shell) {
        state.queue.remove(at);
    }
}

fn run_over(state: &mut State, finished: &RunFinished, effects: &mut Vec<Effect>) {
    state.run = None;
    // The run may have made files.
    state.menu.stale();
    state.questions.retain(|(_, asker)| *asker == Asker::House);
    if matches!(state.overlay, Some(Overlay::Ask(_, Asker::Session))) {
        state.overlay = None;
        next_question(state);
    }
    effects.push(Effect::Ask(Query::Meter));
    // It may have checked out another one.
    effects.push(Effect::Branch);
    let time = Duration::from_millis(finished.duration_ms);
    if state.wants_notice() || (state.wishes.notify != crate::house::Notify::Never && time > LONG) {
        let (_, word) = state.flow.ending(finished);
        let text = format!("{word} {}", figures::took(time));
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
