//! An input changes the state and asks for effects. Pure: what it needs of the
//! world is in the state or comes as an input.

mod events;
mod images;
mod keys;
mod modes;
mod replies;
mod submit;

use crate::house::{Opened, Outcome};
use crate::input::{Effect, Input, Leaving, Signal};
use crate::overlay::menu::Menu;
use crate::overlay::pager::{From, Pager, Pieces};
use crate::shapes::{self, Fold};
use crate::state::{Asker, Busy, Overlay, Purpose, State};
use crate::text::{Line, Role, Span, Style, wrap};
use crate::view;
use std::rc::Rc;
use std::time::Instant;
use tenon_vocab::figures;
use tenon_vocab::{Query, Question};

pub fn update(state: &mut State, input: Input, now: Instant) -> Vec<Effect> {
    state.now = now;
    let mut effects = Vec::new();
    match input {
        Input::Key(key) => keys::key(state, key, &mut effects),
        Input::Paste(text) => keys::paste(state, &text, &mut effects),
        Input::Resized(size) => state.size = size,
        Input::Focus(focus) => state.focus = focus,
        Input::Event(event) => events::event(state, &event, &mut effects),
        Input::Ended => ended(state, &mut effects),
        Input::Replied(query, reply) => replies::reply(state, &query, reply),
        Input::Listed(listing, rows) => replies::listed(state, listing, rows),
        Input::Transcript(events) => replies::transcript(state, events),
        Input::Acted(outcome) => acted(state, outcome, &mut effects),
        Input::Prompted(prompt) => prompted(state, prompt),
        Input::Image(from, found) => images::found(state, &from, found),
        Input::Branch(branch) => state.facts.branch = branch,
        Input::Edited(text) => match text {
            Ok(text) => state.composer.edited(text.trim_end_matches('\n')),
            Err(why) => say(state, Role::Error, &why),
        },
        Input::Stderr(line) => say(state, Role::Dim, &line),
        Input::Tick => tick(state),
        Input::Signal(signal) => match signal {
            Signal::Interrupt => keys::interrupt(state, &mut effects),
            Signal::End => effects.push(Effect::Leave(Leaving::Killed)),
        },
    }
    state.busy_since = state.busy.as_ref().and(state.busy_since.or(Some(now)));
    menu(state, &mut effects);
    title(state, &mut effects);
    effects
}

/// The menu follows the word at the caret.
fn menu(state: &mut State, effects: &mut Vec<Effect>) {
    let token = match state.overlay {
        None => state.composer.token(),
        Some(_) => None,
    };
    state.menu.follow(token);
    if state.menu.wants_files() {
        state.menu.asked();
        effects.push(Effect::List(crate::house::Listing::Files));
    }
    if let Some(line) = state.menu.ask() {
        effects.push(Effect::Ask(Query::Completion { line }));
    }
}

fn title(state: &mut State, effects: &mut Vec<Effect>) {
    let name = state.settings.title.clone().unwrap_or_else(|| {
        let root = state.facts.root.trim_end_matches('/');
        root.rsplit('/').next().unwrap_or(root).to_owned()
    });
    let mark = match (&state.overlay, &state.run) {
        (Some(Overlay::Ask(..)), _) => "? ",
        (_, Some(_)) => "… ",
        _ => "",
    };
    let title = format!("{mark}{name} - tenon");
    if title != state.title {
        state.title.clone_from(&title);
        effects.push(Effect::Title(title));
    }
}

fn tick(state: &mut State) {
    const SHOWN: std::time::Duration = std::time::Duration::from_secs(2);
    if let Some((_, since)) = &state.hint
        && state.now.saturating_duration_since(*since) > SHOWN
    {
        state.hint = None;
    }
}

fn ended(state: &mut State, effects: &mut Vec<Effect>) {
    say(state, Role::Error, "The session ended unexpectedly.");
    effects.push(Effect::Leave(Leaving::Asked));
}

/// A remark that stays on the screen.
pub(crate) fn say(state: &mut State, role: Role, text: &str) {
    let columns = state.size.columns;
    let lines: Vec<Line> = text
        .lines()
        .flat_map(|line| wrap(&Line::new(role, line), columns, 2))
        .collect();
    state.flow.say(lines);
}

/// Into the composer as words for the model, before what was written there
/// meanwhile. A blank before any of it keeps all of it out of the history.
pub(crate) fn give_back(state: &mut State, texts: &[String]) {
    let written = state.composer.text();
    let mut texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    if !written.is_empty() {
        texts.push(&written);
    }
    let hidden = texts.iter().any(|text| text.starts_with(' '));
    let mut whole = texts.join("\n");
    if hidden && !whole.starts_with(' ') {
        whole.insert(0, ' ');
    }
    state.composer.set(&whole);
}

/// A prompt out of a session. Whether it is to be remembered is known of those
/// that are: another one has a blank before it.
fn draft(state: &State, prompt: &str) -> String {
    match state.composer.knows(prompt) {
        true => prompt.to_owned(),
        false => format!(" {prompt}"),
    }
}

/// What the revert took back, to be sent once more or changed. Never over what
/// is written there already.
fn prompted(state: &mut State, prompt: Option<String>) {
    if let Some(prompt) = prompt.filter(|_| state.composer.is_empty()) {
        let draft = draft(state, &prompt);
        state.composer.set(&draft);
    }
}

fn acted(state: &mut State, outcome: Outcome, effects: &mut Vec<Effect>) {
    let was = state.busy.take();
    match outcome {
        Outcome::Done => {}
        Outcome::Said(text) => say(state, Role::Text, &text),
        Outcome::Failed { message, hint } => {
            say(state, Role::Error, &message);
            if let Some(hint) = hint {
                say(state, Role::Dim, &hint);
            }
        }
        Outcome::Diff { text, remarks } => {
            let source = move |columns: usize| {
                let mut lines = shapes::diff(&text, Fold::Whole, columns);
                lines.extend(
                    remarks
                        .iter()
                        .flat_map(|remark| wrap(&Line::new(Role::Warning, remark), columns, 2)),
                );
                lines
            };
            let pager = Pager::new("What this session changed", Box::new(source), From::Start);
            state.open_page(pager);
        }
        Outcome::Page { title, text } => {
            let text: Rc<str> = Rc::from(text);
            let maker = move |columns| {
                let pieces = crate::markdown::pieces(Rc::clone(&text), columns);
                Box::new(pieces) as Pieces
            };
            let pager = Pager::in_pieces(&title, Box::new(maker), From::Start);
            state.open_page(pager);
        }
        Outcome::Ask(question) => {
            // The session is opened with the answer.
            state.busy = was.filter(|busy| matches!(busy, Busy::Opening { .. }));
            ask(state, *question, Asker::House, effects);
        }
        // The loop has taken the handle out; see `opened`.
        Outcome::Opened(session) => {
            opened(state, &session, effects);
            if let Some(Busy::Opening {
                draft: Some(prompt),
            }) = was
            {
                let draft = draft(state, &prompt);
                give_back(state, &[draft]);
            }
        }
        Outcome::Leave => effects.push(Effect::Leave(Leaving::Asked)),
        Outcome::Told { said, then } => {
            state.busy = was;
            said.iter().for_each(|said| say(state, Role::Dim, said));
            acted(state, *then, effects);
        }
    }
}

/// A prompt that was given at the start.
pub fn submit(state: &mut State, prompt: &str, effects: &mut Vec<Effect>) {
    submit::submit(state, prompt, effects);
}

/// Another session, or the first one.
pub fn opened(state: &mut State, session: &Opened, effects: &mut Vec<Effect>) {
    let columns = state.size.columns;
    state.flow.forget_all(columns);
    state.questions.clear();
    if matches!(state.overlay, Some(Overlay::Ask(_, Asker::Session))) {
        state.overlay = None;
    }
    state.run = None;
    state.queue.clear();
    state.meter = None;
    state.settings.clone_from(&session.settings);
    state.facts.clone_from(&session.facts);
    state.entries.clone_from(&session.entries);
    state.menu = Menu::new(session.entries.clone());
    state.flow.heading(heading(state, session));
    for event in &session.past {
        state.flow.past(event, columns, state.now);
    }
    state.flow.todo.clone_from(&session.todo);
    modes::ask(state, effects);
    effects.push(Effect::Ask(Query::Meter));
}

fn heading(state: &State, session: &Opened) -> Vec<Line> {
    let columns = state.size.columns;
    let settings = &session.settings;
    let mut first = Line::of([
        Span::new(Style::from(Role::Heading).bold(), "tenon"),
        Span::new(Role::Dim, &format!(" {}", session.facts.version)),
    ]);
    first.push(
        Role::Text,
        &format!("  {}/{}", settings.provider, settings.model),
    );
    first.push(Role::Dim, &format!("  {}", session.facts.root));
    let mut lines = wrap(&first, columns, 2);
    for remark in &session.remarks {
        lines.extend(wrap(&Line::new(Role::Dim, remark), columns, 2));
    }
    if !state.attachments.is_empty() {
        let text = format!(
            "{} with the first prompt",
            figures::count(state.attachments.len(), "image")
        );
        lines.push(Line::new(Role::Dim, &text).cut(columns));
    }
    if session.before > 0 {
        let text = format!(
            "… {} before; ctrl+t shows all",
            figures::count(session.before as usize, "run")
        );
        lines.push(Line::new(Role::Dim, &text).cut(columns));
    } else if session.past.is_empty() && !view::is_framed(state.size) {
        let keys = "/ commands · @ files · ! shell · ? help";
        lines.extend(wrap(&Line::new(Role::Dim, keys), columns, 2));
    }
    lines
}

/// A question comes before everything else, and waits for the one before it.
pub(crate) fn ask(state: &mut State, question: Question, asker: Asker, effects: &mut Vec<Effect>) {
    if state.wants_notice() {
        effects.push(Effect::Notify(question.title.clone()));
    }
    state.questions.push_back((question, asker));
    next_question(state);
}

pub(crate) fn next_question(state: &mut State) {
    if matches!(state.overlay, Some(Overlay::Ask(..))) {
        return;
    }
    if let Some((question, asker)) = state.questions.pop_front() {
        if matches!(state.overlay, Some(Overlay::Pick(_, Purpose::Theme))) {
            keys::theme_as_before(state);
        }
        let ask = state.next_ask(question);
        state.overlay = Some(Overlay::Ask(Box::new(ask), asker));
    }
}
