//! Configuration, trust and provider, as a session would find them.

use super::{Finding, Reach};
use crate::args::RunArgs;
use crate::assemble::{self, Options};
use crate::drive::Desk;
use crate::error::CliError;
use crate::place::Place;
use crate::provider::http;
use tenon_config::{KeySource, Loaded, Resolved, ResolvedProvider, Standing};
use tenon_model::Model;

const CONFIGURATION: &str = "configuration";
const TRUST: &str = "trust";
const PROVIDER: &str = "provider";

pub(super) type Settings = Result<(Loaded, Resolved), CliError>;

pub(super) fn load(place: &Place) -> Settings {
    let options = Options::from_args(&RunArgs::default(), Desk::Nobody);
    assemble::settings(place, &options)
}

pub(super) fn configuration(place: &Place, loaded: &Settings) -> Vec<Finding> {
    let (loaded, resolved) = match loaded {
        Ok(both) => both,
        Err(error) => {
            return vec![Finding::problem(
                CONFIGURATION,
                error.to_string(),
                "correct the file at that line; `tenon config edit` opens yours",
            )];
        }
    };
    let mut findings: Vec<Finding> = loaded
        .files()
        .iter()
        .map(|file| Finding::ok(CONFIGURATION, format!("read: {}", file.display())))
        .collect();
    if findings.is_empty() {
        findings.push(Finding::ok(
            CONFIGURATION,
            format!(
                "no file; yours would be in {}",
                place.paths.config.display()
            ),
        ));
    }
    let variables: Vec<String> = loaded
        .iter()
        .filter_map(|(_, entry)| match &entry.origin {
            tenon_config::Origin::Environment(name) => Some(name.clone()),
            _ => None,
        })
        .collect();
    if !variables.is_empty() {
        findings.push(Finding::ok(
            CONFIGURATION,
            format!("set by variables: {}", variables.join(", ")),
        ));
    }
    findings.extend(loaded.ignored().iter().map(|ignored| {
        Finding::warn(
            CONFIGURATION,
            format!(
                "ignored: {} ({}): {}",
                ignored.key, ignored.origin, ignored.why
            ),
            "it does not hold; `tenon config show` prints what does",
        )
    }));
    findings.extend(
        loaded
            .warnings()
            .iter()
            .chain(&resolved.warnings)
            .map(|warning| {
                Finding::warn(
                    CONFIGURATION,
                    warning.clone(),
                    "`tenon config show` prints where each value comes from",
                )
            }),
    );
    findings.push(trust(loaded));
    findings
}

fn trust(loaded: &Loaded) -> Finding {
    match &loaded.project().standing {
        Standing::Nothing => Finding::ok(TRUST, "this project asks for nothing that needs trust"),
        Standing::Trusted => Finding::ok(TRUST, "this project is trusted as it is now"),
        Standing::Refused => Finding::ok(
            TRUST,
            "this project is not trusted, as you said; `tenon trust accept` changes that",
        ),
        Standing::Unknown => Finding::warn(
            TRUST,
            format!(
                "this project is not trusted; trust would enable: {}",
                loaded.project_wants().join("; ")
            ),
            "read what it asks for, then `tenon trust accept`, or leave it",
        ),
        Standing::Impossible(why) => Finding::warn(
            TRUST,
            why.clone(),
            "what it asks for is ignored until that is mended",
        ),
    }
}

pub(super) async fn provider(
    place: &Place,
    resolved: Option<&Resolved>,
    reach: Reach,
) -> Vec<Finding> {
    let Some(resolved) = resolved else {
        return Vec::new();
    };
    let mut findings: Vec<Finding> = resolved
        .unusable
        .iter()
        .map(|(name, error)| {
            Finding::warn(
                PROVIDER,
                format!("`{name}` cannot be used: {error}"),
                "correct it, or remove it",
            )
        })
        .collect();
    let Some(chosen) = &resolved.provider else {
        findings.push(Finding::warn(
            PROVIDER,
            "none is configured",
            "set TENON_BASE_URL and TENON_MODEL, or run `tenon config init`; `tenon demo` works without one",
        ));
        return findings;
    };
    findings.push(Finding::ok(
        PROVIDER,
        format!(
            "`{}` at {} ({})",
            chosen.name, chosen.base_url, chosen.base_url_origin
        ),
    ));
    findings.push(key(place, chosen));
    findings.push(match reach {
        Reach::DoNotAsk => Finding::ok(PROVIDER, "the server was not asked; --network does that"),
        Reach::Ask => asked(place, chosen).await,
    });
    findings
}

/// Whether there is a key; never the key.
fn key(place: &Place, provider: &ResolvedProvider) -> Finding {
    match &provider.key {
        KeySource::None => Finding::ok(PROVIDER, "no key is configured"),
        KeySource::Literal(_) => Finding::ok(PROVIDER, "the key stands in the configuration"),
        KeySource::Command(_) => Finding::ok(PROVIDER, "a command prints the key"),
        KeySource::Env(names) => match names.iter().find(|name| place.env.get(name).is_some()) {
            Some(name) => Finding::ok(PROVIDER, format!("the key is in {name}")),
            None => Finding::warn(
                PROVIDER,
                format!("the key is not set: {}", names.join(" or ")),
                "set it, if the server wants one",
            ),
        },
    }
}

async fn asked(place: &Place, provider: &ResolvedProvider) -> Finding {
    let failed = |error: String| {
        Finding::problem(
            PROVIDER,
            format!("the server does not answer: {error}"),
            "check `base_url`, the key, and whether the server runs; `tenon models` asks again",
        )
    };
    // A command that prints the key may leave output; nothing of it is kept.
    let scratch = match tempfile::tempdir() {
        Ok(scratch) => scratch,
        Err(error) => return failed(error.to_string()),
    };
    let jobs = assemble::jobs(scratch.path());
    let named = provider.model.clone().unwrap_or_default();
    let models = match http(place, provider, &named, None, &jobs) {
        Err(error) => Err(error.to_string()),
        Ok(model) => model.models().await.map_err(|error| error.to_string()),
    };
    jobs.shutdown().await;
    match models {
        Err(error) => failed(error),
        Ok(models) if named.is_empty() || models.iter().any(|model| model.id == named) => {
            Finding::ok(
                PROVIDER,
                format!("the server answers and names {} models", models.len()),
            )
        }
        Ok(models) => Finding::warn(
            PROVIDER,
            format!(
                "the server answers, but `{named}` is not among its {} models",
                models.len()
            ),
            "choose one with `tenon models`, if requests fail",
        ),
    }
}
