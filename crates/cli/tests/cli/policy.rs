//! `tenon policy`.

use crate::program::Program;
use serde_json::{Value, json};
use tenon_policy::{Grant, GrantKey, Grants, Scope};
use tenon_vocab::Timestamp;

fn explain(program: &Program, tool: &str, argument: &str) -> Value {
    program
        .run(&["policy", "explain", tool, argument, "--format", "json"])
        .ended(0)
        .json()
}

#[test]
fn the_rules_are_printed_in_the_order_in_which_they_were_tried() {
    let program = Program::new();
    program.configure("{\n\"permission\": {\"bash\": {\"git push\": \"deny\"}}\n}");
    let said = explain(&program, "bash", "git push origin main");
    assert_eq!(
        (&said["decision"], &said["class"]),
        (&json!("deny"), &json!("deny"))
    );
    let tried = said["tried"].as_array().unwrap();
    let last = tried.last().unwrap();
    assert_eq!(last["matched"], true);
    assert!(
        last["rule"].as_str().unwrap().contains("git push"),
        "{last}"
    );
    assert!(
        last["origin"].as_str().unwrap().contains("tenon.jsonc:2"),
        "{last}"
    );
    let ran = program
        .run(&["policy", "explain", "bash", "git push"])
        .ended(0);
    ran.says("tenon.jsonc:2")
        .says("decided")
        .says("\ndeny: ")
        .says("No flag changes that");
}

#[test]
fn a_word_that_is_no_file_is_not_told_as_one() {
    let program = Program::new();
    program.file("there.txt", "x");
    let ran = program
        .run(&[
            "policy",
            "explain",
            "bash",
            "git status there.txt; cat gone.txt; rm y",
        ])
        .ended(0)
        .says("gone.txt")
        .says("there.txt")
        .says("delete");
    assert!(!ran.out.contains("read     status"), "{}", ran.out);
    assert_eq!(ran.out.matches("decided").count(), 1, "{}", ran.out);
    ran.says("ask (confirm): ");
}

#[test]
fn the_facts_are_those_of_the_real_tool_over_the_real_files() {
    let program = Program::new();
    std::os::unix::fs::symlink("/etc", program.project().join("link")).unwrap();
    let class = |tool: &str, argument: &str| explain(&program, tool, argument)["class"].clone();
    assert_eq!(class("bash", "ls -l"), "allow");
    assert_eq!(class("bash", "ls; rm x"), "confirm");
    assert_eq!(class("bash", "ls; make"), "ask");
    assert_eq!(class("bash", "ls src | grep x"), "allow");
    assert_eq!(class("read", "src/main.rs"), "allow");
    assert_eq!(class("read", ".env"), "ask");
    assert_eq!(class("read", "../outside"), "deny");
    assert_eq!(class("read", "link/passwd"), "deny");
    assert_eq!(class("write", "src/main.rs"), "ask");
    assert_eq!(class("write", ".env"), "deny");
    assert_eq!(class("write", ".git/config"), "hard_deny");
    assert_eq!(class("patch", ".git/config"), "hard_deny");
    assert_eq!(class("grep", "/"), "deny");
    assert_eq!(class("process", "list"), "allow");
}

#[test]
fn other_names_of_a_tool_are_understood_and_unknown_ones_are_not() {
    let program = Program::new();
    assert_eq!(explain(&program, "Shell", "ls")["tool"], "bash");
    assert_eq!(explain(&program, "write_file", "x")["tool"], "write");
    assert_eq!(explain(&program, "skill", "review")["class"], "allow");
    program
        .run(&["policy", "explain", "raed", "x"])
        .ended(2)
        .complains("Did you mean `read`?");
    program.run(&["policy", "explain", "bash"]).ended(2);
    program
        .run(&["policy", "explain", "patch", "a\nb"])
        .ended(2)
        .complains("the path of a file");
}

#[test]
fn what_explain_says_is_what_a_call_gets() {
    let program = Program::new();
    program.configure(r#"{"permission": {"bash": {"echo *": "allow"}}}"#);
    assert_eq!(explain(&program, "bash", "echo hi")["decision"], "allow");
    program
        .run(&[
            "tools",
            "run",
            "bash",
            "--input",
            r#"{"command": "echo hi"}"#,
        ])
        .ended(0);
    assert_eq!(explain(&program, "bash", "echo $(id)")["decision"], "ask");
    program
        .run(&[
            "tools",
            "run",
            "bash",
            "--input",
            r#"{"command": "echo $(id)"}"#,
        ])
        .ended(5);
}

#[test]
fn an_argument_cannot_write_to_the_terminal() {
    let program = Program::new();
    let ran = program
        .run(&["policy", "explain", "bash", "echo \u{1b}[2J"])
        .ended(0);
    assert!(!ran.out.contains('\u{1b}'), "{:?}", ran.out);
}

#[test]
fn damaged_grants_grant_nothing_and_are_told_of() {
    let program = Program::new();
    program.run(&["policy", "explain", "bash", "make"]).ended(0);
    let grants = program.home.tenon().join("grants");
    std::fs::create_dir_all(&grants).unwrap();
    let key = tenon_tools::workspace::sha256(program.project().to_str().unwrap().as_bytes());
    std::fs::write(grants.join(format!("{key}.json")), "{").unwrap();
    program
        .run(&["policy", "explain", "bash", "make"])
        .ended(0)
        .says("\nask: ")
        .complains("permissions is damaged");
}

#[test]
fn explain_tells_the_parts_the_dangers_and_the_files() {
    let program = Program::new();
    program.file("a.txt", "x");
    let said = explain(&program, "bash", "ls && rm a.txt gone.txt");
    assert_eq!(said["class"], "confirm");
    assert_eq!(
        said["parts"],
        json!({"certain": true, "commands": ["ls", "rm a.txt gone.txt"]})
    );
    assert_eq!(
        said["dangers"][0]["class"], "confirm",
        "{}",
        said["dangers"]
    );
    let targets = said["targets"].as_array().unwrap();
    let of = |path: &str| {
        let found = targets.iter().find(|target| target["path"] == path);
        found.unwrap_or_else(|| panic!("no {path}: {targets:?}"))
    };
    assert_eq!(
        (&of("a.txt")["deed"], &of("a.txt")["exists"]),
        (&json!("delete"), &json!(true))
    );
    assert_eq!(of("gone.txt")["exists"], false);
    program
        .run(&["policy", "explain", "bash", "ls && rm a.txt"])
        .ended(0)
        .says("part: `rm a.txt`")
        .says("danger")
        .says("exists, in the project")
        .says("ask (confirm)")
        .says("even with --yes");
    let said = explain(&program, "bash", "echo $(id)");
    assert_eq!(said["parts"]["certain"], false);
    assert_eq!(explain(&program, "bash", "rm -rf /")["class"], "hard_deny");
}

#[test]
fn explain_speaks_for_another_agent() {
    let program = Program::new();
    let of = |agent: &str| {
        program
            .run(&[
                "policy", "explain", "bash", "ls", "--agent", agent, "--format", "json",
            ])
            .ended(0)
            .json()["class"]
            .clone()
    };
    assert_eq!(of("build"), "allow");
    assert_eq!(of("plan"), "hard_deny");
    program
        .run(&["policy", "explain", "bash", "ls", "--agent", "nobody"])
        .ended(2)
        .complains("there is no agent `nobody`");
}

#[test]
fn a_rule_with_a_wrong_example_is_named_with_its_file() {
    let program = Program::new();
    program.configure(
        r#"{"permission": [
            {"tool": "read", "decision": "allow"},
            {"tool": "bash", "match": {"command_prefix": "git diff"}, "decision": "allow",
            "examples": {"match": ["git push"]}}
        ]}"#,
    );
    program
        .run(&["policy", "list"])
        .ended(2)
        .complains("tenon.jsonc:3")
        .complains("`permission.1.examples.match.0`")
        .complains("does not match its example `git push`");
}

/// What was allowed in the project, as the program would have kept it.
fn allow(program: &Program, grants: &[(&str, GrantKey)], expires: Timestamp) {
    let mut kept = Grants::new();
    for (tool, key) in grants {
        kept.add(Grant {
            tool: (*tool).to_owned(),
            key: key.clone(),
            scope: Scope::Project,
            expires: Some(expires),
            given: None,
        });
    }
    let folder = program.home.tenon().join("grants");
    std::fs::create_dir_all(&folder).unwrap();
    let key = tenon_tools::workspace::sha256(program.project().to_str().unwrap().as_bytes());
    std::fs::write(
        folder.join(format!("{key}.json")),
        kept.to_json().to_string(),
    )
    .unwrap();
}

fn next_week() -> Timestamp {
    Timestamp::now()
        .checked_add(tenon_policy::GRANT_TTL)
        .unwrap()
}

fn cargo_test() -> GrantKey {
    GrantKey::Command(vec!["cargo".into(), "test".into()])
}

#[test]
fn what_was_allowed_is_listed_and_taken_back_by_number_and_by_rule() {
    let program = Program::new();
    program
        .run(&["policy", "list"])
        .ended(0)
        .says("You have allowed nothing for this project");
    let src = GrantKey::Directory("src".into());
    allow(
        &program,
        &[
            ("bash", cargo_test()),
            ("edit", src),
            ("github", GrantKey::Tool),
        ],
        next_week(),
    );
    let ran = program
        .run(&["policy", "list"])
        .ended(0)
        .says("1  bash: cargo test … (any names, and its common flags) = allow")
        .says("2  edit: \"src/**\" = allow")
        .says("policy remove N");
    assert!(
        ran.out.contains("bash: commands that only read = allow"),
        "{}",
        ran.out
    );
    assert_eq!(explain(&program, "bash", "cargo test x")["class"], "allow");
    program
        .run(&["policy", "remove", "1"])
        .ended(0)
        .complains("No longer allowed: bash: cargo test …");
    assert_eq!(explain(&program, "bash", "cargo test x")["class"], "ask");
    program
        .run(&["policy", "remove", "edit: \"src/**\" = allow"])
        .ended(0);
    let left = program.run(&["policy", "list", "--json"]).ended(0).json();
    assert_eq!(left["grants"].as_array().unwrap().len(), 1);
    assert_eq!(left["grants"][0]["rule"], "github: allow");
    assert!(left["grants"][0]["given"].is_string() && left["grants"][0]["expires"].is_string());
    for wrong in ["0", "2", "nothing"] {
        program
            .run(&["policy", "remove", wrong])
            .ended(2)
            .complains("tenon policy list");
    }
    program.run(&["policy", "remove", "--all"]).ended(0);
    program.run(&["policy", "remove", "--all"]).ended(0);
    program.run(&["policy", "remove"]).ended(2);
    program
        .run(&["policy", "list"])
        .ended(0)
        .says("You have allowed nothing for this project");
}

#[test]
fn what_has_ended_is_not_listed_and_does_not_count() {
    let program = Program::new();
    allow(&program, &[("bash", cargo_test())], Timestamp::UNIX_EPOCH);
    program
        .run(&["policy", "list"])
        .ended(0)
        .says("You have allowed nothing");
    assert_eq!(explain(&program, "bash", "cargo test")["class"], "ask");
}

#[test]
fn the_rules_that_hold_are_listed_with_their_origin() {
    let program = Program::new();
    program.configure("{\n\"permission\": {\"bash\": {\"deploy *\": \"confirm\"}}\n}");
    let said = program.run(&["policy", "list", "--json"]).ended(0).json();
    let rules = said["rules"].as_array().unwrap();
    let rule = rules
        .iter()
        .find(|rule| rule["rule"] == "bash: \"deploy *\" = confirm")
        .unwrap();
    assert_eq!(rule["decision"], "confirm");
    assert_eq!(rule["layer"], "user");
    assert!(rule["origin"].as_str().unwrap().contains("tenon.jsonc:2"));
    assert!(rules.iter().any(|rule| rule["layer"] == "built_in"));
    assert_eq!(explain(&program, "bash", "deploy now")["class"], "confirm");
}

#[test]
fn grants_can_be_taken_back_also_with_a_broken_configuration() {
    let program = Program::new();
    allow(&program, &[("bash", cargo_test())], next_week());
    program.configure("{ broken");
    program.run(&["policy", "remove", "1"]).ended(0);
    program.configure("{}");
    assert_eq!(explain(&program, "bash", "cargo test")["class"], "ask");
}

#[test]
fn what_an_agent_may_not_do_is_explained_for_that_agent() {
    let program = Program::new();
    let of = |agent: &str, tool: &str, argument: &str| {
        program
            .run(&[
                "policy", "explain", "--agent", agent, tool, argument, "--format", "json",
            ])
            .ended(0)
            .json()
    };
    for (tool, argument) in [("bash", "ls"), ("write", "a.txt")] {
        assert_eq!(of("plan", tool, argument)["class"], "hard_deny", "{tool}");
        assert_ne!(of("build", tool, argument)["class"], "hard_deny", "{tool}");
    }
    assert_eq!(of("plan", "read", "a.txt")["class"], "allow");
}
