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
use tenon_vocab::Printable;

pub async fn show(repl: &mut Repl, live: &Live, goal: Option<&str>) -> Result<Next, CliError> {
    if live.kept == Kept::Never {
        return Err(CliError::usage(
            "nothing of this session is kept (--no-save), so there is nothing to hand off",
        ));
    }
    let loaded = repl.place.store().load(live.id())?;
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
        page = handoff::of_session(&repl.place, &options, &live.configured, &loaded, goal) => page?,
    };
    print(Printable::block(&page).as_str())?;
    complain(&format!(
        "To keep it in a file and go on elsewhere:\n  tenon handoff --from-session {} --out handoff.md\n  tenon exec -p \"$(cat handoff.md)\"",
        live.id()
    ));
    Ok(Next::Stay)
}
