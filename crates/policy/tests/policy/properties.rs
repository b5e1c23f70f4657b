//! What holds for every set of rules and every call.

use crate::support::{bash, main_agent, now, read, write};
use proptest::prelude::*;
use serde_json::json;
use tenon_policy::{
    Facts, Grant, GrantKey, Grants, Layer, Rule, Rules, Scope, Subject, analyse, decide,
    offers_within,
};
use tenon_vocab::Class;

const TOOLS: &[&str] = &["*", "bash", "edit", "write", "read", "external_directory"];
const COMMANDS: &[&str] = &["*", "git *", "git push", "ls *", "git diff *", "rm *"];
const PATHS: &[&str] = &["*", "src/**", "*.rs", "src/a.rs", ".env", "node_modules/**"];
const DECISIONS: &[&str] = &["allow", "ask", "confirm", "deny"];
const LAYERS: &[Layer] = &[Layer::User, Layer::Project, Layer::Extra, Layer::Managed];

fn one_rule(tool: usize, pattern: usize, decision: &str, layer: Layer, flat: bool) -> Rule {
    let tool = TOOLS[tool];
    let patterns = if tool == "bash" { COMMANDS } else { PATHS };
    let value = if flat {
        json!({tool: decision})
    } else {
        json!({tool: {patterns[pattern]: decision}})
    };
    let mut rules = Rules::empty();
    rules.add_config(&value, layer, "p").unwrap();
    rules.iter().next().unwrap().clone()
}

fn any_rules() -> impl Strategy<Value = Vec<Rule>> {
    let one = (
        0..TOOLS.len(),
        0..6usize,
        0..DECISIONS.len(),
        0..LAYERS.len(),
        any::<bool>(),
    );
    proptest::collection::vec(one, 0..8).prop_map(|list| {
        list.into_iter()
            .map(|(tool, pattern, decision, layer, flat)| {
                one_rule(tool, pattern, DECISIONS[decision], LAYERS[layer], flat)
            })
            .collect()
    })
}

fn any_deny() -> impl Strategy<Value = Rule> {
    let layers = prop::sample::select(vec![Layer::User, Layer::Extra, Layer::Managed]);
    (0..TOOLS.len(), 0..6usize, layers, any::<bool>())
        .prop_map(|(tool, pattern, layer, flat)| one_rule(tool, pattern, "deny", layer, flat))
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
        "cat src/a.rs | ls",
        "ls && git diff",
        "git diff && rm -rf src",
        "sh -c 'git push'",
        "ls > src/a.rs",
        "rm -rf /",
        "cat /etc/x",
        "cp src/a.rs /etc/x",
        "echo x > .envrc",
    ]);
    let path = prop::sample::select(vec![
        "src/a.rs",
        "b.rs",
        ".env",
        "node_modules/x",
        "node_modules/.env",
        ".git/x",
        "/etc/x",
        ".envrc",
        "src/.env",
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
        ("bash", GrantKey::Command(vec!["rm".into(), "x".into()])),
        ("bash", GrantKey::Command(vec!["cat".into(), ".env".into()])),
        ("bash", GrantKey::Tool),
        ("edit", GrantKey::Directory(".".into())),
        ("edit", GrantKey::Directory("node_modules".into())),
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
                given: None,
            });
        }
        grants
    })
}

fn rank(class: Class) -> u8 {
    match class {
        Class::Allow => 0,
        Class::Ask => 1,
        Class::Confirm => 2,
        Class::Deny => 3,
        Class::HardDeny => 4,
    }
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
    fn a_deny_added_by_the_user_or_a_manager_permits_nothing_more(rules in any_rules(), deny in any_deny(), facts in any_call(), grants in any_grants()) {
        let before = class(&facts, &all(&rules), &grants);
        let more: Vec<Rule> = rules.iter().cloned().chain([deny]).collect();
        let after = class(&facts, &all(&more), &grants);
        prop_assert!(rank(after) >= rank(before), "{before:?} became {after:?}");
    }

    #[test]
    fn a_grant_lifts_nothing_above_a_question(rules in any_rules(), facts in any_call(), grants in any_grants()) {
        let before = class(&facts, &all(&rules), &Grants::new());
        let after = class(&facts, &all(&rules), &grants);
        prop_assert!(rank(after) <= rank(before), "{before:?} became {after:?}");
        if rank(before) > rank(Class::Ask) {
            prop_assert_eq!(after, before);
        }
    }

    #[test]
    fn no_allow_and_no_grant_weakens_a_hard_deny_or_a_confirm(rules in any_rules(), facts in any_call(), grants in any_grants()) {
        let before = class(&facts, &Rules::built_in(), &Grants::new());
        if matches!(before, Class::HardDeny | Class::Confirm) {
            let after = class(&facts, &all(&rules), &grants);
            let held = match before {
                Class::HardDeny => after == Class::HardDeny,
                _ => rank(after) >= rank(Class::Confirm),
            };
            prop_assert!(held, "{before:?} became {after:?}");
        }
    }

    #[test]
    fn what_is_offered_is_what_then_holds(rules in any_rules(), facts in any_call(), grants in any_grants()) {
        for offer in offers_within(&facts, &all(&rules), &grants, &main_agent(), now()) {
            let mut with = grants.clone();
            offer.grants(now()).into_iter().for_each(|grant| with.add(grant));
            prop_assert_eq!(class(&facts, &all(&rules), &with), Class::Allow);
        }
    }

    #[test]
    fn a_line_that_was_not_understood_is_never_allowed_by_a_pattern(rules in any_rules(), text in ".{0,40}") {
        let patterned: Vec<Rule> = rules.into_iter().filter(|rule| !rule.to_string().ends_with(": allow")).collect();
        let facts = bash(&text);
        let unknown = matches!(&facts.subject, Subject::Command(script) if script.exact().is_none());
        if unknown {
            prop_assert_ne!(class(&facts, &all(&patterned), &Grants::new()), Class::Allow);
        }
    }

    #[test]
    fn rules_of_a_project_never_loosen(rules in any_rules(), facts in any_call()) {
        let (project, others): (Vec<Rule>, Vec<Rule>) = rules.into_iter().partition(|rule| rule.layer == Layer::Project);
        let without = class(&facts, &all(&others), &Grants::new());
        let with = class(&facts, &all(&[others, project].concat()), &Grants::new());
        prop_assert!(rank(with) >= rank(without), "{without:?} became {with:?}");
    }

    #[test]
    fn an_argv_is_what_a_shell_would_make_of_its_quoted_words(words in proptest::collection::vec("[ -~]{0,12}", 1..5)) {
        let text = shell_quoted(&words);
        if let Some(command) = analyse(&text).single() {
            prop_assert_eq!(command.argv(), words);
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
