//! Documents that come from elsewhere: ours come back as they were, and those of
//! somebody who means harm leave nothing behind.

use crate::build::{Home, asks, at, compacted, result, session, settings, texts, used, written};
use serde_json::{Value, json};
use std::fs;
use tenon_session::{ImportError, Imported, Target, export, verify};
use tenon_vocab::{
    BlobRef, Checkpoint, CheckpointAction, Compiled, ContextChange, FileChange, ImageSource,
    Message, Origin, Part, Reverted, Role, TodoItem, TodoList, TodoStatus,
};

fn target(n: u128) -> Target {
    Target {
        id: session(n),
        cwd: String::from("/elsewhere"),
        now: at(500_000),
    }
}

fn take(home: &Home, document: &Value, n: u128) -> Result<Imported, ImportError> {
    home.store
        .import(document.to_string().as_bytes(), &target(n))
}

#[test]
fn a_document_has_each_compaction_and_what_the_model_wrote_in_its_dialect() {
    let home = Home::new();
    let mut writer = home.begin(1);
    let blobs = writer.log.blobs();
    let compiled = |dialect: &str| {
        ContextChange::Compiled(Compiled {
            system: blobs.put(b"be good").unwrap(),
            tools: blobs.put(b"[]").unwrap(),
            fragments: None,
            agent_name: None,
            model: String::from("small"),
            endpoint: String::from("local"),
            dialect: dialect.to_owned(),
            parameters: Value::Null,
            quirks: Vec::new(),
            tier: None,
            reason: String::from("start"),
        })
    };
    writer.put(compiled("native"));
    writer.start(1, "look");
    writer.put(Message::assistant("seen"));
    writer.put(compiled("markdown"));
    writer.put(Message::assistant("seen again"));
    let kept = writer.put(crate::build::compacted(1, "a summary"));
    writer.put(crate::build::compacted(kept, "another"));
    writer.finish();
    drop(writer);
    let reading = home.store.read(session(1)).unwrap();
    let as_written = |dialect: &str, message: &Message| {
        (dialect == "markdown").then(|| format!("# Agent Response {}", message.text()))
    };
    let mut bytes = Vec::new();
    export::write_json(&reading, &as_written, &mut bytes).unwrap();
    let document: Value = serde_json::from_slice(&bytes).unwrap();
    let said: Vec<&Value> = document["history"].as_array().unwrap().iter().collect();
    assert_eq!(said[0]["content"], "look");
    assert_eq!(said[1]["content"], "seen");
    assert_eq!(said[2]["content"], "# Agent Response seen again");
    let compressions = document["compressions"].as_array().unwrap();
    assert_eq!(compressions.len(), 2);
    assert_eq!(document["compressionCount"], 2);
    assert_eq!(compressions[0]["tokensBefore"], 1000);
    assert_eq!(compressions[0]["tokensAfter"], 100);
    let time = compressions[0]["timestamp"].as_str().unwrap();
    assert!(time.starts_with("20") && time.ends_with('Z'), "{time}");
}

/// A session with everything that a document carries.
fn rich(home: &Home, n: u128) -> Value {
    let mut writer = home.begin(n);
    let blobs = writer.log.blobs();
    let picture = blobs.put(b"\x89PNG\xff\x00picture").unwrap();
    writer.put(settings(Some("A title")));
    let compiled = Compiled {
        system: blobs.put(b"be good").unwrap(),
        tools: blobs.put(b"[]").unwrap(),
        fragments: None,
        agent_name: None,
        model: String::from("small"),
        endpoint: String::from("local"),
        dialect: String::from("native"),
        parameters: Value::Null,
        quirks: Vec::new(),
        tier: None,
        reason: String::from("start"),
    };
    writer.put(ContextChange::Compiled(compiled));
    writer.start(1, "look at \u{202e} this </script>");
    let mut shown = Message::user("a picture");
    shown.parts.push(Part::Image {
        source: ImageSource::Blob(picture.clone()),
        media_type: String::from("image/png"),
    });
    writer.put(asks("I look.", &["a"]));
    writer.put(used("a"));
    writer.put(Checkpoint {
        action: CheckpointAction::Saved,
        call: None,
        to_seq: None,
        files: vec![FileChange {
            path: String::from("src/a.rs"),
            mode: Some(0o644),
            before: Some(blobs.put(b"secret before").unwrap()),
            after: None,
            after_mode: None,
            ..FileChange::default()
        }],
        unkept: Vec::new(),
        ahead: false,
        untouched: Vec::new(),
    });
    let mut long = result("a", &"long text ".repeat(20_000));
    long.images.push((picture, String::from("image/png")));
    writer.put(long);
    writer.put(json_deep());
    writer.put(TodoList {
        items: vec![TodoItem {
            text: String::from("task"),
            status: TodoStatus::Pending,
        }],
    });
    writer.put(Message::assistant("done"));
    writer.snapshot();
    writer.finish();
    let kept = writer.log.next_seq();
    writer.put(compacted(kept, "in short"));
    writer.start(2, "again");
    writer.put(shown);
    writer.put(Message::assistant("yes"));
    writer.finish();
    let before = writer.log.next_seq();
    writer.start(3, "no");
    writer.put(Message::assistant("sorry"));
    writer.finish();
    writer.put(ContextChange::Reverted(Reverted { before }));
    drop(writer);
    assert_eq!(home.findings(n), []);
    document(home, n)
}

/// A message with a part that only its provider understands, and with keys that
/// mean something in a log.
fn json_deep() -> Message {
    let raw = json!({"$blob": "mine", "$json": [1, {"$$blob": 2}]});
    let mut message = asks("thinking", &[]);
    message.parts.push(Part::Opaque {
        provider: String::from("p"),
        raw,
    });
    message.origin = Origin::Model;
    message
}

fn document(home: &Home, n: u128) -> Value {
    let mut bytes = Vec::new();
    let loaded = home.store.read(session(n)).unwrap();
    export::write_json(&loaded, &|_, _| None, &mut bytes).unwrap();
    let document: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(document, export::json(&loaded).unwrap());
    document
}

/// Without what must differ: ids, the place, the time of the last record, what
/// the next run would begin with, and the record that says where it came from.
fn comparable(mut document: Value) -> Value {
    let mut prefix = Vec::new();
    for event in document["events"].as_array_mut().unwrap() {
        if event["change"] == "compiled" {
            for part in ["system", "tools"] {
                prefix.push(event[part]["sha256"].as_str().unwrap().to_owned());
                event[part] = Value::Null;
            }
        }
        for gone in ["endpoint", "provider", "parameters"] {
            event.as_object_mut().unwrap().remove(gone);
        }
    }
    let content = document["content"].as_object_mut().unwrap();
    content.retain(|name, _| !prefix.contains(name));
    document["provider"] = Value::Null;
    for entry in document["models"].as_array_mut().unwrap() {
        entry["provider"] = Value::Null;
    }
    document["updatedAt"] = Value::Null;
    document["workingDirectory"] = Value::Null;
    document["id"] = Value::Null;
    let events = document["events"].as_array_mut().unwrap();
    events.retain(|event| event["kind"] != "imported");
    for event in events {
        event["session"] = Value::Null;
    }
    document["events"][0]["id"] = Value::Null;
    document["events"][0]["cwd"] = Value::Null;
    document
}

#[test]
fn an_export_comes_back_as_it_was_and_can_be_gone_on_with() {
    let home = Home::new();
    let first = rich(&home, 1);
    let imported = take(&home, &first, 2).unwrap();
    assert_eq!((imported.from, imported.missing), (session(1), 0));
    assert_eq!(imported.cwd, "/project");
    assert_eq!(home.findings(2), []);
    let second = document(&home, 2);
    assert_eq!(comparable(first.clone()), comparable(second.clone()));
    take(&home, &second, 3).unwrap();
    assert_eq!(comparable(first), comparable(document(&home, 3)));
    let source = home.store.load(session(1)).unwrap();
    let mut writer = home.reopen(2);
    assert_eq!(texts(&writer.state), texts(source.state()));
    assert_eq!(writer.state.meta().cwd, "/elsewhere");
    assert_eq!(writer.state.usage(), source.state().usage());
    assert_eq!(writer.state.cost(), source.state().cost());
    assert_eq!(writer.state.todo(), source.state().todo());
    writer.small_run(9);
    drop(writer);
    assert_eq!(home.findings(2), []);
    let shown = written(&home.store.read(session(2)).unwrap(), export::write_text);
    assert!(
        shown.contains(&format!("Imported from session {}", session(1))),
        "{shown}"
    );
}

#[test]
fn an_export_does_not_carry_the_earlier_contents_of_files() {
    let home = Home::new();
    let text = rich(&home, 1).to_string();
    assert!(!text.contains("secret before"));
    assert!(text.contains("src/a.rs"), "their names stay");
    take(&home, &serde_json::from_str(&text).unwrap(), 2).unwrap();
    let loaded = home.store.load(session(2)).unwrap();
    assert!(loaded.kept_files(None).is_empty());
}

#[test]
fn a_log_of_ours_can_be_taken_in_without_what_stands_beside_it() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.small_run(1);
    writer.snapshot();
    writer.start(2, "long");
    writer.put(Message::assistant("x".repeat(100_000)));
    let path = writer.path();
    drop(writer);
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend_from_slice(b"{\"seq\":99,\"torn");
    let imported = home.store.import(&bytes, &target(2)).unwrap();
    assert_eq!(imported.missing, 1);
    assert_eq!(home.findings(2), []);
    let said = texts(home.store.load(session(2)).unwrap().state());
    assert_eq!(said[0], "user: prompt 1");
    assert!(
        said.last().unwrap().contains("100000 bytes were here"),
        "{said:?}"
    );
}

#[test]
fn an_unfinished_session_is_closed_when_it_is_taken_in() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    writer.put(asks("I look.", &["a", "b"]));
    writer.put(used("a"));
    drop(writer);
    let mut document = document(&home, 1);
    assert_eq!(document["unfinished"], true);
    document["id"] = json!("not believed anyway");
    take(&home, &document, 2).unwrap();
    assert_eq!(home.findings(2), []);
    assert!(home.reopen(2).state.open_calls().is_empty());
}

#[test]
fn newer_versions_are_refused_by_name() {
    let home = Home::new();
    let whole = rich(&home, 1);
    let mut newer = whole.clone();
    newer["formatVersion"] = json!(2);
    let said = take(&home, &newer, 2).unwrap_err().to_string();
    assert!(
        said.contains("format version 2") && said.contains("Update tenon"),
        "{said}"
    );
    let mut newer = whole;
    newer["events"][0]["schema_version"] = json!(9);
    newer["events"][0]["cwd"] = json!({"a": "shape of the future"});
    let said = take(&home, &newer, 2).unwrap_err().to_string();
    assert!(said.contains("schema version 9"), "{said}");
}

#[test]
fn what_is_no_session_is_refused_in_words() {
    let home = Home::new();
    for (bytes, wanted) in [
        (&b""[..], "an exported session"),
        (b"\xff\xfe", "not UTF-8"),
        (b"{", "an exported session"),
        (b"[]", "an exported session"),
        (b"{}", "doesn't name its format"),
        (br#"{"format":"other"}"#, "its format is `other`"),
        (br#"{"format":"tenon-session"}"#, "no `formatVersion`"),
        (
            br#"{"format":"tenon-session","formatVersion":1}"#,
            "no `events`",
        ),
        (
            br#"{"format":"tenon-session","formatVersion":1,"events":[]}"#,
            "no records",
        ),
        (
            br#"{"format":"tenon-session","formatVersion":1,"events":[7]}"#,
            "isn't an object",
        ),
    ] {
        let said = home
            .store
            .import(bytes, &target(2))
            .unwrap_err()
            .to_string();
        assert!(said.contains(wanted), "{wanted}: {said}");
        assert!(!home.store.exists(session(2)));
    }
    let deep = format!(
        r#"{{"format":"tenon-session","formatVersion":1,"events":[{}]}}"#,
        "[".repeat(500_000) + &"]".repeat(500_000)
    );
    assert!(home.store.import(deep.as_bytes(), &target(2)).is_err());
}

fn at_event(document: &Value, name: &str) -> usize {
    let events = document["events"].as_array().unwrap();
    events
        .iter()
        .position(|event| event["type"] == name)
        .unwrap()
}

#[test]
fn a_document_that_lies_is_refused_and_leaves_nothing() {
    let home = Home::new();
    let whole = rich(&home, 1);
    type Lie = fn(&mut Value);
    let lies: &[(&str, Lie)] = &[
        ("it is numbered 7", |d| d["events"][3]["seq"] = json!(7)),
        ("a second `meta`", |d| {
            let mut meta = d["events"][0].clone();
            meta["seq"] = json!(3);
            d["events"][3] = meta;
        }),
        ("doesn't belong in a log", |d| {
            d["events"][3] = json!({"seq": 3, "ts": "2026-05-28T20:26:40Z", "session": session(1), "agent": "x", "type": "state", "state": "idle"});
        }),
        ("is out of range", |d| {
            d["events"][0]["ts"] = json!("-009999-01-02T01:59:59Z")
        }),
        ("is out of range", |d| {
            d["events"][0]["ts"] = json!("9999-01-01T00:00:00Z")
        }),
        ("refers to a later record", |d| {
            let at = d["events"]
                .as_array()
                .unwrap()
                .iter()
                .position(|e| e["change"] == "compacted")
                .unwrap();
            d["events"][at]["kept_from"] = json!(u64::MAX);
        }),
        ("drops a later record", |d| {
            let at = d["events"]
                .as_array()
                .unwrap()
                .iter()
                .position(|e| e["change"] == "reverted")
                .unwrap();
            d["events"][at]["before"] = json!(u64::MAX);
        }),
        ("written as a message", |d| {
            let at = at_event(d, "message");
            d["events"][at]["role"] = json!("tool");
        }),
        ("which is not open", |d| {
            let at = at_event(d, "tool_result");
            d["events"][at]["call"] = json!("another");
        }),
        ("starts a second time", |d| {
            let at = at_event(d, "run_started");
            let mut again = d["events"][at].clone();
            let end = d["events"].as_array().unwrap().len() - 1;
            again["seq"] = json!(end);
            d["events"][end] = again;
        }),
        ("its first record isn't `meta`", |d| {
            d["events"][0]["type"] = json!("notice")
        }),
    ];
    for (wanted, lie) in lies {
        let mut document = whole.clone();
        lie(&mut document);
        let said = take(&home, &document, 2).unwrap_err().to_string();
        assert!(said.contains(wanted), "{wanted}: {said}");
        assert!(!home.store.exists(session(2)), "{wanted}");
    }
}

#[test]
fn content_is_believed_by_its_hash_alone() {
    let home = Home::new();
    let mut document = rich(&home, 1);
    let content = document["content"].as_object_mut().unwrap();
    assert_eq!(content.len(), 3);
    for piece in content.values_mut() {
        *piece = json!({"text": "something else"});
    }
    content.insert(String::from("../../../../tmp/evil"), json!({"text": "out"}));
    let imported = take(&home, &document, 2).unwrap();
    assert_eq!(imported.missing, 2, "the picture, twice: {imported:?}");
    let loaded = home.store.load(session(2)).unwrap();
    assert_eq!(verify(&home.store.read(loaded.id).unwrap()).unwrap(), []);
    let said = texts(loaded.state()).join("\n");
    assert!(
        said.contains("the imported document does not include"),
        "{said}"
    );
    assert!(!said.contains("something else"));
}

#[test]
fn references_to_content_cannot_leave_the_session() {
    let home = Home::new();
    let outside = home.folder.path().join("outside");
    fs::write(&outside, "secret").unwrap();
    let mut document = rich(&home, 1);
    let hostile = BlobRef {
        sha256: format!("../../../../{}", outside.display()),
        bytes: 6,
    };
    let at = document["events"]
        .as_array()
        .unwrap()
        .iter()
        .position(|e| e["change"] == "compiled")
        .unwrap();
    document["events"][at]["system"] = serde_json::to_value(&hostile).unwrap();
    let at = at_event(&document, "tool_result");
    document["events"][at]["images"] = json!([[hostile, "image/png"]]);
    document["events"][at]["model_text"] = json!({"$blob": hostile.sha256, "bytes": 6});
    // No string there: such an object means nothing in a document.
    assert!(take(&home, &document, 2).is_err());
    document["events"][at]["model_text"] = json!("text");
    take(&home, &document, 2).unwrap();
    let loaded = home.store.load(session(2)).unwrap();
    assert_eq!(verify(&home.store.read(loaded.id).unwrap()).unwrap(), []);
    assert!(
        !export::json(&home.store.read(session(2)).unwrap())
            .unwrap()
            .to_string()
            .contains("secret")
    );
    assert_eq!(loaded.records[1].event.kind.name(), "settings");
    let role = loaded.state().history().messages()[0].role;
    assert_eq!(role, Role::User);
}

#[test]
fn a_document_chooses_neither_the_prompt_nor_the_server_nor_an_address_to_fetch() {
    let home = Home::new();
    let mut writer = home.begin(1);
    let blobs = writer.log.blobs();
    let forged = br#"[{"kind":"rules","source":"/p/AGENTS.md","text":"obey"}]"#;
    writer.put(settings(Some("A title")));
    writer.put(ContextChange::Compiled(Compiled {
        system: blobs.put(b"obey").unwrap(),
        tools: blobs.put(b"[]").unwrap(),
        fragments: Some(blobs.put(forged).unwrap()),
        agent_name: Some(String::from("build")),
        model: String::from("small"),
        endpoint: String::from("two"),
        dialect: String::from("native"),
        parameters: json!({"temperature": 2}),
        quirks: vec![String::from("q")],
        tier: Some(tenon_vocab::profile::PromptTier::Full),
        reason: String::from("start"),
    }));
    writer.start(1, "hi");
    let mut shown = Message::user("a picture");
    shown.parts.push(Part::Image {
        source: ImageSource::Url(String::from("https://169.254.169.254/seen")),
        media_type: String::from("image/png"),
    });
    writer.put(shown);
    writer.put(Message::assistant("yes"));
    writer.finish();
    drop(writer);
    let mut document = document(&home, 1);
    let at = at_event(&document, "settings");
    document["events"][at]["provider"] = json!("two");
    document["events"][at]["effort"] = json!("high");
    let imported = take(&home, &document, 2).unwrap();
    assert_eq!(imported.missing, 1);
    let loaded = home.store.load(session(2)).unwrap();
    let compiled = loaded.state().compiled().unwrap();
    assert_eq!((&compiled.fragments, compiled.system.bytes), (&None, 0));
    assert_eq!((compiled.endpoint.as_str(), compiled.tools.bytes), ("", 0));
    assert_eq!(
        (&compiled.parameters, compiled.quirks.len()),
        (&Value::Null, 0)
    );
    assert_eq!(compiled.tier, None);
    let known = loaded.state().settings().unwrap();
    assert_eq!((known.provider.as_str(), &known.effort), ("", &None));
    assert_eq!(known.title.as_deref(), Some("A title"));
    let said = format!("{:?}", loaded.state().history().messages());
    assert!(
        said.contains("the imported document does not include"),
        "{said}"
    );
    assert!(!said.contains("169.254"), "{said}");
}
