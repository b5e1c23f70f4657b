//! The `/` commands that need no engine, and what is said about the others.

use super::session::Live;
use super::{Next, Repl, prompts};
use crate::commands::sessions::search::shown as found;
use crate::commands::sessions::{diff, export, fork};
use crate::error::CliError;
use crate::place::Place;
use crate::render::lines::shorten;
use crate::render::wrap;
use crate::screen::{Paint, complain, print};
use crate::signals::Asked;
use crate::talk::{self, Talk, init, lists};
use tenon_engine::prompt::RULES;
use tenon_engine::slash::{Local, SLASH};
use tenon_vocab::{Command, Printable, Reply, SessionId, SettingsChange, TableReply};

pub async fn act(repl: &mut Repl, live: &mut Live, command: Local) -> Result<Next, CliError> {
    match command {
        Local::Help => complain(&help()),
        Local::Sessions => sessions(&repl.place, live.id()),
        Local::Export(to) => export(live.talk(), to)?.await?.show()?,
        Local::Init => init(repl).await?,
        Local::Effort => complain(&talk::say_effort(&live.settings)),
        Local::Theme(_) => complain(NO_THEME),
        Local::Search(text) => search(live.talk(), text).await?.show()?,
        Local::Rename(title) => settings(repl, live, SettingsChange::renamed(title)).await,
        Local::Pin(how) => {
            let change = SettingsChange::pinned(&live.settings, how);
            settings(repl, live, change).await;
        }
        Local::History => complain(&prompts::listed(&repl.place, live)?),
        Local::Diff => changes(live.talk(), repl.paint)?.await?.show()?,
        Local::Handoff(goal) => return handoff(repl, live, goal.as_deref()).await,
        Local::Exit => return Ok(Next::Leave),
        Local::Clear | Local::New | Local::Resume(_) => {
            let wanted = talk::another(live.talk(), &live.settings, command).await?;
            return Ok(Next::Start(Box::new(wanted)));
        }
        Local::Fork(at) => {
            let wanted = talk::another(live.talk(), &live.settings, command).await?;
            complain(&fork::told(at));
            return Ok(Next::Start(Box::new(wanted)));
        }
    }
    Ok(Next::Stay)
}

/// The engine has the log: it writes what the session is called.
async fn settings(repl: &mut Repl, live: &mut Live, change: SettingsChange) {
    live.handle.commands.send(Command::Settings(change));
    repl.switched(live).await;
}

/// What a command that only reads has found: a page for standard output, and
/// what is said beside it.
#[derive(Debug, Default)]
pub struct Shown {
    page: String,
    said: String,
}

/// Such a command at work, on a thread of its own: it may take as long as it
/// likes, also while a run goes on.
pub trait Looking: Future<Output = Result<Shown, CliError>> + Send + 'static {}

impl<F: Future<Output = Result<Shown, CliError>> + Send + 'static> Looking for F {}

impl Shown {
    fn said(said: String) -> Self {
        Self {
            page: String::new(),
            said,
        }
    }

    pub fn show(&self) -> Result<(), CliError> {
        if !self.page.is_empty() {
            print(&self.page)?;
        }
        if !self.said.is_empty() {
            complain(&self.said);
        }
        Ok(())
    }
}

pub const NO_THEME: &str = "There are no themes with --plain: the colours are your terminal's.";

pub fn changes(talk: &Talk, paint: Paint) -> Result<impl Looking, CliError> {
    let id = talk.saved("it can't be compared")?;
    let place = talk.place.clone();
    Ok(talk::aside(move || {
        let told = diff::told(&place, id, diff::Form::Patch)?;
        let remarks = told.remarks.join("\n");
        Ok(Shown {
            page: told.painted(paint),
            said: Printable::block(&remarks).into_string(),
        })
    }))
}

/// No word of it is broken.
pub fn help() -> String {
    let columns = wrap::columns();
    let mut lines: Vec<String> = SLASH
        .iter()
        .flat_map(|own| {
            let usage = format!("/{} {}", own.name, own.argument);
            let others: Vec<String> = own.aliases.iter().map(|name| format!("/{name}")).collect();
            let others = match others.as_slice() {
                [] => String::new(),
                others => format!(" (also {})", others.join(", ")),
            };
            let what = format!("{}{others}", own.what);
            wrap::hanging(&format!("  {usage:<22}"), &what, columns)
        })
        .collect();
    lines.push(String::new());
    for (keys, what) in [
        (
            "!COMMAND",
            "run it; the model gets its output with the next prompt",
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
        lines.extend(wrap::hanging(&format!("  {keys:<22}"), what, columns));
    }
    lines.push(wrap::paragraphs(
        "During a run, what you type goes to the model at its next step.",
        columns,
    ));
    lines.join("\n")
}

/// The sessions of this directory, the newest first, the current one marked.
pub fn sessions(place: &Place, current: SessionId) {
    let rows = lists::sessions(place, Some(current))
        .into_iter()
        .map(|session| {
            let mark = if session.id == current { "*" } else { "" };
            let title = shorten(&session.title, 60);
            vec![
                mark.to_owned(),
                session.short,
                session.last,
                session.runs.to_string(),
                match session.open.as_str() {
                    "" => title,
                    open => format!("{title} ({open})"),
                },
            ]
        })
        .collect();
    let table = Reply::Table(TableReply {
        columns: ["", "session", "last", "runs", "title"]
            .map(String::from)
            .to_vec(),
        rows,
        note: Some(String::from("/resume ID continues one.")),
    });
    complain(&super::table::reply(&table, super::table::width()));
}

pub fn search(talk: &Talk, text: String) -> impl Looking {
    let (place, width) = (talk.place.clone(), super::table::width());
    let found = talk::aside(move || found(&place, text, width));
    async move { found.await.map(Shown::said) }
}

pub fn export(talk: &Talk, to: Option<String>) -> Result<impl Looking, CliError> {
    let id = talk.saved("there is nothing to export")?;
    let place = talk.place.clone();
    Ok(talk::aside(move || {
        let reading = place.store().read(id)?;
        let path = to.map(|to| place.root.join(to));
        let over = export::Over::Never;
        match path {
            Some(path) => {
                let said = export::to_file(&place, &reading, None, &path, over)?;
                Ok(Shown::said(said.join("\n")))
            }
            // As it is read: a session may be long.
            None => export::write(&place, &reading, None, None, over).map(|_| Shown::default()),
        }
    }))
}

async fn init(repl: &mut Repl) -> Result<(), CliError> {
    let path = init::place(&repl.place.root)?;
    let draft = init::draft(&repl.place.root);
    print(Printable::block(&draft).as_str())?;
    let label = format!("Write this to {RULES}? [y/N] ");
    let keyboard = &mut repl.keyboard;
    let is_wanted = keyboard.consent(&mut repl.signals, &label).await;
    complain(&match is_wanted {
        true => init::write(&path, &draft)?,
        false => init::NOT_WRITTEN.to_owned(),
    });
    Ok(())
}

async fn handoff(repl: &mut Repl, live: &Live, goal: Option<&str>) -> Result<Next, CliError> {
    let (page, said) = tokio::select! {
        biased;
        asked = repl.signals.next() => {
            complain("Stopped. Nothing was written.");
            return Ok(match asked {
                Asked::Interrupt => Next::Stay,
                Asked::End => Next::Leave,
            });
        }
        page = talk::handoff::page(live.talk(), goal) => page?,
    };
    print(Printable::block(&page).as_str())?;
    said.iter().for_each(|said| complain(said));
    Ok(Next::Stay)
}
