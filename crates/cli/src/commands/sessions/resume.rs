//! `sessions resume`: on with a session, where it was held.

use crate::args::{Format, ResumeArgs, RunArgs, Shared};
use crate::assemble::Session;
use crate::commands::exec;
use crate::error::CliError;
use crate::{CommandResult, prompt, repl};
use std::io::IsTerminal;
use tenon_vocab::SessionId;

pub fn run(shared: &Shared, id: SessionId, args: &ResumeArgs) -> CommandResult {
    let talk = args.prompt.is_none() && args.format == Format::Text;
    if talk && std::io::stdin().is_terminal() {
        return repl::resume(shared, id, args);
    }
    let run = RunArgs {
        prompt: args.prompt.clone(),
        format: args.format,
        provider: args.provider.clone(),
        model: args.model.clone(),
        effort: args.effort.clone(),
        image: args.image.clone(),
        yes: args.yes,
        ..RunArgs::default()
    };
    let prompt = prompt::gather(&run)?
        .filter(|prompt| !prompt.trim().is_empty())
        .ok_or_else(|| {
            CliError::usage("there is no prompt")
                .with_hint("Pass one with -p, or on standard input.")
        })?;
    exec::run_session(shared, &run, prompt, Session::Existing(id))
}
