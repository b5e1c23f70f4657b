//! The address of a provider: where it is written, and what it has to look like.

use crate::expand::expand;
use crate::load::Origin;
use crate::profile::Entry;
use crate::provider::{FROM_ENV, Variables};
use crate::{ConfigError, suggest};
use tenon_model::{Kind, Preset, infer, is_private, presets};

/// Variables that services themselves define for their address.
fn own_variable(name: &str) -> Option<&'static str> {
    match name {
        "openai" => Some("OPENAI_BASE_URL"),
        "anthropic" => Some("ANTHROPIC_BASE_URL"),
        _ => None,
    }
}

pub(crate) fn address(
    entry: &Entry<'_>,
    known: Option<&'static Preset>,
    variables: Variables,
    warnings: &mut Vec<String>,
) -> Result<(String, Origin), ConfigError> {
    let env = &entry.loaded.env;
    let from = |name: &str| {
        env.get(name)
            .map(|url| (url.to_owned(), Origin::Environment(name.to_owned())))
    };
    let ours = match variables {
        Variables::Hold => from("TENON_BASE_URL"),
        Variables::Ignored => None,
    };
    let theirs = match own_variable(entry.name) {
        _ if entry.name == FROM_ENV => from("LLM_BASE_URL"),
        Some(variable) => from(variable),
        None => None,
    };
    let preset_url = || {
        let url = known?.base_url?;
        Some((url.to_owned(), Origin::BuiltIn))
    };
    let written = match entry.get("base_url") {
        Some((value, origin)) => {
            let text = expand(value.as_str().unwrap_or_default(), env).map_err(|why| {
                entry.wrong("base_url", &why, "set it, or write `${NAME:-default}`")
            })?;
            Some((text, origin.clone()))
        }
        None => None,
    };
    // Variables are above files, and the administrator above all (I11).
    let above = written
        .as_ref()
        .is_some_and(|(_, origin)| origin.rank() > Origin::Environment(String::new()).rank());
    let by_variable = ours.or(theirs);
    let found = if above {
        written
    } else {
        by_variable.or(written)
    };
    let Some((url, origin)) = found.or_else(preset_url) else {
        return Err(missing_address(entry, known));
    };
    let url = normalised(&completed(entry, known, &url), warnings)
        .map_err(|why| ConfigError::hinted(format!("{origin}: `{url}`: {why}"), ADDRESS_HINT))?;
    Ok((url, origin))
}

const ADDRESS_HINT: &str = "an address looks like http://localhost:8000/v1";

fn missing_address(entry: &Entry<'_>, known: Option<&Preset>) -> ConfigError {
    if let Some(preset) = known.filter(|preset| preset.kind != Kind::External) {
        return entry.wrong("base_url", "it isn't set", preset.note);
    }
    if known.is_some() {
        return not_yet(entry.name);
    }
    let own = entry.loaded.provider_names();
    let is_written = own.iter().any(|name| name == entry.name);
    let others = own
        .iter()
        .map(String::as_str)
        .filter(|name| *name != entry.name);
    let own: Vec<&str> = others.collect();
    let presets: Vec<&str> = presets().iter().map(|preset| preset.name).collect();
    let near = suggest::nearest(entry.name, own.iter().chain(&presets).copied());
    let hint = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let yours = match own.as_slice() {
                [] => String::new(),
                own => format!("choose one of yours: {}; or ", own.join(", ")),
            };
            format!(
                "{yours}write `providers.{}.base_url`, or choose a preset: {}",
                entry.name,
                presets.join(", ")
            )
        }
    };
    let message = if is_written {
        format!("the provider `{}` has no `base_url`", entry.name)
    } else {
        format!("there is no provider `{}`", entry.name)
    };
    ConfigError::hinted(message, hint)
}

pub(crate) fn not_yet(name: &str) -> ConfigError {
    ConfigError::hinted(
        format!(
            "the provider `{name}` has the type `external`, which this version doesn't support yet"
        ),
        "use a server of the type `chat`, `messages` or `responses`",
    )
}

fn normalised(url: &str, warnings: &mut Vec<String>) -> Result<String, String> {
    let url = url.trim();
    let rest = url
        .strip_prefix("http://")
        .or_else(|| url.strip_prefix("https://"))
        .ok_or("it must start with http:// or https://")?;
    if rest.starts_with(['/', ':', '?', '#']) || rest.is_empty() {
        return Err("it names no host".into());
    }
    if url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("it contains a space".into());
    }
    let url = url.trim_end_matches('/');
    match tails().find_map(|tail| Some((tail, url.strip_suffix(tail)?))) {
        Some((tail, base)) => {
            warnings.push(format!(
                "`base_url` must not end in `{tail}`; Tenon uses {base}"
            ));
            Ok(base.trim_end_matches('/').to_owned())
        }
        None => Ok(url.to_owned()),
    }
}

/// What people copy along with the address.
fn tails() -> impl Iterator<Item = &'static str> {
    Kind::ALL.into_iter().filter_map(Kind::path)
}

/// An address without its version, as the services' own libraries take it.
/// Anthropic's add `/v1` themselves, and what speaks like it is documented that
/// way; OpenAI's do not, so that only a bare host is completed there. Elsewhere a
/// bare host may be meant as it stands.
fn completed(entry: &Entry<'_>, named: Option<&'static Preset>, url: &str) -> String {
    let trimmed = url.trim().trim_end_matches('/');
    let Some((_, rest)) = trimmed.split_once("://") else {
        return url.to_owned();
    };
    let known = named.or_else(|| infer(trimmed));
    let kind = match entry.text("type") {
        Some(word) => Kind::from_name(word),
        None => known.map(|preset| preset.kind),
    };
    let bare = !rest.is_empty() && !rest.contains(['/', '?', '#']);
    let wanting = if kind == Some(Kind::Messages) {
        !rest.contains(['?', '#'])
            && !has_version(rest)
            && !tails().any(|tail| trimmed.ends_with(tail))
    } else {
        bare && known.is_some_and(|preset| preset.name == "openai")
    };
    if wanting {
        format!("{trimmed}/v1")
    } else {
        url.to_owned()
    }
}

/// Whether an address ends in `/v1`, `/v2` and the like.
fn has_version(rest: &str) -> bool {
    let last = rest.rsplit_once('/').map(|(_, last)| last);
    last.and_then(|last| last.strip_prefix('v'))
        .is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether an address is this machine or a private network.
pub(crate) fn is_local(url: &str) -> bool {
    let host = url
        .split_once("://")
        .map_or(url, |(_, rest)| rest)
        .split(['/', '?', '#'])
        .next()
        .unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(inner) => inner.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    is_private(host)
}
