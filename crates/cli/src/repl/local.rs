//! The `/` commands that need no engine, and what is said about the others.

use super::input::Enter;
use super::session::{Kept, Live};
use super::{Next, Repl, handoff, init, prompts};
use crate::assemble::Session;
use crate::commands::sessions::search::shown as found;
use crate::commands::sessions::{Ids, Open, age, diff, export, fork};
use crate::error::CliError;
use crate::place::Place;
use crate::render::lines::shorten;
use crate::screen::{Paint, complain, print};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use tenon_engine::prompt::RULES;
use tenon_engine::slash::{Local, Pinning, SLASH};
use tenon_engine::{Ambient, RealAmbient};
use tenon_session::ListFilter;
use tenon_vocab::{Command, Printable, Reply, SessionId, SettingsChange, TableReply, effort};

pub async fn act(repl: &mut Repl, live: &mut Live, command: Local) -> Result<Next, CliError> {
    match command {
        Local::Help => complain(&help()),
        Local::Sessions => sessions(&repl.place, live.id()),
        Local::Export(to) => export(&repl.place, live, to.as_deref())?,
        Local::Init => init(repl).await?,
        Local::Mode(wanted) => complain(mode(wanted.as_deref())),
        Local::Effort => complain(&effort(live)),
        Local::Theme(_) => complain("Lines have no theme: colours are those of your terminal."),
        Local::Search(text) => complain(&search(&repl.place, text).await?),
        Local::Fork(at) => return copied(&repl.place, live, at),
        Local::Rename(title) => settings(repl, live, renamed(title)).await,
        Local::Pin(how) => settings(repl, live, pinned(live, how)).await,
        Local::History => complain(&prompts::listed(&repl.place, live)?),
        Local::Diff => changes(&repl.place, live, repl.paint)?,
        Local::Handoff(goal) => return handoff::show(repl, live, goal.as_deref()).await,
        Local::Exit => return Ok(Next::Leave),
        Local::Clear => return Ok(Next::Start(live.kept.anew(), Settings::Same)),
        Local::New => return Ok(Next::Start(live.kept.anew(), Settings::Reread)),
        Local::Resume(wanted) => {
            let id = resumable(&repl.place, live.id(), wanted.as_deref())?;
            return Ok(Next::Start(Session::Existing(id), Settings::Reread));
        }
    }
    Ok(Next::Stay)
}

/// On in a copy of this session, whole or up to a message.
fn copied(place: &Place, live: &Live, at: Option<u32>) -> Result<Next, CliError> {
    refuse_unsaved(live, "copied")?;
    let id = live.id();
    let seq = at
        .map(|number| fork::message(&place.store(), id, number))
        .transpose()?;
    complain(&fork::told(at));
    Ok(Next::Start(Session::Fork(id, seq), Settings::Same))
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
    refuse_unsaved(live, "compared")?;
    let told = diff::told(place, live.id(), diff::Form::Patch)?;
    print(&told.painted(paint))?;
    for remark in &told.remarks {
        complain(&Printable::block(remark).into_string());
    }
    Ok(())
}

fn refuse_unsaved(live: &Live, what: &str) -> Result<(), CliError> {
    match live.kept {
        Kept::Never => Err(CliError::usage(format!(
            "nothing of this session is kept (--no-save), so it cannot be {what}"
        ))),
        Kept::IfUsed | Kept::Always => Ok(()),
    }
}

/// Which settings a session is started with (U9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settings {
    Same,
    Reread,
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

pub fn unknown(name: &str, nearest: Option<String>) -> String {
    let name = Printable::line(name);
    match nearest {
        Some(nearest) => format!("There is no /{name}. Did you mean /{nearest}?"),
        None => format!("There is no /{name}. /help lists the commands."),
    }
}

pub fn effort(live: &Live) -> String {
    say_effort(&live.settings)
}

/// How hard the model thinks, and how that is changed.
pub fn say_effort(settings: &tenon_vocab::Settings) -> String {
    let now = settings.effort.as_deref().unwrap_or(effort::DEFAULT);
    format!(
        "The effort is {}. /effort LEVEL changes it: {}, {}, or what the server knows.",
        Printable::line(now),
        effort::LEVELS.join(", "),
        effort::DEFAULT
    )
}

pub fn mode(wanted: Option<&str>) -> &'static str {
    match wanted {
        None | Some("single") => "The mode is single: one agent does the work.",
        Some("multi") => "The mode stays single: agents cannot delegate in this version.",
        Some(_) => "There are the modes single and multi; in this version only single works.",
    }
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

/// The first search may read much, so the runtime is not kept waiting.
async fn search(place: &Place, text: String) -> Result<String, CliError> {
    let (place, width) = (place.clone(), super::table::width());
    tokio::task::spawn_blocking(move || found(&place, text, width))
        .await
        .map_err(|_| CliError::runtime("the search broke off; try it again"))?
}

/// The session that is meant; without a name the last other one of this directory.
pub fn resumable(
    place: &Place,
    current: SessionId,
    wanted: Option<&str>,
) -> Result<SessionId, CliError> {
    let found = match wanted {
        Some(text) => place.store().find(text)?,
        None => {
            let store = place.store();
            let listing = store.list(&ListFilter {
                cwd: Some(place.root_text()),
            });
            let mut others = listing
                .sessions
                .iter()
                .filter(|summary| summary.id != current && summary.runs > 0);
            // One that is open elsewhere is refused, and named, only where there
            // is no other.
            let last = others.clone().next();
            let free = others.find(|summary| store.open_elsewhere(summary.id).is_none());
            free.or(last).map(|summary| summary.id).ok_or_else(|| {
                CliError::runtime("there is no other session of this directory to resume")
            })?
        }
    };
    if found == current {
        return Err(CliError::usage("this is the session that you are in"));
    }
    Ok(found)
}

fn export(place: &Place, live: &Live, to: Option<&str>) -> Result<(), CliError> {
    if live.kept == Kept::Never {
        return Err(CliError::usage(
            "nothing of this session is kept (--no-save), so there is nothing to export",
        ));
    }
    let reading = place.store().read(live.id())?;
    let path = to.map(|to| place.root.join(to));
    export::write(place, &reading, None, path.as_deref(), export::Over::Never).map(drop)
}

async fn init(repl: &mut Repl) -> Result<(), CliError> {
    let path = repl.place.root.join(RULES);
    if path.symlink_metadata().is_ok() {
        return Err(
            CliError::usage(format!("{} is there already", path.display()))
                .with_hint("Ask the model to improve it, or edit it yourself."),
        );
    }
    let draft = init::draft(&repl.place.root);
    print(Printable::block(&draft).as_str())?;
    let label = "Write this to AGENTS.md? [y/N] ";
    if repl
        .keyboard
        .confirm(&mut repl.signals, label, Enter::No)
        .await
    {
        write_new(&path, &draft)?;
        complain("AGENTS.md was written. It is read by the next session: /new starts one.");
    } else {
        complain("Nothing was written.");
    }
    Ok(())
}

/// Never over something that is there.
pub fn write_new(path: &Path, text: &str) -> Result<(), CliError> {
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| {
        CliError::runtime(format!("{} cannot be written: {error}", path.display()))
    })
}
