//! Contents laid aside for as long as a session is open: what files held before
//! a command that may change them. One file without a name, so that nothing is
//! left whatever way the program ends. What was really changed goes to the
//! blobs; this is no store.

use crate::pack::{pack, unpack};
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::{FileExt as _, PermissionsExt as _};
use std::path::Path;

#[derive(Debug)]
pub struct Aside {
    file: File,
    end: u64,
}

/// Where one content lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AsideRef {
    offset: u64,
    stored: u64,
    bytes: u64,
}

impl AsideRef {
    /// Of the content itself.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Of the disk.
    #[must_use]
    pub fn stored(&self) -> u64 {
        self.stored
    }
}

impl Aside {
    pub(crate) fn in_folder(folder: &Path) -> io::Result<Self> {
        let file = tempfile::tempfile_in(folder)?;
        // Without a name it can still be reached through the process.
        file.set_permissions(Permissions::from_mode(0o600))?;
        Ok(Self { file, end: 0 })
    }

    /// How much of the disk it takes.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.end
    }

    /// # Errors
    /// When the disk does not take it.
    pub fn put(&mut self, content: &[u8]) -> io::Result<AsideRef> {
        let packed = pack(content);
        let bytes = packed.as_deref().unwrap_or(content);
        self.file.write_all_at(bytes, self.end)?;
        let place = AsideRef {
            offset: self.end,
            stored: bytes.len() as u64,
            bytes: content.len() as u64,
        };
        self.end += place.stored;
        Ok(place)
    }

    /// # Errors
    /// When the disk does not give it back.
    pub fn get(&self, place: AsideRef) -> io::Result<Vec<u8>> {
        let length = usize::try_from(place.stored).map_err(io::Error::other)?;
        let mut bytes = vec![0; length];
        self.file.read_exact_at(&mut bytes, place.offset)?;
        if place.stored == place.bytes {
            return Ok(bytes);
        }
        unpack(&bytes, place.bytes).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_else_may_read_what_is_laid_aside() {
        let folder = tempfile::tempdir().unwrap();
        let aside = Aside::in_folder(folder.path()).unwrap();
        let mode = aside.file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
