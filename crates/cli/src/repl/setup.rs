//! The first start, with nothing configured (P16): asks for a server and a
//! model, shows what it would write, asks, writes. Never asks for a key and
//! never writes one. Asks no server that was not named.

mod written;

use super::Repl;
use super::input::Enter;
use super::table;
use crate::assemble::{self, Options};
use crate::error::CliError;
use crate::provider;
use crate::screen::complain;
use tenon_config::{Env, ResolvedProvider};
use tenon_model::{Kind, Model, ModelEntry, Preset, presets};
use tenon_vocab::{Printable, Reply, TableReply};
use written::{Flags, Server, create, flags, page};

/// The name of a server that is no preset.
const OWN: &str = "own";
/// Models that are listed, at most.
const LISTED: usize = 30;

/// The settings of this session that are not in a file: none when they were
/// written.
pub async fn run(repl: &mut Repl, options: &Options) -> Result<Flags, CliError> {
    complain(
        "No model server is configured yet. A few questions; Enter takes what stands in brackets, Ctrl+C leaves.",
    );
    let server = server(repl).await?;
    let mut options = options.clone();
    options.flags.extend(flags(&server, None));
    let (_, resolved) = assemble::settings(&repl.place, &options)?;
    let configured = resolved.provider.ok_or_else(assemble::nothing_configured)?;
    say_key(&repl.place.env, &configured);
    let model = model(repl, &configured).await?;
    write(repl, &server, &model).await
}

async fn ask(repl: &mut Repl, label: &str) -> Result<String, CliError> {
    let answer = repl.keyboard.question(&mut repl.signals, label).await;
    answer.ok_or_else(assemble::nothing_configured)
}

async fn server(repl: &mut Repl) -> Result<Server, CliError> {
    let default = suggestion(&repl.place.env);
    loop {
        let label = format!("Server: a name or an address, ? lists the names [{default}] ");
        let answer = ask(repl, &label).await?;
        match understand(&answer, default) {
            Understood::List => complain(&table::reply(&list(), table::width())),
            Understood::Address(url) => return own(repl, url).await,
            Understood::Preset(preset) if preset.base_url.is_none() => {
                let base_url = ask(repl, "Address of the server: ").await?;
                return Ok(Server {
                    name: preset.name.to_owned(),
                    base_url: Some(base_url),
                    key_env: None,
                });
            }
            Understood::Preset(preset) => {
                return Ok(Server {
                    name: preset.name.to_owned(),
                    base_url: None,
                    key_env: None,
                });
            }
            Understood::No(why) => complain(&why),
        }
    }
}

async fn own(repl: &mut Repl, url: String) -> Result<Server, CliError> {
    let label = "Name of the environment variable that holds the key (Enter: no key) [] ";
    let key_env = loop {
        let answer = ask(repl, label).await?;
        match answer.to_ascii_lowercase().as_str() {
            "" | "no" | "none" => break None,
            _ if is_variable(&answer) => break Some(answer),
            // Never repeated on the screen: it may be the key itself.
            _ => complain(
                "That is not the name of a variable; if it is the key, do not type it here. Give a name such as MY_API_KEY.",
            ),
        }
    };
    Ok(Server {
        name: String::from(OWN),
        base_url: Some(url),
        key_env,
    })
}

/// Upper case only: what people call variables, and keys are not.
fn is_variable(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && text
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

enum Understood {
    List,
    Preset(&'static Preset),
    Address(String),
    No(String),
}

fn usable() -> impl Iterator<Item = &'static Preset> {
    presets()
        .iter()
        .filter(|preset| preset.kind != Kind::External)
}

/// A service whose key is already set, else a server of this machine.
fn suggestion(env: &Env) -> &'static str {
    usable()
        .filter(|preset| preset.base_url.is_some())
        .find(|preset| preset.key_env.iter().any(|name| env.get(name).is_some()))
        .map_or("ollama", |preset| preset.name)
}

fn understand(answer: &str, default: &'static str) -> Understood {
    let named = if answer.is_empty() { default } else { answer };
    if named == "?" {
        return Understood::List;
    }
    if named.contains("://") {
        return Understood::Address(named.to_owned());
    }
    let near = || {
        let names: Vec<&str> = usable().map(|preset| preset.name).collect();
        tenon_tools::input::suggest_name(named, &names)
            .map(|near| format!(" Did you mean `{near}`?"))
            .unwrap_or_default()
    };
    match presets().iter().find(|preset| preset.name == named) {
        Some(preset) if preset.kind != Kind::External => Understood::Preset(preset),
        Some(_) => Understood::No(format!("{named} is not available in this version.")),
        None => Understood::No(format!(
            "There is no server named `{}`.{} ? lists them; an address begins with http:// or https://.",
            Printable::line(named),
            near()
        )),
    }
}

fn list() -> Reply {
    let rows = usable()
        .map(|preset| vec![preset.name.to_owned(), preset.note.to_owned()])
        .collect();
    Reply::Table(TableReply {
        columns: vec![String::from("name"), String::from("what")],
        rows,
        note: Some(String::from("Or an address: http://127.0.0.1:8080/v1")),
    })
}

fn say_key(env: &Env, configured: &ResolvedProvider) {
    if let tenon_config::KeySource::Env(names) = &configured.key
        && !names.iter().any(|name| env.get(name).is_some())
    {
        complain(&format!(
            "The key is read from the environment and is never written to a file: set {} before you start tenon.",
            names.join(" or ")
        ));
    }
}

async fn model(repl: &mut Repl, configured: &ResolvedProvider) -> Result<String, CliError> {
    let known = models(repl, configured).await;
    if let Some(problem) = known.as_ref().err() {
        complain(&format!(
            "The server does not list its models: {}",
            Printable::line(&problem.message)
        ));
        if let Some(hint) = &problem.hint {
            complain(&format!("  {}", Printable::line(hint)));
        }
    }
    let known = known.unwrap_or_default();
    for (n, model) in known.iter().take(LISTED).enumerate() {
        complain(&format!("  {:>2}  {}", n + 1, Printable::line(&model.id)));
    }
    if known.len() > LISTED {
        complain(&format!("      … and {} more", known.len() - LISTED));
    }
    let first = known.first().map_or("", |model| model.id.as_str());
    loop {
        let label = format!("Model [{}] ", Printable::line(first));
        let answer = ask(repl, &label).await?;
        if let Some(model) = chosen(&answer, &known) {
            return Ok(model);
        }
        complain("A model has to be named; the server's documentation lists them.");
    }
}

async fn models(
    repl: &mut Repl,
    configured: &ResolvedProvider,
) -> Result<Vec<ModelEntry>, CliError> {
    let scratch = tempfile::tempdir()?;
    let jobs = assemble::jobs(scratch.path());
    let model = provider::http(&repl.place, configured, "", None, &jobs)?;
    tokio::select! {
        biased;
        _ = repl.signals.next() => Err(CliError::runtime("not waited for")),
        models = model.models() => Ok(models?),
    }
}

/// By number, by name, or the first one with Enter.
fn chosen(answer: &str, known: &[ModelEntry]) -> Option<String> {
    if answer.is_empty() {
        return known.first().map(|model| model.id.clone());
    }
    let named = known.iter().any(|model| model.id == answer);
    let number = answer.parse::<usize>().ok().filter(|_| !named);
    match number.and_then(|n| known.get(n.checked_sub(1)?)) {
        Some(model) => Some(model.id.clone()),
        None => Some(answer.to_owned()),
    }
}

async fn write(repl: &mut Repl, server: &Server, model: &str) -> Result<Flags, CliError> {
    let flags = flags(server, Some(model));
    let page = page(&flags);
    let folder = repl.place.paths.config.clone();
    let path = folder.join("tenon.jsonc");
    complain(&format!("\n{}", Printable::block(&page)));
    let there = ["tenon.jsonc", "tenon.json", "tenon.toml"]
        .iter()
        .map(|name| folder.join(name))
        .find(|path| path.symlink_metadata().is_ok());
    if let Some(there) = there {
        complain(&format!(
            "There is a configuration already: add these lines to {}. They hold for this session.",
            there.display()
        ));
        return Ok(flags);
    }
    let label = format!("Write this to {}? [Y/n] ", path.display());
    if !repl
        .keyboard
        .confirm(&mut repl.signals, &label, Enter::Yes)
        .await
    {
        complain("Nothing was written; it holds for this session.");
        return Ok(flags);
    }
    create(&folder, &path, &page)?;
    complain("Written. `tenon config edit` changes it, `tenon config show` shows what holds.\n");
    Ok(Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(names: &[&str]) -> Vec<ModelEntry> {
        names
            .iter()
            .map(|name| ModelEntry {
                id: (*name).to_owned(),
                context_window: None,
            })
            .collect()
    }

    #[test]
    fn enter_takes_the_first_model_and_a_number_its_own() {
        let known = entries(&["a", "b", "7"]);
        assert_eq!(chosen("", &known).as_deref(), Some("a"));
        assert_eq!(chosen("2", &known).as_deref(), Some("b"));
        assert_eq!(chosen("7", &known).as_deref(), Some("7"));
        assert_eq!(chosen("other", &known).as_deref(), Some("other"));
        assert_eq!(chosen("0", &known).as_deref(), Some("0"));
        assert_eq!(chosen("", &[]), None);
    }

    #[test]
    fn a_key_that_is_set_suggests_its_service() {
        let none = Env::default();
        assert_eq!(suggestion(&none), "ollama");
        assert_eq!(suggestion(&none.with("OPENAI_API_KEY", "x")), "openai");
    }
}
