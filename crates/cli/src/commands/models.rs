//! `tenon models`: what the configured servers offer, with what is known of each
//! model and who says so, and the servers that are known by name. Asks no other
//! host than the configured ones.

use super::pages;
use crate::args::{ModelsArgs, RunArgs, Shared};
use crate::assemble::{self, Options};
use crate::drive::Desk;
use crate::error::CliError;
use crate::place::Place;
use crate::provider::{self, Facts, facts};
use crate::render::table::Table;
use crate::screen::complain;
use crate::{CommandResult, trust};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::process::ExitCode;
use tenon_config::{Resolved, ResolvedProvider};
use tenon_model::{Model, ModelEntry, Prices, Reach, Vision, WindowSource};
use tenon_tools::Jobs;
use tenon_vocab::Printable;

pub fn run(shared: &Shared, args: &ModelsArgs) -> CommandResult {
    if args.presets {
        return presets(args);
    }
    let place = Place::find(shared)?;
    if args.forget {
        return forget(&place);
    }
    let asked = RunArgs {
        provider: args.provider.clone(),
        ..RunArgs::default()
    };
    let options = Options::from_args(&asked, Desk::Nobody);
    let (providers, resolved) = wanted(&place, &options, args)?;
    let answers = ask(&place, &providers)?;
    let mut rows = Vec::new();
    let mut failures = Vec::new();
    for (provider, answer) in providers.iter().zip(answers) {
        match answer {
            Ok(listed) => {
                say_missing(&resolved, provider, &listed);
                rows.extend(rows_of(&resolved, provider, &listed));
            }
            Err(error) => failures.push((provider, error)),
        }
    }
    // One that answers is worth its list; none at all is a failure.
    if failures.len() == providers.len()
        && let Some((_, error)) = failures.pop()
    {
        return Err(error);
    }
    for (provider, error) in &failures {
        complain(&format!(
            "`{}` does not answer: {}",
            Printable::line(&provider.name),
            Printable::line(&error.message)
        ));
    }
    if args.json {
        let rows: Vec<Value> = rows.iter().map(Row::as_json).collect();
        return pages::print_json(&rows);
    }
    if rows.is_empty() {
        complain("The server names no model.");
        return Ok(ExitCode::SUCCESS);
    }
    pages::print(&table(&rows).to_string())
}

fn forget(place: &Place) -> CommandResult {
    match provider::forget(place)? {
        0 => complain("Nothing was learned of any server."),
        count => complain(&format!("Forgotten: {count} things that servers refused.")),
    }
    Ok(ExitCode::SUCCESS)
}

/// The providers to ask, the one in use first.
fn wanted(
    place: &Place,
    options: &Options,
    args: &ModelsArgs,
) -> Result<(Vec<ResolvedProvider>, Resolved), CliError> {
    if !args.all {
        let (_, resolved) = assemble::settings(place, options)?;
        let one = resolved
            .provider
            .clone()
            .ok_or_else(assemble::nothing_configured)?;
        return Ok((vec![one], resolved));
    }
    let resolved = match assemble::settings(place, options) {
        Ok((_, resolved)) => resolved,
        // Of several none need be chosen to list them all.
        Err(_) => tenon_config::resolve_without_provider(&trust::load(place, options)?)?,
    };
    for (name, error) in &resolved.unusable {
        complain(&format!(
            "`{}` cannot be used: {}",
            Printable::line(name),
            Printable::line(error.message())
        ));
    }
    let mut providers: Vec<ResolvedProvider> = resolved.provider.iter().cloned().collect();
    for provider in resolved.providers.values() {
        if !providers.iter().any(|known| known.name == provider.name) {
            providers.push(provider.clone());
        }
    }
    if providers.is_empty() {
        return Err(assemble::nothing_configured());
    }
    Ok((providers, resolved))
}

type Answer = Result<Vec<ModelEntry>, CliError>;

fn ask(place: &Place, providers: &[ResolvedProvider]) -> Result<Vec<Answer>, CliError> {
    // A command that prints the key may leave output; nothing of it is kept.
    let scratch = tempfile::tempdir()?;
    let jobs = assemble::jobs(scratch.path());
    let runtime = assemble::runtime()?;
    Ok(runtime.block_on(async {
        let asked = providers.iter().map(|one| ask_one(place, one, &jobs));
        let answers = join_all(asked).await;
        jobs.shutdown().await;
        answers
    }))
}

async fn ask_one(place: &Place, provider: &ResolvedProvider, jobs: &Jobs) -> Answer {
    let named = provider.model.clone().unwrap_or_default();
    let server = provider::http(place, provider, &named, None, jobs)?;
    Ok(server.models().await?)
}

/// One model, and what is known of it.
struct Row {
    provider: String,
    id: String,
    window: Option<u64>,
    /// Who says so; empty where nobody does.
    source: &'static str,
    vision: Vision,
    prices: Option<Prices>,
    is_current: bool,
    is_listed: bool,
}

fn rows_of(resolved: &Resolved, provider: &ResolvedProvider, listed: &[ModelEntry]) -> Vec<Row> {
    let row = |id: &str, served: Option<u64>, is_listed: bool| {
        let user = resolved.window_of(provider, id);
        let Facts {
            window,
            vision,
            prices,
        } = facts(provider, id, user);
        // The user's word, the server's, the catalogue's.
        let (window, source) = match (window, served) {
            (Some(window), _) if window.source == WindowSource::User => {
                (Some(window.tokens), "config")
            }
            (_, Some(tokens)) => (Some(tokens), "server"),
            (Some(window), None) => (Some(window.tokens), "catalogue"),
            (None, None) => (None, ""),
        };
        Row {
            provider: provider.name.clone(),
            is_current: is_chosen(resolved, provider, id),
            id: id.to_owned(),
            window,
            source,
            vision,
            prices,
            is_listed,
        }
    };
    let mut rows: Vec<Row> = listed
        .iter()
        .map(|entry| row(&entry.id, entry.context_window, true))
        .collect();
    for id in &provider.models {
        if !rows.iter().any(|row| row.id == *id) {
            rows.push(row(id, None, false));
        }
    }
    rows
}

impl Row {
    fn as_json(&self) -> Value {
        json!({
            "provider": self.provider, "id": self.id,
            "context_window": self.window,
            "context_source": (!self.source.is_empty()).then_some(self.source),
            "vision": match self.vision {
                Vision::Yes => Some(true),
                Vision::No => Some(false),
                Vision::Unknown => None,
            },
            "prices": self.prices,
            "configured": self.is_current,
            "listed": self.is_listed,
        })
    }
}

fn is_chosen(resolved: &Resolved, provider: &ResolvedProvider, id: &str) -> bool {
    resolved
        .provider
        .as_ref()
        .is_some_and(|chosen| chosen.name == provider.name && chosen.model.as_deref() == Some(id))
}

fn say_missing(resolved: &Resolved, provider: &ResolvedProvider, listed: &[ModelEntry]) {
    let missing = provider
        .model
        .as_ref()
        .filter(|id| is_chosen(resolved, provider, id))
        .filter(|id| !listed.iter().any(|entry| entry.id == **id));
    if let Some(named) = missing {
        complain(&format!(
            "The configured model `{}` is not among those that `{}` names.",
            Printable::line(named),
            Printable::line(&provider.name)
        ));
    }
}

fn table(rows: &[Row]) -> Table {
    let several = rows.iter().any(|row| row.provider != rows[0].provider);
    let mut table = Table::new(&["", "model", "context", "from", "$/M in", "out", "images"]);
    for row in rows {
        let price = |pick: fn(&Prices) -> f64| {
            row.prices
                .as_ref()
                .map(|prices| pick(prices).to_string())
                .unwrap_or_default()
        };
        let name = if several {
            format!("{}/{}", row.provider, row.id)
        } else {
            row.id.clone()
        };
        let images = match row.vision {
            Vision::Yes => "yes",
            Vision::No => "no",
            Vision::Unknown => "",
        };
        table.row([
            String::from(if row.is_current { "*" } else { "" }),
            name,
            row.window
                .map(|tokens| tokens.to_string())
                .unwrap_or_default(),
            row.source.to_owned(),
            price(|prices| prices.input),
            price(|prices| prices.output),
            images.to_owned(),
        ]);
    }
    table
}

fn presets(args: &ModelsArgs) -> CommandResult {
    let wanted = |name: &str| args.provider.as_deref().is_none_or(|only| only == name);
    let all = tenon_model::presets()
        .iter()
        .filter(|preset| wanted(preset.name));
    if args.json {
        let rows: Vec<Value> = all
            .map(|preset| {
                json!({
                    "name": preset.name, "kind": preset.kind.name(),
                    "base_url": preset.base_url, "key_env": preset.key_env,
                    "local": preset.reach == Reach::Local, "note": preset.note,
                })
            })
            .collect();
        return pages::print_json(&rows);
    }
    let mut table = Table::new(&["name", "kind", "address", "key", "note"]);
    for preset in all {
        table.row([
            preset.name.to_owned(),
            preset.kind.name().to_owned(),
            preset.base_url.unwrap_or("yours").to_owned(),
            preset.key_env.join(" or "),
            preset.note.to_owned(),
        ]);
    }
    pages::print(&table.to_string())
}
