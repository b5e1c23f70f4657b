//! Follows links, as text, to the place that a path means; decides whether
//! that place may be touched. What comes out is a proposal without links:
//! [`super::beneath`] opens it, and refuses it when it has changed meanwhile.

use super::beneath::{self, LOOK};
use super::error::{Doing, OtherKind, WorkspaceError};
use super::path::{self, Lexical};
use super::{External, Workspace, near};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{FileType, Stat, fstat};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use tenon_policy::{Access, PathFact, Place as Standing};

const MAX_LINKS: usize = 40;

/// Whether a link was followed on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    None,
    Followed,
}

/// A path with all its links followed, as far as it exists.
pub(super) struct Canonical {
    pub(super) path: PathBuf,
    pub(super) links: Links,
    pub(super) exists: bool,
}

/// A place that may be touched, free of links when it was looked at.
pub(super) struct Place {
    door: Arc<OwnedFd>,
    /// Beneath the door.
    pub(super) relative: PathBuf,
    /// Relative to the root where it is in the project, else absolute.
    pub(super) shown: String,
    pub(super) absolute: PathBuf,
    pub(super) links: Links,
    pub(super) found: Option<Stat>,
}

impl Place {
    pub(super) fn door(&self) -> BorrowedFd<'_> {
        self.door.as_fd()
    }

    pub(super) fn not_a_file(&self, stat: &Stat) -> WorkspaceError {
        WorkspaceError::NotAFile {
            path: self.shown.clone(),
            kind: other_kind(stat),
        }
    }
}

pub(super) fn file_type(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

pub(super) fn other_kind(stat: &Stat) -> OtherKind {
    match file_type(stat) {
        FileType::Directory => OtherKind::Folder,
        FileType::Symlink => OtherKind::Link,
        FileType::Fifo => OtherKind::Fifo,
        FileType::Socket => OtherKind::Socket,
        FileType::CharacterDevice | FileType::BlockDevice => OtherKind::Device,
        _ => OtherKind::Unknown,
    }
}

/// Follows every link of an absolute path. Names that do not exist are kept
/// as they are.
pub(super) fn canonical(absolute: &Path) -> io::Result<Canonical> {
    let mut rest: VecDeque<OsString> = names(absolute);
    let mut path = PathBuf::from("/");
    let mut links = 0;
    let mut exists = true;
    while let Some(name) = rest.pop_front() {
        if name == ".." {
            path.pop();
            continue;
        }
        path.push(&name);
        if !exists {
            continue;
        }
        match std::fs::symlink_metadata(&path) {
            Ok(found) if found.file_type().is_symlink() => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(Errno::LOOP.into());
                }
                let target = std::fs::read_link(&path)?;
                path.pop();
                if target.is_absolute() {
                    path = PathBuf::from("/");
                }
                for name in names(&target).into_iter().rev() {
                    rest.push_front(name);
                }
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
            Err(_) => exists = false,
        }
    }
    let links = if links == 0 {
        Links::None
    } else {
        Links::Followed
    };
    Ok(Canonical {
        path,
        links,
        exists,
    })
}

fn names(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_os_string()),
            Component::ParentDir => Some(OsString::from("..")),
            _ => None,
        })
        .collect()
}

impl Workspace {
    /// Finds the place that a path means, or says why it may not be touched.
    pub(super) fn place(&self, text: &str, access: Access) -> Result<Place, WorkspaceError> {
        let lexical = self.lexical(text)?;
        let absolute = match &lexical {
            // Most paths have no links: one call settles it.
            Lexical::Inside(relative) => match self.look(&self.shared.root, relative) {
                Ok(stat) => return Ok(self.inside(relative, Links::None, Some(stat))),
                Err(_) => self.shared.names.canonical.join(relative),
            },
            Lexical::Outside(absolute) => absolute.clone(),
        };
        let canonical =
            canonical(&absolute).map_err(|e| WorkspaceError::io(Doing::Resolving, text, e))?;
        if let Ok(relative) = canonical.path.strip_prefix(&self.shared.names.canonical) {
            let found = self.look(&self.shared.root, relative).ok();
            return Ok(self.inside(relative, canonical.links, found));
        }
        if let Some((door, relative)) = self.added_root_of(&canonical.path) {
            return Ok(Place {
                found: self.look(&door, &relative).ok(),
                door,
                relative,
                shown: canonical.path.to_string_lossy().into_owned(),
                links: canonical.links,
                absolute: canonical.path,
            });
        }
        self.permit(text, &canonical.path, access)?;
        let door = beneath::open_root(Path::new("/"))
            .map_err(|e| WorkspaceError::io(Doing::Resolving, "/", e))?;
        let door = Arc::new(door);
        let relative = canonical.path.strip_prefix("/").unwrap_or(&canonical.path);
        Ok(Place {
            found: self.look(&door, relative).ok(),
            door,
            relative: relative.to_path_buf(),
            shown: canonical.path.to_string_lossy().into_owned(),
            links: canonical.links,
            absolute: canonical.path,
        })
    }

    fn inside(&self, relative: &Path, links: Links, found: Option<Stat>) -> Place {
        let root = &self.shared.names.canonical;
        Place {
            door: Arc::clone(&self.shared.root),
            relative: relative.to_path_buf(),
            shown: path::shown(relative),
            // Joining nothing would add a slash.
            absolute: if relative.as_os_str().is_empty() {
                root.clone()
            } else {
                root.join(relative)
            },
            links,
            found,
        }
    }

    fn look(&self, door: &OwnedFd, relative: &Path) -> Result<Stat, Errno> {
        let handle = beneath::open(self.resolution, door.as_fd(), relative, LOOK)?;
        fstat(&handle)
    }

    fn permit(&self, text: &str, target: &Path, access: Access) -> Result<(), WorkspaceError> {
        let readable = access == Access::Read && self.is_extra_read(target);
        let admitted = self.admitted.iter().any(|open| target.starts_with(open));
        if readable || admitted || self.shared.external == External::Allow {
            return Ok(());
        }
        Err(WorkspaceError::Outside {
            path: text.to_owned(),
            target: target.to_string_lossy().into_owned(),
            root: self.shared.names.canonical.to_string_lossy().into_owned(),
            access,
        })
    }

    fn is_extra_read(&self, target: &Path) -> bool {
        self.shared
            .extra_read
            .iter()
            .any(|folder| target.starts_with(folder))
    }

    /// What is known of a path before a call uses it. Looks only. The path in
    /// the fact is the one with links followed, so a rule on `.env` also holds
    /// for a link to it.
    ///
    /// A folder that is readable although outside counts as inside for reading.
    /// A text that can never be a path counts as an existing one inside: no
    /// call gets past [`Self::read`] or [`Self::write`] with it.
    #[must_use]
    pub fn observe(&self, text: &str, access: Access) -> PathFact {
        let fact = |path: String, exists, inside, links, place| PathFact {
            path,
            access,
            exists,
            inside,
            symlink: links == Links::Followed,
            place,
        };
        let absolute = match self.lexical(text) {
            Err(_) => return fact(text.to_owned(), true, true, Links::None, Standing::Ordinary),
            Ok(Lexical::Inside(relative)) => {
                let absolute = self.shared.names.canonical.join(&relative);
                if let Ok(stat) = self.look(&self.shared.root, &relative) {
                    let place = self.standing(&absolute, Some(file_type(&stat)));
                    return fact(path::shown(&relative), true, true, Links::None, place);
                }
                absolute
            }
            Ok(Lexical::Outside(absolute)) => absolute,
        };
        let Ok(canonical) = canonical(&absolute) else {
            let shown = absolute.to_string_lossy().into_owned();
            return fact(shown, true, false, Links::Followed, Standing::Ordinary);
        };
        let kind = rustix::fs::lstat(&canonical.path)
            .ok()
            .map(|stat| file_type(&stat));
        let place = self.standing(&canonical.path, kind);
        let (shown, inside) = match canonical.path.strip_prefix(&self.shared.names.canonical) {
            Ok(relative) => (path::shown(relative), true),
            Err(_) => (
                canonical.path.to_string_lossy().into_owned(),
                self.added_root_of(&canonical.path).is_some()
                    || access == Access::Read && self.is_extra_read(&canonical.path),
            ),
        };
        fact(shown, canonical.exists, inside, canonical.links, place)
    }

    /// What makes a place special, by its path with links followed. Of two
    /// truths the worse is told: a home that is also the root is the home. A
    /// folder that the home lies in counts as one above the root, which would
    /// be lost with it just the same.
    fn standing(&self, absolute: &Path, kind: Option<FileType>) -> Standing {
        let root = &self.shared.names.canonical;
        let home = self.shared.home.as_deref();
        // A joined empty path ends with a slash, which comparing ignores.
        if absolute == Path::new("/") {
            Standing::FileSystemRoot
        } else if home == Some(absolute) {
            Standing::Home
        } else if absolute == root {
            Standing::Root
        } else if root.starts_with(absolute) || home.is_some_and(|home| home.starts_with(absolute))
        {
            Standing::AboveRoot
        } else if kind == Some(FileType::BlockDevice) {
            Standing::Device
        } else if absolute.starts_with(root) {
            Standing::Ordinary
        } else if self.is_added_root(absolute) {
            Standing::AddedRoot
        } else if self.added_root_of(absolute).is_some() {
            Standing::Added
        } else {
            Standing::Ordinary
        }
    }

    /// The name by which a path was called, where it is not that of the file
    /// it led to: a link stands on the way, and a person must see both.
    #[must_use]
    pub fn alias(&self, text: &str, real: &str) -> Option<String> {
        let called = match self.lexical(text).ok()? {
            Lexical::Inside(relative) => path::shown(&relative),
            Lexical::Outside(absolute) => absolute.to_string_lossy().into_owned(),
        };
        (called != real).then_some(called)
    }

    /// An existing folder, absolute, for the working directory of a process.
    ///
    /// # Errors
    /// When it is outside, missing, or not a folder.
    pub fn resolve_dir(&self, text: &str) -> Result<PathBuf, WorkspaceError> {
        // Asked as for writing: a folder that is only readable is no place to
        // run commands in.
        let place = self.place(text, Access::Write)?;
        match &place.found {
            Some(stat) if file_type(stat) == FileType::Directory => Ok(place.absolute),
            Some(_) => Err(WorkspaceError::NotAFolder { path: place.shown }),
            None => Err(self.not_found(&place)),
        }
    }

    pub(super) fn not_found(&self, place: &Place) -> WorkspaceError {
        WorkspaceError::NotFound {
            path: place.shown.clone(),
            near: near::names(self, place),
        }
    }
}
