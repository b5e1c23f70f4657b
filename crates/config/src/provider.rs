//! One provider, from its preset, its entry in the configuration and the
//! variables that speak of it.

use crate::address::{address, is_local};
use crate::expand::expand;
use crate::load::Loaded;
use crate::profile::Entry;
use crate::settings::{AuthStore, KeySource, Proxy, ResolvedProvider, ResponsesSettings};
use crate::{ConfigError, models, suggest, variable};
use serde_json::{Map, Value};
use std::time::Duration;
use tenon_model::{
    Auth, AuthStyle, Dialect, FirstToken, ImageDetail, Kind, Preset, Prices, Quirks, Reach,
    Timeouts, Verify, infer, preset, presets,
};
use tenon_vocab::effort;

/// What a server has to send along for its reasoning to go back to it.
const ENCRYPTED: &str = "reasoning.encrypted_content";
/// The preset whose key is the login of another program.
const CODEX: &str = "codex";
/// The provider that variables alone describe.
pub(crate) const FROM_ENV: &str = "env";

/// Whether variables that name no provider speak of this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variables {
    /// `TENON_BASE_URL` and `TENON_API_KEY` hold for it.
    Hold,
    Ignored,
}

pub(crate) struct Built {
    pub provider: ResolvedProvider,
    pub warnings: Vec<String>,
}

pub(crate) fn build(
    loaded: &Loaded,
    name: &str,
    variables: Variables,
) -> Result<Built, ConfigError> {
    let entry = Entry { loaded, name };
    let named = named_preset(&entry)?;
    let mut warnings = Vec::new();
    let (base_url, base_url_origin) = address(&entry, named, variables, &mut warnings)?;
    let known = named.or_else(|| infer(&base_url));
    let kind = match entry.text("type") {
        Some(word) => Kind::from_name(word).unwrap_or(Kind::Chat),
        None => known.map_or(Kind::Chat, |preset| preset.kind),
    };
    let key = key_source(&entry, known, variables)?;
    let reach = reach(known, &base_url);
    if matches!(key, KeySource::Literal(_)) && reach == Reach::Remote {
        warnings.push(format!(
            "{} is in a file: move it to a variable (`api_key_env`) or a command (`api_key_command`)",
            place_of(&entry, "api_key")
        ));
    }
    let profiles = entry
        .get("models")
        .map(|(list, _)| models::profiles(list))
        .unwrap_or_default();
    let mut models: Vec<String> = profiles.iter().map(|profile| profile.id.clone()).collect();
    let model = entry.text("model").map(str::to_owned);
    if let Some(model) = &model
        && !models.contains(model)
    {
        models.insert(0, model.clone());
    }
    let provider = ResolvedProvider {
        name: name.to_owned(),
        kind,
        auth: auth(&entry, known, kind)?,
        headers: headers(&entry)?,
        quirks: quirks(&entry, known)?,
        written_quirks: written_quirks(&entry)
            .into_iter()
            .map(|(name, _)| name)
            .collect(),
        timeouts: timeouts(&entry),
        proxy: proxy(&entry),
        ca_file: entry.path("ca_file"),
        client_cert: entry.path("client_cert"),
        verify: match entry.get("insecure") {
            Some((Value::Bool(true), _)) => Verify::Insecure,
            _ => Verify::Full,
        },
        context_window: entry.number("context_window"),
        preset: known.map(|preset| preset.name),
        reach,
        dialect: dialect(&entry),
        dialect_by_hand: loaded.by_hand("dialect").and_then(dialect_word),
        vision: entry.get("vision").and_then(|(value, _)| value.as_bool()),
        prices: prices(&entry)?,
        codex_home: entry.path("codex_home"),
        auth_store: match entry.text("auth_store") {
            Some("file") => AuthStore::File,
            Some("keyring") => AuthStore::Keyring,
            _ => AuthStore::Auto,
        },
        responses: responses(&entry, known),
        allow_api_key_fallback: matches!(
            entry.get("allow_api_key_fallback"),
            Some((Value::Bool(true), _))
        ),
        profiles,
        base_url,
        base_url_origin,
        model,
        models,
        key,
    };
    Ok(Built { provider, warnings })
}

/// A preset of this machine whose address was changed to a host elsewhere is
/// not of this machine.
fn reach(known: Option<&Preset>, base_url: &str) -> Reach {
    let own = known.filter(|preset| preset.base_url == Some(base_url));
    match own {
        Some(preset) => preset.reach,
        None if is_local(base_url) => Reach::Local,
        None => Reach::Remote,
    }
}

fn dialect_word(value: &Value) -> Option<Dialect> {
    value.as_str().and_then(models::dialect)
}

fn dialect(entry: &Entry<'_>) -> Dialect {
    let own = entry.get("dialect");
    own.or_else(|| entry.loaded.get("dialect"))
        .and_then(|(value, _)| dialect_word(value))
        .unwrap_or_default()
}

fn prices(entry: &Entry<'_>) -> Result<Option<Prices>, ConfigError> {
    let price = |field: &str| {
        let (value, _) = entry.get(&format!("prices.{field}"))?;
        value.as_f64()
    };
    let (cached, cache_write) = (price("cached"), price("cache_write"));
    match (price("input"), price("output")) {
        (Some(input), Some(output)) => Ok(Some(Prices {
            input,
            output,
            cached,
            cache_write,
        })),
        (None, None) if cached.is_none() && cache_write.is_none() => Ok(None),
        (input, _) => {
            let lacking = if input.is_none() { "input" } else { "output" };
            Err(entry.wrong(
                &format!("prices.{lacking}"),
                "it isn't set",
                "prices need both `input` and `output`, in dollars per million tokens",
            ))
        }
    }
}

fn place_of(entry: &Entry<'_>, field: &str) -> String {
    match entry.get(field) {
        Some((_, origin)) => format!("{origin}: the key of `{}`", entry.name),
        None => format!("the key of `{}`", entry.name),
    }
}

fn named_preset(entry: &Entry<'_>) -> Result<Option<&'static Preset>, ConfigError> {
    let Some(wanted) = entry.text("preset") else {
        return Ok(preset(entry.name));
    };
    preset(wanted).map(Some).ok_or_else(|| {
        let names: Vec<&str> = presets().iter().map(|preset| preset.name).collect();
        let hint = match suggest::nearest(wanted, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the presets are: {}", names.join(", ")),
        };
        entry.wrong("preset", &format!("there is no preset `{wanted}`"), &hint)
    })
}

fn key_source(
    entry: &Entry<'_>,
    known: Option<&Preset>,
    variables: Variables,
) -> Result<KeySource, ConfigError> {
    let env = &entry.loaded.env;
    if variables == Variables::Hold && env.get("TENON_API_KEY").is_some() {
        return Ok(KeySource::Env(vec!["TENON_API_KEY".into()]));
    }
    if let Some(command) = entry.text("api_key_command") {
        return Ok(KeySource::Command(command.to_owned()));
    }
    let named = entry.texts("api_key_env");
    if !named.is_empty() {
        variable::check(entry, &named)?;
        return Ok(KeySource::Env(named));
    }
    if let Some(key) = entry.text("api_key") {
        return Ok(KeySource::Literal(key.to_owned()));
    }
    if entry.name == FROM_ENV {
        let llm = variables == Variables::Ignored && env.get("LLM_AUTH_TOKEN").is_some();
        return Ok(if llm {
            KeySource::Env(vec!["LLM_AUTH_TOKEN".into()])
        } else {
            KeySource::None
        });
    }
    Ok(match known {
        Some(preset) if preset.name == CODEX => KeySource::Codex,
        Some(preset) if !preset.key_env.is_empty() => {
            KeySource::Env(preset.key_env.iter().map(|&name| name.into()).collect())
        }
        _ => KeySource::None,
    })
}

fn auth(entry: &Entry<'_>, known: Option<&Preset>, kind: Kind) -> Result<Auth, ConfigError> {
    let Some(text) = entry.text("auth") else {
        return Ok(match known.map(|preset| preset.auth) {
            Some(AuthStyle::Header(name)) => Auth::Header(name.to_owned()),
            Some(AuthStyle::None) => Auth::None,
            None if kind == Kind::Messages => Auth::Header("x-api-key".into()),
            Some(AuthStyle::Bearer) | None => Auth::Bearer,
        });
    };
    match text {
        "bearer" => Ok(Auth::Bearer),
        "none" => Ok(Auth::None),
        "x-api-key" | "api-key" => Ok(Auth::Header(text.to_owned())),
        _ => match text.strip_prefix("header:").map(str::trim) {
            Some(name) if is_header_name(name) => Ok(Auth::Header(name.to_owned())),
            _ => Err(entry.wrong(
                "auth",
                &format!("`{text}` isn't a way to send a key"),
                "write `bearer`, `x-api-key`, `api-key`, `none`, or `header:NAME`",
            )),
        },
    }
}

fn is_header_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c))
}

fn headers(entry: &Entry<'_>) -> Result<Vec<(String, String)>, ConfigError> {
    let prefix = entry.dotted("headers.");
    let mut found = Vec::new();
    for (dotted, held) in entry.loaded.iter() {
        let Some(name) = dotted.strip_prefix(&prefix) else {
            continue;
        };
        let field = format!("headers.{name}");
        if !is_header_name(name) {
            return Err(entry.wrong(
                &field,
                "this isn't a header name",
                "use letters, digits and `-`",
            ));
        }
        let text = held.value.as_str().unwrap_or_default();
        let value = expand(text, &entry.loaded.env)
            .map_err(|why| entry.wrong(&field, &why, "set it, or write `${NAME:-default}`"))?;
        if value.chars().any(|c| c.is_control() && c != '\t') {
            return Err(entry.wrong(
                &field,
                "the value contains a control character",
                "remove it",
            ));
        }
        found.push((name.to_owned(), value));
    }
    Ok(found)
}

fn quirks(entry: &Entry<'_>, known: Option<&Preset>) -> Result<Quirks, ConfigError> {
    let mut start = known.map(Preset::quirks).unwrap_or_default();
    start.image_detail = match entry.loaded.text("multimodal.detail") {
        Some("low") => ImageDetail::Low,
        Some("high") => ImageDetail::High,
        _ => ImageDetail::Auto,
    };
    let Ok(Value::Object(mut fields)) = serde_json::to_value(&start) else {
        return Ok(start);
    };
    fields.extend(written_quirks(entry));
    let quirks: Result<Quirks, _> = serde_json::from_value(Value::Object(fields));
    let quirks = quirks.map(|mut quirks| {
        let wanted = entry.texts("responses.include");
        let set = entry.get("responses.include").is_some();
        if set && !wanted.iter().any(|name| name == ENCRYPTED) {
            quirks.omit.insert(ENCRYPTED.to_owned());
        }
        quirks
    });
    quirks.map_err(|error| {
        entry.wrong(
            "quirks",
            &error.to_string(),
            "see the reference of settings",
        )
    })
}

/// The server behind Codex wants one call at a time, and says its thoughts only
/// when asked.
fn responses(entry: &Entry<'_>, known: Option<&Preset>) -> ResponsesSettings {
    let codex = known.is_some_and(|preset| preset.name == CODEX);
    let flag = |field: &str| entry.get(field).and_then(|(value, _)| value.as_bool());
    let effort = entry
        .text("responses.reasoning.effort")
        .and_then(|word| effort::read(word).ok());
    ResponsesSettings {
        store: flag("responses.store").unwrap_or_default(),
        include: entry
            .get("responses.include")
            .map(|_| entry.texts("responses.include")),
        parallel_tool_calls: flag("responses.parallel_tool_calls").or(codex.then_some(false)),
        effort: effort.or_else(|| codex.then(|| String::from("medium"))),
        summary: entry.text("responses.reasoning.summary").map(str::to_owned),
    }
}

fn written_quirks(entry: &Entry<'_>) -> Map<String, Value> {
    let prefix = entry.dotted("quirks.");
    entry
        .loaded
        .iter()
        .filter_map(|(dotted, held)| {
            let field = dotted.strip_prefix(&prefix)?;
            Some((field.to_owned(), held.value.clone()))
        })
        .collect()
}

fn timeouts(entry: &Entry<'_>) -> Timeouts {
    let default = Timeouts::default();
    let set = |name: &str| entry.number(name).map(Duration::from_millis);
    Timeouts {
        connect: set("timeouts.connect_ms").unwrap_or(default.connect),
        first_token: match set("timeouts.first_token_ms") {
            None => default.first_token,
            Some(Duration::ZERO) => FirstToken::Never,
            Some(limit) => FirstToken::After(limit),
        },
        silence: match set("timeouts.silence_ms") {
            None => default.silence,
            Some(limit) => Some(limit).filter(|limit| !limit.is_zero()),
        },
    }
}

fn proxy(entry: &Entry<'_>) -> Proxy {
    match entry.text("proxy") {
        None | Some("environment") => Proxy::Environment,
        Some("none") => Proxy::None,
        Some(url) => Proxy::Url(url.to_owned()),
    }
}
