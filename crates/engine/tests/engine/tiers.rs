//! The two tiers of the prompt (V3): which one a session begins with, that it
//! keeps it, what changes it, and what is told in the full one alone.

use crate::formats::Format;
use crate::models::{Scripted, Shelf};
use crate::modes::{answers, to};
use crate::support::{World, prompt, say, switch, table};
use serde_json::Value;
use std::sync::Arc;
use tenon_engine::prompt::{Sourced, base};
use tenon_engine::{AgentParts, ContextParts, Engine, Parts, agents};
use tenon_model::{Identity, Window, WindowSource};
use tenon_tools::{BuiltIn, Interactive, Toolbox};
use tenon_vocab::port::Handle;
use tenon_vocab::profile::{PromptTier, Tiered};
use tenon_vocab::{Command, ContextChange, EventKind, PermissionMode, Query, SessionId};

const LARGE: u64 = 200_000;
const SMALL: u64 = 8_192;

/// In the full words of `build`, and in the example of a tool.
const FULL: [&str; 2] = ["# Work that isn't yours", "it is not unique"];

fn model(name: &str, tokens: u64) -> Arc<Scripted> {
    let identity = Identity {
        window: Some(Window {
            tokens,
            source: WindowSource::User,
        }),
        ..Identity::new("test", name)
    };
    Arc::new(Scripted::with(Format::Chat, identity, []))
}

/// The agents and tools that Tenon brings.
fn parts(world: &World, id: SessionId, model: &Arc<Scripted>) -> Parts {
    let mut parts = world.parts(id, Arc::clone(model));
    parts.toolbox = Toolbox::default();
    parts.toolbox.add(&BuiltIn::new(Interactive::No));
    let words = |text: &str| {
        base(Sourced {
            source: "built-in",
            text,
        })
    };
    parts.agents = agents::built_in()
        .into_iter()
        .map(|profile| AgentParts {
            base: Tiered {
                compact: words(profile.words(PromptTier::Compact)),
                full: words(profile.words(PromptTier::Full)),
            },
            walls: None,
            profile,
        })
        .collect();
    parts.agent = parts.agents[0].profile.clone();
    parts.context = ContextParts {
        tier: None,
        ..ContextParts::of_prompt(&parts.agent.prompt)
    };
    parts
}

fn start(world: &World, id: SessionId, model: &Arc<Scripted>) -> Handle {
    Engine::start(id, parts(world, id, model))
}

async fn end(mut handle: Handle) {
    say(&mut handle, Command::Shutdown, |_| false).await;
}

/// What a request begins with.
fn prefix(body: &str) -> String {
    let body: Value = serde_json::from_str(body).unwrap();
    format!("{}\n{}", body["messages"][0]["content"], body["tools"])
}

/// The tier of the words and of the examples of a request, which are the same.
fn tier(body: &str) -> PromptTier {
    let prefix = prefix(body);
    let found = FULL.map(|words| prefix.contains(words));
    assert_eq!(found[0], found[1], "{prefix}");
    match found[0] {
        true => PromptTier::Full,
        false => PromptTier::Compact,
    }
}

/// Each prefix that the log has, with what changed it.
fn compiled(world: &World, id: SessionId) -> Vec<(PromptTier, String)> {
    let loaded = world.store.load(id).unwrap();
    let changes = loaded.events().filter_map(|event| match &event.kind {
        EventKind::Context(ContextChange::Compiled(compiled)) => {
            Some((compiled.tier.unwrap(), compiled.reason.clone()))
        }
        _ => None,
    });
    changes.collect()
}

#[tokio::test(start_paused = true)]
async fn words_and_examples_go_by_the_window_and_by_the_name_of_the_model() {
    for (name, window, expected) in [
        ("m", LARGE, PromptTier::Full),
        ("m", SMALL, PromptTier::Compact),
        ("qwen2.5:7b", LARGE, PromptTier::Compact),
    ] {
        let (world, id) = (World::new(), SessionId::generate());
        let model = model(name, window);
        let mut handle = start(&world, id, &model);
        prompt(&mut handle, "one").await;
        end(handle).await;
        assert_eq!(tier(&model.texts()[0]), expected, "{name} {window}");
        assert_eq!(compiled(&world, id), [(expected, "start".into())]);
        world.verify(id);
    }
}

#[tokio::test(start_paused = true)]
async fn a_setting_decides_whatever_the_window() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = model("m", LARGE);
    let mut given = parts(&world, id, &model);
    given.context.tier = Some(PromptTier::Compact);
    let mut handle = Engine::start(id, given);
    prompt(&mut handle, "one").await;
    let shown = table(&handle, Query::Context).await;
    end(handle).await;
    assert_eq!(tier(&model.texts()[0]), PromptTier::Compact);
    let row = shown.rows.iter().find(|row| row[0] == "prompt").unwrap();
    assert_eq!(row[1..], ["compact", "your `prompt.tier`"]);
}

#[tokio::test(start_paused = true)]
async fn a_session_keeps_its_tier_when_more_is_known_of_the_window() {
    for (first, later) in [(SMALL, LARGE), (LARGE, SMALL)] {
        let (world, id) = (World::new(), SessionId::generate());
        let before = model("m", first);
        let mut handle = start(&world, id, &before);
        prompt(&mut handle, "one").await;
        end(handle).await;
        let after = model("m", later);
        let mut handle = start(&world, id, &after);
        prompt(&mut handle, "two").await;
        end(handle).await;
        assert_eq!(prefix(&before.texts()[0]), prefix(&after.texts()[0]));
        assert_eq!(compiled(&world, id).len(), 1, "nothing changed the prefix");
        world.verify(id);
    }
}

#[tokio::test(start_paused = true)]
async fn another_model_brings_its_own_tier_and_the_log_says_so() {
    let (world, id) = (World::new(), SessionId::generate());
    let (large, small) = (model("m", LARGE), model("qwen:7b", LARGE));
    let mut given = parts(&world, id, &large);
    given.models = Some(Arc::new(Shelf {
        models: vec![
            ("small".into(), Arc::clone(&small)),
            ("large".into(), Arc::clone(&large)),
        ],
        ..Shelf::default()
    }));
    let mut handle = Engine::start(id, given);
    prompt(&mut handle, "one").await;
    switch(&mut handle, "small").await;
    prompt(&mut handle, "two").await;
    end(handle).await;
    assert_eq!(tier(&large.texts()[0]), PromptTier::Full);
    assert_eq!(tier(&small.texts()[0]), PromptTier::Compact);
    assert_eq!(
        compiled(&world, id),
        [
            (PromptTier::Full, "start".into()),
            (PromptTier::Compact, "model".into())
        ]
    );
    // A resume of it goes on with the last one.
    small.begins_anew();
    let mut handle = start(&world, id, &small);
    prompt(&mut handle, "three").await;
    end(handle).await;
    assert_eq!(compiled(&world, id).len(), 2);
    world.verify(id);
}

/// The notes of what may run, in a request.
fn permissions(body: &str) -> usize {
    body.matches("<permissions>").count()
}

#[tokio::test(start_paused = true)]
async fn what_may_run_is_told_with_the_first_prompt_and_when_it_has_changed() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = model("m", LARGE);
    let mut handle = start(&world, id, &model);
    prompt(&mut handle, "one").await;
    prompt(&mut handle, "two").await;
    say(&mut handle, to(PermissionMode::AcceptEdits), answers).await;
    prompt(&mut handle, "three").await;
    end(handle).await;
    let mut handle = start(&world, id, &model);
    say(&mut handle, to(PermissionMode::AcceptEdits), answers).await;
    prompt(&mut handle, "four").await;
    end(handle).await;
    let texts = model.texts();
    // The words of the full prompt name the tag as well.
    let own = permissions(&prefix(&texts[0]));
    let told: Vec<usize> = texts.iter().map(|text| permissions(text) - own).collect();
    assert_eq!(told, [1, 1, 2, 2]);
    assert!(texts[0].contains("Permission mode: ask."), "{}", texts[0]);
    assert!(texts[2].contains("Permission mode: accept-edits."));
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_small_model_is_told_nothing_of_it() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = model("m", SMALL);
    let mut handle = start(&world, id, &model);
    prompt(&mut handle, "one").await;
    end(handle).await;
    assert!(!model.texts()[0].contains("<permissions>"));
    assert!(!model.texts()[0].contains("<git>"));
}
