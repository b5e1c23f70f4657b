//! (to come)
use crate::CommandResult;
use crate::args::{ConfigCommand, Shared};
pub fn run(_: &Shared, _: ConfigCommand) -> CommandResult {
    Ok(std::process::ExitCode::SUCCESS)
}
