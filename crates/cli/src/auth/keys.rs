//! `keys.json` in the state folder: for which provider a key was saved, and
//! where. Where the desktop has no store for it, the key itself stands here,
//! which is why the file is its owner's alone, or it is not read at all.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// No file of keys comes near this.
const LARGEST: u64 = 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    #[error("{} can't be {action}: {error}", .path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        error: io::Error,
    },
    #[error("other users can read {}, so Tenon does not use its keys", .path.display())]
    Open { path: PathBuf },
    #[error("{} belongs to another user, so Tenon does not use its keys", .path.display())]
    Foreign { path: PathBuf },
    #[error("{} doesn't look like what `tenon auth login` writes", .path.display())]
    Unreadable { path: PathBuf },
}

impl KeysError {
    /// What to do next.
    pub fn hint(&self) -> String {
        match self {
            Self::Io { .. } => String::from("Check the folder and its permissions."),
            Self::Open { path } => format!(
                "Run `chmod 600 {}`; if others may have read it, create new keys.",
                path.display()
            ),
            Self::Foreign { path } | Self::Unreadable { path } => format!(
                "Move {} away, then save the keys again with `tenon auth login`.",
                path.display()
            ),
        }
    }
}

/// Where a key is.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "in", rename_all = "snake_case", deny_unknown_fields)]
pub enum Saved {
    /// In the desktop's own store.
    Desktop { origin: String },
    /// Here.
    File { origin: String, key: String },
}

impl Saved {
    /// Scheme, host and port of the server that the key was saved for. It is
    /// sent nowhere else: a name can come to mean another address.
    pub fn origin(&self) -> &str {
        match self {
            Self::Desktop { origin } | Self::File { origin, .. } => origin,
        }
    }

    pub fn is_for(&self, address: &str) -> bool {
        self.origin() == origin(address)
    }
}

/// Scheme, host and port of an address.
pub fn origin(address: &str) -> String {
    let (scheme, rest) = address.trim().split_once("://").unwrap_or_default();
    let scheme = scheme.to_ascii_lowercase();
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.to_ascii_lowercase();
    let usual = match scheme.as_str() {
        "https" => ":443",
        _ => ":80",
    };
    let host = host.strip_suffix(usual).unwrap_or(&host);
    format!("{scheme}://{host}")
}

impl std::fmt::Debug for Saved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Desktop { .. } => "Desktop",
            Self::File { .. } => "File(hidden)",
        })
    }
}

#[derive(Default, Serialize, Deserialize)]
struct Page {
    keys: BTreeMap<String, Saved>,
}

/// The file, which need not exist.
#[derive(Debug, Clone)]
pub struct Keys {
    path: PathBuf,
}

impl Keys {
    pub fn in_state(state: &Path) -> Self {
        Self {
            path: state.join("keys.json"),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is saved, by provider.
    ///
    /// # Errors
    /// When the file is there and others can read it, or it cannot be read.
    pub fn all(&self) -> Result<BTreeMap<String, Saved>, KeysError> {
        Ok(self.read()?.keys)
    }

    /// # Errors
    /// As [`Keys::all`], or when it cannot be written.
    pub fn put(&self, name: &str, saved: Saved) -> Result<(), KeysError> {
        self.change(|page| {
            page.keys.insert(name.to_owned(), saved);
        })
    }

    /// Whether there was one.
    ///
    /// # Errors
    /// As [`Keys::put`].
    pub fn remove(&self, name: &str) -> Result<Option<Saved>, KeysError> {
        let mut removed = None;
        self.change(|page| removed = page.keys.remove(name))?;
        Ok(removed)
    }

    fn wrong(&self, action: &'static str) -> impl Fn(io::Error) -> KeysError {
        let path = self.path.clone();
        move |error| KeysError::Io {
            action,
            path: path.clone(),
            error,
        }
    }

    fn read(&self) -> Result<Page, KeysError> {
        let file = match tenon_files::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Page::default()),
            opened => opened.map_err(self.wrong("read"))?,
        };
        // Of the opened file: the name may lead elsewhere a moment later.
        let about = file.metadata().map_err(self.wrong("read"))?;
        let path = self.path.clone();
        if about.uid() != rustix::process::geteuid().as_raw() {
            return Err(KeysError::Foreign { path });
        }
        if about.mode() & 0o077 != 0 {
            return Err(KeysError::Open { path });
        }
        let mut text = Vec::new();
        file.take(LARGEST)
            .read_to_end(&mut text)
            .map_err(self.wrong("read"))?;
        serde_json::from_slice(&text).map_err(|_| KeysError::Unreadable { path })
    }

    fn change(&self, how: impl FnOnce(&mut Page)) -> Result<(), KeysError> {
        let wrong = self.wrong("written");
        let folder = self.path.parent().unwrap_or(Path::new("."));
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(&wrong)?;
        // Two logins at once must not lose one of the keys.
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).mode(0o600);
        let lock = tenon_files::open_with(&mut options, &self.path.with_extension("lock"))
            .map_err(&wrong)?;
        lock.lock().map_err(&wrong)?;
        let mut page = self.read()?;
        how(&mut page);
        let text = serde_json::to_vec_pretty(&page).map_err(|error| wrong(error.into()))?;
        replace(&self.path, &text).map_err(wrong)
    }
}

/// Puts a file with this content, which only its owner can read, in the place
/// of another, whole or not at all.
///
/// # Errors
/// When it cannot be written; then the old one is as it was.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    // Made with 0600.
    let mut fresh = tempfile::Builder::new()
        .prefix(".tenon-")
        .tempfile_in(folder)?;
    fresh.write_all(content)?;
    fresh.as_file().sync_all()?;
    fresh.persist(path).map_err(|failed| failed.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn file(key: &str) -> Saved {
        Saved::File {
            origin: String::from("https://a"),
            key: key.to_owned(),
        }
    }

    fn desktop() -> Saved {
        Saved::Desktop {
            origin: String::from("https://a"),
        }
    }

    #[test]
    fn a_key_is_for_one_server_whatever_is_asked_of_it() {
        let saved = file("one");
        for same in [
            "https://a",
            "https://a/v1",
            "HTTPS://A:443/",
            "https://u:p@a/x?y",
        ] {
            assert!(saved.is_for(same), "{same}");
        }
        for other in [
            "http://a",
            "https://a:8443/v1",
            "https://b/v1",
            "https://a.b",
            "https://b\\@a/",
            "a",
            "",
        ] {
            assert!(!saved.is_for(other), "{other}");
        }
    }

    #[test]
    fn a_key_is_in_a_file_of_its_owner_alone_and_is_gone_when_removed() {
        let folder = tempfile::tempdir().unwrap();
        let keys = Keys::in_state(&folder.path().join("state"));
        assert!(keys.all().unwrap().is_empty());
        keys.put("a", file("one")).unwrap();
        keys.put("b", desktop()).unwrap();
        let mode = std::fs::metadata(keys.path()).unwrap().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(keys.all().unwrap()["a"], file("one"));
        assert_eq!(keys.remove("a").unwrap(), Some(file("one")));
        assert_eq!(keys.remove("a").unwrap(), None);
        assert!(
            !std::fs::read_to_string(keys.path())
                .unwrap()
                .contains("one")
        );
    }

    #[test]
    fn a_file_that_others_can_read_is_refused_with_the_way_to_mend_it() {
        let folder = tempfile::tempdir().unwrap();
        let keys = Keys::in_state(folder.path());
        keys.put("a", file("one")).unwrap();
        std::fs::set_permissions(keys.path(), std::fs::Permissions::from_mode(0o640)).unwrap();
        let error = keys.all().unwrap_err();
        assert!(matches!(error, KeysError::Open { .. }));
        assert!(error.hint().contains("chmod 600"), "{}", error.hint());
        assert!(keys.put("b", desktop()).is_err());
    }

    #[test]
    fn a_damaged_file_is_said_to_be_so_and_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let keys = Keys::in_state(folder.path());
        replace(keys.path(), b"{\"keys\": {\"a\": {\"in\": \"nowhere\"}}}").unwrap();
        assert!(matches!(keys.all(), Err(KeysError::Unreadable { .. })));
        assert!(keys.put("b", desktop()).is_err());
        assert!(
            std::fs::read_to_string(keys.path())
                .unwrap()
                .contains("nowhere")
        );
    }

    #[test]
    fn many_at_once_lose_no_key() {
        let folder = tempfile::tempdir().unwrap();
        let keys = Keys::in_state(folder.path());
        std::thread::scope(|scope| {
            for n in 0..8 {
                let keys = &keys;
                scope.spawn(move || keys.put(&format!("p{n}"), file("x")).unwrap());
            }
        });
        assert_eq!(keys.all().unwrap().len(), 8);
    }
}
