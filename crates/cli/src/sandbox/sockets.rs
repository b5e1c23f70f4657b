//! Sockets of programs that would act for a command outside of its walls:
//! container engines, buses, terminals, agents, displays. What a command has not
//! made itself it cannot connect to in any case; this hides the best known of
//! them besides, by a reviewed list and a bounded look at the folders where such
//! sockets have changing names.

use std::path::{Path, PathBuf};

/// Names that are looked at in one folder.
const ENTRIES: usize = 4096;

/// Below `/run`, and below `/var/run` where that is a folder of its own.
const OF_THE_SYSTEM: [&str; 17] = [
    "user",
    "screen",
    "tmux",
    "docker.sock",
    "docker",
    "podman",
    "containerd",
    "crio",
    "dbus",
    "libvirt",
    "snapd.socket",
    "snapd-snap.socket",
    "incus",
    // Names and users are looked up beside it, so not the whole folder.
    "systemd/private",
    "supervisor.sock",
    "buildkit",
    "fail2ban",
];

const ELSEWHERE: [&str; 4] = [
    "/var/lib/lxd/unix.socket",
    "/var/snap/lxd/common/lxd/unix.socket",
    "/tmp/.X11-unix",
    "/tmp/.ICE-unix",
];

/// Names, users and hosts are looked up here; who listens does nothing else.
pub(super) const OF_LOOKUPS: [&str; 5] = [
    "/run/nscd/socket",
    "/var/lib/sss/pipes/nss",
    "/run/systemd/resolve/io.systemd.Resolve",
    "/run/systemd/userdb",
    "/run/avahi-daemon/socket",
];

pub(super) fn find(gnupg: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = ["/run", "/var/run"]
        .into_iter()
        .filter(|folder| !Path::new(folder).is_symlink())
        .flat_map(|folder| OF_THE_SYSTEM.map(|name| Path::new(folder).join(name)))
        .collect();
    found.extend(ELSEWHERE.map(PathBuf::from));
    found.extend(named(Path::new("/tmp"), in_temporary_folders));
    for folder in gnupg {
        found.extend(named(&folder, |name| name.starts_with("S.")));
    }
    found
}

/// Terminals and agents listen in `/tmp`: a command that reaches one of them
/// types outside of its walls.
fn in_temporary_folders(name: &str) -> bool {
    const STARTS: [&str; 4] = ["tmux-", "ssh-", "dbus-", "screens"];
    let of_an_editor =
        name.starts_with("vscode-") && Path::new(name).extension().is_some_and(|end| end == "sock");
    of_an_editor || STARTS.iter().any(|start| name.starts_with(start))
}

/// The entries of a folder whose names fit.
pub(super) fn named(folder: &Path, fits: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    entries
        .flatten()
        .take(ENTRIES)
        .filter(|entry| fits(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        .collect()
}
