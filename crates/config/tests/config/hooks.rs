use crate::support::World;
use std::time::Duration;
use tenon_config::ProjectTrust;
use tenon_vocab::profile::{HookEvent, HookSource};

fn hooks(world: World) -> Vec<tenon_vocab::profile::HookSpec> {
    world.resolved().hooks
}

fn user_error(content: &str) -> String {
    World::new().user(content).error()
}

#[test]
fn a_hook_has_its_defaults_and_a_name_by_its_place() {
    let found = hooks(World::new().user(
        r#"{"hooks": {"PreToolUse": [
            {"command": "true"},
            {"name": "lint", "tool": "bash", "pattern": "git push*", "command": "x",
             "timeout_secs": 5, "required": true}
        ]}}"#,
    ));
    assert_eq!(found[0].name, "PreToolUse-1");
    assert_eq!(found[0].timeout, Duration::from_secs(30));
    assert!(!found[0].required);
    assert_eq!(found[0].source, HookSource::User);
    assert_eq!(found[1].name, "lint");
    assert_eq!(found[1].tool.as_deref(), Some("bash"));
    assert_eq!(found[1].pattern.as_deref(), Some("git push*"));
    assert_eq!(found[1].timeout, Duration::from_secs(5));
    assert!(found[1].required);
}

#[test]
fn events_may_be_written_in_snake_case_and_the_file_in_toml() {
    let found = hooks(World::new().file(
        "home/tenon.toml",
        "[[hooks.pre_tool_use]]\ncommand = \"true\"\n\n[[hooks.Stop]]\ncommand = \"false\"\n",
    ));
    assert_eq!(found.len(), 2);
    for event in [HookEvent::PreToolUse, HookEvent::Stop] {
        assert!(found.iter().any(|hook| hook.event == event));
    }
}

#[test]
fn files_add_to_each_other_and_the_order_is_managed_user_project() {
    let one =
        |name: &str| format!(r#"{{"hooks": {{"Stop": [{{"name": "{name}", "command": "x"}}]}}}}"#);
    let found = hooks(
        World::new()
            .user(&one("mine"))
            .project(&one("theirs"))
            .extra(&one("extra"))
            .trust(ProjectTrust::Trusted),
    );
    let order: Vec<(&str, HookSource)> = found
        .iter()
        .map(|hook| (hook.name.as_str(), hook.source))
        .collect();
    assert_eq!(
        order,
        [
            ("mine", HookSource::User),
            ("extra", HookSource::User),
            ("theirs", HookSource::Project)
        ]
    );
}

#[test]
fn the_hooks_of_a_project_that_nobody_trusts_are_listed_and_do_not_hold() {
    let loaded = World::new()
        .project(r#"{"hooks": {"Stop": [{"command": "curl evil"}]}}"#)
        .loaded();
    assert!(loaded.iter().all(|(key, _)| !key.starts_with("hooks")));
    assert_eq!(loaded.ignored()[0].key, "hooks.Stop.0");
}

#[test]
fn slips_have_a_line_and_the_nearest_word() {
    let error = user_error("{\n  \"hooks\": {\n    \"PreTolUse\": []\n  }\n}");
    assert!(error.contains(":3:"), "{error}");
    assert!(error.contains("there is no event `PreTolUse`"), "{error}");
    assert!(error.ends_with("did you mean `PreToolUse`?"), "{error}");

    let error = user_error("{\"hooks\": {\"Stop\": [\n{\"comand\": \"x\"}]}}");
    assert!(
        error.contains(":2:2: unknown key `comand` in `hooks.Stop.0`"),
        "{error}"
    );
    assert!(error.ends_with("did you mean `command`?"), "{error}");
}

#[test]
fn what_cannot_be_used_is_refused_with_what_was_expected() {
    let of = |hook: &str| user_error(&format!(r#"{{"hooks": {{"PreToolUse": [{hook}]}}}}"#));
    for (hook, said) in [
        ("{}", "`command`, the line to run, is missing"),
        ("7", "expected a hook"),
        (r#"{"command": ""}"#, "expected a string"),
        (r#"{"command": "x", "timeout_secs": 0}"#, "from 1 to 600"),
        (r#"{"command": "x", "required": "yes"}"#, "true or false"),
        (r#"{"command": "x", "name": "a b"}"#, "up to 64 letters"),
        (
            r#"{"command": "x", "name": "mask-secrets"}"#,
            "name of a built-in hook",
        ),
        (
            r#"{"command": "x", "tool": "a b"}"#,
            "there is no tool called",
        ),
        (
            r#"{"command": "x", "tool": "read", "pattern": "../x"}"#,
            "it contains `..`",
        ),
        (
            r#"{"command": "x", "tool": "bash", "pattern": "\""}"#,
            "a quote that isn't closed",
        ),
    ] {
        let error = of(hook);
        assert!(error.contains(said), "{hook}: {error}");
    }
    let error = user_error(r#"{"hooks": {"Stop": {"command": "x"}}}"#);
    assert!(error.contains("expected a list of hooks"), "{error}");
    let error = user_error(r#"{"hooks": {"Stop": [{"command": "x", "tool": "bash"}]}}"#);
    assert!(error.contains("isn't about a call"), "{error}");
    let error = user_error(r#"{"hooks": []}"#);
    assert!(error.contains("expected an object with events"), "{error}");
}
