//! Times a command that only reads, in its room, over the same without any
//! walls: `reading FOLDER SUPERVISOR [WORD …]` prints the medians of both in
//! milliseconds. Used by `cargo xtask bench`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tenon_sandbox::{Adapter, Lacking, Limits, Mode, Network, Private, SandboxPolicy, Supervisor};
use tenon_tools::Jobs;
use tenon_tools::jobs::{Room, RunSpec, Walls};
use tokio_util::sync::CancellationToken;

const ROUNDS: usize = 100;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let (Some(root), Some(program)) = (words.next().map(PathBuf::from), words.next()) else {
        eprintln!("reading FOLDER SUPERVISOR [WORD …]");
        return ExitCode::from(2);
    };
    let environment = ["PATH", "HOME"].map(|name| {
        let value = std::env::var_os(name).unwrap_or_default();
        (OsString::from(name), value)
    });
    let supervisor = Supervisor::new(program, words.collect());
    let jobs = Jobs::new(supervisor, root.join("outputs"), environment.to_vec())
        .with_sandbox(Some(policy(&root)));
    if !jobs.holds_readers() {
        eprintln!("this machine does not hold the walls for commands that only read");
        return ExitCode::FAILURE;
    }
    let kinds = [
        (Room::Session, Walls::Outside),
        (Room::Reading, Walls::Inside),
    ];
    let mut times = [Vec::new(), Vec::new()];
    // In turns, so that whatever else the machine does meets both alike.
    for _ in 0..ROUNDS {
        for ((room, walls), times) in kinds.into_iter().zip(&mut times) {
            let spec = RunSpec {
                room,
                walls,
                ..RunSpec::new("true", &root)
            };
            let begun = Instant::now();
            let outcome = jobs.run(spec, &CancellationToken::new(), &|_, _| {}).await;
            times.push(begun.elapsed());
            assert_eq!(outcome.exit_code(), Some(0), "{outcome:?}");
        }
    }
    let [plain, reading] = times.map(median);
    println!("{:.3} {:.3}", reading * 1e3, plain * 1e3);
    ExitCode::SUCCESS
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}

fn policy(root: &Path) -> SandboxPolicy {
    SandboxPolicy {
        mode: Mode::WorkspaceWrite,
        network: Network::Inherit,
        adapter: Adapter::Auto,
        root: root.to_owned(),
        writable: Vec::new(),
        read_only: Vec::new(),
        guarded: Vec::new(),
        copies: Vec::new(),
        hidden: ["/etc/shadow", "/etc/gshadow", "/etc/ssl/private"]
            .map(PathBuf::from)
            .to_vec(),
        sockets: Vec::new(),
        private: Private::default(),
        limits: Limits::default(),
        lacking: Lacking::RunPartial,
    }
}
