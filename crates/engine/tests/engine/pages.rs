//! Results are pages of what is free of the window: nothing comes that would be
//! compacted away before it is read.

use crate::formats::Format;
use crate::models::{Scripted, Turn};
use crate::support::{World, notices, outcome, prompt, results, say};
use serde_json::{Value, json};
use std::sync::Arc;
use tenon_engine::{Approval, Confirm, Engine};
use tenon_model::{Identity, Window, WindowSource, estimate_text};
use tenon_tools::{BuiltIn, Interactive, Toolbox};
use tenon_vocab::profile::Strategy;
use tenon_vocab::{
    Command, ContextChange, Envelope, Event, EventKind, Outcome, Part, Role, SessionId,
};

/// 42 KB of code.
fn code() -> String {
    (1..=1_000)
        .map(|line| format!("    let value_{line:04} = compute(a, b);  // fine\n"))
        .collect()
}

struct Session {
    events: Vec<Arc<Event>>,
    requests: Vec<String>,
}

async fn session(tokens: Option<u64>, said: &str, turns: Vec<Turn>) -> Session {
    let (mut world, id) = (World::new(), SessionId::generate());
    world.approval = Approval::Yes(Confirm::Nobody);
    for name in ["big.rs", "b.rs", "c.rs", "d.rs"] {
        std::fs::write(world.root().join(name), code()).unwrap();
    }
    let identity = Identity {
        window: tokens.map(|tokens| Window {
            tokens,
            source: WindowSource::User,
        }),
        ..Identity::new("test", "m")
    };
    let model = Arc::new(Scripted::with(Format::Chat, identity, turns));
    let mut parts = world.parts(id, Arc::clone(&model));
    parts.context.compaction.strategy = Strategy::Deterministic;
    parts.toolbox = Toolbox::default();
    parts.toolbox.add(&BuiltIn::new(Interactive::No));
    let mut handle = Engine::start(id, parts);
    let events = prompt(&mut handle, said).await;
    say(&mut handle, Command::Shutdown, |_| false).await;
    world.verify(id);
    Session {
        events,
        requests: model.texts(),
    }
}

fn read(id: &str, path: &str, offset: u64) -> Turn {
    let input = json!({"path": path, "offset": offset});
    // A server that counts nothing, so that our own estimate is what counts.
    Turn::call(id, "read", &input.to_string()).using(0, 5)
}

/// The data of the results.
fn data(events: &[Arc<Event>]) -> Vec<Value> {
    let of = |event: &Arc<Event>| match &event.kind {
        EventKind::ToolResult(result) => match &result.envelope {
            Envelope::Ok(data) => Some(data.clone()),
            Envelope::Err(_) => None,
        },
        _ => None,
    };
    events.iter().filter_map(of).collect()
}

fn is_shortened(events: &[Arc<Event>]) -> bool {
    events.iter().any(|event| match &event.kind {
        EventKind::Context(change) => !matches!(change, ContextChange::Compiled(_)),
        _ => false,
    })
}

#[tokio::test]
async fn a_file_that_is_longer_than_the_window_comes_as_a_page_that_fits() {
    let turns = vec![read("a", "big.rs", 1), Turn::text("done")];
    let session = session(Some(8_192), "go", turns).await;
    assert_eq!(outcome(&session.events), Outcome::Completed);
    let (_, text) = results(&session.events).remove(0);
    let tokens = estimate_text(&text);
    assert!((500..2_048).contains(&tokens), "{tokens}");
    let next = data(&session.events)[0]["next_offset"].as_u64().unwrap();
    assert!(
        text.ends_with(&format!("of 1000; use offset={next} to continue]\n")),
        "{text}"
    );
    assert!(!is_shortened(&session.events));
}

#[tokio::test]
async fn several_pages_of_it_are_read_before_any_is_compacted_away() {
    let mut offset = 1;
    let mut turns = Vec::new();
    // What the pages are is known from the run before: the same every time.
    for _ in 0..4 {
        turns.push(read(&format!("r{offset}"), "big.rs", offset));
        let mut all = turns.clone();
        all.push(Turn::text("done"));
        let session = session(Some(8_192), "go", all).await;
        assert!(!is_shortened(&session.events));
        // The request after it has the end of each page.
        let seen = session.requests.last().unwrap();
        for (_, page) in results(&session.events) {
            let line = page.lines().rev().nth(1).unwrap();
            let line = line.split('\t').nth(1).unwrap().trim();
            assert!(seen.contains(line), "not seen: {line}");
        }
        offset = data(&session.events).pop().unwrap()["next_offset"]
            .as_u64()
            .unwrap();
    }
    assert!(offset > 150, "{offset}");
}

#[tokio::test]
async fn calls_that_run_side_by_side_share_what_is_free() {
    let turn = read("a", "big.rs", 1)
        .and_call("b", "read", r#"{"path":"b.rs"}"#)
        .and_call("c", "read", r#"{"path":"c.rs"}"#)
        .and_call("d", "grep", r#"{"pattern":"value_"}"#);
    let session = session(Some(16_384), "go", vec![turn, Turn::text("done")]).await;
    let all = results(&session.events);
    assert_eq!(all.len(), 4);
    let tokens: u64 = all.iter().map(|(_, text)| estimate_text(text)).sum();
    assert!((2_000..6_000).contains(&tokens), "{tokens}");
    for (_, text) in &all {
        assert!(
            text.contains("to continue]") || text.contains("Narrow the search"),
            "{text}"
        );
    }
    assert!(!is_shortened(&session.events));
}

#[tokio::test]
async fn a_large_window_leaves_the_caps_as_they_are() {
    let turns = vec![read("a", "big.rs", 1), Turn::text("done")];
    let session = session(Some(200_000), "go", turns).await;
    assert_eq!(data(&session.events)[0]["truncated"], false);
}

/// What went along with the prompt.
fn mentioned(events: &[Arc<Event>]) -> Vec<String> {
    let message = events.iter().find_map(|event| match &event.kind {
        EventKind::Message(message) if message.role == Role::User => Some(message),
        _ => None,
    });
    let text = |part: &Part| match part {
        Part::Text { text } if text.starts_with("<file") => Some(text.clone()),
        _ => None,
    };
    message.unwrap().parts.iter().filter_map(text).collect()
}

#[tokio::test]
async fn what_is_mentioned_is_a_page_too_and_the_user_is_told() {
    let said = "look at @big.rs and @b.rs and @c.rs and @d.rs";
    let session = session(Some(8_192), said, vec![Turn::text("done")]).await;
    let files = mentioned(&session.events);
    assert_eq!(files.len(), 4);
    let tokens: Vec<u64> = files.iter().map(|text| estimate_text(text)).collect();
    assert!(tokens.iter().sum::<u64>() < 5_000, "{tokens:?}");
    assert!(
        tokens[3] < tokens[0],
        "each has a share of what is left: {tokens:?}"
    );
    assert!(files[0].contains("to continue]"));
    let told = notices(&session.events, "mention");
    assert!(
        told[0].message.starts_with("Only lines 1-") && told[0].message.contains("of @big.rs"),
        "{}",
        told[0].message
    );
    assert!(!is_shortened(&session.events));
    assert_eq!(outcome(&session.events), Outcome::Completed);
}
