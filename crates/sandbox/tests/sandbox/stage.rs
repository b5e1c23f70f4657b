//! A disk with a project, a home with secrets and a world outside, and the
//! walls around the project: as root and as nobody, at every level that this
//! machine offers. What cannot be had here is said, not failed.

use crate::support::soon;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tenon_sandbox::{
    Adapter, CommandSpec, Confinement, Lacking, Level, Limits, Mode, Network, Private,
    SandboxPolicy, StdinKind, Supervised, Supervisor,
};
use tokio::io::AsyncReadExt;

/// A user without any rights of its own.
pub const NOBODY: u32 = 65534;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Whoever runs the tests; root on most test machines.
    Self_,
    Nobody,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Full,
    /// Root makes namespaces without a user namespace.
    Direct,
    Partial,
    Bubblewrap,
}

/// Who runs behind which walls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    pub who: Who,
    pub kind: Kind,
}

pub const CASES: [Case; 7] = [
    Case {
        who: Who::Self_,
        kind: Kind::Full,
    },
    Case {
        who: Who::Nobody,
        kind: Kind::Full,
    },
    Case {
        who: Who::Self_,
        kind: Kind::Direct,
    },
    Case {
        who: Who::Self_,
        kind: Kind::Partial,
    },
    Case {
        who: Who::Nobody,
        kind: Kind::Partial,
    },
    Case {
        who: Who::Self_,
        kind: Kind::Bubblewrap,
    },
    Case {
        who: Who::Nobody,
        kind: Kind::Bubblewrap,
    },
];

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Says why a test does nothing here. Where the walls are proven nothing may be
/// missing but bwrap, which is an adapter for machines that have it.
pub fn skip(why: &str) {
    let proven = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    assert!(
        !proven || why.contains("bwrap"),
        "with CI set this test must run, but: {why}"
    );
    {
        eprintln!("skipped: {why}");
    }
}

/// Whether a user may make namespaces, tried without any of our own code.
fn has_user_namespaces(who: Who) -> bool {
    let mut words = vec!["unshare", "-Ur", "true"];
    if who == Who::Nobody {
        let become_nobody = [
            "setpriv",
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
        ];
        words.splice(0..0, become_nobody);
    }
    std::process::Command::new(words[0])
        .args(&words[1..])
        .output()
        .is_ok_and(|done| done.status.success())
}

impl Case {
    /// Whether this machine can try it.
    pub fn is_possible(self) -> bool {
        let probe = tenon_sandbox::Probe::look();
        if self.who == Who::Nobody && (!is_root() || !Path::new("/usr/bin/setpriv").exists()) {
            skip("only root can become nobody, with setpriv");
            return false;
        }
        match self.kind {
            Kind::Full if !has_user_namespaces(self.who) => {
                skip("this machine has no user namespaces");
                false
            }
            Kind::Direct if !is_root() => {
                skip("only root makes namespaces without a user namespace");
                false
            }
            Kind::Partial if probe.landlock.is_none() => {
                skip("this kernel has no Landlock");
                false
            }
            Kind::Bubblewrap if !Path::new("/usr/bin/bwrap").exists() => {
                skip("bwrap is not installed");
                false
            }
            _ => true,
        }
    }

    pub fn supervisor(self) -> Supervisor {
        let own = env!("CARGO_BIN_EXE_tenon-supervise");
        let taken = match self.kind {
            Kind::Full | Kind::Bubblewrap => None,
            Kind::Direct => Some("without=user-namespaces"),
            Kind::Partial => Some("without=namespaces"),
        };
        let mut words: Vec<OsString> = Vec::new();
        let program = match self.who {
            Who::Self_ => PathBuf::from(own),
            Who::Nobody => {
                words.extend(
                    ["--reuid=65534", "--regid=65534", "--clear-groups", own].map(OsString::from),
                );
                PathBuf::from("/usr/bin/setpriv")
            }
        };
        words.extend(taken.map(OsString::from));
        Supervisor::new(program, words)
    }

    /// Whether mounts hold, so that nothing may be left open.
    pub fn has_mounts(self) -> bool {
        self.kind != Kind::Partial
    }
}

/// The disk of one test.
pub struct Stage {
    _dir: tempfile::TempDir,
    pub top: PathBuf,
    pub root: PathBuf,
    pub policy: SandboxPolicy,
    pub case: Case,
}

/// What a command said and how it ended.
#[derive(Debug)]
pub struct Ran {
    pub out: String,
    pub err: String,
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub confinement: Confinement,
    pub repairs: Vec<String>,
}

impl Stage {
    pub fn new(case: Case) -> Self {
        let dir = tempfile::Builder::new()
            .prefix("tenon-walls-")
            .tempdir()
            .unwrap();
        let top = std::fs::canonicalize(dir.path()).unwrap();
        std::fs::set_permissions(&top, std::fs::Permissions::from_mode(0o755)).unwrap();
        let root = top.join("root");
        for folder in [
            "root/.git/hooks",
            "root/src",
            "home/.ssh",
            "home/plain",
            "outside",
        ] {
            std::fs::create_dir_all(top.join(folder)).unwrap();
        }
        for (file, text) in [
            ("root/.git/config", "[core]\n"),
            ("root/.git/hooks/pre-commit", "#!/bin/sh\n"),
            ("root/.env", "SECRET=in-root\n"),
            ("root/src/main.rs", "fn main() {}\n"),
            ("home/.ssh/id", "SECRET=in-home\n"),
            ("home/.netrc", "SECRET=netrc\n"),
            ("home/plain/file", "plain\n"),
            ("outside/file", "outside\n"),
        ] {
            std::fs::write(top.join(file), text).unwrap();
        }
        let policy = SandboxPolicy {
            mode: Mode::WorkspaceWrite,
            network: Network::Inherit,
            adapter: match case.kind {
                Kind::Bubblewrap => Adapter::Bubblewrap,
                _ => Adapter::Auto,
            },
            root: root.clone(),
            writable: Vec::new(),
            read_only: vec![
                root.join(".git/hooks"),
                root.join(".git/config"),
                root.join(".tenon"),
            ],
            guarded: Vec::new(),
            copies: Vec::new(),
            hidden: vec![
                root.join(".env"),
                top.join("home/.ssh"),
                top.join("home/.netrc"),
                top.join("home/.missing"),
            ],
            sockets: Vec::new(),
            private: Private::default(),
            limits: Limits::default(),
            lacking: Lacking::RunPartial,
        };
        let stage = Self {
            _dir: dir,
            top,
            root,
            policy,
            case,
        };
        if case.who == Who::Nobody {
            stage.give_to_nobody();
        }
        stage
    }

    pub fn give_to_nobody(&self) {
        fn give(path: &Path) {
            std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
            if std::fs::symlink_metadata(path).unwrap().is_dir() {
                for entry in std::fs::read_dir(path).unwrap() {
                    give(&entry.unwrap().path());
                }
            }
        }
        give(&self.top);
    }

    /// What root made since, to whoever runs the commands.
    pub fn give_away(&self, path: &Path) {
        if self.case.who == Who::Nobody {
            std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }

    pub fn spec(&self, script: &str) -> CommandSpec {
        CommandSpec {
            argv: ["bash", "-c", script].map(OsString::from).to_vec(),
            cwd: self.root.clone(),
            env: vec![
                ("PATH".into(), std::env::var_os("PATH").unwrap()),
                ("TOP".into(), self.top.clone().into()),
                (crate::support::TAG.into(), self.top.clone().into()),
                ("TENON".into(), std::process::id().to_string().into()),
                ("PYTHONDONTWRITEBYTECODE".into(), "1".into()),
            ],
            stdin: StdinKind::Null,
            confinement: Some(self.policy.clone()),
        }
    }

    pub async fn start(&self, script: &str) -> Supervised {
        self.case
            .supervisor()
            .spawn(self.spec(script))
            .await
            .unwrap()
    }

    pub async fn run(&self, script: &str) -> Ran {
        finish(self.start(script).await).await
    }

    pub fn text(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(self.top.join(file)).ok()
    }
}

pub async fn finish(mut command: Supervised) -> Ran {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut stdout = command.stdout.take().unwrap();
    let mut stderr = command.stderr.take().unwrap();
    let (one, other) =
        soon(async { tokio::join!(stdout.read_to_end(&mut out), stderr.read_to_end(&mut err)) })
            .await;
    one.and(other).unwrap();
    let exit = soon(command.exited()).await;
    soon(command.emptied()).await;
    Ran {
        out: String::from_utf8_lossy(&out).into_owned(),
        err: String::from_utf8_lossy(&err).into_owned(),
        code: exit.code,
        signal: exit.signal,
        confinement: command.confinement().clone(),
        repairs: command.repairs().to_vec(),
    }
}

impl Ran {
    pub fn is_partial(&self) -> bool {
        self.confinement.level == Level::Partial
    }

    /// Whether the report owns up to something.
    pub fn names(&self, words: &str) -> bool {
        self.confinement
            .not_covered
            .iter()
            .any(|line| line.contains(words))
    }
}
