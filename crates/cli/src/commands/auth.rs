//! `tenon auth`: the keys of providers, saved, shown by where they come from,
//! and removed. A key is never an argument and never printed. The login of Codex
//! is only shown: it is made and ended with Codex.

mod key;
mod status;

use super::pages;
use crate::args::{AuthCommand, RunArgs, Shared, StoreChoice};
use crate::assemble::{self, Options};
use crate::auth::desktop::{Desktop, Item};
use crate::auth::keys::{self, Keys, KeysError, Saved};
use crate::drive::Desk;
use crate::error::CliError;
use crate::place::Place;
use crate::screen::complain;
use crate::{CommandResult, trust};
use std::process::ExitCode;
use tenon_config::{Choice, KeySource, Loaded, ResolvedProvider};
use tenon_tools::Jobs;
use tenon_transport::Secret;
use tenon_vocab::Printable;

pub fn run(shared: &Shared, command: AuthCommand) -> CommandResult {
    let place = Place::find(shared)?;
    let options = Options::from_args(&RunArgs::default(), Desk::Nobody);
    let loaded = trust::load(&place, &options)?;
    // What the desktop's tool prints is not kept.
    let scratch = tempfile::tempdir()?;
    let desk = Counter {
        jobs: assemble::jobs(scratch.path()),
        keys: Keys::in_state(&place.paths.state),
        place,
        loaded,
    };
    let runtime = assemble::runtime()?;
    match command {
        AuthCommand::Login {
            provider,
            with_key_stdin,
            store,
        } => {
            let named = desk.named(provider)?;
            desk.can_have_a_key(&named)?;
            let key = if with_key_stdin {
                key::from_stdin()?
            } else {
                key::from_terminal(&named.name)?
            };
            runtime.block_on(desk.ended(desk.save(&named, &key, store)))
        }
        AuthCommand::Status {
            provider,
            check,
            json,
        } => {
            let check = if check {
                status::Check::Ask
            } else {
                status::Check::DoNotAsk
            };
            let rows = runtime.block_on(desk.ended(status::rows(&desk, provider, check)))?;
            if json {
                status::print_json(&rows)
            } else {
                status::print(&rows)
            }
        }
        AuthCommand::Logout { provider } => {
            let name = match provider {
                Some(name) => name,
                None => desk.named(None)?.name,
            };
            runtime.block_on(desk.ended(desk.remove(&name)))
        }
    }
}

/// What the subcommands share.
struct Counter {
    place: Place,
    loaded: Loaded,
    jobs: Jobs,
    keys: Keys,
}

impl Counter {
    /// The work, and the end of all that it started.
    async fn ended<T>(&self, work: impl Future<Output = T>) -> T {
        let result = work.await;
        self.jobs.shutdown().await;
        result
    }

    /// The provider that is meant.
    fn named(&self, name: Option<String>) -> Result<ResolvedProvider, CliError> {
        if let Some(name) = name {
            // The one in use may have its address from a variable.
            let chosen = tenon_config::resolve(&self.loaded, &Choice::default());
            let chosen = chosen.ok().and_then(|resolved| resolved.provider);
            return match chosen.filter(|chosen| chosen.name == name) {
                Some(chosen) => Ok(chosen),
                None => Ok(tenon_config::provider_named(&self.loaded, &name)?),
            };
        }
        let resolved = tenon_config::resolve(&self.loaded, &Choice::default())?;
        let provider = resolved.provider.ok_or_else(|| {
            CliError::usage("no provider is configured, so name one").with_hint(
                "For example: tenon auth login openai. `tenon models --presets` lists the names.",
            )
        })?;
        if provider.name == "env" {
            return Err(CliError::usage(
                "the provider is only set by variables, so its key belongs in TENON_API_KEY",
            )
            .with_hint("To save a key, name a provider: tenon auth login openai"));
        }
        Ok(provider)
    }

    /// Whether a key that is saved would be used.
    fn can_have_a_key(&self, provider: &ResolvedProvider) -> Result<(), CliError> {
        match &provider.key {
            KeySource::Codex => Err(CliError::usage(
                "Codex makes its own login, and Tenon finds it",
            )
            .with_hint("Run `codex login`, then `tenon auth status codex`.")),
            KeySource::Command(_) | KeySource::Literal(_) => Err(CliError::usage(format!(
                "the configuration already says where the key of `{}` comes from",
                Printable::line(&provider.name)
            ))
            .with_hint("Remove `api_key_command` or `api_key` from it first.")),
            KeySource::None | KeySource::Env(_) => Ok(()),
        }
    }

    async fn save(
        &self,
        provider: &ResolvedProvider,
        key: &Secret,
        store: StoreChoice,
    ) -> CommandResult {
        let name = &provider.name;
        let shown = Printable::line(name);
        let origin = keys::origin(&provider.base_url);
        let server = Printable::line(&origin).into_string();
        let desktop = match store {
            StoreChoice::File => None,
            StoreChoice::Auto | StoreChoice::Desktop => Desktop::find(&self.place, &self.jobs),
        };
        let kept = match &desktop {
            None => Err(String::from("there is none here")),
            Some(desktop) => desktop
                .set(&Item::key_of(name), key)
                .await
                .map_err(|error| error.to_string()),
        };
        let tool = desktop.as_ref().map_or("", Desktop::name);
        match (kept, store) {
            (Ok(()), _) => {
                self.keys
                    .put(name, Saved::Desktop { origin })
                    .map_err(of_keys)?;
                complain(&format!(
                    "Saved the key of `{shown}` for {server} in the desktop's credential store ({tool})."
                ));
            }
            (Err(why), StoreChoice::Desktop) => {
                return Err(CliError::runtime(format!(
                    "can't use the desktop's credential store: {}",
                    Printable::line(&why)
                ))
                .with_hint("`--store file` saves the key in a file that only you can read."));
            }
            (Err(why), StoreChoice::Auto | StoreChoice::File) => {
                let saved = Saved::File {
                    origin,
                    key: key.expose().to_owned(),
                };
                self.keys.put(name, saved).map_err(of_keys)?;
                if store == StoreChoice::Auto {
                    complain(&format!(
                        "Can't use the desktop's credential store ({}).",
                        Printable::line(&why)
                    ));
                }
                complain(&format!(
                    "Saved the key of `{shown}` for {server} in {}, unencrypted, in a file that only you can read.",
                    self.keys.path().display()
                ));
            }
        }
        self.say_what_comes_first(provider);
        Ok(ExitCode::SUCCESS)
    }

    fn say_what_comes_first(&self, provider: &ResolvedProvider) {
        if let KeySource::Env(names) = &provider.key
            && let Some(name) = names.iter().find(|name| self.place.env.get(name).is_some())
        {
            complain(&format!(
                "{name} is also set and comes first: unset it to use the saved key."
            ));
        }
    }

    async fn remove(&self, name: &str) -> CommandResult {
        let shown = Printable::line(name);
        let Some(saved) = self.keys.remove(name).map_err(of_keys)? else {
            let hint = match name {
                "codex" => "To log out of Codex, run `codex logout`.",
                _ => "`tenon auth status` lists the keys.",
            };
            return Err(CliError::usage(format!("no key was saved for `{shown}`")).with_hint(hint));
        };
        if matches!(saved, Saved::Desktop { .. }) {
            let desktop = Desktop::find(&self.place, &self.jobs);
            let gone = match &desktop {
                None => Err(String::from("there is none here")),
                Some(desktop) => desktop
                    .remove(&Item::key_of(name))
                    .await
                    .map_err(|error| error.to_string()),
            };
            if let Err(why) = gone {
                // It is still in the store, and so it must stay known.
                self.keys.put(name, saved).map_err(of_keys)?;
                return Err(CliError::runtime(format!(
                    "the key of `{shown}` is still in the desktop's credential store, which Tenon can't use: {}",
                    Printable::line(&why)
                ))
                .with_hint("Unlock the store, then try again."));
            }
        }
        complain(&format!("Removed the key of `{shown}`."));
        Ok(ExitCode::SUCCESS)
    }
}

fn of_keys(error: KeysError) -> CliError {
    let hint = error.hint();
    CliError::runtime(error.to_string()).with_hint(hint)
}
