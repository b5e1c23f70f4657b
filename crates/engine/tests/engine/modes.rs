//! The permission mode of a session: changed at once, also while a run goes on;
//! into `plan` between two runs; on record, and never where a policy forbids it.

use crate::agents::opened;
use crate::models::{Scripted, Turn};
use crate::support::{World, prompt, results, say, switched, table};
use std::sync::Arc;
use tenon_engine::{Engine, SandboxState};
use tenon_sandbox::{Adapter, Lacking, Limits, Mode, Network, Private};
use tenon_tools::SandboxPolicy;
use tenon_vocab::port::Handle;
use tenon_vocab::{
    Command, Event, EventKind, Notice, NoticeLevel, PermissionMode, Query, SessionId, Settings,
    SettingsChange, Switch, notice,
};

/// A session whose commands run in a sandbox that holds.
fn world() -> World {
    let mut world = World::new();
    world.modes.sandbox = SandboxState::Enforced;
    world
}

fn start(world: &World, id: SessionId, model: &Arc<Scripted>) -> Handle {
    let mut parts = opened(world.parts(id, Arc::clone(model)), "build");
    if let Some(known) = parts.state.settings() {
        parts.settings.permission_mode = known.permission_mode;
    }
    parts.jobs = parts.jobs.with_sandbox(Some(SandboxPolicy {
        mode: Mode::WorkspaceWrite,
        network: Network::Inherit,
        adapter: Adapter::Auto,
        root: world.root(),
        writable: Vec::new(),
        read_only: Vec::new(),
        guarded: Vec::new(),
        copies: Vec::new(),
        hidden: Vec::new(),
        sockets: Vec::new(),
        private: Private::default(),
        limits: Limits::default(),
        lacking: Lacking::Refuse,
    }));
    Engine::start(id, parts)
}

pub fn to(mode: PermissionMode) -> Command {
    Command::Settings(SettingsChange::permission_mode(mode))
}

pub fn answers(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Notice(said) if notice::answers_a_change(&said.kind))
}

async fn change(handle: &mut Handle, mode: PermissionMode) -> Notice {
    let events = say(handle, to(mode), answers).await;
    match &events.last().unwrap().kind {
        EventKind::Notice(said) => said.clone(),
        other => panic!("{other:?}"),
    }
}

async fn end(mut handle: Handle) -> Vec<Arc<Event>> {
    say(&mut handle, Command::Shutdown, |_| false).await
}

fn settings(world: &World, id: SessionId) -> Settings {
    let loaded = world.store.load(id).unwrap();
    loaded.state().settings().unwrap().clone()
}

/// A run that has begun a call of half a second, and then calls `danger`.
fn turns() -> Vec<Turn> {
    vec![
        Turn::call("a", "look", r#"{"ms":500}"#),
        Turn::call("b", "danger", "{}"),
        Turn::text("done"),
    ]
}

async fn begin(handle: &mut Handle) {
    let started = |kind: &EventKind| matches!(kind, EventKind::ToolUse(_));
    let command = Command::Prompt {
        text: "go".into(),
        attachments: Vec::new(),
    };
    say(handle, command, started).await;
}

fn is_end(kind: &EventKind) -> bool {
    matches!(kind, EventKind::RunFinished(_))
}

#[tokio::test(start_paused = true)]
async fn a_mode_that_changes_while_a_run_goes_on_holds_for_its_next_call() {
    for (first, then, runs) in [
        (PermissionMode::Ask, PermissionMode::Auto, true),
        (PermissionMode::Auto, PermissionMode::AcceptEdits, false),
    ] {
        let (world, id) = (world(), SessionId::generate());
        let mut handle = start(&world, id, &Scripted::new(turns()));
        change(&mut handle, first).await;
        begin(&mut handle).await;
        let events = say(&mut handle, to(then), is_end).await;
        assert_eq!(results(&events)[1].1 == "{}", runs, "{events:#?}");
        end(handle).await;
        assert_eq!(settings(&world, id).permission_mode, then);
        world.verify(id);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_a_mode_allowed_was_answered_by_nobody_and_the_log_names_the_mode() {
    let (world, id) = (world(), SessionId::generate());
    let model = Scripted::new([Turn::call("a", "danger", "{}"), Turn::text("done")]);
    let mut handle = start(&world, id, &model);
    change(&mut handle, PermissionMode::Auto).await;
    let events = prompt(&mut handle, "go").await;
    let used = events.iter().find_map(|event| match &event.kind {
        EventKind::ToolUse(used) => Some(used.explanation.clone()),
        _ => None,
    });
    let explanation = used.unwrap();
    assert_eq!(explanation.answered_by, None);
    let decided = explanation.tried.iter().rfind(|tried| tried.matched);
    assert!(decided.unwrap().rule.contains("permission mode auto"));
    end(handle).await;
}

#[tokio::test(start_paused = true)]
async fn a_mode_costs_nothing_of_what_the_server_keeps() {
    let (world, id) = (world(), SessionId::generate());
    let model = Scripted::new([Turn::text("one"), Turn::text("two")]);
    let mut handle = start(&world, id, &model);
    prompt(&mut handle, "first").await;
    change(&mut handle, PermissionMode::Auto).await;
    // The scripted model has checked that the request goes on from the last.
    prompt(&mut handle, "second").await;
    assert_eq!(model.bodies().len(), 2);
    end(handle).await;
}

#[tokio::test(start_paused = true)]
async fn plan_is_its_agent_and_waits_for_the_end_of_a_run() {
    let (world, id) = (world(), SessionId::generate());
    let mut handle = start(&world, id, &Scripted::new(turns()));
    change(&mut handle, PermissionMode::Auto).await;
    begin(&mut handle).await;
    let events = say(&mut handle, to(PermissionMode::Plan), is_end).await;
    assert_eq!(results(&events)[1].1, "{}", "auto may, to its end");
    let said = say(&mut handle, Command::Interrupt, answers).await;
    drop(said);
    end(handle).await;
    let then = settings(&world, id);
    assert_eq!(then.permission_mode, PermissionMode::Plan);
    assert_eq!(then.agent_name, "plan");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn the_last_word_about_the_mode_counts_before_what_waits_for_the_run() {
    let (world, id) = (world(), SessionId::generate());
    let mut handle = start(&world, id, &Scripted::new(turns()));
    begin(&mut handle).await;
    handle.commands.send(to(PermissionMode::Plan));
    say(&mut handle, to(PermissionMode::AcceptEdits), is_end).await;
    end(handle).await;
    let then = settings(&world, id);
    assert_eq!(then.permission_mode, PermissionMode::AcceptEdits);
    assert_eq!(then.agent_name, "build");
}

#[tokio::test(start_paused = true)]
async fn whoever_leaves_plan_is_in_the_mode_that_was_asked_for_and_by_its_agent_in_ask() {
    let (world, id) = (world(), SessionId::generate());
    let mut handle = start(&world, id, &Scripted::new([]));
    let mode_of = |events: &[Arc<Event>]| {
        let settings = events.iter().rev().find_map(|event| match &event.kind {
            EventKind::Settings(settings) => Some(settings.clone()),
            _ => None,
        });
        let settings = settings.unwrap();
        (settings.agent_name, settings.permission_mode)
    };
    let plan = (String::from("plan"), PermissionMode::Plan);
    let events = say(&mut handle, to(PermissionMode::Plan), answers).await;
    assert_eq!(mode_of(&events), plan);
    let events = say(&mut handle, to(PermissionMode::Auto), answers).await;
    assert_eq!(mode_of(&events), ("build".into(), PermissionMode::Auto));
    let by_agent = |name: &str| {
        Command::Switch(Switch {
            agent: Some(name.into()),
            ..Switch::default()
        })
    };
    let events = say(&mut handle, by_agent("plan"), answers).await;
    assert_eq!(mode_of(&events), plan);
    let events = say(&mut handle, by_agent("build"), answers).await;
    assert_eq!(mode_of(&events), ("build".into(), PermissionMode::Ask));
    end(handle).await;
}

#[tokio::test(start_paused = true)]
async fn a_forbidden_mode_is_refused_with_the_file_that_forbids_it_and_so_is_its_agent() {
    let (mut world, id) = (world(), SessionId::generate());
    for mode in [PermissionMode::Auto, PermissionMode::Plan] {
        world.modes.forbidden.push((mode, "/a/policy".into()));
    }
    let mut handle = start(&world, id, &Scripted::new([]));
    for mode in [PermissionMode::Auto, PermissionMode::Plan] {
        let said = change(&mut handle, mode).await;
        assert_eq!(said.level, NoticeLevel::Warning);
        assert!(said.message.contains("/a/policy forbids"), "{said:?}");
    }
    let switch = Switch {
        agent: Some("plan".into()),
        ..Switch::default()
    };
    let said = switched(&mut handle, switch).await;
    assert_eq!(said.kind, notice::NOT_SWITCHED);
    let rows = table(&handle, Query::Modes).await.rows;
    let forbidden: Vec<&str> = rows
        .iter()
        .filter(|row| !row[3].is_empty())
        .map(|row| row[1].as_str())
        .collect();
    assert_eq!(forbidden, ["auto", "plan"]);
    end(handle).await;
    assert_eq!(settings(&world, id).permission_mode, PermissionMode::Ask);
}

#[tokio::test(start_paused = true)]
async fn a_revert_does_not_bring_a_freer_mode_back() {
    let (world, id) = (world(), SessionId::generate());
    let model = Scripted::new([Turn::text("one"), Turn::text("two")]);
    let mut handle = start(&world, id, &model);
    change(&mut handle, PermissionMode::Auto).await;
    prompt(&mut handle, "first").await;
    prompt(&mut handle, "second").await;
    change(&mut handle, PermissionMode::Ask).await;
    let command = Command::Revert { message: None };
    say(&mut handle, command, answers).await;
    end(handle).await;
    assert_eq!(settings(&world, id).permission_mode, PermissionMode::Ask);
}

#[tokio::test(start_paused = true)]
async fn without_a_sandbox_that_holds_the_change_says_that_commands_are_asked_about() {
    let (mut world, id) = (world(), SessionId::generate());
    world.modes.sandbox = SandboxState::Lacking("the test says so".into());
    let model = Scripted::new([Turn::call("a", "danger", "{}"), Turn::text("done")]);
    let mut handle = start(&world, id, &model);
    let said = change(&mut handle, PermissionMode::Auto).await;
    assert!(said.hint.unwrap().contains("the test says so"));
    let events = prompt(&mut handle, "go").await;
    assert_ne!(results(&events)[0].1, "{}");
    end(handle).await;
}
