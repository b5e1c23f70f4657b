//! A long session as the engine would have written it: runs with steps, a
//! compaction with a snapshot every few megabytes, and a tail after the last.
//! Written through the session's own log, so it is valid by construction.

use super::place::Place;
use anyhow::{Context, Result};
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use tenon_session::{Log, State, Store};
use tenon_vocab::{
    CallId, CallStatus, Class, Compacted, ContextChange, Display, Envelope, Event, EventKind,
    Explanation, Message, Meta, Origin, Outcome, Part, Role, RunFinished, RunId, RunOrigin,
    RunStarted, SCHEMA_VERSION, SessionId, Timestamp, ToolCallPart, ToolResult, ToolUse, Usage,
};

const STEPS_OF_A_RUN: u32 = 25;
/// About what a model with a large window holds.
const COMPACT_EVERY: u64 = 2_000_000;
const OUTPUT: usize = 6_000;
const SHORT_OUTPUT: usize = 200;

/// How long a session is to be, at least.
#[derive(Debug, Clone, Copy)]
pub enum Length {
    /// With long results, as those of reading files are.
    Bytes(u64),
    /// With short results, so that their number is what weighs.
    Messages(u64),
}

/// A session of this length in the home of the place.
pub fn write(place: &Place, length: Length) -> Result<(SessionId, PathBuf)> {
    let id = SessionId::generate();
    let cwd = fs::canonicalize(&place.project)?;
    let meta = Meta {
        schema_version: SCHEMA_VERSION,
        id,
        cwd: cwd.to_string_lossy().into_owned(),
        program_version: String::from(env!("CARGO_PKG_VERSION")),
        git_branch: None,
        forked_from: None,
    };
    let first = event(0, id, None, meta.into());
    let (log, state) = Store::new(place.home.join("sessions")).create(&first)?;
    let mut writer = Writer {
        log,
        state,
        run: None,
        calls: 0,
        messages: 0,
        output: match length {
            Length::Bytes(_) => OUTPUT,
            Length::Messages(_) => SHORT_OUTPUT,
        },
        compacted_at: 0,
    };
    let path = writer
        .log
        .path()
        .context("the log is on the disk")?
        .to_owned();
    loop {
        let enough = match length {
            Length::Bytes(bytes) => fs::metadata(&path)?.len() >= bytes,
            Length::Messages(messages) => writer.messages >= messages,
        };
        if enough {
            break;
        }
        writer.one_run(&path)?;
    }
    writer.log.sync()?;
    Ok((id, path))
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

struct Writer {
    log: Log,
    state: State,
    run: Option<RunId>,
    calls: u32,
    messages: u64,
    /// Bytes of a result.
    output: usize,
    compacted_at: u64,
}

impl Writer {
    fn put(&mut self, kind: impl Into<EventKind>) -> Result<u64> {
        let event = event(self.log.next_seq(), self.log.id(), self.run, kind.into());
        let offset = self.log.append(&event)?;
        self.state.apply(&event, offset);
        Ok(event.seq)
    }

    fn one_run(&mut self, path: &PathBuf) -> Result<()> {
        self.run = Some(RunId::generate());
        let prompt = String::from("go on with the next part");
        self.put(RunStarted {
            prompt: prompt.clone(),
            origin: RunOrigin::Prompt,
        })?;
        self.put(Message::user(prompt))?;
        for _ in 0..STEPS_OF_A_RUN {
            self.step()?;
        }
        // The prompt, a call and its result in each step, and the answer.
        self.messages += 2 + 2 * u64::from(STEPS_OF_A_RUN);
        let answer = self.put(Message::assistant("That part is done."))?;
        let length = fs::metadata(path)?.len();
        if length - self.compacted_at > COMPACT_EVERY {
            self.compacted_at = length;
            self.compact(answer)?;
        }
        let finished = self.finished();
        self.put(finished)?;
        self.run = None;
        Ok(())
    }

    fn step(&mut self) -> Result<()> {
        self.calls += 1;
        let call = CallId::new(format!("call_{}", self.calls));
        let arguments = json!({"path": format!("src/part_{}.rs", self.calls)});
        let asks = Part::ToolCall(ToolCallPart {
            id: call.clone(),
            name: String::from("read"),
            arguments: arguments.to_string(),
            form: tenon_vocab::CallForm::Native,
        });
        let parts = vec![Part::text("I read the next file."), asks];
        self.put(Message::new(Role::Assistant, Origin::Model, parts))?;
        self.put(ToolUse {
            call: call.clone(),
            name: String::from("read"),
            input: arguments,
            explanation: Explanation::new(Class::Allow, "reading is allowed"),
            batch: self.calls,
        })?;
        self.put(result(call, self.calls, self.output))?;
        Ok(())
    }

    fn compact(&mut self, kept_from: u64) -> Result<()> {
        self.put(ContextChange::Compacted(Compacted {
            kept_from,
            summary: "What was done so far, in some sentences. ".repeat(50),
            pruned: Vec::new(),
            recap: None,
            refused: None,
            untold: Vec::new(),
            tokens_before: 500_000,
            tokens_after: 1_000,
        }))?;
        let snapshot = self.state.snapshot();
        self.put(snapshot)?;
        Ok(())
    }

    fn finished(&self) -> RunFinished {
        RunFinished {
            outcome: Outcome::Completed,
            reason: None,
            steps: STEPS_OF_A_RUN + 1,
            calls: STEPS_OF_A_RUN,
            failed_calls: 0,
            denied_calls: 0,
            usage: Usage::default(),
            cost: None,
            duration_ms: 1_000,
            snapshot: self.state.last_snapshot(),
        }
    }
}

fn result(call: CallId, number: u32, length: usize) -> ToolResult {
    let line = format!("{number}: let value = compute(\"argument\");\n");
    let text = line.repeat(length / line.len());
    ToolResult {
        call,
        name: String::from("read"),
        ok: true,
        status: CallStatus::Completed,
        envelope: Envelope::Ok(json!({"path": format!("src/part_{number}.rs")})),
        display: Display::Text {
            summary: String::from("a page"),
            body: String::new(),
        },
        model_text: text,
        duration_ms: 1,
        reads: Vec::new(),
        images: Vec::new(),
        sandbox: None,
        explanation: None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Length, Place, write};
    use tenon_session::{Store, verify};

    #[test]
    fn the_session_it_writes_is_valid_and_opens() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place {
            folder: folder.path().to_owned(),
            home: folder.path().join("home"),
            project: folder.path().to_owned(),
        };
        let (id, path) = write(&place, Length::Bytes(5_000_000)).unwrap();
        assert!(std::fs::metadata(path).unwrap().len() >= 5_000_000);
        let store = Store::new(place.home.join("sessions"));
        assert_eq!(verify(&store.read(id).unwrap()).unwrap(), []);
        let (_, state) = store.open(id, tenon_vocab::Timestamp::now()).unwrap();
        assert!(state.compactions() > 0);
        assert!(state.history().messages().len() > 10);
    }
}
