//! The logs of the corpus give the same request bytes for ever: a change here
//! throws away the prompt cache of every session that people have.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use tenon_model::{Chat, Codec, Delivery, Entry, Parameters, Prefix, Request};
use tenon_session::Store;
use tenon_vocab::{Part, SessionId, ToolSpec};

fn folder(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// The body for what a log holds, with a prefix that never changes.
fn body(log: &Path) -> Vec<u8> {
    let home = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(log).unwrap();
    let first: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let id: SessionId = first["id"].as_str().unwrap().parse().unwrap();
    let month = home.path().join("2026/01");
    std::fs::create_dir_all(&month).unwrap();
    std::fs::write(month.join(format!("{id}.jsonl")), &text).unwrap();
    let beside = log.with_extension("d");
    if beside.is_dir() {
        let target = month.join(format!("{id}.d"));
        let copied = std::process::Command::new("cp")
            .arg("-r")
            .arg(&beside)
            .arg(&target)
            .status();
        assert!(copied.unwrap().success());
    }
    let (log, state) = Store::new(home.path().to_owned())
        .open(id, "2026-11-15T00:00:00Z".parse().unwrap())
        .unwrap();
    let entries = state.history().messages().iter().map(|message| {
        let blobs = message.parts.iter().filter_map(|part| match part {
            Part::Image {
                source: tenon_vocab::ImageSource::Blob(blob),
                ..
            } => Some((blob.clone(), log.blobs().get(blob).ok()?.into())),
            _ => None,
        });
        Arc::new(Entry::with_blobs(Arc::clone(message), blobs.collect()))
    });
    let tool = ToolSpec {
        name: "read".into(),
        description: "Read a file.".into(),
        parameters: serde_json::json!({"type": "object", "properties": {}}),
        effect: tenon_vocab::Effect::Read,
        source: "test".into(),
    };
    let request = Request {
        prefix: Arc::new(Prefix {
            system: "You are a test.".into(),
            tools: vec![tool],
        }),
        entries: entries.collect(),
        parameters: Parameters::default(),
        delivery: Delivery::Streamed,
        cache_key: None,
        room: None,
    };
    Chat::new(Default::default())
        .body("model", &request)
        .concat()
}

#[test]
fn every_log_of_the_corpus_gives_the_request_bytes_beside_it() {
    let mut seen = 0;
    for entry in std::fs::read_dir(folder("../session/tests/corpus/v1")).unwrap() {
        let log = entry.unwrap().path();
        if log.extension().is_none_or(|end| end != "jsonl") {
            continue;
        }
        seen += 1;
        let name = log.file_stem().unwrap().to_string_lossy().into_owned();
        let kept = folder("tests/corpus/v1").join(format!("{name}.request.json"));
        let made = body(&log);
        if std::env::var_os("TENON_WRITE_CORPUS").is_some() && !kept.exists() {
            std::fs::create_dir_all(kept.parent().unwrap()).unwrap();
            std::fs::write(&kept, &made).unwrap();
        }
        let expected =
            std::fs::read(&kept).unwrap_or_else(|_| panic!("{} is there", kept.display()));
        assert_eq!(
            String::from_utf8_lossy(&made),
            String::from_utf8_lossy(&expected),
            "{name}"
        );
    }
    assert!(seen >= 13);
}
