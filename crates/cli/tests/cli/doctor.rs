//! `tenon doctor`.

use crate::model::Model;
use crate::program::{Program, Ran};
use serde_json::Value;

fn found<'a>(report: &'a Value, section: &str, part: &str) -> &'a Value {
    report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|found| found["section"] == section && found["what"].as_str().unwrap().contains(part))
        .unwrap_or_else(|| panic!("no `{part}` in {section}: {report:#}"))
}

#[test]
fn it_looks_at_everything_that_a_session_stands_on() {
    let program = Program::new();
    let report = program.run(&["doctor", "--json"]).json();
    for (section, part) in [
        ("program", "tenon "),
        ("kernel", "release"),
        ("kernel", "Landlock"),
        ("kernel", "user namespaces"),
        ("kernel", "seccomp"),
        (
            "sandbox",
            "configured: mode workspace-write, network inherit",
        ),
        ("sandbox", "writable: "),
        ("sandbox", "network: open, as configured"),
        ("sandbox", "variables withheld from commands"),
        ("configuration", "no file"),
        ("trust", "nothing that needs trust"),
        ("provider", "none is configured"),
        ("terminal", "none"),
        ("terminal", "locale C.UTF-8"),
        ("programs", "shell:"),
        ("programs", "git"),
        ("programs", "bwrap"),
        ("folders", "state:"),
    ] {
        found(&report, section, part);
    }
    for each in report["findings"].as_array().unwrap() {
        let fine = each["state"] == "ok";
        assert!(
            fine || !each["advice"].as_str().unwrap().is_empty(),
            "{each}"
        );
    }
}

#[test]
fn the_walls_are_really_tried() {
    let program = Program::new();
    let report = program.run(&["doctor", "--json"]).json();
    if tenon_sandbox::Probe::look().level != "full" {
        eprintln!("skipped: not all walls are to be had here");
        return;
    }
    assert_eq!(found(&report, "sandbox", "level full")["state"], "ok");
    for wall in ["write outside", "read hidden", "write protected"] {
        assert_eq!(found(&report, "sandbox", wall)["state"], "ok", "{wall}");
    }
}

#[test]
fn a_page_for_people_names_what_to_do() {
    let program = Program::new();
    program.configure(r#"{"sandbox": {"mode": "off"}}"#);
    program
        .run(&["doctor"])
        .says("off: commands run without a sandbox → set `sandbox.mode`")
        .says("warnings.");
    let report = program.run(&["doctor", "--json"]).json().to_string();
    assert!(!report.contains("level full") && !report.contains("tested:"));
}

#[test]
fn the_configured_walls_are_tried_and_not_others() {
    if tenon_sandbox::Probe::look().level != "full" {
        eprintln!("skipped: not all walls are to be had here");
        return;
    }
    let program = Program::new();
    program.configure(r#"{"sandbox": {"mode": "read-only", "network": "deny"}}"#);
    let report = program.run(&["doctor", "--json"]).json();
    let inside = found(
        &report,
        "sandbox",
        "commands can't write to the project, as configured",
    );
    assert_eq!(inside["state"], "ok");
    let network = found(
        &report,
        "sandbox",
        "tested: network: commands can't reach a server",
    );
    assert_eq!(network["state"], "ok");
}

#[test]
fn an_entry_of_the_walls_that_does_nothing_is_named() {
    let program = Program::new();
    program
        .configure(r#"{"sandbox": {"writable": ["/nope"], "show": ["absent"], "hidden": [".."]}}"#);
    let report = program.run(&["doctor", "--json"]).json();
    for part in [
        "`sandbox.writable`: `/nope` does not exist",
        "`sandbox.show`: `absent` does not exist",
        "`sandbox.hidden`: `..` contains the project",
    ] {
        assert_eq!(found(&report, "sandbox", part)["state"], "warn", "{part}");
    }
}

#[test]
fn long_lists_are_counted_unless_all_is_wanted() {
    let program = Program::new();
    program.configure(r#"{"sandbox": {"read_only": ["a1", "a2", "a3", "a4", "a5", "a6", "a7"]}}"#);
    let short = program.run(&["doctor"]).says("(--verbose lists them)").out;
    assert!(!short.contains("/a7"), "{short}");
    program.run(&["doctor", "--verbose"]).says("/a7");
}

#[test]
fn an_error_of_several_lines_keeps_its_lines() {
    let program = Program::new();
    program.configure("{\n\"sandbox\": {\"mode\": \"of\"}, \"nonsense\": 1\n}");
    let ran = program.run(&["doctor"]).ended(1);
    assert!(!ran.out.contains('␊'), "{}", ran.out);
}

#[test]
fn a_configuration_that_cannot_be_read_is_a_problem_and_the_rest_is_still_looked_at() {
    let program = Program::new();
    program.configure("{\n\"sandbox\": {\"mode\": \"of\"}\n}");
    let ran = program.run(&["doctor", "--json"]).ended(1);
    let report = ran.json();
    let found_it = found(&report, "configuration", "sandbox.mode");
    assert_eq!(found_it["state"], "problem");
    found(&report, "programs", "shell:");
}

#[test]
fn variables_with_credentials_are_named_and_not_shown() {
    let program = Program::new();
    let mut command = program.command();
    command.env("GITHUB_TOKEN", "hush").args(["doctor"]);
    let ran = Ran::of(command.output().unwrap());
    assert!(ran.out.contains("GITHUB_TOKEN") && !ran.out.contains("hush"));
}

#[test]
fn the_server_is_asked_only_when_told_to() {
    let program = Program::new();
    let model = Model::says("hello");
    let doctor = |args: &[&str]| {
        let mut command = model.command(&program.home);
        command.arg("doctor").arg("--json").args(args);
        Ran::of(command.output().unwrap()).json()
    };
    let report = doctor(&[]);
    found(&report, "provider", "was not contacted");
    assert!(model.requests().is_empty());
    let report = doctor(&["--network"]);
    assert_eq!(
        found(&report, "provider", "the server answers")["state"],
        "ok"
    );
}

#[test]
fn a_server_that_does_not_answer_is_a_problem() {
    let program = Program::new();
    let mut command = program.command();
    command
        .env("TENON_BASE_URL", "http://127.0.0.1:1/v1")
        .env("TENON_MODEL", "x")
        .args(["doctor", "--network"]);
    Ran::of(command.output().unwrap())
        .ended(1)
        .says("the server does not answer")
        .says("1 problem,");
}
