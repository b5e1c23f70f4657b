//! Undo, redo and revert: files go back to what they were, whoever of the session
//! changed them, and nothing that is not the session's is touched.

mod commands;
mod guessed;
mod histories;
mod ignored;
mod killed;
mod moves;
mod named;
mod room;
mod ticks;
mod told;

use crate::models::{Scripted, Turn};
use crate::support::{Given, World, facts_of, prompt, say, spec};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::sync::Arc;
use tenon_engine::{Engine, Parts};
use tenon_policy::{Facts, Layer};
use tenon_sandbox::Supervisor;
use tenon_tools::workspace::{Expect, Workspace};
use tenon_tools::{BuiltIn, Interactive};
use tenon_tools::{Host, Jobs, Tool, Toolbox};
use tenon_vocab::port::{BoxFuture, Handle};
use tenon_vocab::profile::Checkpoints;
use tenon_vocab::{
    Command, Display, Effect, Event, EventKind, Notice, SessionId, ToolOutput, ToolSpec,
};

const REVERT: Command = Command::Revert { message: None };

/// One thing done to a file.
#[derive(Debug, Clone)]
pub enum Op {
    Write(String, String),
    Delete(String),
    Rename(String, String),
    Mode(String, u32),
    Folder(String),
    Link(String, String),
    Clear(String),
    /// Removes the files of a folder whose names begin so, by a pattern for
    /// which all files of the folder are kept.
    Sweep(String, char),
}

impl Op {
    fn json(&self) -> Value {
        match self {
            Self::Write(path, text) => json!(["write", path, text]),
            Self::Delete(path) => json!(["delete", path]),
            Self::Rename(from, to) => json!(["rename", from, to]),
            Self::Mode(path, mode) => json!(["mode", path, mode.to_string()]),
            Self::Folder(path) => json!(["folder", path]),
            Self::Link(path, target) => json!(["link", path, target]),
            Self::Clear(path) => json!(["clear", path]),
            Self::Sweep(folder, first) => json!(["sweep", folder, first.to_string()]),
        }
    }

    fn of(value: &Value) -> Self {
        let text = |at: usize| value[at].as_str().unwrap_or_default().to_owned();
        match value[0].as_str().unwrap() {
            "write" => Self::Write(text(1), text(2)),
            "delete" => Self::Delete(text(1)),
            "rename" => Self::Rename(text(1), text(2)),
            "mode" => Self::Mode(text(1), text(2).parse().unwrap()),
            "folder" => Self::Folder(text(1)),
            "link" => Self::Link(text(1), text(2)),
            "sweep" => Self::Sweep(text(1), text(2).chars().next().unwrap()),
            _ => Self::Clear(text(1)),
        }
    }

    /// As a command or a person does it: in place, by path. What cannot be done
    /// is not done.
    pub fn by_hand(&self, root: &Path) {
        let make = |path: &str| fs::create_dir_all(root.join(path).parent().unwrap());
        let _ = match self {
            Self::Write(path, text) => make(path).and_then(|()| fs::write(root.join(path), text)),
            Self::Delete(path) => fs::remove_file(root.join(path)),
            Self::Rename(from, to) => {
                make(to).and_then(|()| fs::rename(root.join(from), root.join(to)))
            }
            Self::Mode(path, mode) => {
                let bits = fs::Permissions::from_mode(*mode);
                match fs::symlink_metadata(root.join(path)) {
                    Ok(found) if !found.is_symlink() => fs::set_permissions(root.join(path), bits),
                    _ => Ok(()),
                }
            }
            Self::Folder(path) => fs::create_dir_all(root.join(path)),
            Self::Link(path, target) => {
                let _ = fs::remove_file(root.join(path));
                make(path).and_then(|()| symlink(target, root.join(path)))
            }
            Self::Clear(path) => fs::remove_dir_all(root.join(path)),
            Self::Sweep(folder, first) => sweep(&root.join(folder), *first),
        };
    }

    /// As the file tools do it.
    fn by_tool(&self, workspace: &Workspace) {
        match self {
            Self::Write(path, text) => {
                let _ = workspace.write(path, text.as_bytes(), Expect::Anything);
            }
            Self::Delete(path) => {
                let _ = workspace.remove(path, Expect::Anything);
            }
            Self::Rename(from, to) => {
                let _ = workspace.rename(from, to);
            }
            _ => {}
        }
    }

    fn by_shell(&self) -> String {
        let make = |path: &str| match path.rsplit_once('/') {
            Some((folder, _)) => format!("mkdir -p {folder} && "),
            None => String::new(),
        };
        match self {
            Self::Write(path, text) => format!("{}printf %s '{text}' > {path}", make(path)),
            Self::Delete(path) => format!("rm -f {path}"),
            Self::Rename(from, to) => format!("{}mv -f {from} {to}", make(to)),
            Self::Mode(path, mode) => format!("test -L {path} || chmod {mode:o} {path}"),
            Self::Folder(path) => format!("mkdir -p {path}"),
            Self::Link(path, target) => format!("{}ln -sfn {target} {path}", make(path)),
            Self::Clear(path) => format!("rm -rf {path}"),
            Self::Sweep(folder, first) => format!("rm -f {folder}/[{first}]*"),
        }
    }
}

fn sweep(folder: &Path, first: char) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(first) {
            // A folder stays, as with `rm -f`.
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

/// Does what its input says, in one of two ways.
struct Doing {
    spec: ToolSpec,
}

impl Doing {
    fn tool(name: &str, effect: Effect) -> Arc<dyn Tool> {
        let properties = json!({"ops": {"type": "array"}});
        Arc::new(Self {
            spec: spec(name, effect, &properties),
        })
    }
}

impl Tool for Doing {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn facts(&self, input: &Value, _: &Workspace) -> Facts {
        facts_of(&self.spec, input)
    }

    fn preview(&self, _: &Value, _: &Workspace) -> Display {
        Display::Nothing
    }

    fn run<'a>(&'a self, input: Value, host: &'a dyn Host) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async move {
            for op in input["ops"].as_array().unwrap().iter().map(Op::of) {
                match self.spec.effect {
                    Effect::Write => op.by_tool(host.workspace()),
                    _ => op.by_hand(host.workspace().root()),
                }
            }
            ToolOutput::ok(json!({}), "done", Display::Nothing)
        })
    }
}

/// A session that can be left and gone on with.
pub struct Session {
    pub world: World,
    id: SessionId,
    pub model: Arc<Scripted>,
    pub checkpoints: Checkpoints,
    handle: Option<Handle>,
    calls: u64,
}

impl Session {
    pub fn new() -> Self {
        let mut world = World::new();
        let allow = json!({"hand": "allow", "user": "allow", "edits": "allow", "bash": "allow", "write": "allow", "edit": "allow"});
        world.rules.add_config(&allow, Layer::User, "test").unwrap();
        world.approval = tenon_engine::Approval::Yolo(tenon_engine::Confirm::Nobody);
        Self {
            world,
            id: SessionId::generate(),
            model: Scripted::new([]),
            checkpoints: Checkpoints::default(),
            handle: None,
            calls: 0,
        }
    }

    pub fn root(&self) -> std::path::PathBuf {
        self.world.root()
    }

    pub fn write(&self, path: &str, text: &str) {
        Op::Write(path.into(), text.into()).by_hand(&self.root());
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    pub fn has(&self, path: &str) -> bool {
        fs::symlink_metadata(self.root().join(path)).is_ok()
    }

    pub fn parts(&self) -> Parts {
        let mut parts = self.world.parts(self.id, Arc::clone(&self.model));
        parts.context.checkpoints = self.checkpoints.clone();
        parts.toolbox = Toolbox::default();
        parts.toolbox.add(&BuiltIn::new(Interactive::No));
        parts.toolbox.add(&Given(vec![
            Doing::tool("hand", Effect::Execute),
            Doing::tool("edits", Effect::Write),
            // Nobody looks around a call that only reads: so this is the user,
            // in the middle of a run.
            Doing::tool("user", Effect::Read),
        ]));
        parts.jobs = Jobs::new(
            Supervisor::new(tenon_testing::supervisor(), Vec::new()),
            self.world.dir.path().join("out"),
            vec![("PATH".into(), "/usr/bin:/bin".into())],
        );
        parts
    }

    pub fn handle(&mut self) -> &mut Handle {
        if self.handle.is_none() {
            self.handle = Some(Engine::start(self.id, self.parts()));
        }
        self.handle.as_mut().unwrap()
    }

    /// One prompt, in which these calls are made.
    pub async fn run(&mut self, calls: &[(&str, Value)]) -> Vec<Arc<Event>> {
        let mut turns = Vec::new();
        for (name, input) in calls {
            self.calls += 1;
            let id = format!("c{}", self.calls);
            turns.push(Turn::call(&id, name, &input.to_string()));
        }
        turns.push(Turn::text("done"));
        self.model.then(turns);
        let text = format!("prompt {}", self.calls);
        prompt(self.handle(), &text).await
    }

    pub async fn bash(&mut self, command: &str) -> Vec<Arc<Event>> {
        self.run(&[("bash", json!({"command": command}))]).await
    }

    /// What became of an undo, a redo or a revert.
    pub async fn ask(&mut self, command: Command) -> Notice {
        if matches!(command, Command::Revert { .. }) {
            self.model.begins_anew();
        }
        let is_last = |kind: &EventKind| matches!(kind, EventKind::Notice(notice) if notice.kind.ends_with("undone"));
        let events = say(self.handle(), command, is_last).await;
        match events.last().map(|event| &event.kind) {
            Some(EventKind::Notice(notice)) => notice.clone(),
            other => panic!("no notice: {other:?}"),
        }
    }

    /// The program ends, and the log must be whole.
    pub async fn leave(&mut self) {
        if let Some(mut handle) = self.handle.take() {
            handle.commands.send(Command::Shutdown);
            while handle.events.next().await.is_some() {}
            drop(handle);
            self.world.verify(self.id);
        }
    }

    pub fn blobs(&self) -> tenon_session::Blobs {
        self.world.store.blobs(self.id).unwrap()
    }

    pub fn loaded(&self) -> tenon_session::Loaded {
        self.world.store.load(self.id).unwrap()
    }

    pub fn tree(&self) -> Tree {
        tree(&self.root())
    }
}

/// What stands at a path, with its mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    File(Vec<u8>, u32),
    Link(Vec<u8>),
    Folder(u32),
}

pub type Tree = BTreeMap<String, Node>;

pub fn tree(root: &Path) -> Tree {
    let mut found = Tree::new();
    walk(root, "", &mut found);
    found
}

fn walk(folder: &Path, prefix: &str, found: &mut Tree) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let about = fs::symlink_metadata(entry.path()).unwrap();
        let mode = about.mode() & 0o7777;
        let node = if about.is_dir() {
            walk(&entry.path(), &format!("{path}/"), found);
            Node::Folder(mode)
        } else if about.is_symlink() {
            Node::Link(
                fs::read_link(entry.path())
                    .unwrap()
                    .as_os_str()
                    .as_bytes()
                    .to_vec(),
            )
        } else if about.is_file() {
            Node::File(fs::read(entry.path()).unwrap(), mode)
        } else {
            continue;
        };
        found.insert(path, node);
    }
}
