//! Configuration, trust and provider, as a session would find them.

use super::Finding;
use crate::args::{DoctorArgs, RunArgs};
use crate::assemble::{self, Options};
use crate::auth::keys::Keys;
use crate::drive::Desk;
use crate::error::CliError;
use crate::place::Place;
use crate::provider::{self, InForce, in_force};
use std::collections::BTreeMap;
use tenon_config::{KeySource, Loaded, Resolved, ResolvedProvider, Standing};
use tenon_engine::small;
use tenon_model::SMALL_WINDOW;

const CONFIGURATION: &str = "configuration";
const TRUST: &str = "trust";
pub(super) const PROVIDER: &str = "provider";

pub(super) type Settings = Result<(Loaded, Resolved), CliError>;

pub(super) fn load(place: &Place, args: &DoctorArgs) -> Settings {
    let asked = RunArgs {
        provider: args.provider.clone(),
        model: args.model.clone(),
        ..RunArgs::default()
    };
    let options = Options::from_args(&asked, Desk::Nobody);
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
            "it is ignored; `tenon config show` prints what is in use",
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
        Standing::Nothing => Finding::ok(TRUST, "this project has nothing that needs trust"),
        Standing::Trusted => Finding::ok(TRUST, "you trust this project as it is now"),
        Standing::Refused => Finding::ok(
            TRUST,
            "you have not trusted this project, as you said; `tenon trust accept` changes that",
        ),
        Standing::Unknown => Finding::warn(
            TRUST,
            format!(
                "you have not trusted this project; trust would enable: {}",
                loaded.project_wants().join("; ")
            ),
            "check what it asks for, then run `tenon trust accept`, or ignore this",
        ),
        Standing::Impossible(why) => Finding::warn(
            TRUST,
            why.clone(),
            "what it asks for is ignored until that is fixed",
        ),
    }
}

pub(super) fn provider(place: &Place, resolved: Option<&Resolved>) -> Vec<Finding> {
    let Some(resolved) = resolved else {
        return Vec::new();
    };
    let mut findings: Vec<Finding> = resolved
        .unusable
        .iter()
        .map(|(name, error)| {
            Finding::warn(
                PROVIDER,
                format!("can't use `{name}`: {error}"),
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
    findings.extend(learned(place, chosen));
    findings
}

/// The window as it is known without the server: said where it is small.
pub(super) fn window(
    place: &Place,
    resolved: &Resolved,
    provider: &ResolvedProvider,
) -> Option<Finding> {
    let model = provider.model.as_deref()?;
    let own = resolved.window_of(provider, model);
    let window = provider::window(place, provider, model, own)?;
    if window.tokens >= SMALL_WINDOW {
        return None;
    }
    let told = small::Told::of(&provider.name, &window);
    Some(Finding::warn(PROVIDER, told.what, told.advice))
}

/// What is done differently because the server refused something, each model
/// on a line.
fn learned(place: &Place, provider: &ResolvedProvider) -> Vec<Finding> {
    let mut models: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for InForce { model, remedy, .. } in in_force(place, provider, provider.model.as_deref()) {
        models.entry(model).or_default().push(remedy.told());
    }
    models
        .into_iter()
        .map(|(model, told)| {
            let what = format!(
                "learned from refusals for `{model}` (`tenon models --forget` tries again)"
            );
            Finding::ok(PROVIDER, what).listing(told)
        })
        .collect()
}

/// Whether there is a key; never the key.
fn key(place: &Place, provider: &ResolvedProvider) -> Finding {
    let names = match &provider.key {
        KeySource::Literal(_) => {
            return Finding::ok(PROVIDER, "the key is in the configuration");
        }
        KeySource::Command(_) => return Finding::ok(PROVIDER, "a command prints the key"),
        KeySource::Codex => {
            return Finding::ok(
                PROVIDER,
                "using the Codex login; `tenon auth status` shows it",
            );
        }
        KeySource::None => &[],
        KeySource::Env(names) => names.as_slice(),
    };
    if let Some(name) = names.iter().find(|name| place.env.get(name).is_some()) {
        return Finding::ok(PROVIDER, format!("the key is in {name}"));
    }
    match Keys::in_state(&place.paths.state).all() {
        Err(error) => Finding::warn(PROVIDER, error.to_string(), error.hint()),
        Ok(mut saved) if saved.contains_key(&provider.name) => {
            match saved
                .remove(&provider.name)
                .filter(|saved| !saved.is_for(&provider.base_url))
            {
                None => Finding::ok(PROVIDER, "using the key that `tenon auth login` saved"),
                Some(other) => Finding::warn(
                    PROVIDER,
                    format!(
                        "the saved key is for {} and is not sent anywhere else",
                        other.origin()
                    ),
                    format!(
                        "`tenon auth login {}` saves one for this address",
                        provider.name
                    ),
                ),
            }
        }
        Ok(_) if names.is_empty() => Finding::ok(PROVIDER, "no key is configured"),
        Ok(_) => Finding::warn(
            PROVIDER,
            format!("the key is not set: {}", names.join(" or ")),
            "set it or save one with `tenon auth login`, if the server needs one",
        ),
    }
}
