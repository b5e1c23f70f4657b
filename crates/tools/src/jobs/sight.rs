//! What a command that only reads finds on this machine: the project with its
//! repository, the system, and the programs with what they need. Not what people
//! keep elsewhere: homes, other projects, other disks. Links in the project, git
//! folders that point away and programs that a repository configures lead there
//! too, and no list of words would know them all.

use super::warden::around;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use tenon_sandbox::Private;

/// Folders that every program may fill, the best for `$TMPDIR` first.
const TEMPORARY: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];
/// Variables that name such a folder.
pub(super) const NAMING: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];
/// Variables that name where somebody stands, and no program.
const STANDING: [&str; 3] = ["HOME", "PWD", "OLDPWD"];
/// At the top of the file system, what the machine came with. People keep their
/// files in all the other folders there.
const SYSTEM: &[&str] = &[
    "bin",
    "boot",
    "dev",
    "etc",
    "gnu",
    "init",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "lost+found",
    "nix",
    "opt",
    "proc",
    "run",
    "sbin",
    "snap",
    "sys",
    "tmp",
    "usr",
    "var",
];
/// In a home, what programs that read need: themselves and their settings.
const OF_PROGRAMS: &[&str] = &[
    ".asdf",
    ".bun",
    ".cargo",
    ".config/fd",
    ".config/git",
    ".config/mise",
    ".config/ripgrep",
    ".deno",
    ".dotnet",
    ".fnm",
    ".gitattributes",
    ".gitconfig",
    ".gitignore",
    ".gitignore_global",
    ".goenv",
    ".gradle",
    ".ghcup",
    ".jenv",
    ".local/bin",
    ".local/lib",
    ".local/pipx",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/pnpm",
    ".local/share/uv",
    ".m2",
    ".mise",
    ".node",
    ".npm",
    ".nvm",
    ".opam",
    ".pnpm",
    ".pyenv",
    ".rbenv",
    ".ripgreprc",
    ".rustup",
    ".rvm",
    ".sdkman",
    ".tool-versions",
    ".volta",
    ".yarn",
    "go",
];
/// What a folder with a `bin` in it holds besides, where it is an installation.
const INSTALLED: [&str; 4] = ["lib", "lib64", "libexec", "share"];
/// Programs that are links to elsewhere.
const LINKS: usize = 64;

/// `added` are the folders that the user opened beside the project.
pub(super) fn of(root: &Path, added: &[PathBuf], environment: &[(OsString, OsString)]) -> Private {
    let home = variable(environment, "HOME").map(PathBuf::from);
    let mut project = Project::of(root);
    let others = added.iter().flat_map(|folder| Project::of(folder).folders);
    project.folders.extend(others);
    let temporary = TEMPORARY.map(PathBuf::from).into_iter();
    let closed = places().chain(home.clone());
    let closed = closed.filter(|folder| {
        folder.parent().is_some() && !is_temporary(folder) && !project.holds(folder)
    });
    let closed: Vec<PathBuf> = closed.collect();
    let mut seen = project.folders;
    seen.extend(named(environment, &closed, home.as_deref()));
    if let Some(home) = home.filter(|home| !is_temporary(home)) {
        seen.extend(OF_PROGRAMS.iter().map(|name| home.join(name)));
    }
    seen.sort();
    seen.dedup();
    Private {
        folders: temporary
            .filter(|folder| folder != root && !added.contains(folder))
            .collect(),
        closed,
        seen,
    }
}

fn variable<'e>(environment: &'e [(OsString, OsString)], name: &str) -> Option<&'e OsStr> {
    let found = environment.iter().rev().find(|(own, _)| own == name);
    found.map(|(_, value)| value.as_os_str())
}

/// Where people keep files: homes, other disks and whatever else somebody made
/// at the top.
fn places() -> impl Iterator<Item = PathBuf> {
    let top = std::fs::read_dir("/").into_iter().flatten().flatten();
    let is_systems = |name: &OsStr| SYSTEM.iter().any(|system| name == *system);
    top.filter(move |entry| !is_systems(&entry.file_name()))
        .map(|entry| entry.path())
        .chain(["/run/media", "/var/home", "/var/roothome"].map(PathBuf::from))
}

/// The project, and the repository that it belongs to.
struct Project {
    folders: Vec<PathBuf>,
}

impl Project {
    fn of(root: &Path) -> Self {
        let mut folders = vec![root.to_owned()];
        if let Some(around) = around(root) {
            let leads = around
                .folders
                .iter()
                .any(|folder| folder.starts_with(&around.top));
            if leads || around.is_meant() {
                folders.extend(around.folders);
            }
            folders.push(around.top);
        }
        Self { folders }
    }

    /// Whether a folder is a part of it.
    fn holds(&self, folder: &Path) -> bool {
        self.folders.iter().any(|own| folder.starts_with(own))
    }
}

/// What the environment names: programs with all that they were installed with,
/// and in temporary folders whatever it is.
fn named(
    environment: &[(OsString, OsString)],
    closed: &[PathBuf],
    home: Option<&Path>,
) -> Vec<PathBuf> {
    let mut seen = Vec::new();
    for (name, value) in environment {
        if NAMING.iter().any(|naming| name == naming) {
            continue;
        }
        let stands = STANDING.iter().any(|standing| name == standing);
        for path in std::env::split_paths(value).filter(|path| path.is_absolute()) {
            let is_place =
                closed.contains(&path) || home.is_some_and(|home| home.starts_with(&path));
            let is_closed = closed.iter().any(|folder| path.starts_with(folder));
            if is_temporary(&path) || (is_closed && !is_place && !stands) {
                let programs = match name == "PATH" {
                    true => Some(path.as_path()),
                    false => path.parent().filter(|_| path.is_file()),
                };
                if let Some(programs) = programs {
                    seen.extend(installation(programs, closed, home));
                }
                seen.push(path);
            }
        }
    }
    seen
}

/// What the programs in a folder need: the folder that they were installed to,
/// and where links among them lead.
fn installation(programs: &Path, closed: &[PathBuf], home: Option<&Path>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let above = programs.parent().filter(|above| {
        let is_place = closed.iter().any(|folder| folder == above)
            || home.is_some_and(|home| home.starts_with(above) || *above == home.join(".local"));
        let is_installed = INSTALLED.iter().any(|name| above.join(name).is_dir());
        let is_hidden = above
            .file_name()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        !is_place && (is_installed || is_hidden)
    });
    found.extend(above.map(Path::to_owned));
    let entries = std::fs::read_dir(programs).into_iter().flatten().flatten();
    let links = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
    let targets = links
        .take(LINKS)
        .filter_map(|link| link.path().canonicalize().ok());
    found.extend(targets.filter(|target| target.is_file()));
    found
}

fn is_temporary(path: &Path) -> bool {
    let is_below = |folder: &Path| path.starts_with(folder) && path != folder;
    TEMPORARY.iter().map(Path::new).any(is_below)
}
