//! A line was sent: what it means decides what becomes of it. While a run goes
//! on a prompt is a word in between, what only reads acts at once, and the rest
//! says why it has to wait (U11).

use super::keys::pick;
use super::{say, send};
use crate::input::{Effect, Leaving};
use crate::overlay::help;
use crate::overlay::pager::{From, Pager};
use crate::overlay::picker::Picker;
use crate::state::{Overlay, Purpose, State};
use crate::text::Role;
use tenon_vocab::slash::{Line as Meaning, Local, Pinning};
use tenon_vocab::{Command, Query, SettingsChange, Switch};

pub(super) fn submit(state: &mut State, text: &str, effects: &mut Vec<Effect>) {
    let text = text.trim();
    match (state.read)(text) {
        Meaning::Nothing => {}
        Meaning::Wrong(what) => {
            // It is given back: only a letter may be wrong.
            state.composer.set(text);
            say(state, Role::Warning, &what);
        }
        Meaning::Query(query) => ask(state, query, effects),
        Meaning::Local(command) => local(state, text, command, effects),
        Meaning::Command(command) => give(state, text, command, effects),
    }
}

fn ask(state: &mut State, query: Query, effects: &mut Vec<Effect>) {
    if query == Query::Models {
        let picker = Picker::new("Models", None);
        state.overlay = Some(Overlay::Pick(Box::new(picker), Purpose::Model));
    }
    effects.push(Effect::Ask(query));
}

fn give(state: &mut State, text: &str, command: Command, effects: &mut Vec<Effect>) {
    // Control commands do not enter the history (U11).
    if matches!(
        command,
        Command::Prompt { .. }
            | Command::Shell { .. }
            | Command::Skill { .. }
            | Command::Custom { .. }
    ) {
        state.composer.sent(text);
        effects.push(Effect::Remember(text.to_owned()));
    }
    let command = match command {
        Command::Prompt { text, .. } if state.run.is_some() => Command::Steer { text },
        Command::Prompt { text, .. } => Command::Prompt {
            text,
            attachments: std::mem::take(&mut state.attachments),
        },
        Command::Interrupt if state.run.is_none() => {
            return say(state, Role::Dim, "Nothing is running.");
        }
        other => other,
    };
    if state.run.is_some() && waits(&command) {
        say(state, Role::Dim, &format!("({text}: after this run)"));
    }
    send(state, command, effects);
}

/// Whether the engine does it only when the run is over.
fn waits(command: &Command) -> bool {
    matches!(
        command,
        Command::Compact { .. }
            | Command::Undo
            | Command::Redo
            | Command::Revert { .. }
            | Command::Skill { .. }
            | Command::Custom { .. }
    )
}

fn local(state: &mut State, text: &str, command: Local, effects: &mut Vec<Effect>) {
    match command {
        Local::Help => return help(state),
        Local::Exit => return effects.push(Effect::Leave(Leaving::Asked)),
        Local::Sessions | Local::Resume(None) if state.run.is_none() => {
            return pick(state, Purpose::Resume, "Resume a session", effects);
        }
        Local::History if state.run.is_none() => {
            return pick(state, Purpose::GoBack, "Go back to before", effects);
        }
        Local::Theme(None) => return pick(state, Purpose::Theme, "Theme", effects),
        Local::Theme(Some(name)) => return theme(state, &name, effects),
        Local::Rename(title) => {
            let change = SettingsChange {
                title: Some(title),
                ..SettingsChange::default()
            };
            return effects.push(Effect::Send(Command::Settings(change)));
        }
        Local::Pin(how) => {
            let pinned = match how {
                Pinning::On => true,
                Pinning::Off => false,
                Pinning::Toggle => !state.settings.pinned,
            };
            let change = SettingsChange {
                pinned: Some(pinned),
                ..SettingsChange::default()
            };
            return effects.push(Effect::Send(Command::Settings(change)));
        }
        _ => {}
    }
    if state.run.is_some() && !reads_only(&command) {
        let name = text.split_whitespace().next().unwrap_or_default();
        let why = format!("{name} has to wait: a run is going on. Esc stops it.");
        return say(state, Role::Warning, &why);
    }
    state.busy = Some(doing(&command));
    effects.push(Effect::Act(command));
}

/// What changes neither the session nor which one is open.
fn reads_only(command: &Local) -> bool {
    matches!(
        command,
        Local::Search(_) | Local::Diff | Local::Effort | Local::Mode(None) | Local::Export(_)
    )
}

fn doing(command: &Local) -> &'static str {
    match command {
        Local::Search(_) => "searching",
        Local::Handoff(_) => "writing the handoff",
        Local::Diff => "comparing",
        Local::Clear | Local::New | Local::Resume(_) | Local::Fork(_) => "opening the session",
        _ => "working",
    }
}

fn theme(state: &mut State, name: &str, effects: &mut Vec<Effect>) {
    if crate::theme::Theme::NAMES
        .iter()
        .any(|(known, _)| *known == name)
    {
        name.clone_into(&mut state.wishes.theme);
        state.theme_before = None;
        effects.push(Effect::Themed(name.to_owned()));
    } else {
        let names: Vec<&str> = crate::theme::Theme::NAMES
            .iter()
            .map(|(name, _)| *name)
            .collect();
        let text = format!(
            "There is no theme `{name}`. There are: {}.",
            names.join(", ")
        );
        say(state, Role::Warning, &text);
    }
}

pub(super) fn help(state: &mut State) {
    let entries = state.entries.clone();
    let source = move |columns: usize| help::lines(&entries, columns);
    let pager = Pager::new("Help", Box::new(source), From::Start);
    state.open_page(pager);
}

/// A row of a list was picked.
pub(super) fn picked(
    state: &mut State,
    purpose: Purpose,
    id: &str,
    label: Option<String>,
    effects: &mut Vec<Effect>,
) {
    match purpose {
        Purpose::Resume => {
            state.busy = Some("opening the session");
            effects.push(Effect::Act(Local::Resume(Some(id.to_owned()))));
        }
        Purpose::GoBack => go_back(state, id, label, effects),
        Purpose::Model => effects.push(Effect::Send(Command::Switch(Switch {
            model: Some(id.to_owned()),
            ..Switch::default()
        }))),
        Purpose::Theme => theme(state, id, effects),
    }
    super::next_question(state);
}

/// A copy of the session that ends before the prompt, which is to be edited.
fn go_back(state: &mut State, id: &str, label: Option<String>, effects: &mut Vec<Effect>) {
    let Ok(number) = id.parse::<u32>() else {
        return;
    };
    state.draft = label;
    say(
        state,
        Role::Dim,
        "On in a copy from there. Files stay as they are: /undo in the session before takes its changes back.",
    );
    state.busy = Some("opening the session");
    effects.push(Effect::Act(match number {
        0 | 1 => Local::Clear,
        number => Local::Fork(Some(number - 1)),
    }));
}
