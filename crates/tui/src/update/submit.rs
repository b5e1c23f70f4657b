//! A line was sent: what it means decides what becomes of it. While a run goes
//! on a prompt is a word in between, what only reads acts at once, and the rest
//! says why it has to wait (U11).

use super::images;
use super::keys::{self, pick};
use super::say;
use crate::composer::Aim;
use crate::input::{Effect, Leaving};
use crate::overlay::help;
use crate::overlay::pager::{From, Pager};
use crate::overlay::picker::Picker;
use crate::state::{Busy, Overlay, Purpose, Queued, State};
use crate::text::Role;
use tenon_vocab::slash::{Line as Meaning, Local};
use tenon_vocab::{Command, PermissionMode, Query, SettingsChange, Switch, Turn};

pub(super) fn submit(state: &mut State, typed: &str, effects: &mut Vec<Effect>) {
    let text = typed.trim();
    let meaning = (state.read)(text);
    // It would be said to the session that goes, and be lost with it.
    let leaves = matches!(meaning, Meaning::Local(Local::Exit | Local::Help));
    if !leaves && state.is_opening() {
        state.composer.set(typed);
        return state.hint("One moment: opening the other session");
    }
    // Control commands do not enter the history (U11), and what begins with a `!`
    // there was run.
    if meaning.is_remembered(typed) && !text.starts_with(Aim::SIGN) {
        let text = typed.trim_end();
        state.composer.sent(text);
        effects.push(Effect::Remember(text.to_owned()));
    }
    if is_echoed(&meaning) {
        let columns = state.size.columns;
        state.flow.echo(text, columns);
    }
    match meaning {
        Meaning::Nothing => {}
        Meaning::Wrong(what) => {
            // It is given back: only a letter may be wrong.
            state.composer.set(typed);
            say(state, Role::Warning, &what);
        }
        Meaning::Query(query) => ask(state, query, effects),
        Meaning::Local(command) => local(state, text, command, effects),
        Meaning::Command(command) => give(state, typed, command, effects),
    }
}

/// Whether a line is repeated where its answer will stand: a prompt and what
/// becomes one come back as messages, and of some nothing is to be read.
fn is_echoed(meaning: &Meaning) -> bool {
    match meaning {
        Meaning::Query(_) => true,
        Meaning::Local(command) => !matches!(
            command,
            Local::Exit | Local::Help | Local::Clear | Local::New
        ),
        Meaning::Command(command) => !matches!(
            command,
            Command::Prompt { .. }
                | Command::Steer { .. }
                | Command::Shell { .. }
                | Command::Custom { .. }
        ),
        Meaning::Nothing | Meaning::Wrong(_) => false,
    }
}

/// A command for the shell was sent.
pub(super) fn run(state: &mut State, typed: &str, effects: &mut Vec<Effect>) {
    if state.is_opening() {
        state.composer.set_command(typed);
        return state.hint("One moment: opening the other session");
    }
    let command = Command::Shell {
        command: typed.trim().to_owned(),
    };
    if Meaning::Command(command.clone()).is_remembered(typed) {
        let text = format!("{}{}", Aim::SIGN, typed.trim_end());
        state.composer.sent(&text);
        effects.push(Effect::Remember(text));
    }
    give(state, typed, command, effects);
}

fn ask(state: &mut State, query: Query, effects: &mut Vec<Effect>) {
    let list = match &query {
        Query::Models => Some((String::from("Models"), Purpose::Model)),
        Query::ModelsOf { provider } => Some((format!("Models of {provider}"), Purpose::Model)),
        Query::Providers => Some((String::from("Providers"), Purpose::Provider)),
        Query::Agents => Some((String::from("Agents"), Purpose::Agent)),
        Query::Modes => Some((String::from("Permission mode"), Purpose::Mode)),
        _ => None,
    };
    if let Some((title, purpose)) = list {
        let picker = Picker::new(&title, None);
        state.overlay = Some(Overlay::Pick(Box::new(picker), purpose));
    }
    effects.push(Effect::Ask(query));
}

fn give(state: &mut State, typed: &str, command: Command, effects: &mut Vec<Effect>) {
    let command = match command {
        Command::Prompt { text, .. } if state.run.is_some() => {
            images::wait(state, &text);
            Command::Steer { text }
        }
        Command::Prompt { text, .. } => {
            let attachments = images::of(state, &text);
            Command::Prompt { text, attachments }
        }
        Command::Interrupt if state.run.is_none() => {
            return say(state, Role::Dim, "Nothing is running.");
        }
        // As Esc does: what waits comes back, or nobody would ever send it.
        Command::Interrupt => return keys::stop(state, effects),
        other => other,
    };
    let aim = match &command {
        Command::Prompt { .. } | Command::Steer { .. } => Some(Aim::Model),
        Command::Shell { .. } => Some(Aim::Shell),
        _ => None,
    };
    match aim {
        // Shown until it is a part of the conversation.
        Some(aim) => state.queue.push(Queued {
            aim,
            typed: typed.trim_end().to_owned(),
        }),
        None if state.run.is_some() && command.turn() == Turn::After => {
            let text = typed.trim();
            say(state, Role::Dim, &format!("({text}: after this run)"));
        }
        None => {}
    }
    effects.push(Effect::Send(command));
}

/// Whether the program around can be asked for something now; it says so if not.
pub(super) fn is_free(state: &mut State) -> bool {
    let Some(busy) = &state.busy else {
        return true;
    };
    let said = format!("One moment: {}", busy.word());
    state.hint(&said);
    false
}

fn local(state: &mut State, text: &str, command: Local, effects: &mut Vec<Effect>) {
    if state.run.is_some() && command.turn() != Turn::AtOnce {
        return waits(state, text.split_whitespace().next().unwrap_or_default());
    }
    match command {
        Local::Help => return help(state),
        Local::Exit => return effects.push(Effect::Leave(Leaving::Asked)),
        Local::Sessions | Local::Resume(None) => {
            let title = match state.run {
                None => "Resume a session",
                Some(_) => "Sessions",
            };
            return pick(state, Purpose::Resume, title, effects);
        }
        Local::History => {
            let title = match state.run {
                None => "Go back in a copy, to before",
                Some(_) => "Prompts",
            };
            return pick(state, Purpose::GoBack, title, effects);
        }
        Local::Theme(None) => return pick(state, Purpose::Theme, "Theme", effects),
        Local::Theme(Some(name)) => return theme(state, &name, effects),
        Local::Rename(title) => {
            let change = SettingsChange::renamed(title);
            return effects.push(Effect::Send(Command::Settings(change)));
        }
        Local::Pin(how) => {
            let change = SettingsChange::pinned(&state.settings, how);
            return effects.push(Effect::Send(Command::Settings(change)));
        }
        Local::Clear
        | Local::New
        | Local::Resume(Some(_))
        | Local::Export(_)
        | Local::Init
        | Local::Effort
        | Local::Fork(_)
        | Local::Search(_)
        | Local::Diff
        | Local::Handoff(_) => {}
    }
    if !is_free(state) {
        // It is given back: it can be sent in a moment.
        return state.composer.set(text);
    }
    state.busy = Some(doing(&command));
    effects.push(Effect::Act(command));
}

/// What needs the session for itself cannot be done now.
fn waits(state: &mut State, what: &str) {
    let why = format!("{what} has to wait until the run ends. Esc stops the run.");
    say(state, Role::Warning, &why);
}

/// What the program around is at with a command.
fn doing(command: &Local) -> Busy {
    Busy::With(match command {
        Local::Clear | Local::New | Local::Resume(_) | Local::Fork(_) => {
            return Busy::Opening { draft: None };
        }
        Local::Search(_) => "searching",
        Local::Diff => "comparing",
        Local::Export(_) => "exporting",
        Local::Effort => "looking",
        Local::Handoff(_) => "writing the handoff",
        Local::Init => "drafting",
        // The interface does the others itself.
        Local::Sessions
        | Local::History
        | Local::Help
        | Local::Exit
        | Local::Theme(_)
        | Local::Rename(_)
        | Local::Pin(_) => "working",
    })
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
        // The list was looked at; the session is not free to be left.
        Purpose::Resume if state.run.is_some() => waits(state, "/resume"),
        Purpose::GoBack if state.run.is_some() => waits(state, "Going back"),
        Purpose::Resume => {
            state.busy = Some(Busy::Opening { draft: None });
            effects.push(Effect::Act(Local::Resume(Some(id.to_owned()))));
        }
        Purpose::GoBack => go_back(state, id, label, effects),
        Purpose::Model => effects.push(Effect::Send(Command::Switch(Switch {
            model: Some(id.to_owned()),
            ..Switch::default()
        }))),
        Purpose::Agent => effects.push(Effect::Send(Command::Switch(Switch {
            agent: Some(id.to_owned()),
            ..Switch::default()
        }))),
        Purpose::Mode => {
            let mode = PermissionMode::named(id).map(SettingsChange::permission_mode);
            effects.extend(mode.map(|change| Effect::Send(Command::Settings(change))));
        }
        Purpose::Provider => {
            let provider = id.to_owned();
            return ask(state, Query::ModelsOf { provider }, effects);
        }
        Purpose::Theme => theme(state, id, effects),
    }
    super::next_question(state);
}

/// A copy of the session that ends before the prompt, which is to be edited.
fn go_back(state: &mut State, id: &str, label: Option<String>, effects: &mut Vec<Effect>) {
    let Ok(number) = id.parse::<u32>() else {
        return;
    };
    say(
        state,
        Role::Dim,
        "This is a copy that ends there. Files stay as they are; /undo in the original session undoes its changes.",
    );
    state.busy = Some(Busy::Opening { draft: label });
    effects.push(Effect::Act(match number {
        0 | 1 => Local::Clear,
        number => Local::Fork(Some(number - 1)),
    }));
}
