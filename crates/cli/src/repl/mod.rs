//! (to come)
use crate::CommandResult;
use crate::args::{ResumeArgs, RunArgs, Shared};
use tenon_vocab::SessionId;
pub fn run(_: &Shared, _: &RunArgs) -> CommandResult {
    Ok(std::process::ExitCode::SUCCESS)
}
pub fn resume(_: &Shared, _: SessionId, _: &ResumeArgs) -> CommandResult {
    Ok(std::process::ExitCode::SUCCESS)
}
