//! Folders that the user opens beside the project: which may be opened, and what
//! of one stays closed to commands. What is opened lasts as long as its session.

use super::{Ground, existing, git, home, machine, own, secrets, unique};
use crate::place::Place;
use std::path::{Path, PathBuf};
use tenon_config::{Resolved, SandboxSettings};
use tenon_engine::{Ambient, FolderSource, RealAmbient};
use tenon_policy::Rules;
use tenon_tools::jobs::AddedFolder;

/// Folders of the system that no work is done in as a whole.
const SYSTEM: [&str; 12] = [
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/run", "/sbin", "/sys", "/usr",
    "/var",
];
/// Of these not even a part: what is there are no files.
const NO_FILES: [&str; 3] = ["/dev", "/proc", "/sys"];
/// A folder has no more entries than this looked at.
const ENTRIES: usize = 4096;

#[derive(Debug, Clone)]
pub struct Folders {
    place: Place,
    settings: SandboxSettings,
    rules: Rules,
    session: Option<PathBuf>,
}

/// Who wrote that a folder should be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    User,
    /// A project that is trusted: it opens nothing that holds the user's secrets.
    Project,
}

impl Folders {
    pub fn of(place: &Place, resolved: &Resolved, session: Option<&Path>) -> Self {
        Self {
            place: place.clone(),
            settings: resolved.sandbox.clone(),
            rules: resolved.rules.clone(),
            session: session.map(Path::to_owned),
        }
    }

    /// # Errors
    /// Why it is not opened, as the end of a sentence.
    pub fn find(&self, written: &str, author: Author) -> Result<AddedFolder, String> {
        let ground = Ground::of(&self.place, &self.settings);
        let wanted = ground.written(written.trim());
        let shown = wanted.display();
        let path = match wanted.canonicalize() {
            Ok(path) if path.is_dir() => path,
            Ok(_) => return Err(format!("{shown} is not a folder")),
            Err(error) => return Err(format!("{shown} cannot be used: {error}")),
        };
        let shown = path.display();
        if let Some(why) = self.against(&ground, &path, author) {
            return Err(format!("{shown} {why}"));
        }
        let folder = path.to_string_lossy();
        if let Some(why) = tenon_policy::folder_denied(&self.rules, &folder, RealAmbient.now()) {
            return Err(format!("{shown} may not be opened: {why}"));
        }
        Ok(AddedFolder {
            read_only: self.read_only(&ground, &path),
            hidden: hidden(&ground, &path),
            path,
        })
    }

    fn against(&self, ground: &Ground<'_>, path: &Path, author: Author) -> Option<String> {
        let own = own::Own::of(&self.place, self.session.as_deref()).read_only();
        let homes = || ground.home.iter().chain(&ground.homes);
        let is = |folders: &[&str]| folders.iter().any(|folder| path == Path::new(folder));
        let why = if path.parent().is_none() {
            "is the whole file system"
        } else if path.starts_with(&self.place.root) {
            "is in the project already"
        } else if is(&SYSTEM) || NO_FILES.iter().any(|folder| path.starts_with(folder)) {
            "is a folder of the system"
        } else if homes().any(|home| home == path) {
            "is your home folder; add a folder in it instead"
        } else if homes().any(|home| home.starts_with(path)) {
            "holds your home folder"
        } else if own.iter().any(|own| path.starts_with(own)) {
            "belongs to Tenon itself"
        } else if own.iter().any(|own| own.starts_with(path)) {
            "holds the settings or the sessions of Tenon itself"
        } else if is_secret(ground, path) {
            "is a folder of keys and passwords"
        } else if author == Author::Project && holds_secrets(ground, path) {
            "holds keys or passwords, so a project may not open it"
        } else {
            return None;
        };
        Some(why.to_owned())
    }

    /// What steers programs there, by what there is now.
    fn read_only(&self, ground: &Ground<'_>, path: &Path) -> Vec<PathBuf> {
        let mut held = vec![path.join(".tenon")];
        held.extend(
            git::around(path)
                .iter()
                .flat_map(git::Repository::protected),
        );
        held.extend(git::steered(path));
        held.extend(ground.read_only());
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        held.extend(
            entries
                .take(ENTRIES)
                .filter(|entry| {
                    let name = entry.file_name();
                    tenon_policy::runs_later(&name.to_string_lossy()).is_some()
                })
                .map(|entry| entry.path()),
        );
        held.retain(|held| held.starts_with(path));
        unique(held)
    }
}

impl FolderSource for Folders {
    fn look(&self, written: &str) -> Result<AddedFolder, String> {
        self.find(written, Author::User)
    }
}

fn credentials(ground: &Ground<'_>) -> Vec<PathBuf> {
    let mut found = home::credentials(ground.home.as_deref(), |name| ground.variable(name));
    for home in &ground.homes {
        found.extend(home::credentials(Some(home), |_| None));
    }
    found.extend(machine::secrets());
    found
}

fn is_secret(ground: &Ground<'_>, path: &Path) -> bool {
    tenon_policy::is_secret(&path.join("_").to_string_lossy())
        || credentials(ground)
            .iter()
            .any(|held| path.starts_with(held))
}

fn holds_secrets(ground: &Ground<'_>, path: &Path) -> bool {
    !hidden(ground, path).is_empty()
}

/// Secret files that are there.
fn hidden(ground: &Ground<'_>, path: &Path) -> Vec<PathBuf> {
    let mut found = secrets::find(path).paths;
    found.extend(
        credentials(ground)
            .into_iter()
            .filter(|held| held.starts_with(path)),
    );
    found.extend(
        ground
            .all_written(&ground.settings.hidden)
            .into_iter()
            .filter(|held| held.starts_with(path)),
    );
    let shown = ground.all_written(&ground.settings.show);
    found.retain(|path| !shown.iter().any(|shown| path.starts_with(shown)));
    existing(found)
}
