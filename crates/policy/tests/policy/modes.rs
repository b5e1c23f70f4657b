//! The permission modes over each class of call: what they answer, and what
//! holds in every one of them.

use crate::support::{bash, files, inside, main_agent, now, plain, read, rules_of, write};
use tenon_policy::{
    Access, Enforced, Facts, Grants, Layer, Mode, Rules, Scope, Subject, decide, offers,
};
use tenon_vocab::PermissionMode::{self, AcceptEdits, Ask, Auto};
use tenon_vocab::{Class, Effect, Explanation};

fn mode(permission: PermissionMode) -> Mode<'static> {
    Mode {
        permission,
        sandbox: Enforced::Yes,
    }
}

fn judged(facts: &Facts, rules: &Rules, mode: Mode<'_>) -> Explanation {
    decide(
        facts,
        rules,
        &Grants::new(),
        &main_agent().in_mode(mode),
        now(),
    )
}

fn class(facts: &Facts, permission: PermissionMode) -> Class {
    judged(facts, &Rules::built_in(), mode(permission)).class
}

/// In each mode, in the order ask, accept-edits, auto.
fn classes(facts: &Facts) -> [Class; 3] {
    [Ask, AcceptEdits, Auto].map(|permission| class(facts, permission))
}

#[test]
fn a_change_of_a_project_file_is_not_asked_about_where_edits_are_accepted() {
    let all = [Class::Ask, Class::Allow, Class::Allow];
    for tool in ["write", "edit", "patch"] {
        let facts = files(tool, Access::Write, &["docs/a.md", "lib/b.py"]);
        assert_eq!(classes(&facts), all, "{tool}");
    }
}

#[test]
fn a_command_is_not_asked_about_in_auto_alone() {
    let all = [Class::Ask, Class::Ask, Class::Allow];
    for line in [
        "npm test",
        "python3 build.py && echo \"$RANDOM\"",
        "make -j4 2>&1",
        "./configure --prefix=/opt/x",
    ] {
        assert_eq!(classes(&bash(line)), all, "{line}");
    }
    assert_eq!(classes(&plain("deploy_docs", Effect::Execute)), all);
    let kill = Facts {
        subject: Subject::Name("kill".into()),
        ..plain("process", Effect::Execute)
    };
    assert_eq!(classes(&kill), all);
}

#[test]
fn what_must_be_confirmed_and_what_is_denied_is_the_same_in_every_mode() {
    let same = |facts: &Facts| {
        let [ask, edits, auto] = classes(facts);
        assert_eq!([ask, ask], [edits, auto], "{facts:?}");
        ask
    };
    for line in ["rm -r dist", "git push --force", "x=rm; $x -r dist"] {
        assert_eq!(same(&bash(line)), Class::Confirm, "{line}");
    }
    assert_eq!(same(&bash("rm -rf /")), Class::HardDeny);
    assert_eq!(same(&bash("echo x >> .envrc")), Class::Confirm);
    for path in [".vscode/tasks.json", ".github/workflows/ci.yml", ".bashrc"] {
        assert_eq!(same(&write(path)), Class::Confirm, "{path}");
    }
    assert_eq!(same(&write(".git/config")), Class::HardDeny);
    assert_eq!(same(&write("node_modules/a/index.js")), Class::Deny);
    assert_eq!(same(&write("keys/server.pem")), Class::Deny);
    assert_eq!(same(&write("/etc/hosts")), Class::Deny);
}

#[test]
fn a_link_that_leads_out_of_the_project_is_no_file_of_the_project() {
    let mut fact = inside("/srv/shared/a.txt", Access::Write);
    fact.symlink = true;
    let facts = Facts {
        subject: Subject::Paths(vec![fact]),
        ..write("a.txt")
    };
    assert_eq!(classes(&facts), [Class::Deny; 3]);
}

#[test]
fn secrets_are_asked_about_in_every_mode() {
    assert_eq!(classes(&read(".env")), [Class::Ask; 3]);
    assert_eq!(classes(&bash("cat .env")), [Class::Ask; 3]);
    // Also where the same line changes something outside, which auto leaves to
    // the sandbox.
    let line = bash("cat .env >> /srv/copy");
    assert_eq!(class(&line, Auto), Class::Ask);
}

#[test]
fn what_steers_the_agent_is_asked_about_in_every_mode() {
    for path in ["AGENTS.md", "docs/CLAUDE.md"] {
        assert_eq!(classes(&write(path)), [Class::Ask; 3], "{path}");
        let line = bash(&format!("echo x >> {path}"));
        assert_eq!(classes(&line), [Class::Ask; 3], "{path}");
    }
}

#[test]
fn auto_leaves_what_lies_outside_to_the_sandbox() {
    let line = bash("echo x >> /srv/x.log");
    assert_eq!(classes(&line), [Class::Ask, Class::Ask, Class::Allow]);
}

#[test]
fn a_rule_that_somebody_wrote_to_ask_or_deny_holds_in_every_mode() {
    let same = |rules: &str, layer: Layer, facts: &Facts| {
        let rules = rules_of(rules, layer);
        let ask = judged(facts, &rules, mode(Ask)).class;
        for permission in [AcceptEdits, Auto] {
            let explanation = judged(facts, &rules, mode(permission));
            assert_eq!(explanation.class, ask, "{explanation:#?}");
        }
        ask
    };
    let migrations = r#"{"edit": {"db/migrations/**": "ask"}}"#;
    let change = write("db/migrations/3.sql");
    for layer in [Layer::User, Layer::Project, Layer::Extra] {
        assert_eq!(same(migrations, layer, &change), Class::Ask);
        // Whatever touches the file.
        let line = bash("echo x >> db/migrations/3.sql");
        assert_eq!(
            judged(&line, &rules_of(migrations, layer), mode(Auto)).class,
            Class::Ask
        );
    }
    assert_eq!(
        same(
            r#"{"bash": {"npm run lint*": "ask"}}"#,
            Layer::User,
            &bash("npm run lint")
        ),
        Class::Ask
    );
    assert_eq!(
        same(r#"{"bash": "ask"}"#, Layer::User, &bash("npm test")),
        Class::Ask
    );
    assert_eq!(
        same(
            r#"{"bash": {"npm run lint*": "deny"}}"#,
            Layer::User,
            &bash("npm run lint")
        ),
        Class::Deny
    );
    // Also where a wrapper hides what the rule is about.
    let lint = rules_of(r#"{"bash": {"npm run lint*": "ask"}}"#, Layer::User);
    let hidden = bash("timeout 9 sh -c 'npm run lint'");
    assert_eq!(judged(&hidden, &lint, mode(Auto)).class, Class::Ask);
    // What shows files that it finds shows those of the rule.
    for decision in ["ask", "deny"] {
        let reads = format!(r#"{{"read": {{"private/**": "{decision}"}}}}"#);
        let reads = rules_of(&reads, Layer::User);
        for (line, class) in [
            ("grep -r launch .", Class::Ask),
            ("git log -p | head", Class::Ask),
            ("npm test", Class::Allow),
        ] {
            assert_eq!(
                judged(&bash(line), &reads, mode(Auto)).class,
                class,
                "{line}"
            );
        }
    }
    // A rule for all that a file tool does speaks of no command.
    let edits = rules_of(r#"{"edit": "ask"}"#, Layer::User);
    let line = bash("echo x >> notes.md");
    assert_eq!(judged(&line, &edits, mode(Auto)).class, Class::Allow);
    assert_eq!(judged(&write("a.md"), &edits, mode(Auto)).class, Class::Ask);
    // What is written as `*` says what holds without a mode.
    let fallback = rules_of(r#"{"edit": {"*": "ask"}, "*": "ask"}"#, Layer::User);
    assert_eq!(
        judged(&write("a.md"), &fallback, mode(AcceptEdits)).class,
        Class::Allow
    );
}

#[test]
fn a_question_of_a_managed_file_is_asked_in_every_mode() {
    let rules = rules_of(r#"{"*": "ask"}"#, Layer::Managed);
    for facts in [write("a.md"), bash("npm test")] {
        assert_eq!(judged(&facts, &rules, mode(Auto)).class, Class::Ask);
    }
}

#[test]
fn the_agent_that_only_reads_changes_nothing_in_any_mode() {
    let plan = tenon_policy::Authority {
        read_only: tenon_policy::ReadOnly::Yes,
        ..main_agent()
    };
    for facts in [write("a.md"), bash("npm test")] {
        let authority = plan.in_mode(mode(Auto));
        let explanation = decide(
            &facts,
            &Rules::built_in(),
            &Grants::new(),
            &authority,
            now(),
        );
        assert_eq!(explanation.class, Class::HardDeny);
    }
}

#[test]
fn without_a_sandbox_that_holds_auto_asks_about_commands_and_says_why() {
    for (sandbox, why) in [
        (
            Enforced::No("the kernel has no user namespaces"),
            "no user namespaces",
        ),
        (Enforced::Unknown, "Tenon has not checked"),
    ] {
        let mode = Mode {
            permission: Auto,
            sandbox,
        };
        for line in ["npm test", "echo x >> /srv/x.log"] {
            let explanation = judged(&bash(line), &Rules::built_in(), mode);
            assert_eq!(explanation.class, Class::Ask, "{line}");
        }
        let explanation = judged(&bash("npm test"), &Rules::built_in(), mode);
        assert!(explanation.reason.contains(why), "{explanation:#?}");
        // Files need no sandbox.
        assert_eq!(
            judged(&write("a.md"), &Rules::built_in(), mode).class,
            Class::Allow
        );
    }
}

#[test]
fn the_mode_is_named_as_the_rule_that_allowed_it_and_nobody_answered() {
    for (facts, permission, rule) in [
        (
            bash("npm test"),
            Auto,
            "permission mode auto: runs in the sandbox",
        ),
        (
            write("a.md"),
            AcceptEdits,
            "permission mode accept-edits: changes a file of the project",
        ),
    ] {
        let explanation = judged(&facts, &Rules::built_in(), mode(permission));
        let decided = explanation.tried.iter().rfind(|tried| tried.matched);
        assert_eq!(decided.map(|tried| tried.rule.as_str()), Some(rule));
        assert_eq!(explanation.answered_by, None);
        assert!(
            explanation.reason.contains(permission.name()),
            "{explanation:?}"
        );
    }
}

#[test]
fn what_was_granted_is_still_said_to_be_granted() {
    let facts = bash("npm test");
    let mut grants = Grants::new();
    let offered = offers(&facts);
    let grant = offered.iter().find(|offer| offer.scope == Scope::Session);
    grants.add(grant.unwrap().grants(now()).remove(0));
    let authority = main_agent().in_mode(mode(Auto));
    let explanation = decide(&facts, &Rules::built_in(), &grants, &authority, now());
    assert_eq!(explanation.class, Class::Allow);
    assert!(
        explanation.reason.contains("you allowed this before"),
        "{explanation:?}"
    );
}
