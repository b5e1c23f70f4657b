//! The policy of the machine's administrator. Only root can write one, so these
//! tests need to be root where they need one that is believed.

use crate::layers::bash;
use crate::support::{World, provider};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use tenon_config::{Choice, ProjectTrust, managed_model, provider_named};
use tenon_vocab::Class;

/// Root's files in a folder that only root changes; `None` where there is none.
pub fn world() -> Option<World> {
    // Not the folder for temporary files: anybody may write there.
    let world = World::below(Path::new(env!("CARGO_TARGET_TMPDIR")));
    let only_root = |path: &Path| {
        let metadata = path.metadata().unwrap();
        metadata.uid() == 0 && metadata.mode() & 0o022 == 0
    };
    if world.path("etc").ancestors().all(only_root) {
        return Some(world);
    }
    eprintln!("skipped: this test needs root, and a target folder that only root changes");
    None
}

#[test]
fn a_file_below_a_folder_for_everybody_is_not_believed_although_it_is_sticky() {
    let Some(world) = world() else { return };
    let world = world.managed("{}");
    let sticky = std::fs::Permissions::from_mode(0o1777);
    std::fs::set_permissions(world.path("etc"), sticky).unwrap();
    let error = world.error();
    assert!(
        error.contains("because of W/etc: users other than root can write to it"),
        "{error}"
    );
}

#[test]
fn nothing_overrides_what_the_administrator_decided() {
    let Some(world) = world() else { return };
    let world = world
        .managed(r#"{"permission": {"bash": {"curl": "deny"}}, "limits": {"max_turns": 7}, "streaming": false, "model": "ours"}"#)
        .user(r#"{"permission": {"bash": {"curl": "allow", "*": "allow"}}, "providers": {"a": {"base_url": "http://a"}}}"#)
        .project(r#"{"permission": {"bash": {"curl *": "allow"}}}"#)
        .trust(ProjectTrust::Trusted)
        .extra(r#"{"limits": {"max_turns": 99}, "streaming": true}"#)
        .env("TENON_LIMITS_MAX_TURNS", "100")
        .flag("limits.max_turns", 101);
    let resolved = world
        .resolve_with(&Choice {
            provider: None,
            model: Some("theirs".into()),
        })
        .unwrap();
    assert_eq!(resolved.limits.max_turns, 7);
    assert!(!resolved.streaming);
    assert_eq!(resolved.provider.unwrap().model.as_deref(), Some("ours"));
    assert_eq!(bash(&resolved.rules, "curl http://x"), Class::Deny);
    assert_eq!(bash(&resolved.rules, "make"), Class::Allow);
}

#[test]
fn a_file_that_others_may_write_stops_the_start() {
    let Some(world) = world() else { return };
    let world = world.managed("{}");
    world.loaded();
    let mode = |name: &str, mode: u32| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(world.path(name), permissions).unwrap();
    };
    mode("etc/managed.jsonc", 0o664);
    let error = world.error();
    assert!(
        error.contains("doesn't trust the managed policy W/etc/managed.jsonc")
            && error.contains("chmod go-w W/etc/managed.jsonc"),
        "{error}"
    );
    mode("etc/managed.jsonc", 0o644);
    mode("etc", 0o777);
    assert!(world.error().contains("because of W/etc:"));
    mode("etc", 0o755);
    world.loaded();
}

#[test]
fn a_file_that_is_not_roots_stops_the_start() {
    let world = World::below(Path::new(env!("CARGO_TARGET_TMPDIR"))).managed("{}");
    let path = world.path("etc/managed.jsonc");
    if path.metadata().unwrap().uid() == 0 {
        std::os::unix::fs::chown(&path, Some(65534), None).unwrap();
    }
    assert!(
        world.error().contains("doesn't belong to root"),
        "{}",
        world.error()
    );
    assert!(
        World::new()
            .env("TENON_MANAGED_CONFIG", "relative.json")
            .error()
            .contains("must be absolute")
    );
    let error = World::new()
        .env("TENON_MANAGED_CONFIG", "/no/such/file.json")
        .error();
    assert!(
        error.contains("/no/such/file.json does not exist")
            && error.ends_with("create it, or unset TENON_MANAGED_CONFIG"),
        "{error}"
    );
}

#[test]
fn a_link_is_followed_only_through_what_root_alone_can_change() {
    let Some(world) = world() else { return };
    std::fs::create_dir(world.path("theirs")).unwrap();
    let world = world.file("theirs/real.jsonc", r#"{"streaming": false}"#);
    std::os::unix::fs::symlink("../theirs/real.jsonc", world.path("etc/managed.jsonc")).unwrap();
    assert!(!world.resolved().streaming);
    std::os::unix::fs::chown(world.path("theirs"), Some(65534), None).unwrap();
    assert!(world.error().contains("because of W/theirs"));
}

#[test]
fn a_second_file_adds_and_weakens_nothing() {
    let Some(world) = world() else { return };
    let second = world.path("second.jsonc");
    let world = world
        .managed(r#"{"permission": {"bash": "ask"}, "limits": {"max_turns": 7}, "locks": {"yolo": false, "sandbox": "workspace-write", "providers": ["http://a", "http://b"]}}"#)
        .file(
            "second.jsonc",
            r#"{"permission": {"bash": {"make *": "allow", "curl *": "deny"}}, "limits": {"max_turns": 99, "repeat_stop": 9}, "locks": {"yolo": true, "yes": false, "sandbox": "read-only", "providers": ["http://b", "http://c"]}}"#,
        )
        .user(r#"{"providers": {"a": {"base_url": "http://a"}, "b": {"base_url": "http://b/v1"}, "c": {"base_url": "http://c"}}}"#)
        .env("TENON_MANAGED_CONFIG", second.to_str().unwrap());
    let resolved = world.resolve_with(&provider("b")).unwrap();
    assert_eq!(bash(&resolved.rules, "make all"), Class::Ask);
    assert_eq!(bash(&resolved.rules, "curl x"), Class::Deny);
    assert_eq!(
        (resolved.limits.max_turns, resolved.limits.repeat_stop),
        (7, 9)
    );
    assert!(resolved.locks.yolo.is_some() && resolved.locks.yes.is_some());
    assert_eq!(resolved.locks.sandbox.unwrap().word, "read-only");
    assert_eq!(resolved.providers.keys().collect::<Vec<_>>(), ["b"]);
    assert!(world.resolve_with(&provider("a")).is_err());
    assert!(world.resolve_with(&provider("c")).is_err());
    assert!(
        world
            .loaded()
            .warnings()
            .iter()
            .any(|line| line.contains("second managed file")),
    );
}

#[test]
fn a_provider_is_allowed_by_address_or_by_a_name_whose_address_nobody_changed() {
    let Some(world) = world() else { return };
    let world = world
        .managed(r#"{"locks": {"providers": ["openai", "corp", "https://llm.example/team"]}, "providers": {"corp": {"base_url": "https://corp.example/v1"}}}"#)
        .user(
            r#"{"providers": {
                "openai": {"base_url": "https://evil.example/v1"},
                "corp": {"base_url": "https://evil.example/v1"},
                "mine": {"base_url": "https://LLM.example/team/v1"},
                "near": {"base_url": "https://llm.example/teams/v1"},
                "trick": {"base_url": "https://llm.example.evil.example/team"}
            }}"#,
        );
    let resolved = world.resolve_with(&provider("mine")).unwrap();
    assert_eq!(
        resolved.providers.keys().collect::<Vec<_>>(),
        ["corp", "mine"]
    );
    assert_eq!(
        resolved.providers["corp"].base_url,
        "https://corp.example/v1"
    );
    let error = world.resolve_with(&provider("openai")).unwrap_err();
    assert!(
        error.to_string().contains("its address was changed"),
        "{error}"
    );
    for name in ["near", "trick", "ollama"] {
        let error = world.resolve_with(&provider(name)).unwrap_err();
        assert!(error.to_string().contains("is not allowed here"), "{error}");
    }
}

#[test]
fn an_address_from_the_environment_has_to_be_allowed_too() {
    let Some(world) = world() else { return };
    let world = world
        .managed(r#"{"locks": {"providers": ["openai", "env"]}}"#)
        .env("TENON_BASE_URL", "http://evil/v1")
        .env("TENON_MODEL", "m");
    assert!(world.error().contains("is not allowed here"));
}

#[test]
fn walls_below_the_minimum_are_raised_and_said_so() {
    let Some(world) = world() else { return };
    let world = world
        .managed(r#"{"locks": {"sandbox": "workspace-write", "network": "deny"}}"#)
        .user(r#"{"sandbox": {"mode": "off"}}"#)
        .env("TENON_SANDBOX_MODE", "off");
    let loaded = world.loaded();
    assert_eq!(loaded.get("sandbox.mode").unwrap().0, "workspace-write");
    assert_eq!(loaded.get("sandbox.network").unwrap().0, "deny");
    let warnings = loaded.warnings().join("\n");
    assert!(
        warnings.contains("`sandbox.mode` is `workspace-write`, not `off`"),
        "{warnings}"
    );
}

#[test]
fn a_mistake_in_the_locks_is_named_with_its_line() {
    let Some(world) = world() else { return };
    let world = world.managed("{\"locks\": {\n\"yollo\": false}}");
    let error = world.error();
    assert!(
        error.starts_with("W/etc/managed.jsonc:2:") && error.contains("did you mean `yolo`?"),
        "{error}"
    );
    let world = world.managed(r#"{"locks": {"sandbox": "off"}}"#);
    assert!(
        world
            .error()
            .contains("expected one of workspace-write, read-only")
    );
}

#[test]
fn locks_are_the_administrators_alone() {
    assert!(
        World::new()
            .user(r#"{"locks": {"yolo": true}}"#)
            .error()
            .contains("unknown key `locks`")
    );
}

#[test]
fn a_session_cannot_leave_the_provider_and_the_model_that_the_administrator_chose() {
    let Some(world) = world() else { return };
    let world = world
        .managed(r#"{"default_provider": "ours", "model": "fixed", "providers": {"ours": {"base_url": "http://ours"}}}"#)
        .user(r#"{"providers": {"a": {"base_url": "http://a"}}}"#);
    let loaded = world.loaded();
    assert_eq!(managed_model(&loaded).as_deref(), Some("fixed"));
    assert!(provider_named(&loaded, "ours").is_ok());
    for name in ["a", "groq"] {
        let error = provider_named(&loaded, name).unwrap_err();
        assert!(
            error.message().contains("has set the provider to `ours`"),
            "{error}"
        );
    }
}
