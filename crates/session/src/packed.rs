//! The summaries of all sessions in one file, `sessions/list`, for homes with so
//! many that opening each digest costs more than all the rest of a list. A cache
//! of caches: an entry holds for a log of exactly this length, what is missing
//! is read from its own digest, and whoever lists writes the file anew, whole
//! and under a name of its own first, so that twenty may do so at once.

use crate::Summary;
use crate::place::private_file;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tenon_vocab::{Cost, ForkPoint, ModelTotals, Outcome, SessionId, Timestamp, Usage};

/// Another version may mean other figures by the same names.
const HEADING: &str = concat!("tenon sessions ", env!("CARGO_PKG_VERSION"));
/// Of an id in text.
const ID: usize = 36;
/// A file that is larger was not written by us.
const LARGEST: u64 = 256 * 1024 * 1024;

/// What is in the file, not yet read as summaries.
#[derive(Debug, Default)]
pub(crate) struct Packed<'a>(HashMap<SessionId, Entry<'a>>);

#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'a> {
    /// The length of the log for which this holds.
    pub length: u64,
    /// A [`Row`] as JSON.
    pub row: &'a [u8],
}

/// A summary without the names of its fields and with times as numbers: reading
/// thousands takes a third of the time.
#[derive(Serialize, Deserialize)]
struct Row<'a>(
    i64,
    i64,
    #[serde(borrow)] Cow<'a, str>,
    Option<String>,
    String,
    String,
    Option<String>,
    Option<String>,
    u32,
    Usage,
    Option<Cost>,
    Vec<ModelTotals>,
    u32,
    Option<ForkPoint>,
    bool,
    Option<Outcome>,
);

/// As an entry has it; `None` for what an entry cannot hold.
pub(crate) fn row(summary: &Summary) -> Option<Vec<u8>> {
    let time = |at: Timestamp| i64::try_from(at.as_nanosecond()).ok();
    let row = Row(
        time(summary.created)?,
        time(summary.updated)?,
        Cow::Borrowed(&summary.cwd),
        summary.git_branch.clone(),
        summary.title.clone(),
        summary.prompt.clone(),
        summary.model.clone(),
        summary.agent.clone(),
        summary.runs,
        summary.usage,
        summary.cost,
        summary.models.clone(),
        summary.compactions,
        summary.forked_from.clone(),
        summary.pinned,
        summary.outcome,
    );
    if summary.partial {
        return None;
    }
    serde_json::to_vec(&row).ok()
}

/// What an entry says of its session.
pub(crate) enum Said {
    /// It is of another directory than the one that is wanted.
    Elsewhere,
    Here(Box<Summary>),
}

impl Entry<'_> {
    pub fn read(&self, id: SessionId, cwd: Option<&str>) -> Option<Said> {
        let time = |at: i64| Timestamp::from_nanosecond(i128::from(at)).ok();
        let row: Row<'_> = serde_json::from_slice(self.row).ok()?;
        if cwd.is_some_and(|cwd| cwd != row.2) {
            return Some(Said::Elsewhere);
        }
        Some(Said::Here(Box::new(Summary {
            id,
            created: time(row.0)?,
            updated: time(row.1)?,
            cwd: row.2.into_owned(),
            git_branch: row.3,
            title: row.4,
            prompt: row.5,
            model: row.6,
            agent: row.7,
            runs: row.8,
            usage: row.9,
            cost: row.10,
            models: row.11,
            compactions: row.12,
            forked_from: row.13,
            bytes: self.length,
            pinned: row.14,
            outcome: row.15,
            partial: false,
        })))
    }
}

fn path(root: &Path) -> PathBuf {
    root.join("list")
}

/// Nothing where there is no such file.
pub(crate) fn read(root: &Path) -> Vec<u8> {
    let path = path(root);
    match fs::metadata(&path) {
        Ok(about) if about.len() <= LARGEST => fs::read(&path).unwrap_or_default(),
        _ => Vec::new(),
    }
}

impl<'a> Packed<'a> {
    pub fn parse(text: &'a [u8]) -> Self {
        let mut lines = text.split(|byte| *byte == b'\n');
        if lines.next() != Some(HEADING.as_bytes()) {
            return Self::default();
        }
        Self(lines.filter_map(entry).collect())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn get(&self, id: SessionId) -> Option<Entry<'a>> {
        self.0.get(&id).copied()
    }
}

fn entry(line: &[u8]) -> Option<(SessionId, Entry<'_>)> {
    let (id, rest) = line.split_at_checked(ID)?;
    let id = std::str::from_utf8(id).ok()?.parse().ok()?;
    let rest = rest.strip_prefix(b" ")?;
    let end = rest.iter().position(|byte| *byte == b' ')?;
    let length = std::str::from_utf8(&rest[..end]).ok()?.parse().ok()?;
    let row = &rest[end + 1..];
    Some((id, Entry { length, row }))
}

/// Writes the file anew. That it cannot be written matters to nobody.
pub(crate) fn write<'a>(root: &Path, entries: impl Iterator<Item = (SessionId, Entry<'a>)>) {
    let mut text = Vec::with_capacity(1024 * 1024);
    text.extend_from_slice(HEADING.as_bytes());
    text.push(b'\n');
    for (id, entry) in entries {
        text.extend_from_slice(format!("{id} {} ", entry.length).as_bytes());
        text.extend_from_slice(entry.row);
        text.push(b'\n');
    }
    let _ = replace(root, &text);
}

fn replace(root: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = tempfile::Builder::new()
        .prefix(".list-")
        .make_in(root, |path| {
            private_file().write(true).create_new(true).open(path)
        })?;
    file.write_all(text)?;
    file.into_temp_path()
        .persist(path(root))
        .map_err(|error| error.error)
}

/// A session was deleted: no word of it stays behind in a cache.
pub(crate) fn remove(root: &Path) {
    let _ = fs::remove_file(path(root));
}
