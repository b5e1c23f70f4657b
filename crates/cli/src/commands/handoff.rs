//! `tenon handoff`: what somebody needs to go on with the work of a session
//! without having been there (C8). The session is only read. A model may write
//! the words; names of files, commands and open tasks come from the log.

mod draft;
mod facts;
mod helped;
mod page;

use super::sessions::{Scope, choose};
use crate::CommandResult;
use crate::args::{HandoffArgs, RunArgs, Shared};
use crate::aside::Model;
use crate::assemble::{self, Configured, Options};
use crate::drive::Desk;
use crate::error::CliError;
use crate::place::Place;
use crate::screen::complain;
use facts::Facts;
use page::Page;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::ExitCode;
use tenon_session::Loaded;
use tenon_vocab::Printable;

pub fn run(shared: &Shared, args: &HandoffArgs) -> CommandResult {
    let place = Place::find(shared)?;
    let scope = if args.all { Scope::All } else { Scope::Here };
    let id = choose(&place, args.from_session.as_deref(), scope)?;
    if let Some(path) = args.out.as_deref().filter(|path| is_there(path)) {
        // Before a model is paid for a page that has no place.
        return Err(taken(path));
    }
    let loaded = place.store().load(id)?;
    let (facts, mut page) = draft(&loaded, args.goal.as_deref())?;
    if !args.deterministic {
        let options = Options::from_args(&RunArgs::default(), Desk::Nobody);
        let configured = Configured::read(&place, &options);
        assemble::runtime()?.block_on(async {
            let made = match &configured {
                Ok(configured) => make(&place, &options, configured, &loaded).await,
                Err(error) => Err(CliError::config(error.message.clone())),
            };
            improve(&facts, &mut page, made).await;
        });
    }
    let text = page.markdown();
    let Some(path) = &args.out else {
        return super::pages::print_foreign(&text);
    };
    write(path, &text)?;
    complain(&format!(
        "The handoff of session {id} is in {}. Read it, change what is wrong, and go on with:\n  tenon exec -p \"$(cat {})\"",
        Printable::line(&path.display().to_string()),
        quoted(path)
    ));
    Ok(ExitCode::SUCCESS)
}

/// The page of a session that is talked to, with the settings that it has.
///
/// # Errors
/// When nothing was said in it yet.
pub async fn of_session(
    place: &Place,
    options: &Options,
    configured: &Configured,
    loaded: &Loaded,
    goal: Option<&str>,
) -> Result<String, CliError> {
    let (facts, mut page) = draft(loaded, goal)?;
    let made = make(place, options, configured, loaded).await;
    improve(&facts, &mut page, made).await;
    Ok(page.markdown())
}

fn draft(loaded: &Loaded, goal: Option<&str>) -> Result<(Facts, Page), CliError> {
    let facts = Facts::of(loaded);
    if facts.recap.goal.is_empty() {
        return Err(
            CliError::runtime(format!("nothing was said in session {}", loaded.id)).with_hint(
                "`tenon sessions list` shows the others; --from-session names one of them.",
            ),
        );
    }
    let goal = goal.map(str::trim).filter(|goal| !goal.is_empty());
    let page = draft::page(&facts, goal.unwrap_or(&facts.recap.goal));
    Ok((facts, page))
}

async fn make(
    place: &Place,
    options: &Options,
    configured: &Configured,
    loaded: &Loaded,
) -> Result<Option<Model>, CliError> {
    Model::with(place, options, configured, loaded.state().settings()).await
}

/// Lets the model write what it can. Without it the page is whole, too, so
/// nothing that goes wrong here is an error.
async fn improve(facts: &Facts, page: &mut Page, made: Result<Option<Model>, CliError>) {
    let asked = match made {
        Ok(Some(model)) => helped::ask(&model, facts, page).await,
        Ok(None) => {
            complain("No model server is configured: the page is made from the log alone.");
            return;
        }
        Err(error) => Err(error),
    };
    match asked {
        Ok(told) => complain(&told),
        Err(error) => complain(&format!(
            "The model could not help: {}. The page is made from the log alone.",
            Printable::line(error.message.trim_end_matches('.'))
        )),
    }
}

fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn taken(path: &Path) -> CliError {
    CliError::usage(format!("{} is there already", path.display()))
        .with_hint("Choose another name with --out, or remove the file.")
}

/// Only for its owner, and never over something that is there.
fn write(path: &Path, text: &str) -> Result<(), CliError> {
    let made = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    let mut file = match made {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(taken(path)),
        other => other,
    }
    .map_err(|error| cannot(path, &error))?;
    file.write_all(text.as_bytes())
        .map_err(|error| cannot(path, &error))
}

fn cannot(path: &Path, error: &std::io::Error) -> CliError {
    CliError::runtime(format!("{} cannot be written: {error}", path.display()))
}

/// A path as a word of a shell inside `"$(…)"`.
fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./+,@".contains(c);
    if !path.is_empty() && path.chars().all(plain) {
        path
    } else {
        format!("'{}'", Printable::line(&path.replace('\'', r"'\''")))
    }
}
