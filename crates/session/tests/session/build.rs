//! Events and logs for tests, with a fixed clock and readable ids.

use serde_json::json;
use std::io;
use std::path::Path;
use tempfile::TempDir;
use tenon_session::{Finding, Log, Reading, State, Store, verify};
use tenon_vocab::{
    CallId, CallStatus, Class, Compacted, ContextChange, Cost, Display, Envelope, ErrorCode, Event,
    EventKind, Explanation, Message, Meta, Origin, Outcome, Part, Role, RunFinished, RunId,
    RunOrigin, RunStarted, SCHEMA_VERSION, SessionId, Settings, Status, Timestamp, ToolCallPart,
    ToolError, ToolResult, ToolUse, Usage,
};

pub fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_780_000_000 + second).unwrap()
}

pub fn session(n: u128) -> SessionId {
    format!("0197f000-0000-7000-8000-{n:012x}").parse().unwrap()
}

pub fn run(n: u32) -> RunId {
    format!("0197f000-0000-7000-9000-{n:012x}").parse().unwrap()
}

pub fn meta(id: SessionId, cwd: &str) -> Event {
    let meta = Meta {
        schema_version: SCHEMA_VERSION,
        id,
        cwd: cwd.to_owned(),
        program_version: String::from("0.1.0"),
        git_branch: Some(String::from("main")),
        forked_from: None,
    };
    event(0, id, None, None, meta)
}

pub fn event(
    seq: u64,
    session: SessionId,
    run: Option<RunId>,
    parent: Option<RunId>,
    kind: impl Into<EventKind>,
) -> Event {
    Event {
        seq,
        sub: None,
        ts: at(i64::try_from(seq).unwrap()),
        session,
        run,
        parent,
        agent: String::from("main"),
        kind: kind.into(),
    }
}

pub fn started(prompt: &str) -> RunStarted {
    RunStarted {
        prompt: prompt.to_owned(),
        origin: RunOrigin::Prompt,
    }
}

pub fn finished(outcome: Outcome) -> RunFinished {
    RunFinished {
        outcome,
        reason: None,
        steps: 1,
        calls: 0,
        failed_calls: 0,
        denied_calls: 0,
        usage: Usage::default(),
        cost: None,
        duration_ms: 5,
        snapshot: None,
    }
}

pub fn call(id: &str, name: &str) -> Part {
    Part::ToolCall(ToolCallPart {
        id: CallId::new(id),
        name: name.to_owned(),
        arguments: String::from("{}"),
        form: tenon_vocab::CallForm::Native,
    })
}

pub fn asks(text: &str, calls: &[&str]) -> Message {
    let mut parts = Vec::new();
    if !text.is_empty() {
        parts.push(Part::text(text));
    }
    parts.extend(calls.iter().map(|id| call(id, "read")));
    let mut message = Message::new(Role::Assistant, Origin::Model, parts);
    message.usage = Some(Usage {
        input: 100,
        output: 10,
        ..Usage::default()
    });
    message.cost = Some(Cost(7));
    message
}

pub fn broken(text: &str, status: Status) -> Message {
    let mut message = Message::assistant(text);
    message.status = status;
    message
}

pub fn used(id: &str) -> ToolUse {
    ToolUse {
        call: CallId::new(id),
        name: String::from("read"),
        input: json!({"path": "a.txt"}),
        explanation: Explanation::new(Class::Allow, "reads are allowed"),
        batch: 0,
    }
}

pub fn result(id: &str, text: &str) -> ToolResult {
    ToolResult {
        call: CallId::new(id),
        name: String::from("read"),
        ok: true,
        status: CallStatus::Completed,
        envelope: Envelope::Ok(json!({"lines": 1})),
        model_text: text.to_owned(),
        display: Display::Text {
            summary: String::from("1 line"),
            body: String::new(),
        },
        duration_ms: 3,
        reads: Vec::new(),
        images: Vec::new(),
        sandbox: None,
        explanation: None,
    }
}

pub fn denied(id: &str) -> ToolResult {
    ToolResult {
        ok: false,
        status: CallStatus::Denied,
        envelope: Envelope::Err(ToolError {
            code: ErrorCode::PermissionDenied,
            message: String::from("the user said no"),
            details: None,
        }),
        ..result(id, "error: permission_denied: the user said no")
    }
}

pub fn compacted(kept_from: u64, summary: &str) -> ContextChange {
    ContextChange::Compacted(Compacted {
        kept_from,
        summary: summary.to_owned(),
        pruned: Vec::new(),
        recap: None,
        refused: None,
        untold: Vec::new(),
        tokens_before: 1000,
        tokens_after: 100,
    })
}

pub fn settings(title: Option<&str>) -> Settings {
    Settings {
        provider: String::from("local"),
        model: String::from("small"),
        agent_name: String::from("main"),
        mode: String::from("single"),
        permission_mode: Default::default(),
        effort: None,
        title: title.map(ToOwned::to_owned),
        pinned: false,
        add_dirs: Vec::new(),
        side: None,
    }
}

/// A store in a folder of its own.
pub struct Home {
    pub folder: TempDir,
    pub store: Store,
}

impl Home {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("sessions"));
        Self { folder, store }
    }

    pub fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("sessions")
    }

    pub fn begin(&self, n: u128) -> Writer {
        self.begin_in(n, "/project")
    }

    pub fn begin_in(&self, n: u128, cwd: &str) -> Writer {
        let (log, state) = self.store.create(&meta(session(n), cwd)).unwrap();
        Writer {
            log,
            state,
            run: None,
            parent: None,
        }
    }

    pub fn reopen(&self, n: u128) -> Writer {
        let (log, state) = self.store.open(session(n), at(100_000)).unwrap();
        Writer {
            log,
            state,
            run: None,
            parent: None,
        }
    }

    pub fn findings(&self, n: u128) -> Vec<Finding> {
        verify(&self.store.read(session(n)).unwrap()).unwrap()
    }
}

/// A log and its state, written together as the engine does.
pub struct Writer {
    pub log: Log,
    pub state: State,
    pub run: Option<RunId>,
    pub parent: Option<RunId>,
}

impl Writer {
    pub fn put(&mut self, kind: impl Into<EventKind>) -> u64 {
        let event = event(
            self.log.next_seq(),
            self.log.id(),
            self.run,
            self.parent,
            kind,
        );
        let offset = self.log.append(&event).unwrap();
        self.state.apply(&event, offset);
        event.seq
    }

    pub fn start(&mut self, n: u32, prompt: &str) {
        self.run = Some(run(n));
        self.put(started(prompt));
        self.put(Message::user(prompt));
    }

    pub fn finish(&mut self) {
        let mut finished = finished(Outcome::Completed);
        finished.snapshot = self.state.last_snapshot();
        self.put(finished);
        self.run = None;
    }

    pub fn snapshot(&mut self) -> u64 {
        let snapshot = self.state.snapshot();
        self.put(snapshot)
    }

    /// A run with one call, whole.
    pub fn small_run(&mut self, n: u32) {
        self.start(n, &format!("prompt {n}"));
        self.put(asks("I look.", &["c1"]));
        self.put(used("c1"));
        self.put(result("c1", &format!("content {n}")));
        self.put(Message::assistant(format!("answer {n}")));
        self.finish();
    }

    pub fn path(&self) -> std::path::PathBuf {
        self.log.path().unwrap().to_path_buf()
    }
}

pub fn texts(state: &State) -> Vec<String> {
    state
        .history()
        .messages()
        .iter()
        .map(|message| {
            let role = match message.role {
                Role::User => "user",
                Role::Assistant => "assistant",
                Role::Tool => "tool",
            };
            let mut line = format!("{role}:");
            for part in &message.parts {
                line.push(' ');
                match part {
                    Part::Text { text } | Part::Reasoning { text, .. } => line.push_str(text),
                    Part::ToolCall(call) => line.push_str(&format!("call({})", call.id)),
                    Part::ToolResult { call, text, .. } => {
                        line.push_str(&format!("{call}={text}"));
                    }
                    Part::Image { .. } => line.push_str("image"),
                    Part::Opaque { .. } => line.push_str("opaque"),
                }
            }
            line
        })
        .collect()
}

/// What a strict server asks of a conversation.
pub fn assert_valid(messages: &[std::sync::Arc<Message>]) {
    if let Some(first) = messages.first() {
        assert_eq!(first.role, Role::User, "the history begins with the user");
    }
    let mut open: Vec<CallId> = Vec::new();
    let mut last: Option<Role> = None;
    for message in messages {
        if message.role == Role::Tool {
            let Some(Part::ToolResult { call, .. }) = message.parts.first() else {
                panic!("a tool message without a result");
            };
            assert!(!open.is_empty(), "a result that nobody asked for");
            assert_eq!(open.remove(0), *call, "results in the order of the calls");
        } else {
            assert!(open.is_empty(), "a message before all results are there");
            if message.role == Role::User {
                assert_ne!(last, Some(Role::User), "two user messages in a row");
            } else {
                assert_ne!(
                    last,
                    Some(Role::Assistant),
                    "two assistant messages in a row"
                );
            }
            open = message.tool_calls().map(|call| call.id.clone()).collect();
        }
        last = Some(message.role);
    }
}

pub fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// What an export writes.
pub fn written(
    reading: &Reading,
    export: impl FnOnce(&Reading, &mut dyn io::Write) -> io::Result<()>,
) -> String {
    let mut bytes = Vec::new();
    export(reading, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}
