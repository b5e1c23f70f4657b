//! `tenon policy`: what the policy says of a call, what holds, and what the user
//! allowed and may take back.

mod explain;
mod held;

use crate::CommandResult;
use crate::args::{ModeChoice, PolicyCommand, RunArgs, Shared};
use crate::assemble::{self, Options};
use crate::custom::Custom;
use crate::drive::Desk;
use crate::error::CliError;
use crate::place::Place;
use crate::sandbox::Folders;
use crate::screen::complain;
use crate::trust;
use held::Which;
use std::path::PathBuf;
use tenon_config::{Loaded, Resolved};
use tenon_tools::jobs::AddedFolder;
use tenon_vocab::Printable;

/// The project and the settings that hold in it.
pub struct Standing {
    place: Place,
    resolved: Resolved,
    custom: Custom,
    loaded: Loaded,
    /// The folders that are open beside the project.
    added: Vec<AddedFolder>,
}

impl Standing {
    /// The folders of the flags and of the configuration, as a session begins
    /// with them.
    fn open(&mut self, flags: Vec<PathBuf>) -> Result<(), CliError> {
        let folders = Folders::of(&self.place, &self.resolved, None);
        let mut options = Options::from_args(&RunArgs::default(), Desk::Nobody);
        options.add_dirs = flags;
        self.added = assemble::by_flag(&folders, &options)?;
        let author = assemble::author(&self.loaded);
        for written in &self.resolved.add_dirs {
            match folders.find(written, author) {
                Ok(folder) => self.added.push(folder),
                Err(why) => complain(Printable::line(&why).as_str()),
            }
        }
        Ok(())
    }

    fn find(shared: &Shared) -> Result<Self, CliError> {
        let place = Place::find(shared)?;
        let options = Options::from_args(&RunArgs::default(), Desk::Nobody);
        // What the rules say needs no server, so one that is locked or missing
        // does not stop the answer.
        let loaded = trust::load(&place, &options)?;
        let resolved = tenon_config::resolve_without_provider(&loaded)?;
        let custom = Custom::find(&place, &loaded, options.accepts.user_tools)?;
        Ok(Self {
            place,
            resolved,
            custom,
            loaded,
            added: Vec::new(),
        })
    }
}

pub fn run(shared: &Shared, command: PolicyCommand) -> CommandResult {
    match command {
        PolicyCommand::Explain {
            tool,
            argument,
            agent,
            permission_mode,
            add_dir,
            format,
        } => {
            let mut standing = Standing::find(shared)?;
            standing.open(add_dir)?;
            let who = explain::Who {
                agent: agent.as_deref(),
                mode: permission_mode.map(ModeChoice::mode),
            };
            explain::run(&standing, &tool, &argument, who, format)
        }
        PolicyCommand::List { json } => {
            let standing = Standing::find(shared)?;
            if json {
                held::list_as_json(&standing)
            } else {
                held::list(&standing)
            }
        }
        // Needs no settings: a broken configuration must not keep a grant alive.
        PolicyCommand::Remove { which, .. } => {
            let place = Place::find(shared)?;
            held::remove(&place, which.map_or(Which::All, Which::One))
        }
    }
}
