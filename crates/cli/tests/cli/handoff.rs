//! `tenon handoff`: the page from the log alone, with the model's help, and with
//! a model that cannot help.

use crate::model::Model;
use crate::program::{Program, Ran};
use crate::talk::Talk;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use tenon_vocab::{SessionId, Timestamp};

/// A session that wrote a file, ran a command, and has something left to do.
fn worked(program: &Program) -> SessionId {
    let call = |name: &str, arguments| json!({"response": {"tool_calls": [{"function": {"name": name, "arguments": arguments}}]}});
    let model = Model::scripted(
        json!({
            "scenarios": [{"trigger": "write the notes", "scope": "turn", "steps": [
                call("write", json!({"path": "notes.txt", "content": "one\n"})),
                call("bash", json!({"command": "cat notes.txt && false"})),
                call("todowrite", json!({"items": ["[x] write the notes", "[~] write the docs"]})),
                {"response": {"content": "The notes are written."}},
            ]}],
            "default_response": {"content": "Tabs are kept."},
        }),
        Duration::ZERO,
    );
    let prompts = ["Begin: write the notes", "Keep the tabs."];
    for (number, prompt) in prompts.into_iter().enumerate() {
        let mut command = model.command(&program.home);
        command.args(["exec", "--yes", "-p", prompt]);
        if number > 0 {
            command.arg("--resume");
        }
        Ran::of(command.output().unwrap()).ended(0);
    }
    program.store().latest(None).unwrap().unwrap()
}

fn with(model: &Model, program: &Program, args: &[&str]) -> Ran {
    Ran::of(
        model
            .command(&program.home)
            .env("TENON_RETRY_FIRST_MS", "1")
            .arg("handoff")
            .args(args)
            .output()
            .unwrap(),
    )
}

/// The page without what differs from run to run.
fn stable(program: &Program, page: &str) -> String {
    let id = program.store().latest(None).unwrap().unwrap();
    let page = page
        .replace(&id.to_string(), "ID")
        .replace(&program.project().display().to_string(), "ROOT");
    let (before, rest) = page.split_once("last written ").unwrap();
    let (_, after) = rest.split_once(" UTC").unwrap();
    format!("{before}last written THEN{after}")
}

const GOLDEN: &str = r"# Handoff

From session `ID` in `ROOT`, last written THEN.

## Goal

ship the docs

## Starter prompt

```text
Go on with work that was begun in another session. You see nothing of it but this.

What is to be reached: ship the docs

What was asked, in order:
- Begin: write the notes
- Keep the tabs.

What was said last:
Tabs are kept.

Read these files before you change anything: `notes.txt`.

First check what of this is done already, then go on with what is not.
```

## Relevant files

- `notes.txt` (created)

## Open tasks

- [~] write the docs

## Repro commands

```sh
cd ROOT
# exit 1: one
cat notes.txt && false
```
";

#[test]
fn the_same_log_gives_the_same_page_without_a_model() {
    let program = Program::new();
    worked(&program);
    let args = ["handoff", "--goal", "ship the docs", "--deterministic"];
    let first = program.run(&args).ended(0);
    assert_eq!(first.err, "");
    assert_eq!(stable(&program, &first.out), GOLDEN);
    assert_eq!(program.run(&args).ended(0).out, first.out);
    // Where nothing is configured there is nobody to ask.
    let alone = program
        .run(&["handoff", "--goal", "ship the docs"])
        .ended(0);
    assert_eq!(alone.out, first.out);
    alone.complains("No model server is configured");
}

#[test]
fn without_a_goal_the_first_prompt_is_the_goal() {
    let program = Program::new();
    worked(&program);
    program
        .run(&["handoff", "--deterministic"])
        .ended(0)
        .says("## Goal\n\nBegin: write the notes\n")
        .says("What was asked, in order:\n- Keep the tabs.\n");
}

#[test]
fn the_model_writes_the_words_and_the_log_has_the_names() {
    let program = Program::new();
    let id = worked(&program);
    let before = std::fs::read(program.log(id)).unwrap();
    let model = Model::says(
        "## Starter prompt\nThe notes are done; write the docs now.\n\n## Relevant files\n- notes.txt\n- src/invented.rs\n\n## Open tasks\n- [ ] Write the docs\n- [ ] link them\n- [x] write the notes\n\n## Repro commands\n- rm -rf /\n",
    );
    let ran = with(&model, &program, &["--goal", "ship the docs"]).ended(0);
    let page = ran.out.as_str();
    assert!(
        page.contains("```text\nThe notes are done; write the docs now.\n\nWhat was asked, in order:\n- Begin: write the notes\n- Keep the tabs.\n```"),
        "{page}"
    );
    assert!(
        page.contains("## Relevant files\n\n- `notes.txt` (created)\n\n"),
        "{page}"
    );
    assert!(
        page.contains("## Open tasks\n\n- [~] write the docs\n- [ ] link them\n\n"),
        "{page}"
    );
    assert!(page.contains("cat notes.txt && false"), "{page}");
    assert!(
        !page.contains("invented") && !page.contains("rm -rf"),
        "{page}"
    );
    assert_eq!(model.asked().len(), 1);
    let sent = model.last_prompt();
    for fact in [
        "ship the docs",
        "Keep the tabs.",
        "notes.txt (created)",
        "[~] write the docs",
    ] {
        assert!(sent.contains(fact), "{fact} is not in {sent}");
    }
    ran.complains("mock-model: ").complains(" tokens in, ");
    assert_eq!(
        std::fs::read(program.log(id)).unwrap(),
        before,
        "the session was changed"
    );
}

#[test]
fn a_model_that_cannot_help_costs_a_line_and_not_the_page() {
    let program = Program::new();
    worked(&program);
    let args = ["--goal", "ship the docs"];
    let refusing = Model::scripted(
        json!({"scenarios": [], "default_response": {"content": "x"}, "fault": {"status": 500, "body": {"error": {"message": "the card is on fire"}}}}),
        Duration::ZERO,
    );
    let ran = with(&refusing, &program, &args).ended(0);
    assert_eq!(stable(&program, &ran.out), GOLDEN);
    ran.complains("The model could not help (")
        .complains("the card is on fire")
        .complains("asked again in 1 s (1 of 2)")
        .complains("so the handoff is written from the log alone.");
    assert_eq!(refusing.asked().len(), 3, "one request, and two more");

    let silent = Model::says("");
    let ran = with(&silent, &program, &args).ended(0);
    assert_eq!(stable(&program, &ran.out), GOLDEN);
    ran.complains("The model could not help (");
}

#[test]
fn a_file_is_private_and_never_written_over() {
    let program = Program::new();
    worked(&program);
    let model = Model::says("Go on.");
    let out = program.project().join("hand off.md");
    let path = out.display().to_string();
    let ran = with(&model, &program, &["--goal", "g", "--out", &path]).ended(0);
    assert_eq!(ran.out, "");
    ran.complains(&format!("tenon exec -p \"$(cat '{path}')\""));
    let mode = std::fs::metadata(&out).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let written = std::fs::read_to_string(&out).unwrap();
    assert!(
        written.contains("```text\nGo on.\n\nWhat was asked"),
        "{written}"
    );
    with(&model, &program, &["--goal", "other", "--out", &path])
        .ended(2)
        .complains("already exists");
    assert_eq!(std::fs::read_to_string(&out).unwrap(), written);
    assert_eq!(
        model.asked().len(),
        1,
        "nobody pays for a page without a place"
    );
}

#[test]
fn a_session_that_another_process_has_open_is_read_as_it_stands() {
    let program = Program::new();
    let id = worked(&program);
    let _open = program.store().open(id, Timestamp::now()).unwrap();
    let ran = program
        .run(&["handoff", "--goal", "ship the docs", "--deterministic"])
        .ended(0);
    assert_eq!(stable(&program, &ran.out), GOLDEN);
}

#[test]
fn the_session_is_the_last_of_this_directory_unless_another_is_named() {
    let program = Program::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let other = program.session_of(&elsewhere.path().canonicalize().unwrap(), "elsewhere");
    program
        .run(&["handoff", "--deterministic"])
        .ended(1)
        .complains("there is no session in this directory");
    let all = program
        .run(&["handoff", "--deterministic", "--all"])
        .ended(0);
    assert!(all.out.contains("## Goal\n\nelsewhere\n"), "{}", all.out);
    let here = program.session("here");
    let last = program.run(&["handoff", "--deterministic"]).ended(0);
    assert!(last.out.contains(&here.to_string()), "{}", last.out);
    let named = [
        "handoff",
        "--deterministic",
        "--from-session",
        &other.to_string(),
    ];
    let named = program.run(&named).ended(0);
    assert!(named.out.contains("None was touched."), "{}", named.out);
    assert!(named.out.contains("- [ ] elsewhere\n"), "{}", named.out);
}

#[test]
fn words_that_came_with_a_no_are_in_the_handoff_and_in_the_summary() {
    let program = Program::new();
    let call = json!({"response": {"tool_calls": [{"function": {"name": "write", "arguments": {"path": "b.txt", "content": "x"}}}]}});
    let model = Model::scripted(
        json!({
            "scenarios": [{"trigger": "make the fixtures", "scope": "turn", "steps": [
                call,
                {"response": {"content": "Understood."}},
            ]}],
            "default_response": {"content": "Understood."},
        }),
        Duration::ZERO,
    );
    let mut talk = Talk::start(&program.home, &model, &[]);
    talk.prompt("Now make the fixtures");
    let question = talk.until("question");
    talk.answer(&question, "deny", Some("No, always use pnpm gen-fixtures."));
    talk.until("run_finished");
    talk.end();
    let wanted = "Change b.txt?: no: No, always use pnpm gen-fixtures.";
    program
        .run(&["handoff", "--deterministic"])
        .ended(0)
        .says(wanted);
    let said = Model::says("## Starter prompt\nGo on.\n");
    with(&said, &program, &[]).ended(0).says(wanted);
    program
        .run(&["sessions", "summarize", "--deterministic"])
        .ended(0)
        .says(wanted);
}

#[test]
fn a_secret_that_was_typed_does_not_go_into_pages_for_others() {
    let program = Program::new();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let id = program
        .session(&format!("deploy with {secret}"))
        .to_string();
    for args in [
        &["handoff", "--deterministic"][..],
        &["sessions", "summarize", &id, "--deterministic"],
    ] {
        let ran = program.run(args).ended(0).complains("masked: github-token");
        assert!(ran.out.contains("[masked:github-token]"), "{}", ran.out);
        assert!(!ran.out.contains(&secret), "{}", ran.out);
    }
    // A copy is a copy, but whoever makes it is told.
    program
        .run(&["sessions", "export", &id])
        .ended(0)
        .says(&secret)
        .complains("secrets that were typed in a prompt (1: github-token)");
}

#[test]
fn an_error_has_no_colour_where_none_is_wanted() {
    let program = Program::new();
    let failed = |choice: &str| {
        let mut command = program.command();
        command.env("CLICOLOR_FORCE", "1").env_remove("NO_COLOR");
        command.args(["--color", choice, "handoff", "--deterministic"]);
        Ran::of(command.output().unwrap()).ended(1).err
    };
    assert!(failed("always").contains("\u{1b}[31m"));
    assert!(!failed("never").contains('\u{1b}'));
}

#[test]
fn a_folder_that_a_tool_made_for_a_file_is_not_called_deleted() {
    let program = Program::new();
    let call = |name: &str, arguments| json!({"response": {"tool_calls": [{"function": {"name": name, "arguments": arguments}}]}});
    let model = Model::scripted(
        json!({
            "scenarios": [{"trigger": "make it", "scope": "turn", "steps": [
                call("write", json!({"path": "new/inner/a.txt", "content": "one\n"})),
                call("bash", json!({"command": "mkdir -p other/b"})),
                {"response": {"content": "Made."}},
            ]}],
            "default_response": {"content": "nothing"},
        }),
        Duration::ZERO,
    );
    let mut command = model.command(&program.home);
    command.args(["exec", "--yes", "-p", "make it"]);
    Ran::of(command.output().unwrap()).ended(0);
    for args in [
        &["handoff", "--deterministic"][..],
        &["sessions", "summarize", "--deterministic"],
    ] {
        let page = program.run(args).ended(0).out;
        assert!(page.contains("new/inner/a.txt"), "{page}");
        assert!(!page.contains("deleted"), "{page}");
    }
}
