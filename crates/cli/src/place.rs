//! Where this run of the program happens: its folders, its environment, its root.

use crate::args::Shared;
use crate::error::CliError;
use std::path::PathBuf;
use tenon_config::{Env, Paths};
use tenon_session::Store;

/// The environment, read once.
#[derive(Debug)]
pub struct Place {
    pub env: Env,
    pub paths: Paths,
    /// Canonical.
    pub root: PathBuf,
    /// As given with --config.
    pub config: Option<PathBuf>,
}

impl Place {
    /// # Errors
    /// When the root is no directory, or no home can be found.
    pub fn find(shared: &Shared) -> Result<Self, CliError> {
        let env: Env = std::env::vars_os()
            .filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let paths = Paths::from_env(&env)?;
        let wanted = match &shared.root {
            Some(root) => root.clone(),
            None => std::env::current_dir().map_err(|error| {
                CliError::runtime(format!("the current directory cannot be used: {error}"))
            })?,
        };
        let root = wanted.canonicalize().map_err(|error| {
            CliError::usage(format!(
                "the root {} cannot be used: {error}",
                wanted.display()
            ))
        })?;
        if !root.is_dir() {
            return Err(CliError::usage(format!(
                "the root {} is not a directory",
                root.display()
            )));
        }
        Ok(Self {
            env,
            paths,
            root,
            config: shared.config.clone(),
        })
    }

    pub fn store(&self) -> Store {
        Store::new(self.paths.state.join("sessions"))
    }

    pub fn root_text(&self) -> String {
        self.root.to_string_lossy().into_owned()
    }
}
