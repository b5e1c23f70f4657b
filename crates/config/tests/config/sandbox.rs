use crate::support::World;
use tenon_config::{SandboxAdapter, SandboxLacking, SandboxMode, SandboxNetwork};

#[test]
fn walls_stand_by_default() {
    let sandbox = World::new().resolved().sandbox;
    assert_eq!(sandbox.mode, SandboxMode::WorkspaceWrite);
    assert_eq!(sandbox.network, SandboxNetwork::Inherit);
    assert_eq!(sandbox.adapter, SandboxAdapter::Auto);
    assert_eq!(sandbox.lacking, SandboxLacking::Partial);
    assert!(sandbox.caches);
    assert!(sandbox.writable.is_empty() && sandbox.show.is_empty());
    assert_eq!(sandbox.limits.memory_bytes, None);
}

#[test]
fn every_key_of_the_section_is_read() {
    let world = World::new().user(
        r#"{"sandbox": {
            "mode": "read-only", "network": "deny", "adapter": "bubblewrap", "lacking": "refuse",
            "caches": false, "writable": ["~/a"], "read_only": ["b"], "hidden": ["c"], "show": [".env"],
            "environment": {"withhold": ["X_*"], "keep": ["GITHUB_TOKEN"]},
            "limits": {"processes": 1, "file_bytes": 2, "open_files": 64, "cpu_seconds": 4, "memory_bytes": 1048576}
        }}"#,
    );
    let sandbox = world.resolved().sandbox;
    assert_eq!(sandbox.mode, SandboxMode::ReadOnly);
    assert_eq!(sandbox.network, SandboxNetwork::Deny);
    assert_eq!(sandbox.adapter, SandboxAdapter::Bubblewrap);
    assert_eq!(sandbox.lacking, SandboxLacking::Refuse);
    assert!(!sandbox.caches);
    assert_eq!(
        [
            &sandbox.writable,
            &sandbox.read_only,
            &sandbox.hidden,
            &sandbox.show,
            &sandbox.withhold,
            &sandbox.keep
        ],
        [
            &["~/a"],
            &["b"],
            &["c"],
            &[".env"],
            &["X_*"],
            &["GITHUB_TOKEN"]
        ]
    );
    let limits = sandbox.limits;
    assert_eq!((limits.processes, limits.file_bytes), (Some(1), Some(2)));
    assert_eq!((limits.open_files, limits.cpu_seconds), (Some(64), Some(4)));
    assert_eq!(limits.memory_bytes, Some(1_048_576));
}

#[test]
fn a_project_that_nobody_trusts_opens_nothing() {
    let world = World::new().project(
        r#"{"sandbox": {"mode": "off", "writable": ["/"], "show": ["~/.ssh"], "environment": {"keep": ["*"]}}}"#,
    );
    let sandbox = world.resolved().sandbox;
    assert_eq!(sandbox.mode, SandboxMode::WorkspaceWrite);
    assert!(sandbox.writable.is_empty() && sandbox.show.is_empty() && sandbox.keep.is_empty());
    assert_eq!(world.loaded().ignored().len(), 4);
}

#[test]
fn a_word_that_is_no_mode_is_an_error_with_its_line() {
    let world = World::new().user("{\n\"sandbox\": {\"mode\": \"workspace\"}\n}");
    let error = world.load().unwrap_err().to_string();
    assert!(
        error.contains("sandbox.mode") && error.contains(":2"),
        "{error}"
    );
}

#[test]
fn a_network_that_is_denied_without_walls_is_refused_and_both_places_are_named() {
    let world =
        World::new().user("{\n\"sandbox\": {\n\"mode\": \"off\",\n\"network\": \"deny\"\n}\n}");
    let error = world.resolve().unwrap_err().to_string();
    for named in [
        "sandbox.mode",
        "sandbox.network",
        ":3",
        ":4",
        "workspace-write",
    ] {
        assert!(error.contains(named), "{named}: {error}");
    }
    for fine in [
        r#"{"sandbox": {"mode": "off"}}"#,
        r#"{"sandbox": {"mode": "off", "network": "inherit"}}"#,
        r#"{"sandbox": {"network": "deny"}}"#,
        r#"{"sandbox": {"mode": "read-only", "network": "deny"}}"#,
    ] {
        assert!(World::new().user(fine).resolve().is_ok(), "{fine}");
    }
}

#[test]
fn a_project_that_wants_no_network_is_not_started_without_walls() {
    let world = World::new()
        .user(r#"{"sandbox": {"mode": "off"}}"#)
        .project(r#"{"sandbox": {"network": "deny"}}"#);
    let error = world.resolve().unwrap_err().to_string();
    assert!(error.contains("sandbox.network"), "{error}");
}
