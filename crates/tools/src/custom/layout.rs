//! The program of a custom tool, written anew for each call from the bytes that
//! were accepted: whatever became of the folder since, this is what runs. Gone
//! when the call has ended.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// What a program that was killed left behind is removed after this time.
const STALE: Duration = Duration::from_secs(24 * 3600);

/// One file of a tool's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderFile {
    pub bytes: Arc<[u8]>,
    pub executable: bool,
}

/// A folder that lasts as long as this.
#[derive(Debug)]
pub(super) struct Laid {
    folder: TempDir,
}

pub(super) fn lay_out(store: &Path, files: &BTreeMap<String, FolderFile>) -> io::Result<Laid> {
    private(store)?;
    sweep(store);
    // For its owner alone, under a name that nobody knows before.
    let folder = tempfile::Builder::new()
        .prefix("call-")
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(store)?;
    for (path, file) in files {
        let path = folder.path().join(path);
        if let Some(parent) = path.parent() {
            private(parent)?;
        }
        let mode = if file.executable { 0o500 } else { 0o400 };
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(&path)?
            .write_all(&file.bytes)?;
    }
    Ok(Laid { folder })
}

fn private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn sweep(store: &Path) {
    let entries = store.read_dir().into_iter().flatten().flatten();
    for entry in entries {
        let age = entry
            .metadata()
            .and_then(|metadata| metadata.modified())
            .ok()
            .and_then(|time| time.elapsed().ok());
        let ours = entry.file_name().to_string_lossy().starts_with("call-");
        if ours && age.is_some_and(|age| age > STALE) {
            // Left for the next time.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

impl Laid {
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The line for the shell that runs the command and is nothing else.
    pub(super) fn line(&self, command: &[String]) -> String {
        let words: Vec<String> = command
            .iter()
            .map(|word| match word.strip_prefix("./") {
                Some(path) => quoted(&self.path(path).to_string_lossy()),
                None => quoted(word),
            })
            .collect();
        format!("exec {}", words.join(" "))
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }
}

/// One word, whatever it holds.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::{FolderFile, lay_out, quoted};
    use std::collections::BTreeMap;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_word_stays_one_word() {
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's; rm x"), r"'it'\''s; rm x'");
    }

    #[test]
    fn what_is_laid_out_is_private_and_gone_afterwards() {
        let store = tempfile::tempdir().unwrap();
        let store = store.path().join("tools");
        let file = |executable| FolderFile {
            bytes: b"x".as_slice().into(),
            executable,
        };
        let files = BTreeMap::from([
            (String::from("run"), file(true)),
            (String::from("lib/data"), file(false)),
        ]);
        let laid = lay_out(&store, &files).unwrap();
        let folder = laid.folder().to_owned();
        let mode = |path: &str| {
            let metadata = folder.join(path).metadata().unwrap();
            metadata.permissions().mode() & 0o777
        };
        assert_eq!(
            (mode("."), mode("run"), mode("lib"), mode("lib/data")),
            (0o700, 0o500, 0o700, 0o400)
        );
        drop(laid);
        assert!(!folder.exists() && store.exists());
    }
}
