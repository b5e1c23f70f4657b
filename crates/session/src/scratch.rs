//! The private folder of a session that is not saved: made when first asked
//! for, gone with the session.

use crate::SessionError;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::TempDir;

#[derive(Debug, Default)]
pub(crate) struct Scratch {
    made: OnceLock<TempDir>,
}

impl Scratch {
    pub fn folder(&self) -> Result<PathBuf, SessionError> {
        if let Some(made) = self.made.get() {
            return Ok(made.path().to_path_buf());
        }
        // A second thread that comes here at the same time loses its folder,
        // which removes itself.
        let fresh = tempfile::Builder::new()
            .prefix("tenon-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir()
            .map_err(|error| {
                SessionError::io("create a folder in", &std::env::temp_dir(), error)
            })?;
        Ok(self.made.get_or_init(|| fresh).path().to_path_buf())
    }

    pub fn existing(&self) -> Option<&Path> {
        self.made.get().map(TempDir::path)
    }
}
