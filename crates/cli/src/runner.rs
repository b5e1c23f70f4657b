//! The runners of processes: this program supervises what a session starts. The
//! walls around commands are put up elsewhere; see `sandbox.rs`.

use crate::error::CliError;
use crate::place::Place;
use crate::sandbox::{self, Walls};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use tenon_config::Resolved;
use tenon_policy::{Facts, ReadingRoom};
use tenon_sandbox::Supervisor;
use tenon_tools::Jobs;
use tenon_tools::jobs::{AddedFolder, WayOut};
use tenon_vocab::profile::AgentProfile;

/// The hidden subcommand under which this program supervises a command.
pub const SUPERVISE: &str = "__supervise";

/// The variables of this process, sorted into what commands get and what not.
pub fn environment(resolved: &Resolved) -> sandbox::Environment {
    let keys = sandbox::key_variables(resolved);
    sandbox::Environment::sort(sandbox::whole_environment(), &resolved.sandbox, &keys)
}

/// The runner of a session's processes: without the variables that commands
/// must not have. The walls come when the agent is known.
pub fn session_jobs(folder: &Path, resolved: &Resolved) -> Jobs {
    let sorted = environment(resolved);
    // A run outside is one with the network.
    let way_out = match (&resolved.locks.sandbox, &resolved.locks.network) {
        (None, None) => WayOut::Offered,
        _ => WayOut::Closed,
    };
    Jobs::new(supervisor(), folder.join("out"), sorted.given)
        .with_whole_environment(sandbox::whole_environment())
        .with_way_out(way_out)
}

/// A runner for nothing but the user's own credential command: no walls, and
/// all variables.
pub fn jobs(folder: &Path) -> Jobs {
    Jobs::new(
        supervisor(),
        folder.join("out"),
        sandbox::whole_environment(),
    )
}

/// What a call can be held to here, were it only to read, outside of a session.
///
/// # Errors
/// When there is no place for temporary files.
pub fn reading_room(
    place: &Place,
    resolved: &Resolved,
    agent: &AgentProfile,
    call: (&Facts, &[AddedFolder]),
) -> Result<ReadingRoom, CliError> {
    let walls = Walls::find(place, &resolved.sandbox, None);
    let scratch = tempfile::tempdir()?;
    let jobs = session_jobs(scratch.path(), resolved)
        .with_sandbox(walls.of_agent(agent))
        .with_shown(walls.shown.clone());
    let (facts, added) = call;
    for folder in added {
        jobs.add_folder(folder.clone());
    }
    Ok(tenon_tools::reading_room(facts, &jobs))
}

/// This same program.
pub fn supervisor() -> Supervisor {
    // The running program, also when its file has been replaced meanwhile.
    let program = PathBuf::from("/proc/self/exe");
    let program = if program.exists() {
        program
    } else {
        std::env::current_exe().unwrap_or(program)
    };
    Supervisor::new(program, vec![OsString::from(SUPERVISE)])
}
