//! (to come)
use crate::CommandResult;
pub fn completions(_: clap_complete::Shell) -> CommandResult {
    Ok(std::process::ExitCode::SUCCESS)
}
pub fn man(_: Option<&std::path::Path>) -> CommandResult {
    Ok(std::process::ExitCode::SUCCESS)
}
