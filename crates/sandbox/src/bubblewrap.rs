//! The walls as `bwrap` builds them, for machines where it may do what we may
//! not. Its last step starts this same binary again, which raises the second
//! wall inside and starts the command, so that everything but the mounts is as
//! with our own namespaces.

use crate::channel::Channel;
use crate::descriptor;
use crate::handover;
use crate::launch::{Accompanied, Launched, accompany};
use crate::message::Status;
use crate::mounts::SHARED_MEMORY;
use crate::places::{Places, Treatment};
use crate::private;
use crate::start::{Job, NotStarted};
use crate::walls::{Network, SandboxPolicy};
use rustix::fs::{Mode, OFlags};
use rustix::process::Pid;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where it is looked for: never in `PATH`, which a project may have changed.
const FOLDERS: [&str; 4] = [
    "/usr/bin",
    "/bin",
    "/usr/local/bin",
    "/run/current-system/sw/bin",
];

/// The word before the command when `bwrap` starts this binary.
pub(crate) const INNER: &str = "confine";

pub(crate) fn find() -> Option<PathBuf> {
    FOLDERS
        .iter()
        .map(|folder| Path::new(folder).join("bwrap"))
        .find(|path| path.is_file())
}

pub(crate) fn launch(
    job: Job,
    folder: &Path,
    policy: &SandboxPolicy,
    places: &Places,
    tell: &mut dyn FnMut(Status),
) -> Result<Launched, NotStarted> {
    let walls = |why: String| NotStarted::Walls(why);
    let program = find().ok_or_else(|| {
        walls(format!(
            "sandbox.adapter is `bubblewrap`, but there is no bwrap in {}; install it, or set \
             the adapter to `native`",
            FOLDERS.join(", ")
        ))
    })?;
    let own = Invocation::read(&job).map_err(|error| walls(format!("this program: {error}")))?;
    let (mut ours, theirs) = Channel::pair().map_err(NotStarted::Command)?;
    let (words, held) = arguments(folder, policy, places).map_err(NotStarted::Command)?;
    let mut command = Command::new(program);
    command
        .args(words)
        .arg("--")
        .arg(own.program)
        .args(own.arguments)
        .arg(INNER)
        .arg(match job.stdin {
            None => "null",
            Some(_) => "pipe",
        })
        .args(&job.argv)
        .stdin(Stdio::from(theirs.into_socket()));
    let child = command
        .spawn()
        .map_err(|error| walls(format!("bwrap: {error}")))?;
    drop(command);
    drop(held);
    let framed = handover::encode(policy).ok_or_else(|| walls(String::from("too many paths")))?;
    ours.send(&framed);
    if let Some(stdin) = &job.stdin {
        // Should bwrap be gone, the next word shows it.
        let _ = descriptor::send(&ours, stdin.as_fd());
    }
    drop(job);
    match accompany(Pid::from_child(&child), ours, "bubblewrap", places, tell)? {
        Accompanied::Runs(launched) => Ok(launched),
        Accompanied::Unavailable(why) => Err(walls(why)),
    }
}

/// The words for `bwrap`, and descriptors that they name.
fn arguments(
    folder: &Path,
    policy: &SandboxPolicy,
    places: &Places,
) -> io::Result<(Vec<OsString>, Vec<OwnedFd>)> {
    let mut held = Vec::new();
    let mut words: Vec<OsString> = [
        "--unshare-pid",
        "--unshare-ipc",
        "--as-pid-1",
        "--die-with-parent",
        "--ro-bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--proc",
        "/proc",
    ]
    .map(OsString::from)
    .to_vec();
    // Root needs none, and with it could not touch other users' files.
    if !rustix::process::geteuid().is_root() {
        words.push("--unshare-user".into());
    }
    if policy.network == Network::Deny {
        words.push("--unshare-net".into());
    }
    let mut push = |word: &str, paths: &[&Path]| {
        words.push(word.into());
        words.extend(paths.iter().map(OsString::from));
    };
    for path in places.writable.iter().filter(|path| *path != SHARED_MEMORY) {
        push("--bind", &[path, path]);
    }
    // It makes shared memory of its own.
    let private = places.private.folders.iter();
    for path in private.filter(|path| *path != SHARED_MEMORY) {
        let (size, mode) = (Path::new(private::BYTES), Path::new("1777"));
        push("--size", &[size]);
        push("--perms", &[mode]);
        push("--tmpfs", &[path]);
    }
    for path in &places.private.closed {
        push("--perms", &[Path::new("0755")]);
        push("--tmpfs", &[path]);
    }
    for path in &places.private.seen {
        push("--ro-bind", &[path, path]);
    }
    for (path, treatment) in &places.treated {
        match treatment {
            Treatment::Anchored => push("--bind", &[path, path]),
            Treatment::Protected => push("--ro-bind", &[path, path]),
            Treatment::Hidden if path.is_dir() => {
                push("--tmpfs", &[path]);
                push("--remount-ro", &[path]);
            }
            Treatment::Hidden => {
                // Read to its end, which is at once: an empty file.
                let nothing = inheritable_nothing()?;
                let number = nothing.as_raw_fd().to_string();
                push("--ro-bind-data", &[Path::new(&number), path]);
                held.push(nothing);
            }
        }
    }
    // Only now: what is hidden in them was mounted on something.
    for path in &places.private.closed {
        words.extend(["--remount-ro".into(), path.into()]);
    }
    words.extend(["--chdir".into(), folder.into()]);
    Ok((words, held))
}

/// Only `bwrap` is started while it is open.
fn inheritable_nothing() -> io::Result<OwnedFd> {
    let nothing = rustix::fs::open("/dev/null", OFlags::RDONLY, Mode::empty())?;
    Ok(nothing)
}

/// How this very process was started, without the words about the command.
struct Invocation {
    program: PathBuf,
    arguments: Vec<OsString>,
}

impl Invocation {
    fn read(job: &Job) -> io::Result<Self> {
        let words = std::fs::read("/proc/self/cmdline")?;
        let mut words: Vec<OsString> = words
            .split(|byte| *byte == 0)
            .map(|word| OsString::from_vec(word.to_vec()))
            .collect();
        // The last zero ends the last word.
        words.pop();
        // The kind of input, whether there are walls, and the command.
        let own = words.len().saturating_sub(job.argv.len() + 2);
        words.truncate(own);
        Ok(Self {
            program: std::fs::read_link("/proc/self/exe")?,
            arguments: words.split_off(1.min(words.len())),
        })
    }
}
