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
use crate::new_file;
use crate::place::Place;
use crate::screen::complain;
use crate::secrets;
use facts::Facts;
use page::Page;
use std::path::Path;
use std::process::ExitCode;
use tenon_session::Standing;
use tenon_vocab::Printable;

const TAKEN: &str = "Choose another name with --out, or remove the file.";

pub fn run(shared: &Shared, args: &HandoffArgs) -> CommandResult {
    let place = Place::find(shared)?;
    let scope = if args.all { Scope::All } else { Scope::Here };
    let id = choose(&place, args.from_session.as_deref(), scope)?;
    if let Some(path) = &args.out {
        // Before a model is paid for it.
        new_file::free(path, TAKEN)?;
    }
    let standing = place.store().standing(id)?;
    let (facts, mut page) = draft(&standing, args.goal.as_deref())?;
    let options = Options::from_args(&RunArgs::default(), Desk::Nobody);
    let configured = Configured::read(&place, &options);
    if !args.deterministic {
        assemble::runtime()?.block_on(async {
            let made = match &configured {
                Ok(configured) => make(&place, &options, configured, &standing).await,
                Err(error) => Err(CliError::config(error.message.clone())),
            };
            complain(&improve(&facts, &mut page, made).await);
        });
    }
    let text = secrets::masked(&place, configured.as_ref().ok(), &page.markdown());
    let Some(path) = &args.out else {
        return super::pages::print_foreign(&text);
    };
    new_file::write(path, text.as_bytes(), TAKEN)?;
    complain(&format!(
        "Wrote the handoff of session {id} to {}. Read it, correct what is wrong, and continue with:\n  tenon exec -p \"$(cat {})\"",
        Printable::line(&path.display().to_string()),
        quoted(path)
    ));
    Ok(ExitCode::SUCCESS)
}

/// The page of a session that is talked to, with the settings that it has, and
/// what is to be said of how it was made.
///
/// # Errors
/// When nothing was said in it yet.
pub async fn of_session(
    place: &Place,
    options: &Options,
    configured: &Configured,
    standing: &Standing,
    goal: Option<&str>,
) -> Result<(String, Vec<String>), CliError> {
    let (facts, mut page) = draft(standing, goal)?;
    let made = make(place, options, configured, standing).await;
    let mut said = vec![improve(&facts, &mut page, made).await];
    let (text, found) = secrets::taken_out(place, Some(configured), &page.markdown());
    said.extend(found);
    Ok((text, said))
}

fn draft(standing: &Standing, goal: Option<&str>) -> Result<(Facts, Page), CliError> {
    let facts = Facts::of(standing)?;
    if facts.recap.goal.is_empty() {
        return Err(
            CliError::runtime(format!("session {} has no messages", standing.id)).with_hint(
                "`tenon sessions list` shows the others; choose one with --from-session.",
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
    standing: &Standing,
) -> Result<Option<Model>, CliError> {
    Model::with(place, options, configured, standing.state().settings()).await
}

/// Lets the model write what it can. Without it the page is whole, too, so
/// nothing that goes wrong here is an error. Gives what is to be said of it.
async fn improve(facts: &Facts, page: &mut Page, made: Result<Option<Model>, CliError>) -> String {
    let asked = match made {
        Ok(Some(model)) => helped::ask(&model, facts, page).await,
        Ok(None) => {
            return String::from(
                "No model server is configured, so the handoff is written from the log alone.",
            );
        }
        Err(error) => Err(error),
    };
    match asked {
        Ok(told) => told,
        Err(error) => format!(
            "The model could not help ({}), so the handoff is written from the log alone.",
            Printable::line(error.message.trim_end_matches('.'))
        ),
    }
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
