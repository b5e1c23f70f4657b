//! Answers that change nothing: what a front end may want to show.

use crate::core::Core;
use crate::slash;
use std::ops::ControlFlow;
use std::sync::Weak;
use tenon_model::{estimate_message, estimate_text, estimate_tool};
use tenon_tools::workspace::{EntryKind, WalkOptions};
use tenon_vocab::port::{BoxFuture, QueryPort};
use tenon_vocab::{Class, Query, Reply, TableReply, Usage};

/// Entries that a completion looks at, and paths that it shows.
const FILES_LOOKED_AT: usize = 20_000;
const FILES_SHOWN: usize = 50;

/// Holds no session alive.
pub(crate) struct Queries(pub(crate) Weak<Core>);

impl QueryPort for Queries {
    fn ask(&self, query: Query) -> BoxFuture<'_, Reply> {
        Box::pin(async move {
            match self.0.upgrade() {
                Some(core) => answer(&core, query).await,
                None => unavailable("the session has ended"),
            }
        })
    }
}

fn unavailable(reason: &str) -> Reply {
    Reply::Unavailable {
        reason: reason.to_owned(),
    }
}

fn table(columns: &[&str], rows: Vec<Vec<String>>, note: Option<String>) -> Reply {
    Reply::Table(TableReply {
        columns: columns.iter().map(|&c| c.to_owned()).collect(),
        rows,
        note,
    })
}

async fn answer(core: &Core, query: Query) -> Reply {
    match query {
        Query::Models => models(core).await,
        Query::Tools => tools(core),
        Query::Context => context(core),
        Query::Cost => cost(core),
        Query::Grants => grants(core),
        Query::Jobs => jobs(core),
        Query::Agents => agent(core),
        Query::Completion { line } if line.starts_with('/') => Reply::Words {
            words: slash::complete(&line),
        },
        Query::Files { prefix } => files(core, &prefix),
        Query::Sessions | Query::Completion { .. } => unavailable("only the front end knows that"),
    }
}

async fn models(core: &Core) -> Reply {
    let current = &core.model.identity().model;
    match core.model.models().await {
        Err(error) => unavailable(&error.to_string()),
        Ok(models) => {
            let rows = models
                .into_iter()
                .map(|model| {
                    let mark = if model.id == *current { "*" } else { "" };
                    let window = model
                        .context_window
                        .map(|n| n.to_string())
                        .unwrap_or_default();
                    vec![mark.to_owned(), model.id, window]
                })
                .collect();
            table(&["", "model", "window"], rows, None)
        }
    }
}

/// Files whose path holds what was typed; those that begin with it first.
fn files(core: &Core, typed: &str) -> Reply {
    let options = WalkOptions {
        limit: FILES_LOOKED_AT,
        ..WalkOptions::default()
    };
    let Ok(walk) = core.workspace.walk(".", &options) else {
        return unavailable("the project cannot be listed");
    };
    let mut words: Vec<String> = Vec::new();
    walk.each(|entry| {
        if entry.kind() == EntryKind::File {
            let path = walk.shown(entry);
            if path.contains(typed) {
                words.push(path);
            }
        }
        ControlFlow::Continue(())
    });
    words.sort_by_key(|path| (!path.starts_with(typed), path.len(), path.clone()));
    words.truncate(FILES_SHOWN);
    Reply::Words { words }
}

fn tools(core: &Core) -> Reply {
    let rows = core
        .toolbox
        .specs()
        .into_iter()
        .map(|spec| {
            let first = spec
                .description
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned();
            vec![spec.name, spec.effect.name().to_owned(), spec.source, first]
        })
        .collect();
    table(&["tool", "effect", "source", "what it does"], rows, None)
}

fn agent(core: &Core) -> Reply {
    let agent = &core.agent;
    table(
        &["agent", "source", "what it does"],
        vec![vec![
            agent.name.clone(),
            agent.source.clone(),
            agent.description.clone(),
        ]],
        None,
    )
}

/// What fills the window, by part, in estimated tokens: the same estimate that
/// the limits of a request go by.
fn context(core: &Core) -> Reply {
    let system = estimate_text(&core.prefix.system);
    let tools: u64 = core.prefix.tools.iter().map(estimate_tool).sum();
    let history: u64 = core
        .emitter
        .history(0)
        .2
        .iter()
        .map(|message| estimate_message(message))
        .sum();
    let total = system + tools + history;
    let row = |name: &str, tokens: u64| vec![name.to_owned(), format!("~{tokens}")];
    let window = core.model.identity().context_window;
    let note = window.map(|window| {
        let share = total * 100 / window.max(1);
        format!("about {share} % of {window} tokens")
    });
    table(
        &["part", "tokens"],
        vec![
            row("system", system),
            row("tools", tools),
            row("history", history),
            row("all", total),
        ],
        note,
    )
}

fn cost(core: &Core) -> Reply {
    let Usage {
        input,
        output,
        cached,
        estimated,
        ..
    } = core.emitter.state(|state| state.usage());
    let mark = if estimated { "~" } else { "" };
    table(
        &["tokens in", "of these cached", "tokens out"],
        vec![vec![
            format!("{mark}{input}"),
            cached.to_string(),
            format!("{mark}{output}"),
        ]],
        estimated.then(|| String::from("~ is estimated: the server reported no usage")),
    )
}

fn grants(core: &Core) -> Reply {
    let granted = core.grants();
    let given = granted
        .iter()
        .map(|grant| vec![grant.to_string(), String::from("you")]);
    let ruled = core
        .rules
        .iter()
        .filter(|rule| rule.class() == Class::Allow)
        .map(|rule| vec![rule.to_string(), rule.origin.clone()]);
    let rows = given.chain(ruled).collect();
    let note =
        String::from("`tenon policy list` shows all rules, `/permissions` those that allow.");
    table(&["allowed without asking", "from"], rows, Some(note))
}

fn jobs(core: &Core) -> Reply {
    let rows = core
        .jobs
        .list()
        .into_iter()
        .map(|job| vec![job.id.to_string(), job.state.name().to_owned(), job.command])
        .collect();
    table(&["process", "state", "command"], rows, None)
}
