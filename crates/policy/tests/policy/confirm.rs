//! The decision `confirm` in rules, examples of rules, the agent's own deny and the
//! floor of a managed file.

use crate::support::{bash, class, main_agent, now, read, rules_of, user_rules, verdict, write};
use serde_json::{Value, json};
use tenon_policy::{
    Authority, Facts, Grant, GrantKey, Grants, Layer, Rules, Scope, decide, offers_within,
    once_only,
};
use tenon_vocab::{Class, Responders};

fn command_grant(words: &[&str]) -> Grants {
    let mut grants = Grants::new();
    grants.add(Grant {
        tool: "bash".into(),
        key: GrantKey::Command(words.iter().map(|word| (*word).to_owned()).collect()),
        scope: Scope::Session,
        expires: None,
        given: None,
    });
    grants
}

fn granted(facts: &Facts, rules: &Rules, grants: &Grants) -> Class {
    decide(facts, rules, grants, &main_agent(), now()).class
}

#[test]
fn a_rule_adds_to_what_is_confirmed_and_nothing_takes_it_away() {
    let mut rules = user_rules(
        r#"{"bash": {"deploy *": "confirm", "deploy staging": "allow"}, "edit": {"db/**": "confirm"}}"#,
    );
    rules
        .add_config(
            &json!({"bash": "allow", "edit": "allow"}),
            Layer::Extra,
            "x",
        )
        .unwrap();
    let grants = command_grant(&["deploy"]);
    for command in [
        "deploy prod",
        "deploy staging",
        "cd x && deploy prod",
        "sh -c 'deploy prod'",
        "(deploy x)",
    ] {
        assert_eq!(
            granted(&bash(command), &rules, &grants),
            Class::Confirm,
            "{command}"
        );
    }
    assert_eq!(class(&write("db/a.sql"), &rules), Class::Confirm);
    assert_eq!(class(&write("src/a.rs"), &rules), Class::Allow);
    assert_eq!(class(&bash("make"), &rules), Class::Allow);
    let found = verdict(&bash("deploy prod"), &rules);
    assert_eq!(
        found.reason,
        "the rule `bash: \"deploy *\" = confirm` (test:1) asks each time"
    );
    assert_eq!(found.responders, Responders::Any);
}

#[test]
fn a_confirm_written_as_a_star_is_the_rest_and_yields_to_what_is_named() {
    let rules = user_rules(r#"{"bash": {"*": "confirm", "make *": "allow"}}"#);
    assert_eq!(class(&bash("make"), &rules), Class::Allow);
    assert_eq!(
        granted(&bash("cargo x"), &rules, &command_grant(&["cargo"])),
        Class::Confirm
    );
}

#[test]
fn a_confirm_weakens_no_deny() {
    let mut rules = user_rules(r#"{"*": "deny"}"#);
    rules
        .add_config(
            &json!({"bash": {"*": "confirm", "make": "confirm"}}),
            Layer::Project,
            "p",
        )
        .unwrap();
    assert_eq!(class(&bash("make"), &rules), Class::Deny);
    assert_eq!(class(&bash("ls"), &rules), Class::Deny);
}

#[test]
fn a_project_may_add_a_confirm() {
    let mut rules = user_rules(r#"{"bash": "allow"}"#);
    rules
        .add_config(&json!({"bash": {"make": "confirm"}}), Layer::Project, "p")
        .unwrap();
    assert_eq!(class(&bash("make all"), &rules), Class::Confirm);
}

#[test]
fn a_question_of_a_managed_file_is_a_floor() {
    let mut rules = rules_of(
        r#"{"bash": {"make *": "ask"}, "edit": {"infra/**": "ask"}}"#,
        Layer::Managed,
    );
    rules
        .add_config(
            &json!({"bash": {"make *": "allow", "make all": "allow"}, "edit": {"infra/a.tf": "allow"}}),
            Layer::User,
            "u",
        )
        .unwrap();
    let grants = command_grant(&["make", "all"]);
    for facts in [
        bash("make all"),
        bash("make"),
        write("infra/a.tf"),
        bash("ls; make all"),
    ] {
        assert_eq!(granted(&facts, &rules, &grants), Class::Ask);
        assert!(offers_within(&facts, &rules, &grants, &main_agent(), now()).is_empty());
    }
    assert_eq!(
        granted(&bash("cargo x"), &rules, &command_grant(&["cargo"])),
        Class::Allow
    );
    rules
        .add_config(&json!({"bash": {"make all": "deny"}}), Layer::User, "u")
        .unwrap();
    assert_eq!(class(&bash("make all"), &rules), Class::Deny);
}

#[test]
fn of_two_managed_files_the_strictest_holds() {
    let mut rules = rules_of(
        r#"{"bash": {"make *": "allow"}, "edit": "allow"}"#,
        Layer::Managed,
    );
    let second = json!({"bash": {"*": "deny"}, "edit": {"*": "ask"}});
    rules
        .add_config(&second, Layer::Managed, "second:7")
        .unwrap();
    assert_eq!(class(&bash("make"), &rules), Class::Deny);
    assert_eq!(class(&write("a"), &rules), Class::Ask);
    let one = rules_of(
        r#"{"bash": {"*": "deny", "make *": "allow"}}"#,
        Layer::Managed,
    );
    assert_eq!(class(&bash("make"), &one), Class::Allow);
}

#[test]
fn an_agents_own_deny_is_for_a_person_to_lift() {
    let mut own = Rules::empty();
    own.add_config(
        &json!({"bash": {"git push": "deny"}}),
        Layer::Agent,
        "agent",
    )
    .unwrap();
    let authority = Authority {
        agent_rules: Some(&own),
        reading_room: tenon_policy::ReadingRoom::Absent,
        ..main_agent()
    };
    let rules = user_rules(r#"{"bash": "allow"}"#);
    let of = |facts: &Facts| decide(facts, &rules, &Grants::new(), &authority, now());
    for command in ["git push", "ls && git push", "git push; rm x"] {
        let found = of(&bash(command));
        assert_eq!(
            (found.class, found.responders),
            (Class::Confirm, Responders::Person),
            "{command}"
        );
    }
    assert_eq!(of(&bash("ls")).responders, Responders::Any);
    let denied = user_rules(r#"{"bash": "deny"}"#);
    assert_eq!(
        decide(
            &bash("git push"),
            &denied,
            &Grants::new(),
            &authority,
            now()
        )
        .class,
        Class::Deny
    );
}

fn load(rule: Value) -> Result<(), String> {
    Rules::built_in()
        .add_config(&json!([rule]), Layer::User, "x")
        .map_err(|error| error.to_string())
}

#[test]
fn examples_are_held_against_their_rule_when_it_is_read() {
    let bash = |examples: Value| {
        load(json!({
            "tool": "bash", "match": {"command_prefix": "git diff"}, "decision": "allow",
            "examples": examples,
        }))
    };
    bash(json!({"match": ["git diff HEAD", "git diff"], "not_match": ["git push", "git diff; rm x", "git diff $(x)"]})).unwrap();
    bash(json!({})).unwrap();
    let said = bash(json!({"match": ["git diff", "git push"]})).unwrap_err();
    assert_eq!(
        said,
        "`permission.0.examples.match.1`: the rule `bash: \"git diff *\" = allow` does not match \
         its example `git push`: change the rule or the example"
    );
    let said = bash(json!({"not_match": ["git diff x"]})).unwrap_err();
    assert!(said.contains("matches its example `git diff x`"), "{said}");
    assert!(
        bash(json!(["git diff"]))
            .unwrap_err()
            .contains("expected {match")
    );
    assert!(
        bash(json!({"matches": []}))
            .unwrap_err()
            .contains("under match and not_match")
    );
    assert!(
        bash(json!({"match": "git diff"}))
            .unwrap_err()
            .contains("a list of strings")
    );
    assert!(
        bash(json!({"match": [1]}))
            .unwrap_err()
            .contains("expected a text")
    );
}

#[test]
fn examples_of_a_deny_are_found_in_every_dress_and_paths_by_pattern() {
    load(json!({
        "tool": "bash", "match": {"command_prefix": "git push"}, "decision": "deny",
        "examples": {"match": ["git push", "A=1 git push", "sh -c 'git push'"], "not_match": ["git log"]},
    }))
    .unwrap();
    load(json!({
        "tool": "edit", "match": {"path_glob": "src/**"}, "decision": "allow",
        "examples": {"match": ["src/a.rs", "./src/a/b"], "not_match": ["lib/src/a"]},
    }))
    .unwrap();
    load(json!({
        "tool": "skill", "match": {"name": "re*"}, "decision": "deny",
        "examples": {"match": ["review"], "not_match": ["test"]},
    }))
    .unwrap();
}

#[test]
fn of_a_line_each_open_command_is_offered_or_the_line_as_it_is() {
    let rules = user_rules(r#"{"bash": {"cd *": "allow", "head *": "allow"}}"#);
    let shown = |command: &str| -> Vec<String> {
        offers_within(&bash(command), &rules, &Grants::new(), &main_agent(), now())
            .into_iter()
            .map(|offer| offer.rule)
            .collect()
    };
    let rule = "bash: cargo test … (any names, and its common flags) = allow";
    for command in [
        "cargo test a",
        "cd p && cargo test a",
        "cd p && cargo test a | head -3",
    ] {
        assert_eq!(shown(command)[0], rule, "{command}");
        assert_eq!(shown(command).len(), 2);
    }
    for command in [
        "cargo test && make CC=x",
        "cd p && python x.py",
        "cd p && cargo test $(x)",
        "cargo test .env",
        "cd p && head x",
    ] {
        let line = format!("bash: exactly \"{command}\" = allow");
        assert_eq!(shown(command), [line], "{command}");
    }
    for command in ["cargo test; rm x", "cargo test > x"] {
        assert!(shown(command).is_empty(), "{command}");
    }
    assert_eq!(
        shown("cargo test a && git commit -m x")[0],
        "bash: cargo test … (any names, and its common flags) = allow; bash: git commit … \
         (any message and files; not --amend, --no-verify and the like) = allow"
    );
    let mut grants = Grants::new();
    let facts = bash("cd p && cargo test a | head -3");
    for grant in offers_within(&facts, &rules, &grants, &main_agent(), now())[0].grants(now()) {
        grants.add(grant);
    }
    assert_eq!(granted(&facts, &rules, &grants), Class::Allow);
    assert_eq!(
        granted(&bash("cargo test b"), &rules, &grants),
        Class::Allow
    );
    assert_eq!(granted(&bash("cargo build"), &rules, &grants), Class::Ask);
}

#[test]
fn the_parts_of_a_line_are_told_and_what_decided_comes_last() {
    let rules = user_rules(r#"{"bash": {"git push": "ask", "cd *": "allow", "head *": "allow"}}"#);
    let found = verdict(&bash("cd p && git push | head"), &rules);
    let told: Vec<&str> = found
        .tried
        .iter()
        .filter(|tried| tried.rule.starts_with("part: "))
        .map(|tried| tried.rule.as_str())
        .collect();
    assert_eq!(told, ["part: `cd p`", "part: `head`", "part: `git push`"]);
    let last = found
        .tried
        .iter()
        .rev()
        .find(|tried| tried.matched)
        .unwrap();
    assert_eq!(last.rule, "bash: \"git push\" = ask");
    assert_eq!(
        found.reason,
        "`git push`: the rule `bash: \"git push\" = ask` (test:1) asks"
    );
    assert!(
        verdict(&read("a"), &rules)
            .tried
            .iter()
            .all(|tried| !tried.rule.starts_with("part: "))
    );
}

#[test]
fn a_question_names_every_danger_of_the_line_with_its_part() {
    let reason = |line: &str| verdict(&bash(line), &Rules::built_in()).reason;
    assert_eq!(reason("rm -rf build"), "`rm` deletes files");
    assert_eq!(
        reason("rm -rf build && git push --force"),
        "`rm` deletes files (`rm -rf build`); `git push` can overwrite or delete other people's \
         work (`git push --force`)"
    );
    assert_eq!(
        reason("rm a; rm b; rm c"),
        "`rm` deletes files (`rm a`, `rm b` and 1 more)"
    );
    let all = reason("rm a; mv b c; chmod 777 x; git reset --hard; git clean -fdx; shred y");
    assert!(all.contains("`git reset` throws away"), "{all}");
    assert!(all.ends_with("; and 4 more"), "{all}");
    let long = reason(&format!("rm {}; shred y", "x".repeat(500)));
    assert!(
        long.contains("xxx…`)") && long.chars().count() < 300,
        "{long}"
    );
}

#[test]
fn a_protected_file_is_named_beside_a_danger() {
    let reason = verdict(
        &bash("rm a && cp x .git/hooks/pre-commit"),
        &Rules::built_in(),
    )
    .reason;
    assert!(reason.contains("`rm` deletes files"), "{reason}");
    assert!(reason.contains("part of git's own data"), "{reason}");
}

#[test]
fn why_only_once_is_offered_is_said_of_what_is_another_thing_the_next_time() {
    let why = |line: &str| once_only(&bash(line));
    assert_eq!(
        why("kill 123").as_deref(),
        Some("the next process with that number can be another one")
    );
    assert_eq!(
        why("ls && grep -R x .").as_deref(),
        Some("`grep` follows links out of the project")
    );
    for line in ["cargo build", "python3 x.py", "cp a b", "echo $(date)"] {
        assert_eq!(why(line), None, "{line}");
    }
}
