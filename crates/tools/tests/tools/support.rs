//! What every test of the tools stands on: a real folder, a real workspace,
//! and a host that records what a call shows.

use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock, Mutex};
use tempfile::TempDir;
use tenon_sandbox::Supervisor;
use tenon_tools::workspace::{Resolution, Workspace, WorkspaceError, WorkspaceOptions};
use tenon_tools::{
    BuiltIn, Host, HostReply, HostRequest, Interactive, Jobs, Tool, ToolLimits, ToolSource,
};
use tenon_vocab::port::BoxFuture;
use tenon_vocab::{CallId, Envelope, ToolDelta, ToolOutput, ToolSpec};
use tokio_util::sync::CancellationToken;

/// A project folder, and beside it a folder that must never be touched.
pub struct World {
    dir: TempDir,
    pub workspace: Workspace,
    pub limits: ToolLimits,
    pub cancelled: CancellationToken,
    /// What the user answers; `None` means nobody is there.
    pub answer: Option<String>,
    /// What comes of reading the task list; one that was written comes back.
    pub todo: HostReply,
    pub asked: Arc<Mutex<Vec<HostRequest>>>,
    pub deltas: Arc<Mutex<Vec<ToolDelta>>>,
    jobs: Jobs,
}

impl World {
    pub fn new() -> Self {
        Self::with_options(WorkspaceOptions::default())
    }

    pub fn with_options(options: WorkspaceOptions) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("project");
        std::fs::create_dir_all(&root).unwrap();
        std::fs::create_dir_all(dir.path().join("outside")).unwrap();
        Self {
            workspace: Workspace::open(&root, options).unwrap(),
            jobs: jobs(&dir.path().join("spill")),
            dir,
            limits: ToolLimits::default(),
            cancelled: CancellationToken::new(),
            answer: None,
            todo: HostReply::Todo(Vec::new()),
            asked: Arc::default(),
            deltas: Arc::default(),
        }
    }

    pub fn root(&self) -> &Path {
        self.workspace.root()
    }

    /// The folder beside the project.
    pub fn outside(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("outside")
    }

    /// Writes a file of the project, behind the tools' back.
    pub fn file(&self, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let absolute = self.root().join(path);
        std::fs::create_dir_all(absolute.parent().unwrap()).unwrap();
        std::fs::write(&absolute, bytes).unwrap();
        absolute
    }

    pub fn bytes(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.root().join(path)).unwrap()
    }

    pub fn text(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path)).unwrap()
    }

    pub fn exists(&self, path: &str) -> bool {
        self.root().join(path).symlink_metadata().is_ok()
    }

    pub fn link(&self, path: &str, target: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.root().join(path)).unwrap();
    }

    pub fn mode(&self, path: &str) -> u32 {
        let metadata = std::fs::metadata(self.root().join(path)).unwrap();
        metadata.permissions().mode() & 0o7777
    }

    pub fn set_mode(&self, path: &str, mode: u32) {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(self.root().join(path), permissions).unwrap();
    }

    /// Runs a tool the way the gate does: the input is repaired and checked.
    pub async fn run(&self, tool: &dyn Tool, input: Value) -> ToolOutput {
        let spec = tool.spec();
        let input = checked(spec, input);
        tool.run(input, self).await
    }

    /// Runs a built-in tool by name.
    pub async fn call(&self, name: &str, input: Value) -> ToolOutput {
        let tool = tool(name);
        self.run(tool.as_ref(), input).await
    }
}

/// A built-in tool by its canonical name.
pub fn tool(name: &str) -> Arc<dyn Tool> {
    BuiltIn::new(Interactive::Yes)
        .tools()
        .into_iter()
        .find(|tool| tool.spec().name == name)
        .unwrap()
}

/// The input as a tool sees it. Panics where the gate would refuse.
pub fn checked(spec: &ToolSpec, input: Value) -> Value {
    let (input, _) = tenon_tools::input::repair(&spec.name, &spec.parameters, input);
    if let Err(fault) = tenon_tools::input::check(&spec.parameters, &input) {
        panic!("{}: {fault}", spec.name);
    }
    input
}

fn jobs(spill: &Path) -> Jobs {
    let environment = std::env::vars_os().collect();
    Jobs::new(supervisor(), spill.to_path_buf(), environment)
}

/// The supervisor's own little program, beside the test's profile folder. A
/// build of this crate alone does not make it: then it is made here.
pub fn supervisor() -> Supervisor {
    static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
        let test = std::env::current_exe().unwrap();
        let profile = test.parent().unwrap().parent().unwrap();
        let program = profile.join("tenon-supervise");
        if !program.exists() {
            let built = Command::new(env!("CARGO"))
                .args(["build", "-p", "tenon-sandbox", "--bin", "tenon-supervise"])
                .env("CARGO_TARGET_DIR", profile.parent().unwrap())
                .status()
                .unwrap();
            assert!(built.success());
        }
        program
    });
    Supervisor::new(PROGRAM.clone(), Vec::new())
}

/// The data of a result that must have succeeded.
pub fn data(output: &ToolOutput) -> &Value {
    match &output.envelope {
        Envelope::Ok(data) => data,
        Envelope::Err(error) => panic!("{error:?}"),
    }
}

/// The code of a result that must have failed.
pub fn code(output: &ToolOutput) -> String {
    match &output.envelope {
        Envelope::Ok(data) => panic!("succeeded: {data}"),
        Envelope::Err(error) => error.code.name(),
    }
}

/// The same workspace with each way of resolving paths.
pub fn both(world: &World) -> [Workspace; 2] {
    [Resolution::Kernel, Resolution::Walk].map(|way| world.workspace.with_resolution(way))
}

/// The code of what the workspace refused.
pub fn refusal(error: &WorkspaceError) -> String {
    error.code().name()
}

impl Host for World {
    fn call(&self) -> &CallId {
        static CALL: LazyLock<CallId> = LazyLock::new(|| CallId::new("call_1"));
        &CALL
    }

    fn cancelled(&self) -> &CancellationToken {
        &self.cancelled
    }

    fn progress(&self, delta: ToolDelta) {
        self.deltas.lock().unwrap().push(delta);
    }

    fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    fn limits(&self) -> &ToolLimits {
        &self.limits
    }

    fn request(&self, request: HostRequest) -> BoxFuture<'_, HostReply> {
        self.asked.lock().unwrap().push(request.clone());
        let reply = match (request, &self.todo, &self.answer) {
            (HostRequest::Todo(Some(items)), HostReply::Todo(_), _) => HostReply::Todo(items),
            (HostRequest::Todo(_), kept, _) => kept.clone(),
            (_, _, Some(answer)) => HostReply::Answer(answer.clone()),
            (_, _, None) => HostReply::Unavailable(String::from("nobody is there to answer")),
        };
        Box::pin(std::future::ready(reply))
    }
}
