//! `tenon models`: what the configured server offers, and the servers that are
//! known by name. Asks no other host than the configured one.

use super::pages;
use crate::args::{ModelsArgs, RunArgs, Shared};
use crate::assemble::{self, Options};
use crate::drive::Desk;
use crate::place::Place;
use crate::render::table::Table;
use crate::screen::complain;
use crate::{CommandResult, provider};
use serde_json::{Value, json};
use std::process::ExitCode;
use tenon_config::ResolvedProvider;
use tenon_model::{Model, ModelEntry, Reach};
use tenon_vocab::Printable;

pub fn run(shared: &Shared, args: &ModelsArgs) -> CommandResult {
    if args.presets {
        return presets(args);
    }
    let place = Place::find(shared)?;
    let asked = RunArgs {
        provider: args.provider.clone(),
        ..RunArgs::default()
    };
    let options = Options::from_args(&asked, Desk::Nobody);
    let (_, resolved) = assemble::settings(&place, &options)?;
    let configured = resolved.provider.ok_or_else(assemble::nothing_configured)?;
    let models = ask(&place, &configured)?;
    if args.json {
        let rows: Vec<Value> = models
            .iter()
            .map(|model| {
                json!({
                    "id": model.id, "context_window": model.context_window,
                    "configured": is_chosen(&configured, model),
                })
            })
            .collect();
        return pages::print_json(&rows);
    }
    table(&configured, &models)
}

fn ask(
    place: &Place,
    configured: &ResolvedProvider,
) -> Result<Vec<ModelEntry>, crate::error::CliError> {
    // A command that prints the key may leave output; nothing of it is kept.
    let scratch = tempfile::tempdir()?;
    let jobs = assemble::jobs(scratch.path());
    let named = configured.model.clone().unwrap_or_default();
    let runtime = assemble::runtime()?;
    runtime.block_on(async {
        let model = provider::http(place, configured, &named, None, &jobs)?;
        let models = model.models().await;
        jobs.shutdown().await;
        Ok(models?)
    })
}

fn is_chosen(configured: &ResolvedProvider, model: &ModelEntry) -> bool {
    configured.model.as_deref() == Some(model.id.as_str())
}

fn table(configured: &ResolvedProvider, models: &[ModelEntry]) -> CommandResult {
    if let Some(named) = &configured.model
        && !models.iter().any(|model| is_chosen(configured, model))
    {
        complain(&format!(
            "The configured model `{}` is not among those that `{}` names.",
            Printable::line(named),
            Printable::line(&configured.name)
        ));
    }
    if models.is_empty() {
        complain("The server names no model.");
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["", "model", "context"]);
    for model in models {
        let mark = if is_chosen(configured, model) {
            "*"
        } else {
            ""
        };
        let context = model.context_window.map(|tokens| tokens.to_string());
        table.row([
            mark.to_owned(),
            model.id.clone(),
            context.unwrap_or_default(),
        ]);
    }
    pages::print(&table.to_string())
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
