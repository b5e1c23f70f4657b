//! Whether a command that failed was stopped by the walls. Programs tell their
//! errors in words, so this reads words; but "permission denied" has many
//! causes, and a wall is named only where the policy forbids the very path, or
//! where nothing else on a machine says such a thing.

use crate::confinement::{Confinement, Level};
use crate::walls::{Mode, Network, SandboxPolicy};
use rustix::fs::Access;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A failure that the walls caused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// What was refused, one sentence.
    pub what: String,
    /// The configuration key that would allow it.
    pub switch: String,
}

impl Denial {
    fn new(what: impl Into<String>, switch: &str) -> Self {
        Self {
            what: what.into(),
            switch: switch.to_owned(),
        }
    }
}

/// Lines of the error output that are read, from its end.
const MAX_LINES: usize = 200;
/// No message is longer that a person wrote.
const MAX_LINE: usize = 4 * 1024;

/// A shell adds this to the number of a signal.
const BY_SIGNAL: i32 = 128;

/// Whether a failed command was stopped by the walls. The evidence is its exit
/// code, its signal and the tail of its standard error.
#[must_use]
pub fn recognise(
    policy: &SandboxPolicy,
    confinement: &Confinement,
    exit: Option<i32>,
    signal: Option<i32>,
    stderr: &str,
) -> Option<Denial> {
    if policy.mode == Mode::Off || exit == Some(0) || (exit.is_none() && signal.is_none()) {
        return None;
    }
    let signal = signal.or_else(|| exit.map(|code| code - BY_SIGNAL));
    if let Some(denial) = signal.and_then(|signal| by_signal(policy, signal)) {
        return Some(denial);
    }
    let case = Case {
        policy,
        confinement,
    };
    let lines: Vec<&str> = stderr
        .lines()
        .rev()
        .filter(|line| line.len() <= MAX_LINE)
        .take(MAX_LINES)
        .collect();
    // Paths first: they prove the most.
    lines
        .iter()
        .find_map(|line| case.by_path(line))
        .or_else(|| lines.iter().find_map(|line| case.by_words(line)))
        .or_else(|| case.by_trace(&lines))
}

fn by_signal(policy: &SandboxPolicy, signal: i32) -> Option<Denial> {
    let limit = |limit: Option<u64>, what: &str, switch: &str| {
        limit.map(|limit| Denial::new(format!("{what} ({limit})"), switch))
    };
    match signal {
        libc::SIGSYS => Some(Denial::new(
            "the command made a system call that the sandbox forbids (32-bit programs do) and \
             was ended",
            "sandbox.mode",
        )),
        libc::SIGXFSZ => limit(
            policy.limits.file_bytes,
            "a file grew beyond the sandbox's limit",
            "sandbox.limits.file_bytes",
        ),
        libc::SIGXCPU => limit(
            policy.limits.cpu_seconds,
            "the command used more CPU time than the sandbox allows",
            "sandbox.limits.cpu_seconds",
        ),
        _ => None,
    }
}

struct Case<'a> {
    policy: &'a SandboxPolicy,
    confinement: &'a Confinement,
}

/// What the system said, as programs print it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    ReadOnly,
    Denied,
    Busy,
    Missing,
}

/// Lower case. The codes are what Node, Go and others print beside.
const SAYINGS: [(Said, &[&str]); 4] = [
    (Said::ReadOnly, &["read-only file system", "erofs"]),
    (
        Said::Busy,
        &[
            "device or resource busy",
            "ebusy",
            "invalid cross-device link",
            "exdev",
        ],
    ),
    (
        Said::Denied,
        &[
            "permission denied",
            "eacces",
            "operation not permitted",
            "eperm",
        ],
    ),
    (Said::Missing, &["no such file or directory", "enoent"]),
];

fn said(line: &str) -> Option<Said> {
    SAYINGS
        .iter()
        .find(|(_, words)| words.iter().any(|word| line.contains(word)))
        .map(|(said, _)| *said)
}

impl Case<'_> {
    fn by_path(&self, line: &str) -> Option<Denial> {
        if self.confinement.level == Level::None {
            return None;
        }
        let said = said(&line.to_lowercase())?;
        let paths = self.paths_in(line);
        if let Some(denial) = paths.iter().find_map(|path| self.forbidden(path, said)) {
            return Some(denial);
        }
        let lower = line.to_lowercase();
        if REFUSED_CALL.iter().any(|word| lower.contains(word))
            && MODES.iter().any(|word| lower.contains(word))
            && paths.iter().any(|path| self.is_own_file(path))
        {
            return Some(Denial::new(
                "the sandbox does not let commands set the setuid or setgid bit of a file",
                "sandbox.mode",
            ));
        }
        // Nothing else on a machine is read-only that was writable to Tenon,
        // but for what the user mounted so.
        if said == Said::ReadOnly && paths.is_empty() {
            return Some(Denial::new(
                "the command tried to write outside the folders that the sandbox allows",
                "sandbox.writable",
            ));
        }
        None
    }

    fn forbidden(&self, path: &Path, said: Said) -> Option<Denial> {
        let shown = path.display();
        if within(path, &self.policy.hidden) {
            return Some(Denial::new(
                format!("`{shown}` is hidden from commands"),
                "sandbox.hidden",
            ));
        }
        if self.policy.private.covers(path) && path.exists() {
            return Some(Denial::new(
                format!(
                    "`{shown}` lies outside the project, and commands that only read do not see it"
                ),
                "external_directory",
            ));
        }
        if said == Said::Missing {
            return None;
        }
        if within(path, &self.policy.read_only) || self.is_lock_of_protected(path) {
            return Some(Denial::new(
                format!("`{shown}` is protected from commands"),
                "sandbox.read_only",
            ));
        }
        if self
            .policy
            .writable_roots()
            .any(|root| path.starts_with(root))
        {
            return None;
        }
        let ours = match said {
            Said::ReadOnly => true,
            Said::Busy | Said::Missing => false,
            // The system's own permissions say so too: not the walls. Mounts
            // say "read-only" of files; devices are behind Landlock always.
            Said::Denied => {
                may_write(path)
                    && (self.confinement.adapter == "landlock" || path.starts_with("/dev"))
            }
        };
        ours.then(|| {
            Denial::new(
                format!("`{shown}` is outside the folders that the sandbox lets commands write"),
                "sandbox.writable",
            )
        })
    }

    /// A file in a writable folder that this user may change: only the walls
    /// keep its mode.
    fn is_own_file(&self, path: &Path) -> bool {
        let own = rustix::process::geteuid();
        let may = |facts: std::fs::Metadata| own.is_root() || facts.uid() == own.as_raw();
        self.policy
            .writable_roots()
            .any(|root| path.starts_with(root))
            && path.symlink_metadata().is_ok_and(may)
    }

    /// Programs write `config.lock` or `config.tmp` first and rename.
    fn is_lock_of_protected(&self, path: &Path) -> bool {
        self.policy
            .read_only
            .iter()
            .any(|protected| path.with_extension("") == *protected)
    }

    /// What may be a path in a message: quoted, or a word with a slash.
    /// Relative ones are taken from the root.
    fn paths_in(&self, line: &str) -> Vec<PathBuf> {
        let quoted = line
            .split(['\'', '"', '`', '‘', '’'])
            .filter(|piece| piece.contains('/') || piece.starts_with('.'));
        let words = line
            .split(|each: char| each.is_whitespace() || "'\"`‘’()[]<>,".contains(each))
            .map(|word| {
                word.trim_start_matches([':', ';'])
                    .trim_end_matches([':', ';', '.'])
            })
            .flat_map(|word| word.split(": "))
            .filter(|word| word.contains('/') || word.starts_with('.'));
        quoted
            .chain(words)
            .map(|piece| piece.trim().trim_end_matches(':'))
            .filter(|piece| !piece.is_empty())
            .map(|piece| crate::plain(&self.policy.root.join(piece)))
            .collect()
    }

    /// A stack trace names the socket and the refusal on lines of their own.
    fn by_trace(&self, lines: &[&str]) -> Option<Denial> {
        let has = |words: &[&str]| {
            lines
                .iter()
                .map(|line| line.to_lowercase())
                .any(|line| words.iter().any(|word| line.contains(word)))
        };
        let refused =
            has(&["operation not permitted", "eperm"]) && has(&["socket", "connect", ".sock"]);
        refused.then(|| match self.policy.network {
            Network::Deny => Denial::new(NO_SOCKETS, "sandbox.network"),
            Network::Inherit => Denial::new(NOT_OWN, "sandbox.sockets"),
        })
    }

    fn by_words(&self, line: &str) -> Option<Denial> {
        let line = line.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
        if self.policy.network == Network::Deny && has(UNREACHABLE) {
            return Some(Denial::new(
                "the network is not reachable from inside the sandbox",
                "sandbox.network",
            ));
        }
        if self.policy.network == Network::Deny && has(&["socket"]) && has(NOT_PERMITTED) {
            return Some(Denial::new(NO_SOCKETS, "sandbox.network"));
        }
        if has(&["socket", "connect", ".sock"]) && has(REFUSED_CALL) {
            return Some(Denial::new(NOT_OWN, "sandbox.sockets"));
        }
        if has(&["no new privileges", "leaksanitizer has encountered"])
            || (has(PRIVILEGED) && has(NOT_PERMITTED))
        {
            return Some(Denial::new(
                "the sandbox gives commands no extra rights, namespaces, mounts or access to \
                 other processes' memory",
                "sandbox.mode",
            ));
        }
        let limits = &self.policy.limits;
        let limited = [
            (limits.processes, FORKING, "processes"),
            (
                limits.open_files,
                &["too many open files", "emfile"][..],
                "open_files",
            ),
            (limits.memory_bytes, MEMORY, "memory_bytes"),
            (
                limits.file_bytes,
                &["file too large", "efbig"][..],
                "file_bytes",
            ),
        ];
        limited.into_iter().find_map(|(limit, words, name)| {
            let limit = limit.filter(|_| has(words))?;
            Some(Denial::new(
                format!("the sandbox limits {} to {limit}", name.replace('_', " ")),
                &format!("sandbox.limits.{name}"),
            ))
        })
    }
}

const NOT_OWN: &str = "commands can't connect to Unix sockets that they did not create";
/// How programs call the changing of a mode.
const MODES: &[&str] = &["chmod", "permissions", "mode"];
const REFUSED_CALL: &[&str] = &["operation not permitted", "eperm"];
const NO_SOCKETS: &str = "the sandbox refuses sockets because it denies the network";
const UNREACHABLE: &[&str] = &[
    "network is unreachable",
    "enetunreach",
    "temporary failure in name resolution",
    "could not resolve",
    "couldn't resolve",
    "name or service not known",
    "nodename nor servname",
    "no address associated with hostname",
    "eai_again",
    "enotfound",
    "dns error",
    "failed to lookup address",
    "no route to host",
    "unable to resolve",
];
const NOT_PERMITTED: &[&str] = &[
    "operation not permitted",
    "permission denied",
    "eperm",
    "eacces",
];
const PRIVILEGED: &[&str] = &[
    "ptrace",
    "unshare",
    "mount",
    "namespace",
    "setns",
    "clone",
    "perf_event",
    "io_uring",
    "keyctl",
    "bpf",
    "sudo",
    "setuid",
    "setgid",
];
const FORKING: &[&str] = &[
    "fork",
    "resource temporarily unavailable",
    "eagain",
    "can't start new thread",
];
const MEMORY: &[&str] = &[
    "cannot allocate memory",
    "out of memory",
    "enomem",
    "memory allocation of",
];

fn within(path: &Path, places: &[PathBuf]) -> bool {
    places.iter().any(|place| path.starts_with(place))
}

/// Whether the system would let Tenon itself write there.
fn may_write(path: &Path) -> bool {
    path.ancestors()
        .find(|ancestor| ancestor.symlink_metadata().is_ok())
        .is_some_and(|existing| rustix::fs::access(existing, Access::WRITE_OK).is_ok())
}
