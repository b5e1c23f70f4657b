//! The settings of the project's own repository, which commands may not write.
//! Each gets a copy in their place; what it changed there and runs nothing is
//! taken over, and nothing else ever stands in the file itself.

use super::pointing;
use super::repository::Ground;
use super::settings::{self, Changes};
use std::path::PathBuf;
use tenon_sandbox::{Below, OwnCopy, Repair, Standing};

/// Git's own name for the lock of its settings.
const LOCK: &str = "config.lock";

/// The settings of one repository for one command.
#[derive(Debug)]
pub(super) struct SettingsCopy {
    pub(super) paths: OwnCopy,
    /// The folder that no command can replace.
    base: PathBuf,
    /// Both as they were when they were last compared.
    seen: Vec<u8>,
    file_seen: Vec<u8>,
}

/// Copies for the command of this number. Where one cannot be made, the
/// settings are just held.
pub(super) fn make(ground: &Ground<'_>, ticket: u64) -> Vec<SettingsCopy> {
    let around = pointing::around(ground.root).map(|around| around.folders);
    let folders = around.into_iter().flatten();
    let files = folders.filter_map(|folder| folder.join("config").canonicalize().ok());
    let held = files.filter(|file| ground.read_only.contains(file));
    held.filter_map(|file| copied(ground, file, ticket))
        .collect()
}

fn copied(ground: &Ground<'_>, file: PathBuf, ticket: u64) -> Option<SettingsCopy> {
    let Ok(Standing::File(bytes)) = ground.look(&file) else {
        return None;
    };
    settings::parse(&bytes)?;
    let (base, below) = ground.split(&file)?;
    let folder = format!("tenon-{}-{ticket}", std::process::id());
    let copy = Below::new(base).copy(below, &folder, &bytes).ok()?;
    let base = base.to_owned();
    Some(SettingsCopy {
        paths: OwnCopy { file, copy },
        base,
        seen: bytes.clone(),
        file_seen: bytes,
    })
}

impl SettingsCopy {
    /// Takes over what is harmless; a sentence for what is to be known.
    pub(super) fn take_over(&mut self, ground: &Ground<'_>) -> Vec<Repair> {
        let now = match ground.look(&self.paths.copy) {
            Ok(Standing::File(bytes)) if bytes == self.seen => return Vec::new(),
            Ok(Standing::File(bytes)) => bytes,
            _ => return vec![self.told("can't read what a command wrote to its copy")],
        };
        let (Some(before), Some(after)) = (settings::parse(&self.seen), settings::parse(&now))
        else {
            return vec![self.told("can't read what a command wrote to its copy")];
        };
        let changes = Changes::between(&before, &after);
        let mut told = Vec::new();
        if !changes.refused.is_empty() {
            told.push(self.told(&format!(
                "a command changed settings that let git run programs or go to another place \
                 ({}); they were not taken over",
                changes.refused.join(", ")
            )));
        }
        let redirected = changes.redirected();
        if !redirected.is_empty() {
            told.push(self.told(&format!(
                "a command changed where git fetches from or pushes to ({})",
                redirected.join(", ")
            )));
        }
        match self.write(ground, &changes, &now) {
            Ok(()) => self.seen = now,
            Err(error) => told.push(self.told(&format!(
                "can't take over what a command changed in it: {error}"
            ))),
        }
        told
    }

    /// Byte for byte where everything may stay and nobody else has written.
    fn write(&mut self, ground: &Ground<'_>, changes: &Changes, now: &[u8]) -> std::io::Result<()> {
        let file = &self.paths.file;
        let Ok(Standing::File(standing)) = ground.look(file) else {
            return Err(std::io::ErrorKind::NotFound.into());
        };
        let text =
            if changes.refused.is_empty() && standing == self.file_seen && standing == self.seen {
                now.to_vec()
            } else if changes.is_empty() {
                return Ok(());
            } else {
                let settings = settings::parse(&standing).ok_or(std::io::ErrorKind::InvalidData)?;
                settings::written(changes.applied(settings).iter()).into_bytes()
            };
        let (base, below) = ground.split(file).ok_or(std::io::ErrorKind::NotFound)?;
        Below::new(base).write_locked(below, LOCK, &text)?;
        self.file_seen = text;
        Ok(())
    }

    fn told(&self, what: &str) -> Repair {
        let file = self.paths.file.display();
        Repair::left(format!("`{file}` is protected: {what}"))
    }

    /// The command has ended.
    pub(super) fn remove(&self) {
        if let Ok(below) = self.paths.copy.strip_prefix(&self.base) {
            Below::new(&self.base).remove_copy(below);
        }
    }
}
