//! Each invariant, broken once.

use crate::build::{Home, asks, finished, result, run, session, started, used};
use std::fs;
use tenon_session::verify;
use tenon_vocab::{Answer, AnsweredBy, Outcome, Question, QuestionId, QuestionKind};

/// What verify says of a log whose lines were changed by hand.
fn after(change: impl FnOnce(&mut Vec<String>)) -> String {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.small_run(1);
    writer.start(2, "second");
    writer.put(asks("", &["c9"]));
    writer.put(used("c9"));
    writer.put(result("c9", "r"));
    writer.snapshot();
    writer.finish();
    let path = writer.path();
    drop(writer);
    assert_eq!(home.findings(1), []);
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<String> = text.lines().map(ToOwned::to_owned).collect();
    change(&mut lines);
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    said(&home)
}

fn said(home: &Home) -> String {
    verify(&home.store.read(session(1)).unwrap())
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}

fn line_of(lines: &[String], what: &str) -> usize {
    lines.iter().position(|line| line.contains(what)).unwrap()
}

#[test]
fn a_missing_record_is_found() {
    let said = after(|lines| {
        lines.remove(3);
    });
    assert!(said.contains("is where record 3 should be"), "{said}");
}

#[test]
fn a_second_meta_and_a_foreign_session_are_found() {
    let said = after(|lines| {
        let second = lines[0].replace("\"seq\":0", "\"seq\":1");
        lines[1] = second;
    });
    assert!(said.contains("must be the first record, once"), "{said}");
    let said = after(|lines| {
        let (here, there) = (session(1).to_string(), session(2).to_string());
        lines[2] = lines[2].replace(&here, &there);
    });
    assert!(said.contains("belongs to another session"), "{said}");
}

#[test]
fn a_call_without_a_result_is_found_when_its_run_is_over() {
    let said = after(|lines| {
        let at = line_of(lines, "\"type\":\"tool_result\"");
        lines[at] = lines[at].replace("tool_result", "something_else");
    });
    // Recovery would write a result even then, so the log is made whole by
    // opening it; what is left to say is that the snapshot does not fit.
    assert!(said.contains("snapshot"), "{said}");
}

#[test]
fn a_result_that_nobody_waits_for_is_found() {
    let said = after(|lines| {
        let at = line_of(lines, "\"type\":\"tool_result\"");
        lines[at] = lines[at].replace("\"call\":\"c1\"", "\"call\":\"c7\"");
    });
    assert!(said.contains("which is not open"), "{said}");
}

#[test]
fn runs_that_interleave_or_end_twice_are_found() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "one");
    writer.start(2, "two");
    writer.finish();
    writer.run = Some(run(1));
    writer.put(finished(Outcome::Completed));
    writer.put(finished(Outcome::Completed));
    writer.parent = Some(run(7));
    writer.run = Some(run(3));
    writer.put(started("child of nobody"));
    writer.put(finished(Outcome::Completed));
    drop(writer);
    let said = said(&home);
    assert!(said.contains("starts inside another run"), "{said}");
    assert!(said.contains("ends without being open"), "{said}");
    assert!(said.contains("outside its parent"), "{said}");
}

#[test]
fn a_snapshot_that_lies_is_found() {
    let said = after(|lines| {
        let at = line_of(lines, "\"type\":\"snapshot\"");
        lines[at] = lines[at].replace("\"runs\":2", "\"runs\":5");
    });
    assert!(said.contains("does not match the records"), "{said}");
    let said = after(|lines| {
        let at = line_of(lines, "\"type\":\"snapshot\"");
        lines[at] = lines[at].replacen("\"offset\":", "\"offset\":9", 1);
    });
    assert!(said.contains("which does not exist"), "{said}");
    let said = after(|lines| {
        let at = lines.len() - 1;
        assert!(lines[at].contains("\"snapshot\":"));
        lines[at] = lines[at].replace("\"snapshot\":", "\"snapshot\":1");
    });
    assert!(said.contains("there is no snapshot at byte"), "{said}");
}

#[test]
fn answers_must_fit_questions() {
    let home = Home::new();
    let mut writer = home.begin(1);
    let question = Question {
        id: QuestionId::new("q_1"),
        kind: QuestionKind::Permission,
        title: String::from("bash wants to run a command"),
        body: String::from("ls"),
        display: tenon_vocab::Display::Nothing,
        choices: Vec::new(),
        free_text: false,
        call: None,
        tool: None,
        reason: None,
        intent: None,
        affects: Vec::new(),
        calls: Vec::new(),
        class: None,
    };
    let answer = |id: &str| Answer {
        question: QuestionId::new(id),
        choice: String::from("once"),
        text: None,
        by: AnsweredBy::User,
        call: None,
    };
    writer.put(question);
    writer.put(answer("q_1"));
    assert_eq!(said(&home), "");
    writer.put(answer("q_1"));
    writer.put(answer("q_2"));
    let said = said(&home);
    assert!(said.contains("a second answer to q_1"), "{said}");
    assert!(
        said.contains("an answer to q_2, which was not asked"),
        "{said}"
    );
}
