//! What the settings of git name in the project: a folder of hooks, more
//! settings, a program. Git runs or reads it when the user's next command
//! does, so it is protected like the settings themselves, also where it does
//! not exist yet.

use super::repository::{SETTINGS, pointed};
use super::settings::{self, Setting};
use std::path::{Path, PathBuf};
use tenon_sandbox::plain;

/// Larger settings are not looked into.
const LARGEST: u64 = 1024 * 1024;
/// Settings that name settings that name settings.
const DEPTH: usize = 4;

/// What is named in the project.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// Hooks and settings.
    pub(super) steering: Vec<PathBuf>,
    /// Programs: files of the project that git runs.
    pub(super) programs: Vec<PathBuf>,
}

/// The git folder that a root belongs to, and the folder it works in.
#[derive(Debug)]
pub(in crate::jobs) struct Around {
    pub(in crate::jobs) top: PathBuf,
    /// Its own and the common one.
    pub(in crate::jobs) folders: Vec<PathBuf>,
}

pub(in crate::jobs) fn around(root: &Path) -> Option<Around> {
    let top = root
        .ancestors()
        .find(|folder| folder.join(".git").symlink_metadata().is_ok())?;
    let entry = top.join(".git");
    let mut folders = Vec::new();
    if entry.is_dir() {
        folders.push(entry);
    } else {
        let bytes = read(&entry)?;
        let own = top.join(pointed(&bytes, "gitdir:")?).canonicalize().ok()?;
        let common = read(&own.join("commondir"))
            .and_then(|bytes| own.join(pointed(&bytes, "")?).canonicalize().ok());
        folders.push(own);
        folders.extend(common);
    }
    Some(Around {
        top: top.to_owned(),
        folders,
    })
}

impl Around {
    /// Whether a git folder elsewhere says that it works here, too: any archive
    /// can bring a `.git` that points to the repository of somebody else.
    pub(in crate::jobs) fn is_meant(&self) -> bool {
        let Some(own) = self.folders.first() else {
            return false;
        };
        let entry = self.top.join(".git");
        let back = read(&own.join("gitdir"));
        let back = back.as_deref().and_then(|bytes| pointed(bytes, ""));
        if back.is_some_and(|back| own.join(back) == entry) {
            return true;
        }
        let settings = read(&own.join("config")).and_then(|bytes| settings::parse(&bytes));
        settings.into_iter().flatten().any(|setting| {
            let works = own.join(setting.value());
            setting.kind() == "core.worktree"
                && works.canonicalize().is_ok_and(|top| top == self.top)
        })
    }
}

/// What all settings that hold in this root name inside of it.
pub(super) fn named(root: &Path, home: Option<&Path>, of_user: &[PathBuf]) -> Named {
    let mut reader = Reader {
        root,
        top: root.to_owned(),
        home,
        named: Named::default(),
    };
    if let Some(around) = around(root) {
        reader.top = around.top;
        for folder in &around.folders {
            for file in SETTINGS.map(|name| folder.join(name)) {
                reader.file(&file, DEPTH);
            }
        }
    }
    for file in of_user {
        reader.file(file, DEPTH);
    }
    reader.named
}

struct Reader<'a> {
    root: &'a Path,
    /// Where the working tree begins.
    top: PathBuf,
    home: Option<&'a Path>,
    named: Named,
}

impl Reader<'_> {
    fn file(&mut self, file: &Path, depth: usize) {
        let Some(settings) = read(file).and_then(|bytes| settings::parse(&bytes)) else {
            return;
        };
        for setting in settings {
            self.setting(file, &setting, depth);
        }
    }

    fn setting(&mut self, file: &Path, setting: &Setting, depth: usize) {
        const PROGRAMS: [&str; 12] = [
            "core.editor",
            "core.fsmonitor",
            "core.gitproxy",
            "core.pager",
            "core.sshcommand",
            "credential.helper",
            "diff.*.command",
            "diff.*.textconv",
            "filter.*.clean",
            "filter.*.process",
            "filter.*.smudge",
            "merge.*.driver",
        ];
        let kind = setting.kind();
        match kind.as_str() {
            "core.hookspath" => {
                let path = self.meant(&self.top, setting.value());
                self.named.steering.extend(self.inside(path));
            }
            "include.path" | "includeif.*.path" if depth > 0 => {
                let folder = file.parent().unwrap_or(&self.top);
                let path = self.meant(folder, setting.value());
                self.named.steering.extend(self.inside(path.clone()));
                self.file(&path, depth - 1);
            }
            kind if PROGRAMS.contains(&kind) => {
                let words = setting.value().trim_start_matches('!');
                let word = words.split_whitespace().next().unwrap_or_default();
                if word.contains('/') {
                    let path = self.meant(&self.top, word);
                    let path = self.inside(path).filter(|path| path.is_file());
                    self.named.programs.extend(path);
                }
            }
            _ => {}
        }
    }

    fn meant(&self, folder: &Path, value: &str) -> PathBuf {
        match (value.strip_prefix("~/"), self.home) {
            (Some(below), Some(home)) => plain(&home.join(below)),
            _ => plain(&folder.join(value)),
        }
    }

    /// Of the root itself nothing would be left.
    fn inside(&self, path: PathBuf) -> Option<PathBuf> {
        (path != self.root && path.starts_with(self.root)).then_some(path)
    }
}

/// Settings that are larger are none: half of them would say something else.
fn read(file: &Path) -> Option<Vec<u8>> {
    let bytes = tenon_files::read(file, LARGEST + 1).ok()?;
    (bytes.len() as u64 <= LARGEST).then_some(bytes)
}
