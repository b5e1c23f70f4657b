//! (to come)
use crate::CommandResult;
use crate::args::AgentsCommand;
pub fn run(_: AgentsCommand) -> CommandResult {
    Ok(std::process::ExitCode::SUCCESS)
}
