//! Before and after a call.

use super::{Hooked, bash, fired, notices, pair, told};
use crate::models::Scripted;
use crate::support::{names, outcome, results};
use serde_json::Value;
use std::time::Duration;
use tenon_engine::{Approval, Confirm, Effects};
use tenon_testing::alive;
use tenon_vocab::profile::{HookEvent, HookSource};
use tenon_vocab::{Command, ErrorCode, EventKind, Outcome};

fn code(events: &[std::sync::Arc<tenon_vocab::Event>]) -> Option<ErrorCode> {
    events.iter().find_map(|event| match &event.kind {
        EventKind::ToolResult(result) => result.envelope.error().map(|error| error.code),
        _ => None,
    })
}

#[tokio::test]
async fn a_hook_that_blocks_refuses_the_call_and_the_model_reads_why() {
    let mut hooked = Hooked::new();
    hooked.hook(
        HookEvent::PreToolUse,
        r#"echo '{"decision":"block","message":"not today"}'"#,
    );
    let events = hooked.run([bash("ls")]).await;
    assert_eq!(code(&events), Some(ErrorCode::BlockedByHook));
    assert!(results(&events)[0].1.contains("not today"));
    assert!(!names(&events).contains(&"tool_use"));
    assert_eq!(told(&events), [pair("PreToolUse", "block")]);
    assert_eq!(outcome(&events), Outcome::Denied);
}

#[tokio::test]
async fn exit_two_blocks_with_standard_error_as_the_reason() {
    let mut hooked = Hooked::new();
    hooked.hook(HookEvent::PreToolUse, "echo 'branch is frozen' >&2; exit 2");
    let events = hooked.run([bash("ls")]).await;
    assert_eq!(code(&events), Some(ErrorCode::BlockedByHook));
    assert!(results(&events)[0].1.contains("branch is frozen"));
}

#[tokio::test]
async fn a_hook_is_told_who_where_and_what_on_its_standard_input() {
    let mut hooked = Hooked::new();
    let seen = hooked.beside("seen.json");
    hooked.hook(HookEvent::PreToolUse, &format!("cat > {}", seen.display()));
    hooked.run([bash("ls -a")]).await;
    let input: Value = serde_json::from_slice(&std::fs::read(seen).unwrap()).unwrap();
    assert_eq!(input["event"], "PreToolUse");
    assert_eq!(input["session_id"], hooked.id.to_string());
    assert_eq!(input["root_session_id"], input["session_id"]);
    assert_eq!(input["agent"], "build");
    assert_eq!(input["agent_path"], serde_json::json!(["build"]));
    assert_eq!(input["call_id"], "a");
    assert_eq!(input["tool_name"], "bash");
    assert_eq!(input["tool_input"]["command"], "ls -a");
    assert!(input["invocation_id"].is_string());
    let root = hooked.world.root().canonicalize().unwrap();
    assert_eq!(input["cwd"], root.to_str().unwrap());
}

#[tokio::test]
async fn a_warning_lets_the_call_run_and_goes_along_to_person_and_model() {
    let mut hooked = Hooked::new();
    hooked.hook(
        HookEvent::PreToolUse,
        r#"echo '{"decision":"warn","message":"this may be slow"}'"#,
    );
    let events = hooked.run([bash("ls")]).await;
    assert!(
        results(&events)[0]
            .1
            .contains("[hook hook0: this may be slow]")
    );
    assert!(notices(&events).contains("this may be slow"));
    assert_eq!(outcome(&events), Outcome::Completed);
}

#[tokio::test]
async fn a_patch_changes_the_input_and_the_log_has_the_one_that_ran() {
    let mut hooked = Hooked::new();
    std::fs::write(hooked.world.root().join("there"), "").unwrap();
    hooked.hook(
        HookEvent::PreToolUse,
        r#"echo '{"patch":{"command":"ls there"}}'"#,
    );
    let events = hooked.run([bash("ls nowhere")]).await;
    let used = events.iter().find_map(|event| match &event.kind {
        EventKind::ToolUse(used) => Some(used.input.clone()),
        _ => None,
    });
    assert_eq!(used.unwrap()["command"], "ls there");
    assert!(results(&events)[0].1.contains("there"));
}

#[tokio::test]
async fn a_patch_that_the_policy_denies_is_denied_whatever_the_first_input_was() {
    for approval in [
        Approval::Yolo(Confirm::Nobody),
        Approval::Yes(Confirm::Nobody),
    ] {
        let mut hooked = Hooked::new();
        hooked.world.approval = approval;
        hooked
            .world
            .rules
            .add_config(
                &serde_json::json!({"bash": {"touch *": "deny"}}),
                tenon_policy::Layer::User,
                "test",
            )
            .unwrap();
        hooked.hook(
            HookEvent::PreToolUse,
            r#"echo '{"decision":"allow","patch":{"command":"touch gone"}}'"#,
        );
        let events = hooked.run([bash("ls")]).await;
        assert!(!names(&events).contains(&"tool_use"), "{approval:?}");
        assert!(!hooked.world.root().join("gone").exists());
    }
}

#[tokio::test]
async fn a_patch_to_a_command_that_never_runs_is_refused_even_with_yolo() {
    let mut hooked = Hooked::new();
    hooked.world.approval = Approval::Yolo(Confirm::Nobody);
    hooked.hook(
        HookEvent::PreToolUse,
        r#"echo '{"patch":{"command":"rm -rf /"}}'"#,
    );
    let events = hooked.run([bash("ls")]).await;
    assert!(!names(&events).contains(&"tool_use"));
    assert_eq!(code(&events), Some(ErrorCode::BlockedByHook));
    assert_eq!(
        told(&events),
        [pair("PreToolUse", "pass"), pair("PreToolUse", "block")]
    );
    assert_eq!(fired(&events)[1].hook, "block-dangerous-bash");
}

#[tokio::test]
async fn a_patch_that_asks_for_a_yes_needs_one() {
    let mut hooked = Hooked::new();
    hooked.hook(
        HookEvent::PreToolUse,
        r#"echo '{"patch":{"command":"touch x"}}'"#,
    );
    let events = hooked.run([bash("ls")]).await;
    assert_eq!(code(&events), Some(ErrorCode::PermissionDenied));
    assert!(!hooked.world.root().join("x").exists());
}

#[tokio::test]
async fn a_patch_that_does_not_fit_the_tool_is_passed_over_or_blocks_when_required() {
    let mut hooked = Hooked::new();
    hooked.hook(HookEvent::PreToolUse, r#"echo '{"patch":{"command":7}}'"#);
    let events = hooked.run([bash("ls")]).await;
    assert!(names(&events).contains(&"tool_use"));
    assert!(notices(&events).contains("does not fit"));
    let logged = fired(&events);
    assert_eq!(logged.len(), 1, "{logged:?}");
    assert_eq!(logged[0].result, "failed");
    let why = logged[0].message.as_deref().unwrap_or_default();
    assert!(why.contains("does not fit the tool"), "{why}");

    hooked.hooks[0].required = true;
    hooked.id = tenon_vocab::SessionId::generate();
    let events = hooked.run([bash("ls")]).await;
    assert_eq!(code(&events), Some(ErrorCode::BlockedByHook));
}

#[tokio::test]
async fn a_hook_sees_what_the_hooks_before_it_made_and_a_later_change_is_shown_to_all() {
    let mut hooked = Hooked::new();
    // The first guards one command, the second turns another into it.
    let guard = hooked.hook(HookEvent::PreToolUse, "echo 'guarded' >&2; exit 2");
    (guard.tool, guard.pattern) = (Some("bash".into()), Some("cat *".into()));
    hooked.hook(
        HookEvent::PreToolUse,
        r#"echo '{"patch":{"command":"cat x"}}'"#,
    );
    let events = hooked.run([bash("ls")]).await;
    assert_eq!(code(&events), Some(ErrorCode::BlockedByHook));
    assert!(results(&events)[0].1.contains("guarded"));
}

#[tokio::test]
async fn two_hooks_that_undo_each_other_block_instead_of_going_on_for_ever() {
    let mut hooked = Hooked::new();
    for command in ["ls a", "ls b"] {
        let body = format!(r#"echo '{{"patch":{{"command":"{command}"}}}}'"#);
        hooked.hook(HookEvent::PreToolUse, &body);
    }
    let events = hooked.run([bash("ls")]).await;
    assert_eq!(code(&events), Some(ErrorCode::BlockedByHook));
    assert!(results(&events)[0].1.contains("must agree"));
}

#[tokio::test]
async fn managed_hooks_run_first_then_the_users_then_the_projects() {
    let mut hooked = Hooked::new();
    for source in [HookSource::Project, HookSource::User, HookSource::Managed] {
        hooked.hook(HookEvent::PreToolUse, "true").source = source;
    }
    let events = hooked.run([bash("ls")]).await;
    let order: Vec<String> = fired(&events).into_iter().map(|fired| fired.hook).collect();
    assert_eq!(order, ["hook2", "hook1", "hook0"]);
}

#[tokio::test]
async fn a_hook_for_one_tool_and_pattern_leaves_the_others_alone() {
    let mut hooked = Hooked::new();
    let hook = hooked.hook(HookEvent::PreToolUse, "exit 2");
    (hook.tool, hook.pattern) = (Some("read".into()), Some("src/**".into()));
    std::fs::create_dir(hooked.world.root().join("src")).unwrap();
    std::fs::write(hooked.world.root().join("src/a"), "inside").unwrap();
    std::fs::write(hooked.world.root().join("b"), "outside").unwrap();
    let calls = crate::models::Turn::call("a", "read", r#"{"path":"src/a"}"#).and_call(
        "b",
        "read",
        r#"{"path":"b"}"#,
    );
    let events = hooked.run([calls]).await;
    let results = results(&events);
    assert!(results[0].1.contains("blocked_by_hook"), "{results:?}");
    assert!(results[1].1.contains("outside"), "{results:?}");
}

#[tokio::test]
async fn what_fails_is_passed_over_with_a_warning_and_blocks_when_it_is_required() {
    for (body, why) in [
        ("echo 'not json'", "isn't JSON"),
        ("echo oh >&2; exit 1", "exit code 1: oh"),
        ("head -c 70000 /dev/zero | tr '\\0' x", "more than"),
        ("kill -9 $$", "137"),
    ] {
        let mut hooked = Hooked::new();
        hooked.hook(HookEvent::PreToolUse, body);
        let events = hooked.run([bash("ls")]).await;
        assert!(names(&events).contains(&"tool_use"), "{body}");
        assert_eq!(told(&events), [pair("PreToolUse", "failed")]);
        assert!(notices(&events).contains(why), "{}", notices(&events));

        hooked.hooks[0].required = true;
        hooked.id = tenon_vocab::SessionId::generate();
        let events = hooked.run([bash("ls")]).await;
        assert_eq!(code(&events), Some(ErrorCode::BlockedByHook), "{body}");
        assert!(results(&events)[0].1.contains("is required"));
    }
}

#[tokio::test]
async fn a_hook_that_hangs_is_ended_at_its_timeout_with_its_whole_tree() {
    let mut hooked = Hooked::new();
    let pid = hooked.beside("pid");
    let body = format!("sleep 1000 & echo $! > {}; wait", pid.display());
    hooked.hook(HookEvent::PreToolUse, &body).timeout = Duration::from_millis(500);
    let events = hooked.run([bash("ls")]).await;
    assert!(
        notices(&events).contains("took longer"),
        "{}",
        notices(&events)
    );
    assert!(names(&events).contains(&"tool_use"));
    let pid = std::fs::read_to_string(pid)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    assert!(!alive(pid));
}

#[tokio::test]
async fn an_interrupt_ends_a_hook_and_its_tree_and_the_call_never_starts() {
    let mut hooked = Hooked::new();
    let pid = hooked.beside("pid");
    let body = format!(
        "sleep 1000 & echo $! > {0}.part; mv {0}.part {0}; wait",
        pid.display()
    );
    hooked.hook(HookEvent::PreToolUse, &body);
    let model = Scripted::new([bash("ls")]);
    let mut handle = hooked.start(&model);
    let commands = std::sync::Arc::clone(&handle.commands);
    let there = pid.clone();
    // On a thread of its own: only the file tells that the hook runs.
    let waiter = tokio::task::spawn_blocking(move || {
        assert!(tenon_testing::wait_until(Duration::from_secs(60), || there.exists()));
        commands.send(Command::Interrupt);
    });
    let events = crate::support::until_finished(&mut handle).await;
    waiter.await.unwrap();
    hooked.world.verify(hooked.id);
    assert_eq!(outcome(&events), Outcome::Interrupted);
    assert!(results(&events)[0].1.contains("not_started"));
    let pid = std::fs::read_to_string(pid)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    assert!(!alive(pid));
}

#[tokio::test]
async fn after_a_call_hooks_see_the_output_and_add_to_what_the_model_reads() {
    let mut hooked = Hooked::new();
    let seen = hooked.beside("seen");
    std::fs::write(hooked.world.root().join("there"), "").unwrap();
    hooked.hook(
        HookEvent::PostToolUse,
        &format!(
            r#"cat > {}; echo '{{"decision":"block","message":"run the tests first"}}'"#,
            seen.display()
        ),
    );
    hooked.hook(HookEvent::ToolError, "echo never >&2; exit 2");
    let events = hooked.run([bash("ls")]).await;
    let input: Value = serde_json::from_slice(&std::fs::read(seen).unwrap()).unwrap();
    assert!(input["tool_output"].as_str().unwrap().contains("there"));
    let text = &results(&events)[0].1;
    assert!(
        text.contains("[hook hook0 objects: run the tests first]"),
        "{text}"
    );
    assert!(!text.contains("never"));
    assert_eq!(outcome(&events), Outcome::Completed);
}

#[tokio::test]
async fn a_call_that_fails_is_told_to_the_hooks_of_errors() {
    let mut hooked = Hooked::new();
    let seen = hooked.beside("seen");
    hooked.hook(
        HookEvent::ToolError,
        &format!(
            r#"cat > {}; echo '{{"message":"look in docs/"}}'"#,
            seen.display()
        ),
    );
    hooked.hook(HookEvent::PostToolUse, "exit 2");
    let call = crate::models::Turn::call("a", "read", r#"{"path":"nowhere"}"#);
    let events = hooked.run([call]).await;
    let input: Value = serde_json::from_slice(&std::fs::read(seen).unwrap()).unwrap();
    assert_eq!(input["error"]["code"], "path_error");
    assert!(
        results(&events)[0]
            .1
            .ends_with("[hook hook0: look in docs/]")
    );
}

#[tokio::test]
async fn a_denied_call_asks_no_hook_and_a_dry_run_runs_none() {
    let mut hooked = Hooked::new();
    let ran = hooked.beside("ran");
    hooked.hook(HookEvent::PreToolUse, &format!("touch {}", ran.display()));
    hooked
        .world
        .rules
        .add_config(
            &serde_json::json!({"bash": "deny"}),
            tenon_policy::Layer::User,
            "test",
        )
        .unwrap();
    hooked.run([bash("ls")]).await;
    assert!(!ran.exists());

    let mut hooked = Hooked::new();
    hooked.world.effects = Effects::DryRun;
    let ran = hooked.beside("ran");
    hooked.hook(HookEvent::PreToolUse, &format!("touch {}", ran.display()));
    hooked.run([bash("ls")]).await;
    assert!(!ran.exists());
}

#[tokio::test]
async fn a_call_without_a_model_passes_the_same_hooks() {
    let mut hooked = Hooked::new();
    hooked.hook(HookEvent::PreToolUse, "echo 'also here' >&2; exit 2");
    let parts = hooked.parts(&Scripted::new([]));
    let done = tenon_engine::call_once(
        parts,
        "bash",
        r#"{"command":"ls"}"#,
        tokio_util::sync::CancellationToken::new(),
    )
    .await
    .unwrap();
    assert!(done.text.contains("also here"), "{}", done.text);
}

#[tokio::test]
async fn a_command_that_never_runs_is_on_record_as_the_built_in_hook() {
    let hooked = Hooked::new();
    let events = hooked.run([bash("rm -rf /")]).await;
    assert_eq!(code(&events), Some(ErrorCode::BlockedByHook));
    assert_eq!(fired(&events)[0].hook, "block-dangerous-bash");
    assert_eq!(fired(&events)[0].result, "block");
}

#[tokio::test]
async fn a_warning_of_a_built_in_hook_is_on_record_once_beside_other_hooks() {
    let mut hooked = Hooked::new();
    hooked.hook(HookEvent::PreToolUse, "true");
    std::fs::write(hooked.world.root().join(".env"), "A=1\n").unwrap();
    let events = hooked.run([bash("cat .env")]).await;
    let warnings = fired(&events)
        .into_iter()
        .filter(|fired| fired.hook == "protect-env-files")
        .count();
    assert_eq!(warnings, 1, "{:?}", fired(&events));
}
