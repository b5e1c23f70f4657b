use crate::support::{
    bash, class, files, main_agent, now, plain, read, rules_of, user_rules, verdict, write,
};
use serde_json::json;
use tenon_policy::{
    Access, Authority, Grants, Layer, ReadOnly, ReadingRoom, Rules, canonical_tool, decide,
};
use tenon_vocab::profile::{AgentMode, AgentProfile};
use tenon_vocab::{Class, Effect};

#[test]
fn an_explicit_deny_of_the_user_beats_any_allow() {
    let mut rules = user_rules(r#"{"bash": "deny"}"#);
    rules
        .add_config(&json!({"bash": {"ls *": "allow"}}), Layer::Extra, "extra")
        .unwrap();
    assert_eq!(class(&bash("ls"), &rules), Class::Deny);
}

#[test]
fn a_deny_written_as_a_star_is_the_rest_and_yields_to_what_is_named() {
    let rules =
        user_rules(r#"{"*": "deny", "read": "allow", "bash": {"*": "deny", "ls *": "allow"}}"#);
    assert_eq!(class(&read("a"), &rules), Class::Allow);
    assert_eq!(class(&bash("ls"), &rules), Class::Allow);
    assert_eq!(class(&bash("make"), &rules), Class::Deny);
    assert_eq!(class(&write("a"), &rules), Class::Deny);
}

#[test]
fn a_managed_deny_yields_to_nothing_from_below() {
    let mut rules = rules_of(
        r#"{"bash": {"*": "deny", "ls *": "allow"}}"#,
        Layer::Managed,
    );
    rules
        .add_config(&json!({"bash": {"make *": "allow"}}), Layer::User, "user")
        .unwrap();
    assert_eq!(class(&bash("make"), &rules), Class::Deny);
    assert_eq!(class(&bash("ls"), &rules), Class::Allow);
}

#[test]
fn a_rule_of_the_user_is_above_the_defaults() {
    assert_eq!(
        class(&bash("ls"), &user_rules(r#"{"bash": "ask"}"#)),
        Class::Ask
    );
    assert_eq!(
        class(&read("a"), &user_rules(r#"{"*": "ask"}"#)),
        Class::Ask
    );
    assert_eq!(
        class(
            &plain("task", Effect::Execute),
            &user_rules(r#"{"*": "allow"}"#)
        ),
        Class::Allow
    );
}

#[test]
fn a_star_that_asks_does_not_ask_about_talking() {
    let rules = user_rules(r#"{"*": "ask"}"#);
    assert_eq!(
        class(&plain("ask_user", Effect::Interact), &rules),
        Class::Allow
    );
    assert_eq!(
        class(&plain("todowrite", Effect::Interact), &rules),
        Class::Allow
    );
    let denied = user_rules(r#"{"*": "deny"}"#);
    assert_eq!(
        class(&plain("ask_user", Effect::Interact), &denied),
        Class::Deny
    );
}

#[test]
fn on_a_tie_the_stricter_rule_wins() {
    let mut rules = user_rules(r#"{"bash": {"make *": "allow"}}"#);
    rules
        .add_config(&json!({"bash": {"make *": "ask"}}), Layer::Extra, "extra")
        .unwrap();
    assert_eq!(class(&bash("make"), &rules), Class::Ask);
}

#[test]
fn a_project_can_narrow_and_never_loosen() {
    let mut rules = user_rules(r#"{"*": "deny", "bash": {"make *": "allow", "ls *": "allow"}}"#);
    let project = json!({
        "bash": {"make *": "ask", "rm *": "ask"},
        "external_directory": "ask",
        "edit": {"node_modules/**": "ask"},
    });
    rules
        .add_config(&project, Layer::Project, "project")
        .unwrap();
    assert_eq!(class(&bash("make"), &rules), Class::Ask);
    assert_eq!(class(&bash("ls"), &rules), Class::Allow);
    assert_eq!(class(&bash("rm x"), &rules), Class::Deny);
    assert_eq!(class(&read("/etc/passwd"), &rules), Class::Deny);
    assert_eq!(class(&write("node_modules/x"), &rules), Class::Deny);
}

#[test]
fn a_read_only_agent_changes_nothing_whatever_the_rules_say() {
    let rules = user_rules(r#"{"*": "allow", "bash": "allow", "edit": "allow"}"#);
    let plan = Authority {
        agent: "plan",
        read_only: ReadOnly::Yes,
        agent_rules: None,
        reading_room: ReadingRoom::Absent,
        mode: Default::default(),
    };
    for facts in [write("a"), bash("ls"), plain("mcp_tool", Effect::Execute)] {
        let found = decide(&facts, &rules, &Grants::new(), &plan, now());
        assert_eq!(found.class, Class::HardDeny);
        assert!(found.reason.contains("`plan`"), "{}", found.reason);
    }
    assert_eq!(
        decide(&read("a"), &rules, &Grants::new(), &plan, now()).class,
        Class::Allow
    );
}

#[test]
fn authority_follows_the_profile_of_the_agent() {
    let mut profile = AgentProfile {
        name: "plan".into(),
        description: String::new(),
        mode: AgentMode::Primary,
        hidden: false,
        full_prompt: None,
        prompt: String::new(),
        tools: Vec::new(),
        read_only: true,
        max_steps: None,
        temperature: None,
        source: "built-in".into(),
    };
    let authority = Authority::of(&profile);
    assert_eq!(
        (authority.agent, authority.read_only),
        ("plan", ReadOnly::Yes)
    );
    assert!(authority.agent_rules.is_none());
    profile.read_only = false;
    assert_eq!(Authority::of(&profile).read_only, ReadOnly::No);
}

#[test]
fn an_agents_own_deny_becomes_a_question_that_no_flag_answers() {
    let mut own = Rules::empty();
    own.add_config(
        &json!({"bash": "deny", "read": "ask", "edit": {"docs/**": "allow"}}),
        Layer::Agent,
        "agent",
    )
    .unwrap();
    let authority = Authority {
        agent_rules: Some(&own),
        reading_room: ReadingRoom::Absent,
        ..main_agent()
    };
    let of = |facts| {
        decide(
            &facts,
            &Rules::built_in(),
            &Grants::new(),
            &authority,
            now(),
        )
        .class
    };
    assert_eq!(of(bash("ls")), Class::Confirm);
    assert_eq!(of(read("a")), Class::Ask);
    assert_eq!(of(write("docs/a.md")), Class::Allow);
    assert_eq!(of(write("src/a")), Class::Ask);
    assert_eq!(of(write(".git/a")), Class::HardDeny);
}

#[test]
fn the_list_of_rules_means_the_same_as_the_object() {
    let rules = user_rules(
        r#"[
            {"tool": "bash", "match": {"command_prefix": "cargo test"}, "decision": "allow"},
            {"tool": "write_file", "match": {"path_glob": "src/**"}, "decision": "deny", "reason": "generated"},
            {"tool": "grep", "decision": "ask"}
        ]"#,
    );
    assert_eq!(class(&bash("cargo test --all"), &rules), Class::Allow);
    assert_eq!(class(&bash("cargo build"), &rules), Class::Ask);
    let denied = verdict(&write("src/a"), &rules);
    assert_eq!(denied.class, Class::Deny);
    assert!(denied.reason.ends_with(": generated"), "{}", denied.reason);
    assert_eq!(
        class(&files("grep", Access::Read, &["."]), &rules),
        Class::Ask
    );
}

#[test]
fn names_of_tools_pass_the_alias_table() {
    for (alias, name) in [
        ("read_file", "read"),
        ("Shell", "bash"),
        ("apply-patch", "patch"),
        ("delegate_agent", "task"),
        ("github_x", "github_x"),
    ] {
        assert_eq!(canonical_tool(alias), name);
    }
    assert_eq!(
        class(&bash("make"), &user_rules(r#"{"shell": "allow"}"#)),
        Class::Allow
    );
    assert_eq!(
        class(
            &plain("github_create", Effect::Execute),
            &user_rules(r#"{"github_*": "allow"}"#)
        ),
        Class::Allow
    );
    assert_eq!(
        class(
            &plain("gitlab_create", Effect::Execute),
            &user_rules(r#"{"github_*": "allow"}"#)
        ),
        Class::Ask
    );
}

#[test]
fn an_alias_of_edit_names_that_tool_and_edit_alone_names_the_group() {
    let changes = |tool| files(tool, Access::Write, &["a.rs"]);
    let said = |rules: &str| {
        let rules = user_rules(rules);
        ["edit", "write", "patch"].map(|tool| class(&changes(tool), &rules))
    };
    use Class::{Allow, Ask, Deny};
    for group in ["edit", "Edit", "EDIT"] {
        let rule = json!({ group: "allow" }).to_string();
        assert_eq!(said(&rule), [Allow; 3], "{group}");
    }
    let spellings = tenon_vocab::names::spellings();
    for alias in spellings.filter(|name| canonical_tool(name) == "edit" && *name != "edit") {
        let rule = json!({ alias: "allow" }).to_string();
        assert_eq!(said(&rule), [Allow, Ask, Ask], "{alias}");
        let rule = json!({ alias: { "*.rs": "deny" } }).to_string();
        assert_eq!(said(&rule), [Deny, Ask, Ask], "{alias}");
    }
    let listed = r#"[{"tool": "Edit-File", "match": {"path_glob": "*.rs"}, "decision": "allow"}]"#;
    assert_eq!(said(listed), [Allow, Ask, Ask]);
    assert_eq!(
        said(r#"{"edit": "ask", "edit_file": "allow"}"#),
        [Allow, Ask, Ask]
    );
}

#[test]
fn a_rule_as_it_is_shown_means_the_same_when_it_is_written_again() {
    for (written, shown) in [("str_replace", "edit_file: allow"), ("Edit", "edit: allow")] {
        let rules = user_rules(&json!({ written: "allow" }).to_string());
        let rule = rules.iter().next().unwrap().to_string();
        assert_eq!(rule, shown);
    }
}

#[test]
fn what_cannot_be_read_is_refused_with_its_place() {
    let wrong = |json: &str| {
        let value = serde_json::from_str(json).unwrap();
        Rules::built_in()
            .add_config(&value, Layer::User, "x")
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        wrong(r#"{"bash": "alow"}"#),
        "`permission.bash`: expected allow, ask, confirm or deny, found \"alow\""
    );
    assert_eq!(
        wrong(r#"{"bash": {"git *": true}}"#),
        "`permission.bash.git *`: expected allow, ask, confirm or deny, found true"
    );
    assert!(wrong(r#"{"bash": {"cd x && make": "allow"}}"#).contains("one rule for each command"));
    assert!(wrong(r#"{"edit": {"../x": "deny"}}"#).contains("`..`"));
    assert!(wrong(r#"{"edit": {"a[": "deny"}}"#).contains("isn't a path pattern"));
    assert!(wrong(r#"{"ba sh": "deny"}"#).contains("there is no tool called"));
    assert!(wrong("3").contains("expected an object"));
    assert!(wrong(r#"[{"tool": "bash"}]"#).starts_with("`permission.0.decision`"));
    assert!(
        wrong(r#"[{"tool": "read", "match": {"command_prefix": "x"}, "decision": "ask"}]"#)
            .contains("only rules for bash")
    );
    assert!(
        wrong(r#"[{"tool": "read", "path": "x", "decision": "ask"}]"#).contains("only tool, match")
    );
}

#[test]
fn a_wrong_rule_adds_nothing() {
    let mut rules = Rules::built_in();
    let before = rules.clone();
    rules
        .add_config(&json!({"read": "deny", "bash": "x"}), Layer::User, "x")
        .unwrap_err();
    assert_eq!(rules, before);
}

#[test]
fn the_explanation_lists_what_was_tried_and_ends_with_what_decided() {
    let found = verdict(
        &bash("git push"),
        &user_rules(r#"{"bash": {"git push": "deny", "make *": "allow"}}"#),
    );
    let last = found.tried.last().unwrap();
    assert_eq!(
        (last.rule.as_str(), last.origin.as_str(), last.matched),
        ("bash: \"git push\" = deny", "test:1", true)
    );
    assert_eq!(
        found.reason,
        "the rule `bash: \"git push\" = deny` (test:1) denies `git push`"
    );

    let found = verdict(&bash("make"), &Rules::built_in());
    let tried: Vec<&str> = found.tried.iter().map(|rule| rule.rule.as_str()).collect();
    assert_eq!(
        tried,
        [
            "bash: commands that never run (block-dangerous-bash) = deny",
            "bash: dangerous commands = confirm",
            "bash: changes of protected files = confirm",
            "bash: changes outside the project = ask",
            "bash: secret files (protect-env-files) = ask",
            "bash: commands that only read = allow",
            "bash: ask"
        ]
    );
    assert_eq!(found.tried.iter().filter(|rule| rule.matched).count(), 1);
}
