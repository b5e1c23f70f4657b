//! `tenon models`: what the configured servers offer, with what is known of each
//! model and who says so, and the servers that are known by name. Asks no other
//! host than the configured ones.

use super::pages;
use crate::args::{ModelsArgs, RunArgs, Shared};
use crate::assemble::{self, Options};
use crate::drive::Desk;
use crate::error::{CliError, code};
use crate::place::Place;
use crate::provider::{self, Facts, InForce, facts};
use crate::render::table::Table;
use crate::render::waiting::{self, Motion};
use crate::screen::complain;
use crate::{CommandResult, trust};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::process::ExitCode;
use tenon_config::{Choice, Resolved, ResolvedProvider};
use tenon_model::{Kind, Model, ModelEntry, ModelError, Prices, Reach, Vision, WindowSource};
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
    let answers = ask(&place, &resolved, &providers)?;
    let mut rows = Vec::new();
    let down = answers.iter().filter(|answer| answer.is_err()).count();
    for (provider, answer) in providers.iter().zip(answers) {
        match answer {
            Ok(listing) => {
                if listing.is_given {
                    say_missing(&resolved, provider, &listing.models);
                }
                rows.extend(rows_of(&resolved, provider, &listing));
            }
            Err(error) if providers.len() == 1 => return Err(error),
            Err(error) => {
                say_down(provider, &error);
                // What is configured is there to be chosen nevertheless.
                rows.extend(rows_of(&resolved, provider, &Listing::default()));
            }
        }
    }
    // One that answers is worth its list; none at all is a failure.
    let end = if down == providers.len() {
        ExitCode::from(code::RUNTIME)
    } else {
        ExitCode::SUCCESS
    };
    let learned = learned(&place, &providers);
    if args.json {
        let rows: Vec<Value> = rows.iter().map(|row| row.as_json(&learned)).collect();
        pages::print_json(&rows)?;
        return Ok(end);
    }
    if rows.is_empty() {
        if down == 0 {
            complain("The server lists no models.");
        }
        return Ok(end);
    }
    let names = if args.all || providers.len() > 1 {
        Names::WithProvider
    } else {
        Names::Plain
    };
    let mut page = table(&rows, names).to_string();
    page.push_str(&told(&learned));
    pages::print(&page)?;
    Ok(end)
}

/// What is done differently since a server refused something, with its provider.
fn learned(place: &Place, providers: &[ResolvedProvider]) -> Vec<(String, InForce)> {
    let of = |provider: &ResolvedProvider| {
        let name = provider.name.clone();
        let lessons = provider::in_force(place, provider, None);
        lessons
            .into_iter()
            .map(move |lesson| (name.clone(), lesson))
    };
    providers.iter().flat_map(of).collect()
}

/// Below the table: what was learned, for how long, and how it is forgotten.
fn told(learned: &[(String, InForce)]) -> String {
    if learned.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = learned
        .iter()
        .map(|(provider, lesson)| {
            let line = format!(
                "  {provider}/{}: {}, until {}",
                provider::shown_id(&lesson.model),
                lesson.remedy.told(),
                lesson.until.strftime("%Y-%m-%d")
            );
            format!("{}\n", Printable::line(&line))
        })
        .collect();
    format!(
        "\nLearned from refusals (`tenon models --forget` tries again):\n{}",
        lines.concat()
    )
}

fn say_down(provider: &ResolvedProvider, error: &CliError) {
    complain(&format!(
        "`{}` doesn't answer: {}",
        Printable::line(provider::called(provider)),
        Printable::line(&error.message)
    ));
}

fn forget(place: &Place) -> CommandResult {
    match provider::forget(place)? {
        0 => complain("Tenon has learned nothing about any server."),
        count => {
            let things = pages::counted(count, "thing");
            complain(&format!("Forgotten: {things} learned from servers."));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The providers to ask, the one in use first.
fn wanted(
    place: &Place,
    options: &Options,
    args: &ModelsArgs,
) -> Result<(Vec<ResolvedProvider>, Resolved), CliError> {
    let loaded = trust::load(place, options)?;
    let choice = Choice {
        provider: options.provider.clone(),
        model: None,
    };
    if !args.all && !tenon_config::is_undecided(&loaded, &choice) {
        let (_, resolved) = assemble::settings(place, options)?;
        let one = resolved
            .provider
            .clone()
            .ok_or_else(|| assemble::nothing_configured(&place.env))?;
        return Ok((vec![one], resolved));
    }
    let resolved = match assemble::settings(place, options) {
        Ok((_, resolved)) => resolved,
        // Of several none need be chosen to list them all.
        Err(_) => tenon_config::resolve_without_provider(&loaded)?,
    };
    for (name, error) in &resolved.unusable {
        complain(&format!(
            "can't use `{}`: {}",
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
        return Err(assemble::nothing_configured(&place.env));
    }
    Ok((providers, resolved))
}

/// What a server says of its models.
#[derive(Debug, Default)]
struct Listing {
    models: Vec<ModelEntry>,
    /// Whether it has a list at all.
    is_given: bool,
    /// The window of the one model that it was asked about.
    served: Option<(String, u64)>,
}

impl Listing {
    fn window_of(&self, id: &str) -> Option<u64> {
        let listed = self.models.iter().find(|entry| entry.id == id);
        let served = self.served.iter().find(|(asked, _)| asked == id);
        listed
            .and_then(|entry| entry.context_window)
            .or_else(|| served.map(|(_, tokens)| *tokens))
    }
}

type Answer = Result<Listing, CliError>;

fn ask(
    place: &Place,
    resolved: &Resolved,
    providers: &[ResolvedProvider],
) -> Result<Vec<Answer>, CliError> {
    // A command that prints the key may leave output; nothing of it is kept.
    let scratch = tempfile::tempdir()?;
    let jobs = assemble::jobs(scratch.path());
    let runtime = assemble::runtime()?;
    Ok(runtime.block_on(async {
        let asked = providers
            .iter()
            .map(|one| ask_one(place, resolved, one, &jobs));
        let answers = waiting::during(Motion::for_stderr(), join_all(asked)).await;
        jobs.shutdown().await;
        answers
    }))
}

async fn ask_one(
    place: &Place,
    resolved: &Resolved,
    provider: &ResolvedProvider,
    jobs: &Jobs,
) -> Answer {
    let named = provider.model.clone().unwrap_or_default();
    let server = provider::http(place, provider, &named, None, jobs)?;
    let mut listing = match server.models().await {
        Ok(models) => Listing {
            models,
            is_given: true,
            served: None,
        },
        Err(error) if has_no_list(&error) => unlisted(provider, error)?,
        Err(error) => return Err(error.into()),
    };
    let asked = match (&provider.model, listing.models.as_slice()) {
        (Some(named), _) => named.clone(),
        (None, [only]) => only.id.clone(),
        (None, _) => return Ok(listing),
    };
    // Many servers tell the window only when they are asked for one model.
    let user = resolved.window_of(provider, &asked);
    let known = facts(provider, &asked, user).window.is_some();
    // Of a model that it does not have, a server tells what holds for another.
    let has_it = !listing.is_given || listing.models.iter().any(|entry| entry.id == asked);
    if has_it && !known && listing.window_of(&asked).is_none() {
        let server = provider::http(place, provider, &asked, None, jobs)?;
        let served = server.served_window().await;
        listing.served = served.map(|window| (asked, window.tokens));
    }
    Ok(listing)
}

/// Not every server has a list of models; asking it for answers may work well.
fn has_no_list(error: &ModelError) -> bool {
    matches!(error.status, Some(404 | 405 | 501))
}

fn unlisted(provider: &ResolvedProvider, error: ModelError) -> Answer {
    let told = format!(
        "the server of `{}` doesn't list its models",
        Printable::line(provider::called(provider))
    );
    // An address that lacks its version is the likelier reason.
    let address = error.hint.filter(|hint| hint.contains("has no /v1"));
    if provider.models.is_empty() && provider.model.is_none() {
        return Err(
            CliError::runtime(told).with_hint(address.unwrap_or_else(|| {
                String::from("Name one with --model, or list them in `models` of the provider.")
            })),
        );
    }
    let hint = address.map(|hint| format!(" {hint}.")).unwrap_or_default();
    complain(&format!(
        "{told}; these are the configured ones.{}",
        Printable::line(&hint)
    ));
    Ok(Listing::default())
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

fn rows_of(resolved: &Resolved, provider: &ResolvedProvider, listing: &Listing) -> Vec<Row> {
    let row = |id: &str, is_listed: bool| {
        let served = listing.window_of(id);
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
    let mut rows: Vec<Row> = listing
        .models
        .iter()
        .map(|entry| row(&entry.id, true))
        .collect();
    for id in provider.model.iter().chain(&provider.models) {
        if !rows.iter().any(|row| row.id == *id) {
            rows.push(row(id, false));
        }
    }
    rows
}

impl Row {
    fn as_json(&self, learned: &[(String, InForce)]) -> Value {
        let mine = learned
            .iter()
            .filter(|(provider, lesson)| *provider == self.provider && lesson.model == self.id);
        let learned: Vec<Value> = mine
            .map(|(_, lesson)| {
                json!({"what": lesson.remedy.told(), "until": lesson.until.to_string()})
            })
            .collect();
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
            "learned": learned,
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
            "The configured model `{}` is not on the list of `{}`.",
            Printable::line(named),
            Printable::line(provider::called(provider))
        ));
    }
}

/// How models are called in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    Plain,
    /// As `--model` and `/models` take them where there are several providers.
    WithProvider,
}

fn table(rows: &[Row], names: Names) -> Table {
    let mut table = Table::new(&["", "model", "context", "from", "$/M in", "out", "images"]);
    for row in rows {
        let price = |pick: fn(&Prices) -> f64| {
            row.prices
                .as_ref()
                .map(|prices| pick(prices).to_string())
                .unwrap_or_default()
        };
        let name = match names {
            Names::WithProvider => format!("{}/{}", row.provider, provider::shown_id(&row.id)),
            Names::Plain => provider::shown_id(&row.id),
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
        .filter(|preset| preset.kind != Kind::External && wanted(preset.name));
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
    pages::print(&pages::fitting(&table))
}
