//! Where this run of the program happens: its folders, its environment, its root.

use crate::args::Shared;
use crate::error::CliError;
use std::path::PathBuf;
use tenon_config::{Env, Paths};
use tenon_session::Store;

/// Who chose the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootFrom {
    Flag,
    CurrentDirectory,
    /// The session that is resumed.
    Session,
}

/// The environment, read once.
#[derive(Debug, Clone)]
pub struct Place {
    pub env: Env,
    pub paths: Paths,
    /// Canonical.
    pub root: PathBuf,
    pub root_from: RootFrom,
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
        let (wanted, root_from) = match &shared.root {
            Some(root) => (root.clone(), RootFrom::Flag),
            None => {
                let current = std::env::current_dir().map_err(|error| {
                    CliError::runtime(format!("can't use the current directory: {error}"))
                })?;
                (current, RootFrom::CurrentDirectory)
            }
        };
        let root = wanted.canonicalize().map_err(|error| {
            CliError::usage(format!("can't use the root {}: {error}", wanted.display()))
        })?;
        if !root.is_dir() {
            return Err(CliError::usage(format!(
                "the root {} isn't a directory",
                root.display()
            )));
        }
        Ok(Self {
            env,
            paths,
            root,
            root_from,
            config: shared.config.clone(),
        })
    }

    /// The same place with the root of a session that is resumed, unless a flag
    /// says otherwise: what was said before is about that folder (N12).
    ///
    /// # Errors
    /// When that folder is gone.
    pub fn of_session(&self, cwd: &str) -> Result<Self, CliError> {
        let mut place = self.clone();
        if self.root_from != RootFrom::CurrentDirectory || cwd == self.root_text() {
            return Ok(place);
        }
        match PathBuf::from(cwd).canonicalize() {
            Ok(root) if root.is_dir() => {
                place.root = root;
                place.root_from = RootFrom::Session;
                Ok(place)
            }
            _ => Err(
                CliError::runtime(format!("the directory of this session is gone: {cwd}"))
                    .with_hint("Choose another with --root DIR."),
            ),
        }
    }

    pub fn store(&self) -> Store {
        Store::new(self.paths.state.join("sessions"))
    }

    pub fn root_text(&self) -> String {
        self.root.to_string_lossy().into_owned()
    }
}
