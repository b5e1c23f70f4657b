//! What steers git in a repository that a command has made or changed: its
//! settings, its hooks, and what leads git elsewhere. What a plain `git init`
//! or `clone` makes stays; all else is taken out, and the whole is kept beside
//! it under a name that git does not read.

use super::settings::{self, Setting};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use tenon_sandbox::{Below, Repair, Standing};

/// Git folders that are looked at for one command, and folders in each.
const MOST: usize = 64;
/// How deep the name of a submodule may be.
const DEPTH: usize = 3;

/// Files with settings.
pub(super) const SETTINGS: [&str; 2] = ["config", "config.worktree"];

/// The settings of each git folder before a command, by the path of their file.
pub(super) type Before = BTreeMap<PathBuf, Vec<Setting>>;

/// Where a command can have made something.
#[derive(Debug)]
pub(super) struct Ground<'a> {
    pub(super) root: &'a Path,
    /// The root and whatever else commands may write.
    pub(super) writable: Vec<&'a Path>,
    /// What is held anyway.
    pub(super) read_only: &'a [PathBuf],
    /// What is left alone: somebody named it.
    pub(super) open: Vec<PathBuf>,
}

impl Ground<'_> {
    /// The folder that no command can replace, and the rest of the way.
    pub(super) fn split<'p>(&self, path: &'p Path) -> Option<(&Path, &'p Path)> {
        let around = self.writable.iter().filter_map(|base| {
            let below = path.strip_prefix(base).ok()?;
            Some((*base, below))
        });
        around.min_by_key(|(_, below)| below.components().count())
    }

    pub(super) fn look(&self, path: &Path) -> io::Result<Standing> {
        match self.split(path) {
            Some((base, below)) => Below::new(base).look(below),
            None => Ok(Standing::Nothing),
        }
    }

    pub(super) fn is_held(&self, path: &Path) -> bool {
        self.read_only.iter().any(|held| path.starts_with(held)) || is_named(&self.open, path)
    }

    /// All git folders that an entry stands for: its own, that of its common
    /// parts, those of its submodules.
    pub(super) fn folders(&self, entry: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let start = match self.look(entry) {
            Ok(Standing::Folder(_)) => Some(entry.to_owned()),
            Ok(Standing::File(bytes)) => pointed(&bytes, "gitdir:")
                .and_then(|target| resolved(entry.parent()?, target))
                .filter(|target| self.split(target).is_some()),
            _ => None,
        };
        if let Some(start) = start {
            self.add(&start, &mut found);
        }
        found
    }

    fn add(&self, folder: &Path, found: &mut Vec<PathBuf>) {
        if found.len() >= MOST || found.iter().any(|known| known == folder) {
            return;
        }
        found.push(folder.to_owned());
        if let Ok(Standing::File(bytes)) = self.look(&folder.join("commondir"))
            && let Some(common) = pointed(&bytes, "").and_then(|path| resolved(folder, path))
            && self.split(&common).is_some()
        {
            self.add(&common, found);
        }
        let mut open = vec![(folder.join("modules"), DEPTH)];
        while let Some((above, depth)) = open.pop() {
            let Ok(Standing::Folder(names)) = self.look(&above) else {
                continue;
            };
            for name in names.into_iter().take(MOST) {
                let inner = above.join(name);
                match self.look(&inner.join("HEAD")) {
                    Ok(Standing::Nothing) if depth > 1 => open.push((inner, depth - 1)),
                    Ok(Standing::Nothing) | Err(_) => {}
                    Ok(_) => self.add(&inner, found),
                }
            }
        }
        if let Ok(Standing::Folder(names)) = self.look(&folder.join("worktrees")) {
            for name in names.into_iter().take(MOST) {
                let inner = folder.join("worktrees").join(name);
                if found.len() < MOST {
                    found.push(inner);
                }
            }
        }
    }

    /// The settings in these folders, as far as they are not held.
    pub(super) fn settings(&self, folders: &[PathBuf]) -> Before {
        let files = folders
            .iter()
            .flat_map(|folder| SETTINGS.map(|name| folder.join(name)))
            .filter(|file| !self.is_held(file));
        files
            .filter_map(|file| match self.look(&file) {
                Ok(Standing::File(bytes)) => Some((file, settings::parse(&bytes)?)),
                _ => None,
            })
            .collect()
    }
}

/// Whether somebody named a part of a git folder, or something around it that is
/// one. A folder of the project is no such name.
pub(super) fn is_named(open: &[PathBuf], path: &Path) -> bool {
    let is_git = |asked: &Path| asked.iter().any(|part| part == ".git");
    open.iter()
        .any(|asked| asked == path || (is_git(asked) && path.starts_with(asked)))
}

/// Judges what a command left, and takes out what must not be there.
#[derive(Debug)]
pub(super) struct Judge<'a> {
    pub(super) ground: &'a Ground<'a>,
    pub(super) before: &'a Before,
    /// Git folders that were there before the command.
    pub(super) known: &'a [PathBuf],
    pub(super) told: Vec<Repair>,
}

impl Judge<'_> {
    /// A repository that is new.
    pub(super) fn entry(&mut self, entry: &Path) {
        match self.ground.look(entry) {
            Ok(Standing::Nothing) => {}
            Ok(Standing::Folder(_)) => self.folder(entry),
            Ok(Standing::File(bytes)) => self.pointer(entry, &bytes),
            Ok(Standing::Other) => self.set_aside(entry, "leads git to another place"),
            Err(error) => self.could_not(entry, &error),
        }
        for folder in self.ground.folders(entry) {
            self.folder(&folder);
        }
    }

    /// Settings that were there before, and may have been changed.
    pub(super) fn settings_again(&mut self) {
        let before = self.before;
        for file in before.keys() {
            self.settings(file);
        }
        let known = self.known;
        for folder in known {
            for file in SETTINGS.map(|name| folder.join(name)) {
                if !before.contains_key(&file) {
                    self.settings(&file);
                }
            }
        }
    }

    /// A `.git` file is believed where it names a folder that no command made,
    /// or one that is looked at here.
    fn pointer(&mut self, entry: &Path, bytes: &[u8]) {
        let Some(above) = entry.parent() else {
            return;
        };
        let Some(target) = pointed(bytes, "gitdir:") else {
            return;
        };
        match resolved(above, target) {
            Some(target) if self.ground.split(&target).is_none() => {}
            Some(target) if target.starts_with(self.ground.root) => self.folder(&target),
            // A working tree of a repository that was there.
            Some(target) if self.known.iter().any(|known| target.starts_with(known)) => {
                self.folder(&target);
            }
            _ => self.set_aside(entry, "leads git to a folder that commands can change"),
        }
    }

    fn folder(&mut self, folder: &Path) {
        if self.known.iter().any(|known| known == folder) {
            return;
        }
        for name in SETTINGS {
            self.settings(&folder.join(name));
        }
        let hooks = folder.join("hooks");
        match self.ground.look(&hooks) {
            Ok(Standing::Folder(names)) if !self.ground.is_held(&hooks) => {
                for name in names {
                    if !is_no_hook(&name.to_string_lossy()) {
                        self.set_aside(&hooks.join(name), "is a hook, which git runs");
                    }
                }
            }
            Ok(Standing::Other | Standing::File(_)) if !self.ground.is_held(&hooks) => {
                self.set_aside(&hooks, "is where git looks for hooks");
            }
            _ => {}
        }
        let common = folder.join("commondir");
        if let Ok(Standing::File(bytes)) = self.ground.look(&common)
            && !self.ground.is_held(&common)
        {
            let target = pointed(&bytes, "").and_then(|path| resolved(folder, path));
            let is_safe = target.is_some_and(|target| {
                self.ground.split(&target).is_none()
                    || target.starts_with(self.ground.root)
                    || self.known.contains(&target)
            });
            if !is_safe {
                self.set_aside(&common, "leads git to a folder that commands can change");
            }
        }
    }

    fn settings(&mut self, file: &Path) {
        if self.ground.is_held(file) {
            return;
        }
        let bytes = match self.ground.look(file) {
            Ok(Standing::File(bytes)) => bytes,
            Ok(Standing::Nothing) | Err(_) => return,
            Ok(_) => return self.set_aside(file, "is where git looks for settings"),
        };
        let Some(found) = settings::parse(&bytes) else {
            return self.set_aside(file, "has settings that can't be read");
        };
        let nothing = Vec::new();
        let before = self.before.get(file).unwrap_or(&nothing);
        let (kept, out): (Vec<Setting>, Vec<Setting>) = found
            .into_iter()
            .partition(|setting| before.contains(setting) || self.is_harmless(file, setting));
        if out.is_empty() {
            return;
        }
        let mut kinds: Vec<String> = out.iter().map(Setting::kind).collect();
        kinds.dedup();
        let text = settings::written(kept.iter());
        let Some((base, below)) = self.ground.split(file) else {
            return;
        };
        match Below::new(base).replace(below, text.into_bytes()) {
            Ok(aside) => {
                let aside = aside.unwrap_or_default();
                self.told.push(Repair::undone(format!(
                    "`{}` is protected: a command added settings that let git run programs or go \
                     to another place ({}). They were removed; the file as the command left it \
                     is `{}`",
                    file.display(),
                    kinds.join(", "),
                    aside.display()
                )));
            }
            Err(error) => self.could_not(file, &error),
        }
    }

    /// Where the working tree lies is harmless inside the project.
    fn is_harmless(&self, file: &Path, setting: &Setting) -> bool {
        if setting.kind() != "core.worktree" {
            return setting.is_harmless();
        }
        let target = file
            .parent()
            .and_then(|folder| resolved(folder, setting.value()));
        target.is_some_and(|target| target.starts_with(self.ground.root))
    }

    pub(super) fn set_aside(&mut self, path: &Path, why: &str) {
        let Some((base, below)) = self.ground.split(path) else {
            return;
        };
        match Below::new(base).set_aside(below) {
            Ok(Some(aside)) => self.told.push(Repair::undone(format!(
                "`{}` is protected ({why}): a command created it, and it was moved to `{}`",
                path.display(),
                aside.display()
            ))),
            Ok(None) => {}
            Err(error) => self.could_not(path, &error),
        }
    }

    /// A `.gitmodules` that is new or was changed.
    pub(super) fn modules(&mut self, file: &Path) {
        let Ok(Standing::File(bytes)) = self.ground.look(file) else {
            return self.set_aside(file, "is where git looks for submodules");
        };
        let is_safe = settings::parse(&bytes)
            .is_some_and(|settings| !settings.iter().any(settings::is_harmful_module));
        if !is_safe {
            self.set_aside(file, "makes git run a program for a submodule");
        }
    }

    fn could_not(&mut self, path: &Path, error: &io::Error) {
        self.told.push(Repair::left(format!(
            "`{}` is protected, but it could not be checked: {error}",
            path.display()
        )));
    }
}

/// Examples, and what was set aside before.
fn is_no_hook(name: &str) -> bool {
    Path::new(name)
        .extension()
        .is_some_and(|end| end == "sample")
        || name.contains(".set-aside-")
        || matches!(name, "README" | "README.md" | ".gitkeep")
}

/// The path in a file that names one.
pub(super) fn pointed<'a>(bytes: &'a [u8], word: &str) -> Option<&'a str> {
    let text = std::str::from_utf8(bytes).ok()?;
    Some(text.strip_prefix(word)?.trim())
}

/// Where a path leads, if anywhere.
fn resolved(folder: &Path, path: &str) -> Option<PathBuf> {
    folder.join(path).canonicalize().ok()
}
