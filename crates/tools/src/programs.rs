//! Which program a name stands for in a command, and whether the project could
//! have put it there. What runs unasked must not be a file that a command may
//! write: `node_modules/.bin/ls`, one in an active `.venv`, in an empty element
//! of `PATH`, in a temporary folder.
//!
//! It only looks. Files of the project are not opened.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use tenon_policy::{Foreign, Script};

/// Variables with files that a shell or the loader of programs runs first.
const RUN_FIRST: &[&str] = &[
    "BASH_ENV",
    "ENV",
    "LD_PRELOAD",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
];

/// Where commands find their programs, as the environment says that they get.
#[derive(Debug, Clone, Default)]
pub struct Programs {
    folders: Vec<PathBuf>,
    /// What is run before any program, with the name of its variable.
    first: Vec<(&'static str, PathBuf)>,
    /// Folders that commands may write, besides the project.
    writable: Vec<PathBuf>,
}

impl Programs {
    /// `environment` is what commands get, `writable` the folders besides the
    /// project that they may write.
    #[must_use]
    pub fn new(environment: &[(OsString, OsString)], writable: Vec<PathBuf>) -> Self {
        let value = |name: &str| {
            let mut held = environment.iter().rev();
            held.find(|(held, _)| held == name).map(|(_, value)| value)
        };
        let paths = |value: &OsString| std::env::split_paths(value).collect::<Vec<_>>();
        let mut first = Vec::new();
        for name in RUN_FIRST {
            let files = value(name).map(paths).unwrap_or_default();
            // The loader takes blanks for separators, too; an empty element of a
            // list of files is none, one of a list of folders is where it stands.
            let lists_folders = *name == "LD_LIBRARY_PATH";
            first.extend(
                files
                    .into_iter()
                    .filter(|file| lists_folders || file.components().next().is_some())
                    .map(|file| (*name, file)),
            );
        }
        Self {
            folders: value("PATH").map(paths).unwrap_or_default(),
            first,
            writable: writable.into_iter().map(|path| real(&path)).collect(),
        }
    }

    /// What of the programs that this line would run could be the project's, when
    /// the command begins in this folder.
    pub(crate) fn foreign(&self, script: &Script, root: &Path, folder: &Path) -> Vec<Foreign> {
        let names = script.looked_up();
        if names.is_empty() {
            return Vec::new();
        }
        let strays = script.goes_elsewhere();
        let mut found: Vec<Foreign> = names
            .into_iter()
            .filter_map(|name| {
                let path = self.of_program(name, root, folder, strays)?;
                Some(Foreign::new(name, &path.to_string_lossy()))
            })
            .collect();
        for (variable, file) in &self.first {
            let is_foreign = file.is_relative() || self.is_written(&real(file), root);
            if is_foreign {
                found.push(Foreign::new(variable, &file.to_string_lossy()));
            }
        }
        found
    }

    /// The program of that name where it could be the project's. The first that
    /// the shell would find counts.
    fn of_program(&self, name: &str, root: &Path, folder: &Path, strays: bool) -> Option<PathBuf> {
        for place in &self.folders {
            // Seen from wherever the line has gone by then.
            if place.is_relative() && strays {
                return Some(place.join(name));
            }
            let path = folder.join(place).join(name);
            if !runs(&path) {
                continue;
            }
            let is_foreign = place.is_relative()
                || self.is_written(&real(&folder.join(place)), root)
                || self.is_written(&real(&path), root);
            return is_foreign.then_some(path);
        }
        None
    }

    /// Whether a command may write there.
    fn is_written(&self, path: &Path, root: &Path) -> bool {
        let everybody = |path: &Path| {
            std::fs::metadata(path).is_ok_and(|held| held.permissions().mode() & 0o002 != 0)
        };
        path.starts_with(root)
            || self.writable.iter().any(|folder| path.starts_with(folder))
            || everybody(path)
            || path.parent().is_some_and(everybody)
    }
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn runs(path: &Path) -> bool {
    std::fs::metadata(path)
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// A list of folders without its empty elements, which mean wherever the command
/// stands; `None` when nothing is left.
#[must_use]
pub fn without_empty(list: &OsStr) -> Option<OsString> {
    let folders = std::env::split_paths(list).filter(|path| path.components().next().is_some());
    let kept = std::env::join_paths(folders).ok()?;
    (!kept.is_empty()).then_some(kept)
}
