//! What walls add to the start of a command: run it with `--release` and the
//! path of `tenon-supervise`. Prints medians; judges nothing.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tenon_sandbox::{
    Adapter, CommandSpec, Lacking, Limits, Mode, Network, Private, SandboxPolicy, StdinKind,
    Supervisor,
};

const ROUNDS: usize = 200;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let program = std::env::args_os().nth(1).ok_or("name tenon-supervise")?;
    let folder = tempfile::tempdir()?;
    let root = folder.path().canonicalize()?;
    for path in [".git/hooks", "home/.ssh", "home/.aws"] {
        std::fs::create_dir_all(root.join(path))?;
    }
    std::fs::write(root.join(".git/config"), "[core]\n")?;
    let whole = Supervisor::new(PathBuf::from(&program), Vec::new());
    let bare = Supervisor::new(&program, vec!["without=namespaces".into()]);
    let cases = [
        ("no walls", &whole, None),
        ("full", &whole, Some(policy(&root, Network::Inherit))),
        (
            "full, every socket allowed",
            &whole,
            Some(every_socket(&root)),
        ),
        (
            "full, network denied",
            &whole,
            Some(policy(&root, Network::Deny)),
        ),
        ("full, only reading", &whole, Some(only_reading(&root))),
        ("partial", &bare, Some(policy(&root, Network::Inherit))),
    ];
    let mut times = vec![(Vec::new(), Vec::new()); cases.len()];
    // In turns, so that whatever else the machine does meets all alike.
    for _ in 0..ROUNDS {
        for ((_, supervisor, policy), (started, ended)) in cases.iter().zip(&mut times) {
            let begun = Instant::now();
            let mut command = supervisor.spawn(spec(&root, policy.clone())).await?;
            started.push(begun.elapsed());
            command.exited().await;
            ended.push(begun.elapsed());
            command.emptied().await;
        }
    }
    let mut report = String::new();
    for ((name, ..), (started, ended)) in cases.iter().zip(&mut times) {
        report += &format!(
            "{name}: started after {:?}, ended after {:?}\n",
            median(started),
            median(ended)
        );
    }
    std::io::Write::write_all(&mut std::io::stdout(), report.as_bytes())?;
    Ok(())
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn spec(root: &Path, confinement: Option<SandboxPolicy>) -> CommandSpec {
    CommandSpec {
        argv: vec!["/bin/true".into()],
        cwd: root.to_owned(),
        env: Vec::new(),
        stdin: StdinKind::Null,
        confinement,
    }
}

fn every_socket(root: &Path) -> SandboxPolicy {
    SandboxPolicy {
        sockets: vec!["/".into()],
        ..policy(root, Network::Inherit)
    }
}

fn only_reading(root: &Path) -> SandboxPolicy {
    SandboxPolicy {
        mode: Mode::ReadOnly,
        read_only: Vec::new(),
        private: Private {
            folders: ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from).to_vec(),
            closed: Vec::new(),
            seen: vec![root.to_owned()],
        },
        ..policy(root, Network::Deny)
    }
}

fn policy(root: &Path, network: Network) -> SandboxPolicy {
    SandboxPolicy {
        mode: Mode::WorkspaceWrite,
        network,
        adapter: Adapter::Auto,
        root: root.to_owned(),
        writable: Vec::new(),
        read_only: vec![
            root.join(".git/hooks"),
            root.join(".git/config"),
            root.join(".tenon"),
        ],
        guarded: Vec::new(),
        copies: Vec::new(),
        hidden: vec![root.join("home/.ssh"), root.join("home/.aws")],
        sockets: Vec::new(),
        private: Private::default(),
        limits: Limits::default(),
        lacking: Lacking::RunPartial,
    }
}
