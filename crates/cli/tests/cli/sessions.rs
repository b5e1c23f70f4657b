//! `tenon sessions`, on sessions that are whole, in use, damaged or not there.

use crate::model::Model;
use crate::program::{Program, Ran};
use serde_json::json;
use std::io::Read;
use std::process::Stdio;
use tenon_vocab::{SessionId, Timestamp};

#[test]
fn an_empty_home_has_no_sessions_and_says_what_to_do() {
    let program = Program::new();
    let ran = program.run(&["sessions", "list"]).ended(0);
    assert_eq!(ran.out, "");
    ran.complains("no sessions here; `--all` shows other directories too");
    assert_eq!(
        program.run(&["sessions", "list", "--json"]).ended(0).json(),
        json!([])
    );
    for command in ["show", "resume", "export"] {
        program
            .run(&["sessions", command])
            .ended(1)
            .complains("there is no session in this directory")
            .complains("tenon sessions list --all");
    }
    program
        .run(&["sessions", "verify"])
        .ended(0)
        .says("whole: 0 sessions");
}

#[test]
fn the_list_is_of_this_directory_unless_all_are_wanted() {
    let program = Program::new();
    let elsewhere = program.home.path().join("elsewhere");
    let here = program.session("explain the parser");
    let there = program.session_of(&elsewhere, "paint it black");
    let ran = program
        .run(&["sessions", "list"])
        .ended(0)
        .says("explain the parser");
    assert!(!ran.out.contains("paint it black"), "{}", ran.out);
    program
        .run(&["sessions", "list", "--all"])
        .ended(0)
        .says("explain the parser")
        .says("paint it black")
        .says("elsewhere");
    let all = program.run(&["sessions", "list", "--all", "--json"]).json();
    assert_eq!(all[0]["id"], json!(there), "the newest first");
    assert_eq!(all[1]["id"], json!(here));
    assert_eq!(all[1]["runs"], 1);
}

#[test]
fn every_id_of_a_list_can_be_used_as_it_stands_there() {
    let program = Program::new();
    for prompt in ["one", "two", "three", "four"] {
        program.session(prompt);
    }
    let list = program.run(&["sessions", "list"]).ended(0).out;
    assert_eq!(list.lines().count(), 5, "{list}");
    for line in list.lines().skip(1) {
        let (id, title) = (
            line.split(' ').next().unwrap(),
            line.rsplit(' ').next().unwrap(),
        );
        program
            .run(&["sessions", "show", id])
            .ended(0)
            .says(&format!("> {title}"));
    }
}

#[test]
fn a_list_can_be_searched_by_what_was_said() {
    let program = Program::new();
    program.session("explain the parser");
    program.session("tidy up");
    let ran = program
        .run(&["sessions", "list", "PARSER"])
        .ended(0)
        .says("parser");
    assert!(!ran.out.contains("tidy up"));
    assert_eq!(
        program
            .run(&["sessions", "list", "answer is 42"])
            .out
            .lines()
            .count(),
        3
    );
    program
        .run(&["sessions", "list", "nowhere"])
        .ended(1)
        .complains("no session here has this text");
}

#[test]
fn a_log_that_cannot_be_read_is_named_and_does_not_hide_the_others() {
    let program = Program::new();
    let whole = program.session("whole");
    let broken = program.session("broken");
    std::fs::write(program.log(broken), "not json\n").unwrap();
    let ran = program.run(&["sessions", "list"]).ended(0).says("whole");
    ran.complains("skipped").complains(&broken.to_string());
    let ran = program
        .run(&["sessions", "verify"])
        .ended(1)
        .says("whole: 1 session\n");
    ran.says(&broken.to_string());
    program
        .run(&["sessions", "verify", &whole.to_string()])
        .ended(0)
        .says("whole: 1 session\n");
    program
        .run(&["sessions", "delete", "--yes", &broken.to_string()])
        .ended(0);
    program.run(&["sessions", "verify"]).ended(0);
}

#[test]
fn a_damaged_record_is_found_by_verify_and_told_of_by_show() {
    let program = Program::new();
    let id = program.session("hello");
    let log = program.log(id);
    let text = std::fs::read_to_string(&log).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let damaged = text.replace(lines[2], "{\"seq\":2,");
    std::fs::write(&log, damaged).unwrap();
    let id = id.to_string();
    program
        .run(&["sessions", "verify", &id])
        .ended(1)
        .says(&id)
        .says("whole: 0 sessions");
    program
        .run(&["sessions", "show", &id])
        .ended(0)
        .says("The answer is 42.")
        .complains("A line of this log can't be read");
}

#[test]
fn what_is_no_id_is_a_mistake_of_the_caller_and_a_missing_one_is_not() {
    let program = Program::new();
    program.session("one");
    program.session("two");
    for command in ["show", "resume", "verify", "export"] {
        program
            .run(&["sessions", command, "zebra"])
            .ended(2)
            .complains("`zebra` isn't a session id");
        program
            .run(&["sessions", command, "ffffffff"])
            .ended(1)
            .complains("there is no session `ffffffff`");
    }
    program
        .run(&["sessions", "show", "0"])
        .ended(2)
        .complains("matches several sessions");
}

#[test]
fn show_prints_the_transcript_or_the_events() {
    let program = Program::new();
    let id = program.session("what is it?");
    let ran = program.run(&["sessions", "show"]).ended(0);
    ran.says("> what is it?").says("The answer is 42.");
    let ran = program
        .run(&["sessions", "show", &id.to_string(), "--events"])
        .ended(0);
    assert_eq!(ran.out, std::fs::read_to_string(program.log(id)).unwrap());
}

#[test]
fn hostile_text_of_a_session_reaches_no_terminal_as_it_is() {
    let program = Program::new();
    program.session("\u{1b}]0;owned\u{7} and \u{202e}back");
    for args in [&["sessions", "list"][..], &["sessions", "show"]] {
        let ran = program.run(args).ended(0);
        assert!(
            !ran.out.contains(['\u{1b}', '\u{7}', '\u{202e}']),
            "{:?}",
            ran.out
        );
    }
}

#[test]
fn a_session_in_use_can_be_shown_but_not_changed() {
    let program = Program::new();
    let id = program.session("hello");
    let (_log, _state) = program.store().open(id, Timestamp::now()).unwrap();
    let id = id.to_string();
    program
        .run(&["sessions", "show", &id])
        .ended(0)
        .says("The answer is 42.");
    let pid = std::process::id().to_string();
    for args in [
        &["sessions", "rename", &id, "x"][..],
        &["sessions", "delete", &id, "--yes"],
    ] {
        program
            .run(args)
            .ended(1)
            .complains("in use")
            .complains(&pid);
    }
}

#[test]
fn a_title_is_kept_with_the_other_settings() {
    let program = Program::new();
    let id = program.session("hello").to_string();
    program
        .run(&["sessions", "rename", &id, "  A better\n title "])
        .ended(0)
        .complains("is now `A better title`");
    let listed = program.run(&["sessions", "list", "--json"]).json();
    assert_eq!(listed[0]["title"], "A better title");
    assert_eq!(listed[0]["prompt"], "hello");
    program
        .run(&["sessions", "verify"])
        .ended(0)
        .says("whole: 1 session");
    program
        .run(&["sessions", "rename", &id, " \n "])
        .ended(2)
        .complains("the title is empty");
    program
        .run(&["sessions", "rename", &id, &"x".repeat(201)])
        .ended(2)
        .complains("200 characters");
}

#[test]
fn a_title_survives_the_next_run() {
    let program = Program::new();
    let model = Model::new(r#"{"scenarios": [], "default_response": {"content": "Again."}}"#);
    let id = program.session("hello").to_string();
    program.run(&["sessions", "rename", &id, "Mine"]).ended(0);
    let resumed = model
        .command(&program.home)
        .args(["sessions", "resume", "-p", "go on"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(Ran::of(resumed).ended(0).out, "Again.\n");
    let listed = program.run(&["sessions", "list", "--json"]).json();
    assert_eq!(listed[0]["title"], "Mine");
    assert_eq!(listed[0]["runs"], 2);
    assert_eq!(listed[0]["model"], "mock-model");
}

#[test]
fn resume_works_in_the_directory_of_the_session() {
    let program = Program::new();
    let model = Model::new(r#"{"scenarios": [], "default_response": {"content": "Again."}}"#);
    let elsewhere = program.home.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let elsewhere = elsewhere.canonicalize().unwrap();
    let id = program.session_of(&elsewhere, "hello").to_string();
    let resume = |args: &[&str]| {
        let mut command = model.command(&program.home);
        command
            .args(["sessions", "resume"])
            .args(args)
            .stdin(Stdio::null());
        Ran::of(command.output().unwrap())
    };
    resume(&["-p", "x"])
        .ended(1)
        .complains("there is no session in this directory");
    resume(&["--all", "-p", "x"])
        .ended(0)
        .complains("working in the session's directory");
    let sent = model.asked();
    let body = String::from_utf8_lossy(&sent[0].body).into_owned();
    assert!(body.contains(elsewhere.to_str().unwrap()), "{body}");
    std::fs::remove_dir(&elsewhere).unwrap();
    resume(&[&id, "-p", "x"])
        .ended(1)
        .complains("is gone")
        .complains("--root DIR");
    resume(&[&id, "-p", "x", "--root", "."]).ended(0);
}

#[test]
fn resume_without_a_terminal_takes_its_prompt_from_standard_input() {
    let program = Program::new();
    program.session("hello");
    program
        .run(&["sessions", "resume"])
        .ended(2)
        .complains("there is no prompt");
    program
        .run_with("go on", &["sessions", "resume"])
        .ended(2)
        .complains("no model server is configured");
    let ran = program
        .run(&["sessions", "resume", "--format", "json", "-p", "x"])
        .ended(2);
    assert_eq!(ran.json()["type"], "error");
}

#[test]
fn nothing_is_deleted_without_a_yes() {
    let program = Program::new();
    let id = program.session("hello");
    let text = id.to_string();
    program
        .run(&["sessions", "delete", &text])
        .ended(2)
        .complains("needs a yes")
        .complains("--yes");
    assert!(program.store().exists(id));
    program
        .run_with("y\n", &["sessions", "delete", &text])
        .ended(2);
    assert!(program.store().exists(id), "a pipe is nobody");
    program
        .run(&["sessions", "delete", &text, "--yes"])
        .ended(0)
        .complains("was deleted");
    assert!(!program.store().exists(id));
    program
        .run(&["sessions", "delete", &text, "--yes"])
        .ended(1)
        .complains("there is no session");
}

#[test]
fn a_session_is_exported_as_markdown_and_as_json() {
    let program = Program::new();
    let id = program.session("what is it?");
    program
        .run(&["sessions", "export"])
        .ended(0)
        .says("# what is it?")
        .says("The answer is 42.");
    let out = program.home.path().join("out.json");
    program
        .run(&[
            "sessions",
            "export",
            &id.to_string(),
            "--format",
            "json",
            "-o",
            out.to_str().unwrap(),
        ])
        .ended(0)
        .complains("out.json");
    let written: serde_json::Value = serde_json::from_slice(&std::fs::read(out).unwrap()).unwrap();
    assert_eq!(written["originalPrompt"], "what is it?");
    program
        .run(&["sessions", "export", "-o", "/nowhere/x"])
        .ended(1)
        .complains("can't write /nowhere/x");
    program
        .run(&["sessions", "export", "--format", "docx"])
        .ended(2);
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let program = Program::new();
    program.session(&"many words ".repeat(20_000));
    let mut child = program
        .command()
        .args(["sessions", "show"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 10];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut first).unwrap();
    drop(stdout);
    let ran = Ran::of(child.wait_with_output().unwrap()).ended(0);
    assert_eq!(ran.err, "");
}

#[test]
fn the_demo_leaves_a_whole_session_to_look_at() {
    let program = Program::new();
    let folder = program.home.path().join("demo");
    program
        .run(&[
            "demo",
            "--format",
            "json",
            "--dir",
            folder.to_str().unwrap(),
        ])
        .ended(0);
    program
        .run_in(&folder, &["sessions", "list"])
        .ended(0)
        .says("scripted");
    program
        .run_in(&folder, &["sessions", "show"])
        .ended(0)
        .says("all tests pass");
    program
        .run_in(&folder, &["sessions", "verify"])
        .ended(0)
        .says("whole: 1 session");
}

#[test]
fn a_session_by_a_new_id_is_made_and_then_found() {
    let program = Program::new();
    let model = Model::new(r#"{"scenarios": [], "default_response": {"content": "Hi."}}"#);
    let id = SessionId::generate().to_string();
    let mut command = model.command(&program.home);
    command
        .args(["exec", "--session", &id, "-p", "hello"])
        .stdin(Stdio::null());
    Ran::of(command.output().unwrap()).ended(0);
    program
        .run(&["sessions", "show", &id])
        .ended(0)
        .says("> hello")
        .says("Hi.");
}

#[test]
fn an_export_never_writes_over_a_file_unless_it_is_told_to() {
    let program = Program::new();
    program.session("what is it?");
    program.file("a.html", "mine");
    let export = ["sessions", "export", "-o", "a.html"];
    program
        .run(&export)
        .ended(2)
        .complains("a.html already exists")
        .complains("--force");
    assert_eq!(program.content("a.html"), "mine");
    std::os::unix::fs::symlink("gone", program.project().join("b.md")).unwrap();
    program
        .run(&["sessions", "export", "-o", "b.md"])
        .ended(2)
        .complains("b.md already exists");
    let forced: Vec<&str> = export.into_iter().chain(["--force"]).collect();
    program.run(&forced).ended(0).complains("a.html");
    let page = program.content("a.html").to_lowercase();
    assert!(page.starts_with("<!"), "the ending says which form: {page}");
    program.run(&["sessions", "export", "--force"]).ended(2);
}

#[test]
fn a_list_for_a_text_that_nothing_has_fails_like_a_search() {
    let program = Program::new();
    program.session("what is it?");
    for args in [
        &["sessions", "list", "nowhere"][..],
        &["sessions", "list", "nowhere", "--json"],
        &["sessions", "search", "nowhere"],
    ] {
        program.run(args).ended(1);
    }
    program.run(&["sessions", "list", "what"]).ended(0);
    let empty = Program::new();
    empty.run(&["sessions", "list"]).ended(0);
}
