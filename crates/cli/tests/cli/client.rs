//! A program in front: `--input-format json`, with answers, and what happens
//! when it goes away.

use crate::exec::{answers, calls};
use crate::model::{Model, tenon};
use crate::talk::Talk;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tenon_testing::TestHome;
use tenon_vocab::Timestamp;

fn touching() -> Model {
    Model::new(&calls(
        "bash",
        json!({"command": "touch made.txt"}),
        "that was it",
    ))
}

#[test]
fn an_answer_of_the_client_lets_a_call_run_once() {
    let (home, model) = (TestHome::new(), touching());
    let mut talk = Talk::start(&home, &model, &["-p", "go"]);
    let question = talk.until("question");
    assert_eq!(question["body"], "touch made.txt");
    talk.answer(&question, "once", None);
    assert_eq!(talk.until("answer")["by"], "client");
    let used = talk.until("tool_use");
    assert_eq!(used["explanation"]["answered_by"], "client");
    talk.until("run_finished");
    assert_eq!(talk.end(), 0);
    assert!(home.project().join("made.txt").exists());
}

#[test]
fn a_denial_with_words_gives_the_model_those_words_to_go_by() {
    let (home, model) = (TestHome::new(), touching());
    let mut talk = Talk::start(&home, &model, &[]);
    talk.prompt("go");
    let question = talk.until("question");
    talk.answer(&question, "deny", Some("use make instead"));
    talk.until("run_finished");
    talk.end();
    let body = model.bodies().pop().unwrap();
    assert!(body.contains("use make instead"), "{body}");
    assert!(
        body.contains("the program that runs this session said no to this call"),
        "{body}"
    );
    assert!(!body.contains("try to reach the same effect"), "{body}");
    assert!(!home.project().join("made.txt").exists());
}

#[test]
fn a_session_grant_of_the_client_shows_its_rule_and_is_asked_once() {
    let (home, model) = (TestHome::new(), touching());
    let mut talk = Talk::start(&home, &model, &["-p", "go"]);
    let question = talk.until("question");
    let choices = question["choices"].as_array().unwrap();
    let session = choices.iter().find(|choice| choice["id"] == "session");
    let rule = session.and_then(|choice| choice["rule"].as_str()).unwrap();
    assert!(rule.contains("touch made.txt"), "{rule}");
    talk.answer(&question, "session", None);
    talk.until("run_finished");
    talk.prompt("go");
    talk.until("run_finished");
    assert_eq!(talk.end(), 0);
    assert_eq!(talk.all("question").len(), 1);
}

/// The question about a command line.
fn asked(line: &str) -> serde_json::Value {
    let home = TestHome::new();
    let model = Model::new(&calls("bash", json!({"command": line}), "done"));
    let mut talk = Talk::start(&home, &model, &["-p", "go"]);
    let question = talk.until("question");
    talk.end();
    question
}

fn choice_ids(question: &serde_json::Value) -> Vec<&str> {
    let choices = question["choices"].as_array().unwrap();
    let ids = choices.iter().filter_map(|choice| choice["id"].as_str());
    ids.collect()
}

#[test]
fn a_question_says_why_only_once_is_offered() {
    let question = asked("kill 99999999");
    assert_eq!(choice_ids(&question), ["once", "deny"]);
    let reason = question["reason"].as_str().unwrap();
    assert!(
        reason.contains("the next process with that number can be another one"),
        "{reason}"
    );
    assert!(!reason.contains("permission"), "{reason}");
}

#[test]
fn a_line_that_has_no_safe_prefix_is_offered_as_it_is_for_the_session() {
    let line = "for f in *.py; do wc -l $f; done; python3 x.py";
    let question = asked(line);
    assert_eq!(choice_ids(&question), ["once", "session", "deny"]);
    let rule = question["choices"][1]["rule"].as_str().unwrap();
    assert_eq!(rule, format!("bash: exactly \"{line}\" = allow"));
    let question = asked("git add -A && git commit -m x");
    assert_eq!(choice_ids(&question), ["once", "session", "always", "deny"]);
}

#[test]
fn a_question_without_anyone_to_answer_it_is_a_no_at_once() {
    let (home, model) = (TestHome::new(), touching());
    let mut talk = Talk::start(&home, &model, &["-p", "go"]);
    talk.until("question");
    assert_eq!(talk.end(), 5, "{:#?}", talk.events);
    assert_eq!(talk.all("answer")[0]["by"], "nobody");
    assert!(!home.project().join("made.txt").exists());
}

#[test]
fn an_input_that_ended_before_the_question_is_a_no_too() {
    let (home, model) = (TestHome::new(), touching());
    let mut talk = Talk::start(&home, &model, &["-p", "go"]);
    assert_eq!(talk.end(), 5, "{:#?}", talk.events);
    assert!(!home.project().join("made.txt").exists());
}

#[test]
fn a_bad_line_is_an_error_on_the_stream_and_the_session_goes_on() {
    let (home, model) = (TestHome::new(), Model::new(&answers("hello")));
    let mut talk = Talk::start(&home, &model, &[]);
    for bad in [
        "{",
        "[]",
        "\u{1b}[2J",
        r#"{"type":"fly"}"#,
        r#"{"type":"prompt"}"#,
    ] {
        talk.line(bad);
    }
    talk.prompt("hi");
    talk.until("run_started");
    talk.line("not json");
    talk.prompt("again");
    talk.until("run_finished");
    talk.until("run_finished");
    assert_eq!(talk.end(), 0);
    let errors = talk.all("error");
    assert_eq!(errors.len(), 6, "{errors:#?}");
    assert!(errors.iter().all(|error| error["kind"] == "input"));
}

#[test]
fn each_prompt_is_a_run_and_the_last_one_gives_the_exit_code() {
    let (home, model) = (TestHome::new(), touching());
    let mut talk = Talk::start(&home, &model, &[]);
    talk.prompt("hello");
    talk.prompt("what now");
    talk.prompt("go");
    assert_eq!(talk.end(), 5, "{:#?}", talk.events);
    assert_eq!(talk.all("run_finished").len(), 3);
    let sessions: Vec<_> = talk.events.iter().map(|event| &event["session"]).collect();
    assert!(sessions.windows(2).all(|two| two[0] == two[1]));
}

#[test]
fn an_interrupt_stops_the_run_and_the_session_stays() {
    let script = json!({
        "scenarios": [{"name": "one", "trigger": "sleep", "scope": "turn", "steps": [
            {"response": {"content": "I wait.", "tool_calls": [{"function": {"name": "bash", "arguments": {"command": "sleep 1000"}}}]}},
            {"response": {"content": "done"}},
        ]}],
        "default_response": {"content": "here I am"},
    });
    let (home, model) = (TestHome::new(), Model::new(&script.to_string()));
    let mut talk = Talk::start(&home, &model, &["--yes", "-p", "sleep"]);
    talk.until("tool_use");
    talk.send(&json!({"type": "interrupt"}));
    assert_eq!(talk.until("run_finished")["outcome"], "interrupted");
    talk.prompt("still there?");
    assert_eq!(talk.until("run_finished")["outcome"], "completed");
    assert_eq!(talk.end(), 0);
}

#[test]
fn an_input_without_a_prompt_is_an_error_and_leaves_no_session() {
    let (home, model) = (TestHome::new(), Model::new(&answers("hello")));
    let mut talk = Talk::start(&home, &model, &[]);
    talk.send(&json!({"type": "interrupt"}));
    assert_eq!(talk.end(), 2);
    let message = talk.all("error").pop().unwrap()["message"].clone();
    assert_eq!(message, "standard input ended without a prompt");
    assert!(!home.tenon().join("sessions").exists());
}

#[test]
fn a_second_session_in_the_same_directory_is_announced() {
    let (home, model) = (TestHome::new(), touching());
    let mut first = Talk::start(&home, &model, &["-p", "go"]);
    first.until("question");
    let mut second = Talk::start(&home, &model, &["-p", "hello"]);
    second.until("run_finished");
    assert_eq!(second.end(), 0);
    let said = serde_json::to_string(&second.all("notice")).unwrap();
    assert!(said.contains("1 other session is open here"), "{said}");
    let mut single = model.command(&home);
    let single = single.args(["exec", "-p", "hello"]).output();
    let single = String::from_utf8(single.unwrap().stderr).unwrap();
    assert!(!single.contains("open here"), "{single}");
    first.end();
    let mut third = Talk::start(&home, &model, &["-p", "hello"]);
    assert_eq!(third.end(), 0);
    let said = serde_json::to_string(&third.all("notice")).unwrap();
    assert!(!said.contains("open here"), "{said}");
}

#[test]
fn json_in_needs_json_out() {
    let (home, model) = (TestHome::new(), Model::new(&answers("hello")));
    let mut command = model.command(&home);
    let output = command
        .args(["exec", "--input-format", "json", "-p", "hi"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said.contains("--input-format json needs --format json"),
        "{said}"
    );
}

/// The program of the documentation, as it stands there.
#[test]
fn the_example_in_the_documentation_works() {
    let page = include_str!("../../../../docs/json.md");
    let (_, rest) = page.split_once("```python\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let (home, model) = (TestHome::new(), touching());
    std::fs::write(home.path().join("drive.py"), example).unwrap();
    let command = model.command(&home);
    let folder = tenon().parent().map(Path::to_owned).unwrap();
    let path = std::env::var("PATH").unwrap();
    let found = Command::new("python3").arg("-V").output().is_ok();
    assert!(
        found || std::env::var_os("CI").is_none(),
        "CI must have python3"
    );
    if !found {
        eprintln!("skipped: there is no python3");
        return;
    }
    let mut python = Command::new("python3");
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            python.env(name, value);
        }
    }
    let output = python
        .env("PATH", format!("{}:{path}", folder.display()))
        .current_dir(home.project())
        .arg(home.path().join("drive.py"))
        .arg("go")
        .output()
        .unwrap();
    let (said, failed) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    assert!(output.status.success(), "{said}{failed}");
    assert!(said.contains("that was it"), "{said}{failed}");
    assert!(home.project().join("made.txt").exists());
}

fn offered(program: &TestHome, flags: &[&str], configuration: &str) -> Vec<(String, String)> {
    std::fs::write(program.tenon().join("tenon.jsonc"), configuration).unwrap();
    let model = touching();
    let mut talk = Talk::start(program, &model, &[&["-p", "go"], flags].concat());
    let question = talk.until("question");
    let word = |choice: &Value, name: &str| choice[name].as_str().unwrap_or_default().to_owned();
    let choices = question["choices"].as_array().unwrap().iter();
    let offered = choices.map(|choice| (word(choice, "id"), word(choice, "label")));
    let offered = offered.collect();
    talk.answer(&question, "always", None);
    talk.until("run_finished");
    talk.end();
    offered
}

#[test]
fn how_long_and_how_far_a_grant_reaches_is_a_setting() {
    let lasts = |offered: &[(String, String)]| {
        let always = offered.iter().find(|(id, _)| id == "always");
        always.map(|(_, label)| label.clone())
    };
    for (flags, configuration, label) in [
        (&[][..], "{}", Some("allow in this project for 7 days")),
        (
            &[],
            r#"{"persistent_grants": {"ttl": "36h"}}"#,
            Some("allow in this project for 36 hours"),
        ),
        (&[], r#"{"persistent_grants": {"scope": "session"}}"#, None),
        (&["--no-persistent-grants"], "{}", None),
        (
            &["--persistent-grants"],
            r#"{"persistent_grants": {"enabled": false}}"#,
            Some("allow in this project for 7 days"),
        ),
    ] {
        let home = TestHome::new();
        let found = lasts(&offered(&home, flags, configuration));
        assert_eq!(found.as_deref(), label, "{flags:?} {configuration}");
    }
}

#[test]
fn a_shorter_time_ends_what_was_given_before() {
    let home = TestHome::new();
    offered(&home, &[], "{}");
    let kept = |ttl: &str| {
        let configuration = format!(r#"{{"persistent_grants": {{"ttl": "{ttl}"}}}}"#);
        std::fs::write(home.tenon().join("tenon.jsonc"), configuration).unwrap();
        let output = home
            .command(crate::model::tenon())
            .args(["policy", "list", "--json"])
            .output()
            .unwrap();
        String::from_utf8(output.stdout)
            .unwrap()
            .matches("touch made.txt")
            .count()
    };
    assert!(kept("7d") > 0);
    let file = std::fs::read_dir(home.tenon().join("grants"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let text = std::fs::read_to_string(&file).unwrap();
    let mut page: Value = serde_json::from_str(&text).unwrap();
    // As if it had been given two days ago.
    page["grants"][0]["given"] = json!(
        Timestamp::now()
            .checked_sub(Duration::from_secs(48 * 3600))
            .unwrap()
    );
    std::fs::write(&file, page.to_string()).unwrap();
    assert!(kept("3d") > 0);
    assert_eq!(kept("1d"), 0);
}

#[test]
fn a_stream_begins_with_the_meta_of_its_session_whoever_opens_it() {
    let home = TestHome::new();
    let model = Model::new(&answers("hello"));
    let first = |args: &[&str]| -> (serde_json::Value, usize) {
        let output = model
            .command(&home)
            .args(["exec", "-p", "x", "--format", "json"])
            .args(args)
            .output()
            .unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        let metas = out.matches("\"type\":\"meta\"").count();
        (
            serde_json::from_str(out.lines().next().unwrap()).unwrap(),
            metas,
        )
    };
    let (new, metas) = first(&[]);
    assert_eq!((&new["type"], &new["seq"]), (&json!("meta"), &json!(0)));
    assert_eq!(new["schema_version"], 1);
    assert_eq!(metas, 1);
    // The very record of the log.
    let (again, metas) = first(&["--resume"]);
    assert_eq!((&again, metas), (&new, 1));
    let (copy, _) = first(&["--resume", "--fork"]);
    assert_eq!(copy["type"], "meta");
    assert_ne!(copy["session"], new["session"]);
    let (unsaved, _) = first(&["--no-save"]);
    assert_eq!(
        (&unsaved["type"], &unsaved["schema_version"]),
        (&json!("meta"), &json!(1))
    );

    let mut talk = Talk::start(&home, &model, &[]);
    talk.prompt("hi");
    talk.until("run_finished");
    assert_eq!(talk.end(), 0);
    assert_eq!(talk.events[0]["type"], "meta", "{:#?}", talk.events[0]);
    let asked = talk.all("model_request");
    assert_eq!(asked.len(), 1, "{asked:#?}");
    assert_eq!(asked[0]["messages"], 1);
}

#[test]
fn a_command_of_the_user_is_kept_with_its_line_its_exit_code_and_what_it_printed() {
    let home = TestHome::new();
    let model = Model::new(&answers("hello"));
    let mut talk = Talk::start(&home, &model, &["-p", "hi"]);
    talk.until("run_finished");
    let short = "echo out; echo err >&2; exit 3";
    let long = "i=0; while [ $i -lt 30000 ]; do echo line$i; i=$((i+1)); done";
    let mut results = Vec::new();
    for command in [short, long] {
        talk.send(&json!({"type": "shell", "command": command}));
        results.push(talk.until("tool_result"));
        talk.until("run_finished");
    }
    talk.end();
    let said: Vec<(String, String)> = talk
        .all("message")
        .iter()
        .filter(|message| message["origin"] == "shell")
        .map(|message| {
            let text = message["parts"][0]["text"].as_str().unwrap().to_owned();
            (message["role"].as_str().unwrap().to_owned(), text)
        })
        .collect();
    assert_eq!(said.len(), 4, "{said:?}");
    assert_eq!(said[0], (String::from("user"), format!("!{short}")));
    assert_eq!(said[1].0, "assistant");
    for part in [
        "command=\"echo out; echo err",
        "exit_code=\"3\"",
        "out\n",
        "err\n",
    ] {
        assert!(said[1].1.contains(part), "{part}: {}", said[1].1);
    }
    // Cut as the result is.
    for (result, (_, became)) in results.iter().zip([&said[1], &said[3]]) {
        let text = result["model_text"].as_str().unwrap();
        assert!(became.contains(text.trim_end()), "{became}");
    }
    assert!(said[3].1.contains("line29999"), "{}", said[3].1);
    assert!(!said[3].1.contains("line15000\n"), "it is cut");

    // A page shows the calls; the messages say nothing more.
    let output = home
        .command(tenon())
        .args(["sessions", "export", "--format", "md"])
        .output()
        .unwrap();
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(
        page.contains("hello") && page.contains("echo out"),
        "{page}"
    );
    assert!(!page.contains("user_shell"), "{page}");
}
