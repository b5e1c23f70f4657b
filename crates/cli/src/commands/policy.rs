//! (to come)
use crate::CommandResult;
use crate::args::{PolicyCommand, Shared};
pub fn run(_: &Shared, _: PolicyCommand) -> CommandResult {
    Ok(std::process::ExitCode::SUCCESS)
}
