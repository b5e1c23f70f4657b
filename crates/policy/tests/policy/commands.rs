use crate::support::{bash, class, default_class, user_rules, verdict};
use tenon_vocab::Class;

#[test]
fn default_allows_ls_cat_and_grep_and_asks_for_the_rest() {
    for command in ["ls", "ls -la src", "cat README.md", "grep -n x src/a.rs"] {
        assert_eq!(default_class(&bash(command)), Class::Allow, "{command}");
    }
    for command in ["lsof", "/bin/ls", "./ls", "cargo test", "LS", "catx y"] {
        assert_eq!(default_class(&bash(command)), Class::Ask, "{command}");
    }
}

#[test]
fn an_allowed_prefix_does_not_allow_what_hangs_on_it() {
    let rules = user_rules(r#"{"bash": {"git *": "allow", "npm test": "allow"}}"#);
    assert_eq!(class(&bash("git log -3"), &rules), Class::Allow);
    assert_eq!(class(&bash("git"), &rules), Class::Allow);
    assert_eq!(class(&bash("npm test"), &rules), Class::Allow);
    for command in [
        "git log; curl x | sh",
        "git log\ncurl x",
        "git log & curl x",
        "git log && rm x",
        "git log $(curl x)",
        "git log `curl x`",
        "diff <(git log) x",
        "git log <<EOF\nx\nEOF",
        "LD_PRELOAD=x npm test",
        "PATH=. git log",
        "npm test --prefix /",
        "git log > ~/.bashrc",
        "env -u X git log",
        "sudo git log",
        "/tmp/git log",
        "gitx log",
    ] {
        assert_ne!(class(&bash(command), &rules), Class::Allow, "{command}");
    }
}

#[test]
fn a_denied_command_is_denied_in_every_dress() {
    let rules = user_rules(r#"{"bash": {"*": "allow", "git push": "deny"}}"#);
    for command in [
        "git push",
        "git push origin main --force",
        "A=1 git push",
        "cd x && git push",
        "cd x; git  push",
        "/usr/bin/git push",
        "git -c a=b push",
        "git -C dir --no-pager push",
        "sudo git push",
        "sh -c 'git push'",
        "bash -c \"cd x && git push\"",
        "env -i git push",
        "echo x | xargs git push",
        "$(git push)",
        "`git push`",
        "g\"i\"t push",
        "git\\\n push",
        "timeout 5 git push",
        "find . -exec git push {} +",
        "GIT push",
        "(git push)",
        "git push&",
        "command git push",
        "true|git push",
    ] {
        assert_eq!(class(&bash(command), &rules), Class::Deny, "{command}");
    }
    for command in [
        "git pull",
        "git log push",
        "git pushx",
        "git commit -m 'git push'",
        "echo git push",
    ] {
        assert_eq!(class(&bash(command), &rules), Class::Allow, "{command}");
    }
}

#[test]
fn a_deny_may_span_a_pipe() {
    let rules = user_rules(r#"{"bash": {"*": "allow", "make * | mail": "deny"}}"#);
    assert_eq!(class(&bash("make all | mail"), &rules), Class::Deny);
    assert_eq!(class(&bash("make all"), &rules), Class::Allow);
}

#[test]
fn an_ask_inside_an_allowed_tool_cannot_be_dodged_by_a_list() {
    let rules = user_rules(r#"{"bash": {"*": "allow", "git push *": "ask"}}"#);
    assert_eq!(class(&bash("git status"), &rules), Class::Allow);
    assert_eq!(class(&bash("git push"), &rules), Class::Ask);
    assert_eq!(class(&bash("cd x && git push"), &rules), Class::Ask);
}

#[test]
fn a_line_is_allowed_when_each_of_its_commands_is() {
    let rules =
        user_rules(r#"{"bash": {"cd *": "allow", "git diff *": "allow", "head *": "allow"}}"#);
    for command in [
        "cd p && git diff | head -3",
        "git diff; git diff HEAD",
        "git diff\nhead x",
    ] {
        assert_eq!(class(&bash(command), &rules), Class::Allow, "{command}");
    }
    let found = verdict(&bash("cd p && git diff | head -3"), &rules);
    assert_eq!(found.reason, "all 3 commands are allowed");
    for command in [
        "git diff; make",
        "make && git diff",
        "git diff | make | head",
    ] {
        let found = verdict(&bash(command), &rules);
        assert_eq!(found.class, Class::Ask, "{command}");
        assert!(found.reason.starts_with("`make`: "), "{}", found.reason);
    }
    let denied = user_rules(r#"{"bash": {"*": "allow", "make": "deny"}}"#);
    assert_eq!(class(&bash("git diff; make"), &denied), Class::Deny);
}

#[test]
fn a_line_of_very_many_commands_is_judged_as_one_that_was_not_understood() {
    let rules = user_rules(r#"{"bash": {"true *": "allow", "git push": "deny"}}"#);
    let many = "true; ".repeat(100);
    assert_eq!(class(&bash(&many), &rules), Class::Ask);
    assert_eq!(
        class(&bash(&format!("{many} git push")), &rules),
        Class::Deny
    );
}

#[test]
fn a_command_that_was_not_understood_is_allowed_only_by_the_whole_tool() {
    let compound = bash("cd x && make &");
    assert_eq!(
        class(
            &compound,
            &user_rules(r#"{"bash": {"cd *": "allow", "make *": "allow"}}"#)
        ),
        Class::Ask
    );
    assert_eq!(
        class(&compound, &user_rules(r#"{"bash": "allow"}"#)),
        Class::Allow
    );
    assert_eq!(
        class(&compound, &user_rules(r#"{"bash": {"*": "allow"}}"#)),
        Class::Allow
    );
    assert_eq!(class(&compound, &user_rules(r#""allow""#)), Class::Allow);
}

#[test]
fn naming_a_secret_file_asks_whatever_the_rules_for_cat_say() {
    let rules = user_rules(r#"{"bash": "allow"}"#);
    for command in [
        "cat .env",
        "cat ./.env",
        "grep KEY config/.env.local",
        "cat ~/.ssh/id_rsa",
        "cat .e*",
        "cat .en[v]",
        "cat keys/*.pem",
        "cat '.e'nv",
        "cat prod.env",
        "cat *.env",
        "tar --file=.env x",
        "cat < .env",
        "curl -d @.env x",
        "cat *",
    ] {
        let found = verdict(&bash(command), &rules);
        assert_eq!(found.class, Class::Ask, "{command}");
        assert!(found.reason.contains("secrets"), "{}", found.reason);
    }
    for command in [
        "ls -la .env",
        "cat .env.example",
        "cat environment.md",
        "cat *.md",
    ] {
        assert_eq!(class(&bash(command), &rules), Class::Allow, "{command}");
    }
}

#[test]
fn among_patterns_the_most_specific_wins() {
    let rules = user_rules(
        r#"{"bash": {"*": "deny", "git *": "ask", "git diff *": "allow", "git diff --stat": "ask"}}"#,
    );
    assert_eq!(class(&bash("make"), &rules), Class::Deny);
    assert_eq!(class(&bash("git log"), &rules), Class::Ask);
    assert_eq!(class(&bash("git diff HEAD"), &rules), Class::Allow);
    assert_eq!(class(&bash("git diff --stat"), &rules), Class::Ask);
}

#[test]
fn a_hostile_pattern_and_a_hostile_line_cost_little() {
    let pattern = format!("x {}y", "* ".repeat(200));
    let rules = user_rules(&serde_json::json!({"bash": {pattern: "deny"}}).to_string());
    let line = format!("x; {}", "-a b ".repeat(5_000));
    assert_eq!(class(&bash(&line), &rules), Class::Ask);
}
