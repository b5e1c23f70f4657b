//! Walks the tree as a person would see it: what `.gitignore` names is left
//! out (also where there is no repository), hidden files are not, `.git` and
//! `node_modules` always are. Links are listed and never followed.
//!
//! The walk goes by path, so a folder that is swapped for a link while it runs
//! may show names from elsewhere; content is always opened through a handle
//! ([`Walk::open`]), which refuses that.

use super::beneath::{self, CONTENT, FOLDER, Resolution};
use super::change::TEMPORARY;
use super::error::{Doing, WorkspaceError};
use super::ignored::{self, IgnoreFiles, Kind};
use super::resolve::{Place, file_type};
use super::{Attempt, Private, Workspace};
use ignore::{DirEntry, WalkBuilder, WalkState};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::FileType;
use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tenon_policy::Access;

/// Whether what ignore files name is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ignored {
    #[default]
    Skip,
    /// It is not walked into, and named when the walk is over
    /// ([`Walk::noted`]). So is `node_modules`.
    Note,
    Include,
    /// What is in `node_modules`, too.
    IncludeAll,
}

#[derive(Debug, Clone)]
pub struct WalkOptions {
    /// Levels below the folder: 1 is its own entries; `None` is all.
    pub depth: Option<usize>,
    pub ignored: Ignored,
    /// No more entries than this are looked at.
    pub limit: usize,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self {
            depth: None,
            ignored: Ignored::Skip,
            limit: 1_000_000,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Folder,
    Link,
    Other,
}

/// One entry below the folder that is walked.
#[derive(Debug)]
pub struct Entry {
    inner: DirEntry,
    cut: usize,
}

impl Entry {
    #[must_use]
    pub fn kind(&self) -> EntryKind {
        match self.inner.file_type() {
            Some(kind) if kind.is_file() => EntryKind::File,
            Some(kind) if kind.is_dir() => EntryKind::Folder,
            Some(kind) if kind.is_symlink() => EntryKind::Link,
            _ => EntryKind::Other,
        }
    }

    #[must_use]
    pub fn absolute(&self) -> &Path {
        self.inner.path()
    }

    /// Relative to the folder that is walked.
    #[must_use]
    pub fn relative(&self) -> &Path {
        use std::os::unix::ffi::OsStrExt;
        let bytes = self.inner.path().as_os_str().as_bytes();
        Path::new(OsStr::from_bytes(bytes.get(self.cut..).unwrap_or(bytes)))
    }

    #[must_use]
    pub fn depth(&self) -> usize {
        self.inner.depth()
    }

    /// Of the entry itself, not of what a link leads to.
    #[must_use]
    pub fn metadata(&self) -> Option<std::fs::Metadata> {
        self.inner.metadata().ok()
    }
}

/// Whether a walk saw everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walked {
    Whole,
    /// Stopped at the limit of entries, or by the visitor.
    Part,
}

/// No more of what is ignored than this is noted.
const NOTED: usize = 20_000;

/// What a walk did not go into.
type Noted = Arc<Mutex<Vec<DirEntry>>>;

/// A walk that has not begun.
pub struct Walk {
    builder: WalkBuilder,
    /// As shown: relative to the root, or absolute.
    folder: String,
    absolute: PathBuf,
    limit: usize,
    handle: Arc<OwnedFd>,
    resolution: Resolution,
    private: Option<Private>,
    noted: Option<Noted>,
}

impl fmt::Debug for Walk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walk")
            .field("folder", &self.folder)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

impl Walk {
    /// The folder, as facts and results show it.
    #[must_use]
    pub fn folder(&self) -> &str {
        &self.folder
    }

    #[must_use]
    pub fn absolute(&self) -> &Path {
        &self.absolute
    }

    /// The path of an entry as results show it.
    #[must_use]
    pub fn shown(&self, entry: &Entry) -> String {
        let relative = entry.relative().to_string_lossy();
        match self.folder.as_str() {
            "." => relative.into_owned(),
            "/" => format!("/{relative}"),
            folder => format!("{folder}/{relative}"),
        }
    }

    /// Opens the content of an entry through the folder's handle. `None` when
    /// it is gone, unreadable, or a link stands on the way by now.
    #[must_use]
    pub fn open(&self, entry: &Entry) -> Option<File> {
        let handle = beneath::open(
            self.resolution,
            self.handle.as_fd(),
            entry.relative(),
            CONTENT,
        );
        handle.ok().map(File::from)
    }

    /// Whether a search must not look into this entry.
    #[must_use]
    pub fn is_private(&self, entry: &Entry) -> bool {
        let shown = |private: &Private| private(&self.shown(entry));
        self.private.as_ref().is_some_and(shown)
    }

    /// Visits the entries on this thread, each folder before what it holds, in
    /// the order of names. The visitor says whether to go on.
    pub fn each(&self, mut visit: impl FnMut(&Entry) -> ControlFlow<()>) -> Walked {
        let mut builder = self.builder.clone();
        builder.sort_by_file_name(OsStr::cmp);
        let cut = self.cut();
        let mut seen = 0;
        for next in builder.build() {
            let Ok(inner) = next else { continue };
            if inner.depth() == 0 {
                continue;
            }
            seen += 1;
            if seen > self.limit {
                return Walked::Part;
            }
            if visit(&Entry { inner, cut }).is_break() {
                return Walked::Part;
            }
        }
        Walked::Whole
    }

    /// Visits the entries on several threads, in no order. `visitor` makes one
    /// visitor for each thread.
    pub fn parallel<'s>(
        &self,
        threads: usize,
        mut visitor: impl FnMut() -> Box<dyn FnMut(&Entry) -> ControlFlow<()> + Send + 's>,
    ) -> Walked {
        let cut = self.cut();
        let seen = AtomicUsize::new(0);
        let stopped = AtomicBool::new(false);
        let mut builder = self.builder.clone();
        builder.threads(threads);
        builder.build_parallel().run(|| {
            let mut visit = visitor();
            let (seen, stopped, limit) = (&seen, &stopped, self.limit);
            Box::new(move |next| {
                let Ok(inner) = next else {
                    return WalkState::Continue;
                };
                if inner.depth() == 0 {
                    return WalkState::Continue;
                }
                let full = seen.fetch_add(1, Ordering::Relaxed) >= limit;
                if full || visit(&Entry { inner, cut }).is_break() {
                    stopped.store(true, Ordering::Relaxed);
                    return WalkState::Quit;
                }
                WalkState::Continue
            })
        });
        if stopped.load(Ordering::Relaxed) {
            Walked::Part
        } else {
            Walked::Whole
        }
    }

    /// What is ignored, as far as the walk came by it.
    #[must_use]
    pub fn noted(&self) -> Vec<Entry> {
        let cut = self.cut();
        let noted = self.noted.as_ref();
        let noted = noted.map(|all| all.lock().unwrap_or_else(PoisonError::into_inner).clone());
        let noted = noted.into_iter().flatten();
        noted.map(|inner| Entry { inner, cut }).collect()
    }

    fn cut(&self) -> usize {
        let length = self.absolute.as_os_str().len();
        // `/` already ends with its separator.
        if length == 1 { 1 } else { length + 1 }
    }
}

impl Workspace {
    /// Prepares a walk of a folder.
    ///
    /// # Errors
    /// When the folder may not be read, is missing, or is no folder.
    pub fn walk(&self, path: &str, options: &WalkOptions) -> Result<Walk, WorkspaceError> {
        self.settle(path, Access::Read, |place| self.walk_at(place, options))
    }

    fn walk_at(&self, place: &Place, options: &WalkOptions) -> Result<Walk, Attempt> {
        match &place.found {
            None => return Err(self.not_found(place).into()),
            Some(stat) if file_type(stat) != FileType::Directory => {
                let path = place.shown.clone();
                return Err(Attempt::Failed(WorkspaceError::NotAFolder { path }));
            }
            Some(_) => {}
        }
        let handle = beneath::open(self.resolution, place.door(), &place.relative, FOLDER)
            .map(Arc::new)
            .map_err(|e| Attempt::of(e, Doing::Reading, &place.shown))?;
        let noted = (options.ignored == Ignored::Note).then(Noted::default);
        Ok(Walk {
            builder: self.builder(&place.absolute, &handle, options, noted.clone()),
            folder: place.shown.clone(),
            absolute: place.absolute.clone(),
            limit: options.limit,
            handle,
            resolution: self.resolution,
            private: self.private.clone(),
            noted,
        })
    }

    fn builder(
        &self,
        folder: &Path,
        handle: &Arc<OwnedFd>,
        options: &WalkOptions,
        noted: Option<Noted>,
    ) -> WalkBuilder {
        let hides_modules = options.ignored != Ignored::IncludeAll;
        let files = matches!(options.ignored, Ignored::Skip | Ignored::Note)
            .then(|| IgnoreFiles::new(self, handle, folder, &ignored::top(self.root(), folder)));
        let is_ignored = move |entry: &DirEntry| {
            hides_modules && entry.file_name() == MODULES
                || files
                    .as_ref()
                    .is_some_and(|files| files.leave_out(entry.path(), kind_of(entry)))
        };
        let mut builder = WalkBuilder::new(folder);
        builder
            // The walker reads no ignore files and hides nothing by itself.
            .standard_filters(false)
            .follow_links(false)
            .max_depth(options.depth)
            .filter_entry(move |entry| {
                if entry.depth() == 0 {
                    return true;
                }
                if left_out(entry.file_name()) {
                    return false;
                }
                let is_shown = !is_ignored(entry);
                if let Some(noted) = noted.as_ref().filter(|_| !is_shown) {
                    let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
                    if noted.len() < NOTED {
                        noted.push(entry.clone());
                    }
                }
                is_shown
            });
        builder
    }
}

fn kind_of(entry: &DirEntry) -> Kind {
    match entry.file_type() {
        Some(kind) if kind.is_dir() => Kind::Folder,
        _ => Kind::Other,
    }
}

/// Ignored everywhere.
const MODULES: &str = "node_modules";

/// What is no part of a tree at all.
fn left_out(name: &OsStr) -> bool {
    name == ".git"
        || name
            .to_str()
            .is_some_and(|name| name.starts_with(TEMPORARY))
}
