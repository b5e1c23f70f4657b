//! The `/` commands that need no engine, and what is said about the others.

use super::input::Enter;
use super::session::Live;
use super::{Next, Repl, prompts};
use crate::commands::sessions::search::shown as found;
use crate::commands::sessions::{Ids, Open, age, diff, export, fork};
use crate::error::CliError;
use crate::place::Place;
use crate::render::lines::shorten;
use crate::screen::{Paint, complain, print};
use crate::signals::Asked;
use crate::talk::{self, init};
use tenon_engine::prompt::RULES;
use tenon_engine::slash::{Local, Pinning, SLASH};
use tenon_engine::{Ambient, RealAmbient};
use tenon_session::ListFilter;
use tenon_vocab::{Command, Printable, Reply, SessionId, SettingsChange, TableReply};

pub async fn act(repl: &mut Repl, live: &mut Live, command: Local) -> Result<Next, CliError> {
    match command {
        Local::Help => complain(&help()),
        Local::Sessions => sessions(&repl.place, live.id()),
        Local::Export(to) => export(&repl.place, live, to.as_deref())?,
        Local::Init => init(repl).await?,
        Local::Mode(wanted) => complain(talk::mode(wanted.as_deref())),
        Local::Effort => complain(&talk::say_effort(&live.settings)),
        Local::Theme(_) => complain("Lines have no theme: colours are those of your terminal."),
        Local::Search(text) => complain(&search(&repl.place, text).await?),
        Local::Rename(title) => settings(repl, live, renamed(title)).await,
        Local::Pin(how) => settings(repl, live, pinned(live, how)).await,
        Local::History => complain(&prompts::listed(&repl.place, live)?),
        Local::Diff => changes(&repl.place, live, repl.paint)?,
        Local::Handoff(goal) => return handoff(repl, live, goal.as_deref()).await,
        Local::Exit => return Ok(Next::Leave),
        Local::Clear | Local::New | Local::Resume(_) => {
            return Ok(Next::Start(
                talk::another(live.talk(), &live.settings, command).await?,
            ));
        }
        Local::Fork(at) => {
            let wanted = talk::another(live.talk(), &live.settings, command).await?;
            complain(&fork::told(at));
            return Ok(Next::Start(wanted));
        }
    }
    Ok(Next::Stay)
}

pub fn renamed(title: String) -> SettingsChange {
    SettingsChange {
        title: Some(title),
        ..SettingsChange::default()
    }
}

pub fn pinned(live: &Live, how: Pinning) -> SettingsChange {
    SettingsChange {
        pinned: Some(match how {
            Pinning::On => true,
            Pinning::Off => false,
            Pinning::Toggle => !live.settings.pinned,
        }),
        ..SettingsChange::default()
    }
}

/// The engine has the log: it writes what the session is called.
async fn settings(repl: &mut Repl, live: &mut Live, change: SettingsChange) {
    live.handle.commands.send(Command::Settings(change));
    repl.switched(live).await;
}

fn changes(place: &Place, live: &Live, paint: Paint) -> Result<(), CliError> {
    let id = live.talk().saved("it cannot be compared")?;
    let told = diff::told(place, id, diff::Form::Patch)?;
    print(&told.painted(paint))?;
    for remark in &told.remarks {
        complain(&Printable::block(remark).into_string());
    }
    Ok(())
}

pub fn help() -> String {
    let mut lines: Vec<String> = SLASH
        .iter()
        .map(|own| {
            let usage = format!("/{} {}", own.name, own.argument);
            let others: Vec<String> = own.aliases.iter().map(|name| format!("/{name}")).collect();
            let others = match others.as_slice() {
                [] => String::new(),
                others => format!(" (also {})", others.join(", ")),
            };
            format!("  {usage:<22}{}{others}", own.what)
        })
        .collect();
    lines.push(String::new());
    for (keys, what) in [
        (
            "!COMMAND",
            "run it; the model reads what it printed with the next prompt",
        ),
        ("@PATH", "name a file; Tab completes it"),
        ("\\ and Enter", "a new line; so do Alt+Enter and Ctrl+J"),
        (
            "Up and Down, Ctrl+R",
            "go through what you typed before; search in it",
        ),
        ("Ctrl+C", "clear the input; stop a run; twice leaves"),
        ("Ctrl+D", "leave"),
    ] {
        lines.push(format!("  {keys:<22}{what}"));
    }
    lines.push(String::from(
        "While a run goes on, what you type is given to the model at its next step.",
    ));
    lines.join("\n")
}

/// The sessions of this directory, the newest first, the current one marked.
pub fn sessions(place: &Place, current: SessionId) {
    let listing = place.store().list(&ListFilter {
        cwd: Some(place.root_text()),
    });
    let (now, ids) = (RealAmbient.now(), Ids::of(listing.ids));
    let open = Open::among(&place.store(), &listing.sessions);
    let rows = listing
        .sessions
        .iter()
        .filter(|summary| summary.runs > 0 || summary.id == current)
        .map(|summary| {
            let mark = if summary.id == current { "*" } else { "" };
            vec![
                mark.to_owned(),
                ids.short(summary.id),
                age(summary.updated, now),
                summary.runs.to_string(),
                match open.mark(summary.id) {
                    mark if mark.is_empty() => shorten(&summary.title, 60),
                    mark => format!("{} ({mark})", shorten(&summary.title, 60)),
                },
            ]
        })
        .collect();
    let table = Reply::Table(TableReply {
        columns: ["", "session", "last", "runs", "title"]
            .map(String::from)
            .to_vec(),
        rows,
        note: Some(String::from("/resume ID goes on with one.")),
    });
    complain(&super::table::reply(&table, super::table::width()));
}

async fn search(place: &Place, text: String) -> Result<String, CliError> {
    let (place, width) = (place.clone(), super::table::width());
    talk::aside(move || found(&place, text, width)).await
}

fn export(place: &Place, live: &Live, to: Option<&str>) -> Result<(), CliError> {
    let id = live.talk().saved("there is nothing to export")?;
    let reading = place.store().read(id)?;
    let path = to.map(|to| place.root.join(to));
    export::write(place, &reading, None, path.as_deref(), export::Over::Never).map(drop)
}

async fn init(repl: &mut Repl) -> Result<(), CliError> {
    let path = init::place(&repl.place.root)?;
    let draft = init::draft(&repl.place.root);
    print(Printable::block(&draft).as_str())?;
    let label = format!("Write this to {RULES}? [y/N] ");
    let keyboard = &mut repl.keyboard;
    let is_wanted = keyboard.confirm(&mut repl.signals, &label, Enter::No).await;
    complain(&match is_wanted {
        true => init::write(&path, &draft)?,
        false => init::NOT_WRITTEN.to_owned(),
    });
    Ok(())
}

async fn handoff(repl: &mut Repl, live: &Live, goal: Option<&str>) -> Result<Next, CliError> {
    let page = tokio::select! {
        biased;
        asked = repl.signals.next() => {
            complain("Stopped; nothing was written.");
            return Ok(match asked {
                Asked::Interrupt => Next::Stay,
                Asked::End => Next::Leave,
            });
        }
        page = talk::handoff::page(live.talk(), goal) => page?,
    };
    print(Printable::block(&page).as_str())?;
    complain(&talk::handoff::again(live.id(), goal));
    Ok(Next::Stay)
}
