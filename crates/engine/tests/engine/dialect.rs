//! A session over the markdown dialect: the engine sees a model like any other,
//! and every request passes the strict validators and begins with the one before.

use crate::models::{Scripted, Turn};
use crate::support::{World, outcome, prompt, results, until_finished};
use std::sync::Arc;
use tenon_engine::{Approval, Engine, Parts};
use tenon_model::dialect::Markdown;
use tenon_model::{Model, ModelErrorKind};
use tenon_vocab::port::Handle;
use tenon_vocab::{Command, Event, EventKind, Outcome, SessionId};

fn start(world: &World, id: SessionId, model: &Arc<Scripted>) -> Handle {
    let parts = Parts {
        model: Arc::new(Markdown::new(Arc::clone(model) as Arc<dyn Model>)),
        ..world.parts(id, Arc::clone(model))
    };
    Engine::start(id, parts)
}

async fn run(world: &World, id: SessionId, model: &Arc<Scripted>) -> Vec<Arc<Event>> {
    let mut handle = start(world, id, model);
    handle.commands.send(Command::Prompt {
        text: "go".into(),
        attachments: Vec::new(),
    });
    until_finished(&mut handle).await
}

fn response(choice: &str, input: &str) -> Turn {
    Turn::text(&format!(
        "# Agent Response\n\n## Thoughts\nI look.\n\n## Task List\n[~] look\n\n## Tool Choice\n{choice}\n\n## Tool Input\n{input}\n"
    ))
}

fn failed_calls(events: &[Arc<Event>]) -> u32 {
    let finished = events.iter().find_map(|event| match &event.kind {
        EventKind::RunFinished(finished) => Some(finished.failed_calls),
        _ => None,
    });
    finished.expect("a run_finished")
}

#[tokio::test(start_paused = true)]
async fn a_model_that_writes_markdown_does_a_whole_loop() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([
        response("look", "```json\n{\"ms\": 1}\n```"),
        response("look", "```json\n{\"ms\": 2}\n```"),
        response("answer", "All is well."),
    ]);
    let events = run(&world, id, &model).await;
    assert_eq!(outcome(&events), Outcome::Completed);
    assert_eq!(results(&events).len(), 2);
    let bodies = model.texts();
    assert!(bodies.iter().all(|body| !body.contains("\"tools\"")));
    assert!(bodies[1].contains("Tool result of look:\\n<tool_result>\\n{\\\"ms\\\":1}"));
    let lists = events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Todo(_)));
    assert_eq!(lists.count(), 1, "the list did not change");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_cannot_be_read_goes_back_and_counts_as_a_failure() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([
        Turn::text("It is in main.rs."),
        response("answer", "It is."),
    ]);
    let events = run(&world, id, &model).await;
    assert_eq!(outcome(&events), Outcome::Completed);
    assert_eq!(failed_calls(&events), 1);
    let second = &model.texts()[1];
    assert!(
        second
            .contains("Your last reply could not be read: there is no `# Agent Response` heading.")
    );
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn replies_that_cannot_be_read_end_the_run_at_the_limit() {
    let (mut world, id) = (World::new(), SessionId::generate());
    world.limits.max_retries_automated = 3;
    let model = Scripted::new((0..9).map(|_| Turn::text("Hm.")));
    let events = run(&world, id, &model).await;
    assert_ne!(outcome(&events), Outcome::Completed);
    assert_eq!((failed_calls(&events), model.bodies().len()), (3, 3));
    world.verify(id);
}

/// The same reply each time: it is no call that goes round in circles (E6).
#[tokio::test(start_paused = true)]
async fn the_same_unreadable_reply_ends_the_run_at_its_own_limit_and_not_as_a_repeated_call() {
    for (approval, limit) in [(Approval::Nobody, 10), (Approval::Ask, 3)] {
        let (world, id) = (World::new(), SessionId::generate());
        let model = Scripted::new((0..20).map(|_| Turn::text("Hm.")));
        let parts = Parts {
            model: Arc::new(Markdown::new(Arc::clone(&model) as Arc<dyn Model>)),
            approval,
            ..world.parts(id, Arc::clone(&model))
        };
        let mut handle = Engine::start(id, parts);
        let events = prompt(&mut handle, "go").await;
        assert_eq!(outcome(&events), Outcome::Failed);
        assert_eq!(model.bodies().len(), limit, "{approval:?}");
        assert_eq!(failed_calls(&events) as usize, limit);
        let warned = model.texts().iter().any(|body| body.contains("same call"));
        assert!(!warned, "the model made no call");
        world.verify(id);
    }
}

#[tokio::test(start_paused = true)]
async fn while_a_reply_is_held_back_its_tokens_are_counted() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([response("answer", "All is well.")]);
    let events = run(&world, id, &model).await;
    let counts: Vec<u64> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::State(state) => state.written_tokens,
            _ => None,
        })
        .collect();
    assert!(!counts.is_empty() && counts.is_sorted(), "{counts:?}");
}

#[tokio::test(start_paused = true)]
async fn an_update_of_the_task_list_is_no_failure_and_the_run_goes_on() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([
        response("UPDATE_TASK_LIST", ""),
        response("look", ""),
        response("answer", "Done."),
    ]);
    let events = run(&world, id, &model).await;
    assert_eq!(outcome(&events), Outcome::Completed);
    assert_eq!((failed_calls(&events), model.bodies().len()), (0, 3));
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_prompt_after_a_request_that_failed_leaves_what_was_sent_alone() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([
        response("look", ""),
        Turn::default().fails(ModelErrorKind::Rejected),
        response("answer", "Done."),
    ]);
    let mut handle = start(&world, id, &model);
    assert_ne!(
        outcome(&prompt(&mut handle, "go").await),
        Outcome::Completed
    );
    assert_eq!(
        outcome(&prompt(&mut handle, "again").await),
        Outcome::Completed
    );
    handle.commands.send(Command::Shutdown);
    while handle.events.next().await.is_some() {}
    assert_eq!(model.bodies().len(), 3);
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_never_keeps_to_the_format_is_told_by_that_name() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new((0..20).map(|_| Turn::text("Hm.")));
    let events = run(&world, id, &model).await;
    assert_ne!(outcome(&events), Outcome::Completed);
    let reason = events.iter().find_map(|event| match &event.kind {
        EventKind::RunFinished(finished) => finished.reason.clone(),
        _ => None,
    });
    let reason = reason.unwrap();
    assert!(reason.contains("broke the reply format"), "{reason}");
    assert!(reason.contains("--dialect native"), "{reason}");
}
