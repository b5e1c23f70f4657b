//! `sessions revert`: conversation and files back to before a message, from
//! outside of a session. It says what it would do before it does it, and it does
//! what `/revert` does: the engine's own plan is carried out.

use crate::CommandResult;
use crate::commands::pages;
use crate::error::CliError;
use crate::place::Place;
use crate::screen::complain;
use std::io::{BufRead, IsTerminal, Write};
use std::process::ExitCode;
use tenon_engine::undo::{self, NoPoint, Outcome, Plan, Point};
use tenon_engine::{Ambient, RealAmbient};
use tenon_session::{Log, SessionError, State};
use tenon_tools::Workspace;
use tenon_tools::workspace::WorkspaceOptions;
use tenon_vocab::{
    Checkpoint, CheckpointAction, ContextChange, Event, EventKind, Printable, Reverted, SessionId,
    TodoList,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// Says what would be done.
    Looking,
    Asking,
    Now,
}

pub fn run(place: &Place, id: SessionId, to: Option<u32>, doing: Doing) -> CommandResult {
    let (log, state) = place.store().open(id, RealAmbient.now())?;
    let place = place.of_session(&state.meta().cwd)?;
    let point = Point::find(&log, &state, to).map_err(|why| match why {
        NoPoint::Log(error) => CliError::from(error),
        other => CliError::runtime(other.to_string()),
    })?;
    let workspace = Workspace::open(&place.root, WorkspaceOptions::default())
        .map_err(|error| CliError::runtime(error.to_string()))?;
    let (records, missing) = undo::records(&log, &point.changes);
    let plan = Plan::make(&workspace, &records);
    complain(&preview(&point, &plan, missing));
    if doing == Doing::Looking || (doing == Doing::Asking && !agreed()?) {
        return Ok(ExitCode::SUCCESS);
    }
    let mut writer = Writer { log, state };
    let outcome = carry_out(&mut writer, &workspace, &point, plan)?;
    writer.log.sync()?;
    pages::print(&told(id, &point, &outcome))
}

/// A log with the state that it stands for.
struct Writer {
    log: Log,
    state: State,
}

impl Writer {
    fn write(&mut self, kind: impl Into<EventKind>) -> Result<(), SessionError> {
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
            kind: kind.into(),
        };
        let offset = self.log.append(&event)?;
        self.state.apply(&event, offset);
        Ok(())
    }
}

/// The files first: when they cannot be recorded, the conversation stays too.
fn carry_out(
    writer: &mut Writer,
    workspace: &Workspace,
    point: &Point,
    plan: Plan,
) -> Result<Outcome, CliError> {
    let blobs = writer.log.blobs();
    let mut outcome = Outcome::default();
    if !point.changes.is_empty() {
        outcome = plan.carry_out(workspace, &blobs, |files, unkept| {
            writer.write(Checkpoint {
                action: CheckpointAction::Reverted,
                call: None,
                to_seq: Some(point.before),
                files,
                ahead: false,
                unkept,
            })
        })?;
    }
    let before = point.before;
    writer.write(ContextChange::Reverted(Reverted { before }))?;
    if let Some(items) = &point.todo {
        let items = items.clone();
        writer.write(TodoList { items })?;
    }
    Ok(outcome)
}

fn name(point: &Point) -> String {
    let number = point.number;
    number.map_or_else(
        || String::from("the last prompt"),
        |n| format!("message {n}"),
    )
}

fn preview(point: &Point, plan: &Plan, missing: usize) -> String {
    let mut text = format!("Back to before {}", name(point));
    if let Some(prompt) = &point.prompt {
        let short: String = prompt.chars().take(200).collect();
        text.push_str(&format!(": {}", Printable::line(&short)));
    }
    text.push_str("\nThe conversation from there on is given up; it stays in the log.");
    for (path, deed) in plan.deeds() {
        text.push_str(&format!(
            "\n  {:<12} {}",
            deed.word(),
            Printable::line(path)
        ));
    }
    text.push_str(Printable::block(&undo::left(&plan.left)).as_str());
    if missing > 0 {
        text.push_str(&format!("\n{missing} records of changes cannot be read."));
    }
    text
}

/// Nobody to ask is a no, said with the way to a yes.
fn agreed() -> Result<bool, CliError> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(CliError::usage("nobody can be asked whether to do this")
            .with_hint("--yes does it, --dry-run only says what would be done."));
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
        name(point),
        undo::files(outcome.done.len()),
        Printable::block(&undo::lines(outcome)).as_str()
    )
}
