//! Starts commands under the real supervisor, and looks at `/proc` with eyes of
//! its own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tenon_sandbox::{CommandSpec, StdinKind, Supervised, Supervisor};
use tokio::io::AsyncReadExt;

/// The variable by which a test finds every process of its commands.
pub const TAG: &str = "TENON_TEST_TAG";

pub fn supervisor() -> Supervisor {
    Supervisor::new(env!("CARGO_BIN_EXE_tenon-supervise"), Vec::new())
}

/// A folder of its own, whose path is also the tag of the commands.
pub struct Place {
    pub dir: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn spec(&self, script: &str) -> CommandSpec {
        spec(self.path(), script)
    }

    pub async fn start(&self, script: &str) -> Supervised {
        supervisor().spawn(self.spec(script)).await.unwrap()
    }

    /// Runs a script to its end and gives what it printed.
    pub async fn output(&self, script: &str) -> String {
        let mut command = self.start(script).await;
        let text = printed(&mut command).await;
        soon(command.emptied()).await;
        text
    }

    pub fn has(&self, name: &str) -> bool {
        self.path().join(name).exists()
    }

    /// Waits until a file holds a line, and gives it.
    pub fn line(&self, name: &str) -> String {
        let path = self.path().join(name);
        let mut text = String::new();
        until(&format!("{name} is written"), || {
            text = std::fs::read_to_string(&path).unwrap_or_default();
            text.ends_with('\n')
        });
        text.trim_end().to_owned()
    }

    pub fn alive(&self) -> Vec<u32> {
        alive_with(self.path())
    }
}

pub fn spec(folder: &Path, script: &str) -> CommandSpec {
    let path = std::env::var_os("PATH").unwrap();
    CommandSpec {
        argv: ["bash", "-c", script].map(OsString::from).to_vec(),
        cwd: folder.to_owned(),
        env: vec![("PATH".into(), path), (TAG.into(), folder.into())],
        stdin: StdinKind::Null,
        confinement: None,
    }
}

pub async fn printed(command: &mut Supervised) -> String {
    let mut text = String::new();
    let mut stdout = command.stdout.take().unwrap();
    soon(stdout.read_to_string(&mut text)).await.unwrap();
    text
}

/// A guard against a hang, not a measure.
pub async fn soon<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), work)
        .await
        .unwrap()
}

pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(30), "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Processes, not zombies, whose environment carries the tag.
pub fn alive_with(tag: &Path) -> Vec<u32> {
    let wanted = format!("{TAG}={}", tag.display());
    pids()
        .filter(|pid| is_alive(*pid))
        .filter(|pid| {
            let block = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            block
                .split(|byte| *byte == 0)
                .any(|variable| variable == wanted.as_bytes())
        })
        .collect()
}

pub fn is_alive(pid: u32) -> bool {
    state(pid).is_some_and(|(state, _)| state != 'Z' && state != 'X')
}

/// Zombies whose parent is this process.
pub fn own_zombies() -> Vec<u32> {
    pids()
        .filter(|pid| state(*pid) == Some(('Z', std::process::id())))
        .collect()
}

fn pids() -> impl Iterator<Item = u32> {
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// State and parent.
fn state(pid: u32) -> Option<(char, u32)> {
    let stat = std::fs::read_to_string(PathBuf::from(format!("/proc/{pid}/stat"))).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, fields.next()?.parse().ok()?))
}
