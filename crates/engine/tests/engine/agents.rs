//! Another agent in the middle of a session (E12, A10): what is sent, what is
//! refused, what the log says, and that a stop changes nothing of it.

use crate::models::{Scripted, Turn};
use crate::support::{World, notices, prompt, results, say, switched, table};
use serde_json::{Value, json};
use std::sync::Arc;
use tenon_engine::prompt::{Sourced, base};
use tenon_engine::{AgentParts, Approval, ContextParts, Engine, Parts};
use tenon_policy::Layer;
use tenon_sandbox::{Adapter, Lacking, Mode, Network, Private};
use tenon_tools::SandboxPolicy;
use tenon_vocab::port::Handle;
use tenon_vocab::profile::{AgentMode, AgentProfile, Tiered};
use tenon_vocab::{
    Command, ContextChange, Event, EventKind, Notice, Outcome, Query, SessionId, Switch,
};

fn profile(name: &str, mode: AgentMode, tools: &[&str]) -> AgentProfile {
    AgentProfile {
        name: name.into(),
        description: format!("Does the work of {name}."),
        mode,
        hidden: false,
        full_prompt: None,
        prompt: format!("You are {name}, for tests."),
        tools: tools.iter().map(|&tool| tool.to_owned()).collect(),
        read_only: false,
        max_steps: None,
        temperature: None,
        source: "test".into(),
    }
}

/// `build` sees all tools, `plan` and `draft` only `look`; `helper` and `title`
/// are not for users.
pub fn roster() -> Vec<AgentParts> {
    let mut plan = profile("plan", AgentMode::Primary, &["look"]);
    plan.read_only = true;
    plan.temperature = Some(0.25);
    plan.max_steps = Some(2);
    let mut title = profile("title", AgentMode::Primary, &["look"]);
    title.hidden = true;
    [
        profile("build", AgentMode::Primary, &[]),
        plan,
        profile("draft", AgentMode::All, &["look"]),
        profile("helper", AgentMode::Subagent, &["look"]),
        title,
    ]
    .into_iter()
    .map(|profile| AgentParts {
        base: Tiered::same(base(Sourced {
            source: "built-in",
            text: &profile.prompt,
        })),
        walls: None,
        profile,
    })
    .collect()
}

/// As a program would open it: a session that is there goes on with its agent.
pub fn parts(world: &World, id: SessionId, model: &Arc<Scripted>, first: &str) -> Parts {
    opened(world.parts(id, Arc::clone(model)), first)
}

pub fn opened(parts: Parts, first: &str) -> Parts {
    let known = parts.state.settings().cloned();
    let name = known.map_or_else(|| first.to_owned(), |known| known.agent_name);
    let agents = roster();
    let agent = agents.iter().find(|one| one.profile.name == name);
    let agent = agent.unwrap().profile.clone();
    let mut parts = Parts {
        context: ContextParts::of_prompt(&agent.prompt),
        agent,
        agents,
        ..parts
    };
    parts.settings.agent_name = name;
    parts
}

fn start(world: &World, id: SessionId, model: &Arc<Scripted>, first: &str) -> Handle {
    Engine::start(id, parts(world, id, model, first))
}

pub async fn change(handle: &mut Handle, agent: &str) -> Notice {
    let switch = Switch {
        agent: Some(agent.into()),
        ..Switch::default()
    };
    switched(handle, switch).await
}

async fn end(mut handle: Handle) -> Vec<Arc<Event>> {
    say(&mut handle, Command::Shutdown, |_| false).await
}

/// System prompt and names of the tools of a request.
fn prefix(body: &str) -> (String, Vec<String>) {
    let body: Value = serde_json::from_str(body).unwrap();
    let system = body["messages"][0]["content"].as_str().unwrap().to_owned();
    let tools = body["tools"].as_array().into_iter().flatten();
    let names = tools.map(|tool| tool["function"]["name"].as_str().unwrap().to_owned());
    (system, names.collect())
}

/// The notes about agents in a request, by the name of each.
fn notes(body: &str) -> Vec<String> {
    let opening = r#"<agent name=\""#;
    let after = body.split(opening).skip(1);
    after
        .map(|rest| rest.split('\\').next().unwrap().to_owned())
        .collect()
}

/// Why each prefix of the log came to be, and whose it is.
fn layouts(world: &World, id: SessionId) -> Vec<(String, String)> {
    let loaded = world.store.load(id).unwrap();
    let changes = loaded.events().filter_map(|event| match &event.kind {
        EventKind::Context(ContextChange::Compiled(compiled)) => Some((
            compiled.agent_name.clone().unwrap(),
            compiled.reason.clone(),
        )),
        _ => None,
    });
    changes.collect()
}

fn agent_of(world: &World, id: SessionId) -> String {
    let loaded = world.store.load(id).unwrap();
    loaded.state().settings().unwrap().agent_name.clone()
}

#[tokio::test(start_paused = true)]
async fn a_narrower_agent_is_told_in_a_note_and_what_was_sent_stays() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([Turn::text("one"), Turn::text("two"), Turn::text("three")]);
    let mut handle = start(&world, id, &model, "build");
    prompt(&mut handle, "first").await;
    let notice = change(&mut handle, "plan").await;
    assert_eq!(notice.kind, "switched");
    assert!(notice.message.contains("plan"), "{}", notice.message);
    assert_eq!(notice.hint, None, "nothing is read anew");
    prompt(&mut handle, "second").await;
    prompt(&mut handle, "third").await;
    // The scripted model has checked that each request goes on from the last.
    let texts = model.texts();
    assert_eq!(prefix(&texts[0]), prefix(&texts[1]));
    assert_eq!(prefix(&texts[0]), prefix(&texts[2]));
    assert_eq!(notes(&texts[2]), ["plan"], "told once");
    let told = &texts[1];
    assert!(told.contains("You are plan, for tests."), "{told}");
    assert!(told.contains("can use these tools: look."), "{told}");
    assert!(told.contains(r#""temperature":0.25"#), "{told}");
    let context = table(&handle, Query::Context).await;
    let line = context.rows.iter().find(|row| row[0] == "agent");
    assert_eq!(line.map(|row| row[2].as_str()), Some("plan"));
    end(handle).await;
    assert_eq!(agent_of(&world, id), "plan");
    assert_eq!(
        layouts(&world, id),
        [
            ("build".to_owned(), "start".to_owned()),
            ("build".to_owned(), "agent: changed parameters".to_owned())
        ]
    );
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn what_the_agent_does_not_see_is_refused_even_if_it_is_allowed() {
    let (mut world, id) = (World::new(), SessionId::generate());
    world.approval = Approval::Yolo(tenon_engine::Confirm::Nobody);
    world
        .rules
        .add_config(&json!({"danger": "allow"}), Layer::User, "test")
        .unwrap();
    let model = Scripted::new([
        Turn::call("a", "act", "{}"),
        Turn::text("one"),
        Turn::call("b", "act", "{}")
            .and_call("c", "danger", "{}")
            .and_call("d", "look", "{}"),
        Turn::text("two"),
        Turn::call("e", "act", "{}"),
        Turn::text("three"),
    ]);
    let mut handle = start(&world, id, &model, "build");
    let events = prompt(&mut handle, "first").await;
    assert_eq!(results(&events)[0].1, "{}", "build may");
    // It may write; it only does not see the tools for it.
    change(&mut handle, "draft").await;
    let events = prompt(&mut handle, "second").await;
    let texts = results(&events);
    for refused in &texts[..2] {
        assert!(refused.1.contains("the agent `draft`"), "{refused:?}");
        assert!(refused.1.contains("/agent build"), "{refused:?}");
    }
    assert_eq!(texts[2].1, "{}", "its own tool runs");
    assert!(
        events
            .iter()
            .all(|event| !matches!(&event.kind, EventKind::ToolUse(used) if used.name != "look"))
    );
    change(&mut handle, "build").await;
    let events = prompt(&mut handle, "third").await;
    assert_eq!(results(&events)[0].1, "{}", "build may again");
    assert_eq!(notes(&model.texts()[5]), ["draft", "build"]);
    end(handle).await;
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn what_is_said_after_a_change_is_not_done_with_the_rights_from_before() {
    let (mut world, id) = (World::new(), SessionId::generate());
    world.approval = Approval::Yolo(tenon_engine::Confirm::Nobody);
    let model = Scripted::new([
        Turn::call("a", "look", r#"{"ms":500}"#),
        Turn::call("b", "act", "{}"),
        Turn::text("one"),
        Turn::call("c", "act", "{}"),
        Turn::text("two"),
    ]);
    let mut handle = start(&world, id, &model, "build");
    let command = Command::Prompt {
        text: "first".into(),
        attachments: Vec::new(),
    };
    let started = |kind: &EventKind| matches!(kind, EventKind::ToolUse(_));
    say(&mut handle, command, started).await;
    let steer = |text: &str| Command::Steer { text: text.into() };
    handle.commands.send(steer("before the change"));
    handle.commands.send(Command::Switch(Switch {
        agent: Some("plan".into()),
        ..Switch::default()
    }));
    let is_end = |kind: &EventKind| matches!(kind, EventKind::RunFinished(_));
    let events = say(&mut handle, steer("after the change"), is_end).await;
    assert_eq!(results(&events)[1].1, "{}", "build may, to its end");
    let second = prompt(&mut handle, "last").await;
    let refused = &results(&second)[0].1;
    assert!(refused.contains("the agent `plan`"), "{refused}");
    let texts = model.texts();
    assert!(texts[1].contains("before the change"), "{}", texts[1]);
    assert!(!texts[2].contains("after the change"), "{}", texts[2]);
    assert!(texts[3].contains("after the change"), "{}", texts[3]);
    end(handle).await;
    assert_eq!(agent_of(&world, id), "plan");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_wider_agent_changes_the_prompt_and_the_tools_once_with_the_next_prompt() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new((0..4).map(|n| Turn::text(&format!("answer {n}"))));
    let mut handle = start(&world, id, &model, "plan");
    prompt(&mut handle, "first").await;
    assert_eq!(prefix(&model.texts()[0]).1, ["look"]);
    let notice = change(&mut handle, "build").await;
    assert!(notice.hint.is_some(), "that it costs something is said");
    assert_eq!(layouts(&world, id).len(), 1, "not before it is needed");
    model.begins_anew();
    prompt(&mut handle, "second").await;
    let (system, tools) = prefix(&model.texts()[0]);
    assert!(system.starts_with("You are build"), "{system}");
    assert!(tools.contains(&"act".to_owned()), "{tools:?}");
    assert_eq!(notes(&model.texts()[0]), ["build"]);
    // There and back: both know how to do with this one.
    change(&mut handle, "plan").await;
    prompt(&mut handle, "third").await;
    change(&mut handle, "build").await;
    prompt(&mut handle, "fourth").await;
    end(handle).await;
    let found = layouts(&world, id);
    assert_eq!(found[1].0, "build");
    assert_eq!(
        found[1].1,
        "agent: changed system prompt, tools, agent, parameters"
    );
    // The temperature came and went.
    let rest: Vec<&str> = found[2..].iter().map(|(_, why)| why.as_str()).collect();
    assert_eq!(
        rest,
        ["agent: changed parameters", "agent: changed parameters"]
    );
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn before_the_first_prompt_nothing_was_sent_so_the_prompt_is_the_new_agents() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([Turn::text("one")]);
    let mut handle = start(&world, id, &model, "build");
    change(&mut handle, "plan").await;
    prompt(&mut handle, "first").await;
    end(handle).await;
    let (system, tools) = prefix(&model.texts()[0]);
    assert!(system.starts_with("You are plan"), "{system}");
    assert_eq!(tools, ["look"]);
    assert_eq!(notes(&model.texts()[0]), Vec::<String>::new());
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn there_and_back_between_two_prompts_tells_the_model_nothing() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([Turn::text("one"), Turn::text("two")]);
    let mut handle = start(&world, id, &model, "build");
    prompt(&mut handle, "first").await;
    change(&mut handle, "plan").await;
    change(&mut handle, "build").await;
    prompt(&mut handle, "second").await;
    end(handle).await;
    assert_eq!(notes(&model.texts()[1]), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn only_agents_for_users_can_be_changed_to_and_the_others_are_refused_by_name() {
    let (world, id) = (World::new(), SessionId::generate());
    let mut handle = start(&world, id, &Scripted::new([]), "build");
    for (name, said) in [
        ("helper", "You can't change to the agent `helper`"),
        ("title", "You can't change to the agent `title`"),
        ("plam", "There is no agent `plam`."),
    ] {
        let notice = change(&mut handle, name).await;
        assert_eq!(notice.kind, "not_switched", "{name}");
        assert!(notice.message.starts_with(said), "{}", notice.message);
        let hint = notice.hint.unwrap();
        assert!(
            hint.ends_with("The agents are: build, plan, draft."),
            "{hint}"
        );
    }
    let mode = Switch {
        mode: Some("multi".into()),
        ..Switch::default()
    };
    assert_eq!(switched(&mut handle, mode).await.kind, "not_switched");
    let listed = table(&handle, Query::Agents).await;
    let names: Vec<(&str, &str)> = listed
        .rows
        .iter()
        .map(|row| (row[0].as_str(), row[1].as_str()))
        .collect();
    assert_eq!(names, [("*", "build"), ("", "plan"), ("", "draft")]);
    end(handle).await;
    assert_eq!(agent_of(&world, id), "build");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_comes_during_a_run_holds_for_the_next_one() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([
        Turn::call("a", "look", r#"{"ms":500}"#),
        Turn::call("b", "act", "{}"),
        Turn::text("one"),
        Turn::call("c", "act", "{}"),
        Turn::text("two"),
    ]);
    let mut handle = start(&world, id, &model, "build");
    let started = |kind: &EventKind| matches!(kind, EventKind::ToolUse(_));
    let command = Command::Prompt {
        text: "first".into(),
        attachments: vec![],
    };
    say(&mut handle, command, started).await;
    handle.commands.send(Command::Switch(Switch {
        agent: Some("plan".into()),
        ..Switch::default()
    }));
    let first = prompt(&mut handle, "second").await;
    assert_eq!(results(&first).last().unwrap().1, "{}", "build to its end");
    let is_over = |kind: &EventKind| matches!(kind, EventKind::RunFinished(_));
    let second = say(&mut handle, Command::Steer { text: "x".into() }, is_over).await;
    assert!(
        results(&second)[0].1.contains("the agent `plan`"),
        "{second:?}"
    );
    end(handle).await;
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn the_limit_of_steps_and_the_name_in_events_are_those_of_the_agent_that_works() {
    let (world, id) = (World::new(), SessionId::generate());
    let looks = (0..9).map(|n| Turn::call(&format!("c{n}"), "look", &format!(r#"{{"ms":{n}}}"#)));
    let mut handle = start(&world, id, &Scripted::new(looks), "build");
    change(&mut handle, "plan").await;
    let events = prompt(&mut handle, "go").await;
    let outcome = events.iter().find_map(|event| match &event.kind {
        EventKind::RunFinished(finished) => Some((finished.outcome, finished.steps)),
        _ => None,
    });
    assert_eq!(outcome, Some((Outcome::Limit, 2)));
    assert!(events.iter().all(|event| event.agent == "plan"));
    end(handle).await;
}

fn walls(mode: Mode, network: Network) -> SandboxPolicy {
    SandboxPolicy {
        mode,
        network,
        adapter: Adapter::Auto,
        root: "/".into(),
        writable: Vec::new(),
        read_only: Vec::new(),
        guarded: Vec::new(),
        copies: Vec::new(),
        hidden: Vec::new(),
        sockets: Vec::new(),
        private: Private::default(),
        limits: tenon_sandbox::Limits::default(),
        lacking: Lacking::Refuse,
    }
}

#[tokio::test(start_paused = true)]
async fn the_walls_around_commands_are_those_of_the_agent_that_works() {
    let (world, id) = (World::new(), SessionId::generate());
    let wide = walls(Mode::WorkspaceWrite, Network::Inherit);
    let narrow = walls(Mode::ReadOnly, Network::Deny);
    let mut parts = parts(&world, id, &Scripted::new([]), "build");
    for one in &mut parts.agents {
        one.walls = Some(match one.profile.read_only {
            true => narrow.clone(),
            false => wide.clone(),
        });
    }
    let jobs = parts.jobs.clone().with_sandbox(Some(wide.clone()));
    let mut handle = Engine::start(id, parts);
    for (agent, wanted) in [("plan", &narrow), ("build", &wide), ("plan", &narrow)] {
        change(&mut handle, agent).await;
        assert_eq!(jobs.sandbox().as_deref(), Some(wanted), "{agent}");
    }
    end(handle).await;
}

#[tokio::test(start_paused = true)]
async fn a_revert_to_before_the_change_gives_the_agent_of_then() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([Turn::text("one"), Turn::text("two")]);
    let mut handle = start(&world, id, &model, "build");
    prompt(&mut handle, "first").await;
    change(&mut handle, "plan").await;
    prompt(&mut handle, "second").await;
    let is_said =
        |kind: &EventKind| matches!(kind, EventKind::Notice(said) if said.kind.ends_with("undone"));
    // The prompt of `plan` was its own: the agent stays.
    say(&mut handle, Command::Revert { message: None }, is_said).await;
    assert_eq!(agent_of(&world, id), "plan");
    let events = say(&mut handle, Command::Revert { message: None }, is_said).await;
    let said = &notices(&events, "undone")[0].message;
    assert!(said.contains("The agent is build again."), "{said}");
    assert_eq!(agent_of(&world, id), "build");
    model.begins_anew();
    model.then([Turn::call("a", "act", "{}"), Turn::text("three")]);
    let events = prompt(&mut handle, "again").await;
    assert_eq!(results(&events)[0].1, "{}", "build may");
    assert_eq!(notes(&model.texts()[0]), Vec::<String>::new());
    end(handle).await;
    world.verify(id);
}

/// What was sent in a session with changes of the agent, with a stop before each
/// of these prompts, before or after the agent is changed.
async fn with_stops(stops: &[usize], when: Stop) -> Vec<String> {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new((0..8).map(|n| Turn::text(&format!("answer {n}"))));
    let mut sent = Vec::new();
    let mut handle = start(&world, id, &model, "plan");
    let changes = [
        None,
        Some("build"),
        Some("plan"),
        None,
        Some("draft"),
        Some("build"),
        None,
        Some("plan"),
    ];
    for (n, agent) in changes.into_iter().enumerate() {
        let is_stop = stops.contains(&n);
        if is_stop && when == Stop::Before {
            end(handle).await;
            handle = start(&world, id, &model, "plan");
        }
        if let Some(agent) = agent {
            change(&mut handle, agent).await;
        }
        if is_stop && when == Stop::After {
            end(handle).await;
            handle = start(&world, id, &model, "plan");
        }
        model.begins_anew();
        prompt(&mut handle, &format!("prompt {n}")).await;
        sent.extend(model.texts());
    }
    end(handle).await;
    world.verify(id);
    sent
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    Before,
    After,
}

#[tokio::test(start_paused = true)]
async fn a_session_that_was_stopped_sends_to_the_byte_what_it_would_have_sent() {
    let plain = with_stops(&[], Stop::Before).await;
    assert_eq!(plain.len(), 8);
    assert_eq!(
        notes(&plain[7]),
        ["build", "plan", "draft", "build", "plan"]
    );
    for when in [Stop::Before, Stop::After] {
        for stops in [vec![1], vec![2], vec![5, 6], (0..8).collect()] {
            let stopped = with_stops(&stops, when).await;
            for (n, (with, without)) in stopped.iter().zip(&plain).enumerate() {
                // Only the id of the session differs.
                let plainly = |body: &str| {
                    let mut body: Value = serde_json::from_str(body).unwrap();
                    body.as_object_mut().unwrap().remove("prompt_cache_key");
                    body.to_string()
                };
                assert_eq!(plainly(with), plainly(without), "{stops:?}, prompt {n}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_allowed_is_listed_for_the_agent_in_use() {
    let (mut world, id) = (World::new(), SessionId::generate());
    let rules = json!({"bash": {"make *": "allow", "rm *": "deny"}, "look": {"*": "ask"}});
    world.rules.add_config(&rules, Layer::User, "mine").unwrap();
    let model = Scripted::new([]);
    let mut handle = start(&world, id, &model, "build");
    let listed = async |handle: &Handle| {
        let rows = table(handle, Query::Grants).await.rows;
        let rows: Vec<String> = rows.iter().map(|row| row.join(" ")).collect();
        rows.join("\n")
    };
    let build = listed(&handle).await;
    assert!(build.contains("bash: \"make *\" (mine)"), "{build}");
    change(&mut handle, "plan").await;
    let plan = listed(&handle).await;
    assert!(plan.contains("look"), "{plan}");
    for other in ["bash", "edit", "write"] {
        assert!(!plan.contains(other), "{other}: {plan}");
    }
    change(&mut handle, "build").await;
    assert_eq!(listed(&handle).await, build);
}
