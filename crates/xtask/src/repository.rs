//! Where the repository is and which files belong to it.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Debug, Clone)]
pub struct Repository {
    root: PathBuf,
}

impl Repository {
    /// The workspace that this program was started for.
    pub fn find() -> Result<Self> {
        let start = match std::env::var_os("CARGO_MANIFEST_DIR") {
            Some(folder) => PathBuf::from(folder),
            None => std::env::current_dir()?,
        };
        for folder in start.ancestors() {
            if folder.join("Cargo.lock").is_file() && folder.join("crates").is_dir() {
                return Ok(Self::at(folder));
            }
        }
        bail!(
            "{} is not inside the repository; run `cargo xtask` there",
            start.display()
        )
    }

    pub fn at(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn join(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// `CARGO_TARGET_DIR` or `target`.
    pub fn target(&self) -> PathBuf {
        match std::env::var_os("CARGO_TARGET_DIR") {
            Some(folder) => self.root.join(folder),
            None => self.root.join("target"),
        }
    }

    pub fn read(&self, path: &str) -> Result<String> {
        let full = self.join(path);
        fs::read_to_string(&full).with_context(|| format!("{} cannot be read", full.display()))
    }

    /// Every file that is, or is about to be, part of the repository, by its
    /// path from the root. Without git, everything but `target`.
    pub fn files(&self) -> Result<Vec<String>> {
        let listed = Command::new("git")
            .args(["ls-files", "-co", "--exclude-standard", "-z"])
            .current_dir(&self.root)
            .output();
        let mut files: Vec<String> = match listed {
            Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout)
                .split('\0')
                .filter(|path| !path.is_empty() && self.join(path).is_file())
                .map(ToOwned::to_owned)
                .collect(),
            _ => walk(&self.root)?
                .into_iter()
                .filter_map(|path| relative(&self.root, &path))
                .filter(|path| !path.starts_with("target/") && !path.starts_with(".git/"))
                .collect(),
        };
        files.sort();
        Ok(files)
    }
}

/// A path from a root, with `/`.
pub fn relative(root: &Path, path: &Path) -> Option<String> {
    Some(path.strip_prefix(root).ok()?.to_str()?.to_owned())
}

/// All files below a folder; none when there is no such folder.
pub fn walk(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                let name = entry.file_name();
                if name != "target" && name != ".git" {
                    open.push(entry.path());
                }
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The Rust files below a folder.
pub fn rust_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = walk(folder)?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    Ok(files)
}
