//! Times one look at a tree: `scan FOLDER` prints the milliseconds that a warm
//! one takes, and how many entries it saw. Used by `cargo xtask bench`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use tenon_tools::workspace::{SCAN_ENTRIES, ScanLimits, Workspace, WorkspaceOptions};

const RUNS: usize = 9;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("scan FOLDER");
        return ExitCode::from(2);
    };
    let workspace = match Workspace::open(&folder, WorkspaceOptions::default()) {
        Ok(workspace) => workspace,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let stop = AtomicBool::new(false);
    let limits = ScanLimits {
        entries: SCAN_ENTRIES,
        deadline: None,
        threads: std::thread::available_parallelism().map_or(1, |count| count.get().min(4)),
        stop: &stop,
        without: &[],
    };
    let entries = workspace.scan(&limits).entries().len();
    let least = (0..RUNS)
        .map(|_| {
            let started = Instant::now();
            let scan = workspace.scan(&limits);
            let took = started.elapsed().as_secs_f64() * 1e3;
            assert_eq!(scan.entries().len(), entries);
            took
        })
        .fold(f64::INFINITY, f64::min);
    println!("{least:.1} {entries}");
    ExitCode::SUCCESS
}
