//! The texts of files that are looked at again and again: read only when
//! something about the file has changed.

use std::collections::HashMap;
use std::fs::Metadata;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tenon_engine::prompt::FragmentKind;

/// What a file looks like without being read.
type Stamp = (u64, u64, (i64, i64), (i64, i64));

#[derive(Debug, Default)]
pub(super) struct Cache(HashMap<PathBuf, (Stamp, String, u64)>);

impl Cache {
    /// The text up to the cap, and the size of the file.
    pub(super) fn text(&mut self, path: &Path) -> io::Result<(String, u64)> {
        let now = stamp(&path.metadata()?);
        if let Some((seen, text, size)) = self.0.get(path)
            && *seen == now
        {
            return Ok((text.clone(), *size));
        }
        let file = tenon_files::open(path)?;
        let about = file.metadata()?;
        let mut bytes = Vec::new();
        let cap = FragmentKind::Rules.cap() as u64;
        file.take(cap).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let entry = (stamp(&about), text.clone(), about.len());
        self.0.insert(path.to_owned(), entry);
        Ok((text, about.len()))
    }
}

fn stamp(about: &Metadata) -> Stamp {
    (
        about.ino(),
        about.len(),
        (about.mtime(), about.mtime_nsec()),
        (about.ctime(), about.ctime_nsec()),
    )
}
