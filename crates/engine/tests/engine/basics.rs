//! The loop, its limits, and what a session looks like afterwards.

use crate::formats::Format;
use crate::models::{Scripted, Turn};
use crate::support::{World, names, outcome, results};
use std::sync::Arc;
use tenon_engine::Effects;
use tenon_model::{Delivery, Identity, ModelErrorKind};
use tenon_vocab::{EventKind, Outcome, SessionId, Status, StopReason};

#[tokio::test(start_paused = true)]
async fn a_prompt_without_calls_is_one_step() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([Turn::text("hello")]);
    let events = world.run(id, &model, "hi").await;
    assert_eq!(outcome(&events), Outcome::Completed);
    assert_eq!(
        names(&events),
        [
            "settings",
            "context",
            // The window of the tests is a small one.
            "notice",
            "run_started",
            "message",
            "message",
            "run_finished"
        ]
    );
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn results_are_appended_in_the_order_of_the_calls() {
    let (world, id) = (World::new(), SessionId::generate());
    let calls = Turn::call("a", "look", r#"{"ms":300}"#)
        .and_call("b", "look", r#"{"ms":100}"#)
        .and_call("c", "look", r#"{"ms":200}"#);
    let model = Scripted::new([calls, Turn::text("done")]);
    let before = tokio::time::Instant::now();
    let events = world.run(id, &model, "look around").await;
    let ids: Vec<_> = results(&events).into_iter().map(|(call, _)| call).collect();
    assert_eq!(ids, ["a", "b", "c"]);
    assert!(
        before.elapsed().as_millis() < 600,
        "reads ran one after the other: {:?}",
        before.elapsed()
    );
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn calls_with_effects_run_one_at_a_time() {
    let (world, id) = (World::new(), SessionId::generate());
    let calls = Turn::call("a", "act", r#"{"ms":300}"#).and_call("b", "act", r#"{"ms":300}"#);
    let model = Scripted::new([calls, Turn::text("done")]);
    let before = tokio::time::Instant::now();
    let events = world.run(id, &model, "act").await;
    assert!(
        before.elapsed().as_millis() >= 600,
        "{:?}",
        before.elapsed()
    );
    assert_eq!(outcome(&events), Outcome::Completed);
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_panicking_tool_fails_its_call_and_nothing_else() {
    let (world, id) = (World::new(), SessionId::generate());
    let calls = Turn::call("a", "boom", "{}").and_call("b", "look", "{}");
    let model = Scripted::new([calls, Turn::text("done")]);
    let events = world.run(id, &model, "go").await;
    let texts = results(&events);
    assert!(texts[0].1.starts_with("error: internal:"), "{texts:?}");
    assert_eq!(texts[1].1, "{}");
    assert_eq!(outcome(&events), Outcome::Completed);
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn an_unknown_tool_is_answered_with_the_ones_there_are() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([Turn::call("a", "lok", "{}"), Turn::text("done")]);
    let events = world.run(id, &model, "go").await;
    let text = &results(&events)[0].1;
    assert!(
        text.contains("unknown_tool") && text.contains("Did you mean `look`?"),
        "{text}"
    );
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn the_limit_of_steps_ends_the_run_with_a_reason() {
    let (mut world, id) = (World::new(), SessionId::generate());
    world.limits.max_turns = 3;
    let turns = (0..9).map(|n| Turn::call(&format!("c{n}"), "look", &format!(r#"{{"ms":{n}}}"#)));
    let events = world.run(id, &Scripted::new(turns), "go").await;
    assert_eq!(outcome(&events), Outcome::Limit);
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn too_many_failures_in_a_row_end_the_run() {
    let (world, id) = (World::new(), SessionId::generate());
    let turns = (0..20).map(|n| Turn::call(&format!("c{n}"), "fail", &format!(r#"{{"ms":{n}}}"#)));
    let events = world.run(id, &Scripted::new(turns), "go").await;
    assert_eq!(outcome(&events), Outcome::Failed);
    assert_eq!(results(&events).len(), 10, "automated runs allow ten");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_success_in_between_starts_the_count_of_failures_anew() {
    let (world, id) = (World::new(), SessionId::generate());
    let turns = (0..30).map(|n| {
        let name = if n % 3 == 2 { "look" } else { "fail" };
        Turn::call(&format!("c{n}"), name, &format!(r#"{{"ms":{n}}}"#))
    });
    let events = world.run(id, &Scripted::new(turns), "go").await;
    assert_eq!(outcome(&events), Outcome::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_broken_stream_is_tried_again_and_its_text_is_kept_but_not_sent() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([
        Turn::text("half an ans").fails(ModelErrorKind::Broken),
        Turn::text("whole"),
    ]);
    let events = world.run(id, &model, "hi").await;
    assert_eq!(outcome(&events), Outcome::Completed);
    let kept: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Message(message) => {
                Some((message.text(), message.status, message.in_context))
            }
            _ => None,
        })
        .collect();
    assert!(
        kept.contains(&("half an ans".into(), Status::Abandoned, false)),
        "{kept:?}"
    );
    assert!(names(&events).contains(&"retry"));
    let second = String::from_utf8(model.bodies()[1].clone()).unwrap();
    assert!(!second.contains("half an ans"), "{second}");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn retries_end_after_five_with_the_reason() {
    let (world, id) = (World::new(), SessionId::generate());
    let turns = (0..9).map(|_| Turn::default().fails(ModelErrorKind::Unavailable));
    let model = Scripted::new(turns);
    let events = world.run(id, &model, "hi").await;
    assert_eq!(outcome(&events), Outcome::Failed);
    assert_eq!(model.bodies().len(), 6, "one try and five more");
    assert_eq!(
        names(&events)
            .iter()
            .filter(|name| **name == "retry")
            .count(),
        5
    );
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_rejected_request_is_not_tried_again() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([Turn::default().fails(ModelErrorKind::Auth)]);
    let events = world.run(id, &model, "hi").await;
    assert_eq!(outcome(&events), Outcome::Failed);
    assert_eq!(model.bodies().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_streamed_call_without_usable_arguments_is_asked_for_once_without_streaming() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([
        Turn::call("a", "look", r#"{"ms":"#),
        Turn::call("a", "look", r#"{"ms":1}"#),
        Turn::text("done"),
    ]);
    let events = world.run(id, &model, "go").await;
    assert_eq!(
        model.deliveries()[..2],
        [Delivery::Streamed, Delivery::Whole]
    );
    assert_eq!(results(&events).len(), 1);
    assert_eq!(outcome(&events), Outcome::Completed);
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_cut_is_not_run_and_the_model_is_told() {
    let (world, id) = (World::new(), SessionId::generate());
    let mut cut = Turn::call("a", "act", r#"{"text":"abc"#);
    cut.stop = Some(StopReason::MaxTokens);
    let model = Scripted::new([cut, Turn::text("done")]);
    let events = world.run(id, &model, "go").await;
    let text = &results(&events)[0].1;
    assert!(
        text.contains("cut") && text.contains("smaller parts"),
        "{text}"
    );
    assert!(!names(&events).contains(&"tool_use"));
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn calls_with_the_same_id_in_two_steps_stay_two_calls() {
    let (world, id) = (World::new(), SessionId::generate());
    let turns = [
        Turn::call("call_1", "look", r#"{"ms":1}"#),
        Turn::call("call_1", "look", r#"{"ms":2}"#),
    ];
    let events = world.run(id, &Scripted::new(turns), "go").await;
    assert_eq!(results(&events).len(), 2);
    assert_eq!(outcome(&events), Outcome::Completed);
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_request_after_resume_is_the_one_that_would_have_been_sent() {
    let (world, whole, cut) = (World::new(), SessionId::generate(), SessionId::generate());
    let script = || {
        [
            Turn::text("looking")
                .and_call("a", "look", r#"{"ms":1}"#)
                .and_call("b", "look", r#"{"ms":2}"#),
            Turn::text("first answer"),
            Turn::text("second answer"),
        ]
    };
    let without_stop = Scripted::new(script());
    let mut handle = world.start(whole, &without_stop);
    handle.commands.send(tenon_vocab::Command::Prompt {
        text: "one".into(),
        attachments: vec![],
    });
    handle.commands.send(tenon_vocab::Command::Prompt {
        text: "two".into(),
        attachments: vec![],
    });
    let mut finished = 0;
    while let Some(event) = handle.events.next().await {
        if matches!(event.kind, EventKind::RunFinished(_)) {
            finished += 1;
            if finished == 2 {
                handle.commands.send(tenon_vocab::Command::Shutdown);
            }
        }
    }
    let with_stop = Scripted::new(script());
    world.run(cut, &with_stop, "one").await;
    let events = world.run(cut, &with_stop, "two").await;
    assert_eq!(without_stop.bodies(), with_stop.bodies());
    assert!(
        !names(&events).contains(&"context"),
        "nothing changed, so nothing is recorded"
    );
    world.verify(cut);
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_runs_no_call_with_effects() {
    let (mut world, id) = (World::new(), SessionId::generate());
    world.effects = Effects::DryRun;
    let calls = Turn::call("a", "act", "{}").and_call("b", "look", "{}");
    let events = world
        .run(id, &Scripted::new([calls, Turn::text("done")]), "go")
        .await;
    let texts = results(&events);
    assert!(texts[0].1.contains("dry_run"), "{texts:?}");
    assert_eq!(texts[1].1, "{}");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn the_output_asked_for_fits_beside_what_is_sent() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([Turn::text("hello")]);
    let mut parts = world.parts(id, std::sync::Arc::clone(&model));
    parts.parameters.max_tokens = Some(1_000_000);
    let mut handle = tenon_engine::Engine::start(id, parts);
    handle.commands.send(tenon_vocab::Command::Prompt {
        text: "hi".into(),
        attachments: vec![],
    });
    crate::support::until_finished(&mut handle).await;
    let body: serde_json::Value = serde_json::from_slice(&model.bodies()[0]).unwrap();
    let asked = body["max_tokens"].as_u64().unwrap();
    assert!(asked > 4000 && asked < 8192, "{asked} of a window of 8192");
}

#[tokio::test(start_paused = true)]
async fn a_request_is_told_of_before_its_answer_and_is_not_kept() {
    let (world, id) = (World::new(), SessionId::generate());
    let turns = [Turn::call("a", "look", "{}"), Turn::text("done")];
    let model = Arc::new(Scripted::with(
        Format::Chat,
        Identity::new("local", "m"),
        turns,
    ));
    let events = world.run(id, &model, "go").await;
    let told: Vec<_> = events
        .iter()
        .enumerate()
        .filter_map(|(at, event)| match &event.kind {
            tenon_vocab::EventKind::ModelRequest(request) => Some((at, event, request)),
            _ => None,
        })
        .collect();
    assert_eq!(told.len(), 2);
    let counts: Vec<u64> = told.iter().map(|(_, _, one)| one.messages).collect();
    assert_eq!(counts, [1, 3], "the prompt; then the call and its result");
    for (at, event, request) in told {
        assert_eq!(
            (request.endpoint.as_str(), request.model.as_str()),
            ("local", "m")
        );
        assert_eq!(request.purpose, tenon_vocab::RequestPurpose::Step);
        assert!(request.estimated_tokens > 0);
        assert!(!event.is_durable());
        let next = events[at..].iter().find(|event| event.is_durable());
        assert_eq!(next.unwrap().kind.name(), "message");
    }
}

#[tokio::test(start_paused = true)]
async fn every_run_after_a_snapshot_names_it_also_after_two_resumes() {
    let (world, id) = (World::new(), SessionId::generate());
    let text = "x".repeat(20_000);
    let mut many = Turn::default();
    for n in 0..150 {
        many = many.and_call(
            &format!("c{n}"),
            "look",
            &format!(r#"{{"text":"{n}{text}"}}"#),
        );
    }
    let model = Scripted::new([
        many,
        Turn::text("one"),
        Turn::text("two"),
        Turn::text("three"),
    ]);
    for prompt in ["fill it", "again", "and again"] {
        let events = world.run(id, &model, prompt).await;
        let named = events.iter().find_map(|event| match &event.kind {
            EventKind::RunFinished(finished) => Some(finished.snapshot),
            _ => None,
        });
        assert!(named.flatten().is_some(), "`{prompt}` names no snapshot");
    }
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_limit_inside_a_batch_does_not_hide_what_its_siblings_did() {
    let (mut world, id) = (World::new(), SessionId::generate());
    world.limits.max_retries_automated = 1;
    let calls = Turn::call("a", "fail", "{}").and_call("b", "look", r#"{"ms":5}"#);
    let events = world.run(id, &Scripted::new([calls]), "go").await;
    assert_eq!(results(&events)[1].1, r#"{"ms":5}"#);
    assert_eq!(outcome(&events), Outcome::Failed);
    let told = events.iter().any(|event| {
        matches!(&event.kind, EventKind::Notice(notice) if notice.message.contains("max_retries_automated"))
    });
    assert!(told, "the reason is said, with the key that counts");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_the_engine_ends_its_run_and_the_next_one_works() {
    let (world, id) = (World::new(), SessionId::generate());
    let panics = Turn {
        panics: true,
        ..Turn::default()
    };
    let model = Scripted::new([panics, Turn::text("fine again")]);
    let mut handle = world.start(id, &model);
    for text in ["first", "second"] {
        handle.commands.send(tenon_vocab::Command::Prompt {
            text: text.into(),
            attachments: vec![],
        });
    }
    let mut outcomes = Vec::new();
    while let Some(event) = handle.events.next().await {
        if let EventKind::RunFinished(finished) = &event.kind {
            outcomes.push(finished.outcome);
            if outcomes.len() == 2 {
                handle.commands.send(tenon_vocab::Command::Shutdown);
            }
        }
    }
    assert_eq!(outcomes, [Outcome::Failed, Outcome::Completed]);
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn frames_are_gone_when_their_message_is_in_the_log() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([
        Turn::text("hello").and_call("a", "look", "{}"),
        Turn::text("done"),
    ]);
    world.run(id, &model, "hi").await;
    let mut partial = None;
    for month in walk(&world.dir.path().join("sessions")) {
        if month.ends_with("partial") {
            partial = Some(std::fs::metadata(&month).unwrap().len());
        }
    }
    assert!(partial.is_none_or(|bytes| bytes == 0), "{partial:?}");
}

/// All files below a folder.
fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(walk(&path));
        } else {
            files.push(path);
        }
    }
    files
}

#[tokio::test(start_paused = true)]
async fn a_log_that_cannot_be_written_from_the_start_ends_the_session_before_any_request() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([Turn::text("hello")]);
    let parts = world.parts(id, std::sync::Arc::clone(&model));
    // The prefix goes into the folder of contents, which is a file here.
    std::fs::write(parts.log.folder().unwrap().join("blobs"), "").unwrap();
    let mut handle = tenon_engine::Engine::start(id, parts);
    handle.commands.send(tenon_vocab::Command::Prompt {
        text: "hi".into(),
        attachments: vec![],
    });
    let events = crate::support::until_finished(&mut handle).await;
    assert_eq!(outcome(&events), Outcome::Failed);
    assert!(model.bodies().is_empty(), "a request was made");
}
