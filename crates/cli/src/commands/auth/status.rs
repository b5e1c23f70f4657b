//! `tenon auth status`: each provider, and where its key comes from. Looks at
//! this machine only, unless it is told to ask the servers.

use super::{Counter, pages};
use crate::CommandResult;
use crate::auth::codex::{self, Due, FoundIn, Means};
use crate::auth::desktop::Desktop;
use crate::auth::keys::Saved;
use crate::auth::lookup;
use crate::error::{CliError, code};
use crate::provider;
use crate::render::table::Table;
use crate::screen::complain;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use tenon_config::{AuthStore, Choice, KeySource, ResolvedProvider};
use tenon_model::{Model, ModelErrorKind, presets};
use tenon_policy::Masker;
use tenon_vocab::{Printable, Timestamp};

/// A shorter key has too few characters to show any.
const SHOWABLE: usize = 16;

/// Whether the servers are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    Ask,
    DoNotAsk,
}

/// What is known of the key of one provider.
#[derive(Debug, Clone, Default)]
struct Key {
    /// `variable`, `command`, `configuration`, `desktop`, `file`, `codex`, `none`
    source: &'static str,
    detail: String,
    /// The last characters, where the key is known and long.
    ends_with: Option<String>,
    account: Option<String>,
    expires: Option<String>,
    /// Why it cannot be used.
    problem: Option<String>,
}

impl Key {
    fn new(source: &'static str, detail: impl Into<String>) -> Self {
        Self {
            source,
            detail: detail.into(),
            ..Self::default()
        }
    }

    fn ending(mut self, key: &str) -> Self {
        let ascii = key.is_ascii() && key.len() >= SHOWABLE;
        self.ends_with = ascii.then(|| key[key.len() - 4..].to_owned());
        self
    }

    fn failing(source: &'static str, problem: impl Into<String>) -> Self {
        Self {
            source,
            problem: Some(problem.into()),
            ..Self::default()
        }
    }

    fn told(&self) -> String {
        let mut told = self.detail.clone();
        if let Some(end) = &self.ends_with {
            told.push_str(&format!(" (…{end})"));
        }
        if let Some(problem) = &self.problem {
            let gap = if told.is_empty() { "" } else { "; " };
            told.push_str(&format!("{gap}{problem}"));
        }
        told
    }
}

#[derive(Debug)]
pub struct Row {
    name: String,
    /// As people know it.
    called: String,
    address: String,
    chosen: bool,
    key: Key,
    checked: Option<Result<usize, Failed>>,
}

/// Why a server gave no list.
#[derive(Debug)]
struct Failed {
    verb: &'static str,
    told: String,
}

pub async fn rows(
    counter: &Counter,
    only: Option<String>,
    check: Check,
) -> Result<Vec<Row>, CliError> {
    let saved = match counter.keys.all() {
        Ok(saved) => saved,
        Err(error) => {
            complain(&format!("{error}. {}", error.hint()));
            BTreeMap::new()
        }
    };
    // Several providers and none chosen is no reason not to list them.
    let chosen = tenon_config::resolve(&counter.loaded, &Choice::default())
        .ok()
        .and_then(|resolved| resolved.provider);
    let desktop = Desktop::find(&counter.place, &counter.jobs);
    let mut rows = Vec::new();
    for name in names(counter, only.as_deref(), &saved).await {
        let found = match &chosen {
            Some(provider) if provider.name == name => Ok(provider.clone()),
            _ => tenon_config::provider_named(&counter.loaded, &name),
        };
        let provider = match found {
            Ok(provider) => provider,
            Err(error) if only.is_some() => return Err(error.into()),
            Err(error) => {
                rows.push(Row {
                    called: name.clone(),
                    name,
                    address: String::new(),
                    chosen: false,
                    key: Key::failing("none", error.to_string()),
                    checked: None,
                });
                continue;
            }
        };
        let key = key(counter, &provider, &saved, desktop.as_ref()).await;
        let checked = match check {
            Check::Ask if key.problem.is_none() => Some(ask(counter, &provider).await),
            Check::Ask | Check::DoNotAsk => None,
        };
        rows.push(Row {
            chosen: chosen.as_ref().is_some_and(|chosen| chosen.name == name),
            called: provider::called(&provider).to_owned(),
            address: provider.base_url,
            name,
            key,
            checked,
        });
    }
    Ok(rows)
}

/// What is configured, what a key was saved for, what a variable holds a key
/// for, and Codex where somebody is logged in.
async fn names(
    counter: &Counter,
    only: Option<&str>,
    saved: &BTreeMap<String, Saved>,
) -> BTreeSet<String> {
    if let Some(only) = only {
        return BTreeSet::from([only.to_owned()]);
    }
    let env = &counter.place.env;
    let has_key = |names: &[&str]| names.iter().any(|name| env.get(name).is_some());
    let mut names: BTreeSet<String> = counter.loaded.provider_names().into_iter().collect();
    names.extend(saved.keys().cloned());
    names.extend(
        presets()
            .iter()
            .filter(|preset| has_key(preset.key_env))
            .map(|preset| preset.name.to_owned()),
    );
    // A login that cannot be read is shown, with the reason.
    let home = codex::home(&counter.place, None);
    let login = codex::find(&home, AuthStore::Auto, None).await;
    let is_login = login.map_or(true, |found| {
        found.is_some_and(|found| found.login.means() != Means::Nothing)
    });
    if is_login {
        names.insert(String::from("codex"));
    }
    if env.get("TENON_BASE_URL").is_some() {
        names.insert(String::from("env"));
    }
    names
}

async fn key(
    counter: &Counter,
    provider: &ResolvedProvider,
    saved: &BTreeMap<String, Saved>,
    desktop: Option<&Desktop>,
) -> Key {
    let variables = match &provider.key {
        KeySource::Command(_) => return Key::new("command", "api_key_command (not run)"),
        KeySource::Literal(key) => return Key::new("configuration", "in the file").ending(key),
        KeySource::Codex => return login(counter, provider, desktop).await,
        KeySource::Env(names) => names.as_slice(),
        KeySource::None => &[],
    };
    let env = &counter.place.env;
    if let Some(name) = variables.iter().find(|name| env.get(name).is_some()) {
        return Key::new("variable", name.clone()).ending(env.get(name).unwrap_or_default().trim());
    }
    let (source, detail) = match saved.get(&provider.name) {
        Some(Saved::Desktop { .. }) => ("desktop", "the desktop's credential store"),
        Some(Saved::File { .. }) => ("file", "keys.json"),
        None if variables.is_empty() => return Key::new("none", "none is configured"),
        None => {
            return Key::failing(
                "none",
                format!(
                    "not set: {}, or `tenon auth login {}`",
                    variables.join(" or "),
                    provider.name
                ),
            );
        }
    };
    match lookup(&counter.keys, desktop, &provider.name, &provider.base_url).await {
        Ok(Some(key)) => Key::new(source, detail).ending(key.expose()),
        Ok(None) => Key::failing(source, "it is no longer there"),
        Err(error) => Key::failing(source, format!("{error}. {}", error.hint())),
    }
}

async fn login(counter: &Counter, provider: &ResolvedProvider, keyring: Option<&Desktop>) -> Key {
    let home = codex::home(&counter.place, provider.codex_home.as_deref());
    let found = match codex::find(&home, provider.auth_store, keyring).await {
        Ok(Some(found)) => found,
        Ok(None) => {
            let why = format!("there is no login in {}; run `codex login`", home.display());
            return Key::failing("codex", why);
        }
        Err(error) => return Key::failing("codex", error.to_string()),
    };
    let file = home.join("auth.json").display().to_string();
    if found.place == FoundIn::File && codex::is_open_to_others(&home) {
        let shown = Printable::line(&file);
        complain(&format!(
            "Other users can read or change {shown}: run `chmod 600 {shown}`; if they may have read it, run `codex login` again."
        ));
    }
    let place = match found.place {
        FoundIn::File => file,
        FoundIn::Keyring => String::from("the keyring"),
    };
    match found.login.means() {
        Means::Tokens => {}
        Means::ApiKey if provider.allow_api_key_fallback => {
            return Key::new("codex", format!("an API key in {place}"))
                .ending(found.login.api_key().unwrap_or_default());
        }
        Means::ApiKey => {
            return Key::failing(
                "codex",
                format!("only an API key in {place}; run `codex login`"),
            );
        }
        Means::Nothing => {
            return Key::failing("codex", format!("no tokens in {place}; run `codex login`"));
        }
    }
    let claims = found.login.claims();
    let mut key = Key::new("codex", format!("Codex login in {place}"));
    let expires = claims
        .expires
        .and_then(|seconds| Timestamp::from_second(seconds).ok());
    if let Some(end) = expires {
        let day = end.strftime("%Y-%m-%d %H:%MZ");
        let word = match found.login.due(Timestamp::now()) {
            Due::Expired => "expired",
            Due::Soon | Due::NotYet => "until",
        };
        key.detail.push_str(&format!(", {word} {day}"));
        if found.login.refresh().is_some() && found.place == FoundIn::File {
            key.detail.push_str(", renewed automatically");
        }
        key.expires = Some(end.to_string());
    }
    let person = claims.email.or_else(|| claims.account.clone());
    if let Some(person) = person {
        key.detail.push_str(&format!(", {person}"));
    }
    if let Some(plan) = claims.plan {
        key.detail.push_str(&format!(" ({plan})"));
    }
    key.account = claims.account;
    key
}

/// Once, for its models: the smallest request that needs the key.
async fn ask(counter: &Counter, provider: &ResolvedProvider) -> Result<usize, Failed> {
    let model = provider.model.clone().unwrap_or_default();
    let http = provider::http(&counter.place, provider, &model, None, &counter.jobs);
    let http = http.map_err(|error| Failed {
        verb: "can't be checked",
        told: error.to_string(),
    })?;
    let models = http.models().await;
    models.map(|models| models.len()).map_err(|error| {
        let hint = error.hint.map(|hint| format!(" {hint}"));
        Failed {
            verb: match (error.kind, error.status) {
                (ModelErrorKind::Auth, _) => "refuses the key",
                (_, Some(404 | 405 | 501)) => "doesn't list its models, so the key was not checked",
                (_, Some(_)) => "fails",
                (_, None) => "doesn't answer",
            },
            told: Masker::standard()
                .mask(&format!("{}.{}", error.message, hint.unwrap_or_default()))
                .into_owned(),
        }
    })
}

pub fn print(rows: &[Row]) -> CommandResult {
    if rows.is_empty() {
        complain(
            "No provider is configured and no key is saved. `tenon auth login openai` saves one; `tenon models --presets` lists the names.",
        );
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["", "provider", "key", "where"]);
    for row in rows {
        let mark = if row.chosen { "*" } else { "" };
        table.row([
            mark.to_owned(),
            row.called.clone(),
            row.key.source.to_owned(),
            row.key.told(),
        ]);
    }
    let mut page = table.to_string();
    for row in rows {
        let told = match &row.checked {
            None => continue,
            Some(Ok(models)) => {
                format!("answers and lists {}", pages::counted(*models, "model"))
            }
            Some(Err(failed)) => format!("{}: {}", failed.verb, failed.told),
        };
        let line = format!("{} at {} {told}", row.called, row.address);
        page.push_str(&format!("\n{}", Printable::line(&line)));
    }
    pages::print(&page)?;
    Ok(exit(rows))
}

pub fn print_json(rows: &[Row]) -> CommandResult {
    let page: Vec<Value> = rows
        .iter()
        .map(|row| {
            let check = row.checked.as_ref().map(|checked| match checked {
                Ok(models) => json!({"ok": true, "models": models}),
                Err(failed) => json!({"ok": false, "error": failed.told}),
            });
            json!({
                "provider": row.name,
                "base_url": row.address,
                "chosen": row.chosen,
                "source": row.key.source,
                "detail": row.key.detail,
                "ends_with": row.key.ends_with,
                "account": row.key.account,
                "expires": row.key.expires,
                "problem": row.key.problem,
                "check": check,
            })
        })
        .collect();
    pages::print_json(&page)?;
    Ok(exit(rows))
}

/// What a server refuses fails; a key that is not there does not.
fn exit(rows: &[Row]) -> ExitCode {
    let refused = rows.iter().any(|row| matches!(row.checked, Some(Err(_))));
    if refused {
        ExitCode::from(code::RUNTIME)
    } else {
        ExitCode::SUCCESS
    }
}

#[cfg(test)]
mod tests {
    use super::Key;

    #[test]
    fn of_a_short_key_nothing_is_shown_and_of_a_long_one_four_characters() {
        assert_eq!(Key::new("file", "x").ending("short-key").ends_with, None);
        let long = Key::new("file", "x").ending("sk-0123456789abcdef-wxyz");
        assert_eq!(long.told(), "x (…wxyz)");
    }
}
