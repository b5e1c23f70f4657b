//! Questions, answers, and what happens when nobody is there.

use crate::models::{Scripted, Turn};
use crate::support::{World, names, outcome, results, until_finished};
use tenon_engine::{Approval, Confirm};
use tenon_policy::Layer;
use tenon_tools::jobs::WayOut;
use tenon_vocab::{
    Answer, AnsweredBy, Command, EventKind, Outcome, OwnLine, QuestionId, SessionId,
};

#[tokio::test(start_paused = true)]
async fn with_nobody_in_front_a_question_is_a_no_and_the_run_says_so() {
    let (world, id) = (World::new(), SessionId::generate());
    let events = world
        .run(
            id,
            &Scripted::new([Turn::call("a", "danger", "{}"), Turn::text("I could not")]),
            "go",
        )
        .await;
    assert!(results(&events)[0].1.contains("permission_denied"));
    assert!(!names(&events).contains(&"tool_use"));
    assert_eq!(outcome(&events), Outcome::Denied);
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_denied_call_does_not_stop_its_siblings_nor_colour_a_good_end() {
    let (world, id) = (World::new(), SessionId::generate());
    let calls = Turn::call("a", "danger", "{}").and_call("b", "look", "{}");
    let events = world
        .run(id, &Scripted::new([calls, Turn::text("done")]), "go")
        .await;
    assert_eq!(results(&events)[1].1, "{}");
    assert_eq!(outcome(&events), Outcome::Completed);
}

#[tokio::test(start_paused = true)]
async fn yes_answers_the_question_and_the_log_says_who_did() {
    let (mut world, id) = (World::new(), SessionId::generate());
    world.approval = Approval::Yes(Confirm::Nobody);
    let events = world
        .run(id, &Scripted::new([Turn::call("a", "danger", "{}")]), "go")
        .await;
    let by = events.iter().find_map(|event| match &event.kind {
        EventKind::ToolUse(used) => used.explanation.answered_by.clone(),
        _ => None,
    });
    assert_eq!(by.as_deref(), Some("--yes"));
    assert_eq!(outcome(&events), Outcome::Completed);
}

/// Answers every question with this choice and text.
async fn answering(
    world: &World,
    id: SessionId,
    model: &std::sync::Arc<Scripted>,
    choice: &str,
    text: Option<&str>,
) -> Vec<std::sync::Arc<tenon_vocab::Event>> {
    let mut handle = world.start(id, model);
    handle.commands.send(Command::Prompt {
        text: "go".into(),
        attachments: vec![],
    });
    let mut events = Vec::new();
    while let Some(event) = handle.events.next().await {
        match &event.kind {
            EventKind::Question(question) => handle.commands.send(Command::Answer(Answer {
                question: question.id.clone(),
                choice: choice.into(),
                text: text.map(str::to_owned),
                by: AnsweredBy::User,
                call: None,
            })),
            EventKind::RunFinished(_) => handle.commands.send(Command::Shutdown),
            _ => {}
        }
        events.push(event);
    }
    events
}

#[tokio::test(start_paused = true)]
async fn a_no_with_words_gives_the_model_those_words_and_nothing_against_them() {
    let (mut world, id) = (World::new(), SessionId::generate());
    world.approval = Approval::Ask;
    let model = Scripted::new([Turn::call("a", "danger", "{}"), Turn::text("ok")]);
    let events = answering(&world, id, &model, "deny", Some("use make instead")).await;
    let heard = &results(&events)[0].1;
    assert!(
        heard.ends_with("said no to this call. Go by these words: use make instead"),
        "{heard}"
    );
    assert!(!heard.contains("another way"), "{heard}");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn the_model_hears_that_the_user_said_no_and_not_why_it_was_asked() {
    let (mut world, id) = (World::new(), SessionId::generate());
    world.approval = Approval::Ask;
    let model = Scripted::new([Turn::call("a", "danger", "{}"), Turn::text("ok")]);
    let events = answering(&world, id, &model, "deny", None).await;
    let heard = &results(&events)[0].1;
    assert!(heard.contains("the user said no to this call"), "{heard}");
    let shown = events.iter().find_map(|event| match &event.kind {
        EventKind::ToolResult(result) => Some(&result.display),
        _ => None,
    });
    assert_eq!(shown, Some(&tenon_vocab::Display::Nothing), "for a person");
    assert!(heard.contains("another way"), "{heard}");
    assert!(!heard.contains("asked about"), "{heard}");
    assert!(!heard.contains("Reason given"), "{heard}");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_session_grant_asks_once() {
    let (mut world, id) = (World::new(), SessionId::generate());
    world.approval = Approval::Ask;
    let model = Scripted::new([
        Turn::call("a", "danger", "{}"),
        Turn::call("b", "danger", "{}"),
        Turn::text("ok"),
    ]);
    let events = answering(&world, id, &model, "session", None).await;
    assert_eq!(
        names(&events)
            .iter()
            .filter(|name| **name == "question")
            .count(),
        1
    );
    assert_eq!(outcome(&events), Outcome::Completed);
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_choice_that_was_not_offered_grants_nothing() {
    let (mut world, id) = (World::new(), SessionId::generate());
    world.approval = Approval::Ask;
    let model = Scripted::new([Turn::call("a", "danger", "{}"), Turn::text("ok")]);
    let events = answering(&world, id, &model, "everything", None).await;
    assert!(results(&events)[0].1.contains("permission_denied"));
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_nothing_is_a_notice() {
    let (mut world, id) = (World::new(), SessionId::generate());
    world.approval = Approval::Ask;
    let model = Scripted::new([Turn::text("hello")]);
    let mut handle = world.start(id, &model);
    handle.commands.send(Command::Answer(Answer {
        question: QuestionId::new("q_99"),
        choice: "once".into(),
        text: None,
        by: AnsweredBy::Client,
        call: None,
    }));
    handle.commands.send(Command::Prompt {
        text: "hi".into(),
        attachments: vec![],
    });
    let events = until_finished(&mut handle).await;
    assert!(names(&events).contains(&"notice"));
    world.verify(id);
}

/// A `!` line of the user's, and what it came to. No question is answered.
async fn typed(world: &World, command: &str) -> Vec<std::sync::Arc<tenon_vocab::Event>> {
    let mut handle = world.start(SessionId::generate(), &Scripted::new([]));
    handle.commands.send(Command::Shell {
        command: command.into(),
    });
    let mut events = Vec::new();
    while let Some(event) = handle.events.next().await {
        let over = matches!(
            event.kind,
            EventKind::Question(_) | EventKind::RunFinished(_)
        );
        events.push(event);
        if over {
            handle.commands.send(Command::Shutdown);
        }
    }
    events
}

#[tokio::test(start_paused = true)]
async fn only_a_typed_line_runs_outside_and_none_where_a_policy_closes_the_way() {
    let place = |events: &[std::sync::Arc<tenon_vocab::Event>]| {
        events.iter().find_map(|event| match &event.kind {
            EventKind::ToolUse(used) => Some(used.explanation.own_line),
            _ => None,
        })
    };
    let mut world = World::new();
    world.approval = Approval::Yes(Confirm::Nobody);
    let events = typed(&world, "touch new").await;
    assert_eq!(place(&events), Some(Some(OwnLine::OutsideSandbox)));
    let model = Scripted::new([
        Turn::call("a", "bash", r#"{"command":"touch new"}"#),
        Turn::text("done"),
    ]);
    let events = world.run(SessionId::generate(), &model, "go").await;
    assert_eq!(
        place(&events),
        Some(None),
        "a model's call is no line of the user"
    );
    world.way_out = WayOut::Closed;
    let events = typed(&world, "touch new").await;
    assert_eq!(place(&events), Some(Some(OwnLine::KeptInSandbox)));
}

#[tokio::test(start_paused = true)]
async fn typing_a_command_is_the_yes_to_a_plain_question_and_to_nothing_stricter() {
    let mut world = World::new();
    world.approval = Approval::Ask;
    let plain = typed(&world, "touch new").await;
    assert!(!names(&plain).contains(&"question"), "{:?}", names(&plain));
    let by = plain.iter().find_map(|event| match &event.kind {
        EventKind::ToolUse(used) => used.explanation.answered_by.clone(),
        _ => None,
    });
    assert_eq!(by.as_deref(), Some("user"));
    for (decision, asked) in [("confirm", true), ("deny", false)] {
        let mut world = World::new();
        world.approval = Approval::Ask;
        let rule = serde_json::json!({ "bash": decision });
        world.rules.add_config(&rule, Layer::User, "test").unwrap();
        let events = typed(&world, "touch new").await;
        assert_eq!(names(&events).contains(&"question"), asked, "{decision}");
        assert!(!names(&events).contains(&"tool_use"), "{decision}");
    }
}
