//! A session in a folder of its own, small tools with known behaviour, and the
//! checks that every session must pass.

use crate::models::Scripted;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;
use tenon_engine::{Ambient, Approval, Effects, Engine, ModeParts, Parts};
use tenon_model::{Delivery, Parameters, RetryPlan};
use tenon_policy::{Facts, Grants, Rules, Subject};
use tenon_sandbox::Supervisor;
use tenon_session::{Store, verify};
use tenon_tools::jobs::WayOut;
use tenon_tools::workspace::WorkspaceOptions;
use tenon_tools::{Host, Jobs, Tool, ToolLimits, ToolSource, Toolbox, Workspace};
use tenon_vocab::port::{BoxFuture, Handle};
use tenon_vocab::profile::Limits;
use tenon_vocab::{
    Command, Display, Effect, ErrorCode, Event, EventKind, Meta, Notice, Outcome, Query, Reply,
    RunId, SCHEMA_VERSION, SessionId, Settings, Switch, TableReply, Timestamp, ToolImage,
    ToolOutput, ToolSpec,
};

/// Fixed time, counted ids, no chance.
pub struct Fixed(AtomicU64);

impl Ambient for Fixed {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + self.0.fetch_add(1, Ordering::Relaxed) as i64)
            .unwrap()
    }

    fn run_id(&self) -> RunId {
        let n = self.0.fetch_add(1, Ordering::Relaxed);
        format!("00000000-0000-7000-8000-{n:012}").parse().unwrap()
    }

    fn jitter(&self) -> f64 {
        0.0
    }
}

/// What a test tool does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Gives its input back.
    Echo,
    /// Waits the `ms` of its input, or until it is told to stop.
    Wait,
    /// Waits and does not listen.
    Deaf,
    Panic,
    Fail,
    /// Gives a picture.
    Picture,
}

pub struct TestTool {
    spec: ToolSpec,
    manner: Manner,
    pub runs: Arc<AtomicUsize>,
}

impl TestTool {
    pub fn new(name: &str, effect: Effect, manner: Manner) -> Self {
        let properties = json!({"ms": {"type": "integer"}, "text": {"type": "string"}, "command": {"type": "string"}});
        Self {
            spec: spec(name, effect, &properties),
            manner,
            runs: Arc::default(),
        }
    }
}

impl Tool for TestTool {
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
            self.runs.fetch_add(1, Ordering::SeqCst);
            let pause = Duration::from_millis(input["ms"].as_u64().unwrap_or(0));
            match self.manner {
                Manner::Echo => {}
                Manner::Picture => {
                    let mut output = ToolOutput::ok(json!({}), "a picture", Display::Nothing);
                    output.images = vec![picture()];
                    return output;
                }
                Manner::Panic => panic!("as told"),
                Manner::Fail => return ToolOutput::error(ErrorCode::ReadError, "as told"),
                Manner::Deaf => tokio::time::sleep(pause).await,
                Manner::Wait => tokio::select! {
                    () = host.cancelled().cancelled() => {
                        return ToolOutput::error(ErrorCode::Interrupted, "told to stop");
                    }
                    () = tokio::time::sleep(pause) => {}
                },
            }
            ToolOutput::ok(input.clone(), input.to_string(), Display::Nothing)
        })
    }
}

/// The smallest picture there is.
pub fn picture() -> ToolImage {
    ToolImage {
        content: b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(),
        media_type: "image/png".into(),
    }
}

/// What a tool for tests says of itself.
pub fn spec(name: &str, effect: Effect, properties: &Value) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: format!("{name} for tests"),
        parameters: json!({"type": "object", "properties": properties}),
        effect,
        source: "test".into(),
    }
}

pub fn facts_of(spec: &ToolSpec, input: &Value) -> Facts {
    Facts {
        tool: spec.name.clone(),
        effect: spec.effect,
        subject: Subject::Nothing,
        input: input.to_string(),
    }
}

pub struct Given(pub Vec<Arc<dyn Tool>>);

impl ToolSource for Given {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.0.clone()
    }
}

/// A home and a project of its own.
pub struct World {
    pub dir: tempfile::TempDir,
    pub store: Store,
    pub approval: Approval,
    pub effects: Effects,
    pub modes: ModeParts,
    pub way_out: WayOut,
    pub limits: Limits,
    pub rules: Rules,
    pub tools: Vec<Arc<dyn Tool>>,
}

impl World {
    pub fn new() -> Self {
        // In memory where there is such a place: thousands of sessions are made.
        let dir = tempfile::tempdir_in("/dev/shm")
            .or_else(|_| tempfile::tempdir())
            .unwrap();
        std::fs::create_dir(dir.path().join("project")).unwrap();
        let store = Store::new(dir.path().join("sessions"));
        let mut rules = Rules::built_in();
        let allow: serde_json::Map<String, Value> =
            ["look", "wait", "act", "deaf", "boom", "fail", "picture"]
                .iter()
                .map(|&name| (name.into(), json!("allow")))
                .collect();
        rules
            .add_config(&Value::Object(allow), tenon_policy::Layer::User, "test")
            .unwrap();
        let tools: Vec<Arc<dyn Tool>> = vec![
            Arc::new(TestTool::new("look", Effect::Read, Manner::Wait)),
            Arc::new(TestTool::new("act", Effect::Write, Manner::Wait)),
            Arc::new(TestTool::new("deaf", Effect::Execute, Manner::Deaf)),
            Arc::new(TestTool::new("boom", Effect::Read, Manner::Panic)),
            Arc::new(TestTool::new("fail", Effect::Read, Manner::Fail)),
            Arc::new(TestTool::new("picture", Effect::Read, Manner::Picture)),
            Arc::new(TestTool::new("danger", Effect::Execute, Manner::Echo)),
            Arc::new(TestTool::new("bash", Effect::Execute, Manner::Echo)),
        ];
        Self {
            dir,
            store,
            approval: Approval::Nobody,
            effects: Effects::Real,
            modes: ModeParts::default(),
            way_out: WayOut::Offered,
            limits: Limits::default(),
            rules,
            tools,
        }
    }

    pub fn root(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    /// A new session, or the one with this id.
    pub fn parts(&self, id: SessionId, model: Arc<Scripted>) -> Parts {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let (log, state) = if self.store.exists(id) {
            self.store.open(id, now).unwrap()
        } else {
            self.store.create(&first(id, &self.root())).unwrap()
        };
        // Ids of runs do not come again after a resume.
        let ambient = Arc::new(Fixed(AtomicU64::new(u64::from(state.runs()) * 100_000)));
        let mut toolbox = Toolbox::default();
        toolbox.add(&Given(self.tools.clone()));
        let agent = tenon_engine::agents::built_in().remove(0);
        Parts {
            model,
            toolbox,
            workspace: Workspace::open(&self.root(), WorkspaceOptions::default()).unwrap(),
            jobs: Jobs::new(
                Supervisor::new("/nonexistent", Vec::new()),
                self.dir.path().join("out"),
                Vec::new(),
            )
            .with_way_out(self.way_out),
            log,
            state,
            rules: self.rules.clone(),
            grants: Grants::new(),
            models: None,
            on_grant: None,
            folders: Arc::new(tenon_engine::NoFolders),
            context: tenon_engine::ContextParts::of_prompt("You are a test."),
            settings: Settings {
                provider: "test".into(),
                model: "scripted".into(),
                agent_name: agent.name.clone(),
                mode: "single".into(),
                permission_mode: Default::default(),
                effort: None,
                title: None,
                pinned: false,
                add_dirs: Vec::new(),
                side: None,
            },
            agent,
            agents: Vec::new(),
            limits: self.limits.clone(),
            tool_limits: ToolLimits::default(),
            parameters: Parameters::default(),
            delivery: Delivery::Streamed,
            retry: RetryPlan::default(),
            approval: self.approval,
            effects: self.effects,
            modes: self.modes.clone(),
            hooks: Vec::new(),
            masker: tenon_policy::Masker::standard(),
            ambient,
            remarks: Vec::new(),
            known: Vec::new(),
        }
    }

    pub fn start(&self, id: SessionId, model: &Arc<Scripted>) -> Handle {
        Engine::start(id, self.parts(id, Arc::clone(model)))
    }

    /// One prompt on a session, to its end; gives all events.
    pub async fn run(&self, id: SessionId, model: &Arc<Scripted>, prompt: &str) -> Vec<Arc<Event>> {
        let mut handle = self.start(id, model);
        handle.commands.send(Command::Prompt {
            text: prompt.into(),
            attachments: Vec::new(),
        });
        until_finished(&mut handle).await
    }

    /// The log on disk keeps every invariant.
    pub fn verify(&self, id: SessionId) {
        let reading = self.store.read(id).unwrap();
        // Recovery would fill in what the engine forgot.
        assert!(
            reading.virtual_tail.is_empty(),
            "left open: {:?}",
            reading.virtual_tail
        );
        let findings = verify(&reading).unwrap();
        assert!(findings.is_empty(), "{findings:?}");
    }
}

pub fn first(id: SessionId, root: &std::path::Path) -> Event {
    Event {
        seq: 0,
        sub: None,
        ts: Timestamp::from_second(1_800_000_000).unwrap(),
        session: id,
        run: None,
        parent: None,
        agent: "build".into(),
        kind: Meta {
            schema_version: SCHEMA_VERSION,
            id,
            cwd: root.display().to_string(),
            program_version: "test".into(),
            git_branch: None,
            forked_from: None,
        }
        .into(),
    }
}

/// Events until the run is over, then shuts down and reads to the end.
pub async fn until_finished(handle: &mut Handle) -> Vec<Arc<Event>> {
    let mut events = Vec::new();
    while let Some(event) = handle.events.next().await {
        if matches!(event.kind, EventKind::RunFinished(_)) {
            handle.commands.send(Command::Shutdown);
        }
        events.push(event);
    }
    events
}

/// The events that are in the log, by name.
pub fn names(events: &[Arc<Event>]) -> Vec<&str> {
    events
        .iter()
        .filter(|event| event.is_durable())
        .map(|event| event.kind.name())
        .collect()
}

pub fn outcome(events: &[Arc<Event>]) -> Outcome {
    let mut outcomes = events.iter().filter_map(|event| match &event.kind {
        EventKind::RunFinished(finished) => Some(finished.outcome),
        _ => None,
    });
    let first = outcomes.next().expect("a run_finished");
    assert_eq!(outcomes.next(), None, "more than one run_finished");
    first
}

pub fn results(events: &[Arc<Event>]) -> Vec<(String, String)> {
    events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::ToolResult(result) => {
                Some((result.call.0.clone(), result.model_text.clone()))
            }
            _ => None,
        })
        .collect()
}

/// Sends and collects the events, up to and with the first for which this holds.
pub async fn say(
    handle: &mut Handle,
    command: Command,
    is_last: impl Fn(&EventKind) -> bool,
) -> Vec<Arc<Event>> {
    handle.commands.send(command);
    let mut events = Vec::new();
    while let Some(event) = handle.events.next().await {
        let last = is_last(&event.kind);
        events.push(event);
        if last {
            break;
        }
    }
    events
}

/// One prompt to its end; the session stays open.
pub async fn prompt(handle: &mut Handle, text: &str) -> Vec<Arc<Event>> {
    let command = Command::Prompt {
        text: text.into(),
        attachments: Vec::new(),
    };
    say(handle, command, |kind| {
        matches!(kind, EventKind::RunFinished(_))
    })
    .await
}

/// Changes the model; gives the notice that says what became of it.
pub async fn switch(handle: &mut Handle, model: &str) -> Notice {
    let switch = Switch {
        model: Some(model.into()),
        ..Switch::default()
    };
    switched(handle, switch).await
}

pub async fn switched(handle: &mut Handle, switch: Switch) -> Notice {
    let is_last = |kind: &EventKind| matches!(kind, EventKind::Notice(notice) if notice.kind.ends_with("switched"));
    let events = say(handle, Command::Switch(switch), is_last).await;
    match events.last().map(|event| &event.kind) {
        Some(EventKind::Notice(notice)) => notice.clone(),
        other => panic!("no notice: {other:?}"),
    }
}

pub fn notices(events: &[Arc<Event>], kind: &str) -> Vec<Notice> {
    events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Notice(notice) if notice.kind == kind => Some(notice.clone()),
            _ => None,
        })
        .collect()
}

pub async fn table(handle: &Handle, query: Query) -> TableReply {
    match handle.queries.ask(query).await {
        Reply::Table(table) => table,
        other => panic!("no table: {other:?}"),
    }
}
