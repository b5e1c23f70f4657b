//! (to come)
use crate::CommandResult;
use crate::args::{ModelsArgs, Shared};
pub fn run(_: &Shared, _: &ModelsArgs) -> CommandResult {
    Ok(std::process::ExitCode::SUCCESS)
}
