use crate::support::{
    class, default_class, files, inside, main_agent, now, plain, read, rules_of, user_rules,
    verdict, write,
};
use tenon_policy::{
    Access, Facts, Grant, GrantKey, Grants, Layer, Rules, Scope, Subject, decide, error_code,
};
use tenon_vocab::{Class, Effect, ErrorCode};

#[test]
fn default_reads_are_allowed_and_edits_ask() {
    for tool in ["read", "list", "glob", "grep"] {
        assert_eq!(
            default_class(&files(tool, Access::Read, &["src/a.rs"])),
            Class::Allow
        );
    }
    for tool in ["write", "edit", "patch"] {
        assert_eq!(
            default_class(&files(tool, Access::Write, &["src/a.rs"])),
            Class::Ask
        );
    }
    for tool in ["todoread", "todowrite", "ask_user", "done", "skill"] {
        assert_eq!(
            default_class(&plain(tool, Effect::Interact)),
            Class::Allow,
            "{tool}"
        );
    }
    for tool in ["task", "github_create_issue"] {
        assert_eq!(
            default_class(&plain(tool, Effect::Execute)),
            Class::Ask,
            "{tool}"
        );
    }
}

#[test]
fn looking_at_processes_is_allowed_and_touching_them_follows_bash() {
    let act = |action: &str, effect| Facts {
        tool: "process".into(),
        effect,
        subject: Subject::Name(action.into()),
        input: "{}".into(),
    };
    assert_eq!(default_class(&act("list", Effect::Read)), Class::Allow);
    assert_eq!(default_class(&act("read", Effect::Read)), Class::Allow);
    assert_eq!(default_class(&act("kill", Effect::Execute)), Class::Ask);
    assert_eq!(
        class(
            &act("kill", Effect::Execute),
            &user_rules(r#"{"bash": "allow"}"#)
        ),
        Class::Allow
    );
    assert_eq!(
        class(
            &act("kill", Effect::Execute),
            &user_rules(r#"{"bash": "deny"}"#)
        ),
        Class::Deny
    );
    let denied = user_rules(r#"{"bash": "allow", "process": {"kill": "deny"}}"#);
    assert_eq!(class(&act("kill", Effect::Execute), &denied), Class::Deny);
    // What is typed is confirmed, whatever the rules say.
    assert_eq!(
        class(&act("write", Effect::Execute), &denied),
        Class::Confirm
    );
}

#[test]
fn what_is_typed_into_a_process_is_judged_as_the_command_that_it_may_be() {
    let typed = |text: &str| Facts {
        tool: "process".into(),
        ..crate::scenarios::call(text)
    };
    let all = user_rules(r#"{"*": "allow", "bash": "allow", "process": "allow"}"#);
    assert_eq!(class(&typed("rm -rf /\n"), &all), Class::HardDeny);
    assert_eq!(class(&typed("git reset --hard\n"), &all), Class::Confirm);
    // Half of a command is not less than the whole.
    assert_eq!(class(&typed("ls"), &all), Class::Confirm);
    assert_eq!(class(&typed("cargo test\n"), &all), Class::Confirm);
    let denied = user_rules(r#"{"bash": {"*": "allow", "cargo *": "deny"}}"#);
    assert_eq!(class(&typed("cargo test\n"), &denied), Class::Deny);
    let never = user_rules(r#"{"bash": "allow", "process": {"write": "deny"}}"#);
    assert_eq!(class(&typed("ls\n"), &never), Class::Deny);
}

#[test]
fn gits_own_files_are_never_written_by_a_file_tool() {
    let rules = user_rules(r#"{"*": "allow", "edit": {".git/**": "allow", "*": "allow"}}"#);
    for path in [
        ".git/config",
        "sub/.git/hooks/pre-commit",
        ".GIT/config",
        ".git./config",
        ".git /config",
        "git~1/config",
        ".g\u{200c}it/config",
        ".git::$INDEX_ALLOCATION/config",
    ] {
        assert_eq!(class(&write(path), &rules), Class::HardDeny, "{path}");
    }
    assert_eq!(class(&read(".git/config"), &rules), Class::Allow);
    assert_eq!(class(&write(".gitignore"), &rules), Class::Allow);
}

#[test]
fn the_programs_own_folders_are_never_written() {
    let mut rules = user_rules(r#"{"edit": "allow", "external_directory": "allow"}"#);
    rules.protect_folder("/home/u/.local/state/tenon/");
    rules.protect_folder("state");
    assert_eq!(
        class(&write("/home/u/.local/state/tenon/grants/x.json"), &rules),
        Class::HardDeny
    );
    assert_eq!(
        class(&write("/home/u/.local/state/tenonx"), &rules),
        Class::Allow
    );
    assert_eq!(class(&write("state/x"), &rules), Class::HardDeny);
    assert_eq!(class(&write("states/x"), &rules), Class::Allow);
}

#[test]
fn files_that_run_code_or_hold_secrets_need_a_yes_each_time() {
    let rules = user_rules(
        r#"{"edit": "allow", "write": {"**": "allow", ".env": "allow", ".envrc": "allow"}}"#,
    );
    for path in [
        ".tenon/tenon.json",
        "sub/.tenon/tools/x",
        ".envrc",
        ".bashrc",
        "home/.zshrc",
        ".vscode/tasks.json",
        ".idea/runConfigurations/x.xml",
        ".github/workflows/ci.yml",
        ".gitlab-ci.yml",
        "Jenkinsfile",
        ".husky/pre-commit",
        ".lefthook.yml",
        ".pre-commit-config.yaml",
        ".cargo/config.toml",
        "sub/.cargo/config",
        "mise.toml",
        ".mise.toml",
        ".config/mise/config.toml",
        ".claude/commands/x.md",
        ".cursor/rules/x.mdc",
        ".codex/config.toml",
        ".gemini/settings.json",
        ".vscode/mcp.json",
        ".vscode/extensions.json",
        ".config/nvim/init.lua",
        ".yarnrc.yml",
        ".yarnrc",
        ".npmrc",
        ".bazelrc",
        ".env",
        ".GitHub/Workflows/ci.yml",
    ] {
        assert_eq!(class(&write(path), &rules), Class::Confirm, "{path}");
    }
    for path in [
        ".env.example",
        "src/main.rs",
        ".github/README.md",
        ".cargo/notes.md",
        "mise/config.toml",
        "id_ed25519.pub",
    ] {
        assert_eq!(class(&write(path), &rules), Class::Allow, "{path}");
    }
}

#[test]
fn writing_a_secret_is_denied_unless_a_rule_names_it_and_then_confirmed() {
    let broad = user_rules(r#"{"edit": "allow", "write": {"**": "allow", "src/**": "allow"}}"#);
    for path in [
        ".env",
        ".env.local",
        "src/.env",
        "deploy/prod.env",
        "certs/server.key",
        "id_ed25519",
        "/x/.aws/credentials",
        "node_modules/x/.env",
    ] {
        let found = verdict(&write(path), &broad);
        assert_eq!(found.class, Class::Deny, "{path}");
        assert_eq!(default_class(&write(path)), Class::Deny, "{path}");
    }
    let found = verdict(&write(".env"), &broad);
    let last = found.tried.iter().rev().find(|rule| rule.matched).unwrap();
    assert!(last.rule.contains("protect-env-files"), "{}", last.rule);
    for decision in ["allow", "ask", "confirm"] {
        let named = user_rules(&format!(r#"{{"edit": {{".env.local": "{decision}"}}}}"#));
        assert_eq!(class(&write(".env.local"), &named), Class::Confirm);
        assert_eq!(class(&write(".env"), &named), Class::Deny);
    }
    assert_eq!(class(&write(".env.example"), &broad), Class::Allow);
    let project = rules_of(r#"{"edit": {".env": "ask"}}"#, Layer::Project);
    assert_eq!(class(&write(".env"), &project), Class::Deny);
}

#[test]
fn what_needs_a_yes_is_still_denied_by_a_fallback() {
    let rules = user_rules(r#"{"*": "deny"}"#);
    assert_eq!(class(&write(".envrc"), &rules), Class::Deny);
    assert_eq!(
        class(
            &write("node_modules/.envrc"),
            &user_rules(r#"{"*": "allow"}"#)
        ),
        Class::Deny
    );
}

#[test]
fn reading_a_secret_asks_unless_a_rule_names_it() {
    for path in [
        ".env",
        "a/.env.production",
        "deploy/server.pem",
        ".ssh/config",
        "/x/.aws/credentials",
    ] {
        let rules = user_rules(r#"{"*": "allow", "read": "allow", "external_directory": "allow"}"#);
        assert_eq!(class(&read(path), &rules), Class::Ask, "{path}");
    }
    assert_eq!(default_class(&read(".env.example")), Class::Allow);
    let broad = user_rules(r#"{"read": {"src/**": "allow"}}"#);
    assert_eq!(class(&read("src/.env"), &broad), Class::Ask);
    let named = user_rules(r#"{"read": {".env.test": "allow"}}"#);
    assert_eq!(class(&read(".env.test"), &named), Class::Allow);
    assert_eq!(class(&read(".env"), &named), Class::Ask);
    let denied = user_rules(r#"{"*": "deny"}"#);
    assert_eq!(class(&read(".env"), &denied), Class::Deny);
}

#[test]
fn vendored_folders_are_not_written_unless_a_rule_names_them() {
    for path in [
        "node_modules/x/index.js",
        "web/node_modules/y",
        "vendor/a.go",
        ".venv/lib/x.py",
    ] {
        assert_eq!(default_class(&write(path)), Class::Deny, "{path}");
        assert_eq!(
            class(&write(path), &user_rules(r#"{"edit": "allow"}"#)),
            Class::Deny,
            "{path}"
        );
        assert_eq!(default_class(&read(path)), Class::Allow, "{path}");
    }
    let named = user_rules(r#"{"edit": {"node_modules/**": "ask"}}"#);
    assert_eq!(class(&write("node_modules/x"), &named), Class::Ask);
}

#[test]
fn outside_of_the_root_is_denied_with_its_own_code() {
    let found = verdict(&read("/etc/passwd"), &Rules::built_in());
    assert_eq!(found.class, Class::Deny);
    assert!(
        found.reason.contains("is outside the project"),
        "{}",
        found.reason
    );
    assert_eq!(error_code(&found), ErrorCode::PathOutsideRoot);
    let everything = user_rules(r#"{"*": "allow"}"#);
    assert_eq!(class(&read("/etc/passwd"), &everything), Class::Deny);
    let asks = user_rules(r#"{"external_directory": "ask"}"#);
    assert_eq!(class(&read("/etc/passwd"), &asks), Class::Ask);
    let some = user_rules(r#"{"external_directory": {"*": "deny", "/opt/**": "allow"}}"#);
    assert_eq!(class(&read("/opt/x/y"), &some), Class::Allow);
    assert_eq!(class(&read("/etc/passwd"), &some), Class::Deny);
    assert_eq!(
        error_code(&verdict(&write(".git/x"), &Rules::built_in())),
        ErrorCode::PermissionDenied
    );
}

#[test]
fn of_several_paths_the_strictest_decides() {
    let rules = user_rules(r#"{"edit": "allow"}"#);
    let patch = |paths: &[&str]| files("patch", Access::Write, paths);
    assert_eq!(class(&patch(&["a", "b"]), &rules), Class::Allow);
    assert_eq!(class(&patch(&["a", ".envrc", "b"]), &rules), Class::Confirm);
    assert_eq!(
        class(&patch(&["a", ".git/x", ".envrc"]), &rules),
        Class::HardDeny
    );
    assert_eq!(class(&patch(&["a", "/x"]), &rules), Class::Deny);
}

#[test]
fn a_path_pattern_reads_as_people_write_it() {
    let rules = user_rules(
        r#"{"edit": {"*": "deny", "src/**": "allow", "*.md": "allow", "docs/": "allow", "lib/*": "allow", "src/secret.rs": "ask"}}"#,
    );
    for path in ["src/a.rs", "src/a/b.rs", "x/README.md", "docs/a/b", "lib/a"] {
        assert_eq!(class(&write(path), &rules), Class::Allow, "{path}");
    }
    for path in ["srcs/a", "SRC/a.rs", "lib/a/b", "a.mdx", "x/src/a.rs"] {
        assert_eq!(class(&write(path), &rules), Class::Deny, "{path}");
    }
    assert_eq!(class(&write("src/secret.rs"), &rules), Class::Ask);
}

#[test]
fn a_deny_covers_what_lies_below_and_ignores_case() {
    let rules = user_rules(r#"{"edit": "allow", "*": {"private": "deny", "conf/prod": "deny"}}"#);
    for path in [
        "private/a",
        "x/private/y/z",
        "PRIVATE/a",
        "conf/prod",
        "conf/PROD/x",
    ] {
        assert_eq!(class(&write(path), &rules), Class::Deny, "{path}");
        assert_eq!(class(&read(path), &rules), Class::Deny, "{path}");
    }
    assert_eq!(class(&write("conf/dev"), &rules), Class::Allow);
}

#[test]
fn a_rule_for_one_tool_is_more_specific_than_its_group() {
    let rules = user_rules(r#"{"edit": "allow", "write": "ask"}"#);
    assert_eq!(class(&write("a"), &rules), Class::Ask);
    assert_eq!(
        class(&files("edit", Access::Write, &["a"]), &rules),
        Class::Allow
    );
    assert_eq!(
        class(&files("patch", Access::Write, &["a"]), &rules),
        Class::Allow
    );
}

#[test]
fn a_symlink_that_leads_outside_counts_as_outside() {
    let facts = Facts {
        subject: Subject::Paths(vec![tenon_policy::PathFact {
            symlink: true,
            inside: false,
            ..inside("/etc/shadow", Access::Read)
        }]),
        ..read("x")
    };
    assert_eq!(default_class(&facts), Class::Deny);
}

#[test]
fn credentials_of_tools_are_secrets_by_their_names() {
    for path in [
        ".vault-token",
        ".dockercfg",
        "infra/terraform.tfstate",
        "infra/terraform.tfstate.backup",
        "prod.tfstate",
        "kubeconfig",
        "deploy/kubeconfig.yaml",
        "cluster.kubeconfig",
        "service-account.json",
        "keys/service-account-prod.json",
        "service_account_key.json",
        "credentials.json",
        "client_secret_123.apps.json",
        ".my.cnf",
    ] {
        assert!(tenon_policy::is_secret(path), "{path}");
        assert_eq!(default_class(&read(path)), Class::Ask, "{path}");
        assert_eq!(default_class(&write(path)), Class::Deny, "{path}");
        // The same list for commands.
        let command = format!("cat {path}");
        assert_eq!(
            default_class(&crate::support::bash(&command)),
            Class::Ask,
            "{path}"
        );
    }
    assert_eq!(default_class(&read(".envrc")), Class::Ask);
    assert_eq!(default_class(&write(".envrc")), Class::Confirm);
    for path in [
        "src/credentials.rs",
        "kubeconfig.go",
        "service-account.md",
        "state.tf",
    ] {
        assert_eq!(default_class(&read(path)), Class::Allow, "{path}");
    }
}

/// A file in a folder that the user added.
fn added(access: Access) -> Facts {
    let facts = files("write", access, &["/srv/lib/src/a.rs"]);
    let Subject::Paths(mut paths) = facts.subject else {
        panic!("no paths")
    };
    for path in &mut paths {
        path.inside = true;
        path.place = tenon_policy::Place::Added;
    }
    Facts {
        subject: Subject::Paths(paths),
        ..facts
    }
}

#[test]
fn what_somebody_denied_outside_the_project_holds_in_a_folder_that_was_added() {
    let write = added(Access::Write);
    let by = |json: &str, layer| {
        let rules = rules_of(json, layer);
        let denied = tenon_policy::folder_denied(&rules, "/srv/lib", now());
        (class(&write, &rules), denied.is_some())
    };
    let all = r#"{"external_directory": "deny"}"#;
    let part = r#"{"external_directory": {"/srv/**": "deny"}}"#;
    let inner = r#"{"external_directory": {"/srv/lib/src/**": "deny"}}"#;
    // The default is what adding is about.
    assert_eq!(by("{}", Layer::User), (Class::Ask, false));
    assert_eq!(by(all, Layer::User), (Class::Deny, true));
    assert_eq!(by(part, Layer::User), (Class::Deny, true));
    assert_eq!(by(inner, Layer::User), (Class::Deny, false));
    assert_eq!(by(all, Layer::Managed), (Class::Deny, true));
}

#[test]
fn a_grant_for_the_project_covers_no_folder_that_was_added() {
    let mut grants = Grants::new();
    grants.add(Grant {
        tool: "edit".into(),
        key: GrantKey::Directory(".".into()),
        scope: Scope::Session,
        expires: None,
        given: None,
    });
    let rules = Rules::built_in();
    let found = |facts: &Facts| decide(facts, &rules, &grants, &main_agent(), now()).class;
    assert_eq!(found(&write("src/a.rs")), Class::Allow);
    assert_eq!(found(&added(Access::Write)), Class::Ask);
}
