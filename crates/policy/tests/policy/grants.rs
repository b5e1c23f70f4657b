use crate::support::{bash, class, files, inside, main_agent, now, plain, read, user_rules, write};
use tenon_policy::{
    Access, Facts, GRANT_TTL, Grant, GrantKey, Grants, PathFact, Rules, Scope, Subject, analyse,
    decide, offers,
};
use tenon_vocab::{Class, Effect};

fn shown(facts: &Facts) -> Vec<String> {
    offers(facts).into_iter().map(|offer| offer.rule).collect()
}

/// The grants after a person took the first offer for these facts.
fn accepted(facts: &Facts) -> Grants {
    let mut grants = Grants::new();
    for grant in offers(facts).first().unwrap().grants(now()) {
        grants.add(grant);
    }
    grants
}

fn granted(facts: &Facts, grants: &Grants, rules: &Rules) -> Class {
    decide(facts, rules, grants, &main_agent(), now()).class
}

#[test]
fn a_command_is_offered_by_its_first_words_and_shown_exactly() {
    for (command, words) in [
        ("cargo tree a", "cargo tree"),
        ("cargo tree --all", "cargo tree --all"),
        ("cargo tree -p x a", "cargo tree -p x"),
        ("cargo tree --color=never a b", "cargo tree '--color=never'"),
        ("make-it", "make-it"),
        ("echo 'a b' c", "echo 'a b'"),
    ] {
        let rule = format!("bash: {words} … (any further words, no further flags) = allow");
        assert_eq!(shown(&bash(command))[0], rule);
    }
    for command in [
        "tar tf a.tar",
        "sort f",
        "git fetch .",
        "git push origin",
        "rg x",
        "cat /etc/hosts",
    ] {
        let rule = format!("bash: exactly \"{command}\" = allow");
        assert_eq!(shown(&bash(command))[0], rule);
    }
    let scopes: Vec<Scope> = offers(&bash("cargo test"))
        .iter()
        .map(|offer| offer.scope)
        .collect();
    assert_eq!(scopes, [Scope::Session, Scope::Project]);
}

#[test]
fn nothing_lasting_is_offered_for_programs_that_run_others_or_destroy() {
    for command in [
        "sh x",
        "bash -c ls",
        "sudo ls",
        "python x.py",
        "python3.12 x",
        "/usr/bin/python3 x",
        "node x",
        "npx x",
        "xargs ls",
        "make CC=x",
        "ssh h",
        "git -c a=b push",
        "git -C x push",
        "find . -delete",
        "npm exec x",
        "rm x",
        "rm -rf x",
        "mv a b",
        "curl x",
        "tenon exec",
        "eval x",
        "cd x && ls",
        "echo $X",
        "head .env",
        "awk 1",
        "sed -i x y",
        "docker run x",
        "uv run x",
        "mkfs.ext4 x",
        "unlink x",
        "srm x",
        "wipe x",
    ] {
        assert!(offers(&bash(command)).is_empty(), "{command}");
    }
}

#[test]
fn a_granted_prefix_covers_words_and_not_substrings() {
    let grants = accepted(&bash("cargo test a"));
    let rules = Rules::built_in();
    for command in ["cargo test", "cargo test b c"] {
        assert_eq!(
            granted(&bash(command), &grants, &rules),
            Class::Allow,
            "{command}"
        );
    }
    for command in [
        "cargo testx",
        "cargo",
        "cargo build",
        "cargo test; rm x",
        "cargo test && make",
        "A=1 cargo test",
        "cargo test $(x)",
        "cargo test .env",
        "cargo test b --config x",
        "cargo test *",
    ] {
        assert_ne!(
            granted(&bash(command), &grants, &rules),
            Class::Allow,
            "{command}"
        );
    }
}

#[test]
fn a_granted_command_gets_no_option_that_nobody_has_seen() {
    let rules = Rules::built_in();
    for (approved, other) in [
        (
            "git grep foo",
            "git grep --open-files-in-pager='touch P' foo",
        ),
        (
            "git grep foo",
            "git grep foo --open-files-in-pager='touch P'",
        ),
        ("git grep foo", "git grep '-Otouch P' foo"),
        (
            "tar tf a.tar",
            "tar xf a.tar --checkpoint=1 '--checkpoint-action=exec=touch P'",
        ),
        ("tar tf a.tar", "tar xf a.tar b"),
        ("git fetch .", "git fetch '--upload-pack=touch P' ."),
        ("git fetch .", "git fetch . 'ext::sh -c x'"),
        ("git log -1", "git log --output=F"),
        ("git log -1", "git log -1 --output=F"),
        ("git diff", "git diff --no-index --output=F a b"),
        ("sort f", "sort -o F"),
        ("sort f", "sort f -o F"),
        ("cat /etc/hosts", "cat /etc/hosts /etc/shadow"),
    ] {
        let grants = accepted(&bash(approved));
        let class = |command: &str| granted(&bash(command), &grants, &rules);
        assert_eq!(class(approved), Class::Allow, "{approved}");
        assert_ne!(class(other), Class::Allow, "{other}");
    }
}

#[test]
fn a_grant_kept_from_before_covers_no_more_than_one_given_now() {
    let mut grants = Grants::new();
    for words in [&["git"][..], &["tar", "xf"], &["rsync"]] {
        grants.add(Grant {
            tool: "bash".into(),
            key: GrantKey::Command(words.iter().map(|word| (*word).to_owned()).collect()),
            scope: Scope::Session,
            expires: None,
            given: None,
        });
    }
    for command in ["git fetch x", "git log --output=F", "tar xf a", "rsync a b"] {
        assert_ne!(
            granted(&bash(command), &grants, &Rules::built_in()),
            Class::Allow,
            "{command}"
        );
    }
}

#[test]
fn a_grant_keeps_the_word_that_says_what_is_done() {
    let rules = Rules::built_in();
    for (approved, rule, covered, other) in [
        (
            "git remote add x URL",
            "git remote add …",
            "git remote add y U",
            "git remote remove x",
        ),
        (
            "git stash list",
            "git stash list …",
            "git stash list",
            "git stash pop",
        ),
        (
            "git remote",
            "exactly \"git remote\"",
            "git remote",
            "git remote remove x",
        ),
        (
            "git config user.name",
            "exactly \"git config user.name\"",
            "git config user.name",
            "git config user.name x",
        ),
        (
            "gh pr view 3",
            "gh pr view …",
            "gh pr view 4",
            "gh pr merge 3",
        ),
        (
            "npm run test a",
            "npm run test …",
            "npm run test b",
            "npm run deploy",
        ),
        ("aws s3 ls", "aws s3 ls …", "aws s3 ls b", "aws s3 cp a b"),
    ] {
        assert!(
            shown(&bash(approved))[0].starts_with(&format!("bash: {rule}")),
            "{:?}",
            shown(&bash(approved))
        );
        let grants = accepted(&bash(approved));
        let class = |command: &str| granted(&bash(command), &grants, &rules);
        assert_eq!(class(covered), Class::Allow, "{covered}");
        assert_ne!(class(other), Class::Allow, "{other}");
    }
}

#[test]
fn nothing_lasting_is_offered_where_a_file_name_could_become_an_option() {
    for command in ["git add *", "prettier ?.ts", "git add [ab]*"] {
        assert!(offers(&bash(command)).is_empty(), "{command}");
    }
    for command in ["git add src/*", "git grep '*'"] {
        assert!(!offers(&bash(command)).is_empty(), "{command}");
    }
}

#[test]
fn a_grant_for_a_folder_does_not_reach_what_steers_the_agent() {
    let grants = accepted(&write("README.md"));
    for path in ["AGENTS.md", "sub/CLAUDE.md", "agents.MD"] {
        let facts = write(path);
        assert_eq!(granted(&facts, &grants, &Rules::built_in()), Class::Ask);
        assert!(offers(&facts).is_empty(), "{path}");
    }
}

#[test]
fn an_edit_is_offered_by_its_folder_for_all_tools_that_edit() {
    assert_eq!(shown(&write("src/a/b.rs"))[0], "edit: \"src/a/**\" = allow");
    let grants = accepted(&write("src/a/b.rs"));
    let rules = Rules::built_in();
    assert_eq!(granted(&write("src/a/c.rs"), &grants, &rules), Class::Allow);
    assert_eq!(
        granted(
            &files("patch", Access::Write, &["src/a/c", "src/a/d/e"]),
            &grants,
            &rules
        ),
        Class::Allow
    );
    for path in [
        "src/b.rs",
        "src/ab.rs",
        "src/a",
        "src/a/.envrc",
        "src/a/node_modules/x",
        "src/a/.git/x",
    ] {
        assert_ne!(
            granted(&write(path), &grants, &rules),
            Class::Allow,
            "{path}"
        );
    }
    assert_eq!(
        granted(
            &files("patch", Access::Write, &["src/a/c", "x"]),
            &grants,
            &rules
        ),
        Class::Ask
    );
}

#[test]
fn the_root_is_granted_only_as_all_files_of_the_project() {
    assert_eq!(
        shown(&write("README.md"))[0],
        "edit: all files of the project = allow"
    );
    assert_eq!(
        shown(&files("patch", Access::Write, &["a/x", "b/y"]))[0],
        "edit: all files of the project = allow"
    );
    let grants = accepted(&write("README.md"));
    assert_eq!(
        granted(&write("a/b"), &grants, &Rules::built_in()),
        Class::Allow
    );
    assert_eq!(
        granted(
            &write(".github/workflows/x.yml"),
            &grants,
            &Rules::built_in()
        ),
        Class::Confirm
    );
    assert_eq!(
        granted(
            &write("/etc/x"),
            &grants,
            &user_rules(r#"{"external_directory": "allow"}"#)
        ),
        Class::Ask
    );
}

#[test]
fn nothing_lasting_is_offered_for_protected_files_and_links() {
    for path in [".envrc", ".env", "node_modules/x", ".git/x", "/etc/x"] {
        assert!(offers(&write(path)).is_empty(), "{path}");
    }
    let linked = Facts {
        subject: Subject::Paths(vec![PathFact {
            symlink: true,
            ..inside("a/b", Access::Write)
        }]),
        ..write("a/b")
    };
    assert!(offers(&linked).is_empty());
}

#[test]
fn other_tools_are_granted_by_name_or_by_their_exact_input() {
    let rules = Rules::built_in();
    assert_eq!(
        shown(&plain("github_create", Effect::Execute))[0],
        "github_create: allow"
    );
    let task = |name: &str| Facts {
        subject: Subject::Name(name.into()),
        ..plain("task", Effect::Execute)
    };
    let grants = accepted(&task("agent:explore:local"));
    assert_eq!(
        granted(&task("agent:explore:local"), &grants, &rules),
        Class::Allow
    );
    assert_eq!(
        granted(&task("agent:build:local"), &grants, &rules),
        Class::Ask
    );
    let grants = accepted(&read(".env"));
    assert_eq!(granted(&read(".env"), &grants, &rules), Class::Allow);
    assert_eq!(granted(&read(".env.local"), &grants, &rules), Class::Ask);
    let kill = Facts {
        subject: Subject::Name("kill".into()),
        ..plain("process", Effect::Execute)
    };
    assert!(offers(&kill).is_empty());
}

#[test]
fn a_folder_outside_is_granted_for_reading_only() {
    let rules = user_rules(r#"{"external_directory": "ask"}"#);
    assert_eq!(
        shown(&read("/opt/lib/a.h"))[0],
        "external_directory: \"/opt/lib/**\" = allow"
    );
    let grants = accepted(&read("/opt/lib/a.h"));
    assert_eq!(
        granted(&read("/opt/lib/b/c.h"), &grants, &rules),
        Class::Allow
    );
    assert_eq!(granted(&read("/opt/x"), &grants, &rules), Class::Ask);
    assert_eq!(
        granted(&read("/opt/lib/.envrc"), &grants, &rules),
        Class::Ask
    );
    assert_eq!(granted(&write("/opt/lib/b"), &grants, &rules), Class::Ask);
}

#[test]
fn a_grant_weakens_no_deny_and_no_confirm() {
    let rules = user_rules(r#"{"bash": {"cargo publish": "deny"}}"#);
    let mut grants = Grants::new();
    grants.add(Grant {
        tool: "bash".into(),
        key: GrantKey::Command(vec!["cargo".into()]),
        scope: Scope::Session,
        expires: None,
        given: None,
    });
    grants.add(Grant {
        tool: "edit".into(),
        key: GrantKey::Directory(".".into()),
        scope: Scope::Session,
        expires: None,
        given: None,
    });
    grants.add(Grant {
        tool: "bash".into(),
        key: GrantKey::Tool,
        scope: Scope::Session,
        expires: None,
        given: None,
    });
    assert_eq!(granted(&bash("cargo build"), &grants, &rules), Class::Allow);
    assert_eq!(
        granted(&bash("cargo publish"), &grants, &rules),
        Class::Deny
    );
    assert_eq!(granted(&bash("make"), &grants, &rules), Class::Ask);
    assert_eq!(granted(&write(".git/x"), &grants, &rules), Class::HardDeny);
    assert_eq!(granted(&write("vendor/x"), &grants, &rules), Class::Deny);
}

#[test]
fn a_grant_for_the_project_ends_after_seven_days() {
    let grant = offers(&bash("cargo test"))[1].grants(now()).remove(0);
    let end = now().checked_add(GRANT_TTL).unwrap();
    assert_eq!(grant.expires, Some(end));
    let mut grants = Grants::new();
    grants.add(grant);
    let at = |time| {
        decide(
            &bash("cargo test"),
            &Rules::built_in(),
            &grants,
            &main_agent(),
            time,
        )
        .class
    };
    assert_eq!(at(now()), Class::Allow);
    assert_eq!(at(end), Class::Ask);
}

#[test]
fn a_grant_for_the_project_without_an_end_does_not_hold() {
    let mut grants = Grants::new();
    let unending = Grant {
        expires: None,
        ..offers(&bash("cargo test"))[1].grants(now()).remove(0)
    };
    grants.add(unending);
    assert_eq!(
        granted(&bash("cargo test"), &grants, &Rules::built_in()),
        Class::Ask
    );
}

#[test]
fn only_grants_for_the_project_are_kept_and_come_back_the_same() {
    let mut grants = Grants::new();
    for offer in offers(&bash("cargo test"))
        .iter()
        .chain(&offers(&write("src/a")))
    {
        grants.add(offer.grants(now()).remove(0));
    }
    grants.add(offers(&bash("cargo test"))[1].grants(now()).remove(0));
    let kept = Grants::from_json(&grants.to_json()).unwrap();
    assert_eq!(kept.iter().count(), 2);
    assert!(kept.iter().all(|grant| grant.scope == Scope::Project));
    assert_eq!(Grants::from_json(&kept.to_json()).unwrap(), kept);
    assert_eq!(class(&bash("cargo test"), &Rules::built_in()), Class::Ask);
}

#[test]
fn a_file_of_grants_that_is_not_one_is_refused_with_advice() {
    for json in [
        "{}",
        "[]",
        r#"{"version": 2, "grants": []}"#,
        r#"{"version": 1, "grants": [{"tool": 1}]}"#,
    ] {
        let error = Grants::from_json(&serde_json::from_str(json).unwrap()).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("Delete the file to be asked again"),
            "{error}"
        );
    }
}

/// The same call, with links among its paths that lead to somewhere else.
fn with_links(command: &str, links: &[(&str, &str)]) -> Facts {
    let script = analyse(command);
    let seen = script.targets.iter().map(|target| {
        let link = links.iter().find(|(name, _)| *name == target.path);
        let path = link.map_or(target.path.as_str(), |(_, to)| to);
        PathFact {
            symlink: link.is_some(),
            inside: !path.starts_with(['/', '~', '.']),
            ..inside(path, Access::Read)
        }
    });
    let seen = seen.collect();
    Facts {
        subject: Subject::Command(script.with_facts(seen)),
        ..bash(command)
    }
}

#[test]
fn a_granted_command_is_judged_again_by_where_its_paths_lead() {
    let rules = Rules::built_in();
    for (given, leads_in, leads_out) in [
        (
            "git diff",
            &["git diff src/a.rs", "git diff HEAD~3..HEAD src"][..],
            &[
                "git diff /etc/passwd /dev/null",
                "git diff src/a.rs /etc/passwd",
                "git diff ../other/a src/a.rs",
                "git diff ~/notes src/a.rs",
                "cd /etc && git diff passwd shadow",
                "git diff out src/a.rs",
            ][..],
        ),
        (
            "cargo test a",
            &["cargo test b"],
            &["cargo test /etc/hosts"],
        ),
        ("wc -l a.txt", &["wc -l a.txt"], &["wc -l a.txt out"]),
        (
            "diff a b",
            &["diff a b"],
            &["diff a out", "diff /etc/passwd b"],
        ),
        (
            "jq . data.json",
            &["jq . data.json"],
            &["jq . /etc/x.json", "jq . out"],
        ),
    ] {
        let grants = accepted(&bash(given));
        for command in leads_in {
            let class = granted(&bash(command), &grants, &rules);
            assert_eq!(class, Class::Allow, "{given}: {command}");
        }
        for command in leads_out {
            let facts = with_links(command, &[("out", "/etc/passwd")]);
            let class = granted(&facts, &grants, &rules);
            assert_eq!(class, Class::Ask, "{given}: {command}");
        }
    }
}

#[test]
fn a_name_that_became_a_link_out_of_the_project_is_asked_about_again() {
    let rules = Rules::built_in();
    let grants = accepted(&bash("diff notes.txt b"));
    let before = granted(&bash("diff notes.txt b"), &grants, &rules);
    assert_eq!(before, Class::Allow);
    let now = with_links("diff notes.txt b", &[("notes.txt", "/etc/passwd")]);
    assert_eq!(granted(&now, &grants, &rules), Class::Ask);
    let still = with_links("diff notes.txt b", &[("notes.txt", "docs/notes.txt")]);
    assert_eq!(granted(&still, &grants, &rules), Class::Allow);
    // What was seen to lie outside when the yes was given.
    let grants = accepted(&bash("diff /etc/hosts b"));
    let same = granted(&bash("diff /etc/hosts b"), &grants, &rules);
    assert_eq!(same, Class::Allow);
}

#[test]
fn nothing_lasting_is_offered_for_what_goes_on_behind_links() {
    for command in [
        "ls -RL src",
        "du -aL",
        "grep -R x .",
        "grep -nR x .",
        "rg -L x",
        "rg --follow x",
        "tree -l",
        "tar -chf - src",
        "diff -r a b",
        "grep --dereference-rec x .",
    ] {
        assert_eq!(shown(&bash(command)), [""; 0], "{command}");
        let words = command.split(' ').map(str::to_owned).collect();
        let mut grants = Grants::new();
        grants.add(Grant {
            tool: "bash".into(),
            key: GrantKey::Command(words),
            scope: Scope::Session,
            expires: None,
            given: None,
        });
        let class = granted(&bash(command), &grants, &Rules::built_in());
        assert_eq!(class, Class::Ask, "{command}");
    }
}
