//! Side work: a title by a small model where the user named one, and not one
//! request more than asked for where none is named.

use crate::formats::Format;
use crate::models::{Scripted, Shelf, Turn};
use crate::support::{World, prompt, say};
use std::sync::Arc;
use std::time::Duration;
use tenon_engine::Engine;
use tenon_model::{Identity, ModelErrorKind, Prices};
use tenon_vocab::port::Handle;
use tenon_vocab::{Command, Cost, EventKind, SessionId, SettingsChange};

fn small(turns: Vec<Turn>) -> Arc<Scripted> {
    let identity = Identity::new("fast", "tiny");
    Arc::new(Scripted::with(Format::Chat, identity, turns))
}

fn start(
    world: &World,
    id: SessionId,
    model: &Arc<Scripted>,
    small: Option<Arc<Scripted>>,
) -> Handle {
    let mut parts = world.parts(id, Arc::clone(model));
    parts.models = Some(Arc::new(Shelf {
        small,
        ..Shelf::default()
    }));
    Engine::start(id, parts)
}

async fn rest(handle: &mut Handle) {
    tokio::time::sleep(Duration::from_secs(60)).await;
    say(handle, Command::Shutdown, |_| false).await;
}

fn title(world: &World, id: SessionId) -> Option<String> {
    let loaded = world.store.load(id).unwrap();
    loaded.state().settings().unwrap().title.clone()
}

#[tokio::test(start_paused = true)]
async fn without_a_small_model_a_prompt_is_exactly_one_request() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([]);
    let mut handle = start(&world, id, &model, None);
    prompt(&mut handle, "one").await;
    rest(&mut handle).await;
    assert_eq!(model.bodies().len(), 1);
    assert_eq!(title(&world, id), None);
}

#[tokio::test(start_paused = true)]
async fn a_small_model_names_the_session_once_with_a_small_request() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([Turn::text("The parser is fixed.")]);
    let tiny = small(vec![Turn::text("\"Fix the parser\"\n")]);
    let mut handle = start(&world, id, &model, Some(Arc::clone(&tiny)));
    let command = Command::Prompt {
        text: "fix it".into(),
        attachments: vec![],
    };
    say(
        &mut handle,
        command,
        |kind| matches!(kind, EventKind::Settings(settings) if settings.title.is_some()),
    )
    .await;
    prompt(&mut handle, "more").await;
    rest(&mut handle).await;
    assert_eq!(title(&world, id).as_deref(), Some("Fix the parser"));
    assert_eq!(tiny.bodies().len(), 1);
    let body: serde_json::Value = serde_json::from_slice(&tiny.bodies()[0]).unwrap();
    assert_eq!(body["max_tokens"], 30);
    assert!(body.get("tools").is_none(), "{body}");
    assert!(body.to_string().contains("The parser is fixed."), "{body}");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn what_a_title_took_is_counted_with_the_model_that_made_it() {
    for (said, title_made) in [("Fix the parser", Some("Fix the parser")), (" \n", None)] {
        let (world, id) = (World::new(), SessionId::generate());
        let model = Scripted::new([]);
        let identity = Identity {
            prices: Some(Prices {
                input: 1.0,
                output: 10.0,
                cached: None,
                cache_write: None,
            }),
            ..Identity::new("fast", "tiny")
        };
        let turn = Turn::text(said).using(1_000, 20);
        let tiny = Arc::new(Scripted::with(Format::Chat, identity, vec![turn]));
        let mut handle = start(&world, id, &model, Some(tiny));
        prompt(&mut handle, "one").await;
        rest(&mut handle).await;
        assert_eq!(title(&world, id).as_deref(), title_made);
        let loaded = world.store.load(id).unwrap();
        let state = loaded.state();
        let found = state
            .by_model()
            .iter()
            .find(|of| of.model == "tiny")
            .unwrap();
        assert_eq!((found.provider.as_str(), found.requests), ("fast", 1));
        assert_eq!((found.usage.input, found.usage.output), (1_000, 20));
        assert_eq!(found.cost, Some(Cost(1_200)));
        assert!(
            state.usage().input > 1_000,
            "the session's own model counts too"
        );
        assert_eq!(state.settings().unwrap().side, None, "it is no setting");
        world.verify(id);
    }
}

#[tokio::test(start_paused = true)]
async fn a_title_that_fails_or_never_comes_is_not_noticed() {
    for turn in [
        Turn::default().fails(ModelErrorKind::Auth),
        Turn::default().hangs(),
        Turn::text("  \n"),
    ] {
        let (world, id) = (World::new(), SessionId::generate());
        let model = Scripted::new([]);
        let tiny = small(vec![turn]);
        let mut handle = start(&world, id, &model, Some(Arc::clone(&tiny)));
        prompt(&mut handle, "one").await;
        tokio::time::sleep(Duration::from_secs(60)).await;
        prompt(&mut handle, "two").await;
        let events = say(&mut handle, Command::Shutdown, |_| false).await;
        let said = events
            .iter()
            .any(|e| matches!(e.kind, EventKind::Notice(_)));
        assert!(!said, "{events:?}");
        assert_eq!(title(&world, id), None);
        assert_eq!(tiny.bodies().len(), 1, "asked once");
        world.verify(id);
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_session_does_not_wait_for_a_title() {
    let (world, id) = (World::new(), SessionId::generate());
    let tiny = small(vec![Turn::default().hangs()]);
    let mut handle = start(&world, id, &Scripted::new([]), Some(tiny));
    prompt(&mut handle, "one").await;
    let before = tokio::time::Instant::now();
    say(&mut handle, Command::Shutdown, |_| false).await;
    assert_eq!(before.elapsed(), Duration::ZERO);
    world.verify(id);
}

fn is_settled(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Notice(notice) if notice.kind == "settings")
}

#[tokio::test(start_paused = true)]
async fn a_title_of_the_user_s_own_is_kept_whatever_a_model_says() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([]);
    let tiny = small(vec![Turn::text("A title by a model")]);
    let mut handle = start(&world, id, &model, Some(Arc::clone(&tiny)));
    for text in ["\n mine \t own", " \n "] {
        let change = SettingsChange {
            title: Some(text.to_owned()),
            pinned: Some(true),
            add_dir: None,
            permission_mode: None,
        };
        say(&mut handle, Command::Settings(change), is_settled).await;
    }
    prompt(&mut handle, "one").await;
    prompt(&mut handle, "two").await;
    rest(&mut handle).await;
    assert_eq!(title(&world, id).as_deref(), Some("mine own"));
    assert_eq!(tiny.bodies().len(), 0, "no title is asked for");
    let loaded = world.store.load(id).unwrap();
    assert!(loaded.state().settings().unwrap().pinned);
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_session_is_renamed_while_a_run_goes_on() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([Turn::text("slow").hangs()]);
    let tiny = small(vec![Turn::text("A title by a model")]);
    let mut handle = start(&world, id, &model, Some(tiny));
    let command = Command::Prompt {
        text: "go".into(),
        attachments: vec![],
    };
    say(&mut handle, command, |kind| {
        matches!(kind, EventKind::RunStarted(_))
    })
    .await;
    let change = SettingsChange {
        title: Some(String::from("in between")),
        ..SettingsChange::default()
    };
    let seen = say(&mut handle, Command::Settings(change), is_settled).await;
    assert!(
        !seen
            .iter()
            .any(|event| matches!(event.kind, EventKind::RunFinished(_)))
    );
    rest(&mut handle).await;
    assert_eq!(title(&world, id).as_deref(), Some("in between"));
    world.verify(id);
}
