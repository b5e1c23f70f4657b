//! Who gets a key: an overlay, the menu, the composer, and then the program.

use super::{give_back, images, modes, next_question, say, submit};
use crate::composer::{Aim, Typed};
use crate::house::{ImageFrom, Listing, Row};
use crate::input::{Effect, Leaving};
use crate::overlay::ask::{self, Before, Verdict};
use crate::overlay::menu::Chosen;
use crate::overlay::pager::{From, Paged, Pager};
use crate::overlay::picker::{Picked, Picker};
use crate::state::{Asker, Busy, Overlay, Press, Purpose, Queued, State};
use crate::text::Role;
use crate::theme::Theme;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use tenon_vocab::Command;

pub(super) fn key(state: &mut State, key: KeyEvent, effects: &mut Vec<Effect>) {
    if key.kind == KeyEventKind::Release {
        return;
    }
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    // Also over an overlay: it must always be possible to leave.
    let shift = key.modifiers.contains(KeyModifiers::SHIFT);
    if control && !shift && key.code == KeyCode::Char('z') {
        return effects.push(Effect::Suspend);
    }
    if !(control && key.code == KeyCode::Char('c')) {
        forget_interrupt(state);
    }
    if key.code != KeyCode::Esc {
        forget_escape(state);
    }
    // Also what answers a question: the next one must not take it for its own.
    state.typed = Some(state.now);
    match state.overlay.take() {
        Some(overlay) => {
            state.last_key = Before::Answer;
            over(state, overlay, key, effects);
        }
        None => {
            state.last_key = Before::Text;
            under(state, key, effects);
        }
    }
}

/// What the status line says of a key that was pressed once.
const LEAVES: &str = "Ctrl+C again leaves";
const GOES_BACK: &str = "Esc again goes back to a prompt";
const CLEARS: &str = "Esc again clears the input";

/// Something else was done since: it is the first press again, and is not said to
/// be the second.
fn forget_interrupt(state: &mut State) {
    state.interrupts.forget();
    unsay(state, &[LEAVES]);
}

fn forget_escape(state: &mut State) {
    state.escapes.forget();
    unsay(state, &[GOES_BACK, CLEARS]);
}

fn unsay(state: &mut State, said: &[&str]) {
    if matches!(&state.hint, Some((text, _)) if said.contains(&text.as_str())) {
        state.hint = None;
    }
}

pub(super) fn paste(state: &mut State, text: &str, effects: &mut Vec<Effect>) {
    state.typed = Some(state.now);
    forget_interrupt(state);
    forget_escape(state);
    match &mut state.overlay {
        None => {
            state.composer.paste(text, state.now);
            images::pasted(state, text, effects);
        }
        // A key that follows at once belongs to it.
        Some(Overlay::Ask(shown, _)) => {
            shown.typed_before(state.now);
            if shown.takes_paste() {
                return shown.paste(text);
            }
            // Copied for the message, and never an answer.
            state.composer.paste(text, state.now);
            shown.guard();
        }
        Some(Overlay::Pick(picker, _)) => picker.paste(text),
        Some(Overlay::Page(pager)) => pager.paste(text),
    }
}

fn over(state: &mut State, overlay: Overlay, key: KeyEvent, effects: &mut Vec<Effect>) {
    match overlay {
        Overlay::Ask(mut shown, asker) => match shown.key(key, state.now) {
            Verdict::Stay => {
                let stop =
                    key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c');
                state.overlay = Some(Overlay::Ask(shown, asker));
                if stop {
                    interrupt(state, effects);
                }
            }
            Verdict::Answered(answer) => {
                effects.push(match asker {
                    Asker::Session => Effect::Send(Command::Answer(answer)),
                    Asker::House => Effect::Answered(answer),
                });
                next_question(state);
            }
            Verdict::Elsewhere => {
                state.last_key = Before::Text;
                state.composer.key(key, state.now);
                state.overlay = Some(Overlay::Ask(shown, asker));
            }
            Verdict::Page => {
                let question = shown.question().clone();
                state.questions.push_front((question.clone(), asker));
                let source = move |columns: usize| ask::whole(&question, columns);
                let pager = Pager::new("The whole question", Box::new(source), From::Start);
                state.overlay = Some(Overlay::Page(Box::new(pager)));
            }
        },
        Overlay::Pick(mut picker, purpose) => match picker.key(key) {
            Picked::Stay => state.overlay = Some(Overlay::Pick(picker, purpose)),
            Picked::Over(id) => {
                if purpose == Purpose::Theme {
                    state.wishes.theme.clone_from(&id);
                }
                state.overlay = Some(Overlay::Pick(picker, purpose));
            }
            Picked::Row(id) => submit::picked(state, purpose, &id, picker.label(&id), effects),
            Picked::Closed => {
                if purpose == Purpose::Theme {
                    theme_as_before(state);
                }
                next_question(state);
            }
        },
        Overlay::Page(mut pager) => match pager.key(key) {
            Paged::Stay => state.overlay = Some(Overlay::Page(pager)),
            Paged::Closed => next_question(state),
        },
    }
}

fn under(state: &mut State, key: KeyEvent, effects: &mut Vec<Effect>) {
    // Inside of a paste that is not marked as one nothing is chosen.
    if state.menu.is_open() && !state.composer.is_pasting(state.now) {
        match state.menu.key(key) {
            Chosen::Passed => {}
            Chosen::Stay | Chosen::Closed => return,
            Chosen::Word(word) => return state.composer.complete(&word),
            Chosen::Send(word) => {
                state.composer.complete(&word);
                let text = state.composer.text();
                state.composer.clear();
                return submit::submit(state, &text, effects);
            }
        }
    }
    let help = key.code == KeyCode::Char('?')
        && state.composer.is_empty()
        && state.composer.mode().is_empty();
    if help {
        return submit::help(state);
    }
    match state.composer.key(key, state.now) {
        Typed::Taken => {}
        Typed::Submit(text) => submit::submit(state, &text, effects),
        Typed::Run(command) => submit::run(state, &command, effects),
        Typed::Edit => effects.push(Effect::Edit(state.composer.written())),
        Typed::Passed => program(state, key, effects),
    }
}

/// The keys of the program itself.
fn program(state: &mut State, key: KeyEvent, effects: &mut Vec<Effect>) {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Esc => escape(state, effects),
        KeyCode::Char('c') if control => interrupt(state, effects),
        KeyCode::Char('d') if control && state.composer.is_empty() => {
            effects.push(Effect::Leave(Leaving::Asked));
        }
        KeyCode::Char('t') if control && submit::is_free(state) => {
            state.busy = Some(Busy::With("reading the transcript"));
            effects.push(Effect::Transcript);
        }
        KeyCode::Char('v') if control => effects.push(Effect::Image(ImageFrom::Clipboard)),
        KeyCode::BackTab => modes::next(state, effects),
        KeyCode::Char('l') if control => effects.push(Effect::Repaint),
        KeyCode::F(1) => submit::help(state),
        _ => {}
    }
}

/// Stops what runs; pressed twice at an empty prompt goes back.
fn escape(state: &mut State, effects: &mut Vec<Effect>) {
    if state.run.is_some() {
        return stop(state, effects);
    }
    if gave_up(state, effects) == GaveUp::It {
        return;
    }
    if state.composer.is_shell() {
        return state.composer.leave_shell();
    }
    if !submit::is_free(state) {
        return;
    }
    match state.escapes.press(state.now) {
        Press::First if state.composer.is_empty() => state.hint(GOES_BACK),
        Press::First => state.hint(CLEARS),
        Press::Second if state.composer.is_empty() => {
            state.hint = None;
            pick(
                state,
                Purpose::GoBack,
                "Go back in a copy, to before",
                effects,
            );
        }
        Press::Second => {
            state.hint = None;
            state.composer.clear();
        }
    }
}

/// The list of themes was left without a choice.
pub(super) fn theme_as_before(state: &mut State) {
    if let Some(before) = state.theme_before.take() {
        state.wishes.theme = before;
    }
}

/// Ctrl+C clears the input, stops a run, and leaves when pressed twice (U10). At
/// a question the input is behind it, and stays.
pub(super) fn interrupt(state: &mut State, effects: &mut Vec<Effect>) {
    let asked = matches!(state.overlay, Some(Overlay::Ask(..)));
    if !asked && !state.composer.is_empty() {
        forget_interrupt(state);
        return state.composer.clear();
    }
    match state.interrupts.press(state.now) {
        Press::Second => effects.push(Effect::Leave(Leaving::Asked)),
        Press::First if state.run.is_some() => stop(state, effects),
        Press::First if gave_up(state, effects) == GaveUp::It => {}
        Press::First => state.hint(LEAVES),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GaveUp {
    It,
    Nothing,
}

/// What the program around is at, if it can be left: a session that opens will be
/// there in a moment.
fn gave_up(state: &mut State, effects: &mut Vec<Effect>) -> GaveUp {
    let Some(Busy::With(what)) = state.busy else {
        return GaveUp::Nothing;
    };
    state.busy = None;
    say(state, Role::Dim, &format!("Cancelled: {what}."));
    effects.push(Effect::GiveUp);
    GaveUp::It
}

/// What was queued comes back to the composer: who says stop does not want it
/// to start.
pub(super) fn stop(state: &mut State, effects: &mut Vec<Effect>) {
    effects.push(Effect::Send(Command::Interrupt));
    if let Some(run) = &mut state.run {
        run.stopping = true;
    }
    // Commands are in the history, and the session says what it did not do: one
    // is given back only where it stands alone.
    let queue = std::mem::take(&mut state.queue);
    let (shell, words): (Vec<Queued>, Vec<Queued>) = queue
        .into_iter()
        .partition(|queued| queued.aim == Aim::Shell);
    let words: Vec<String> = words.into_iter().map(|queued| queued.typed).collect();
    match (words.as_slice(), shell.as_slice()) {
        ([], []) => {}
        ([], [only]) if state.composer.is_empty() => state.composer.set_command(&only.typed),
        ([], _) => {}
        (words, _) => give_back(state, words),
    }
}

fn themes() -> Vec<Row> {
    let themes = Theme::NAMES.iter();
    themes
        .map(|(name, what)| Row {
            id: (*name).to_owned(),
            label: (*name).to_owned(),
            detail: (*what).to_owned(),
        })
        .collect()
}

pub(super) fn pick(state: &mut State, purpose: Purpose, title: &str, effects: &mut Vec<Effect>) {
    let mut picker = Picker::new(title, None);
    if purpose == Purpose::Theme {
        state.theme_before = Some(state.wishes.theme.clone());
        picker.fill(themes());
    }
    state.overlay = Some(Overlay::Pick(Box::new(picker), purpose));
    if let Some(listing) = purpose.listing() {
        effects.push(Effect::List(listing));
    }
    debug_assert!(purpose.listing() != Some(Listing::Files));
}
