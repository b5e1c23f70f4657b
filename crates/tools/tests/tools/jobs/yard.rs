//! Real processes in a folder of their own, and a look at `/proc` that does not
//! trust the code under test.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tenon_sandbox::Supervisor;
use tenon_tools::Jobs;
use tenon_tools::jobs::{Input, JobInfo, Leftovers, Placement, RunOutcome, RunSpec};
use tenon_vocab::{JobAction, JobId, ToolStream};
use tokio_util::sync::CancellationToken;

/// The variable by which a test finds every process of its commands.
const TAG: &str = "TENON_TEST_TAG";

/// No process is alive.
pub const NOBODY: [u32; 0] = [];

/// What happened to jobs, and the exit code it came with.
pub type Events = Vec<(JobAction, Option<i32>)>;

/// A session's processes and a folder of their own.
pub struct Yard {
    pub dir: TempDir,
    pub jobs: Jobs,
    pub cancelled: CancellationToken,
    pub events: Arc<Mutex<Events>>,
    shown: Mutex<Vec<(ToolStream, String)>>,
}

impl Yard {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let environment = vec![
            ("PATH".into(), std::env::var_os("PATH").unwrap()),
            ("HOME".into(), dir.path().into()),
            (TAG.into(), dir.path().into()),
        ];
        let supervisor = Supervisor::new(supervisor_program(), Vec::new());
        let jobs = Jobs::new(supervisor, dir.path().join("spill"), environment);
        let events: Arc<Mutex<Vec<_>>> = Arc::default();
        let heard = Arc::clone(&events);
        jobs.on_change(Arc::new(move |event| {
            heard.lock().unwrap().push((event.action, event.exit_code));
        }));
        Self {
            dir,
            jobs,
            cancelled: CancellationToken::new(),
            events,
            shown: Mutex::default(),
        }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn spec(&self, command: &str) -> RunSpec {
        RunSpec {
            leftovers: Leftovers::BecomeJob,
            timeout: None,
            ..RunSpec::new(command, self.path())
        }
    }

    pub async fn run(&self, spec: RunSpec) -> RunOutcome {
        let show = |stream, bytes: &[u8]| {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            self.shown.lock().unwrap().push((stream, text));
        };
        soon(self.jobs.run(spec, &self.cancelled, &show)).await
    }

    pub async fn sh(&self, command: &str) -> RunOutcome {
        self.run(self.spec(command)).await
    }

    pub async fn background(&self, command: &str) -> RunOutcome {
        self.run(RunSpec {
            placement: Placement::Background,
            input: Input::Open,
            ..self.spec(command)
        })
        .await
    }

    /// Live output of both streams.
    pub fn live(&self) -> String {
        let shown = self.shown.lock().unwrap();
        shown.iter().map(|(_, text)| text.as_str()).collect()
    }

    pub fn actions(&self) -> Vec<JobAction> {
        let events = self.events.lock().unwrap();
        events.iter().map(|(action, _)| *action).collect()
    }

    pub fn alive(&self) -> Vec<u32> {
        alive_with(self.path())
    }

    pub fn only_job(&self) -> JobInfo {
        let list = self.jobs.list();
        assert_eq!(list.len(), 1, "{list:?}");
        list.into_iter().next().unwrap()
    }

    /// Reads until the text has come.
    pub async fn read_until(&self, id: &JobId, wanted: &str) -> String {
        soon(async {
            let mut text = String::new();
            while !text.contains(wanted) {
                let read = self.jobs.read(id, Duration::from_millis(200)).await;
                text.push_str(&read.unwrap().text.joined(|_| String::from("[cut]")));
            }
            text
        })
        .await
    }
}

/// A guard against a hang, not a measure.
pub async fn soon<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), work)
        .await
        .unwrap()
}

pub async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(30), "never: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The supervisor's own binary, built when it is missing or older than its source.
pub fn supervisor_program() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let program = own
        .parent()
        .unwrap()
        .parent()
        .unwrap()
        .join("tenon-supervise");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sandbox/src");
    let written = |path: &Path| path.metadata().and_then(|meta| meta.modified()).ok();
    let newest = std::fs::read_dir(source)
        .unwrap()
        .flatten()
        .filter_map(|entry| written(&entry.path()))
        .max();
    if written(&program) < newest {
        let built = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "-p", "tenon-sandbox"])
            .args(["--bin", "tenon-supervise", "--target-dir"])
            .arg(program.parent().unwrap().parent().unwrap())
            .status()
            .unwrap();
        assert!(built.success());
        // Cargo leaves a program alone that is the same as before.
        // Opened for reading: a program that runs cannot be opened for writing.
        let file = std::fs::File::open(&program).unwrap();
        file.set_modified(std::time::SystemTime::now()).unwrap();
    }
    program
}

/// Processes, not zombies, whose environment carries the tag.
pub fn alive_with(tag: &Path) -> Vec<u32> {
    let wanted = format!("{TAG}={}", tag.display());
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid: &u32| {
            let block = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let tagged = block
                .split(|byte| *byte == 0)
                .any(|variable| variable == wanted.as_bytes());
            tagged && !is_zombie(*pid)
        })
        .collect()
}

fn is_zombie(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
    after.trim_start().starts_with(['Z', 'X'])
}
