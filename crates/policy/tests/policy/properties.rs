//! What holds for every set of rules and every call.

use crate::support::{bash, main_agent, now, read, write};
use proptest::prelude::*;
use serde_json::json;
use tenon_policy::{
    Facts, Grant, GrantKey, Grants, Layer, Parts, Rule, Rules, Scope, Subject, analyse, decide,
};
use tenon_vocab::Class;

const TOOLS: &[&str] = &["*", "bash", "edit", "write", "read", "external_directory"];
const COMMANDS: &[&str] = &["*", "git *", "git push", "ls *", "git diff *", "rm *"];
const PATHS: &[&str] = &["*", "src/**", "*.rs", "src/a.rs", ".env", "node_modules/**"];
const DECISIONS: &[&str] = &["allow", "ask", "deny"];
const LAYERS: &[Layer] = &[Layer::User, Layer::Project, Layer::Extra];

fn any_rules() -> impl Strategy<Value = Vec<Rule>> {
    let one = (
        0..TOOLS.len(),
        0..6usize,
        0..3usize,
        0..3usize,
        any::<bool>(),
    );
    proptest::collection::vec(one, 0..8).prop_map(|list| {
        let mut rules = Rules::empty();
        for (tool, pattern, decision, layer, flat) in list {
            let tool = TOOLS[tool];
            let patterns = if tool == "bash" { COMMANDS } else { PATHS };
            let value = if flat {
                json!({tool: DECISIONS[decision]})
            } else {
                json!({tool: {patterns[pattern]: DECISIONS[decision]}})
            };
            rules.add_config(&value, LAYERS[layer], "p").unwrap();
        }
        rules.iter().cloned().collect()
    })
}

fn any_call() -> impl Strategy<Value = Facts> {
    let command = prop::sample::select(vec![
        "ls",
        "git push",
        "git diff x",
        "rm x",
        "git push; ls",
        "A=1 git push",
        "cat .env",
    ]);
    let path = prop::sample::select(vec![
        "src/a.rs",
        "b.rs",
        ".env",
        "node_modules/x",
        ".git/x",
        "/etc/x",
        ".envrc",
    ]);
    prop_oneof![
        command.prop_map(bash),
        path.clone().prop_map(read),
        path.prop_map(write),
    ]
}

fn any_grants() -> impl Strategy<Value = Grants> {
    let keys = vec![
        ("bash", GrantKey::Command(vec!["git".into()])),
        ("edit", GrantKey::Directory(".".into())),
        ("read", GrantKey::Tool),
        ("external_directory", GrantKey::Directory("/etc".into())),
    ];
    proptest::collection::vec(prop::sample::select(keys), 0..4).prop_map(|list| {
        let mut grants = Grants::new();
        for (tool, key) in list {
            grants.add(Grant {
                tool: tool.into(),
                key,
                scope: Scope::Session,
                expires: None,
            });
        }
        grants
    })
}

fn all(rules: &[Rule]) -> Rules {
    let mut full = Rules::built_in();
    rules.iter().cloned().for_each(|rule| full.add(rule));
    full
}

fn class(facts: &Facts, rules: &Rules, grants: &Grants) -> Class {
    decide(facts, rules, grants, &main_agent(), now()).class
}

proptest! {
    #[test]
    fn the_order_of_rules_changes_nothing(rules in any_rules(), facts in any_call(), grants in any_grants(), turn in 0..8usize) {
        let mut turned = rules.clone();
        if !turned.is_empty() {
            let by = turn % turned.len();
            turned.rotate_left(by);
        }
        let mut reversed = rules.clone();
        reversed.reverse();
        let expected = decide(&facts, &all(&rules), &grants, &main_agent(), now());
        for other in [turned, reversed] {
            let found = decide(&facts, &all(&other), &grants, &main_agent(), now());
            prop_assert_eq!(&found, &expected);
        }
    }

    #[test]
    fn no_allow_and_no_grant_weakens_a_hard_deny_or_a_confirm(rules in any_rules(), facts in any_call(), grants in any_grants()) {
        let before = class(&facts, &Rules::built_in(), &Grants::new());
        if matches!(before, Class::HardDeny | Class::Confirm) {
            let after = class(&facts, &all(&rules), &grants);
            let held = match before {
                Class::HardDeny => after == Class::HardDeny,
                _ => matches!(after, Class::Confirm | Class::Deny | Class::HardDeny),
            };
            prop_assert!(held, "{before:?} became {after:?}");
        }
    }

    #[test]
    fn a_line_that_was_not_understood_is_never_allowed_by_a_pattern(rules in any_rules(), text in ".{0,40}") {
        let patterned: Vec<Rule> = rules.into_iter().filter(|rule| !rule.to_string().ends_with(": allow")).collect();
        let facts = bash(&text);
        let unknown = matches!(&facts.subject, Subject::Command(script) if matches!(script.parts, Parts::Unknown(_)));
        if unknown {
            prop_assert_ne!(class(&facts, &all(&patterned), &Grants::new()), Class::Allow);
        }
    }

    #[test]
    fn rules_of_a_project_never_loosen(rules in any_rules(), facts in any_call()) {
        let (project, others): (Vec<Rule>, Vec<Rule>) = rules.into_iter().partition(|rule| rule.layer == Layer::Project);
        let without = class(&facts, &all(&others), &Grants::new());
        let with = class(&facts, &all(&[others, project].concat()), &Grants::new());
        let rank = |class: Class| match class { Class::Allow => 0, Class::Ask => 1, Class::Confirm => 2, Class::Deny => 3, Class::HardDeny => 4 };
        prop_assert!(rank(with) >= rank(without), "{without:?} became {with:?}");
    }

    #[test]
    fn an_argv_is_what_a_shell_would_make_of_its_quoted_words(words in proptest::collection::vec("[ -~]{0,12}", 1..5)) {
        let text = shell_quoted(&words);
        if let Some(argv) = analyse(&text).argv() {
            prop_assert_eq!(argv, &words[..]);
        }
    }

    #[test]
    fn no_text_makes_the_analysis_fail(text in "\\PC{0,80}") {
        let script = analyse(&text);
        let _ = script.loose_words();
        prop_assert_eq!(script.text, text);
    }
}

fn shell_quoted(words: &[String]) -> String {
    let quoted: Vec<String> = words
        .iter()
        .map(|word| format!("'{}'", word.replace('\'', "'\\''")))
        .collect();
    quoted.join(" ")
}
