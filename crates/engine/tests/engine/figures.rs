//! Tokens, money, task lists and adaptations: what a run says of itself, and
//! what a session still knows after a stop.

use crate::formats::Format;
use crate::models::{Scripted, Shelf, Turn};
use crate::support::{World, names, notices, outcome, prompt, say, switch, table};
use std::sync::Arc;
use tenon_engine::Engine;
use tenon_model::{Identity, Prices};
use tenon_vocab::{
    Command, ContextChange, Cost, Event, EventKind, Outcome, Query, SessionId, TodoItem,
    TodoStatus, Usage,
};

fn priced(endpoint: &str, input: f64, turns: Vec<Turn>) -> Arc<Scripted> {
    let identity = Identity {
        prices: Some(Prices {
            input,
            output: 10.0,
            cached: Some(0.1),
            cache_write: None,
        }),
        ..Identity::new(endpoint, format!("{endpoint}-1"))
    };
    Arc::new(Scripted::with(Format::Chat, identity, turns))
}

fn cost(events: &[Arc<Event>]) -> Option<Cost> {
    events.iter().find_map(|event| match &event.kind {
        EventKind::RunFinished(finished) => finished.cost,
        _ => None,
    })
}

#[tokio::test(start_paused = true)]
async fn a_run_costs_what_the_prices_of_its_models_say_and_the_session_adds_them_up() {
    let (world, id) = (World::new(), SessionId::generate());
    let mut cached = Turn::text("done");
    cached.usage = Some(Usage {
        input: 1000,
        cached: 900,
        output: 10,
        ..Usage::default()
    });
    let call = Turn::call("a", "look", "{}").using(100, 10);
    let a = priced("a", 2.0, vec![call, cached]);
    let b = priced("b", 5.0, vec![Turn::text("b").using(100, 10)]);
    let mut parts = world.parts(id, Arc::clone(&a));
    parts.settings.provider = "a".into();
    parts.settings.model = "a-1".into();
    parts.models = Some(Arc::new(Shelf {
        models: vec![("b".into(), Arc::clone(&b))],
        ..Shelf::default()
    }));
    let mut handle = Engine::start(id, parts);
    let first = prompt(&mut handle, "one").await;
    // 100·2 + 10·10, then 100·2 + 900·0.1 + 10·10, in millionths of a dollar.
    assert_eq!(cost(&first), Some(Cost(300 + 390)));
    switch(&mut handle, "b").await;
    let second = prompt(&mut handle, "two").await;
    assert_eq!(cost(&second), Some(Cost(600)));
    let shown = table(&handle, Query::Cost).await;
    assert_eq!(
        shown.rows,
        [
            ["a/a-1", "1100", "900", "20", "$0.0007"],
            ["b/b-1", "100", "0", "10", "$0.0006"],
            ["all", "1200", "900", "30", "$0.0013"],
        ]
    );
    say(&mut handle, Command::Shutdown, |_| false).await;
    world.verify(id);
    let loaded = world.store.load(id).unwrap();
    let state = loaded.state();
    assert_eq!(state.cost(), Some(Cost(1290)));
    assert_eq!(state.by_model().len(), 2);
    assert_eq!(state.by_model()[0].requests, 2);
    let listed = world.store.list(&tenon_session::ListFilter::default());
    assert_eq!(listed.sessions[0].cost, Some(Cost(1290)));
}

#[tokio::test(start_paused = true)]
async fn without_prices_there_is_no_cost() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([Turn::text("hi")]);
    let mut handle = world.start(id, &model);
    let events = prompt(&mut handle, "one").await;
    assert_eq!(cost(&events), None);
    let shown = table(&handle, Query::Cost).await;
    assert_eq!(shown.rows, [["test/scripted", "10", "0", "5", "-"]]);
    assert!(shown.note.unwrap().contains("no price"));
    say(&mut handle, Command::Shutdown, |_| false).await;
}

fn items(done: TodoStatus) -> Option<Vec<TodoItem>> {
    Some(vec![TodoItem {
        text: "write it".into(),
        status: done,
    }])
}

#[tokio::test(start_paused = true)]
async fn a_task_list_in_a_reply_is_an_event_when_it_changed_and_survives() {
    let (world, id) = (World::new(), SessionId::generate());
    let with = |turn: Turn, status| Turn {
        todo: items(status),
        ..turn
    };
    let model = Scripted::new([
        with(Turn::call("a", "look", "{}"), TodoStatus::Pending),
        with(Turn::call("b", "look", r#"{"ms":1}"#), TodoStatus::Pending),
        with(Turn::text("done"), TodoStatus::Completed),
    ]);
    let events = world.run(id, &model, "go").await;
    let lists = names(&events).iter().filter(|n| **n == "todo").count();
    assert_eq!(lists, 2);
    world.verify(id);
    let loaded = world.store.load(id).unwrap();
    assert_eq!(loaded.state().todo(), items(TodoStatus::Completed).unwrap());
    assert_eq!(loaded.state().snapshot().todo.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_was_learned_of_a_server_is_said_and_recorded() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([Turn {
        adapts: Some(("It takes no tools.".into(), "markdown".into())),
        ..Turn::text("hi")
    }]);
    let events = world.run(id, &model, "go").await;
    assert_eq!(outcome(&events), Outcome::Completed);
    let said = notices(&events, "adapted");
    assert_eq!(said.len(), 1);
    assert_eq!(said[0].message, "It takes no tools.");
    assert_eq!(said[0].hint.as_deref(), Some("set it"));
    let compiled: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Context(ContextChange::Compiled(it)) => {
                Some((it.dialect.clone(), it.reason.clone()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        compiled,
        [
            ("native".into(), "start".into()),
            ("markdown".into(), "adapted: changed dialect".into())
        ]
    );
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn the_list_of_models_marks_the_current_one_and_names_each_once() {
    let (world, id) = (World::new(), SessionId::generate());
    let mut own = Scripted::with(Format::Chat, Identity::new("test", "scripted"), []);
    own.offers = vec!["scripted".into(), "other".into()];
    let (own, far) = (Arc::new(own), priced("far", 1.0, Vec::new()));
    let mut parts = world.parts(id, Arc::clone(&own));
    parts.models = Some(Arc::new(Shelf {
        models: vec![("x".into(), Arc::clone(&own)), ("y".into(), far)],
        ..Shelf::default()
    }));
    let mut handle = Engine::start(id, parts);
    let shown = table(&handle, Query::Models).await;
    let rows: Vec<(&str, &str)> = shown
        .rows
        .iter()
        .map(|row| (row[0].as_str(), row[1].as_str()))
        .collect();
    assert_eq!(rows, [("*", "scripted"), ("", "far/far-1"), ("", "other")]);
    let line = "/models o".to_owned();
    let words = handle.queries.ask(Query::Completion { line }).await;
    let expected = ["other"].map(String::from).to_vec();
    assert_eq!(words, tenon_vocab::Reply::Words { words: expected });
    say(&mut handle, Command::Shutdown, |_| false).await;
}
