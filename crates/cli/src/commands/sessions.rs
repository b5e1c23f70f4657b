//! (to come)
use crate::CommandResult;
use crate::args::{SessionsCommand, Shared};
pub fn run(_: &Shared, _: SessionsCommand) -> CommandResult {
    Ok(std::process::ExitCode::SUCCESS)
}
