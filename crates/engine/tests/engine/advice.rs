//! What is advised after a denial was tried: whoever writes it gets what was denied.

use crate::models::{Scripted, Turn};
use crate::support::{World, notices, results};
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;
use tenon_engine::Engine;
use tenon_policy::Layer;
use tenon_tools::{BuiltIn, Interactive, Toolbox};
use tenon_vocab::profile::{SkillInfo, Whose};
use tenon_vocab::{Event, SessionId};

const SECRET_NAMES: [&str; 5] = [
    ".env",
    "deploy/.env.production",
    "conf/[a]*.pem",
    "{x}/id_rsa",
    "a\\b.key",
];

fn skill(world: &World, name: &str) -> SkillInfo {
    let folder = world.root().join("skills").join(name);
    fs::create_dir_all(&folder).unwrap();
    let text = format!("---\nname: {name}\ndescription: d\n---\nUse the blue pen.\n");
    fs::write(folder.join("SKILL.md"), text).unwrap();
    SkillInfo {
        name: name.into(),
        description: "d".into(),
        file: folder.join("SKILL.md"),
        folder,
        source: Whose::User,
        user_only: false,
    }
}

/// The model makes this one call; nobody is there to be asked.
async fn call(world: &World, tool: &str, input: &Value) -> Vec<Arc<Event>> {
    let id = SessionId::generate();
    let model = Scripted::new([
        Turn::call("a", tool, &input.to_string()),
        Turn::text("done"),
    ]);
    let mut parts = world.parts(id, Arc::clone(&model));
    let skills = vec![skill(world, "pens")];
    let mut toolbox = Toolbox::default();
    toolbox.add(&BuiltIn::new(Interactive::No).with_skills(&skills));
    parts.toolbox = toolbox;
    parts.context.skills = skills;
    let mut handle = Engine::start(id, parts);
    handle.commands.send(tenon_vocab::Command::Prompt {
        text: "go".into(),
        attachments: Vec::new(),
    });
    let events = crate::support::until_finished(&mut handle).await;
    world.verify(id);
    events
}

fn advice(events: &[Arc<Event>]) -> String {
    let notices = notices(events, "permission");
    notices.first().and_then(|one| one.hint.clone()).unwrap()
}

/// Writes what is advised, and makes the call again.
async fn taken(mut world: World, tool: &str, input: &Value) {
    let said = advice(&call(&world, tool, input).await);
    let (_, rules) = said
        .split_once("\"permission\": ")
        .unwrap_or_else(|| panic!("{tool} {input}: {said}"));
    let rules: Value = serde_json::from_str(rules).unwrap();
    world
        .rules
        .add_config(&rules, Layer::User, "tenon.jsonc:9")
        .unwrap();
    let events = call(&world, tool, input).await;
    assert_eq!(notices(&events, "permission"), [], "{tool} {input}: {said}");
    let result = &results(&events)[0].1;
    assert!(!result.contains("not allowed"), "{result}");
}

#[tokio::test]
async fn the_rule_that_is_advised_after_a_denied_read_of_a_secret_is_enough() {
    for name in SECRET_NAMES {
        let world = World::new();
        let file = world.root().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "A=1\n").unwrap();
        taken(world, "read", &json!({ "path": name })).await;
    }
}

#[tokio::test]
async fn the_rule_that_is_advised_after_a_denied_skill_is_enough() {
    for asks in [json!({"skill": "ask"}), json!({"skill": {"p*": "ask"}})] {
        let mut world = World::new();
        let user = (Layer::User, "tenon.jsonc:2");
        world.rules.add_config(&asks, user.0, user.1).unwrap();
        taken(world, "skill", &json!({ "name": "pens" })).await;
    }
}

#[tokio::test]
async fn a_rule_that_none_is_stronger_than_is_named_to_be_changed() {
    for (asks, tool, input) in [
        (
            json!({"skill": {"pens": "ask"}}),
            "skill",
            json!({"name": "pens"}),
        ),
        (
            json!({"read": {"a.txt": "ask"}}),
            "read",
            json!({"path": "a.txt"}),
        ),
        (
            json!({"bash": {"make all": "ask"}}),
            "bash",
            json!({"command": "make all"}),
        ),
    ] {
        let mut world = World::new();
        fs::write(world.root().join("a.txt"), "x").unwrap();
        world
            .rules
            .add_config(&asks, Layer::User, "tenon.jsonc:2")
            .unwrap();
        let said = advice(&call(&world, tool, &input).await);
        assert!(said.contains("change the rule that asks"), "{said}");
        assert!(said.contains("(tenon.jsonc:2)"), "{said}");
    }
}

#[tokio::test]
async fn what_the_administrator_asks_about_is_not_said_to_be_in_the_users_hands() {
    let mut world = World::new();
    world
        .rules
        .add_config(&json!({"skill": "ask"}), Layer::Managed, "managed.jsonc:1")
        .unwrap();
    let said = advice(&call(&world, "skill", &json!({"name": "pens"})).await);
    assert!(said.contains("administrator"), "{said}");
    assert!(!said.contains("\"permission\""), "{said}");
}
