//! Finding sessions again: `sessions search`, a list that is asked for a text,
//! pins, and what many programs do to the index at once.

use crate::program::Program;
use serde_json::{Value, json};
use std::fs;
use std::process::Stdio;
use tenon_vocab::{Event, Message, SessionId, Timestamp};

/// More messages in a session, which is opened once: another thread that starts
/// a program lends it the lock for a moment.
fn say(program: &Program, id: SessionId, texts: &[String]) {
    let (mut log, _) = program.store().open(id, Timestamp::now()).unwrap();
    for text in texts {
        log.append(&Event {
            seq: log.next_seq(),
            sub: None,
            ts: Timestamp::now(),
            session: id,
            run: None,
            parent: None,
            agent: String::from("build"),
            kind: Message::assistant(text).into(),
        })
        .unwrap();
    }
}

fn found(json: &Value) -> Vec<Value> {
    let hits = json.as_array().unwrap();
    hits.iter().map(|hit| hit["session"].clone()).collect()
}

#[test]
fn a_search_names_the_session_and_shows_what_was_said() {
    let program = Program::new();
    let parser = program.session("explain the parser");
    program.session("tidy up");
    let answer = "The parser reads Größen from left to right.";
    say(&program, parser, &[answer.to_owned()]);
    let ran = program
        .run(&["sessions", "search", "GROSSEN", "parser"])
        .ended(0);
    assert_eq!(ran.out.lines().count(), 2, "{}", ran.out);
    let ran = ran.says("reads Größen from").says("explain the parser");
    let id = ran.out.lines().nth(1).unwrap().split(' ').next().unwrap();
    program
        .run(&["sessions", "show", id])
        .ended(0)
        .says("Größen");

    let hits = program
        .run(&["sessions", "search", "--json", "größen"])
        .ended(0)
        .json();
    assert_eq!(hits[0]["session"], json!(parser));
    assert_eq!(hits[0]["role"], "assistant");
    assert_eq!(hits[0]["snippet"]["matched"], json!(["Größen"]));
    assert!(hits[0]["message"].is_u64() && hits[0]["seq"].is_u64());
    assert_eq!(hits[0]["cwd"], json!(program.project()));
}

#[test]
fn nothing_found_is_exit_1_and_nothing_to_search_is_a_mistake_of_the_caller() {
    let program = Program::new();
    program.session("hello");
    let ran = program.run(&["sessions", "search", "nowhere"]).ended(1);
    assert_eq!(ran.out, "");
    ran.complains("no session has this text");
    let ran = program
        .run(&["sessions", "search", "nowhere", "--json"])
        .ended(1);
    assert_eq!(ran.json(), json!([]));
    for text in ["***", "\"\"", " "] {
        program
            .run(&["sessions", "search", text])
            .ended(2)
            .complains("nothing to search for");
        program.run(&["sessions", "list", text]).ended(2);
    }
    program.run(&["sessions", "search"]).ended(2);
}

#[test]
fn here_are_only_sessions_of_this_directory() {
    let program = Program::new();
    let here = program.session("the same words");
    let elsewhere = program.home.path().join("elsewhere");
    let there = program.session_of(&elsewhere, "the same words");
    let all = program
        .run(&["sessions", "search", "same", "--json"])
        .json();
    assert_eq!(found(&all), [json!(there), json!(here)]);
    let only = program
        .run(&["sessions", "search", "same", "--json", "--here"])
        .json();
    assert_eq!(found(&only), [json!(here)]);
    program
        .run(&["sessions", "search", "--here", "nothing"])
        .ended(1)
        .complains("leave out --here to search all");
}

#[test]
fn a_list_by_text_and_a_search_find_the_same() {
    let program = Program::new();
    let one = program.session("修复测试");
    program.session("other");
    let listed = program
        .run(&["sessions", "list", "测试", "--json"])
        .ended(0)
        .json();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["id"], json!(one));
    let hits = program
        .run(&["sessions", "search", "测试", "--json"])
        .json();
    assert_eq!(found(&hits), [json!(one)]);
}

#[test]
fn foreign_text_cannot_steer_the_terminal_and_operators_are_words() {
    let program = Program::new();
    program.session("\u{1b}[2J evil \u{202e}NEAR(x) OR \"quoted");
    let ran = program
        .run(&["sessions", "search", "NEAR(x)", "OR", "evil\"", "AND"])
        .ended(1);
    assert_eq!(ran.out, "", "`and` does not occur");
    let ran = program
        .run(&["sessions", "search", "NEAR(x)", "OR", "^evil", "*"])
        .ended(0);
    assert!(!ran.out.contains('\u{1b}') && !ran.out.contains('\u{202e}'));
    assert!(ran.out.contains("evil"), "{}", ran.out);
}

#[test]
fn an_index_that_cannot_be_used_is_made_again_or_done_without() {
    let program = Program::new();
    let id = program.session("the needle").to_string();
    let search = |words: &[&str]| {
        let mut all = vec!["sessions", "search", "--json"];
        all.extend(words);
        let ran = program.run(&all).ended(0);
        assert_eq!(found(&ran.json()), [json!(id)]);
        ran
    };
    let file = program.home.tenon().join("cache").join("sessions.db");
    assert_eq!(search(&["needle"]).err, "");
    assert!(file.is_file());
    fs::write(&file, "rubbish that is no database at all").unwrap();
    assert_eq!(search(&["needle"]).err, "");
    assert_eq!(search(&["needle", "--rebuild"]).err, "");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    search(&["needle"]).complains("searched the logs instead");
    search(&["needle", "--rebuild"]).complains("searched the logs instead");
}

#[test]
fn many_programs_search_while_others_write() {
    let program = Program::new();
    let ids: Vec<SessionId> = (0..10)
        .map(|n| program.session(&format!("writer{n} common")))
        .collect();
    std::thread::scope(|scope| {
        for id in &ids {
            let program = &program;
            scope.spawn(move || {
                let turns: Vec<String> = (0..20).map(|turn| format!("turn{turn} common")).collect();
                say(program, *id, &turns);
            });
        }
        for _ in 0..2 {
            let searching: Vec<_> = (0..10)
                .map(|_| {
                    program
                        .command()
                        .args(["sessions", "search", "--json", "common"])
                        .stdout(Stdio::piped())
                        .stderr(Stdio::piped())
                        .spawn()
                        .unwrap()
                })
                .collect();
            for child in searching {
                let output = child.wait_with_output().unwrap();
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(output.status.success(), "{said}");
                let hits: Value = serde_json::from_slice(&output.stdout).unwrap();
                assert_eq!(found(&hits).len(), ids.len(), "{said}");
            }
        }
    });
    let hits = program
        .run(&["sessions", "search", "--json", "turn19"])
        .json();
    assert_eq!(found(&hits).len(), ids.len());
}

#[test]
fn a_pinned_session_is_marked_and_outlives_the_others() {
    let program = Program::new();
    let (kept, other) = (program.session("keep me"), program.session("let me go"));
    let list = || program.run(&["sessions", "list"]).ended(0).out;
    assert!(!list().contains("pin"), "no column without a pin");
    program
        .run(&["sessions", "pin", &kept.to_string()])
        .ended(0)
        .complains("is kept");
    let listed = list();
    let line = |text: &str| listed.lines().find(|line| line.contains(text)).unwrap();
    assert!(line("keep me").contains(" * "), "{listed}");
    assert!(!line("let me go").contains(" * "), "{listed}");
    let json = program.run(&["sessions", "list", "--json"]).json();
    let of = |id: SessionId| {
        let all = json.as_array().unwrap();
        all.iter().find(|one| one["id"] == json!(id)).unwrap()
    };
    assert_eq!(of(kept)["pinned"], true);
    assert_eq!(of(other)["pinned"], false);
    assert_eq!(of(kept)["compactions"], 0);

    let month = std::time::Duration::from_secs(30 * 86_400);
    let later = Timestamp::now() + month + month;
    assert_eq!(program.store().prune(month, later), [other]);
    program
        .run(&["sessions", "pin", &kept.to_string(), "--off"])
        .ended(0)
        .complains("is removed when it gets old");
    assert_eq!(program.store().prune(month, later), [kept]);
}

#[test]
fn a_list_has_tokens_and_costs() {
    let program = Program::new();
    program.session("hello");
    let out = program.run(&["sessions", "list"]).ended(0).out;
    let heading = out.lines().next().unwrap();
    for column in ["tokens", "cost"] {
        assert!(heading.contains(column), "{heading}");
    }
    assert!(out.lines().nth(1).unwrap().contains(" -  "), "{out}");
}

#[test]
fn a_deleted_session_is_not_found_again() {
    let program = Program::new();
    let id = program.session("confidential");
    program
        .run(&["sessions", "search", "confidential"])
        .ended(0);
    program
        .run(&["sessions", "delete", "--yes", &id.to_string()])
        .ended(0);
    program
        .run(&["sessions", "search", "confidential"])
        .ended(1);
    let bytes = fs::read(program.home.tenon().join("cache/sessions.db")).unwrap();
    let word = b"confidential";
    assert!(!bytes.windows(word.len()).any(|part| part == word));
}
