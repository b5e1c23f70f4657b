//! `sessions summarize`: the sections of a compaction, printed (N10). The session
//! is only read, unless it is to be recorded as one; then its own engine does it,
//! as `/compact` would.

use crate::CommandResult;
use crate::args::{RunArgs, Shared};
use crate::aside::Model;
use crate::assemble::{self, Configured, Options, Session};
use crate::commands::pages;
use crate::drive::Desk;
use crate::error::{CliError, exit_code};
use crate::place::Place;
use crate::render::waiting::{self, Motion};
use crate::screen::complain;
use crate::secrets;
use std::process::ExitCode;
use tenon_engine::{Engine, budget, summary};
use tenon_session::State;
use tenon_vocab::port::Handle;
use tenon_vocab::profile::{Compaction, Strategy};
use tenon_vocab::{Command, ContextChange, EventKind, Outcome, Printable, SessionId};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    Model,
    Log,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    Print,
    /// Record it as a compaction, too.
    Append,
}

pub fn run(_: &Shared, place: &Place, id: SessionId, by: By, then: Then) -> CommandResult {
    match then {
        Then::Print => print(place, id, by),
        Then::Append => append(place, id, by),
    }
}

fn options() -> Options {
    Options::from_args(&RunArgs::default(), Desk::Nobody)
}

fn print(place: &Place, id: SessionId, by: By) -> CommandResult {
    let standing = place.store().standing(id)?;
    let facts = standing.recap()?;
    if facts.goal.is_empty() {
        return Err(CliError::runtime(format!("session {id} has no messages"))
            .with_hint("`tenon sessions list` shows the others."));
    }
    let options = options();
    let configured = Configured::read(place, &options);
    let known = configured.as_ref().ok().cloned();
    let (text, settings) = match by {
        By::Log => {
            let settings = Compaction::default();
            (
                summary::from_log(standing.state(), &facts, &settings),
                settings,
            )
        }
        By::Model => {
            let configured = configured?;
            let settings = configured.resolved.compaction.clone();
            let asking = ask(place, &options, &configured, standing.state());
            (assemble::runtime()?.block_on(asking)?, settings)
        }
    };
    let page = format!("{}\n\n{}\n", text.trim(), summary::facts(&facts, &settings));
    pages::print_foreign(&secrets::masked(place, known.as_ref(), &page))
}

async fn ask(
    place: &Place,
    options: &Options,
    configured: &Configured,
    state: &State,
) -> Result<String, CliError> {
    let known = state.settings();
    let Some(model) = Model::with(place, options, configured, known).await? else {
        return Err(assemble::nothing_configured(&place.env).with_hint(
            "`tenon sessions summarize --deterministic` writes the summary from the log alone.",
        ));
    };
    let resolved = &configured.resolved;
    let window = model.window().await.unwrap_or(budget::ASSUMED);
    let window = window.min(resolved.request_tokens.unwrap_or(u64::MAX));
    let question = summary::question(state, window, &resolved.compaction);
    let said = model
        .ask(&question.system, &question.text)
        .await
        .map_err(|error| {
            error.with_hint(
                "`tenon sessions summarize --deterministic` writes the summary from the log alone.",
            )
        })?;
    complain(&said.told());
    Ok(said.text)
}

fn append(place: &Place, id: SessionId, by: By) -> CommandResult {
    let runtime = assemble::runtime()?;
    let ended = runtime.block_on(async {
        let options = options();
        let assembled = match by {
            // A server is neither needed nor asked.
            By::Log => {
                let mut assembled = assemble::open_without_model(place, &options, id)?;
                assembled.parts.context.compaction.strategy = Strategy::Deterministic;
                assembled
            }
            By::Model => {
                let opening = assemble::open_with(place, &options, Session::Existing(id), None);
                waiting::during(Motion::for_stderr(), opening).await?
            }
        };
        let handle = Engine::start(assembled.session, assembled.parts);
        Ok::<_, CliError>(waiting::during(Motion::for_stderr(), compact(handle)).await)
    })?;
    for line in &ended.said {
        complain(Printable::line(line).as_str());
    }
    if let Some(summary) = &ended.summary {
        let configured = Configured::read(place, &options()).ok();
        let page = secrets::masked(place, configured.as_ref(), summary);
        pages::print_foreign(&format!("{page}\n"))?;
    }
    match ended.outcome {
        Outcome::Completed => Ok(ExitCode::SUCCESS),
        outcome => Ok(exit_code(outcome)),
    }
}

/// What came of it.
struct Ended {
    outcome: Outcome,
    summary: Option<String>,
    said: Vec<String>,
}

async fn compact(mut handle: Handle) -> Ended {
    handle.commands.send(Command::Compact { focus: None });
    let mut ended = Ended {
        outcome: Outcome::Failed,
        summary: None,
        said: Vec::new(),
    };
    while let Some(event) = handle.events.next().await {
        match &event.kind {
            EventKind::Context(ContextChange::Compacted(compacted)) => {
                ended.summary = Some(compacted.summary.clone());
            }
            EventKind::Notice(notice) if event.run.is_some() => {
                ended.said.push(notice.message.clone());
                ended.said.extend(notice.hint.clone());
            }
            EventKind::RunFinished(finished) => {
                ended.outcome = finished.outcome;
                handle.commands.send(Command::Shutdown);
            }
            _ => {}
        }
    }
    ended
}
