//! Agents as whoever looks on has them: which one could do what was refused, and
//! what the next prompt would be sent with.

use crate::agents::{change, parts, roster};
use crate::models::{Scripted, Turn};
use crate::support::{World, prompt, results, say};
use serde_json::Value;
use std::sync::Arc;
use tenon_engine::prompt::system;
use tenon_engine::tier::{self, Asked};
use tenon_engine::{AgentParts, Engine, of_next_prompt};
use tenon_model::Model as _;
use tenon_vocab::port::Handle;
use tenon_vocab::{Command, SessionId};

async fn end(mut handle: Handle) {
    say(&mut handle, Command::Shutdown, |_| false).await;
}

/// What `draft` is told of a tool that it does not see, among these agents.
async fn refused_among(agents: Vec<AgentParts>) -> String {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([Turn::call("a", "act", "{}"), Turn::text("done")]);
    let mut parts = parts(&world, id, &model, "draft");
    parts.agents = agents;
    let mut handle = Engine::start(id, parts);
    let events = prompt(&mut handle, "go").await;
    end(handle).await;
    world.verify(id);
    results(&events).remove(0).1
}

#[tokio::test(start_paused = true)]
async fn of_those_that_see_a_tool_only_one_that_a_user_can_change_to_is_named() {
    let mut agents = roster();
    // All see it; those that are not for users stand first.
    for one in &mut agents {
        if one.profile.name != "draft" {
            one.profile.tools.clear();
        }
    }
    agents.sort_by_key(|one| !["title", "helper"].contains(&one.profile.name.as_str()));
    let told = refused_among(agents.clone()).await;
    assert!(told.contains("`/agent build`"), "{told}");
    agents.retain(|one| ["draft", "title", "helper"].contains(&one.profile.name.as_str()));
    let told = refused_among(agents).await;
    assert!(told.contains("the agent `draft` does not have"), "{told}");
    assert!(!told.contains("/agent"), "{told}");
}

/// System prompt and names of the tools.
type Beginning = (String, Vec<String>);

/// With which the next prompt of this session would be sent.
fn foreseen(world: &World, id: SessionId, model: &Arc<Scripted>) -> Beginning {
    let parts = parts(world, id, model, "build");
    let blobs = world.store.blobs(id).unwrap();
    let identity = model.identity();
    let asked = Asked::of(&identity, None, None);
    let tier = tier::of_session(None, asked, &identity.endpoint, &parts.state);
    let (fragments, tools) = of_next_prompt(&parts, tier, Some((&blobs, &parts.state)));
    let names = tools.iter().map(|tool| tool.name.clone()).collect();
    (system(&fragments), names)
}

/// With which the last one was sent.
fn sent(model: &Scripted) -> Beginning {
    let texts = model.texts();
    let body: Value = serde_json::from_str(texts.last().unwrap()).unwrap();
    let tools = body["tools"].as_array().into_iter().flatten();
    let names = tools.map(|tool| tool["function"]["name"].as_str().unwrap().to_owned());
    let system = body["messages"][0]["content"].as_str().unwrap().to_owned();
    (system, names.collect())
}

#[tokio::test(start_paused = true)]
async fn what_is_foreseen_for_the_next_prompt_is_what_it_is_sent_with() {
    for (first, says, next, whose) in [
        ("build", "something", "build", "build"),
        // A narrower agent is told in a note.
        ("build", "something", "plan", "build"),
        ("plan", "something", "build", "build"),
        // Nothing was sent, so nothing is rewritten.
        ("build", "", "plan", "plan"),
    ] {
        let (world, id) = (World::new(), SessionId::generate());
        let model = Scripted::new([]);
        let mut handle = Engine::start(id, parts(&world, id, &model, first));
        if !says.is_empty() {
            model.then([Turn::text("one")]);
            prompt(&mut handle, says).await;
        }
        change(&mut handle, next).await;
        end(handle).await;
        let foreseen = foreseen(&world, id, &model);
        assert!(
            foreseen.0.contains(&format!("You are {whose}, for tests.")),
            "{first} to {next}: {}",
            foreseen.0
        );
        model.then([Turn::text("two")]);
        model.begins_anew();
        let mut handle = Engine::start(id, parts(&world, id, &model, first));
        prompt(&mut handle, "and then").await;
        end(handle).await;
        assert_eq!(foreseen, sent(&model), "{first} to {next}");
        world.verify(id);
    }
}
