//! Which commands of a working day can be allowed for longer than once, and what
//! such an answer does not cover.

use crate::support::{bash, inside, main_agent, now, rules_of};
use tenon_policy::{
    Access, Facts, Foreign, Grants, Layer, PathFact, Rules, Scope, Subject, analyse, decide,
    offers_within,
};
use tenon_vocab::Class;

/// As the tool says it where nothing that a line writes exists yet.
fn new_files(command: &str) -> Facts {
    let script = analyse(command);
    let seen = script.targets.iter().map(|target| PathFact {
        exists: false,
        ..inside(&target.path, Access::Write)
    });
    let seen = seen.collect();
    Facts {
        subject: Subject::Command(script.with_facts(seen)),
        ..bash(command)
    }
}

fn rules_shown(facts: &Facts) -> Vec<(Scope, String)> {
    let rules = Rules::built_in();
    let offers = offers_within(facts, &rules, &Grants::new(), &main_agent(), now());
    let shown = offers.into_iter().map(|offer| (offer.scope, offer.rule));
    shown.collect()
}

/// The grants after `s` for these facts.
fn for_session(facts: &Facts) -> Grants {
    let mut grants = Grants::new();
    let offers = offers_within(facts, &Rules::built_in(), &grants, &main_agent(), now());
    for grant in offers.first().unwrap().grants(now()) {
        grants.add(grant);
    }
    grants
}

fn class(facts: &Facts, grants: &Grants) -> Class {
    decide(facts, &Rules::built_in(), grants, &main_agent(), now()).class
}

#[test]
fn every_command_of_a_working_day_can_be_allowed_for_the_session() {
    for command in [
        "git add -A && git commit -m 'fix it'",
        "npm test && npm run lint",
        "FOO=1 npm test",
        "make",
        "python3 script.py",
        "python3 -m pytest -q",
        "npx eslint .",
        "cp calc.py calc2.py",
        "echo hi > out.txt",
        "cat > a.txt <<'EOF'\nhi\nEOF",
        "for f in *.py; do wc -l $f; done",
        "wc -l $(git ls-files)",
        "pytest -q 2>&1 | tail -5; echo $?",
        "source .venv/bin/activate && pytest",
        "find . -name '*.py' | xargs wc -l",
        "ls ~",
        "docker compose up -d",
        "go test ./...",
        "sed -i s/a/b/ x.py",
        "curl -s http://x/ | jq .",
        "node -e 1",
        "sudo ls",
        "echo hi > /tmp/out.txt",
    ] {
        let facts = new_files(command);
        assert_eq!(class(&facts, &Grants::new()), Class::Ask, "{command}");
        let shown = rules_shown(&facts);
        assert_eq!(
            shown.first().map(|one| one.0),
            Some(Scope::Session),
            "{command}"
        );
        let after = class(&facts, &for_session(&facts));
        assert_eq!(after, Class::Allow, "{command}");
    }
}

#[test]
fn what_stands_for_something_else_the_next_time_is_allowed_once_only() {
    for command in ["kill 123", "sleep 1; kill 123", "grep -R x .", "rm x"] {
        assert!(rules_shown(&bash(command)).is_empty(), "{command}");
    }
}

#[test]
fn a_line_is_shown_as_it_was_typed() {
    let shown = |command: &str| rules_shown(&new_files(command));
    assert_eq!(
        shown("ls ~"),
        [(Scope::Session, "bash: exactly \"ls ~\" = allow".to_owned())]
    );
    assert_eq!(
        shown("cat > a.txt <<'EOF'\nhi\nEOF")[0].1,
        "bash: exactly \"cat > a.txt <<'EOF'…\" = allow"
    );
}

#[test]
fn a_known_prefix_covers_its_flags_and_no_other_program() {
    for (given, covered, others) in [
        (
            "git commit -m 'fix it'",
            &["git commit -m other", "git commit -am 'x y' a.rs"][..],
            &[
                "git commit -m x --no-verify",
                "git commit -n -m x",
                "git commit --amend -m x",
                "git commit -F /etc/passwd",
                "git commit -m --no-verify",
                "git -c core.hooksPath=x commit -m x",
                "git push",
            ][..],
        ),
        (
            "git add -A",
            &["git add src/a.rs", "git add -u ."],
            &["git add -p", "git add --chmod=+x a", "git add *"],
        ),
        (
            "npm test",
            &["npm test -- --coverage a.test.js", "npm test --silent"],
            &[
                "npm test --script-shell=/tmp/x",
                "npm run deploy",
                "npm test --prefix /x",
            ],
        ),
        (
            "python3 -m pytest -q",
            &["python3 -m pytest tests/a.py -x -k 'a or b' --tb=short"],
            &[
                "python3 -m http.server",
                "python3 -m pytest -p evil",
                "python3 -m pytest --rootdir=/x",
                "python3 -m pytest --basetemp=src",
                "python3 x.py",
            ],
        ),
        (
            "make test",
            &["make test -j4", "make test -k -j 2"],
            &[
                "make test SHELL=/tmp/x",
                "make test deploy",
                "make test -f x",
                "make -C x test",
                "make",
            ],
        ),
        (
            "make",
            &["make -j8"],
            &["make deploy", "make CC=x", "make -j deploy"],
        ),
        (
            "cargo test a",
            &["cargo test --workspace -- --nocapture b"],
            &[
                "cargo test --config 'target.x.runner=\"y\"'",
                "cargo test --manifest-path x",
            ],
        ),
        (
            "go test ./...",
            &["go test -v -run X ./a"],
            &[
                "go test -exec x ./...",
                "go test -toolexec=x",
                "go test -o x",
            ],
        ),
        (
            "npx eslint .",
            &["npx eslint src --quiet"],
            &[
                "npx rimraf .",
                "npx eslint . --fix",
                "npx -p x eslint",
                "npx eslint -c /x .",
            ],
        ),
    ] {
        let grants = for_session(&bash(given));
        for command in covered {
            let found = class(&bash(command), &grants);
            assert_eq!(found, Class::Allow, "{given}: {command}");
        }
        for command in others {
            let found = class(&bash(command), &grants);
            assert_ne!(found, Class::Allow, "{given}: {command}");
        }
    }
}

#[test]
fn an_exact_line_is_for_that_line_in_that_folder() {
    let line = "FOO=1 npm test";
    let grants = for_session(&bash(line));
    let elsewhere = |input: serde_json::Value| Facts {
        input: input.to_string(),
        ..bash(line)
    };
    let same = elsewhere(serde_json::json!({"command": line, "timeout_ms": 9}));
    assert_eq!(class(&same, &grants), Class::Allow);
    for input in [
        serde_json::json!({"command": line, "workdir": "sub"}),
        serde_json::json!({"command": line, "background": true}),
    ] {
        assert_eq!(class(&elsewhere(input), &grants), Class::Ask);
    }
    for other in ["FOO=1  npm test", "FOO=2 npm test", "FOO=1 npm test; ls $X"] {
        assert_eq!(class(&bash(other), &grants), Class::Ask, "{other}");
    }
}

#[test]
fn an_exact_line_is_judged_again_by_what_is_there_now() {
    for command in ["echo hi > out.txt", "cp calc.py calc2.py"] {
        let grants = for_session(&new_files(command));
        assert_eq!(class(&new_files(command), &grants), Class::Allow);
        // The file exists now.
        assert_eq!(class(&bash(command), &grants), Class::Confirm, "{command}");
    }
    let read = "for f in a; do cat notes.txt $f; done";
    let grants = for_session(&bash(read));
    let script = analyse(read);
    let linked = script.targets.iter().map(|target| match &*target.path {
        "notes.txt" => PathFact {
            symlink: true,
            ..inside("/etc/passwd", Access::Read)
        },
        path => inside(path, Access::Read),
    });
    let linked = linked.collect();
    let now_a_link = Facts {
        subject: Subject::Command(script.with_facts(linked)),
        ..bash(read)
    };
    assert_eq!(class(&now_a_link, &grants), Class::Ask);
    let now_foreign = Facts {
        subject: Subject::Command(
            analyse(read).with_foreign(vec![Foreign::new("cat", "/p/bin/cat")]),
        ),
        ..bash(read)
    };
    assert_eq!(class(&now_foreign, &grants), Class::Ask);
}

#[test]
fn what_a_managed_file_asks_about_files_is_asked_again() {
    let facts = new_files("echo hi > /tmp/out.txt");
    let grants = for_session(&facts);
    let managed = rules_of(r#"{"external_directory": "ask"}"#, Layer::Managed);
    let found = decide(&facts, &managed, &grants, &main_agent(), now());
    assert_eq!(found.class, Class::Ask);
    let offers = offers_within(&facts, &managed, &Grants::new(), &main_agent(), now());
    assert!(offers.is_empty());
}
