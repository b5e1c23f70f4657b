//! What a command may leave behind for git, a shell, an editor: tried with the
//! real git of a user outside the walls, at the full and the partial level, as
//! whoever runs the tests and as nobody.

mod files;
mod repositories;
mod settings;
mod work;

use crate::jobs::{soon, supervisor_program};
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use tenon_sandbox::{
    Adapter, Lacking, Limits, Mode, Network, Private, Probe, SandboxPolicy, Supervisor,
};
use tenon_tools::Jobs;
use tenon_tools::jobs::{RunOutcome, RunSpec};
use tokio_util::sync::CancellationToken;

const NOBODY: u32 = 65534;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Full,
    Partial,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    Own,
    Nobody,
}

/// A project that is a repository, and a program that must not be run.
pub struct Yard {
    _dir: TempDir,
    pub top: PathBuf,
    pub root: PathBuf,
    pub jobs: Jobs,
    environment: Vec<(OsString, OsString)>,
    pub level: Level,
    pub who: Who,
}

/// Every level and user that this machine can try.
pub fn yards() -> Vec<Yard> {
    let mut yards = Vec::new();
    if Probe::look().level == "none" {
        eprintln!("skipped: this machine offers no walls");
        return yards;
    }
    let is_root = rustix::process::geteuid().is_root();
    let may_be_nobody = is_root && Path::new("/usr/bin/setpriv").exists();
    for level in [Level::Full, Level::Partial] {
        for who in [Who::Own, Who::Nobody] {
            if who == Who::Own || may_be_nobody {
                yards.push(Yard::new(level, who));
            }
        }
    }
    yards
}

impl Yard {
    fn new(level: Level, who: Who) -> Self {
        let dir = tempfile::Builder::new()
            .prefix("tenon-warden-")
            .tempdir()
            .unwrap();
        let mut yard = Self::plain_in(dir, level, who);
        let named = [
            ("TOP", yard.top.clone()),
            ("EVIL", yard.top.join("open/evil")),
        ];
        let named = named.map(|(name, path)| (name.into(), path.into()));
        yard.environment.extend(named);
        let root = yard.root.clone();
        yard.with_root(root)
    }

    /// Its environment names nothing in it but the home.
    pub fn plain_in(dir: TempDir, level: Level, who: Who) -> Self {
        let top = dir.path().canonicalize().unwrap();
        std::fs::set_permissions(&top, std::fs::Permissions::from_mode(0o755)).unwrap();
        let root = top.join("project");
        for folder in ["project/src", "home", "open"] {
            std::fs::create_dir_all(top.join(folder)).unwrap();
        }
        std::fs::write(root.join("src/a.txt"), "one\n").unwrap();
        // It says so when it is run.
        let evil = format!("#!/bin/sh\ntouch {}/home/ran\n", top.display());
        std::fs::write(top.join("open/evil"), evil).unwrap();
        let runnable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(top.join("open/evil"), runnable).unwrap();
        let environment = vec![
            ("PATH".into(), std::env::var_os("PATH").unwrap()),
            ("HOME".into(), top.join("home").into()),
            ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
            ("GIT_AUTHOR_NAME".into(), "a".into()),
            ("GIT_AUTHOR_EMAIL".into(), "a@example.com".into()),
            ("GIT_COMMITTER_NAME".into(), "a".into()),
            ("GIT_COMMITTER_EMAIL".into(), "a@example.com".into()),
        ];
        let yard = Self {
            _dir: dir,
            jobs: Jobs::new(supervisor(level, who), top.join("spill"), Vec::new()),
            top,
            root: root.clone(),
            environment,
            level,
            who,
        };
        let yard = yard.with_root(root);
        yard.git(&yard.root, &["init", "-q"]);
        yard.git(&yard.root, &["add", "-A"]);
        yard.git(&yard.root, &["commit", "-qm", "one"]);
        yard.give();
        yard
    }

    /// The same with another project in it.
    pub fn with_root(self, root: PathBuf) -> Self {
        let policy = SandboxPolicy {
            mode: Mode::WorkspaceWrite,
            network: Network::Inherit,
            adapter: Adapter::Auto,
            root: root.clone(),
            writable: vec![self.top.join("open")],
            read_only: [".git/hooks", ".git/config", ".git/commondir"]
                .map(|name| root.join(name))
                .to_vec(),
            guarded: Vec::new(),
            copies: Vec::new(),
            sockets: Vec::new(),
            private: Private::default(),
            hidden: Vec::new(),
            limits: Limits::default(),
            lacking: Lacking::RunPartial,
        };
        let environment = self.environment.clone();
        let supervisor = supervisor(self.level, self.who);
        let jobs = Jobs::new(supervisor, self.top.join("spill"), environment);
        Self {
            root,
            jobs: jobs.with_sandbox(Some(policy)),
            ..self
        }
    }

    /// To whom the commands run as.
    pub fn give(&self) {
        fn give(path: &Path) {
            std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
            if path.symlink_metadata().unwrap().is_dir() {
                for entry in std::fs::read_dir(path).unwrap() {
                    give(&entry.unwrap().path());
                }
            }
        }
        if self.who == Who::Nobody {
            give(&self.top);
        }
    }

    /// Runs a script that the policy knows nothing of.
    pub async fn sh(&self, script: &str) -> RunOutcome {
        std::fs::write(self.top.join("open/try.sh"), script).unwrap();
        let line = format!("sh {}/open/try.sh", self.top.display());
        self.line(&line).await
    }

    pub async fn line(&self, line: &str) -> RunOutcome {
        self.run(RunSpec::new(line, &self.root)).await
    }

    pub async fn run(&self, spec: RunSpec) -> RunOutcome {
        let cancelled = CancellationToken::new();
        soon(self.jobs.run(spec, &cancelled, &|_, _| {})).await
    }

    /// The user's own git, outside of any walls. Says whether it went well.
    pub fn git(&self, folder: &Path, words: &[&str]) -> bool {
        let done = Command::new("git")
            .args(["-c", "safe.directory=*", "-c", "protocol.file.allow=always"])
            .args(words)
            .current_dir(folder)
            .env("HOME", self.top.join("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "a")
            .env("GIT_AUTHOR_EMAIL", "a@example.com")
            .env("GIT_COMMITTER_NAME", "a")
            .env("GIT_COMMITTER_EMAIL", "a@example.com")
            .env("GIT_EDITOR", "true")
            .output()
            .unwrap();
        done.status.success()
    }

    /// All that a user, their prompt and their editor may ask of git.
    pub fn uses_git(&self, folder: &Path) {
        for words in [
            &["status"] as &[&str],
            &["diff"],
            &["add", "-A"],
            &["commit", "-qam", "user"],
            &["fetch", "--all"],
        ] {
            self.git(folder, words);
        }
    }

    pub fn has_run(&self) -> bool {
        self.top.join("home/ran").exists()
    }

    pub fn text(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(self.root.join(file)).ok()
    }

    pub fn put(&self, file: &str, text: &str) {
        let path = self.root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self.give();
    }

    pub fn exists(&self, file: &str) -> bool {
        self.root.join(file).symlink_metadata().is_ok()
    }

    pub fn case(&self, outcome: &RunOutcome) -> String {
        let printed = |excerpt: &tenon_tools::jobs::Excerpt| excerpt.joined(|_| String::new());
        format!(
            "{:?} {:?} {:?} repairs {:#?}\n{}{}",
            self.level,
            self.who,
            outcome.ended,
            outcome.repairs,
            printed(&outcome.output.stdout),
            printed(&outcome.output.stderr)
        )
    }
}

/// What is told apart from the settings of the project itself, which git may
/// want to change on its way.
pub fn told(outcome: &RunOutcome) -> Vec<&String> {
    let repairs = outcome.repairs.iter();
    repairs
        .filter(|told| !told.contains("/project/.git/config`"))
        .collect()
}

fn supervisor(level: Level, who: Who) -> Supervisor {
    let own = supervisor_program();
    let mut words: Vec<std::ffi::OsString> = Vec::new();
    let program = match who {
        Who::Own => own,
        Who::Nobody => {
            words.extend(["--reuid=65534", "--regid=65534", "--clear-groups"].map(Into::into));
            words.push(own.into());
            PathBuf::from("/usr/bin/setpriv")
        }
    };
    if level == Level::Partial {
        words.push("without=namespaces".into());
    }
    Supervisor::new(program, words)
}
