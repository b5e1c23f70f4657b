//! `tenon cost`: sums over the logs of sessions.

use crate::program::Program;
use serde_json::Value;
use std::fs;
use std::path::Path;
use tenon_session::Log;
use tenon_vocab::{
    Cost, Event, EventKind, Message, Meta, RunId, SCHEMA_VERSION, SessionId, Settings, SideRequest,
    Timestamp, Usage,
};

/// A log that is written one answer after the other.
struct Writing {
    log: Log,
    id: SessionId,
    run: RunId,
    seq: u64,
}

impl Writing {
    fn new(program: &Program, folder: &Path, at: Timestamp) -> Self {
        let id = SessionId::generate();
        let meta = Meta {
            schema_version: SCHEMA_VERSION,
            id,
            cwd: folder.display().to_string(),
            program_version: String::from("0.1.0"),
            git_branch: None,
            forked_from: None,
        };
        let first = event(id, None, 0, at, meta.into());
        let (log, _) = program.store().create(&first).unwrap();
        Self {
            log,
            id,
            run: RunId::generate(),
            seq: 1,
        }
    }

    fn append(&mut self, at: Timestamp, kind: EventKind) {
        let event = event(self.id, Some(self.run), self.seq, at, kind);
        self.log.append(&event).unwrap();
        self.seq += 1;
    }

    fn model(&mut self, at: Timestamp, provider: &str, model: &str) -> &mut Self {
        let settings = Settings {
            provider: provider.to_owned(),
            model: model.to_owned(),
            agent_name: String::from("build"),
            mode: String::from("single"),
            permission_mode: Default::default(),
            effort: None,
            title: None,
            pinned: false,
            add_dirs: Vec::new(),
            side: None,
        };
        self.append(at, settings.into());
        self
    }

    /// A title by a small model.
    fn titled(&mut self, at: Timestamp, cost: Option<u64>) -> &mut Self {
        let settings = Settings {
            provider: String::from("openai"),
            model: String::from("gpt-x"),
            agent_name: String::from("build"),
            mode: String::from("single"),
            permission_mode: Default::default(),
            effort: None,
            title: Some(String::from("A \"type\":\"message\"")),
            pinned: false,
            add_dirs: Vec::new(),
            side: Some(Box::new(SideRequest {
                provider: String::from("fast"),
                model: String::from("tiny"),
                usage: Usage {
                    input: 7,
                    ..Usage::default()
                },
                cost: cost.map(Cost),
            })),
        };
        self.append(at, settings.into());
        self
    }

    fn answer(&mut self, at: Timestamp, input: u64, cost: Option<u64>) -> &mut Self {
        let mut message =
            Message::assistant("The word \"usage\":{ and \"type\":\"message\" in it.");
        message.usage = Some(Usage {
            input,
            output: 10,
            ..Usage::default()
        });
        message.cost = cost.map(Cost);
        self.append(at, Message::user("hi").into());
        self.append(at, message.into());
        self
    }
}

fn event(id: SessionId, run: Option<RunId>, seq: u64, ts: Timestamp, kind: EventKind) -> Event {
    Event {
        seq,
        sub: None,
        ts,
        session: id,
        run,
        parent: None,
        agent: String::from("build"),
        kind,
    }
}

fn days_ago(days: i64) -> Timestamp {
    Timestamp::from_second(Timestamp::now().as_second() - days * 24 * 60 * 60).unwrap()
}

fn cost(program: &Program, args: &[&str]) -> Value {
    let args: Vec<&str> = ["cost", "--json"].iter().chain(args).copied().collect();
    program.run(&args).ended(0).json()
}

/// Rows as (key, input, cost).
fn rows(page: &Value) -> Vec<(String, u64, Option<f64>)> {
    let by = page["by"].as_str().unwrap();
    let rows = page["rows"].as_array().unwrap().iter();
    rows.map(|row| {
        let key = row[by].as_str().unwrap().to_owned();
        (
            key,
            row["input"].as_u64().unwrap(),
            row["cost_usd"].as_f64(),
        )
    })
    .collect()
}

#[test]
fn what_was_asked_on_the_side_is_counted_with_its_own_model() {
    let program = Program::new();
    let now = Timestamp::now();
    Writing::new(&program, Path::new("/srv/one"), now)
        .model(now, "openai", "gpt-x")
        .titled(now, Some(3_000_000))
        .answer(now, 50, Some(1_000_000));
    let page = cost(&program, &["--by", "model"]);
    assert_eq!(
        rows(&page),
        [
            (String::from("fast/tiny"), 7, Some(3.0)),
            (String::from("openai/gpt-x"), 50, Some(1.0)),
        ]
    );
}

#[test]
fn tokens_and_cost_are_added_up_by_day_model_session_and_directory() {
    let program = Program::new();
    let (now, before) = (Timestamp::now(), days_ago(3));
    let mut one = Writing::new(&program, Path::new("/srv/one"), before);
    one.model(before, "openai", "gpt-x")
        .answer(before, 100, Some(2_000_000))
        .answer(now, 200, Some(500_000));
    // Another model in the middle of the session.
    one.model(now, "local", "qwen").answer(now, 1_000, None);
    let mut two = Writing::new(&program, Path::new("/srv/two"), now);
    two.model(now, "openai", "gpt-x").answer(now, 50, Some(1));

    let day = |at: Timestamp| at.strftime("%Y-%m-%d").to_string();
    let page = cost(&program, &[]);
    assert_eq!(
        rows(&page),
        [
            (day(before), 100, Some(2.0)),
            (day(now), 1_250, Some(0.500_001)),
        ]
    );
    assert_eq!(page["total"]["requests"], 4);
    assert_eq!(page["total"]["unpriced_requests"], 1);
    assert_eq!(
        rows(&cost(&program, &["--by", "model"])),
        [
            (String::from("openai/gpt-x"), 350, Some(2.500_001)),
            (String::from("local/qwen"), 1_000, None),
        ]
    );
    assert_eq!(
        rows(&cost(&program, &["--by", "project"])),
        [
            (String::from("/srv/one"), 1_300, Some(2.5)),
            (String::from("/srv/two"), 50, Some(0.000_001)),
        ]
    );
    let sessions = rows(&cost(&program, &["--by", "session"]));
    assert_eq!(sessions[0].0, one.id.to_string());
    let page = cost(&program, &["--by", "session"]);
    let updated = page["rows"][0]["updated"].as_str().unwrap();
    assert!(updated.starts_with("20"), "{updated}");
    assert!(page["rows"][0]["title"].is_string(), "{page}");
    let table = program.run(&["cost", "--by", "session"]).ended(0);
    table.says("last used").says("title");
    assert_eq!(
        rows(&cost(&program, &["--days", "1"])),
        [(day(now), 1_250, Some(0.500_001))]
    );
    assert_eq!(rows(&cost(&program, &["--days", "0"])).len(), 2);

    let table = program.run(&["cost", "--by", "model"]).ended(0);
    let line = |name: &str| {
        table
            .out
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap()
    };
    assert!(line("local/qwen").ends_with('-'), "{}", table.out);
    assert!(line("openai/gpt-x").ends_with("$2.50"), "{}", table.out);
    assert!(line("total").ends_with("≥ $2.50"), "{}", table.out);
}

#[test]
fn what_a_copy_of_a_session_has_from_the_first_is_counted_once() {
    let program = Program::new();
    let now = Timestamp::now();
    let mut first = Writing::new(&program, Path::new("/w"), now);
    first.model(now, "p", "m").answer(now, 100, Some(1_000_000));
    let copy = SessionId::generate();
    let (mut log, _) = program.store().fork(first.id, copy, None).unwrap();
    let seq = log.next_seq();
    let mut message = Message::assistant("more");
    message.usage = Some(Usage {
        input: 7,
        ..Usage::default()
    });
    log.append(&event(copy, None, seq, now, message.into()))
        .unwrap();
    let page = cost(&program, &["--by", "model"]);
    assert_eq!(rows(&page), [(String::from("p/m"), 107, Some(1.0))]);
    // When the first is gone, the copy is all that tells of it.
    drop((first.log, log));
    program.store().delete(first.id).unwrap();
    let page = cost(&program, &["--by", "model"]);
    assert_eq!(rows(&page), [(String::from("p/m"), 107, Some(1.0))]);
}

#[test]
fn a_damaged_log_is_passed_over_and_named() {
    let program = Program::new();
    let now = Timestamp::now();
    let mut whole = Writing::new(&program, Path::new("/w"), now);
    whole.model(now, "p", "m").answer(now, 100, None);
    let damaged = Writing::new(&program, Path::new("/w"), now);
    let path = program.log(damaged.id);
    drop(damaged);
    fs::write(&path, "nonsense\n").unwrap();
    let mut partly = Writing::new(&program, Path::new("/w"), now);
    partly.model(now, "p", "m").answer(now, 11, None);
    let other = program.log(partly.id);
    drop(partly);
    let text = fs::read_to_string(&other).unwrap();
    let broken = r#"{"seq":9,"type":"message","usage":{"input":"#;
    fs::write(&other, format!("{text}{broken}\n")).unwrap();

    let ran = program.run(&["cost", "--json"]).ended(0);
    assert_eq!(ran.json()["skipped_logs"], 2);
    assert_eq!(rows(&ran.json())[0].1, 111);
    let ran = ran.complains(&path.display().to_string());
    ran.complains("1 lines can't be read");
}

#[test]
fn without_sessions_nothing_is_added_up() {
    let program = Program::new();
    program
        .run(&["cost"])
        .ended(0)
        .complains("No model was asked");
    let page = cost(&program, &[]);
    assert_eq!(page["rows"].as_array().map(Vec::len), Some(0));
    assert_eq!(page["total"]["cost_usd"], Value::Null);
}

#[test]
fn a_hostile_directory_or_model_cannot_write_to_the_screen() {
    let program = Program::new();
    let now = Timestamp::now();
    let mut log = Writing::new(&program, Path::new("/w\u{1b}[31m"), now);
    log.model(now, "p", "m\u{1b}]0;x\u{7}").answer(now, 1, None);
    for by in ["project", "model"] {
        let ran = program.run(&["cost", "--by", by]).ended(0);
        assert!(!ran.out.contains('\u{1b}'), "{}", ran.out);
    }
}

#[test]
fn what_came_with_an_imported_session_was_paid_by_somebody_else() {
    let program = Program::new();
    let now = Timestamp::now();
    let folder = program.project();
    let mut writing = Writing::new(&program, &folder, now);
    writing
        .model(now, "openai", "gpt-x")
        .answer(now, 100, Some(5_000_000))
        .titled(now, Some(1_000_000));
    let id = writing.id.to_string();
    drop(writing);
    let before = cost(&program, &["--by", "project"]);
    program
        .run(&["sessions", "export", &id, "-o", "a.json"])
        .ended(0);
    let copy = program.run(&["sessions", "import", "a.json"]).ended(0);
    assert_eq!(cost(&program, &["--by", "project"]), before);
    // What is asked in it from now on counts.
    let copy: SessionId = copy.out.trim().parse().unwrap();
    let (mut log, state) = program.store().open(copy, now).unwrap();
    let mut message = Message::assistant("more");
    message.usage = Some(Usage {
        input: 3,
        ..Usage::default()
    });
    let next = event(copy, None, log.next_seq(), now, message.into());
    drop(state);
    log.append(&next).unwrap();
    let total = &cost(&program, &["--by", "project"])["total"]["input"];
    assert_eq!(
        total.as_u64().unwrap(),
        before["total"]["input"].as_u64().unwrap() + 3
    );
}
