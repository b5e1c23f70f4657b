//! What the `/` commands do that no engine does, as far as nobody sees it.

use super::{Talk, Wanted};
use crate::assemble::Session;
use crate::commands::sessions::fork;
use crate::error::CliError;
use crate::place::Place;
use tenon_session::ListFilter;
use tenon_vocab::slash::Local;
use tenon_vocab::{Printable, SessionId, Settings, effort};

/// What takes long, on a thread of its own.
pub async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CliError> + Send + 'static,
) -> Result<T, CliError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| CliError::runtime("it broke off; try again"))?
}

/// The session that `/clear`, `/new`, `/resume` or `/fork` asks for.
pub async fn another(talk: &Talk, settings: &Settings, command: Local) -> Result<Wanted, CliError> {
    let like = |session| Wanted {
        session,
        like: Some(settings.clone()),
    };
    let (place, id) = (talk.place.clone(), talk.id);
    match command {
        Local::Clear => Ok(like(talk.kept.anew())),
        Local::New => Ok(Wanted::first(talk.kept.anew())),
        Local::Resume(named) => {
            let found = aside(move || resumable(&place, id, named.as_deref())).await?;
            Ok(Wanted::first(Session::Existing(found)))
        }
        Local::Fork(at) => {
            talk.saved("it can't be copied")?;
            let cut = move || {
                at.map(|number| fork::message(&place.store(), id, number))
                    .transpose()
            };
            Ok(like(Session::Fork(id, aside(cut).await?)))
        }
        _ => Err(CliError::runtime(
            "this opens no session, and should not have come here",
        )),
    }
}

/// The session that is meant; without a name the last other one of this directory.
fn resumable(
    place: &Place,
    current: SessionId,
    wanted: Option<&str>,
) -> Result<SessionId, CliError> {
    let found = match wanted {
        Some(text) => place.store().find(text)?,
        None => {
            let store = place.store();
            let listing = store.list(&ListFilter {
                cwd: Some(place.root_text()),
            });
            let mut others = listing
                .sessions
                .iter()
                .filter(|summary| summary.id != current && summary.runs > 0);
            // One that is open elsewhere is refused, and named, only where there
            // is no other.
            let last = others.clone().next();
            let free = others.find(|summary| store.open_elsewhere(summary.id).is_none());
            free.or(last).map(|summary| summary.id).ok_or_else(|| {
                CliError::runtime("there is no other session in this directory to resume")
            })?
        }
    };
    if found == current {
        return Err(CliError::usage("this is the current session"));
    }
    Ok(found)
}

/// What was typed at this place of the log; `None` where nobody knows.
pub async fn prompt_at(talk: &Talk, seq: u64) -> Option<String> {
    let id = talk.saved("its prompts can't be read").ok()?;
    let place = talk.place.clone();
    let prompts = aside(move || Ok(place.store().prompts(id)?)).await.ok()?;
    let found = prompts.into_iter().find(|prompt| prompt.seq == seq)?;
    Some(found.text)
}

/// How hard the model thinks, and how that is changed.
pub fn say_effort(settings: &Settings) -> String {
    let now = settings.effort.as_deref().unwrap_or(effort::DEFAULT);
    format!(
        "The effort is {}. /effort LEVEL changes it: {}, {}, or another word that the server accepts.",
        Printable::line(now),
        effort::LEVELS.join(", "),
        effort::DEFAULT
    )
}
