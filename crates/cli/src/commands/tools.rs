//! (to come)
use crate::CommandResult;
use crate::args::{Shared, ToolsCommand};
pub fn run(_: &Shared, _: ToolsCommand) -> CommandResult {
    Ok(std::process::ExitCode::SUCCESS)
}
