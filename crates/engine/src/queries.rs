//! Answers that change nothing: what a front end may want to show.

mod agents;
mod commands;
mod context;
mod mcp;
mod models;
mod modes;
mod permissions;
mod providers;
mod skills;
mod todo;

use crate::core::Core;
use crate::slash;
use std::ops::ControlFlow;
use std::sync::Weak;
use tenon_tools::workspace::{EntryKind, WalkOptions};
use tenon_vocab::port::{BoxFuture, QueryPort};
use tenon_vocab::{Cost, Query, Reply, TableReply, Usage};

/// Entries that a completion looks at, and paths that it shows.
const FILES_LOOKED_AT: usize = 20_000;
const FILES_SHOWN: usize = 50;

/// Holds no session alive.
pub(crate) struct Queries(pub(crate) Weak<Core>);

impl QueryPort for Queries {
    fn ask(&self, query: Query) -> BoxFuture<'_, Reply> {
        Box::pin(async move {
            match self.0.upgrade() {
                Some(core) => masked(&core, answer(&core, query).await),
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

/// What is said beside a table may be a server's, and a reply is no event: so it
/// is masked here.
fn masked(core: &Core, reply: Reply) -> Reply {
    match reply {
        Reply::Table(TableReply {
            columns,
            rows,
            note: Some(note),
        }) => Reply::Table(TableReply {
            columns,
            rows,
            note: Some(core.masker.mask(&note).into_owned()),
        }),
        other => other,
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
        Query::Models => models::list(core, models::Whose::All).await,
        Query::Providers => providers::list(core),
        Query::ModelsOf { provider } => providers::models_of(core, &provider).await,
        Query::Tools => tools(core),
        Query::Context => context::show(core).await,
        Query::Meter => context::meter(core).await,
        Query::Cost => cost(core),
        Query::Grants => permissions::list(core),
        Query::Jobs => jobs(core),
        Query::Todo => todo::list(core),
        Query::Skills => skills::list(core),
        Query::Commands => commands::list(core),
        Query::Agents => agents::list(core),
        Query::Modes => modes::list(core),
        Query::Mcp => mcp::list(core),
        Query::Completion { line } if line.starts_with('/') => Reply::Words {
            words: match slash::wants_name(&line) {
                Some((slash::Name::Model, typed)) => models::beginning_with(core, typed).await,
                Some((slash::Name::Skill, typed)) => skills::beginning_with(core, typed),
                Some((slash::Name::Agent, typed)) => agents::beginning_with(core, typed),
                Some((slash::Name::Mode, typed)) => modes::beginning_with(typed),
                Some((slash::Name::Provider, typed)) => providers::beginning_with(core, typed),
                None => commands::beginning_with(core, &line),
            },
        },
        Query::Files { prefix } => files(core, &prefix),
        Query::Completion { .. } => unavailable("only the front end knows that"),
    }
}

/// Files whose path holds what was typed; those that begin with it first.
fn files(core: &Core, typed: &str) -> Reply {
    let options = WalkOptions {
        limit: FILES_LOOKED_AT,
        ..WalkOptions::default()
    };
    let Ok(walk) = core.workspace.walk(".", &options) else {
        return unavailable("can't list the project");
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
        .agent()
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

/// Tokens and money, by model and in all.
fn cost(core: &Core) -> Reply {
    let (models, all, cost) = core
        .emitter
        .state(|state| (state.by_model().to_vec(), state.usage(), state.cost()));
    let mut rows: Vec<Vec<String>> = models
        .iter()
        .map(|entry| {
            let name = format!("{}/{}", entry.provider, entry.model);
            figures(name, entry.usage, entry.cost)
        })
        .collect();
    if rows.len() != 1 {
        rows.push(figures(String::from("all"), all, cost));
    }
    let mut notes = Vec::new();
    if all.estimated {
        notes.push("~ is estimated: the server reported no usage");
    }
    if models.iter().any(|entry| entry.cost.is_none()) {
        notes.push("- is unknown: no price is configured");
    }
    table(
        &[
            "model",
            "tokens in",
            "of these cached",
            "tokens out",
            "cost",
        ],
        rows,
        (!notes.is_empty()).then(|| notes.join("; ")),
    )
}

fn figures(name: String, usage: Usage, cost: Option<Cost>) -> Vec<String> {
    let mark = if usage.estimated { "~" } else { "" };
    vec![
        name,
        format!("{mark}{}", usage.input),
        usage.cached.to_string(),
        format!("{mark}{}", usage.output),
        cost.map_or_else(|| String::from("-"), |cost| format!("{mark}{cost}")),
    ]
}

fn jobs(core: &Core) -> Reply {
    let rows: Vec<Vec<String>> = core
        .jobs
        .list()
        .into_iter()
        .map(|job| vec![job.id.to_string(), job.state.name().to_owned(), job.command])
        .collect();
    let none = || String::from("No command runs in the background.");
    let note = rows.is_empty().then(none);
    table(&["process", "state", "command"], rows, note)
}
