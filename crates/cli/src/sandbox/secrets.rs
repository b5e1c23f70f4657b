//! Secret files of the project that commands shall not read: `.env`, private
//! keys. Found by a bounded look at the two upper levels, whatever `.gitignore`
//! says, since secrets are what is ignored. What lies deeper is guarded by the
//! policy alone.

use std::io::Read;
use std::path::{Path, PathBuf};

/// Names to look at, in all.
const ENTRIES: usize = 4096;
/// Paths to hide; each is a mount of its own.
const MOST: usize = 64;
/// Of a file that may hold a secret, so much is read.
const LOOKED_AT: u64 = 16 * 1024;

#[derive(Debug)]
pub(super) struct Secrets {
    pub(super) paths: Vec<PathBuf>,
    /// How many more there are, which are not hidden.
    pub(super) more: usize,
}

pub(super) fn find(root: &Path) -> Secrets {
    let mut found = Vec::new();
    let mut left = ENTRIES;
    let mut folders = look(root, root, &mut left, &mut found);
    folders.sort();
    for folder in folders {
        look(root, &folder, &mut left, &mut found);
    }
    found.sort();
    found.dedup();
    let more = found.len().saturating_sub(MOST);
    found.truncate(MOST);
    Secrets { paths: found, more }
}

/// Collects the secret files of a folder and gives the folders in it.
fn look(root: &Path, folder: &Path, left: &mut usize, found: &mut Vec<PathBuf>) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else {
        return folders;
    };
    for entry in entries.flatten() {
        if *left == 0 {
            break;
        }
        *left -= 1;
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && !is_bulk(&entry.file_name().to_string_lossy()) => {
                folders.push(path);
            }
            Ok(kind) if kind.is_file() => {
                let shown = path.strip_prefix(root).unwrap_or(&path).to_string_lossy();
                if tenon_policy::is_secret(&shown) && holds_one(&path) {
                    found.push(path);
                }
            }
            Ok(kind) if kind.is_symlink() => found.extend(led_to(root, &path)),
            _ => {}
        }
    }
    folders
}

/// A secret name that is a link, and the file that it leads to: a command may
/// turn the link elsewhere, and the next one reads the file by its own name.
/// Outside of the project only where that name is a secret's too: a link of the
/// project must not hide the programs of the machine.
fn led_to(root: &Path, link: &Path) -> Vec<PathBuf> {
    let shown = |path: &Path| {
        let below = path.strip_prefix(root).unwrap_or(path);
        below.to_string_lossy().into_owned()
    };
    if !tenon_policy::is_secret(&shown(link)) {
        return Vec::new();
    }
    let Ok(target) = link.canonicalize() else {
        return Vec::new();
    };
    let known = target.starts_with(root) || tenon_policy::is_secret(&shown(&target));
    if known && target.is_file() && holds_one(&target) {
        vec![link.to_owned(), target]
    } else {
        Vec::new()
    }
}

/// Folders of foreign or generated files, with thousands of entries.
fn is_bulk(name: &str) -> bool {
    const BULK: [&str; 7] = [
        ".git",
        "node_modules",
        "target",
        "vendor",
        ".venv",
        "venv",
        "dist",
    ];
    BULK.contains(&name)
}

/// Certificates are as often public as private, and a `.npmrc` mostly names a
/// registry: builds need both, so only those that hold a secret are hidden.
fn holds_one(path: &Path) -> bool {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    let mark: &[&str] = if name.ends_with(".pem") || name.ends_with(".key") {
        &["PRIVATE KEY"]
    } else if name == ".npmrc" {
        &["_authToken=", "_auth=", "_password="]
    } else {
        return true;
    };
    let Ok(file) = tenon_files::open(path) else {
        return true;
    };
    let mut bytes = Vec::new();
    let _ = file.take(LOOKED_AT).read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    mark.iter().any(|mark| {
        // A reference to a variable is no secret.
        text.match_indices(mark)
            .any(|(at, _)| !text[at + mark.len()..].starts_with("${"))
    })
}
