//! A home folder that a test has for itself, and commands that know no other.

use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Everything in it is removed when it is dropped.
#[derive(Debug)]
pub struct TestHome {
    dir: TempDir,
}

impl Default for TestHome {
    fn default() -> Self {
        Self::new()
    }
}

impl TestHome {
    /// # Panics
    /// When no folder can be made.
    #[must_use]
    pub fn new() -> Self {
        Self::beneath(&std::env::temp_dir())
    }

    /// The same in this folder: commands may write below `/tmp`, so a test of
    /// what they may not write needs another place.
    ///
    /// # Panics
    /// When no folder can be made.
    #[must_use]
    pub fn beneath(folder: &Path) -> Self {
        let made = tempfile::Builder::new()
            .prefix("tenon-test-")
            .tempdir_in(folder);
        let dir = match made {
            Ok(dir) => dir,
            Err(error) => panic!("no folder for a test's home: {error}"),
        };
        let home = Self { dir };
        for folder in [home.home(), home.tenon(), home.temp(), home.project()] {
            if let Err(error) = std::fs::create_dir_all(&folder) {
                panic!("{} cannot be made: {error}", folder.display());
            }
        }
        home
    }

    /// The folder that holds all of it.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// `HOME`
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.path().join("home")
    }

    /// `TENON_HOME`
    #[must_use]
    pub fn tenon(&self) -> PathBuf {
        self.path().join("tenon")
    }

    /// `TMPDIR`
    #[must_use]
    pub fn temp(&self) -> PathBuf {
        self.path().join("tmp")
    }

    /// An empty folder to work in.
    #[must_use]
    pub fn project(&self) -> PathBuf {
        self.path().join("project")
    }

    /// A command that runs in the project and inherits nothing but `PATH`: no
    /// proxy, no key and no setting of whoever runs the tests reaches it.
    #[must_use]
    pub fn command(&self, bin: &Path) -> Command {
        let mut command = Command::new(bin);
        command
            .env_clear()
            .env("HOME", self.home())
            .env("TENON_HOME", self.tenon())
            .env("TMPDIR", self.temp())
            .env("LANG", "C.UTF-8")
            .current_dir(self.project());
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command
    }
}
