//! The first start, with nothing configured (P16): looks for a server on this
//! machine and for keys in the environment, asks for one and for a model, shows
//! what it would write, asks, writes. Never asks for a key and never writes one.
//! Asks no server beyond this machine that was not chosen (decision 0027).

mod address;
mod found;
mod offer;
mod written;

use super::Repl;
use super::input::Enter;
use super::table;
use crate::args::{Cli, ColorChoice, Command, DemoArgs, Format, RunArgs, Shared};
use crate::assemble::{self, Options};
use crate::commands;
use crate::error::CliError;
use crate::provider;
use crate::render::wrap;
use crate::screen::{self, Paint};
use crate::trust;
use futures_util::FutureExt;
use offer::{Meant, Offer, lines, meant, named, offers};
use tenon_config::{Env, ResolvedProvider};
use tenon_model::{Model, ModelEntry, Preset};
use tenon_vocab::Printable;
use written::{Flags, Server, create, flags, page};

/// The name of a server that is no preset.
const OWN: &str = "own";
/// Models that are listed, at most.
const LISTED: usize = 30;

/// What was chosen to be asked.
struct Picked {
    server: Server,
    /// What it has already said of its models.
    models: Option<Vec<ModelEntry>>,
}

impl Picked {
    fn preset(preset: &Preset) -> Self {
        Self {
            server: Server {
                name: preset.name.to_owned(),
                base_url: None,
                key_env: None,
            },
            models: None,
        }
    }
}

/// A message to the newcomer: no word of it is broken.
fn complain(text: &str) {
    screen::complain(&wrap::paragraphs(text, wrap::columns()));
}

/// The settings of this session that are not in a file: none when they were
/// written.
pub async fn run(repl: &mut Repl, options: &Options) -> Result<Flags, CliError> {
    complain(
        "No model server is configured yet. Looking for one on this machine (127.0.0.1 only) …",
    );
    let loaded = trust::load(&repl.place, options)?;
    let found = found::ask(&repl.place, &loaded, &found::doors()).await;
    let offers = offers(&repl.place.env, found);
    if let Some(Offer::Demo) = offers.first() {
        complain(&nothing_found());
    }
    complain("Enter takes what stands in brackets, Ctrl+C leaves.");
    loop {
        let picked = pick(repl, &offers).await?;
        let configured = match configured(repl, options, &picked.server) {
            Ok(configured) => configured,
            Err(error) => {
                complain(&format!(
                    "That does not work: {}",
                    Printable::block(&error.message)
                ));
                continue;
            }
        };
        say_key(&repl.place.env, &configured, &picked.server);
        if let Some(model) = model(repl, &configured, picked.models).await? {
            return write(repl, &picked.server, &model).await;
        }
    }
}

fn nothing_found() -> String {
    let ports: Vec<String> = found::doors()
        .iter()
        .map(|door| format!("{} ({})", door.preset.name, door.port))
        .collect();
    format!(
        "No server answers here, at the usual port of {}, and no key of a known service is set. Start a server and tenon again, or set a key such as OPENAI_API_KEY; or name a server that runs elsewhere.",
        ports.join(", ")
    )
}

fn configured(
    repl: &Repl,
    options: &Options,
    server: &Server,
) -> Result<ResolvedProvider, CliError> {
    let mut options = options.clone();
    options.flags.extend(flags(server, None));
    let (_, resolved) = assemble::settings(&repl.place, &options)?;
    resolved.provider.ok_or_else(assemble::nothing_configured)
}

async fn ask(repl: &mut Repl, label: &str) -> Result<String, CliError> {
    let answer = repl.keyboard.question(&mut repl.signals, label).await;
    answer.ok_or_else(assemble::nothing_configured)
}

async fn pick(repl: &mut Repl, offers: &[Offer]) -> Result<Picked, CliError> {
    let list = || complain(&format!("\n{}", lines(offers).join("\n")));
    list();
    let mut proposed = 0;
    loop {
        let label = format!(
            "Server: a number, a name or an address, ? lists all names [{}] ",
            proposed + 1
        );
        let answer = ask(repl, &label).await?;
        let mut chosen = meant(&answer, offers, proposed);
        let mut answer = answer;
        if let Meant::Offered(Offer::Other) = chosen {
            answer = ask(repl, "Name or address (Enter: back) ").await?;
            if answer.is_empty() {
                list();
                continue;
            }
            chosen = named(&answer);
        }
        match chosen {
            Meant::List => complain(&table::reply(&offer::all(), table::width())),
            Meant::No(why) => complain(&why),
            Meant::Address(url) => {
                if url != answer {
                    complain(&format!(
                        "The address is taken as {}",
                        Printable::line(&url)
                    ));
                }
                return own(repl, url).await;
            }
            Meant::Preset(preset) if preset.base_url.is_none() => {
                let Some(url) = address(repl).await? else {
                    list();
                    continue;
                };
                let mut picked = Picked::preset(preset);
                picked.server.base_url = Some(url);
                return Ok(picked);
            }
            Meant::Preset(preset) | Meant::Offered(Offer::Keyed(preset, _)) => {
                return Ok(Picked::preset(preset));
            }
            Meant::Offered(Offer::Found(found)) => {
                return Ok(Picked {
                    models: Some(found.models),
                    ..Picked::preset(found.door.preset)
                });
            }
            Meant::Offered(Offer::Demo | Offer::Other) => {
                demo(repl).await;
                // Whoever has seen it wants something else.
                proposed = offer::after_demo(offers);
                list();
            }
        }
    }
}

/// Of a server that has no usual one. `None` when another is wanted.
async fn address(repl: &mut Repl) -> Result<Option<String>, CliError> {
    loop {
        let answer = ask(repl, "Address of the server (Enter: back) ").await?;
        if answer.is_empty() {
            return Ok(None);
        }
        match address::with_scheme(&answer) {
            Some(url) => return Ok(Some(url)),
            None => complain("That is no address. One looks like https://host.example/v1."),
        }
    }
}

/// The demo as its command has it, and then the list again.
async fn demo(repl: &mut Repl) {
    let demo = Cli {
        shared: Shared {
            root: None,
            config: None,
            color: match repl.paint {
                Paint::Colour => ColorChoice::Always,
                Paint::Plain => ColorChoice::Never,
            },
        },
        run: RunArgs::default(),
        command: Some(Command::Demo(DemoArgs {
            dir: None,
            format: Format::Text,
        })),
    };
    // It brings a runtime of its own, which needs a thread of its own.
    let shown = tokio::task::spawn_blocking(move || commands::dispatch(demo)).await;
    if let Ok(Err(error)) = shown {
        complain(&format!(
            "The demo failed: {}",
            Printable::line(&error.message)
        ));
    }
    // Ctrl+C was meant for the demo, and what was typed for nobody.
    while repl.signals.next().now_or_never().is_some() {}
    repl.keyboard.begin();
}

async fn own(repl: &mut Repl, url: String) -> Result<Picked, CliError> {
    let label = "Name of the environment variable that holds the key (Enter: no key) ";
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
    Ok(Picked {
        server: Server {
            name: String::from(OWN),
            base_url: Some(url),
            key_env,
        },
        models: None,
    })
}

/// Upper case only: what people call variables, and keys are not.
fn is_variable(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && text
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

fn say_key(env: &Env, configured: &ResolvedProvider, server: &Server) {
    let tenon_config::KeySource::Env(names) = &configured.key else {
        return;
    };
    if names.iter().any(|name| env.get(name).is_some()) {
        return;
    }
    match &server.key_env {
        _ if configured.reach == tenon_model::Reach::Remote => complain(&format!(
            "The key is read from the environment and is never written to a file: set {} before you start tenon.",
            names.join(" or ")
        )),
        Some(name) => complain(&format!(
            "{name} is not set now: the server is asked without a key. Set it before you start tenon."
        )),
        // A server of this machine may want none.
        None => {}
    }
}

/// `None` when another server is wanted.
async fn model(
    repl: &mut Repl,
    configured: &ResolvedProvider,
    said: Option<Vec<ModelEntry>>,
) -> Result<Option<String>, CliError> {
    let known = match said {
        Some(said) => Ok(said),
        None => models(repl, configured).await,
    };
    if let Err(problem) = &known {
        complain(&format!(
            "The server does not list its models: {}",
            Printable::line(&problem.message)
        ));
        if let Some(hint) = &problem.hint {
            complain(&format!("  {}", Printable::line(hint)));
        }
    }
    let known = sorted(known.unwrap_or_default());
    for (n, model) in known.iter().take(LISTED).enumerate() {
        let name = provider::shown_id(&model.id);
        complain(&format!("  {:>2}  {name}", n + 1));
    }
    if known.len() > LISTED {
        complain(&format!("      … and {} more", known.len() - LISTED));
    }
    let label = match known.first() {
        Some(first) => format!(
            "Model: a number or a name [{}] ",
            provider::shown_id(&first.id)
        ),
        None => String::from("Name of the model (Enter: another server) "),
    };
    loop {
        let answer = ask(repl, &label).await?;
        match chosen(&answer, &known) {
            Chosen::Model(name) if is_known(&name, &known) || sure(repl, &name).await => {
                return Ok(Some(name));
            }
            Chosen::Model(_) => {}
            Chosen::AnotherServer => return Ok(None),
            Chosen::NoSuchNumber => complain(&format!(
                "There is no number {answer} in the list. Give one of the list, or a name."
            )),
        }
    }
}

/// Whether the server has it; one that lists nothing may have anything.
fn is_known(name: &str, known: &[ModelEntry]) -> bool {
    known.is_empty() || known.iter().any(|model| model.id == name)
}

async fn sure(repl: &mut Repl, name: &str) -> bool {
    let label = format!(
        "The server does not list `{}`. Take it all the same? [y/N] ",
        Printable::line(name)
    );
    let keyboard = &mut repl.keyboard;
    keyboard.confirm(&mut repl.signals, &label, Enter::No).await
}

/// What can hardly be talked to goes last, by its name: it only orders.
fn sorted(mut known: Vec<ModelEntry>) -> Vec<ModelEntry> {
    const OTHERS: &[&str] = &[
        "embed",
        "rerank",
        "whisper",
        "tts",
        "dall-e",
        "moderation",
        "transcribe",
        "babbage",
        "davinci",
        "realtime",
        "image",
        "sora",
    ];
    known.sort_by_key(|model| {
        let id = model.id.to_ascii_lowercase();
        OTHERS.iter().any(|other| id.contains(other))
    });
    known
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

#[derive(Debug, PartialEq, Eq)]
enum Chosen {
    Model(String),
    AnotherServer,
    NoSuchNumber,
}

/// By number, by name, or the first one with Enter. A number counts only where
/// it stands in the list, unless a model is called so.
fn chosen(answer: &str, known: &[ModelEntry]) -> Chosen {
    let model = |model: &ModelEntry| Chosen::Model(model.id.clone());
    if answer.is_empty() {
        return known.first().map_or(Chosen::AnotherServer, model);
    }
    let named = known.is_empty() || known.iter().any(|model| model.id == answer);
    match answer.parse::<usize>().ok().filter(|_| !named) {
        None => Chosen::Model(answer.to_owned()),
        Some(number) => number
            .checked_sub(1)
            .and_then(|at| known.get(..known.len().min(LISTED))?.get(at))
            .map_or(Chosen::NoSuchNumber, model),
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
    if let Err(error) = create(&folder, &path, &page) {
        complain(&format!(
            "{}.\nWhat stands above holds for this session.",
            Printable::block(&error.message)
        ));
        return Ok(flags);
    }
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
        let named = |name: &str| Chosen::Model(name.to_owned());
        assert_eq!(chosen("", &known), named("a"));
        assert_eq!(chosen("2", &known), named("b"));
        assert_eq!(chosen("7", &known), named("7"));
        assert_eq!(chosen("other", &known), named("other"));
        assert_eq!(chosen("", &[]), Chosen::AnotherServer);
        assert_eq!(chosen("42", &[]), named("42"), "nothing was listed");
    }

    #[test]
    fn a_number_that_is_not_in_the_list_is_no_model() {
        let known = entries(&["a", "b", "7"]);
        assert_eq!(chosen("0", &known), Chosen::NoSuchNumber);
        assert_eq!(chosen("4", &known), Chosen::NoSuchNumber);
        let many: Vec<String> = (0..LISTED + 5).map(|n| format!("m{n}")).collect();
        let many = entries(&many.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(
            chosen(&(LISTED + 1).to_string(), &many),
            Chosen::NoSuchNumber
        );
        let last = Chosen::Model(format!("m{}", LISTED - 1));
        assert_eq!(chosen(&LISTED.to_string(), &many), last);
    }

    #[test]
    fn what_can_be_talked_to_stands_before_what_makes_vectors_or_sounds() {
        let known = sorted(entries(&["nomic-embed-text", "b", "whisper-1", "a"]));
        let names: Vec<&str> = known.iter().map(|model| model.id.as_str()).collect();
        assert_eq!(names, ["b", "a", "nomic-embed-text", "whisper-1"]);
    }
}
