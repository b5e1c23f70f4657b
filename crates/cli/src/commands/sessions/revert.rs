//! `sessions revert`: conversation and files back to before a message, from
//! outside of a session. It says what it would do before it does it, and it does
//! what `/revert` does: the engine's own plan is carried out.

use crate::CommandResult;
use crate::args::RunArgs;
use crate::assemble::{self, Configured, Options};
use crate::commands::pages;
use crate::drive::Desk;
use crate::error::CliError;
use crate::place::Place;
use crate::sandbox::Folders;
use crate::screen::complain;
use std::io::{BufRead, IsTerminal, Write};
use std::process::ExitCode;
use tenon_engine::undo::{self, NoPoint, Outcome, Plan, Point, Said};
use tenon_engine::{Ambient, RealAmbient};
use tenon_session::{Log, SessionError, State};
use tenon_tools::Workspace;
use tenon_tools::workspace::WorkspaceOptions;
use tenon_vocab::profile::Checkpoints;
use tenon_vocab::{Event, EventKind, Printable, SessionId};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// Says what would be done.
    Looking,
    Asking,
    Now,
}

pub fn run(place: &Place, id: SessionId, to: Option<u32>, doing: Doing) -> CommandResult {
    let opened = place.store().open(id, RealAmbient.now());
    let (log, state) = opened.map_err(in_use)?;
    let place = place.of_session(&state.meta().cwd)?;
    let point = Point::find(&log, &state, to).map_err(|why| match why {
        NoPoint::Log(error) => CliError::from(error),
        other => CliError::runtime(other.told(Said::Outside)),
    })?;
    let workspace = Workspace::open(&place.root, WorkspaceOptions::default())
        .map_err(|error| CliError::runtime(error.to_string()))?;
    let configured = configured(&place);
    if let Some(configured) = &configured {
        reopen(&workspace, &place, configured, &state);
    }
    let room = configured.map_or_else(Checkpoints::default, |configured| {
        configured.resolved.checkpoints
    });
    let (records, missing) = undo::records(&log, &point.changes);
    let plan = Plan::make(&workspace, &records).within(&workspace, &log.blobs(), room.total_bytes);
    complain(&preview(&point, &plan, missing));
    if doing == Doing::Looking || (doing == Doing::Asking && !agreed()?) {
        return Ok(ExitCode::SUCCESS);
    }
    let mut writer = Writer { log, state };
    let blobs = writer.log.blobs();
    let outcome = point.carry_out(plan, &workspace, &blobs, |kind| writer.write(kind))?;
    writer.log.sync()?;
    pages::print(&told(id, &point, &outcome))
}

/// Settings that cannot be read do not bar the way back.
fn configured(place: &Place) -> Option<Configured> {
    let options = Options::from_args(&RunArgs::default(), Desk::Nobody);
    Configured::read(place, &options).ok()
}

/// The folders beside the project that the session had open. What is gone by now
/// is told with its files.
fn reopen(workspace: &Workspace, place: &Place, configured: &Configured, state: &State) {
    let folders = Folders::of(place, &configured.resolved, None);
    let found = assemble::recorded(&folders, state.settings());
    for folder in found.into_iter().flatten() {
        drop(workspace.add_root(&folder.path));
    }
}

/// A log with the state that it stands for.
struct Writer {
    log: Log,
    state: State,
}

impl Writer {
    fn write(&mut self, kind: EventKind) -> Result<(), SessionError> {
        let agent = self.state.settings().map_or_else(
            || String::from("build"),
            |settings| settings.agent_name.clone(),
        );
        let event = Event {
            seq: self.log.next_seq(),
            sub: None,
            ts: RealAmbient.now(),
            session: self.log.id(),
            run: None,
            parent: None,
            agent,
            kind,
        };
        let offset = self.log.append(&event)?;
        self.state.apply(&event, offset);
        Ok(())
    }
}

/// Whoever has it open can do it there, and sees what goes.
fn in_use(error: SessionError) -> CliError {
    match error {
        SessionError::Locked { id, pid } => {
            let holder = match pid {
                0 => String::from("another process"),
                pid => format!("process {pid}"),
            };
            CliError::runtime(format!(
                "session {id} is in use by {holder}, so it can't be reverted from here"
            ))
            .with_hint("Type /revert there (/history lists the prompts), or end it first.")
        }
        other => CliError::from(other),
    }
}

fn preview(point: &Point, plan: &Plan, missing: usize) -> String {
    let mut text = format!("Back to before {}", point.name());
    if let Some(prompt) = &point.prompt {
        let short: String = prompt.chars().take(200).collect();
        text.push_str(&format!(": {}", Printable::line(&short)));
    }
    text.push_str("\nThe conversation from there on is dropped; it stays in the log.");
    for (path, deed) in plan.deeds() {
        text.push_str(&format!(
            "\n  {:<12} {}",
            deed.word(),
            Printable::line(path)
        ));
    }
    text.push_str(Printable::block(&undo::left(&plan.left)).as_str());
    if missing > 0 {
        text.push_str(&format!("\n{missing} records of changes can't be read."));
    }
    text
}

/// Nobody to ask is a no, said with the way to a yes.
fn agreed() -> Result<bool, CliError> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(
            CliError::usage("this needs a yes, and there is no one to ask")
                .with_hint("Add --yes to do it, or --dry-run to see what would be done."),
        );
    }
    // A terminal that is gone answers nothing, which is a no.
    let _ = write!(std::io::stderr().lock(), "Do it? [y/N] ");
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

fn told(id: SessionId, point: &Point, outcome: &Outcome) -> String {
    format!(
        "{id} is back to before {}. {} went back.{}\n",
        point.name(),
        undo::files(outcome.done.len()),
        Printable::block(&undo::lines(outcome)).as_str()
    )
}
