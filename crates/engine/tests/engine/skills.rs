//! Skills in a session: `/skill` always loads and says so, the model loads with a
//! tool, and what a rule denies is not there for either.

use crate::formats::Format;
use crate::models::{Scripted, Turn};
use crate::support::{World, notices, outcome, results, table, until_finished};
use serde_json::json;
use std::fs;
use std::sync::Arc;
use tenon_engine::{Engine, Parts};
use tenon_model::Identity;
use tenon_policy::Layer;
use tenon_tools::{BuiltIn, Interactive, Toolbox, Workspace, WorkspaceOptions};
use tenon_vocab::profile::{SkillInfo, Whose};
use tenon_vocab::{
    Command, Event, EventKind, Message, Outcome, Part, Query, Reply, Role, SessionId,
};

const BODY: &str = "Use the blue pen.";
const NAMED: &str = "The user has named this skill: apply it to what they write after its name. If it needs something that is not clear from the conversation, ask.";

/// A skill beside the project.
fn skill(world: &World, name: &str) -> SkillInfo {
    let folder = world
        .dir
        .path()
        .canonicalize()
        .unwrap()
        .join("skills")
        .join(name);
    fs::create_dir_all(&folder).unwrap();
    let text = format!("---\nname: {name}\ndescription: about {name}\n---\n{BODY}\n");
    fs::write(folder.join("SKILL.md"), text).unwrap();
    SkillInfo {
        name: name.into(),
        description: format!("about {name}"),
        file: folder.join("SKILL.md"),
        folder,
        source: Whose::User,
        user_only: false,
    }
}

fn scripted(turns: Vec<Turn>) -> Arc<Scripted> {
    Arc::new(Scripted::with(
        Format::Chat,
        Identity::new("test", "m"),
        turns,
    ))
}

fn parts(world: &World, id: SessionId, model: &Arc<Scripted>, skills: Vec<SkillInfo>) -> Parts {
    let mut parts = world.parts(id, Arc::clone(model));
    let mut toolbox = Toolbox::default();
    toolbox.add(&BuiltIn::new(Interactive::No).with_skills(&skills));
    parts.toolbox = toolbox;
    let options = WorkspaceOptions {
        extra_read: skills.iter().map(|skill| skill.folder.clone()).collect(),
        ..WorkspaceOptions::default()
    };
    parts.workspace = Workspace::open(&world.root(), options).unwrap();
    parts.context.skills = skills;
    parts
}

async fn said(
    world: &World,
    skills: Vec<SkillInfo>,
    command: Command,
) -> (Vec<Arc<Event>>, Arc<Scripted>) {
    let id = SessionId::generate();
    let model = scripted(vec![Turn::text("done")]);
    let mut handle = Engine::start(id, parts(world, id, &model, skills));
    handle.commands.send(command);
    let events = until_finished(&mut handle).await;
    world.verify(id);
    (events, model)
}

fn by_name(name: &str, text: &str) -> Command {
    Command::Skill {
        name: name.into(),
        text: text.into(),
    }
}

/// The texts of the message that the user's prompt became.
fn told(events: &[Arc<Event>]) -> Vec<String> {
    let is_users = |message: &&Message| message.role == Role::User;
    let texts = |message: &Message| {
        let parts = message.parts.iter();
        parts
            .filter_map(|part| match part {
                Part::Text { text } => Some(text.clone()),
                _ => None,
            })
            .collect()
    };
    events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Message(message) => Some(message),
            _ => None,
        })
        .find(is_users)
        .map(texts)
        .unwrap_or_default()
}

#[tokio::test]
async fn a_named_skill_is_always_loaded_and_the_screen_says_so() {
    let world = World::new();
    let skills = vec![skill(&world, "pens")];
    let folder = skills[0].folder.display().to_string();
    let (events, _) = said(&world, skills, by_name("Pens", "write a letter")).await;
    assert_eq!(outcome(&events), Outcome::Completed);
    let told = told(&events);
    assert_eq!(
        told,
        [
            format!("<skill name=\"pens\" folder=\"{folder}\">\n{BODY}\n</skill>\n{NAMED}"),
            String::from("/Pens write a letter"),
        ]
    );
    // What was typed is what every list and summary shows.
    let facts = tenon_session::recap(events.iter().map(AsRef::as_ref));
    assert_eq!(facts.goal, "/Pens write a letter");
    assert_eq!(facts.skills[0].text, BODY);
    let begun = events.iter().find_map(|event| match &event.kind {
        EventKind::RunStarted(started) => Some(started.prompt.as_str()),
        _ => None,
    });
    assert_eq!(begun, Some("/Pens write a letter"));
    let notice = &notices(&events, "skill")[0];
    assert_eq!(notice.message, "skill `pens` loaded: 1 line");
}

#[tokio::test]
async fn without_a_text_the_name_alone_is_the_prompt() {
    let world = World::new();
    let mut own = skill(&world, "pens");
    own.user_only = true;
    let (events, _) = said(&world, vec![own], by_name("pens", "")).await;
    let told = told(&events);
    assert!(told[0].contains(BODY) && told[1] == "/pens", "{told:?}");
}

#[tokio::test]
async fn an_unknown_name_sends_nothing_and_suggests_another() {
    let world = World::new();
    let (events, model) = said(&world, vec![skill(&world, "pens")], by_name("pnes", "x")).await;
    assert_eq!(outcome(&events), Outcome::Failed);
    let why = &notices(&events, "stopped")[0].message;
    assert_eq!(
        why,
        "nothing was sent: there is no skill `pnes`; did you mean `pens`? (/skills lists them)"
    );
    assert!(model.texts().is_empty());
    let (events, model) = said(&world, Vec::new(), by_name("pens", "x")).await;
    assert_eq!(outcome(&events), Outcome::Failed);
    assert!(model.texts().is_empty());
}

#[tokio::test]
async fn a_skill_whose_file_is_gone_sends_nothing() {
    let world = World::new();
    let skills = vec![skill(&world, "pens")];
    fs::remove_file(&skills[0].file).unwrap();
    let (events, model) = said(&world, skills, by_name("pens", "x")).await;
    assert_eq!(outcome(&events), Outcome::Failed);
    let why = &notices(&events, "stopped")[0].message;
    assert!(
        why.starts_with("nothing was sent: can't load the skill `pens`: "),
        "{why}"
    );
    assert!(model.texts().is_empty());
}

#[tokio::test]
async fn a_denied_skill_is_refused_also_to_the_user() {
    let mut world = World::new();
    let deny = json!({"skill": {"internal-*": "deny"}});
    world.rules.add_config(&deny, Layer::User, "test").unwrap();
    // Those that are denied are not even in the list.
    for skills in [Vec::new(), vec![skill(&world, "internal-pens")]] {
        let (events, model) = said(&world, skills, by_name("internal-pens", "x")).await;
        assert_eq!(outcome(&events), Outcome::Denied);
        let why = &notices(&events, "stopped")[0].message;
        assert!(
            why.starts_with("nothing was sent: the skill `internal-pens` is denied ("),
            "{why}"
        );
        assert!(model.texts().is_empty());
    }
}

#[tokio::test]
async fn the_word_of_the_user_answers_a_rule_that_asks() {
    let mut world = World::new();
    let ask = json!({"skill": "ask"});
    world.rules.add_config(&ask, Layer::User, "test").unwrap();
    let (events, _) = said(&world, vec![skill(&world, "pens")], by_name("pens", "x")).await;
    assert_eq!(outcome(&events), Outcome::Completed);
    assert!(told(&events)[0].contains(BODY));
}

#[tokio::test]
async fn a_model_loads_with_the_tool_and_the_text_is_a_result() {
    let mut world = World::new();
    let deny = json!({"skill": {"internal-*": "deny"}});
    world.rules.add_config(&deny, Layer::User, "test").unwrap();
    let skills = vec![skill(&world, "pens"), skill(&world, "internal-pens")];
    let beside = skills[0].folder.join("more.md");
    fs::write(&beside, "and the red one").unwrap();
    let id = SessionId::generate();
    let read = json!({"path": beside}).to_string();
    let model = scripted(vec![
        Turn::call("c1", "skill", r#"{"name": "pens"}"#)
            .and_call("c2", "use_skill", r#"{"name": "Internal Pens"}"#)
            .and_call("c3", "read", &read),
        Turn::text("done"),
    ]);
    let mut handle = Engine::start(id, parts(&world, id, &model, skills));
    handle.commands.send(Command::Prompt {
        text: "write".into(),
        attachments: Vec::new(),
    });
    let events = until_finished(&mut handle).await;
    world.verify(id);
    let results = results(&events);
    assert!(
        results[0].1.starts_with("<skill name=\"pens\" folder="),
        "{results:?}"
    );
    assert!(
        results[0].1.contains(BODY) && results[0].1.contains("more.md"),
        "{results:?}"
    );
    assert!(
        results[1].1.starts_with("error: permission_denied"),
        "{results:?}"
    );
    assert!(results[2].1.contains("and the red one"), "{results:?}");
}

#[tokio::test]
async fn skills_are_listed_and_their_names_completed() {
    let world = World::new();
    let mut own = skill(&world, "own-pens");
    own.user_only = true;
    let id = SessionId::generate();
    let model = scripted(Vec::new());
    let skills = vec![skill(&world, "pens"), own, skill(&world, "zip")];
    let mut handle = Engine::start(id, parts(&world, id, &model, skills));
    let shown = table(&handle, Query::Skills).await;
    assert_eq!(shown.rows[0], ["pens", "user", "you, model", "about pens"]);
    assert_eq!(shown.rows[1][2], "you");
    for (line, wanted) in [
        ("/skill pe", vec!["pens", "own-pens"]),
        ("/skill ", vec!["own-pens", "pens", "zip"]),
        ("/skill pens x", vec![]),
    ] {
        let line = line.to_owned();
        let Reply::Words { words } = handle.queries.ask(Query::Completion { line }).await else {
            panic!("no words")
        };
        assert_eq!(words, wanted);
    }
    handle.commands.send(Command::Shutdown);
    while handle.events.next().await.is_some() {}
}
