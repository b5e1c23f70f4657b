//! The summaries of all sessions in one file, `sessions/list`, for homes with so
//! many that opening each digest costs more than all the rest of a list. A cache
//! of caches: an entry holds for a log that stands exactly as it stood then, what
//! is missing is read from its own digest, and whoever lists writes the file
//! anew, whole and under a name of its own first, so that twenty may do so at
//! once.
//!
//! Not for people, and of one program version only: numbers and texts in a row,
//! because reading thousands of them as JSON takes longer than all the rest.

mod row;

pub(crate) use row::row;

use crate::Summary;
use crate::place::private_file;
use crate::stamp::Stamp;
use row::Reader;
use rustix::fs::fstat;
use std::fs::{self, File};
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;
use tempfile::NamedTempFile;
use tenon_vocab::SessionId;

/// Another version may mean other figures by the same places.
const HEADING: &[u8] = concat!("tenon sessions ", env!("CARGO_PKG_VERSION"), " 2\n").as_bytes();
/// A file that is larger was not written by us.
const LARGEST: u64 = 256 * 1024 * 1024;

/// What is in the file, by id, not yet read as summaries.
#[derive(Debug, Default)]
pub(crate) struct Packed<'a>(Vec<([u8; 16], Entry<'a>)>);

#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'a> {
    /// The log for which this holds.
    pub stamp: Stamp,
    /// As [`row`] wrote it.
    pub row: &'a [u8],
}

/// What an entry says of its session.
#[expect(
    clippy::large_enum_variant,
    reason = "lives for a moment, and a box for each of thousands costs more"
)]
pub(crate) enum Said {
    /// It is of another directory than the one that is wanted.
    Elsewhere,
    Here(Summary),
}

impl Entry<'_> {
    pub fn read(&self, id: SessionId, cwd: Option<&str>) -> Option<Said> {
        row::read(self.row, id, self.stamp.length, cwd)
    }
}

fn path(root: &Path) -> PathBuf {
    root.join("list")
}

/// Nothing where there is no such file.
pub(crate) fn read(root: &Path) -> Vec<u8> {
    let path = path(root);
    let mut bytes = Vec::new();
    if let Ok(file) = tenon_files::open(&path)
        && file.metadata().is_ok_and(|about| about.len() <= LARGEST)
        && file.take(LARGEST).read_to_end(&mut bytes).is_err()
    {
        bytes.clear();
    }
    bytes
}

impl<'a> Packed<'a> {
    pub fn parse(bytes: &'a [u8]) -> Self {
        Self::whole(bytes).unwrap_or_default()
    }

    fn whole(bytes: &'a [u8]) -> Option<Self> {
        let (sum, rest) = bytes.strip_prefix(HEADING)?.split_first_chunk()?;
        if u64::from_le_bytes(*sum) != checksum(rest) {
            return None;
        }
        let mut reader = Reader(rest);
        let mut entries = Vec::with_capacity(rest.len() / 256);
        while !reader.0.is_empty() {
            entries.push(entry(&mut reader)?);
        }
        let sorted = entries.is_sorted_by_key(|(id, _)| *id);
        sorted.then_some(Self(entries))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn get(&self, id: SessionId) -> Option<Entry<'a>> {
        let id = id.0.as_bytes();
        let at = self.0.binary_search_by_key(id, |(id, _)| *id).ok()?;
        self.0.get(at).map(|(_, entry)| *entry)
    }
}

fn entry<'a>(reader: &mut Reader<'a>) -> Option<([u8; 16], Entry<'a>)> {
    let id = reader.exactly()?;
    let stamp = Stamp {
        length: reader.number()?,
        inode: reader.number()?,
        modified: reader.time()?,
        changed: reader.time()?,
    };
    let row = reader.bytes()?;
    Some((id, Entry { stamp, row }))
}

/// Against damage, not against anybody.
fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let mix = |sum: u64, word: &[u8; 8]| {
        (sum.rotate_left(5) ^ u64::from_le_bytes(*word)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    };
    let sum = words.iter().fold(bytes.len() as u64, mix);
    mix(sum, &last)
}

/// Writes the file anew. That it cannot be written matters to nobody. A log that
/// was changed so shortly before `begun` that another change would not show is
/// left out.
pub(crate) fn write<'a>(
    root: &Path,
    begun: Instant,
    entries: impl Iterator<Item = (SessionId, Entry<'a>)>,
) {
    let _ = replace(root, begun, entries);
}

fn replace<'a>(
    root: &Path,
    begun: Instant,
    entries: impl Iterator<Item = (SessionId, Entry<'a>)>,
) -> io::Result<()> {
    let mut file = tempfile::Builder::new()
        .prefix(".list-")
        .make_in(root, |path| {
            tenon_files::open_with(private_file().write(true).create_new(true), path)
        })?;
    let moment = clock(&file)?.saturating_sub_unsigned(nanoseconds(begun));
    let mut entries: Vec<_> = entries
        .filter(|(_, entry)| entry.stamp.is_settled(moment))
        .collect();
    entries.sort_unstable_by_key(|(id, _)| *id);
    let mut body = Vec::with_capacity(entries.len() * 512);
    for (id, Entry { stamp, row }) in entries {
        row::put_id(&mut body, id);
        row::put(&mut body, stamp.length);
        row::put(&mut body, stamp.inode);
        row::put_time(&mut body, stamp.modified);
        row::put_time(&mut body, stamp.changed);
        row::put_bytes(&mut body, row);
    }
    file.write_all(HEADING)?;
    file.write_all(&checksum(&body).to_le_bytes())?;
    file.write_all(&body)?;
    file.into_temp_path()
        .persist(path(root))
        .map_err(|error| error.error)
}

/// What time the file system of a file has that was made just now: on a network
/// it is not ours.
fn clock(file: &NamedTempFile<File>) -> io::Result<i64> {
    Ok(Stamp::of(&fstat(file.as_file())?).changed)
}

fn nanoseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// A session was deleted: no word of it stays behind in a cache.
pub(crate) fn remove(root: &Path) {
    let _ = fs::remove_file(path(root));
}
