//! Opening from the tail of a long log.

use crate::build::{Home, asks, compacted, result, session, settings, texts, used};
use std::fs;
use tenon_session::State;
use tenon_vocab::{Cost, Event, EventKind, Message};

/// Steps with output, a compaction and a snapshot now and then.
fn long_session(home: &Home, runs: u32, every: u32) -> State {
    let mut writer = home.begin(1);
    for n in 1..=runs {
        writer.start(n, &format!("prompt {n}"));
        for step in 0..5 {
            let id = format!("c{n}_{step}");
            writer.put(asks("next", &[&id]));
            writer.put(used(&id));
            writer.put(result(&id, &"output ".repeat(700)));
        }
        let kept = writer.put(Message::assistant(format!("answer {n}")));
        if n % every == 0 {
            writer.put(compacted(kept, &format!("all until {n}")));
            writer.snapshot();
        }
        writer.finish();
    }
    writer.state
}

fn full_parse(home: &Home) -> State {
    let loaded = home.store.load(session(1)).unwrap();
    let mut records = loaded.records.iter();
    let mut state = State::new(&records.next().unwrap().event).unwrap();
    for record in records {
        state.apply(&record.event, record.offset);
    }
    state
}

#[test]
fn opening_from_a_snapshot_gives_the_state_of_the_running_session() {
    let home = Home::new();
    let live = long_session(&home, 30, 7);
    let path = home.store.load(session(1)).unwrap().path;
    assert!(fs::metadata(&path).unwrap().len() > 512 * 1024);
    let opened = home.reopen(1);
    assert_eq!(opened.state, live);
    assert_eq!(opened.state, full_parse(&home));
    drop(opened);
    assert_eq!(home.findings(1), []);
}

#[test]
fn a_snapshot_is_really_used_and_the_records_before_it_are_not_read() {
    let home = Home::new();
    let live = long_session(&home, 30, 7);
    let path = home.store.load(session(1)).unwrap().path;
    // Spoil a record of the first run: a full parse would notice.
    let text = fs::read_to_string(&path).unwrap();
    let spoiled = text.replacen("\"prompt 1\"", "\"prompt 1'", 1);
    assert_eq!(spoiled.len(), text.len());
    fs::write(&path, spoiled).unwrap();
    let opened = home.reopen(1);
    assert_eq!(opened.log.damage().lines, 0);
    assert_eq!(opened.state, live);
}

#[test]
fn a_snapshot_that_does_not_fit_means_a_full_parse() {
    let home = Home::new();
    let live = long_session(&home, 30, 7);
    let path = home.store.load(session(1)).unwrap().path;
    let text = fs::read_to_string(&path).unwrap();
    let spoiled = text.replace("\"history\":[{\"seq\":", "\"history\":[{\"sep\":");
    fs::write(&path, &spoiled).unwrap();
    let opened = home.reopen(1);
    assert_eq!(texts(&opened.state), texts(&live));
    assert!(opened.log.damage().lines > 0);
    drop(opened);
    // A reference that points at another record.
    let wrong = text.replace("\"history\":[{\"seq\":", "\"history\":[{\"seq\":1");
    fs::write(&path, &wrong).unwrap();
    assert_eq!(texts(&home.reopen(1).state), texts(&live));
    assert!(!home.findings(1).is_empty());
}

#[test]
fn a_crash_after_the_last_snapshot_is_recovered_from_the_tail() {
    let home = Home::new();
    long_session(&home, 30, 7);
    let mut writer = home.reopen(1);
    writer.start(31, "the last one");
    writer.put(asks("", &["z1", "z2"]));
    writer.put(used("z1"));
    writer.snapshot();
    drop(writer);
    let opened = home.reopen(1);
    assert!(opened.state.open_calls().is_empty());
    let seen = texts(&opened.state);
    let tail = &seen[seen.len() - 2..];
    assert!(tail[0].contains("z1=error: unknown_outcome"), "{tail:?}");
    assert!(tail[1].contains("z2=error: not_started"), "{tail:?}");
    assert_eq!(opened.state, full_parse(&home));
    drop(opened);
    assert_eq!(home.findings(1), []);
}

#[test]
fn says_how_much_was_written_since_the_last_snapshot() {
    let home = Home::new();
    let mut writer = home.begin(1);
    for _ in 0..20 {
        writer.put(Message::user("x".repeat(10_000)));
    }
    assert!(writer.log.bytes_since_snapshot() > 200_000);
    writer.snapshot();
    let after = writer.log.bytes_since_snapshot();
    assert!(after < 10_000, "{after}");
    drop(writer);
    assert_eq!(home.reopen(1).log.bytes_since_snapshot(), after);
}

#[test]
fn text_that_only_looks_like_a_snapshot_misleads_nobody() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    for _ in 0..40 {
        writer.put(Message::assistant("y".repeat(10_000)));
        let mut event = used("a");
        event.input = serde_json::json!({"type": "snapshot", "type2": {"type": "run_finished"}});
        writer.put(event);
        writer.put(result("a", "{\"type\":\"snapshot\"}"));
    }
    writer.finish();
    let live = writer.state.clone();
    drop(writer);
    assert_eq!(home.reopen(1).state, live);
}

#[test]
fn unknown_kinds_survive_and_are_passed_over() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    let strange = EventKind::from_fields(
        "telepathy",
        serde_json::json!({"strength": 3, "deep": {"a": [1]}})
            .as_object()
            .unwrap()
            .clone(),
    )
    .unwrap();
    writer.put(strange.clone());
    writer.put(Message::assistant("hm"));
    writer.finish();
    drop(writer);
    let loaded = home.store.load(session(1)).unwrap();
    let kinds: Vec<&Event> = loaded.records.iter().map(|r| &r.event).collect();
    assert!(kinds.iter().any(|event| event.kind == strange));
    assert_eq!(home.findings(1), []);
    assert_eq!(texts(&home.reopen(1).state), ["user: go", "assistant: hm"]);
}

#[test]
fn money_and_tokens_by_model_survive_a_snapshot_and_a_crash() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.put(settings(None));
    writer.small_run(1);
    let mut other = settings(None);
    other.provider = "other".into();
    other.model = "big".into();
    writer.put(other);
    writer.small_run(2);
    writer.snapshot();
    writer.start(3, "the last one");
    writer.put(asks("I look.", &["c1"]));
    let live = writer.state.clone();
    writer.log.sync().unwrap();
    drop(writer);
    assert_eq!(live.cost(), Some(Cost(21)));
    let requests: Vec<_> = live.by_model().iter().map(|it| it.requests).collect();
    assert_eq!(requests, [1, 2]);
    assert_eq!(live.by_model()[1].model, "big");
    let opened = home.reopen(1);
    assert_eq!(opened.state.cost(), live.cost());
    assert_eq!(opened.state.by_model(), live.by_model());
    drop(opened);
    let loaded = home.store.load(session(1)).unwrap();
    let closed = loaded.events().filter_map(|event| match &event.kind {
        EventKind::RunFinished(finished) => Some(finished.cost),
        _ => None,
    });
    assert_eq!(
        closed.last(),
        Some(Some(Cost(7))),
        "of the run that broke off"
    );
}
