//! Really starts a confined command and tries each wall, for `tenon doctor`.
//! A machine that has all the features and a container that forbids their use
//! look the same until somebody tries.

use crate::confinement::Confinement;
use crate::probe::Probe;
use crate::supervisor::{CommandSpec, SpawnError, StdinKind, Supervisor};
use crate::walls::{Adapter, Lacking, Limits, Mode, Network, Private, SandboxPolicy};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::AsyncReadExt;

/// A trial that takes longer says so and ends.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whether a wall held when it was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    Yes,
    No,
    /// It could not be tried.
    Unknown,
}

/// One wall, tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// `work inside`, `write outside`, `write protected`, `read hidden`,
    /// `network`, `signal`.
    pub wall: &'static str,
    pub held: Held,
    /// What was seen, one sentence.
    pub detail: String,
}

/// What came of really starting a confined command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trial {
    /// What stood around the command; an error when it could not be started.
    pub confinement: Result<Confinement, String>,
    pub findings: Vec<Finding>,
}

/// Each prints its name when the wall did *not* hold; the first one when work
/// inside was possible.
const SCRIPT: &str = r#"
: > inside && echo work inside
{ : > "$1/outside/new"; } 2>/dev/null && echo write outside
{ echo x > kept/file; } 2>/dev/null && echo write protected
[ -n "$(cat "$1/hidden/file" 2>/dev/null)" ] && echo read hidden
{ : 3<>/dev/tcp/127.0.0.1/$2; } 2>/dev/null && echo network
kill -0 "$3" 2>/dev/null && echo signal
echo end
"#;

const WALLS: [(&str, &str, &str); 5] = [
    (
        "write outside",
        "commands can't create files outside the project",
        "a command created a file outside the project",
    ),
    (
        "write protected",
        "commands can't write protected files",
        "a command wrote a protected file; it is restored afterwards",
    ),
    (
        "read hidden",
        "commands can't read hidden files",
        "a command read a hidden file",
    ),
    (
        "network",
        "commands can't reach a server on this machine",
        "a command reached a server on this machine",
    ),
    (
        "signal",
        "commands can't send signals to Tenon",
        "a command sent a signal to Tenon",
    ),
];

impl Probe {
    /// Really starts a confined command in a temporary folder and tries each
    /// wall, with the network denied.
    pub async fn trial(supervisor: &Supervisor) -> Trial {
        Self::trial_like(supervisor, &strict(PathBuf::new())).await
    }

    /// The same behind walls as this policy wants them: its mode, network,
    /// adapter and limits. Its lists of paths are those of [`Self::stand`]: here
    /// nothing of the user is touched.
    pub async fn trial_like(supervisor: &Supervisor, wanted: &SandboxPolicy) -> Trial {
        match tokio::time::timeout(PATIENCE, run(supervisor, wanted)).await {
            Ok(Ok(trial)) => trial,
            Ok(Err(why)) => failed(why),
            Err(_) => failed(too_slow()),
        }
    }

    /// Starts a command that does nothing behind this very policy, and says what
    /// stood around it.
    ///
    /// # Errors
    /// Why no command can run behind it, a sentence.
    pub async fn stand(
        supervisor: &Supervisor,
        policy: &SandboxPolicy,
    ) -> Result<Confinement, String> {
        let shell = SHELLS.into_iter().find(|shell| Path::new(shell).is_file());
        let spec = CommandSpec {
            argv: vec![
                shell.unwrap_or("/bin/sh").into(),
                "-c".into(),
                "echo end".into(),
            ],
            cwd: policy.root.clone(),
            env: vec![(OsString::from("PATH"), OsString::from("/usr/bin:/bin"))],
            stdin: StdinKind::Null,
            confinement: Some(policy.clone()),
        };
        match tokio::time::timeout(PATIENCE, printed(supervisor, spec)).await {
            Ok(outcome) => outcome.map(|(confinement, _)| confinement),
            Err(_) => Err(too_slow()),
        }
    }
}

fn too_slow() -> String {
    format!("the test did not end within {} seconds", PATIENCE.as_secs())
}

/// All walls, around a folder.
fn strict(root: PathBuf) -> SandboxPolicy {
    SandboxPolicy {
        mode: Mode::WorkspaceWrite,
        network: Network::Deny,
        adapter: Adapter::Auto,
        root,
        writable: Vec::new(),
        read_only: Vec::new(),
        guarded: Vec::new(),
        copies: Vec::new(),
        hidden: Vec::new(),
        sockets: Vec::new(),
        private: Private::default(),
        limits: Limits::default(),
        lacking: Lacking::RunPartial,
    }
}

/// Runs a command that prints `end` as its last line.
async fn printed(
    supervisor: &Supervisor,
    spec: CommandSpec,
) -> Result<(Confinement, String), String> {
    let mut command = supervisor.spawn(spec).await.map_err(|error| match error {
        SpawnError::Confinement(why) => why,
        other => other.to_string(),
    })?;
    let confinement = command.confinement().clone();
    let mut out = Vec::new();
    if let Some(stdout) = command.stdout.take() {
        let _ = stdout.take(MAX_OUTPUT).read_to_end(&mut out).await;
    }
    command.emptied().await;
    let out = String::from_utf8_lossy(&out).into_owned();
    if !out.lines().any(|line| line == "end") {
        return Err(String::from("the command in the sandbox did not finish"));
    }
    Ok((confinement, out))
}

fn failed(why: String) -> Trial {
    let findings = WALLS
        .iter()
        .map(|(wall, _, _)| Finding {
            wall,
            held: Held::Unknown,
            detail: String::from("not tested, because no command could be started"),
        })
        .collect();
    Trial {
        confinement: Err(why),
        findings,
    }
}

async fn run(supervisor: &Supervisor, wanted: &SandboxPolicy) -> Result<Trial, String> {
    let stage =
        Stage::build().map_err(|error| format!("can't create a temporary folder: {error}"))?;
    let server = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let port = server
        .as_ref()
        .ok()
        .and_then(|server| server.local_addr().ok())
        .map(|address| address.port());
    let shell = SHELLS.into_iter().find(|shell| Path::new(shell).is_file());
    let shell_path = shell.unwrap_or("/bin/sh");
    let spec = stage.spec(shell_path, port.unwrap_or_default(), wanted);
    let (confinement, out) = printed(supervisor, spec).await?;
    let said = |line: &str| out.lines().any(|own| own == line);
    let (held, detail) = match (wanted.mode, said("work inside")) {
        (Mode::ReadOnly, true) => (
            Held::No,
            "a command wrote to the project, though it is \
             read-only",
        ),
        (Mode::ReadOnly, false) => (
            Held::Yes,
            "commands can't write to the project, as configured",
        ),
        (_, true) => (Held::Yes, "commands can write to the project"),
        (_, false) => (
            Held::No,
            "commands can't write to the project, so the sandbox is too strict to work in",
        ),
    };
    let mut findings = vec![Finding {
        wall: "work inside",
        held,
        detail: String::from(detail),
    }];
    for (wall, held, broken) in WALLS {
        if wall == "network" && wanted.network == Network::Inherit {
            findings.push(Finding {
                wall,
                held: Held::Yes,
                detail: String::from("open, as configured"),
            });
            continue;
        }
        let untried = wall == "network" && (shell.is_none() || port.is_none());
        findings.push(if untried {
            Finding {
                wall,
                held: Held::Unknown,
                detail: String::from("not tested: there is no bash, or no loopback"),
            }
        } else if said(wall) {
            Finding {
                wall,
                held: Held::No,
                detail: broken.to_owned(),
            }
        } else {
            Finding {
                wall,
                held: Held::Yes,
                detail: held.to_owned(),
            }
        });
    }
    Ok(Trial {
        confinement: Ok(confinement),
        findings,
    })
}

/// Only bash can open a connection by itself.
const SHELLS: [&str; 3] = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];
const MAX_OUTPUT: u64 = 4096;

/// A disk for the trial, removed with this.
struct Stage {
    _dir: tempfile::TempDir,
    top: PathBuf,
}

impl Stage {
    fn build() -> std::io::Result<Self> {
        let dir = tempfile::tempdir()?;
        let top = dir.path().canonicalize()?;
        for folder in ["root/kept", "outside", "hidden"] {
            std::fs::create_dir_all(top.join(folder))?;
        }
        for file in ["root/kept/file", "hidden/file"] {
            std::fs::write(top.join(file), "before\n")?;
        }
        Ok(Self { _dir: dir, top })
    }

    fn spec(&self, shell: &str, port: u16, wanted: &SandboxPolicy) -> CommandSpec {
        let root = self.top.join("root");
        CommandSpec {
            argv: vec![
                shell.into(),
                "-c".into(),
                SCRIPT.into(),
                shell.into(),
                self.top.clone().into(),
                port.to_string().into(),
                std::process::id().to_string().into(),
            ],
            cwd: root.clone(),
            env: vec![(OsString::from("PATH"), OsString::from("/usr/bin:/bin"))],
            stdin: StdinKind::Null,
            confinement: Some(SandboxPolicy {
                mode: wanted.mode,
                network: wanted.network,
                adapter: wanted.adapter,
                read_only: vec![root.join("kept")],
                hidden: vec![self.top.join("hidden")],
                limits: wanted.limits,
                lacking: wanted.lacking,
                ..strict(root)
            }),
        }
    }
}
