//! `/handoff`: the page of this session on the screen, and how to use it.

use super::session::{Kept, Live};
use super::{Next, Repl};
use crate::args::RunArgs;
use crate::assemble::Options;
use crate::commands::handoff;
use crate::drive::Desk;
use crate::error::CliError;
use crate::screen::{complain, print};
use crate::signals::Asked;
use tenon_session::Standing;
use tenon_vocab::{Printable, SessionId};

pub async fn show(repl: &mut Repl, live: &Live, goal: Option<&str>) -> Result<Next, CliError> {
    if live.kept == Kept::Never {
        return Err(CliError::usage(
            "nothing of this session is kept (--no-save), so there is nothing to hand off",
        ));
    }
    let standing = repl.place.store().standing(live.id())?;
    something(&standing)?;
    // The session names its model; no flag does.
    let options = Options::from_args(&RunArgs::default(), Desk::Nobody);
    let page = tokio::select! {
        biased;
        asked = repl.signals.next() => {
            complain("Stopped; nothing was written.");
            return Ok(match asked {
                Asked::Interrupt => Next::Stay,
                Asked::End => Next::Leave,
            });
        }
        page = handoff::of_session(&repl.place, &options, &live.configured, &standing, goal) => page?,
    };
    print(Printable::block(&page).as_str())?;
    complain(&again(live.id(), goal));
    Ok(Next::Stay)
}

/// # Errors
/// When nothing was said in it.
pub fn something(standing: &Standing) -> Result<(), CliError> {
    if standing.state().runs() > 0 {
        return Ok(());
    }
    Err(
        CliError::usage("nothing was said in this session yet, so there is nothing to hand off")
            .with_hint("/sessions lists the others, /resume goes on with one."),
    )
}

/// The same page once more, for a shell, with the goal that was given.
pub fn again(id: SessionId, goal: Option<&str>) -> String {
    let goal = goal.map_or_else(String::new, |goal| {
        let goal = goal.replace('\'', r"'\''");
        format!(" --goal '{}'", Printable::line(&goal))
    });
    format!(
        "To keep it in a file and go on elsewhere:\n  tenon handoff --from-session {id}{goal} --out handoff.md\n  tenon exec -p \"$(cat handoff.md)\""
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
