//! `/handoff`: the page of this session, and how to use it.

use super::{Talk, aside};
use crate::args::RunArgs;
use crate::assemble::Options;
use crate::commands::handoff;
use crate::drive::Desk;
use crate::error::CliError;
use tenon_vocab::{Printable, SessionId};

/// The page, and what is to be said below it. Dropping it gives up what is being
/// written.
///
/// # Errors
/// When nothing was said in it, or the model that writes it fails.
pub async fn page(talk: &Talk, goal: Option<&str>) -> Result<(String, Vec<String>), CliError> {
    let id = talk.saved("there is nothing to hand off")?;
    let store = talk.place.store();
    let standing = aside(move || Ok(store.standing(id)?)).await?;
    if standing.state().runs() == 0 {
        return Err(CliError::usage(
            "this session has no messages yet, so there is nothing to hand off",
        )
        .with_hint("/sessions lists the others, /resume continues one."));
    }
    // The session names its model; no flag does.
    let options = Options::from_args(&RunArgs::default(), Desk::Nobody);
    let (page, mut said) =
        handoff::of_session(&talk.place, &options, &talk.configured, &standing, goal).await?;
    said.push(again(id, goal));
    Ok((page, said))
}

/// The same page once more, for a shell, with the goal that was given.
fn again(id: SessionId, goal: Option<&str>) -> String {
    let goal = goal.map_or_else(String::new, |goal| {
        let goal = goal.replace('\'', r"'\''");
        format!(" --goal '{}'", Printable::line(&goal))
    });
    format!(
        "To save it to a file and continue in another place:\n  tenon handoff --from-session {id}{goal} --out handoff.md\n  tenon exec -p \"$(cat handoff.md)\""
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_goal_that_was_given_is_part_of_the_advice() {
        let id = SessionId::generate();
        assert!(again(id, Some("don't stop")).contains(r" --goal 'don'\''t stop' --out "));
        assert!(!again(id, None).contains("--goal"));
    }
}
