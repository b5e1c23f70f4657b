//! Another model in the middle of a session (P12), and back: what is recorded,
//! when it holds, and that every request of every format passes its validator.

use crate::formats::Format;
use crate::models::{Scripted, Shelf, Turn};
use crate::support::{World, names, notices, outcome, prompt, say, switch, switched};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tenon_engine::Engine;
use tenon_model::{Identity, Parameters};
use tenon_vocab::port::Handle;
use tenon_vocab::{
    Command, ContextChange, Event, EventKind, Outcome, Part, Query, Reply, SessionId, Settings,
    Switch,
};

fn speaker(format: Format, endpoint: &str, turns: Vec<Turn>) -> Arc<Scripted> {
    let identity = Identity::new(endpoint, format!("{endpoint}-1"));
    Arc::new(Scripted::with(format, identity, turns))
}

fn start(world: &World, id: SessionId, first: &Arc<Scripted>, shelf: Shelf) -> Handle {
    let mut parts = world.parts(id, Arc::clone(first));
    parts.models = Some(Arc::new(shelf));
    Engine::start(id, parts)
}

fn shelf(models: &[(&str, &Arc<Scripted>)]) -> Shelf {
    Shelf {
        models: models
            .iter()
            .map(|(name, model)| ((*name).to_owned(), Arc::clone(model)))
            .collect(),
        ..Shelf::default()
    }
}

async fn end(mut handle: Handle) -> Vec<Arc<Event>> {
    say(&mut handle, Command::Shutdown, |_| false).await
}

fn settings(world: &World, id: SessionId) -> Settings {
    let loaded = world.store.load(id).unwrap();
    loaded.state().settings().unwrap().clone()
}

fn compiled(world: &World, id: SessionId) -> Vec<(String, String)> {
    let loaded = world.store.load(id).unwrap();
    let changes = loaded.events().filter_map(|event| match &event.kind {
        EventKind::Context(ContextChange::Compiled(compiled)) => {
            Some((compiled.model.clone(), compiled.reason.clone()))
        }
        _ => None,
    });
    changes.collect()
}

#[tokio::test(start_paused = true)]
async fn a_switch_is_recorded_and_the_next_request_is_the_new_models() {
    let (world, id) = (World::new(), SessionId::generate());
    let a = Scripted::new([Turn::text("from a")]);
    let b = speaker(Format::Messages, "other", vec![Turn::text("from b")]);
    let mut handle = start(&world, id, &a, shelf(&[("other/other-1", &b)]));
    prompt(&mut handle, "one").await;
    let notice = switch(&mut handle, "other/other-1").await;
    assert_eq!(notice.kind, "switched");
    assert!(notice.message.contains("other-1"), "{}", notice.message);
    prompt(&mut handle, "two").await;
    end(handle).await;
    assert_eq!((a.bodies().len(), b.bodies().len()), (1, 1));
    assert!(b.texts()[0].contains("from a"), "the history went along");
    let held = settings(&world, id);
    assert_eq!(
        (held.provider, held.model),
        ("other".into(), "other-1".into())
    );
    assert_eq!(
        compiled(&world, id),
        [
            ("scripted".into(), "start".into()),
            ("other-1".into(), "model".into())
        ]
    );
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_switch_that_comes_during_a_run_holds_for_the_next_one() {
    let (world, id) = (World::new(), SessionId::generate());
    let a = Scripted::new([
        Turn::call("c", "look", r#"{"ms":500}"#),
        Turn::text("still a"),
    ]);
    let b = speaker(Format::Chat, "other", vec![Turn::text("from b")]);
    let mut handle = start(&world, id, &a, shelf(&[("b", &b)]));
    let started = |kind: &EventKind| matches!(kind, EventKind::ToolUse(_));
    let command = Command::Prompt {
        text: "one".into(),
        attachments: vec![],
    };
    say(&mut handle, command, started).await;
    let switch = Switch {
        model: Some("b".into()),
        ..Switch::default()
    };
    handle.commands.send(Command::Switch(switch));
    // The first to end is the run that goes on; then the prompt has its own.
    prompt(&mut handle, "two").await;
    while let Some(event) = handle.events.next().await {
        if matches!(event.kind, EventKind::RunFinished(_)) {
            break;
        }
    }
    end(handle).await;
    assert_eq!(
        a.bodies().len(),
        2,
        "the run ended with the model it began with"
    );
    assert!(b.texts()[0].contains("still a"), "{:?}", b.texts());
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_is_not_there_is_said_and_the_old_one_stays() {
    let (world, id) = (World::new(), SessionId::generate());
    let a = Scripted::new([Turn::text("one"), Turn::text("two")]);
    let mut handle = start(&world, id, &a, Shelf::default());
    let notice = switch(&mut handle, "nothing").await;
    assert_eq!(notice.kind, "not_switched");
    assert_eq!(notice.message, "There is no model `nothing`.");
    assert_eq!(notice.hint.as_deref(), Some("Ask for another."));
    let events = prompt(&mut handle, "go").await;
    assert_eq!(outcome(&events), Outcome::Completed);
    let crashed = switch(&mut handle, "panic").await;
    assert_eq!(crashed.kind, "not_switched");
    let events = prompt(&mut handle, "go").await;
    assert_eq!(outcome(&events), Outcome::Completed);
    end(handle).await;
    assert_eq!(a.bodies().len(), 2);
    assert_eq!(settings(&world, id).model, "scripted");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_model_ends_with_stop() {
    let (world, id) = (World::new(), SessionId::generate());
    let a = Scripted::new([]);
    let mut handle = start(&world, id, &a, shelf(&[("never", &a)]));
    let wanted = Switch {
        model: Some("never".into()),
        ..Switch::default()
    };
    handle.commands.send(Command::Switch(wanted));
    tokio::time::sleep(Duration::from_secs(5)).await;
    let events = say(
        &mut handle,
        Command::Interrupt,
        |kind| matches!(kind, EventKind::Notice(notice) if notice.kind == "not_switched"),
    )
    .await;
    assert_eq!(notices(&events, "not_switched").len(), 1);
    end(handle).await;
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn without_a_source_of_models_the_model_cannot_change() {
    let (world, id) = (World::new(), SessionId::generate());
    let mut handle = world.start(id, &Scripted::new([]));
    assert_eq!(switch(&mut handle, "b").await.kind, "not_switched");
    let agent = Switch {
        agent: Some("plan".into()),
        ..Switch::default()
    };
    assert_eq!(switched(&mut handle, agent).await.kind, "not_switched");
    end(handle).await;
}

#[tokio::test(start_paused = true)]
async fn an_effort_is_sent_recorded_and_taken_back() {
    let (world, id) = (World::new(), SessionId::generate());
    let a = Scripted::new([]);
    let mut handle = world.start(id, &a);
    let effort = |level: &str| Switch {
        effort: Some(level.into()),
        ..Switch::default()
    };
    switched(&mut handle, effort("high")).await;
    prompt(&mut handle, "one").await;
    assert_eq!(settings(&world, id).effort.as_deref(), Some("high"));
    switched(&mut handle, effort("")).await;
    prompt(&mut handle, "two").await;
    end(handle).await;
    let texts = a.texts();
    assert!(
        texts[0].contains(r#""reasoning_effort":"high""#),
        "{}",
        texts[0]
    );
    assert!(!texts[1].contains("reasoning_effort"), "{}", texts[1]);
    assert_eq!(settings(&world, id).effort, None);
    let reasons: Vec<_> = compiled(&world, id).into_iter().map(|(_, r)| r).collect();
    assert_eq!(reasons, ["start", "effort", "effort"]);
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn the_parameters_of_a_model_come_with_it() {
    let (world, id) = (World::new(), SessionId::generate());
    let (a, b) = (
        Scripted::new([]),
        speaker(Format::Chat, "other", Vec::new()),
    );
    let mut shelf = shelf(&[("b", &b)]);
    shelf.parameters = Parameters {
        max_tokens: Some(77),
        reasoning_effort: Some("low".into()),
        ..Parameters::default()
    };
    let mut handle = start(&world, id, &a, shelf);
    switch(&mut handle, "b").await;
    prompt(&mut handle, "go").await;
    end(handle).await;
    assert!(
        b.texts()[0].contains(r#""max_tokens":77"#),
        "{:?}",
        b.texts()
    );
    assert_eq!(settings(&world, id).effort.as_deref(), Some("low"));
}

#[tokio::test(start_paused = true)]
async fn stop_drops_prompts_that_wait_and_keeps_the_change_of_the_model() {
    let (world, id) = (World::new(), SessionId::generate());
    let a = Scripted::new([Turn::text("a").hangs()]);
    let b = speaker(Format::Chat, "other", vec![Turn::text("from b")]);
    let mut handle = start(&world, id, &a, shelf(&[("b", &b)]));
    let asked = |kind: &EventKind| matches!(kind, EventKind::MessageDelta(_));
    let command = |text: &str| Command::Prompt {
        text: text.into(),
        attachments: vec![],
    };
    say(&mut handle, command("one"), asked).await;
    handle.commands.send(command("dropped"));
    handle.commands.send(Command::Switch(Switch {
        model: Some("b".into()),
        ..Switch::default()
    }));
    let events = say(
        &mut handle,
        Command::Interrupt,
        |kind| matches!(kind, EventKind::Notice(notice) if notice.kind == "switched"),
    )
    .await;
    assert_eq!(outcome(&events), Outcome::Interrupted);
    prompt(&mut handle, "two").await;
    end(handle).await;
    assert_eq!(b.bodies().len(), 1);
    assert!(!b.texts()[0].contains("dropped"));
    world.verify(id);
}

/// Signed in the way in which the format of its owner keeps it.
fn signed(owner: &str, text: &str) -> Part {
    let signature = format!("signature-of-{owner}");
    let item = json!({
        "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": signature
    });
    Part::Reasoning {
        text: text.into(),
        signature: Some(match owner {
            "openai" => item.to_string(),
            _ => signature,
        }),
        provider: Some(owner.into()),
    }
}

/// Reasoning, a call with a picture, and an answer.
fn turns(owner: &str) -> Vec<Turn> {
    let call = |n: u32| {
        Turn::text("I look.")
            .thinking(signed(owner, &format!("thought {n} of {owner}")))
            .and_call("same", "picture", "{}")
            .and_call("", "look", r#"{"text":"#)
    };
    // A broken call is asked for again without streaming.
    (0..3)
        .flat_map(|n| [call(n), call(n), Turn::text("Seen.")])
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_session_goes_through_all_formats_and_back_and_nothing_is_lost() {
    let (world, id) = (World::new(), SessionId::generate());
    let chat = speaker(Format::Chat, "vllm", turns("vllm"));
    let messages = speaker(Format::Messages, "anthropic", turns("anthropic"));
    let responses = speaker(Format::Responses, "openai", turns("openai"));
    let all = shelf(&[
        ("chat", &chat),
        ("messages", &messages),
        ("responses", &responses),
    ]);
    let mut handle = start(&world, id, &chat, all);
    for name in [
        "chat",
        "messages",
        "responses",
        "chat",
        "messages",
        "responses",
        "chat",
    ] {
        assert_eq!(switch(&mut handle, name).await.kind, "switched");
        let events = prompt(&mut handle, "go on").await;
        assert_eq!(
            outcome(&events),
            Outcome::Completed,
            "{name}: {:?}",
            names(&events)
        );
        assert_eq!(notices(&events, "internal"), [], "{name}");
    }
    end(handle).await;
    world.verify(id);
    for (model, owner, others) in [
        (&messages, "anthropic", ["openai", "vllm"]),
        (&responses, "openai", ["anthropic", "vllm"]),
    ] {
        let last = model.texts().pop().unwrap();
        let own = format!("signature-of-{owner}");
        assert!(
            last.matches(&own).count() >= 2,
            "{owner} gets its own back: {last}"
        );
        for other in others {
            let foreign = format!("signature-of-{other}");
            assert!(!last.contains(&foreign), "{owner} gets {foreign}: {last}");
        }
    }
    let last = chat.texts().pop().unwrap();
    assert!(!last.contains("signature-of"), "{last}");
    assert!(last.contains("data:image/png;base64,"), "{last}");
}

#[tokio::test(start_paused = true)]
async fn one_reading_of_an_effort_holds_for_every_front_end() {
    let (world, id) = (World::new(), SessionId::generate());
    let a = Scripted::new([]);
    let mut handle = start(&world, id, &a, Shelf::default());
    let to = |level: &str| Switch {
        effort: Some(level.into()),
        ..Switch::default()
    };
    let notice = switched(&mut handle, to("High")).await;
    assert_eq!((notice.kind.as_str(), notice.hint), ("switched", None));
    let notice = switched(&mut handle, to("very high")).await;
    assert_eq!(notice.kind, "not_switched");
    let notice = switched(&mut handle, to("turbo")).await;
    assert!(notice.hint.is_some_and(|hint| hint.contains("`turbo`")));
    switched(&mut handle, to("default")).await;
    end(handle).await;
    assert_eq!(settings(&world, id).effort, None);
}

/// What is used of the window, and whether nobody has counted it.
async fn used(handle: &Handle) -> (u64, bool) {
    match handle.queries.ask(Query::Meter).await {
        Reply::Meter(meter) => (meter.used, meter.estimated),
        other => panic!("no figures: {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn what_one_model_has_counted_is_not_held_for_the_count_of_another() {
    let (world, id) = (World::new(), SessionId::generate());
    let a = Scripted::new([Turn::text("from a").using(50_000, 10)]);
    let b = speaker(Format::Chat, "other", Vec::new());
    let mut handle = start(&world, id, &a, shelf(&[("b", &b)]));
    prompt(&mut handle, "one").await;
    // And the answer.
    let counted = used(&handle).await;
    assert!(counted.0 > 50_000 && counted.1, "{counted:?}");
    let effort = Switch {
        effort: Some("high".into()),
        ..Switch::default()
    };
    assert_eq!(switched(&mut handle, effort).await.kind, "switched");
    assert_eq!(used(&handle).await, counted, "the same model");
    assert_eq!(switch(&mut handle, "b").await.kind, "switched");
    let (tokens, estimated) = used(&handle).await;
    assert!(estimated && tokens < 50_000, "{tokens}");
    end(handle).await;
    world.verify(id);
}
