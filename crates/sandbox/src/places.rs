//! The paths of the walls as they are on this disk now: links resolved, what
//! lies below what, and what no mount can hold.
//!
//! A command may have changed what lies below a writable folder before this
//! one starts, so a link in there never widens anything: a path that is to
//! become writable is not followed through it. What narrows (protected and
//! hidden paths) is followed, and the link itself is guarded.

use crate::walls::{Mode, OwnCopy, Private, SandboxPolicy};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// As many links as the kernel follows.
const MAX_LINKS: usize = 40;

/// What is done to one path below the walls, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Treatment {
    /// Stays writable but can be neither renamed nor removed: a protected or
    /// hidden path lies below it, and moving the folder would move it to where
    /// the next command's walls do not look.
    Anchored,
    Protected,
    Hidden,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Places {
    /// None lies below another; sorted.
    pub(crate) writable: Vec<PathBuf>,
    /// Existing paths, parents before what lies below them.
    pub(crate) treated: BTreeMap<PathBuf, Treatment>,
    /// Protected paths that no mount can hold: they do not exist yet, or a
    /// link leads to them. Each with the writable folder it lies below.
    pub(crate) loose: Vec<Loose>,
    /// What is only put back afterwards.
    pub(crate) guarded: Vec<Loose>,
    /// Empty, and the command's own.
    pub(crate) private: Private,
    /// Of what is protected, what a command has copies of.
    pub(crate) copies: Vec<OwnCopy>,
    /// What was asked for and cannot be had, a sentence each.
    pub(crate) notes: Vec<String>,
}

/// A path below a writable folder, by its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Loose {
    pub(crate) base: PathBuf,
    pub(crate) below: PathBuf,
}

impl Loose {
    pub(crate) fn path(&self) -> PathBuf {
        self.base.join(&self.below)
    }
}

impl Places {
    /// An error means that the command must not run.
    pub(crate) fn resolve(policy: &SandboxPolicy) -> Result<Self, String> {
        let mut places = Self::default();
        places.resolve_writable(policy)?;
        for path in &policy.hidden {
            places.hide(path)?;
        }
        for path in &policy.read_only {
            places.protect(path)?;
        }
        places.settle();
        places.guard(policy);
        places.private = crate::private::resolve(&policy.private)?;
        places.copies = policy
            .copies
            .iter()
            .filter(|own| places.treated.get(&own.file) == Some(&Treatment::Protected))
            .cloned()
            .collect();
        Ok(places)
    }

    pub(crate) fn hidden(&self) -> impl Iterator<Item = &PathBuf> {
        self.with(Treatment::Hidden)
    }

    pub(crate) fn protected(&self) -> impl Iterator<Item = &PathBuf> {
        self.with(Treatment::Protected)
    }

    fn with(&self, wanted: Treatment) -> impl Iterator<Item = &PathBuf> {
        self.treated
            .iter()
            .filter(move |(_, treatment)| **treatment == wanted)
            .map(|(path, _)| path)
    }

    /// The writable folder that a path lies in.
    pub(crate) fn writable_around(&self, path: &Path) -> Option<&PathBuf> {
        self.writable.iter().find(|root| path.starts_with(root))
    }

    /// Shortest first: what lies in a folder that commands may change is
    /// resolved when that folder is known.
    fn resolve_writable(&mut self, policy: &SandboxPolicy) -> Result<(), String> {
        let mut asked: Vec<&PathBuf> = policy.writable_roots().collect();
        asked.sort_by_key(|path| path.as_os_str().len());
        for path in asked {
            let is_root = policy.mode == Mode::WorkspaceWrite && *path == policy.root;
            match follow(path, &self.writable) {
                Ok(found) if found.parent().is_none() => {
                    return Err(String::from(
                        "sandbox.writable names the whole file system; name single folders, or \
                         set sandbox.mode to off",
                    ));
                }
                Ok(found) => {
                    if self.writable_around(&found).is_none() {
                        self.writable.push(found);
                    }
                }
                Err(Unresolved::Controlled) if !is_root => self.notes.push(format!(
                    "`{}` is a link that a command could have made, so it was not made writable",
                    path.display()
                )),
                // A cache that was never used.
                Err(Unresolved::Missing) if !is_root => {}
                Err(why) => {
                    return Err(format!(
                        "can't make the folder `{}` writable: {why}",
                        path.display()
                    ));
                }
            }
        }
        let all = self.writable.clone();
        self.writable.retain(|path| {
            !all.iter()
                .any(|other| other != path && path.starts_with(other))
        });
        self.writable.sort();
        Ok(())
    }

    fn hide(&mut self, path: &Path) -> Result<(), String> {
        match std::fs::canonicalize(path) {
            Ok(found) if found.parent().is_none() => {
                Err(String::from("sandbox.hidden names the whole file system"))
            }
            Ok(found) => {
                self.anchor(&found);
                self.treat(found, Treatment::Hidden);
                Ok(())
            }
            Err(error) => self.unreachable(path, &error),
        }
    }

    fn protect(&mut self, path: &Path) -> Result<(), String> {
        match std::fs::canonicalize(path) {
            Ok(found) => {
                if self.place_of(path).is_some_and(|own| own != found) {
                    self.loosen(path);
                }
                self.anchor(&found);
                self.treat(found, Treatment::Protected);
                Ok(())
            }
            Err(error) if is_missing(&error) => {
                self.loosen(path);
                Ok(())
            }
            Err(error) => self.unreachable(path, &error),
        }
    }

    /// What no stronger wall holds already.
    fn guard(&mut self, policy: &SandboxPolicy) {
        let held = |path: &Path| {
            let closed = self
                .treated
                .iter()
                .filter(|(_, treatment)| **treatment > Treatment::Anchored);
            closed.into_iter().any(|(other, _)| path.starts_with(other))
                || self
                    .loose
                    .iter()
                    .any(|loose| path.starts_with(loose.path()))
        };
        let guarded = policy
            .guarded
            .iter()
            .filter_map(|path| self.split(path))
            .filter(|loose| !held(&loose.path()))
            .collect();
        self.guarded = guarded;
    }

    /// Where a path is when no link below a writable folder is followed.
    fn place_of(&self, path: &Path) -> Option<PathBuf> {
        let loose = self.split(path)?;
        Some(loose.path())
    }

    fn loosen(&mut self, path: &Path) {
        if let Some(loose) = self.split(path) {
            self.loose.push(loose);
        }
    }

    /// The longest part of a path that resolves to a writable folder, and the
    /// rest. `None` when it lies in none: then it cannot be made either.
    fn split(&self, path: &Path) -> Option<Loose> {
        for ancestor in path.ancestors() {
            let Ok(found) = std::fs::canonicalize(ancestor) else {
                continue;
            };
            if let Some(base) = self.writable.iter().find(|root| **root == found) {
                return Some(Loose {
                    base: base.clone(),
                    below: path.strip_prefix(ancestor).ok()?.to_owned(),
                });
            }
        }
        None
    }

    /// A folder that cannot be entered may be opened by the command itself
    /// when it lies in a writable one; anywhere else it is closed to it too.
    fn unreachable(&self, path: &Path, error: &std::io::Error) -> Result<(), String> {
        if is_missing(error) || self.split(path).is_none() {
            return Ok(());
        }
        Err(format!(
            "can't check `{}`, which commands must not see: {error}",
            path.display()
        ))
    }

    /// Every folder between the writable one and the protected path.
    fn anchor(&mut self, path: &Path) {
        let Some(root) = self.writable_around(path).cloned() else {
            return;
        };
        let between: Vec<PathBuf> = path
            .ancestors()
            .skip(1)
            .take_while(|ancestor| *ancestor != root && ancestor.starts_with(&root))
            .map(Path::to_path_buf)
            .collect();
        for folder in between {
            self.treat(folder, Treatment::Anchored);
        }
    }

    fn treat(&mut self, path: PathBuf, treatment: Treatment) {
        let known = self.treated.entry(path).or_insert(treatment);
        *known = treatment.max(*known);
    }

    /// The stricter one wins where paths overlap.
    fn settle(&mut self) {
        let closed: Vec<(PathBuf, Treatment)> = self
            .treated
            .iter()
            .filter(|(_, treatment)| **treatment > Treatment::Anchored)
            .map(|(path, treatment)| (path.clone(), *treatment))
            .collect();
        let (writable, dropped): (Vec<_>, Vec<_>) = std::mem::take(&mut self.writable)
            .into_iter()
            .partition(|root| !closed.iter().any(|(path, _)| root.starts_with(path)));
        for root in dropped {
            self.notes.push(format!(
                "the configuration makes `{}` both writable and protected or hidden; it was not \
                 made writable",
                root.display()
            ));
        }
        self.writable = writable;
        let writable = &self.writable;
        self.treated.retain(|path, treatment| {
            let within = |stronger: Treatment| {
                closed.iter().any(|(other, its)| {
                    *its >= stronger && other != path && path.starts_with(other)
                })
            };
            match treatment {
                Treatment::Hidden => !within(Treatment::Hidden),
                // Outside the writable folders everything is read-only anyway.
                Treatment::Protected | Treatment::Anchored => {
                    !within(Treatment::Protected)
                        && writable.iter().any(|root| path.starts_with(root))
                }
            }
        });
        self.loose
            .retain(|loose| writable.iter().any(|root| loose.base.starts_with(root)));
    }
}

fn is_missing(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

#[derive(Debug, thiserror::Error)]
enum Unresolved {
    #[error("it does not exist")]
    Missing,
    #[error("it is reached through a link in a folder that commands can change")]
    Controlled,
    #[error("the path isn't absolute")]
    Relative,
    #[error("there are too many links")]
    Links,
    #[error("{0}")]
    System(std::io::Error),
}

/// Resolves links as the kernel would, but for those that lie in a folder
/// which commands may change.
fn follow(path: &Path, controlled: &[PathBuf]) -> Result<PathBuf, Unresolved> {
    if !path.is_absolute() {
        return Err(Unresolved::Relative);
    }
    let mut open: Vec<OsString> = parts(path);
    let mut found = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = open.pop() {
        if part == ".." {
            found.pop();
            continue;
        }
        let next = found.join(&part);
        let facts = std::fs::symlink_metadata(&next).map_err(|error| {
            if is_missing(&error) {
                Unresolved::Missing
            } else {
                Unresolved::System(error)
            }
        })?;
        if !facts.is_symlink() {
            found = next;
            continue;
        }
        if controlled.iter().any(|root| found.starts_with(root)) {
            return Err(Unresolved::Controlled);
        }
        links += 1;
        if links > MAX_LINKS {
            return Err(Unresolved::Links);
        }
        let target = std::fs::read_link(&next).map_err(Unresolved::System)?;
        if target.is_absolute() {
            found = PathBuf::from("/");
        }
        open.extend(parts(&target));
    }
    Ok(found)
}

/// The names of a path, last first.
fn parts(path: &Path) -> Vec<OsString> {
    path.components()
        .rev()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some(OsString::from("..")),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Places, Treatment};
    use crate::walls::{Adapter, Lacking, Limits, Mode, Network, Private, SandboxPolicy};
    use std::os::unix::fs::symlink;
    use std::path::{Path, PathBuf};

    fn policy(root: &Path) -> SandboxPolicy {
        SandboxPolicy {
            mode: Mode::WorkspaceWrite,
            network: Network::Inherit,
            adapter: Adapter::Auto,
            root: root.to_owned(),
            writable: Vec::new(),
            read_only: Vec::new(),
            guarded: Vec::new(),
            copies: Vec::new(),
            hidden: Vec::new(),
            sockets: Vec::new(),
            private: Private::default(),
            limits: Limits::default(),
            lacking: Lacking::RunPartial,
        }
    }

    struct Disk {
        _dir: tempfile::TempDir,
        top: PathBuf,
    }

    fn disk() -> Disk {
        let dir = tempfile::tempdir().unwrap();
        let top = std::fs::canonicalize(dir.path()).unwrap();
        for folder in ["root/.git/hooks", "other", "root/secret"] {
            std::fs::create_dir_all(top.join(folder)).unwrap();
        }
        Disk { _dir: dir, top }
    }

    #[test]
    fn folders_above_a_protected_path_are_anchored() {
        let disk = disk();
        let root = disk.top.join("root");
        let mut asked = policy(&root);
        asked.read_only = vec![root.join(".git/hooks")];
        let places = Places::resolve(&asked).unwrap();
        assert_eq!(
            places.treated.into_iter().collect::<Vec<_>>(),
            [
                (root.join(".git"), Treatment::Anchored),
                (root.join(".git/hooks"), Treatment::Protected)
            ]
        );
    }

    #[test]
    fn folders_above_a_hidden_path_are_anchored() {
        let disk = disk();
        let root = disk.top.join("root");
        std::fs::write(root.join("secret/.env"), "A=1").unwrap();
        let mut asked = policy(&root);
        asked.hidden = vec![root.join("secret/.env")];
        let places = Places::resolve(&asked).unwrap();
        assert_eq!(
            places.treated.into_iter().collect::<Vec<_>>(),
            [
                (root.join("secret"), Treatment::Anchored),
                (root.join("secret/.env"), Treatment::Hidden)
            ]
        );
    }

    #[test]
    fn a_link_that_a_command_can_make_never_widens_what_is_writable() {
        let disk = disk();
        let root = disk.top.join("root");
        symlink(disk.top.join("other"), root.join("cache")).unwrap();
        symlink(root.join("cache"), disk.top.join("outside")).unwrap();
        let mut asked = policy(&root);
        asked.writable = vec![root.join("cache"), disk.top.join("outside")];
        let places = Places::resolve(&asked).unwrap();
        assert_eq!(places.writable, [root]);
        assert_eq!(places.notes.len(), 2);
    }

    #[test]
    fn a_root_that_became_a_link_in_a_writable_folder_stops_the_command() {
        let disk = disk();
        symlink(disk.top.join("other"), disk.top.join("moved")).unwrap();
        let mut asked = policy(&disk.top.join("moved"));
        asked.writable = vec![disk.top.clone()];
        assert!(Places::resolve(&asked).is_err());
    }

    #[test]
    fn the_stricter_of_two_wishes_for_one_place_wins() {
        let disk = disk();
        let root = disk.top.join("root");
        let mut asked = policy(&root);
        asked.read_only = vec![root.clone()];
        let places = Places::resolve(&asked).unwrap();
        assert_eq!(places.writable, Vec::<PathBuf>::new());
        assert_eq!(places.notes.len(), 1);

        asked.read_only = vec![root.join("secret")];
        asked.hidden = vec![root.join("secret")];
        let places = Places::resolve(&asked).unwrap();
        assert_eq!(places.hidden().count(), 1);
        assert_eq!(places.protected().count(), 0);
    }

    #[test]
    fn what_does_not_exist_and_what_a_link_leads_to_is_loose() {
        let disk = disk();
        let root = disk.top.join("root");
        symlink("secret", root.join("linked")).unwrap();
        let mut asked = policy(&root);
        asked.read_only = vec![
            root.join(".tenon"),
            root.join("linked"),
            PathBuf::from("/nowhere/at/all"),
        ];
        let places = Places::resolve(&asked).unwrap();
        let loose: Vec<PathBuf> = places.loose.iter().map(super::Loose::path).collect();
        assert_eq!(loose, [root.join(".tenon"), root.join("linked")]);
        assert_eq!(
            places.treated.get(&root.join("secret")),
            Some(&Treatment::Protected)
        );
    }

    #[test]
    fn the_whole_file_system_is_no_folder_to_write() {
        assert!(Places::resolve(&policy(Path::new("/"))).is_err());
    }
}
