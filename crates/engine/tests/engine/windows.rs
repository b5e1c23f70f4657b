//! How much the model holds: who says so, what is clamped by it, and what is
//! said when the server reads less than was sent.

use crate::formats::Format;
use crate::models::{Scripted, Turn};
use crate::support::{World, notices, outcome, prompt, results, say, table};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tenon_engine::Engine;
use tenon_model::{Identity, Window, WindowSource};
use tenon_vocab::port::Handle;
use tenon_vocab::{Command, EventKind, Outcome, Part, Query, Reply, SessionId, StopReason};

fn window(tokens: u64, source: WindowSource) -> Window {
    Window { tokens, source }
}

fn model(own: Option<Window>, served: Option<Window>, turns: Vec<Turn>) -> Arc<Scripted> {
    let identity = Identity {
        window: own,
        ..Identity::new("test", "scripted")
    };
    let mut model = Scripted::with(Format::Chat, identity, turns);
    model.served = served;
    Arc::new(model)
}

async fn shown(handle: &Handle) -> (String, Option<String>) {
    let table = table(handle, Query::Context).await;
    let limit = table.rows.last().unwrap();
    assert_eq!(limit[0], "limit");
    let size = format!("{} ({})", limit[1], limit[2]);
    (size, table.note)
}

async fn end(mut handle: Handle) {
    say(&mut handle, Command::Shutdown, |_| false).await;
}

#[tokio::test(start_paused = true)]
async fn the_users_window_comes_first_then_the_servers_then_the_catalogues() {
    let props = || Some(window(4096, WindowSource::Server("/props".into())));
    for (own, served, asked, expected) in [
        (
            Some(window(32_768, WindowSource::User)),
            props(),
            0,
            "32768 (your setting)",
        ),
        (
            Some(window(1_000_000, WindowSource::Catalogue)),
            props(),
            1,
            "4096 (the server, /props)",
        ),
        (
            Some(window(1_000_000, WindowSource::Catalogue)),
            None,
            1,
            "1000000 (the catalogue)",
        ),
        (None, props(), 1, "4096 (the server, /props)"),
        (
            None,
            None,
            1,
            "32768 (assumed, because the server doesn't report it; set `context_window`)",
        ),
    ] {
        let (world, id) = (World::new(), SessionId::generate());
        let model = model(own, served, Vec::new());
        let mut handle = world.start(id, &model);
        prompt(&mut handle, "one").await;
        prompt(&mut handle, "two").await;
        assert_eq!(shown(&handle).await.0, expected);
        assert_eq!(
            model.asked_for_window.load(Ordering::SeqCst),
            asked,
            "{expected}"
        );
        end(handle).await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_used_of_the_window_is_what_the_server_counted() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = model(
        Some(window(1000, WindowSource::User)),
        None,
        vec![
            Turn::text("hi").using(420, 5),
            Turn::text("hi").using(9_000, 5),
        ],
    );
    let mut handle = world.start(id, &model);
    let before = shown(&handle).await.1.unwrap();
    assert!(before.starts_with('~'), "{before}");
    prompt(&mut handle, "one").await;
    let note = shown(&handle).await.1.unwrap();
    assert_eq!(note, "~42 % of 1000 tokens (your setting)");
    prompt(&mut handle, "two").await;
    let note = shown(&handle).await.1.unwrap();
    assert_eq!(note, "~100 % of 1000 tokens (your setting)");
    end(handle).await;
}

#[tokio::test(start_paused = true)]
async fn the_answer_is_asked_to_fit_into_the_servers_window() {
    let (world, id) = (World::new(), SessionId::generate());
    let served = Some(window(2000, WindowSource::Server("/props".into())));
    let model = model(None, served, Vec::new());
    let mut parts = world.parts(id, Arc::clone(&model));
    parts.parameters.max_tokens = Some(50_000);
    let mut handle = Engine::start(id, parts);
    prompt(&mut handle, "one").await;
    prompt(&mut handle, "two").await;
    end(handle).await;
    let limit = |text: &str| -> u64 {
        let body: serde_json::Value = serde_json::from_str(text).unwrap();
        body["max_tokens"].as_u64().unwrap()
    };
    let texts = model.texts();
    assert!(limit(&texts[1]) < 2000, "{}", texts[1]);
    assert!(limit(&texts[1]) > 1000, "{}", texts[1]);
}

#[tokio::test(start_paused = true)]
async fn the_limit_that_a_format_wants_fits_into_the_window_as_well() {
    let (world, id) = (World::new(), SessionId::generate());
    let identity = Identity {
        window: Some(window(2000, WindowSource::User)),
        ..Identity::new("test", "scripted")
    };
    let model = Arc::new(Scripted::with(Format::Messages, identity, Vec::new()));
    let mut handle = world.start(id, &model);
    prompt(&mut handle, "one").await;
    prompt(&mut handle, "two").await;
    end(handle).await;
    let limits = model.bodies().into_iter().map(|body| {
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        body["max_tokens"].as_u64().unwrap()
    });
    let limits: Vec<u64> = limits.collect();
    assert_eq!(limits.len(), 2);
    assert!(limits[0] < 2000 && limits[1] < limits[0], "{limits:?}");
    assert!(limits[1] > 1000, "{limits:?}");
}

#[tokio::test(start_paused = true)]
async fn thoughts_are_returned_however_little_room_is_left() {
    let (world, id) = (World::new(), SessionId::generate());
    let identity = Identity {
        window: Some(window(5_600, WindowSource::Catalogue)),
        ..Identity::new("test", "claude-sonnet-4-5")
    };
    let thought = |text: &str| Part::Reasoning {
        text: text.into(),
        signature: Some("EqQBCgIYAhIM".into()),
        provider: Some("test".into()),
    };
    let long = format!(r#"{{"text":"{}"}}"#, "word ".repeat(1_500));
    let turns = (0..4)
        .map(|n| Turn::call(&format!("c{n}"), "act", &long).thinking(thought(&format!("hm{n}"))));
    // Each request is held against the one before it.
    let model = Arc::new(Scripted::with(Format::Messages, identity, turns));
    let mut parts = world.parts(id, Arc::clone(&model));
    parts.parameters.max_tokens = Some(4_096);
    parts.parameters.reasoning_effort = Some("high".into());
    let mut handle = Engine::start(id, parts);
    prompt(&mut handle, "go").await;
    end(handle).await;
    let texts = model.texts();
    assert_eq!(texts.len(), 5);
    for (n, text) in texts.iter().enumerate() {
        assert!(text.contains(r#""thinking":{"type":"enabled""#), "{n}");
        assert_eq!(text.matches("EqQBCgIYAhIM").count(), n);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_reads_too_little_is_named_once_with_its_window() {
    let (world, id) = (World::new(), SessionId::generate());
    let long = "the quick brown fox jumps over the lazy dog ".repeat(600);
    let served = Some(window(4096, WindowSource::Server("/api/ps".into())));
    let slow = || {
        let mut turn = Turn::text("hm").using(4000, 2);
        turn.pieces[0].0 = Duration::from_millis(1);
        turn
    };
    let turns = vec![slow(), slow()];
    let model = model(None, served, turns);
    let mut handle = world.start(id, &model);
    let events = prompt(&mut handle, &long).await;
    let said = notices(&events, "truncated");
    assert_eq!(said.len(), 1, "{said:?}");
    let message = &said[0].message;
    assert!(message.contains("read only 4000 of about 6"), "{message}");
    assert!(
        message.contains("4096 tokens (the server, /api/ps)"),
        "{message}"
    );
    let hint = said[0].hint.as_deref().unwrap();
    assert!(hint.contains("OLLAMA_CONTEXT_LENGTH"), "{hint}");
    let events = prompt(&mut handle, &long).await;
    assert!(notices(&events, "truncated").is_empty());
    end(handle).await;
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_ran_into_the_limit_under_another_name_is_cut_and_not_asked_for_again() {
    let (world, id) = (World::new(), SessionId::generate());
    let cut = Turn::call("a", "act", r#"{"text":"abc"#).using(10, 64);
    let model = model(None, None, vec![cut, Turn::text("done")]);
    let mut parts = world.parts(id, Arc::clone(&model));
    parts.parameters.max_tokens = Some(64);
    let mut handle = Engine::start(id, parts);
    let events = prompt(&mut handle, "go").await;
    end(handle).await;
    let text = &results(&events)[0].1;
    assert!(text.contains("your call was cut at 64 tokens"), "{text}");
    assert!(text.contains("smaller parts"), "{text}");
    assert_eq!(outcome(&events), Outcome::Completed);
    assert_eq!(model.bodies().len(), 2, "asked again without streaming");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_whole_call_at_the_limit_runs() {
    let (world, id) = (World::new(), SessionId::generate());
    let whole = Turn {
        stop: Some(StopReason::ToolUse),
        ..Turn::call("a", "act", r#"{"text":"abc"}"#).using(10, 64)
    };
    let model = model(None, None, vec![whole, Turn::text("done")]);
    let mut parts = world.parts(id, Arc::clone(&model));
    parts.parameters.max_tokens = Some(64);
    let mut handle = Engine::start(id, parts);
    let events = prompt(&mut handle, "go").await;
    end(handle).await;
    assert_eq!(results(&events)[0].1, r#"{"text":"abc"}"#);
}

/// llama-cpp-python drops the answer that it is giving when anything else is
/// asked of it.
#[tokio::test(start_paused = true)]
async fn nothing_is_asked_of_a_server_while_it_answers() {
    let (world, id) = (World::new(), SessionId::generate());
    let mut first = Turn::call("a", "act", r#"{"text":"abc"}"#);
    for piece in &mut first.pieces {
        piece.0 = Duration::from_millis(20);
    }
    let served = Some(window(4096, WindowSource::Server("/v1/models".into())));
    let mut model = Scripted::with(
        Format::Chat,
        Identity::new("test", "scripted"),
        vec![first, Turn::text("done")],
    );
    model.served = served;
    model.window_takes = Duration::from_secs(2);
    let model = Arc::new(model);
    let mut handle = world.start(id, &model);
    let events = prompt(&mut handle, "go").await;
    assert_eq!(outcome(&events), Outcome::Completed);
    assert_eq!(model.asked_for_window.load(Ordering::SeqCst), 1);
    assert_eq!(
        model.overlaps.load(Ordering::SeqCst),
        0,
        "asked beside an answer"
    );
    end(handle).await;
}

#[tokio::test(start_paused = true)]
async fn more_than_the_user_said_is_not_sent_and_both_figures_are_named() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = model(Some(window(1000, WindowSource::User)), None, Vec::new());
    let mut parts = world.parts(id, Arc::clone(&model));
    parts.parameters.max_tokens = Some(5_000);
    let mut handle = Engine::start(id, parts);
    let long = "the quick brown fox ".repeat(400);
    let events = prompt(&mut handle, &long).await;
    end(handle).await;
    assert_eq!(outcome(&events), Outcome::Failed);
    assert!(model.bodies().is_empty(), "it was sent");
    let said = notices(&events, "context_overflow");
    assert_eq!(said.len(), 1, "{said:?}");
    let message = &said[0].message;
    assert!(message.contains("about 2"), "{message}");
    assert!(message.contains("1000 of `context_window`"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn a_window_that_others_name_is_held_up_once_and_the_answer_keeps_some_room() {
    for (own, tokens) in [(WindowSource::Catalogue, 300), (WindowSource::User, 1_800)] {
        let (world, id) = (World::new(), SessionId::generate());
        let model = model(Some(window(tokens, own)), None, Vec::new());
        let mut parts = world.parts(id, Arc::clone(&model));
        parts.parameters.max_tokens = Some(5_000);
        let mut handle = Engine::start(id, parts);
        let long = "the quick brown fox ".repeat(355);
        let events = prompt(&mut handle, &long).await;
        let said = notices(&events, "crowded");
        assert_eq!(said.len(), 1, "{tokens}: {said:?}");
        assert!(said[0].message.contains(&tokens.to_string()));
        assert_eq!(outcome(&events), Outcome::Completed);
        let again = prompt(&mut handle, "x").await;
        assert!(notices(&again, "crowded").is_empty());
        end(handle).await;
        let body: serde_json::Value = serde_json::from_str(&model.texts()[0]).unwrap();
        assert_eq!(body["max_tokens"], 256);
    }
}

#[tokio::test(start_paused = true)]
async fn before_the_first_reply_what_is_assumed_is_said_and_why() {
    let (world, id) = (World::new(), SessionId::generate());
    let mut handle = world.start(id, &model(None, None, Vec::new()));
    assert!(
        shown(&handle)
            .await
            .0
            .starts_with("32768 (assumed; the server is asked after")
    );
    prompt(&mut handle, "one").await;
    prompt(&mut handle, "two").await;
    assert!(shown(&handle).await.0.starts_with("32768 (assumed"));
    end(handle).await;
}

#[tokio::test(start_paused = true)]
async fn the_users_cap_on_requests_holds_below_the_window() {
    let (world, id) = (World::new(), SessionId::generate());
    let catalogue = window(131_072, WindowSource::Catalogue);
    let first = Turn::text("hi").using(600, 5);
    let model = model(Some(catalogue), None, vec![first]);
    let mut parts = world.parts(id, Arc::clone(&model));
    parts.context.request_tokens = Some(1_000);
    parts.context.compaction.auto = false;
    parts.parameters.max_tokens = Some(5_000);
    let mut handle = Engine::start(id, parts);
    assert_eq!(shown(&handle).await.0, "1000 (your `context.max_tokens`)");
    prompt(&mut handle, "one").await;
    let body: serde_json::Value = serde_json::from_str(&model.texts()[0]).unwrap();
    assert!(body["max_tokens"].as_u64().unwrap() < 1_000, "{body}");
    let long = "the quick brown fox ".repeat(400);
    let events = prompt(&mut handle, &long).await;
    end(handle).await;
    let sent = model.texts();
    assert!(!sent.iter().any(|text| text.contains(&long)), "it was sent");
    let said = notices(&events, "context_overflow");
    let message = &said[0].message;
    assert!(
        message.contains("1000 of `context.max_tokens`"),
        "{message}"
    );
}

#[tokio::test(start_paused = true)]
async fn of_a_window_that_nobody_knows_a_long_conversation_hears_once() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = model(None, None, Vec::new());
    let mut parts = world.parts(id, Arc::clone(&model));
    parts.context.compaction.auto = false;
    let mut handle = Engine::start(id, parts);
    let events = prompt(&mut handle, "short").await;
    assert!(notices(&events, "crowded").is_empty());
    let long = "the quick brown fox ".repeat(4_200);
    let events = prompt(&mut handle, &long).await;
    let said = notices(&events, "crowded");
    assert_eq!(said.len(), 1, "{said:?}");
    let message = &said[0].message;
    assert!(message.contains("assumes 32768 tokens"), "{message}");
    assert!(message.contains("`context_window`"), "{message}");
    let events = prompt(&mut handle, "more").await;
    assert!(notices(&events, "crowded").is_empty());
    assert_eq!(model.bodies().len(), 3, "an assumption refuses nothing");
    end(handle).await;
}

#[tokio::test(start_paused = true)]
async fn a_small_window_is_told_when_the_server_says_it_and_not_with_the_next_prompt() {
    let (world, id) = (World::new(), SessionId::generate());
    let served = window(4_096, WindowSource::Server("/props".into()));
    let model = model(None, Some(served), vec![Turn::text("hi").using(2_000, 5)]);
    let mut handle = world.start(id, &model);
    prompt(&mut handle, "one").await;
    match handle.queries.ask(Query::Meter).await {
        Reply::Meter(meter) => assert_eq!(meter.limit, Some(4_096)),
        other => panic!("no figures: {other:?}"),
    }
    let told = loop {
        let event = handle.events.next().await.unwrap();
        if let EventKind::Notice(notice) = &event.kind {
            break notice.clone();
        }
    };
    assert_eq!(told.kind, "small_window", "{told:?}");
    end(handle).await;
}

#[tokio::test(start_paused = true)]
async fn every_part_of_the_context_is_listed_and_they_add_up() {
    let (world, id) = (World::new(), SessionId::generate());
    let call = Turn::call("a", "picture", "{}").using(500, 5);
    let model = model(
        Some(window(10_000, WindowSource::User)),
        None,
        vec![call, Turn::text("done").using(700, 5)],
    );
    let mut handle = world.start(id, &model);
    prompt(&mut handle, "one").await;
    let table = table(&handle, Query::Context).await;
    let parts: Vec<&str> = table.rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(
        parts,
        [
            "base", "tools", "prompts", "answers", "calls", "results", "images", "prompt", "used",
            "limit"
        ]
    );
    let figure = |row: &[String]| row[1].trim_start_matches('~').parse::<u64>().unwrap();
    let sum: u64 = table.rows[..7].iter().map(|row| figure(row)).sum();
    // What the server counted, and the answer that came since.
    assert_eq!(figure(&table.rows[8]), sum);
    assert!((701..720).contains(&sum), "{:?}", table.rows);
    assert_eq!(
        table.rows[8][2],
        "as the server counted, and an estimate of what came since"
    );
    assert_eq!(table.rows[0][2], "built-in");
    end(handle).await;
}

#[tokio::test(start_paused = true)]
async fn a_resumed_session_knows_what_the_server_counted() {
    let (world, id) = (World::new(), SessionId::generate());
    let scripted = || {
        let own = Some(window(10_000, WindowSource::User));
        model(own, None, vec![Turn::text("hi").using(4_200, 5)])
    };
    let mut handle = world.start(id, &scripted());
    prompt(&mut handle, "one").await;
    let note = shown(&handle).await.1.unwrap();
    end(handle).await;
    while world.store.open(id, tenon_vocab::Timestamp::now()).is_err() {
        tokio::task::yield_now().await;
    }
    let handle = world.start(id, &scripted());
    assert_eq!(note, "~42 % of 10000 tokens (your setting)");
    assert_eq!(shown(&handle).await.1.unwrap(), note);
    end(handle).await;
}
