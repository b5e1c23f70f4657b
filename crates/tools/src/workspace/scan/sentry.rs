//! Tells in which folders something has happened since a look at the tree, so
//! that the look need not be repeated. It says where, never what: whoever asks
//! looks at those folders again. It is evidence only as long as nothing was
//! missed; in doubt it says that it has lost sight, and the tree is scanned.
//!
//! The kernel queues an event within the call that makes the change. So when the
//! queue is empty, nothing has happened in a watched folder: no clock is asked,
//! and no time stamp is believed. A folder is watched before it is listed.

use super::super::change::TEMPORARY;
use super::{Changes, EntryKind, Noticed, Scanned, Writes};
use rustix::fd::OwnedFd;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A tree with more folders is scanned: watches are a good that all programs of
/// a user share.
const FOLDERS: usize = 10_000;
/// Files with several names that are asked for one by one: a change through a
/// name elsewhere is not seen in the folder.
const LINKED: usize = 1_000;
/// Events that are read at once.
const EVENTS: usize = 50_000;
/// For a few hundred events.
const BUFFER: usize = 32 * 1024;

/// File systems on which every change passes through this kernel: ext2 to ext4,
/// xfs, btrfs, tmpfs, ramfs, f2fs, overlayfs, zfs, bcachefs. On others, such as
/// those of a network, somebody else may write.
const LOCAL: &[u64] = &[
    0xef53,
    0x5846_5342,
    0x9123_683e,
    0x0102_1994,
    0x8584_58f6,
    0xf2f5_2010,
    0x794c_7630,
    0x2fc1_2fc1,
    0xca45_1a4e,
];

/// Whether all that happens there happens in this kernel, and by its clock.
pub fn is_local(root: &Path) -> bool {
    let kind = rustix::fs::statfs(root)
        .ok()
        .and_then(|about| u64::try_from(about.f_type).ok());
    kind.is_some_and(|kind| LOCAL.contains(&kind))
}

/// Watches the folders of one scan.
#[derive(Debug)]
pub struct Sentry {
    inotify: OwnedFd,
    device: u64,
    posts: Mutex<Posts>,
}

#[derive(Debug, Default)]
struct Posts {
    folders: HashMap<i32, String>,
    /// Folders that nobody may list.
    closed: BTreeSet<String>,
    linked: BTreeSet<String>,
    /// Was told, and is to be told again.
    held: Changes,
    /// Something could not be watched.
    blind: bool,
}

impl Sentry {
    /// `None` where changes cannot be seen for certain.
    #[must_use]
    pub fn new(root: &Path) -> Option<Self> {
        if !is_local(root) {
            return None;
        }
        let about = std::fs::symlink_metadata(root).ok()?;
        let sentry = Self {
            inotify: inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?,
            device: about.dev(),
            posts: Mutex::default(),
        };
        sentry.watch(root, "");
        (!sentry.is_blind()).then_some(sentry)
    }

    /// From now on this folder is watched. Whatever it holds must be listed
    /// after this.
    pub(super) fn watch(&self, root: &Path, path: &str) {
        let events = WatchFlags::MODIFY
            | WatchFlags::ATTRIB
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR
            | WatchFlags::DONT_FOLLOW;
        let mut posts = self.posts();
        posts.blind |= posts.folders.len() >= FOLDERS;
        if posts.blind {
            return;
        }
        match inotify::add_watch(&self.inotify, root.join(path), events) {
            Ok(watch) => {
                posts.folders.insert(watch, path.to_owned());
            }
            // Nobody can list it either; when that changes, its parent tells.
            Err(Errno::ACCESS) => {
                posts.closed.insert(path.to_owned());
            }
            // It is gone, which its parent tells.
            Err(Errno::NOENT | Errno::NOTDIR) => {}
            Err(_) => posts.blind = true,
        }
    }

    /// What a look found: other file systems below the root, and files that may
    /// be changed under another name.
    pub(super) fn seen(&self, entries: &[Scanned]) {
        let mut posts = self.posts();
        for entry in entries {
            let is_folder = entry.kind == EntryKind::Folder;
            // A name that is no text is not the true one, and cannot be watched.
            let is_strange = entry.stamp.device != self.device || !entry.readable;
            posts.blind |= is_folder && is_strange;
            if entry.kind == EntryKind::File && entry.stamp.links > 1 {
                posts.linked.insert(entry.path.clone());
            }
        }
        posts.blind |= posts.linked.len() > LINKED;
    }

    /// Folders among these that are not watched: made after somebody had looked
    /// for folders, and before their parent was watched.
    pub(super) fn lacks(&self, entries: &[Scanned]) -> Vec<String> {
        let posts = self.posts();
        let watched: HashSet<&str> = posts.folders.values().map(String::as_str).collect();
        let is_missed = |entry: &&Scanned| {
            let path = entry.path.as_str();
            entry.kind == EntryKind::Folder
                && entry.readable
                && !watched.contains(path)
                && !posts.closed.contains(path)
        };
        let missed = entries.iter().filter(is_missed);
        missed.map(|entry| entry.path.clone()).collect()
    }

    /// The files that have to be asked one by one.
    pub(super) fn linked(&self) -> Vec<String> {
        self.posts().linked.iter().cloned().collect()
    }

    /// Whether everything that was to be watched is.
    #[must_use]
    pub fn is_blind(&self) -> bool {
        self.posts().blind
    }

    /// What has happened up to now. Never waits.
    #[must_use]
    pub fn noticed(&self) -> Noticed {
        let mut posts = self.posts();
        if posts.blind {
            return Noticed::Lost;
        }
        let mut changes = std::mem::take(&mut posts.held);
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut reader = inotify::Reader::new(&self.inotify, &mut buffer);
        for _ in 0..EVENTS {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::AGAIN) if changes.folders.is_empty() => return Noticed::Nothing,
                Err(Errno::AGAIN) => return Noticed::Changes(changes),
                Err(Errno::INTR) => continue,
                Err(_) => break,
            };
            let name = event.file_name().map(std::ffi::CStr::to_bytes);
            let (watch, rename) = (event.wd(), event.cookie());
            if !posts.take(watch, event.events(), rename, name, &mut changes) {
                break;
            }
        }
        // What was read is gone from the queue: from here on nothing is sure.
        posts.blind = true;
        Noticed::Lost
    }

    /// The same, and whoever asks next is told it again.
    pub(super) fn peek(&self) -> Noticed {
        let noticed = self.noticed();
        if let Noticed::Changes(changes) = &noticed {
            self.posts().held = changes.clone();
        }
        noticed
    }

    fn posts(&self) -> MutexGuard<'_, Posts> {
        self.posts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Posts {
    /// Whether it is still known what happens.
    fn take(
        &mut self,
        watch: i32,
        events: ReadFlags,
        rename: u32,
        name: Option<&[u8]>,
        changes: &mut Changes,
    ) -> bool {
        if events.intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::UNMOUNT) {
            return false;
        }
        let Some(folder) = self.folders.get(&watch) else {
            return true;
        };
        let Some(name) = name else {
            // Of the folder itself, which its parent tells too; the root has none
            // that is watched.
            let is_over = ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::IGNORED;
            let stays = !(folder.is_empty() && events.intersects(is_over));
            if events.contains(ReadFlags::IGNORED) {
                changes.ended.insert(folder.clone());
                self.folders.remove(&watch);
            }
            return stays;
        };
        match name {
            b".gitignore" | b".ignore" => return false,
            b".git" => return true,
            name if name.starts_with(TEMPORARY.as_bytes()) => return true,
            _ => {}
        }
        if let Some(name) = Path::new(std::ffi::OsStr::from_bytes(name)).to_str() {
            let path = super::below(folder, name);
            note(&mut changes.written, &path, events, rename);
            changes.paths.insert(path);
        }
        changes.folders.insert(folder.clone());
        true
    }
}

/// What an event says of a content.
fn note(written: &mut Writes, path: &str, events: ReadFlags, rename: u32) {
    if events.intersects(ReadFlags::MODIFY | ReadFlags::CLOSE_WRITE) {
        written.wrote(path);
    } else if events.contains(ReadFlags::MOVED_FROM) {
        written.left(path, rename);
    } else if events.contains(ReadFlags::MOVED_TO | ReadFlags::ISDIR) {
        written.folder_came(path, rename);
    } else if events.contains(ReadFlags::MOVED_TO) {
        written.came(path, rename);
    }
}
