//! Logs that must give the same messages for ever. A change that makes one of
//! these fail breaks sessions that people have on their disks: change the code,
//! not the corpus.

use crate::build::{Home, assert_valid, at, copy_folder};
use std::fs;
use std::path::{Path, PathBuf};
use tenon_session::{State, verify};
use tenon_vocab::SessionId;

fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/v1");
    let mut logs: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .collect();
    logs.sort();
    assert!(logs.len() >= 13, "the corpus is there");
    logs
}

/// Puts a log of the corpus into a store.
fn install(home: &Home, log: &Path) -> SessionId {
    let text = fs::read_to_string(log).unwrap();
    let first: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let id: SessionId = first["id"].as_str().unwrap().parse().unwrap();
    let month = home.root().join("2026/01");
    fs::create_dir_all(&month).unwrap();
    fs::write(month.join(format!("{id}.jsonl")), text).unwrap();
    let beside = log.with_extension("d");
    if beside.is_dir() {
        copy_folder(&beside, &month.join(format!("{id}.d")));
    }
    id
}

fn expected(log: &Path) -> serde_json::Value {
    let path = log.with_extension("history.json");
    let text = fs::read_to_string(&path).unwrap_or_else(|_| panic!("{} is there", path.display()));
    serde_json::from_str(&text).unwrap()
}

#[test]
fn every_log_of_the_corpus_gives_the_messages_beside_it() {
    for log in corpus() {
        let home = Home::new();
        let id = install(&home, &log);
        let loaded = home.store.load(id).unwrap();
        assert_eq!(
            verify(&home.store.read(loaded.id).unwrap()).unwrap(),
            [],
            "{}",
            log.display()
        );
        let (_, state) = home.store.open(id, at(0)).unwrap();
        assert_valid(state.history().messages());
        let messages = serde_json::to_value(state.history().messages()).unwrap();
        let shown = serde_json::to_string_pretty(&messages).unwrap();
        assert_eq!(messages, expected(&log), "{}:\n{shown}", log.display());
    }
}

#[test]
fn every_prefix_of_every_log_of_the_corpus_gives_a_valid_conversation() {
    for log in corpus() {
        let home = Home::new();
        let id = install(&home, &log);
        let loaded = home.store.load(id).unwrap();
        let mut state = State::new(&loaded.records[0].event).unwrap();
        for record in &loaded.records[1..] {
            state.apply(&record.event, record.offset);
            assert_valid(state.history().messages());
        }
    }
}

#[test]
fn opening_and_going_on_leaves_every_line_of_the_corpus_as_it_was() {
    for log in corpus() {
        let home = Home::new();
        let id = install(&home, &log);
        let before = fs::read_to_string(&log).unwrap();
        let path = home.store.load(id).unwrap().path;
        drop(home.store.open(id, at(0)).unwrap());
        let after = fs::read_to_string(path).unwrap();
        assert!(after.starts_with(&before), "{}", log.display());
    }
}

#[test]
fn a_fork_of_every_log_has_the_same_messages_and_what_this_version_does_not_know() {
    for log in corpus() {
        let home = Home::new();
        let id = install(&home, &log);
        let copy = SessionId::generate();
        let (fork, state) = home.store.fork(id, copy, None).unwrap();
        let messages = serde_json::to_value(state.history().messages()).unwrap();
        assert_eq!(messages, expected(&log), "{}", log.display());
        drop(fork);
        let (before, after) = (home.store.load(id).unwrap(), home.store.load(copy).unwrap());
        assert_eq!(
            verify(&home.store.read(after.id).unwrap()).unwrap(),
            [],
            "{}",
            log.display()
        );
        let meta = after.state().meta();
        assert_eq!(meta.forked_from.as_ref().unwrap().session, id);
        for (old, new) in before.records.iter().zip(&after.records).skip(1) {
            if old.event.kind.name() != "snapshot" && old.event.kind.name() != "run_finished" {
                assert_eq!(
                    old.line.replace(&id.to_string(), &copy.to_string()),
                    new.line
                );
            }
        }
    }
}

#[test]
fn a_session_that_is_in_use_can_be_forked() {
    let home = Home::new();
    let id = install(&home, &corpus()[0]);
    let _held = home.store.open(id, at(0)).unwrap();
    assert!(home.store.fork(id, SessionId::generate(), None).is_ok());
}
