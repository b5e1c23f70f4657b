//! Places that are dangerous by their spelling alone: the root of the file
//! system, homes, system folders, devices. What only the file system can tell
//! comes later, with the facts.

use super::word::Term;

/// Folders of the system, below the root.
const SYSTEM: &[&str] = &[
    "bin",
    "boot",
    "dev",
    "etc",
    "home",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "mnt",
    "media",
    "opt",
    "proc",
    "root",
    "run",
    "sbin",
    "srv",
    "sys",
    "usr",
    "var",
    "Users",
    "System",
    "Library",
    "Applications",
    "Volumes",
    "private",
    "nix",
    "snap",
];

/// Folders one further down without which nothing works.
const SYSTEM_BELOW: &[&str] = &[
    "/usr/bin",
    "/usr/lib",
    "/usr/lib64",
    "/usr/sbin",
    "/usr/local",
    "/usr/share",
    "/usr/include",
    "/var/lib",
    "/var/log",
    "/etc/ssh",
    "/etc/pam.d",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vital {
    /// `/` itself.
    Root,
    System,
    Home,
}

/// What of the system or of a person a spelling means as a whole: `/`, `~/`,
/// `"$HOME"/*`, `/usr/../etc`.
pub(super) fn vital(path: &str) -> Option<Vital> {
    let path = whole(path);
    let path = path
        .strip_prefix("${HOME}")
        .map_or(path.clone(), |rest| format!("$HOME{rest}"));
    if let Some(rest) = path.strip_prefix('~') {
        // `~`, `~/`, `~root`.
        let below = rest.split_once('/').map_or("", |(_, below)| below);
        return normal(below).is_empty().then_some(Vital::Home);
    }
    for home in ["$HOME", "$OLDPWD/~"] {
        if let Some(rest) = path.strip_prefix(home)
            && (rest.is_empty() || rest.starts_with('/'))
        {
            return normal(rest).is_empty().then_some(Vital::Home);
        }
    }
    if !path.starts_with('/') {
        return None;
    }
    let parts = normal(&path);
    match parts.as_slice() {
        [] => Some(Vital::Root),
        ["home" | "Users", _] | ["root"] => Some(Vital::Home),
        [one] if SYSTEM.contains(one) => Some(Vital::System),
        [_, _] if SYSTEM_BELOW.contains(&format!("/{}", parts.join("/")).as_str()) => {
            Some(Vital::System)
        }
        _ => None,
    }
}

/// Without the part that means everything below: `/etc/*` is `/etc` emptied.
fn whole(path: &str) -> String {
    match path.rsplit_once('/') {
        Some((folder, last)) if is_everything(last) => {
            if folder.is_empty() {
                "/".into()
            } else {
                folder.to_owned()
            }
        }
        _ => path.to_owned(),
    }
}

/// Whether a last component means all that a folder holds.
pub(super) fn is_everything(name: &str) -> bool {
    matches!(name, "*" | ".*" | "**" | ".[!.]*" | "..?*" | "*.*" | "?*")
        || (name.starts_with('[') && name.ends_with("]*") && name.contains('-'))
}

/// The components, with `.` gone and `..` taken back.
fn normal(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts
}

/// What a path below `/dev` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Device {
    /// `/dev/null`, the terminal: writing there harms nothing.
    Harmless,
    /// A disk, or part of one.
    Block,
    Other,
}

pub(super) fn device(path: &str) -> Option<Device> {
    const HARMLESS: &[&str] = &[
        "null", "zero", "full", "tty", "stdin", "stdout", "stderr", "random", "urandom",
    ];
    const BLOCK: &[&str] = &[
        "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "loop", "mapper", "disk", "rdisk", "md", "dm-",
        "ram", "zram", "nbd", "sr", "fd0", "mtd", "pmem", "bcache", "zvol", "root",
    ];
    let parts = normal(path);
    if !path.starts_with('/') {
        return None;
    }
    let ["dev", rest @ ..] = parts.as_slice() else {
        return None;
    };
    let first = *rest.first()?;
    Some(match first {
        first if HARMLESS.contains(&first) && rest.len() == 1 => Device::Harmless,
        "fd" | "pts" => Device::Harmless,
        first if BLOCK.iter().any(|block| first.starts_with(block)) => Device::Block,
        _ => Device::Other,
    })
}

/// Whether a redirection to this path reaches another machine. Shells look at the
/// letters only, other programs at what they lead to: every spelling counts.
pub(super) fn is_connection(path: &str) -> bool {
    path.starts_with('/') && matches!(normal(path).as_slice(), ["dev", "tcp" | "udp", ..])
}

/// Where the line stands: the folders that a relative path may be relative to.
/// `None` when that is not known any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Standing(Option<Vec<String>>);

/// More than that is not followed.
const MAX_FOLDERS: usize = 4;

impl Standing {
    pub(super) fn start() -> Self {
        Self(Some(vec![String::new()]))
    }

    /// After `cd` to a folder that is written out, or to anywhere.
    pub(super) fn after_cd(&self, folder: Option<&Term>) -> Self {
        let known = folder.filter(|term| !term.open && !is_glob(term) && term.text != "-");
        let Some(term) = known else {
            return Self(None);
        };
        let folders = self.0.as_ref().map(|held| {
            let mut next: Vec<String> = held.iter().map(|base| join(base, &term.text)).collect();
            next.dedup();
            next
        });
        Self(match folders {
            Some(folders) => Some(folders),
            None if term.text.starts_with(['/', '~']) => Some(vec![term.text.clone()]),
            None => None,
        })
    }

    /// Either here or there.
    pub(super) fn or(&self, other: &Self) -> Self {
        let (Some(here), Some(there)) = (&self.0, &other.0) else {
            return Self(None);
        };
        let mut both = here.clone();
        for folder in there {
            if !both.contains(folder) {
                both.push(folder.clone());
            }
        }
        Self((both.len() <= MAX_FOLDERS).then_some(both))
    }

    /// The path as it may be seen from the start, in each way.
    pub(super) fn paths(&self, path: &str) -> Vec<String> {
        match &self.0 {
            _ if is_rooted(path) => vec![path.to_owned()],
            Some(folders) => folders.iter().map(|base| join(base, path)).collect(),
            None => vec![path.to_owned()],
        }
    }

    pub(super) fn is_known(&self) -> bool {
        self.0.is_some()
    }
}

pub(super) fn is_rooted(path: &str) -> bool {
    path.starts_with(['/', '~']) || path.starts_with("$HOME")
}

/// Whether the shell looks for files that fit.
pub(super) fn is_glob(term: &Term) -> bool {
    term.expands && term.text.contains(['*', '?', '['])
}

/// Whether a path is written out but for `*` and `?` in its last name, so that the
/// files it stands for are at most those of one folder. Whatever else may be
/// special, quoted or not, makes it none.
pub(super) fn is_plain_pattern(text: &str) -> bool {
    let (folder, name) = text.rsplit_once('/').unwrap_or(("", text));
    let is_plain = |c: char| c.is_alphanumeric() || "._-+@%,=/ ".contains(c);
    name.contains(['*', '?'])
        && !name.starts_with('.')
        && folder.chars().all(is_plain)
        && name.chars().all(|c| is_plain(c) || matches!(c, '*' | '?'))
        && !folder.split('/').any(|name| name == "..")
}

fn join(base: &str, path: &str) -> String {
    if base.is_empty() || is_rooted(path) {
        return path.to_owned();
    }
    if path == "." {
        return base.to_owned();
    }
    let path = path.strip_prefix("./").unwrap_or(path);
    format!("{}/{path}", base.trim_end_matches('/'))
}
