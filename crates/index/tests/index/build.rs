//! A home with sessions, written through their own log.

use serde_json::{Value, json};
use std::path::PathBuf;
use tempfile::TempDir;
use tenon_index::{Answer, Filter, Freshness, Hit, Index, Query, Updated, look_up, scan};
use tenon_session::{Log, State, Store};
use tenon_vocab::{
    CallId, CallStatus, Class, Display, Envelope, Event, EventKind, Explanation, Message, Meta,
    RunId, SCHEMA_VERSION, SessionId, Settings, Timestamp, ToolResult, ToolUse,
};

pub fn session(n: u32) -> SessionId {
    format!("0197f000-0000-7000-8000-{n:012x}").parse().unwrap()
}

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

    pub fn file(&self) -> PathBuf {
        self.folder.path().join("cache").join("sessions.db")
    }

    pub fn index(&self) -> Index {
        Index::open(&self.file(), &self.store).unwrap()
    }

    pub fn begin(&self, n: u32) -> Writer {
        self.begin_in(n, "/project")
    }

    pub fn begin_in(&self, n: u32, cwd: &str) -> Writer {
        let id = session(n);
        let meta = Meta {
            schema_version: SCHEMA_VERSION,
            id,
            cwd: cwd.to_owned(),
            program_version: String::from("0.1.0"),
            git_branch: None,
            forked_from: None,
        };
        let first = event(0, id, None, i64::from(n) * 1_000, meta.into());
        let (log, state) = self.store.create(&first).unwrap();
        let clock = i64::from(n) * 1_000;
        Writer { log, state, clock }
    }

    pub fn reopen(&self, n: u32, clock: i64) -> Writer {
        let (log, state) = self.store.open(session(n), at(clock)).unwrap();
        Writer { log, state, clock }
    }

    /// A session with what was asked and answered in turns.
    pub fn said(&self, n: u32, turns: &[&str]) {
        self.begin(n).said(turns);
    }

    pub fn update(&self) -> Updated {
        self.index().update().unwrap()
    }

    /// Brings the index up to date and asks it; the walk through the logs must
    /// find the same sessions.
    pub fn find(&self, text: &str) -> Vec<Hit> {
        let query = Query::parse(text).unwrap();
        let mut index = self.index();
        index.update().unwrap();
        let found = index.search(&query, &Filter::default()).unwrap();
        let walked = scan(&self.store, &query, &Filter::default());
        assert_eq!(ids(&found.hits), ids(&walked.hits), "{text}");
        found.hits
    }

    pub fn found(&self, text: &str) -> Vec<SessionId> {
        ids(&self.find(text))
    }

    pub fn look_up(&self, text: &str) -> Answer {
        let query = Query::parse(text).unwrap();
        let (filter, fresh) = (Filter::default(), Freshness::Updated);
        look_up(
            &self.file(),
            &self.store,
            &query,
            &filter,
            fresh,
            &mut |_| {},
        )
    }
}

pub fn ids(hits: &[Hit]) -> Vec<SessionId> {
    hits.iter().map(|hit| hit.session).collect()
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_780_000_000 + second).unwrap()
}

fn event(seq: u64, session: SessionId, run: Option<RunId>, clock: i64, kind: EventKind) -> Event {
    Event {
        seq,
        sub: None,
        ts: at(clock),
        session,
        run,
        parent: None,
        agent: String::from("build"),
        kind,
    }
}

pub struct Writer {
    pub log: Log,
    pub state: State,
    clock: i64,
}

impl Writer {
    pub fn put(&mut self, kind: impl Into<EventKind>) -> u64 {
        self.clock += 1;
        let next = event(
            self.log.next_seq(),
            self.log.id(),
            None,
            self.clock,
            kind.into(),
        );
        let offset = self.log.append(&next).unwrap();
        self.state.apply(&next, offset);
        next.seq
    }

    pub fn said(&mut self, turns: &[&str]) {
        for (number, text) in turns.iter().enumerate() {
            if number % 2 == 0 {
                self.put(Message::user(*text));
            } else {
                self.put(Message::assistant(*text));
            }
        }
    }

    pub fn titled(&mut self, title: &str) {
        self.put(Settings {
            provider: String::from("local"),
            model: String::from("small"),
            agent_name: String::from("build"),
            mode: String::from("single"),
            permission_mode: Default::default(),
            effort: None,
            title: Some(title.to_owned()),
            pinned: false,
            add_dirs: Vec::new(),
            side: None,
        });
    }

    pub fn called(&mut self, id: &str, name: &str, input: Value, result: &str) {
        self.put(ToolUse {
            call: CallId::new(id),
            name: name.to_owned(),
            input,
            explanation: Explanation::new(Class::Allow, "allowed"),
            batch: 0,
        });
        self.put(ToolResult {
            call: CallId::new(id),
            name: name.to_owned(),
            ok: true,
            status: CallStatus::Completed,
            envelope: Envelope::Ok(json!({})),
            model_text: result.to_owned(),
            display: Display::Text {
                summary: String::from("done"),
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
