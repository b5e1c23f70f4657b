//! The task list: kept by the session, and asked for where a task has several
//! parts.

use crate::models::{Scripted, Turn};
use crate::support::{World, names, outcome, prompt, results, table, until_finished};
use serde_json::json;
use std::sync::Arc;
use tenon_engine::{Engine, Parts, agents, call_once};
use tenon_model::Model;
use tenon_model::dialect::Markdown;
use tenon_tools::todo::{TodoRead, TodoWrite};
use tenon_tools::{BuiltIn, Interactive, Tool, ToolSource, Toolbox};
use tenon_vocab::port::Handle;
use tenon_vocab::profile::TodoFirst;
use tenon_vocab::{
    CallStatus, Command, Event, EventKind, Origin, Outcome, Query, RunFinished, SessionId,
    TodoItem, TodoStatus, checklist,
};
use tokio_util::sync::CancellationToken;

const SEVERAL: &str = "Please:\n- read it\n- repair it\n- test it";
const TOLD: &str = "Not run yet: this request has several parts";
const WITH_IT: &str = "Not run yet: an earlier call of this reply waits";

struct Lists;

impl ToolSource for Lists {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(TodoRead::new()), Arc::new(TodoWrite::new())]
    }
}

fn parts(world: &World, id: SessionId, model: &Arc<Scripted>) -> Parts {
    let mut parts = world.parts(id, Arc::clone(model));
    parts.toolbox.add(&Lists);
    parts
}

async fn ran(parts: Parts, id: SessionId, text: &str) -> Vec<Arc<Event>> {
    let mut handle = Engine::start(id, parts);
    handle.commands.send(Command::Prompt {
        text: text.into(),
        attachments: Vec::new(),
    });
    until_finished(&mut handle).await
}

/// The lists of a run, as they were written.
fn lists(events: &[Arc<Event>]) -> Vec<String> {
    let list = |event: &Arc<Event>| match &event.kind {
        EventKind::Todo(list) => Some(checklist(&list.items)),
        _ => None,
    };
    events.iter().filter_map(list).collect()
}

fn finished(events: &[Arc<Event>]) -> &RunFinished {
    let found = events.iter().find_map(|event| match &event.kind {
        EventKind::RunFinished(finished) => Some(finished),
        _ => None,
    });
    found.expect("a run_finished")
}

fn told(events: &[Arc<Event>]) -> usize {
    let results = results(events);
    results
        .iter()
        .filter(|(_, text)| text.starts_with(TOLD))
        .count()
}

fn act(id: &str) -> Turn {
    Turn::call(id, "act", "{}")
}

fn write(id: &str, items: &[&str]) -> Turn {
    Turn::call(id, "todowrite", &json!({"items": items}).to_string())
}

#[tokio::test(start_paused = true)]
async fn the_first_call_with_effects_of_a_complex_task_is_told_to_write_a_list() {
    let (mut world, id) = (World::new(), SessionId::generate());
    // It is no failure: one would end the run.
    world.limits.max_retries_automated = 1;
    let model = Scripted::new([
        act("a"),
        write("b", &["[~] read it", "repair it"]),
        act("c"),
        Turn::text("done"),
    ]);
    let events = ran(parts(&world, id, &model), id, SEVERAL).await;
    assert_eq!(outcome(&events), Outcome::Completed);
    assert_eq!(
        lists(&events),
        [
            "[~] Please: - read it - repair it - test it",
            "[~] read it\n[ ] repair it"
        ]
    );
    let results = results(&events);
    assert!(results[0].1.starts_with(TOLD), "{}", results[0].1);
    assert_eq!(results[1].1, "[~] read it\n[ ] repair it");
    assert_eq!(results[2].1, "{}", "the call was made again and ran");
    let end = finished(&events);
    assert_eq!((end.calls, end.failed_calls, end.denied_calls), (3, 0, 0));
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn the_call_that_waits_was_not_started_and_its_list_is_shown_before() {
    let (world, id) = (World::new(), SessionId::generate());
    let asks = Turn::text("Which of them first?");
    let model = Scripted::new([act("a"), asks]);
    let events = ran(parts(&world, id, &model), id, SEVERAL).await;
    let names = names(&events);
    let at = |name| names.iter().position(|it| *it == name);
    assert!(at("todo") < at("tool_result"));
    assert_eq!(at("tool_use"), None);
    assert!(
        reminders(&events) == 0,
        "what it wants to know is for the user to say"
    );
    let status = events.iter().find_map(|event| match &event.kind {
        EventKind::ToolResult(result) => Some(result.status),
        _ => None,
    });
    assert_eq!(status, Some(CallStatus::NotStarted));
    assert_eq!(outcome(&events), Outcome::Completed);
    world.verify(id);
}

/// How often the model was told that its call still waits.
fn reminders(events: &[Arc<Event>]) -> usize {
    let is_one = |event: &&Arc<Event>| match &event.kind {
        EventKind::Message(message) => message.origin == Origin::Rule,
        _ => false,
    };
    events.iter().filter(is_one).count()
}

#[tokio::test(start_paused = true)]
async fn a_call_that_still_waits_when_the_model_stops_is_asked_for_again() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([
        act("a"),
        write("b", &["[~] read it"]),
        Turn::text("All done."),
        act("c"),
        Turn::text("Done."),
    ]);
    let events = ran(parts(&world, id, &model), id, SEVERAL).await;
    assert_eq!(outcome(&events), Outcome::Completed);
    assert_eq!(reminders(&events), 1);
    assert_eq!(results(&events)[2].1, "{}", "it ran");
    let last = model.texts().remove(3);
    assert!(
        last.contains("The call that waited for the task list has not run"),
        "{last}"
    );
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_never_makes_its_call_again_is_not_done() {
    let (world, id) = (World::new(), SessionId::generate());
    let done = || Turn::text("Done.");
    let model = Scripted::new([act("a"), done(), done(), done(), act("z")]);
    let events = ran(parts(&world, id, &model), id, SEVERAL).await;
    assert_eq!((outcome(&events), reminders(&events)), (Outcome::Failed, 2));
    let why = finished(&events).reason.clone().unwrap();
    assert!(why.contains("nothing was changed"), "{why}");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_was_begun_goes_with_its_run_when_nobody_touched_it() {
    let begun = "[~] Please: - read it - repair it - test it";
    let touched = "[x] Please: - read it - repair it - test it";
    for (turns, after) in [
        (vec![act("a"), act("b"), Turn::text("done")], ""),
        (
            vec![
                act("a"),
                write("b", &[touched]),
                act("c"),
                Turn::text("done"),
            ],
            touched,
        ),
        (
            vec![
                act("a"),
                act("b").fails(tenon_model::ModelErrorKind::Rejected),
            ],
            "",
        ),
    ] {
        let (world, id) = (World::new(), SessionId::generate());
        let events = ran(parts(&world, id, &Scripted::new(turns)), id, SEVERAL).await;
        let lists = lists(&events);
        assert_eq!(lists[0], begun);
        assert_eq!(lists.last().unwrap(), after);
        world.verify(id);
    }
}

#[tokio::test(start_paused = true)]
async fn only_what_the_user_typed_is_counted() {
    let (world, id) = (World::new(), SessionId::generate());
    std::fs::write(
        world.root().join("list.md"),
        "- add a\n- write b\n- drop c\n",
    )
    .unwrap();
    let turns = || Scripted::new([act("a"), Turn::text("done")]);
    for said in [
        "fix it\n\n<stdin>\n- add a\n- write b\n- drop c\n</stdin>",
        "fix what @list.md says",
        "```\n- add a\n- write b\n- drop c\n```\nfix it",
    ] {
        let events = ran(parts(&world, SessionId::generate(), &turns()), id, said).await;
        assert_eq!(told(&events), 0, "{said}");
    }
    let mut handle = Engine::start(id, parts(&world, id, &turns()));
    handle.commands.send(Command::Prompt {
        text: "fix it".into(),
        attachments: vec![tenon_vocab::Part::text(SEVERAL)],
    });
    assert_eq!(told(&until_finished(&mut handle).await), 0);
}

#[tokio::test(start_paused = true)]
async fn several_requests_in_prose_begin_with_a_list_and_a_question_does_not() {
    let turns = || Scripted::new([act("a"), act("b"), Turn::text("done")]);
    for (said, times) in [
        (
            "add a login page, and also a logout button, then write tests, and update the docs",
            1,
        ),
        (
            "how would you add a login page, write tests and update the docs?",
            0,
        ),
        (
            "fix the crash. It comes when the list is empty, and then the loop runs on, and the test fails.",
            0,
        ),
    ] {
        let (world, id) = (World::new(), SessionId::generate());
        let events = ran(parts(&world, id, &turns()), id, said).await;
        assert_eq!(told(&events), times, "{said}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_goes_on_without_a_list_is_let() {
    let (mut world, id) = (World::new(), SessionId::generate());
    world.limits.max_retries_automated = 1;
    let model = Scripted::new([act("a"), act("b"), act("c"), Turn::text("done")]);
    let events = ran(parts(&world, id, &model), id, SEVERAL).await;
    assert_eq!(outcome(&events), Outcome::Completed);
    assert_eq!(
        (told(&events), lists(&events).len()),
        (1, 2),
        "begun, and gone"
    );
    let results = results(&events);
    assert_eq!((results[1].1.as_str(), results[2].1.as_str()), ("{}", "{}"));
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn reads_do_not_wait_and_what_else_the_reply_changes_does() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([
        Turn::call("a", "look", "{}"),
        Turn::call("b", "look", r#"{"ms":1}"#)
            .and_call("c", "act", "{}")
            .and_call("d", "look", r#"{"ms":2}"#)
            .and_call("e", "todowrite", r#"{"items":["one","two"]}"#)
            .and_call("f", "deaf", "{}"),
        act("g"),
        Turn::text("done"),
    ]);
    let events = ran(parts(&world, id, &model), id, SEVERAL).await;
    let results = results(&events);
    let of = |call: &str| {
        let found = results.iter().find(|(id, _)| id == call);
        found.map(|(_, text)| text.as_str()).unwrap()
    };
    assert_eq!(
        (of("a"), of("b"), of("d")),
        ("{}", r#"{"ms":1}"#, r#"{"ms":2}"#)
    );
    assert!(of("c").starts_with(TOLD), "{}", of("c"));
    assert_eq!(of("e"), "[ ] one\n[ ] two");
    assert!(of("f").starts_with(WITH_IT), "{}", of("f"));
    assert_eq!(of("g"), "{}");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_is_written_first_satisfies_the_rule() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([write("a", &["one"]), act("b"), Turn::text("done")]);
    let events = ran(parts(&world, id, &model), id, SEVERAL).await;
    assert_eq!((told(&events), lists(&events)), (0, vec!["[ ] one".into()]));
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn nothing_waits_for_a_simple_prompt_or_where_nobody_wants_a_list() {
    let turns = || Scripted::new([act("a"), Turn::text("done")]);
    let world = World::new();

    let (id, model) = (SessionId::generate(), turns());
    let simple = ran(parts(&world, id, &model), id, "repair it and test it").await;

    let (id, model) = (SessionId::generate(), turns());
    let mut off = parts(&world, id, &model);
    off.context.todo_first = TodoFirst::Never;
    let off = ran(off, id, SEVERAL).await;

    // Without the tool there is no way to do as one is told.
    let (id, model) = (SessionId::generate(), turns());
    let without = ran(world.parts(id, model), id, SEVERAL).await;

    for events in [simple, off, without] {
        assert_eq!(results(&events)[0].1, "{}");
        assert!(lists(&events).is_empty());
    }
}

fn response(list: &str, choice: &str, input: &str) -> Turn {
    Turn::text(&format!(
        "# Agent Response\n\n## Thoughts\nI do.\n\n{list}## Tool Choice\n{choice}\n\n## Tool Input\n{input}\n"
    ))
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_carries_its_list_is_not_asked_for_another() {
    let (world, id) = (World::new(), SessionId::generate());
    let list = "## Task List\n[~] read it\n[ ] repair it\n\n";
    let model = Scripted::new([
        response(list, "act", "```json\n{}\n```"),
        response(list, "UPDATE_TASK_LIST", ""),
        response("", "answer", "Done."),
    ]);
    let parts = Parts {
        model: Arc::new(Markdown::new(Arc::clone(&model) as Arc<dyn Model>)),
        ..parts(&world, id, &model)
    };
    let events = ran(parts, id, SEVERAL).await;
    assert_eq!(outcome(&events), Outcome::Completed);
    assert_eq!(told(&events), 0);
    assert_eq!(
        lists(&events),
        ["[~] read it\n[ ] repair it"],
        "the block of the reply and the tool write the same list"
    );
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_list_in_a_reply_is_bounded_like_one_in_a_call() {
    let (world, id) = (World::new(), SessionId::generate());
    let many = vec![
        TodoItem {
            text: "a\nb".into(),
            status: TodoStatus::Pending
        };
        60
    ];
    let turn = Turn {
        todo: Some(many),
        ..Turn::text("done")
    };
    let events = world.run(id, &Scripted::new([turn]), "go").await;
    let list = lists(&events).remove(0);
    assert_eq!(list.lines().count(), 50);
    assert_eq!(list.lines().next(), Some("[ ] a b"));
}

async fn shown(handle: &Handle) -> Vec<Vec<String>> {
    table(handle, Query::Todo).await.rows
}

#[tokio::test(start_paused = true)]
async fn the_list_survives_a_resume_and_an_open_one_is_not_asked_for_again() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([write("a", &["[x] one", "[~] two"]), Turn::text("done")]);
    ran(parts(&world, id, &model), id, "go").await;

    let model = Scripted::new([
        act("b"),
        Turn::text("done"),
        write("c", &["[x] one", "[-] two"]),
        act("d"),
        Turn::text("done"),
        act("e"),
        act("f"),
        Turn::text("done"),
    ]);
    let mut handle = Engine::start(id, parts(&world, id, &model));
    assert_eq!(shown(&handle).await, [["[x]", "one"], ["[~]", "two"]]);
    let open = prompt(&mut handle, SEVERAL).await;
    assert_eq!(told(&open), 0, "there is something left to do on it");
    let closed = prompt(&mut handle, "go on").await;
    assert_eq!(told(&closed), 0);
    let new = prompt(&mut handle, SEVERAL).await;
    assert_eq!(told(&new), 1, "all of it was done: this is another task");
    assert_eq!(
        lists(&new),
        ["[~] Please: - read it - repair it - test it", ""]
    );
    handle.commands.send(Command::Shutdown);
    while handle.events.next().await.is_some() {}
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_fork_has_the_list_as_it_was_there() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([write("a", &["one"]), Turn::text("first")]);
    ran(parts(&world, id, &model), id, "go").await;
    let numbered = world.store.load(id).unwrap().numbered();
    let (_, early) = numbered.last().copied().unwrap();
    let model = Scripted::new([write("b", &["[x] one"]), Turn::text("second")]);
    ran(parts(&world, id, &model), id, "go on").await;

    let list = |at| {
        let (_, state) = world.store.fork(id, SessionId::generate(), at).unwrap();
        checklist(state.todo())
    };
    assert_eq!(list(None), "[x] one");
    assert_eq!(list(Some(early)), "[ ] one");
}

#[tokio::test(start_paused = true)]
async fn it_is_told_once_for_each_prompt() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([
        act("a"),
        write("b", &["[x] one"]),
        act("c"),
        Turn::text("done"),
        act("d"),
        act("e"),
        Turn::text("done"),
    ]);
    let mut handle = Engine::start(id, parts(&world, id, &model));
    assert_eq!(told(&prompt(&mut handle, SEVERAL).await), 1);
    assert_eq!(told(&prompt(&mut handle, SEVERAL).await), 1);
    handle.commands.send(Command::Shutdown);
    while handle.events.next().await.is_some() {}
}

/// Real tools: what a command does is read from its line.
#[tokio::test]
async fn a_command_that_only_reads_does_not_wait() {
    let (world, id) = (World::new(), SessionId::generate());
    std::fs::write(world.root().join("notes.txt"), "x").unwrap();
    let model = Scripted::new([
        Turn::call("a", "bash", r#"{"command":"cat notes.txt"}"#),
        Turn::call("b", "process", r#"{"action":"list"}"#),
        Turn::call("c", "bash", r#"{"command":"touch new"}"#),
        Turn::text("done"),
    ]);
    let mut parts = world.parts(id, Arc::clone(&model));
    parts.toolbox = Toolbox::default();
    parts.toolbox.add(&BuiltIn::new(Interactive::No));
    let events = ran(parts, id, SEVERAL).await;
    let results = results(&events);
    assert!(!results[0].1.starts_with(TOLD), "{}", results[0].1);
    assert!(!results[1].1.starts_with(TOLD), "{}", results[1].1);
    assert!(results[2].1.starts_with(TOLD), "{}", results[2].1);
}

#[tokio::test(start_paused = true)]
async fn a_single_call_without_a_model_never_waits() {
    let (world, id) = (World::new(), SessionId::generate());
    let parts = parts(&world, id, &Scripted::new([]));
    let done = call_once(parts, "act", "{}", CancellationToken::new()).await;
    assert_eq!(done.unwrap().text, "{}");
}

#[test]
fn every_agent_has_the_list() {
    for agent in agents::built_in() {
        for tool in ["todoread", "todowrite"] {
            let has = agent.tools.is_empty() || agent.tools.iter().any(|name| name == tool);
            assert!(has, "{} lacks {tool}", agent.name);
        }
    }
}
