//! Commands on a session that is larger than the memory they may take: none of
//! them holds a log. The limit is on the data of the process, and what does not
//! fit ends it.

use crate::model::tenon;
use crate::program::{Program, Ran};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use tenon_session::{Log, State};
use tenon_vocab::{
    CallForm, CallId, CallStatus, Class, Compacted, ContextChange, Display, Envelope, Event,
    EventKind, Explanation, Message, Meta, Origin, Outcome, Part, Role, RunFinished, RunId,
    RunOrigin, RunStarted, SCHEMA_VERSION, SessionId, Timestamp, ToolCallPart, ToolResult, ToolUse,
    Usage,
};

const LOG: u64 = 60 * 1024 * 1024;
/// Of one result; a line of it still stands in the log itself.
const RESULT: usize = 40 * 1024;
/// In kilobytes: less than the log, and several times what the program takes
/// for a short one.
const LIMIT: u64 = 48 * 1024;

struct Writer {
    log: Log,
    state: State,
    run: RunId,
}

impl Writer {
    fn put(&mut self, kind: impl Into<EventKind>) -> (u64, u64) {
        let seq = self.log.next_seq();
        let event = event(seq, self.log.id(), Some(self.run), kind.into());
        let offset = self.log.append(&event).unwrap();
        self.state.apply(&event, offset);
        (seq, offset)
    }

    fn step(&mut self, number: u64) {
        let id = CallId::new(format!("call-{number}"));
        let call = Part::ToolCall(ToolCallPart {
            id: id.clone(),
            name: String::from("read"),
            arguments: String::from("{}"),
            form: CallForm::Native,
        });
        let parts = vec![Part::text(format!("step {number}")), call];
        self.put(Message::new(Role::Assistant, Origin::Model, parts));
        self.put(ToolUse {
            call: id.clone(),
            name: String::from("read"),
            input: json!({"path": format!("file-{number}.txt")}),
            explanation: Explanation::new(Class::Allow, "reads are allowed"),
            batch: 0,
        });
        self.put(ToolResult {
            call: id,
            name: String::from("read"),
            ok: true,
            status: CallStatus::Completed,
            envelope: Envelope::Ok(json!({"lines": 1})),
            model_text: format!("{number} ").repeat(RESULT / 5),
            display: Display::Text {
                summary: String::from("1 line"),
                body: String::new(),
            },
            duration_ms: 1,
            reads: Vec::new(),
            images: Vec::new(),
            sandbox: None,
            explanation: None,
        });
    }
}

fn event(seq: u64, session: SessionId, run: Option<RunId>, kind: EventKind) -> Event {
    Event {
        seq,
        sub: None,
        ts: Timestamp::now(),
        session,
        run,
        parent: None,
        agent: String::from("build"),
        kind,
    }
}

/// Nearly all of it before the one compaction, so that a state that is read from
/// the first line on would hold it all.
fn large(program: &Program) -> SessionId {
    let id = SessionId::generate();
    let meta = Meta {
        schema_version: SCHEMA_VERSION,
        id,
        cwd: program.project().display().to_string(),
        program_version: String::from("0.1.0"),
        git_branch: None,
        forked_from: None,
    };
    let first = event(0, id, None, meta.into());
    let (log, state) = program.store().create(&first).unwrap();
    let run = RunId::generate();
    let mut writer = Writer { log, state, run };
    writer.put(RunStarted {
        prompt: String::from("read it all"),
        origin: RunOrigin::Prompt,
    });
    writer.put(Message::user("read it all"));
    let mut number = 0;
    while writer.log.bytes_since_snapshot() < LOG {
        number += 1;
        writer.step(number);
    }
    let (kept_from, _) = writer.put(Message::assistant("half of it is read"));
    writer.put(ContextChange::Compacted(Compacted {
        kept_from,
        summary: String::from("files were read"),
        pruned: Vec::new(),
        recap: None,
        refused: None,
        untold: Vec::new(),
        tokens_before: 1_000_000,
        tokens_after: 1_000,
    }));
    let snapshot = writer.state.snapshot();
    let (_, at) = writer.put(snapshot);
    writer.step(number + 1);
    writer.put(Message::assistant("all of it is read"));
    writer.put(RunFinished {
        outcome: Outcome::Completed,
        reason: None,
        steps: 1,
        calls: 1,
        failed_calls: 0,
        denied_calls: 0,
        usage: Usage::default(),
        cost: None,
        duration_ms: 1,
        snapshot: Some(at),
    });
    drop(writer);
    assert!(fs::metadata(program.log(id)).unwrap().len() > LOG);
    id
}

/// The program with so much memory; what it prints goes into a file.
fn limited(program: &Program, args: &[&str]) -> (Ran, u64) {
    let page = program.project().join("page");
    let output = program
        .home
        .command(Path::new("/bin/sh"))
        .args(["-c", &format!("ulimit -d {LIMIT} && exec \"$0\" \"$@\"")])
        .arg(tenon())
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::from(fs::File::create(&page).unwrap()))
        .output()
        .unwrap();
    (Ran::of(output), fs::metadata(page).unwrap().len())
}

#[test]
fn no_command_holds_a_log() {
    let program = Program::new();
    let id = large(&program).to_string();
    let most = LOG * 9 / 10;
    for (args, least) in [
        (&["sessions", "show", &id][..], 10_000),
        (&["sessions", "show", &id, "--decisions"], 10_000),
        (&["sessions", "verify", &id], 10),
        (&["sessions", "export", &id, "--format", "md"], most),
        (&["sessions", "export", &id, "--format", "json"], most),
        (&["sessions", "export", &id, "--format", "html"], most / 2),
        (&["handoff", "--from-session", &id, "--deterministic"], 100),
        (&["context", "show", "--session", &id], 100),
        (&["sessions", "list"], 10),
    ] {
        let (ran, printed) = limited(&program, args);
        let ran = ran.ended(0);
        assert!(printed >= least, "{args:?}: {printed} bytes: {}", ran.err);
    }
}
