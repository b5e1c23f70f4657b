//! The first start, with nothing configured (P16): looks for a server on this
//! machine and for keys in the environment, asks for one and for a model, shows
//! what it would write, asks, writes. Never asks for a key and never writes one.
//! Asks no server beyond this machine that was not chosen (decision 0027).

mod address;
pub(super) mod each;
mod found;
mod model;
mod offer;
mod written;

use super::Repl;
use super::table;
use crate::args::{Cli, ColorChoice, Command, DemoArgs, Format, RunArgs, Shared};
use crate::assemble::{self, ChoiceSource, Options, Session};
use crate::commands;
use crate::error::CliError;
use crate::place::Place;
use crate::provider;
use crate::render::wrap;
use crate::screen::{self, Paint};
use crate::trust;
use futures_util::FutureExt;
use model::Missing;
use offer::{Meant, Offer, lines, meant, named, offers};
use std::collections::BTreeMap;
use tenon_config::{Choice, Env, ResolvedProvider};
use tenon_model::{ModelEntry, Preset};
use tenon_vocab::Printable;
use written::{Flags, Server, create, flags, page};

/// The name of a server that is no preset.
const OWN: &str = "own";

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

/// What no setting says, and a session needs.
pub enum Lacking {
    Provider,
    /// Several are configured, and nobody says which. The cause is what holds
    /// where nobody is there to be asked.
    Choice(BTreeMap<String, ResolvedProvider>, CliError),
    Model(Box<ResolvedProvider>),
}

/// A session that is there has its model.
pub fn lacking(
    place: &Place,
    options: &Options,
    session: Session,
) -> Result<Option<Lacking>, CliError> {
    let is_new = matches!(session, Session::New(_) | Session::Unsaved);
    let resolved = match assemble::settings(place, options) {
        Ok((_, resolved)) => resolved,
        Err(error) if is_new => return several(place, options, error).map(Some),
        Err(error) => return Err(error),
    };
    Ok(match resolved.provider {
        None => Some(Lacking::Provider),
        Some(provider) if is_new && provider.model.is_none() => {
            Some(Lacking::Model(Box::new(provider)))
        }
        Some(_) => None,
    })
}

/// Any other error stays what it is.
fn several(place: &Place, options: &Options, error: CliError) -> Result<Lacking, CliError> {
    let loaded = trust::load(place, options)?;
    let choice = Choice {
        provider: options.provider.clone(),
        model: options.model.clone(),
    };
    if !tenon_config::is_undecided(&loaded, &choice) {
        return Err(error);
    }
    let resolved = tenon_config::resolve_without_provider(&loaded)?;
    match resolved.providers.is_empty() {
        true => Err(error),
        false => Ok(Lacking::Choice(resolved.providers, error)),
    }
}

/// What came of asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completed {
    Settings,
    /// Ctrl+C, while a server was waited for.
    Interrupted,
}

/// Asks for what is lacking, and for nothing else.
pub async fn complete(
    repl: &mut Repl,
    options: &mut Options,
    session: Session,
) -> Result<Completed, CliError> {
    match lacking(&repl.place, options, session)? {
        None => {}
        Some(Lacking::Provider) => options.flags.extend(run(repl, options).await?),
        Some(Lacking::Choice(providers, error)) => {
            let Some(first) = providers.values().next() else {
                return Err(error);
            };
            complain("Several providers are configured, and nothing says which one to use here.");
            complain(&table::reply(&each::list(&providers), table::width()));
            complain("Enter takes what stands in brackets. The choice holds for this project.");
            let now = each::InUse {
                provider: first,
                model: None,
            };
            let chosen = each::ask(repl, &providers, &now).await?.ok_or(error)?;
            options.provider = Some(chosen.provider);
            options.model = Some(chosen.model);
            (options.provider_by, options.model_by) = (ChoiceSource::Answer, ChoiceSource::Answer);
        }
        Some(Lacking::Model(provider)) => match model::missing(repl, &provider).await? {
            // It counts as chosen by hand, and is remembered with its provider.
            Missing::Chosen(model) => {
                options.model = Some(model);
                options.model_by = ChoiceSource::Answer;
            }
            Missing::NothingToChoose => {}
            Missing::Interrupted => return Ok(Completed::Interrupted),
        },
    }
    Ok(Completed::Settings)
}

/// The settings of this session that are not in a file: none when they were
/// written.
async fn run(repl: &mut Repl, options: &Options) -> Result<Flags, CliError> {
    complain(
        "No model server is configured yet. Looking for one on this machine (127.0.0.1 only) …",
    );
    let loaded = trust::load(&repl.place, options)?;
    let found = found::ask(&repl.place, &loaded, &found::doors()).await;
    let offers = offers(&repl.place.env, found);
    if let Some(Offer::Demo) = offers.first() {
        complain(&nothing_found());
    }
    complain("Enter takes the value in brackets, Ctrl+C leaves.");
    loop {
        let picked = pick(repl, &offers).await?;
        let configured = match configured(repl, options, &picked.server) {
            Ok(configured) => configured,
            Err(error) => {
                complain(&format!(
                    "That doesn't work: {}",
                    Printable::block(&error.message)
                ));
                continue;
            }
        };
        say_key(&repl.place.env, &configured, &picked.server);
        if let Some(model) = model::ask(repl, &configured, picked.models).await? {
            ask_for_window(repl, &configured, &model).await;
            return write(repl, &picked.server, &model).await;
        }
    }
}

/// Asked once and remembered: the session that begins says it where it is small.
async fn ask_for_window(repl: &Repl, configured: &ResolvedProvider, model: &str) {
    let Ok(scratch) = tempfile::tempdir() else {
        return;
    };
    let jobs = assemble::jobs(scratch.path());
    provider::ask_for_window(&repl.place, configured, model, &jobs).await;
}

fn nothing_found() -> String {
    let ports: Vec<String> = found::doors()
        .iter()
        .map(|door| format!("{} ({})", door.preset.name, door.port))
        .collect();
    format!(
        "No server answers at the usual port of {}, and no known service's key is set. Start a server and run tenon again, set a key such as OPENAI_API_KEY, or name a server on another machine.",
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
    resolved
        .provider
        .ok_or_else(|| assemble::nothing_configured(&repl.place.env))
}

async fn ask(repl: &mut Repl, label: &str) -> Result<String, CliError> {
    let answer = repl.keyboard.question(&mut repl.signals, label).await;
    answer.ok_or_else(|| assemble::nothing_configured(&repl.place.env))
}

/// What Enter means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Enter {
    Yes,
    No,
}

/// Another word is no answer: it is asked again.
async fn yes_or_no(repl: &mut Repl, label: &str, enter: Enter) -> bool {
    loop {
        let answer = repl.keyboard.question(&mut repl.signals, label).await;
        let Some(answer) = answer else { return false };
        match answer.to_ascii_lowercase().as_str() {
            "" => return enter == Enter::Yes,
            "y" | "yes" => return true,
            "n" | "no" => return false,
            _ => complain("Answer y or n."),
        }
    }
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
                    complain(&format!("Using the address {}", Printable::line(&url)));
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
            None => {
                complain("That isn't an address. An address looks like https://host.example/v1.")
            }
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
            plain: true,
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
    // Ctrl+C was meant for the demo.
    while repl.signals.next().now_or_never().is_some() {}
}

async fn own(repl: &mut Repl, url: String) -> Result<Picked, CliError> {
    let label = "Name of the environment variable with the key (Enter: no key) ";
    let key_env = loop {
        let answer = ask(repl, label).await?;
        match answer.to_ascii_lowercase().as_str() {
            "" | "no" | "none" => break None,
            _ if is_variable(&answer) => break Some(answer),
            // Never repeated on the screen: it may be the key itself.
            _ => complain(
                "That isn't the name of a variable. If it is the key, don't type it here; type a name such as MY_API_KEY.",
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
            "{name} is not set, so Tenon asks the server without a key. Set it before you start tenon."
        )),
        // A server of this machine may want none.
        None => {}
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
            "A configuration already exists: add these lines to {}. They apply to this session.",
            there.display()
        ));
        return Ok(flags);
    }
    let label = format!("Write this to {}? [Y/n] ", path.display());
    if !yes_or_no(repl, &label, Enter::Yes).await {
        complain("Nothing was written. The settings apply to this session.");
        return Ok(flags);
    }
    if let Err(error) = create(&folder, &path, &page) {
        complain(&format!(
            "{}.\nThe settings above apply to this session.",
            Printable::block(&error.message)
        ));
        return Ok(flags);
    }
    complain(
        "Written. `tenon config edit` changes it, `tenon config show` shows what is in use.\n",
    );
    Ok(Vec::new())
}
