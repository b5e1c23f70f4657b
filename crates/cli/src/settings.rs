//! The settings of a session, read in one go: configuration, what of it holds
//! by trust and by the administrator's locks, and the tools that people added.

use crate::assemble::Options;
use crate::custom::Custom;
use crate::error::CliError;
use crate::place::Place;
use crate::trust;
use std::path::Path;
use tenon_config::{Choice, Loaded, Locks, Resolved};
use tenon_engine::Approval;

/// The settings of a session, read once. Another session can be opened with the
/// very same (U9).
#[derive(Debug, Clone)]
pub struct Configured {
    pub loaded: Loaded,
    pub resolved: Resolved,
    pub custom: Custom,
}

impl Configured {
    pub fn read(place: &Place, options: &Options) -> Result<Self, CliError> {
        let (loaded, resolved) = settings(place, options)?;
        let custom = Custom::find(place, &loaded, options.accepts.user_tools)?;
        Ok(Self {
            loaded,
            resolved,
            custom,
        })
    }
}

/// Reads the configuration and resolves it.
pub fn settings(place: &Place, options: &Options) -> Result<(Loaded, Resolved), CliError> {
    let loaded = trust::load(place, options)?;
    respect(loaded.locks(), options)?;
    let choice = Choice {
        provider: options.provider.clone(),
        model: options.model.clone(),
    };
    let resolved = tenon_config::resolve(&loaded, &choice)?;
    Ok((loaded, resolved))
}

/// What the administrator forbade stops the start, so that nobody believes a
/// flag that does not hold.
fn respect(locks: &Locks, options: &Options) -> Result<(), CliError> {
    if let Some(mode) = options.permission_mode
        && let Some(file) = locks.forbids(mode)
    {
        return Err(forbidden(&format!("--permission-mode {mode}"), file));
    }
    // --yolo answers all that --yes does, so a lock on either stops it.
    let (flag, file) = match options.approval {
        Approval::Yolo(_) => ("--yolo", locks.yolo.as_ref().or(locks.yes.as_ref())),
        Approval::Yes(_) => ("--yes", locks.yes.as_ref()),
        Approval::Ask | Approval::Nobody => return Ok(()),
    };
    let Some(file) = file else {
        return Ok(());
    };
    Err(forbidden(flag, file))
}

pub fn forbidden(what: &str, file: &Path) -> CliError {
    CliError::usage(format!(
        "{what} is not allowed here: {} forbids it",
        file.display()
    ))
    .with_hint("Start without it, or ask the administrator of this machine.")
}
