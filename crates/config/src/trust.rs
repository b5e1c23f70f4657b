//! What a person said of content that others wrote (C7): kept outside of the
//! project, by the content itself, so that one changed byte asks again.
//!
//! It does not decide what trust enables; see `untrusted.rs` and `project.rs`.

use crate::owner::is_the_users;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use tenon_vocab::Timestamp;

const VERSION: u32 = 1;
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// Contents remembered for one place: branches come and go.
const REMEMBERED: usize = 16;
/// What is kept to say later what changed must not fill the file.
const LONGEST_LINE: usize = 400;
const MOST_LINES: usize = 100;

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
    #[error("can't use {}: {why}", .path.display())]
    Unusable { path: PathBuf, why: String },
    #[error("can't write {}: {error}", .path.display())]
    Unwritable { path: PathBuf, error: io::Error },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    hash: String,
    answer: TrustAnswer,
    at: Timestamp,
    /// What the person was shown, in short; only with the last yes for a place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wants: Option<Vec<String>>,
}

/// A yes to other content of the same place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    pub at: Timestamp,
    wants: Option<Vec<String>>,
}

/// What differs between what was accepted and what is there now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// Lines of now that were not accepted, by their place.
    pub new: Vec<usize>,
    /// Accepted lines that are not there any more; long ones are shortened.
    pub gone: Vec<String>,
}

impl Earlier {
    /// `None` when it was not kept what was accepted.
    #[must_use]
    pub fn difference(&self, lines: &[String]) -> Option<Difference> {
        let mut gone = self.wants.clone()?;
        let mut new = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            let line = short(line);
            match gone.iter().position(|held| *held == line) {
                Some(at) => {
                    gone.remove(at);
                }
                None => new.push(index),
            }
        }
        Some(Difference { new, gone })
    }
}

/// A long line is kept by its start and its hash: enough to see a change.
fn short(line: &str) -> String {
    if line.len() <= LONGEST_LINE {
        return line.to_owned();
    }
    let start: String = line.chars().take(LONGEST_LINE / 4).collect();
    let hash = Sha256::digest(line.as_bytes());
    let hash: String = hash
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{start}… ({} bytes, {hash})", line.len())
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

    /// The last yes to any content of this place.
    ///
    /// # Errors
    /// When the file cannot be believed.
    pub fn earlier(&self, subject: TrustSubject<'_>) -> Result<Option<Earlier>, TrustError> {
        let page = self.read()?;
        let (records, key) = page.of(subject);
        let found = records.get(&key).into_iter().flatten();
        Ok(found
            .rev()
            .find(|record| record.answer == TrustAnswer::Trusted)
            .map(|record| Earlier {
                at: record.at,
                wants: record.wants.clone(),
            }))
    }

    /// Keeps an answer for this content, which would enable these lines.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn record(
        &self,
        subject: TrustSubject<'_>,
        hash: &str,
        lines: &[String],
        answer: TrustAnswer,
        at: Timestamp,
    ) -> Result<(), TrustError> {
        let few = answer == TrustAnswer::Trusted && lines.len() <= MOST_LINES;
        let wants = few.then(|| lines.iter().map(|line| short(line)).collect());
        self.change(|page| {
            let records = page.of_mut(subject);
            records.retain(|record| record.hash != hash);
            if answer == TrustAnswer::Trusted {
                records.iter_mut().for_each(|record| record.wants = None);
            }
            records.push(Record {
                hash: hash.to_owned(),
                answer,
                at,
                wants,
            });
            let old = records.len().saturating_sub(REMEMBERED);
            records.drain(..old);
        })
    }

    /// How many answers about a place are kept, for whatever content.
    ///
    /// # Errors
    /// When the file cannot be believed.
    pub fn answers(&self, subject: TrustSubject<'_>) -> Result<usize, TrustError> {
        let page = self.read()?;
        let (records, key) = page.of(subject);
        Ok(records.get(&key).map_or(0, Vec::len))
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
        let file = match tenon_files::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Page::default()),
            Err(error) => return Err(unusable(error.to_string())),
        };
        let metadata = file
            .metadata()
            .map_err(|error| unusable(error.to_string()))?;
        let own = is_the_users(&metadata).and_then(|()| match metadata.mode() & 0o022 {
            0 => Ok(()),
            _ => Err("other users can write to it".into()),
        });
        own.map_err(|why| {
            unusable(format!(
                "{why}, so the answers in it may not be yours; delete it to be asked again"
            ))
        })?;
        let mut text = String::new();
        file.take(MAX_BYTES)
            .read_to_string(&mut text)
            .map_err(|error| unusable(error.to_string()))?;
        let page: Page = serde_json::from_str(&text).map_err(|error| {
            unusable(format!(
                "it is damaged ({error}); delete it to be asked again"
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
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).mode(0o600);
        let lock = tenon_files::open_with(&mut options, &self.path.with_extension("lock"))
            .map_err(unwritable)?;
        lock.lock().map_err(unwritable)?;
        let mut page = self.read()?;
        page.version = VERSION;
        change(&mut page);
        page.tidy();
        let mut text = serde_json::to_vec_pretty(&page).map_err(io::Error::other);
        if text
            .as_ref()
            .is_ok_and(|text| text.len() as u64 > MAX_BYTES / 2)
        {
            // The answers matter; what was shown with them is a courtesy.
            page.forget_wants();
            text = serde_json::to_vec_pretty(&page).map_err(io::Error::other);
        }
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

    fn forget_wants(&mut self) {
        let all = self
            .projects
            .values_mut()
            .chain(self.user_tools.values_mut());
        all.flatten().for_each(|record| record.wants = None);
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
