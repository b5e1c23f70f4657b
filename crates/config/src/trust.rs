//! What a person said of content that others wrote (C7): kept outside of the
//! project, by the content itself, so that one changed byte asks again.
//!
//! It does not decide what trust enables; see `untrusted.rs` and `project.rs`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use tenon_vocab::Timestamp;

const VERSION: u32 = 1;
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// Contents remembered for one place: branches come and go.
const REMEMBERED: usize = 16;

/// Whether the configuration of a project holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ProjectTrust {
    /// Only what narrows.
    #[default]
    Untrusted,
    /// All of it, whatever was recorded.
    Trusted,
    /// As the person answered for this very content.
    Recorded,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustAnswer {
    Trusted,
    Refused,
}

/// Whose content it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustSubject<'a> {
    /// By its canonical root.
    Project(&'a Path),
    /// The user's own tools, by their folder.
    UserTools(&'a Path),
}

#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    #[error("{} cannot be used: {why}", .path.display())]
    Unusable { path: PathBuf, why: String },
    #[error("{} cannot be written: {error}", .path.display())]
    Unwritable { path: PathBuf, error: io::Error },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    hash: String,
    answer: TrustAnswer,
    at: Timestamp,
}

type Records = BTreeMap<String, Vec<Record>>;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Page {
    version: u32,
    #[serde(default)]
    projects: Records,
    #[serde(default)]
    user_tools: Records,
}

/// The file of answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trust {
    path: PathBuf,
}

impl Trust {
    /// `state` is the program's own folder.
    #[must_use]
    pub fn new(state: &Path) -> Self {
        Self {
            path: state.join("trust.json"),
        }
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was answered for this content; `None` when it was never asked.
    ///
    /// # Errors
    /// When the file cannot be believed. Then nothing is trusted.
    pub fn answer(
        &self,
        subject: TrustSubject<'_>,
        hash: &str,
    ) -> Result<Option<TrustAnswer>, TrustError> {
        let page = self.read()?;
        let (records, key) = page.of(subject);
        let found = records.get(&key).into_iter().flatten();
        Ok(found
            .rev()
            .find(|record| record.hash == hash)
            .map(|record| record.answer))
    }

    /// Keeps an answer for this content.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn record(
        &self,
        subject: TrustSubject<'_>,
        hash: &str,
        answer: TrustAnswer,
        at: Timestamp,
    ) -> Result<(), TrustError> {
        self.change(|page| {
            let records = page.of_mut(subject);
            records.retain(|record| record.hash != hash);
            records.push(Record {
                hash: hash.to_owned(),
                answer,
                at,
            });
            let old = records.len().saturating_sub(REMEMBERED);
            records.drain(..old);
        })
    }

    /// Forgets every answer about a place.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn forget(&self, subject: TrustSubject<'_>) -> Result<(), TrustError> {
        self.change(|page| page.of_mut(subject).clear())
    }

    fn read(&self) -> Result<Page, TrustError> {
        let unusable = |why: String| TrustError::Unusable {
            path: self.path.clone(),
            why,
        };
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Page::default()),
            Err(error) => return Err(unusable(error.to_string())),
        };
        let metadata = file
            .metadata()
            .map_err(|error| unusable(error.to_string()))?;
        if !metadata.is_file() || metadata.mode() & 0o022 != 0 {
            return Err(unusable(
                "others may write to it, so its answers may be theirs; remove it, and you are asked again".into(),
            ));
        }
        let mut text = String::new();
        file.take(MAX_BYTES)
            .read_to_string(&mut text)
            .map_err(|error| unusable(error.to_string()))?;
        let page: Page = serde_json::from_str(&text).map_err(|error| {
            unusable(format!(
                "it is damaged ({error}); remove it, and you are asked again"
            ))
        })?;
        if page.version > VERSION {
            return Err(unusable("a newer version of Tenon wrote it".into()));
        }
        Ok(page)
    }

    /// Under a lock, and never half a file.
    fn change(&self, change: impl FnOnce(&mut Page)) -> Result<(), TrustError> {
        let unwritable = |error: io::Error| TrustError::Unwritable {
            path: self.path.clone(),
            error,
        };
        let folder = self.path.parent().unwrap_or(Path::new("."));
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(unwritable)?;
        let lock = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(self.path.with_extension("lock"))
            .map_err(unwritable)?;
        lock.lock().map_err(unwritable)?;
        let mut page = self.read()?;
        page.version = VERSION;
        change(&mut page);
        page.tidy();
        let text = serde_json::to_vec_pretty(&page).map_err(io::Error::other);
        let mut temporary = tempfile::NamedTempFile::new_in(folder).map_err(unwritable)?;
        temporary
            .write_all(&text.map_err(unwritable)?)
            .and_then(|()| temporary.as_file().sync_all())
            .map_err(unwritable)?;
        temporary
            .persist(&self.path)
            .map_err(|error| unwritable(error.error))?;
        Ok(())
    }
}

impl Page {
    fn of(&self, subject: TrustSubject<'_>) -> (&Records, String) {
        match subject {
            TrustSubject::Project(path) => (&self.projects, key(path)),
            TrustSubject::UserTools(path) => (&self.user_tools, key(path)),
        }
    }

    fn of_mut(&mut self, subject: TrustSubject<'_>) -> &mut Vec<Record> {
        match subject {
            TrustSubject::Project(path) => self.projects.entry(key(path)).or_default(),
            TrustSubject::UserTools(path) => self.user_tools.entry(key(path)).or_default(),
        }
    }

    fn tidy(&mut self) {
        self.projects.retain(|_, records| !records.is_empty());
        self.user_tools.retain(|_, records| !records.is_empty());
    }
}

/// A name that is not UTF-8 is still one place: what was said of it holds for
/// one content only.
fn key(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
