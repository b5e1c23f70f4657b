//! Content beside the log, and records that are too long or too deep for a line.

use crate::build::{Home, result, session, used};
use serde_json::{Value, json};
use std::fs;
use tenon_session::SessionError;
use tenon_vocab::{BlobRef, EventKind, Message};

#[test]
fn content_is_kept_once_under_its_hash() {
    let home = Home::new();
    let writer = home.begin(1);
    let blobs = writer.log.blobs();
    let name = blobs.put(b"hello").unwrap();
    assert_eq!(blobs.put(b"hello").unwrap(), name);
    assert_eq!(
        name.sha256,
        "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    );
    let folder = writer.log.folder().unwrap().join("blobs");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    assert_eq!(blobs.get(&name).unwrap(), b"hello");
}

#[test]
fn changed_and_missing_content_is_named_and_a_torn_one_is_written_again() {
    let home = Home::new();
    let writer = home.begin(1);
    let blobs = writer.log.blobs();
    let name = blobs.put(b"hello").unwrap();
    let path = writer
        .log
        .folder()
        .unwrap()
        .join("blobs")
        .join(&name.sha256);
    fs::write(&path, b"hellO").unwrap();
    assert!(matches!(
        blobs.get(&name),
        Err(SessionError::BlobDamaged { .. })
    ));
    fs::write(&path, b"").unwrap();
    assert!(matches!(
        blobs.get(&name),
        Err(SessionError::BlobDamaged { .. })
    ));
    blobs.put(b"hello").unwrap();
    assert_eq!(blobs.get(&name).unwrap(), b"hello");
    fs::remove_file(&path).unwrap();
    assert!(matches!(
        blobs.get(&name),
        Err(SessionError::BlobMissing { .. })
    ));
}

#[test]
fn a_name_that_is_no_hash_reaches_no_file() {
    let home = Home::new();
    let writer = home.begin(1);
    for name in ["../../../etc/passwd", "", "ABC", "/etc/passwd"] {
        let name = BlobRef {
            sha256: name.to_owned(),
            bytes: 5,
        };
        assert!(matches!(
            writer.log.blobs().get(&name),
            Err(SessionError::BlobName { .. })
        ));
    }
}

#[test]
fn threads_may_store_the_same_content_at_once() {
    let home = Home::new();
    let writer = home.begin(1);
    let content = vec![42; 200_000];
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let (blobs, content) = (writer.log.blobs(), &content);
            scope.spawn(move || {
                for _ in 0..20 {
                    let name = blobs.put(content).unwrap();
                    assert_eq!(blobs.get(&name).unwrap().len(), content.len());
                }
            });
        }
    });
    let folder = writer.log.folder().unwrap().join("blobs");
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1, "no leftovers");
}

#[test]
fn long_strings_move_beside_the_log_and_come_back() {
    let home = Home::new();
    let mut writer = home.begin(1);
    let long = "ä\"\n".repeat(30_000);
    writer.start(1, "go");
    writer.put(used("a"));
    writer.put(result("a", &long));
    writer.put(Message::user("short"));
    writer.log.sync().unwrap();
    let path = writer.path();
    let live = writer.state.clone();
    drop(writer);
    assert!(fs::metadata(&path).unwrap().len() < 8 * 1024);
    let loaded = home.store.load(session(1)).unwrap();
    let back = loaded.records.iter().any(
        |record| matches!(&record.event.kind, EventKind::ToolResult(r) if r.model_text == long),
    );
    assert!(back);
    assert!(fs::read_to_string(&path).unwrap().contains("{\"$blob\":"));
    let opened = home.reopen(1);
    assert_eq!(loaded.state().history(), opened.state.history());
    assert_eq!(opened.state.usage(), live.usage());
    drop(opened);
    assert_eq!(home.findings(1), []);
}

#[test]
fn lost_content_is_a_finding_and_a_sentence_in_its_place() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    writer.put(Message::user("x".repeat(100_000)));
    writer.finish();
    let folder = writer.log.folder().unwrap().join("blobs");
    drop(writer);
    fs::remove_dir_all(folder).unwrap();
    let opened = home.reopen(1);
    let last = opened.state.history().messages().last().unwrap().text();
    assert!(last.contains("no longer in the session's folder"), "{last}");
    drop(opened);
    let findings = home.findings(1);
    assert_eq!(findings.len(), 1, "{findings:?}");
}

/// A value of a user in a record and back.
fn round_trip(value: &Value, padding: usize) -> Value {
    let home = Home::new();
    let mut writer = home.begin(1);
    let mut event = used("a");
    event.input = json!({"value": value, "padding": "p".repeat(padding)});
    writer.put(event);
    drop(writer);
    let loaded = home.store.load(session(1)).unwrap();
    let EventKind::ToolUse(used) = &loaded.records[1].event.kind else {
        panic!()
    };
    used.input["value"].clone()
}

#[test]
fn an_object_of_a_user_that_looks_like_moved_content_survives() {
    let sha = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    for value in [
        json!({"$blob": sha, "bytes": 5}),
        json!({"$$blob": {"$blob": 1}, "$json": "{}"}),
        json!({"$json": {"$json": [1, 2]}}),
        json!({"a": [{"$blob": null}], "$": 1, "blob": 2}),
        json!("text with \"$blob\": in it"),
    ] {
        for padding in [0, 100_000] {
            assert_eq!(round_trip(&value, padding), value, "padding {padding}");
        }
    }
}

#[test]
fn what_is_nested_as_deep_as_a_parser_allows_can_be_read_again() {
    let text = format!("{}1{}", "[".repeat(126), "]".repeat(126));
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(round_trip(&value, 0), value);
    let text = format!("{}{{\"$json\":\"x\"}}{}", "[".repeat(110), "]".repeat(110));
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(round_trip(&value, 100_000), value);
}

#[test]
fn a_hostile_reference_in_a_line_is_no_way_out_of_the_folder() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.put(Message::user("REPLACE"));
    let path = writer.path();
    drop(writer);
    let text = fs::read_to_string(&path).unwrap();
    let hostile = "{\"$blob\":\"../../../../../../etc/hostname\",\"bytes\":3}";
    fs::write(&path, text.replace("\"REPLACE\"", hostile)).unwrap();
    let loaded = home.store.load(session(1)).unwrap();
    let EventKind::Message(message) = &loaded.records[1].event.kind else {
        panic!()
    };
    assert!(message.text().contains("isn't a name of stored content"));
}

#[test]
fn the_content_of_a_file_is_stored_in_fewer_bytes_under_the_same_name() {
    let home = Home::new();
    let writer = home.begin(1);
    let blobs = writer.log.blobs();
    let text = "one line like another\n".repeat(1_000);
    let name = blobs.put_file(text.as_bytes()).unwrap();
    let path = writer
        .log
        .folder()
        .unwrap()
        .join("blobs")
        .join(&name.sha256);
    let stored = fs::metadata(&path).unwrap().len();
    assert!(stored < name.bytes / 4, "{stored}");
    assert_eq!(blobs.stored_bytes(), stored);
    assert_eq!(blobs.get(&name).unwrap(), text.as_bytes());
    // The same content as a plain one finds what is there.
    assert_eq!(blobs.put(text.as_bytes()).unwrap(), name);
    assert_eq!(fs::metadata(&path).unwrap().len(), stored);
    // A torn one is known and written again.
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert!(matches!(
        blobs.get(&name),
        Err(SessionError::BlobDamaged { .. })
    ));
    blobs.put_file(text.as_bytes()).unwrap();
    assert_eq!(blobs.get(&name).unwrap(), text.as_bytes());
}
