use super::*;

#[test]
fn every_listed_command_is_understood() {
    for name in SLASH.iter().flat_map(Own::names) {
        let parsed = parse(&format!("/{name}"));
        assert!(
            !matches!(parsed, None | Some(Slash::Unknown { .. })),
            "/{name}"
        );
    }
}

#[test]
fn a_word_after_a_command_that_takes_none_is_not_passed_over() {
    for line in [
        "/undo 2",
        "/redo 5",
        "/diff a.txt",
        "/todo clear",
        "/stop it",
    ] {
        let Some(Slash::Misused(said)) = parse(line) else {
            panic!("{line} was understood")
        };
        assert!(said.contains("takes no argument"), "{said}");
    }
    assert_eq!(parse("/undo "), Some(Slash::Command(Command::Undo)));
    for (line, wanted) in [
        ("/pin", Pinning::Toggle),
        ("/pin on", Pinning::On),
        ("/pin off", Pinning::Off),
    ] {
        assert_eq!(
            parse(line),
            Some(Slash::Local(Local::Pin(wanted))),
            "{line}"
        );
    }
    assert!(matches!(parse("/pin never"), Some(Slash::Misused(_))));
}

#[test]
fn a_model_an_agent_a_provider_and_an_effort_are_switched_to_by_name() {
    let model = |name: &str| Switch {
        model: Some(name.into()),
        ..Switch::default()
    };
    let effort = |level: &str| Switch {
        effort: Some(level.into()),
        ..Switch::default()
    };
    for (line, wanted) in [
        ("/models gpt-x", model("gpt-x")),
        ("/models  other/big-1 ", model("other/big-1")),
        (
            "/agent plan",
            Switch {
                agent: Some("plan".into()),
                ..Switch::default()
            },
        ),
        (
            "/provider two",
            Switch {
                provider: Some("two".into()),
                ..Switch::default()
            },
        ),
        ("/effort High", effort("high")),
        ("/effort default", effort("default")),
        ("/effort turbo", effort("turbo")),
        ("/effort none", effort("none")),
    ] {
        let wanted = Slash::Command(Command::Switch(wanted));
        assert_eq!(parse(line), Some(wanted), "{line}");
    }
    for (line, list) in [
        ("/models", Query::Models),
        ("/agent", Query::Agents),
        ("/provider", Query::Providers),
    ] {
        assert_eq!(parse(line), Some(Slash::Query(list)), "{line}");
    }
    assert!(matches!(
        parse("/effort very high"),
        Some(Slash::Misused(_))
    ));
    assert_eq!(parse("/effort"), Some(Slash::Local(Local::Effort)));
    assert!(matches!(parse("/models a b"), Some(Slash::Misused(_))));
}

#[test]
fn what_follows_a_command_is_completed_too() {
    assert_eq!(wants_name("/models gp"), Some((Name::Model, "gp")));
    assert_eq!(wants_name("/agent "), Some((Name::Agent, "")));
    assert_eq!(wants_name("/provider o"), Some((Name::Provider, "o")));
    for nothing in ["/models", "/skill a b", "/undo x", "gp"] {
        assert_eq!(wants_name(nothing), None, "{nothing}");
    }
    assert_eq!(complete("/effort m"), ["minimal", "medium", "max"]);
    assert_eq!(complete("/eff"), ["/effort"]);
}

#[test]
fn another_name_of_a_command_means_the_same() {
    for (other, name) in [
        ("/model", "/models"),
        ("/agents", "/agent"),
        ("/providers", "/provider"),
        ("/quit", "/exit"),
        ("/approvals", "/permissions"),
        ("/status", "/context"),
        ("/?", "/help"),
    ] {
        assert_eq!(parse(other), parse(name), "{other}");
    }
    let mut names: Vec<&str> = SLASH.iter().flat_map(Own::names).collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all, "a name stands for two commands");
    assert_eq!(complete("/mode"), ["/models", "/mode"]);
    assert_eq!(complete("/q"), ["/quit"]);
    assert_eq!(wants_name("/model gp"), Some((Name::Model, "gp")));
}

#[test]
fn two_letters_in_the_wrong_order_are_one_slip_and_other_names_are_meant_too() {
    for (typed, meant) in [
        ("modle", "model"),
        ("modles", "models"),
        ("aprovals", "approvals"),
        ("qiut", "quit"),
        ("udno", "undo"),
    ] {
        let Some(Slash::Unknown { nearest, .. }) = parse(&format!("/{typed}")) else {
            panic!("/{typed} was understood")
        };
        assert_eq!(nearest.as_deref(), Some(meant), "/{typed}");
    }
}

#[test]
fn a_mode_is_changed_by_its_name_and_listed_without_one() {
    assert_eq!(parse("/mode"), Some(Slash::Query(Query::Modes)));
    for mode in PermissionMode::ALL {
        assert_eq!(
            parse(&format!("/mode {mode}")),
            Some(Slash::Command(Command::Settings(
                SettingsChange::permission_mode(mode)
            )))
        );
    }
    for none in ["fast", "single", "multi"] {
        assert!(matches!(
            parse(&format!("/mode {none}")),
            Some(Slash::Misused(_))
        ));
    }
}

#[test]
fn a_folder_is_added_by_its_name() {
    let change = SettingsChange::add_dir(String::from("../my lib"));
    let command = Slash::Command(Command::Settings(change));
    assert_eq!(parse("/add-dir ../my lib"), Some(command));
    assert!(matches!(parse("/add-dir"), Some(Slash::Misused(_))));
}

#[test]
fn a_skill_that_is_not_there_is_said_before_a_run_begins() {
    let names = Names {
        skills: vec![String::from("release-notes")],
        ..Names::default()
    };
    let Some(Slash::Misused(said)) = resolve("/skill relese-notes for 2.1", &names) else {
        panic!("a run would begin")
    };
    assert!(said.contains("`release-notes`"), "{said}");
    for there in ["/skill release-notes", "/skill Release_Notes now"] {
        assert!(
            matches!(
                resolve(there, &names),
                Some(Slash::Command(Command::Skill { .. }))
            ),
            "{there}"
        );
    }
}

#[test]
fn a_name_that_is_not_ours_is_a_command_of_the_user_or_a_skill() {
    let names = Names {
        commands: vec![String::from("review"), String::from("both")],
        skills: vec![String::from("pdf"), String::from("both")],
    };
    let custom = |name: &str, arguments: &str| {
        Slash::Command(Command::Custom {
            name: name.into(),
            arguments: arguments.into(),
        })
    };
    let skill = Slash::Command(Command::Skill {
        name: "pdf".into(),
        text: "fill\nit".into(),
    });
    for (line, wanted) in [
        ("/review  a b ", Some(custom("review", "a b"))),
        ("/both", Some(custom("both", ""))),
        ("/pdf fill\nit", Some(skill.clone())),
        ("/skill pdf fill\nit", Some(skill)),
        ("/undo", parse("/undo")),
        ("/etc/hosts", None),
    ] {
        assert_eq!(resolve(line, &names), wanted, "{line}");
    }
    let Some(Slash::Unknown { nearest, .. }) = resolve("/reviw", &names) else {
        panic!("understood")
    };
    assert_eq!(nearest.as_deref(), Some("review"));
}

#[test]
fn a_revert_without_a_number_acts_and_a_question_mark_only_lists() {
    let revert = |message| Some(Slash::Command(Command::Revert { message }));
    assert_eq!(parse("/revert"), revert(None));
    assert_eq!(parse("/revert 3"), revert(Some(3)));
    assert_eq!(parse("/revert ?"), Some(Slash::Local(Local::History)));
    assert_eq!(parse("/history"), Some(Slash::Local(Local::History)));
}

#[test]
fn a_path_is_no_command() {
    assert_eq!(parse("/etc/hosts is broken"), None);
    assert_eq!(parse("what does / mean"), None);
}

#[test]
fn a_typing_error_gets_a_suggestion() {
    let Some(Slash::Unknown { nearest, .. }) = parse("/modles") else {
        panic!("understood")
    };
    assert_eq!(nearest.as_deref(), Some("models"));
}
