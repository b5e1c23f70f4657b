//! Hooks that answer a question as the user would.

use super::{Hooked, bash, fired, pair, told};
use crate::models::{Scripted, Turn};
use crate::support::{names, results};
use serde_json::{Value, json};
use tenon_engine::{Approval, Confirm};
use tenon_policy::Layer;
use tenon_vocab::profile::{HookEvent, HookSource};
use tenon_vocab::{EventKind, RuleTried};

fn answered_by(events: &[std::sync::Arc<tenon_vocab::Event>]) -> Option<String> {
    events.iter().find_map(|event| match &event.kind {
        EventKind::ToolUse(used) => used.explanation.answered_by.clone(),
        EventKind::ToolResult(result) => result.explanation.as_ref()?.answered_by.clone(),
        _ => None,
    })
}

const ALLOW: &str = r#"echo '{"decision":"allow"}'"#;

#[tokio::test]
async fn a_hook_of_the_user_answers_what_would_be_asked_and_is_on_record() {
    for source in [HookSource::User, HookSource::Managed] {
        let mut hooked = Hooked::new();
        hooked.hook(HookEvent::PermissionRequest, ALLOW).source = source;
        let events = hooked.run([bash("touch made")]).await;
        assert!(hooked.world.root().join("made").exists());
        assert_eq!(answered_by(&events).as_deref(), Some("hook:hook0"));
        assert!(!names(&events).contains(&"question"));
    }
}

#[tokio::test]
async fn a_hook_of_a_project_cannot_allow_but_can_deny() {
    let mut hooked = Hooked::new();
    hooked.hook(HookEvent::PermissionRequest, ALLOW).source = HookSource::Project;
    let events = hooked.run([bash("touch made")]).await;
    assert!(!hooked.world.root().join("made").exists());
    assert_eq!(fired(&events)[1].result, "warn");
    assert!(
        fired(&events)[1]
            .message
            .as_deref()
            .unwrap()
            .contains("can only say no")
    );

    let mut hooked = Hooked::new();
    hooked.world.approval = Approval::Yolo(Confirm::Nobody);
    hooked
        .hook(HookEvent::PermissionRequest, "echo no >&2; exit 2")
        .source = HookSource::Project;
    let events = hooked.run([bash("touch made")]).await;
    assert!(!hooked.world.root().join("made").exists());
    assert_eq!(answered_by(&events).as_deref(), Some("hook:hook0"));
}

#[tokio::test]
async fn of_several_answers_the_no_counts_and_goes_to_the_model_with_its_reason() {
    let mut hooked = Hooked::new();
    hooked.hook(HookEvent::PermissionRequest, ALLOW);
    hooked.hook(
        HookEvent::PermissionRequest,
        r#"echo '{"decision":"block","message":"use make"}'"#,
    );
    let events = hooked.run([bash("touch made")]).await;
    let text = &results(&events)[0].1;
    assert!(
        text.contains("permission_denied") && text.contains("use make"),
        "{text}"
    );
    assert_eq!(answered_by(&events).as_deref(), Some("hook:hook1"));
}

#[tokio::test]
async fn a_hook_may_say_no_to_what_a_flag_would_answer() {
    let mut hooked = Hooked::new();
    hooked.world.approval = Approval::Yes(Confirm::Nobody);
    hooked.hook(HookEvent::PermissionRequest, "exit 2");
    let events = hooked.run([bash("touch made")]).await;
    assert!(!hooked.world.root().join("made").exists());
    assert_eq!(told(&events), [pair("PermissionRequest", "block")]);
}

#[tokio::test]
async fn no_hook_answers_a_deny() {
    let mut hooked = Hooked::new();
    hooked
        .world
        .rules
        .add_config(&json!({"bash": {"touch *": "deny"}}), Layer::User, "test")
        .unwrap();
    hooked.hook(HookEvent::PermissionRequest, ALLOW);
    let events = hooked.run([bash("touch made")]).await;
    assert!(fired(&events).is_empty());
    assert!(!hooked.world.root().join("made").exists());
}

#[tokio::test]
async fn a_hook_that_says_nothing_leaves_the_question_to_whoever_is_there() {
    let mut hooked = Hooked::new();
    hooked.hook(HookEvent::PermissionRequest, "true");
    let events = hooked.run([bash("touch made")]).await;
    assert!(results(&events)[0].1.contains("there is no one"));
}

#[tokio::test]
async fn a_hook_is_told_the_class_the_reason_and_the_whole_command() {
    let mut hooked = Hooked::new();
    let seen = hooked.beside("seen");
    hooked.hook(
        HookEvent::PermissionRequest,
        &format!("cat > {}", seen.display()),
    );
    hooked.run([bash("touch made")]).await;
    let input: Value = serde_json::from_slice(&std::fs::read(seen).unwrap()).unwrap();
    assert_eq!(input["question"]["class"], "ask");
    assert_eq!(input["question"]["command"], "touch made");
    assert!(input["question"]["reason"].is_string());
    assert_eq!(input["tool_name"], "bash");
}

#[tokio::test]
async fn a_hook_may_answer_what_must_be_confirmed_when_nobody_else_can() {
    let mut hooked = Hooked::new();
    std::fs::write(hooked.world.root().join("old"), "x").unwrap();
    hooked.hook(HookEvent::PermissionRequest, ALLOW);
    let events = hooked.run([bash("rm old")]).await;
    let rules: Vec<RuleTried> = events
        .iter()
        .find_map(|event| match &event.kind {
            EventKind::ToolUse(used) => Some(used.explanation.tried.clone()),
            _ => None,
        })
        .unwrap_or_default();
    assert!(!rules.is_empty(), "{:?}", results(&events));
    assert!(!hooked.world.root().join("old").exists());
}

#[tokio::test]
async fn a_required_hook_that_fails_is_a_no() {
    let mut hooked = Hooked::new();
    hooked.world.approval = Approval::Yolo(Confirm::Nobody);
    hooked.hook(HookEvent::PermissionRequest, "exit 1").required = true;
    let model = Scripted::new([bash("touch made"), Turn::text("ok")]);
    hooked.run_with(&model).await;
    assert!(!hooked.world.root().join("made").exists());
}
