//! What the model is told: `tenon context show`, rules that are edited, rules of
//! folders below, and the bytes that a server finds in its cache.

use crate::exec::{calls, run};
use crate::model::Model;
use crate::program::Program;
use serde_json::{Value, json};
use tenon_testing::TestHome;

fn write(home: &TestHome, path: &str, text: &str) {
    let path = home.project().join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// The system prompt and the tools of a request.
fn prefix(body: &str) -> (String, String) {
    let body: Value = serde_json::from_str(body).unwrap();
    let system = &body["messages"][0];
    assert_eq!(system["role"], "system");
    (system["content"].to_string(), body["tools"].to_string())
}

fn exec(model: &Model, home: &TestHome, args: &[&str]) -> String {
    let (code, out, err) = run(model.command(home).arg("exec").args(args));
    assert_eq!(code, 0, "{out}{err}");
    err
}

#[test]
fn two_sessions_of_one_folder_begin_with_the_same_bytes_whatever_git_and_clock_say() {
    let home = TestHome::new();
    let model = Model::says("yes");
    write(&home, "AGENTS.md", "use tabs\n");
    exec(&model, &home, &["-p", "one"]);
    write(&home, ".git/HEAD", "ref: refs/heads/other\n");
    write(&home, "new.txt", "untracked\n");
    exec(&model, &home, &["-p", "two"]);
    let bodies = model.bodies();
    assert_eq!(prefix(&bodies[0]), prefix(&bodies[1]));
}

#[test]
fn rules_that_are_edited_between_prompts_leave_the_prefix_and_arrive_once() {
    let home = TestHome::new();
    let model = Model::says("yes");
    write(&home, "AGENTS.md", "use tabs\n");
    let err = exec(&model, &home, &["-p", "one"]);
    assert!(err.contains("rules: "), "{err}");
    write(&home, "AGENTS.md", "use spaces\n");
    exec(&model, &home, &["--resume", "-p", "two"]);
    exec(&model, &home, &["--resume", "-p", "three"]);
    let bodies = model.bodies();
    assert_eq!(bodies.len(), 3);
    for body in &bodies {
        assert_eq!(prefix(body), prefix(&bodies[0]));
    }
    assert!(!bodies[0].contains("use spaces"));
    for body in &bodies[1..] {
        assert_eq!(body.matches("use spaces").count(), 1, "{body}");
    }
    let sent: Vec<Value> = bodies
        .iter()
        .map(|body| serde_json::from_str::<Value>(body).unwrap()["messages"].clone())
        .collect();
    for pair in sent.windows(2) {
        let (before, after) = (pair[0].as_array().unwrap(), pair[1].as_array().unwrap());
        assert_eq!(before[..], after[..before.len()]);
    }
}

#[test]
fn rules_of_a_subfolder_come_with_its_first_file_and_not_again_after_a_resume() {
    let home = TestHome::new();
    write(&home, "web/AGENTS.md", "no new dependencies\n");
    write(&home, "web/app.js", "start()\n");
    let model = Model::new(&calls("read", json!({"path": "web/app.js"}), "seen"));
    let err = exec(&model, &home, &["-p", "go"]);
    assert!(err.contains("rules: web/AGENTS.md"), "{err}");
    exec(&model, &home, &["--resume", "-p", "go"]);
    let bodies = model.bodies();
    assert_eq!(bodies.len(), 4);
    assert!(!bodies[0].contains("no new dependencies"));
    for body in &bodies[1..] {
        assert_eq!(body.matches("no new dependencies").count(), 1, "{body}");
    }
}

#[test]
fn context_show_lists_every_part_with_its_file_and_leaves_no_session() {
    let program = Program::new();
    program.file("AGENTS.md", "use tabs\n");
    program.file("docs/style.md", "short sentences\n");
    program.file("empty.md", "\n");
    program.configure(
        r#"{"instructions": ["docs/*.md", "gone.md", "empty.md"], "append_system_prompt": "be kind"}"#,
    );
    let ran = program.run(&["context", "show"]).ended(0);
    let (root, out) = (program.project().display().to_string(), &ran.out);
    let rows: Vec<Vec<&str>> = out
        .lines()
        .map(|line| line.split("  ").filter(|cell| !cell.is_empty()).collect())
        .collect();
    let found: Vec<(&str, &str)> = rows[1..]
        .iter()
        .map(|row| (row[0], row.last().unwrap().trim()))
        .collect();
    let (rules, style) = (format!("{root}/AGENTS.md"), format!("{root}/docs/style.md"));
    assert_eq!(found[0], ("base", "built-in"));
    assert_eq!(found[1], ("appended", "append_system_prompt"));
    assert_eq!(found[2], ("rules", rules.as_str()));
    assert_eq!(found[3], ("instructions", style.as_str()));
    assert_eq!(found[4], ("environment", "built-in"));
    assert_eq!(found[5].0, "tools");
    assert!(found[5].1.starts_with("built-in, "), "{out}");
    assert_eq!(found[6].0, "all");
    assert_eq!(found[7].0, "limit");
    assert!(
        found[7].1.contains("Tenon does not ask this server"),
        "{out}"
    );
    assert!(ran.err.contains("`gone.md` matches no file"), "{}", ran.err);
    let listed = program.store().list(&tenon_session::ListFilter::default());
    assert!(listed.sessions.is_empty());
}

#[test]
fn context_show_names_the_true_source_of_the_base_prompt_and_what_was_cut() {
    let program = Program::new();
    let long = "word ".repeat(20_000);
    program.file("AGENTS.md", &long);
    std::fs::write(program.home.tenon().join("mine.md"), "You are mine.").unwrap();
    program.configure(
        r#"{"system_prompt_file": "mine.md", "context": {"window": 65536, "max_tokens": 50000}, "providers": {"p": {"base_url": "http://127.0.0.1:1/v1", "model": "m"}}}"#,
    );
    let shown = program
        .run(&["context", "show", "--json", "--full"])
        .ended(0)
        .json();
    let parts = shown["parts"].as_array().unwrap();
    assert_eq!(parts[0]["part"], "base");
    let source = parts[0]["source"].as_str().unwrap();
    assert!(source.ends_with("/mine.md"), "{source}");
    assert_eq!(parts[0]["bytes"], 13);
    let warning = shown["warnings"][0].as_str().unwrap();
    assert!(
        warning.contains("is 100000 bytes long; only the first 65536"),
        "{warning}"
    );
    let system = shown["system"].as_str().unwrap();
    assert!(system.starts_with("You are mine.\n\n# Project Context\n"));
    assert!(system.contains("[cut here: 65536 of 100000 bytes]"));
    assert_eq!(shown["limit"]["tokens"], 50_000);
    assert_eq!(shown["limit"]["source"], "your `context.max_tokens`");
    let sum: u64 = parts
        .iter()
        .map(|part| part["tokens"].as_u64().unwrap())
        .sum();
    assert_eq!(shown["tokens"], sum);
    assert_eq!(shown["percent"], sum * 100 / 50_000);
    assert_eq!(shown["estimated"], true);
}

#[test]
fn context_show_of_a_session_has_its_own_rules_and_its_history() {
    let home = TestHome::new();
    let program = Program { home };
    let model = Model::says("a long answer of some words");
    program.file("AGENTS.md", "use tabs\n");
    exec(&model, &program.home, &["-p", "what is this"]);
    program.file("AGENTS.md", "use many more spaces than anybody would\n");
    let id = program.store().latest(None).unwrap().unwrap().to_string();
    let shown = program
        .run(&["context", "show", "--session", &id, "--full", "--json"])
        .ended(0)
        .json();
    let names: Vec<&str> = shown["parts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part["part"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "base",
            "rules",
            "environment",
            "tools",
            "prompts",
            "answers"
        ]
    );
    let body: Value = serde_json::from_str(&model.bodies()[0]).unwrap();
    assert_eq!(shown["system"], body["messages"][0]["content"]);
    assert_eq!(shown["session"], id);
    program
        .run(&["context", "show", "--session", &id, "--full"])
        .ended(0)
        .says("--- assistant ---\na long answer of some words")
        .says("use tabs");
    program
        .run(&["context", "show", "--agent", "plan"])
        .ended(0)
        .says("base");
    program
        .run(&["context", "show", "--agent", "nobody"])
        .ended(2)
        .complains("there is no agent `nobody`");
}

#[test]
fn context_show_knows_the_window_that_the_server_told_the_last_time() {
    let program = Program::new();
    program
        .configure(r#"{"providers": {"p": {"base_url": "http://127.0.0.1:1/v1", "model": "m"}}}"#);
    let said_at = tenon_vocab::Timestamp::now().as_second();
    let said = json!({"windows": [{
        "base_url": "http://127.0.0.1:1/v1", "model": "m",
        "tokens": 12_288, "place": "/props", "said_at": said_at,
    }]});
    std::fs::write(program.home.tenon().join("windows.json"), said.to_string()).unwrap();
    let shown = program.run(&["context", "show", "--json"]).ended(0).json();
    assert_eq!(shown["limit"]["tokens"], 12_288);
    let source = shown["limit"]["source"].as_str().unwrap();
    assert!(source.contains("remembered from"), "{source}");
}

#[test]
fn context_show_names_the_files_that_came_later() {
    let home = TestHome::new();
    let model = Model::says("yes");
    write(&home, "notes/plan.txt", "first this, then that\n");
    exec(&model, &home, &["-p", "see @notes/plan.txt"]);
    write(&home, "AGENTS.md", "use tabs\n");
    exec(&model, &home, &["-c", "-p", "go on"]);
    let listed = run(model.command(&home).args(["sessions", "list", "--json"])).1;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let id = listed[0]["id"].as_str().unwrap();
    let args = ["context", "show", "--json", "--session", id];
    let (code, out, err) = run(model.command(&home).args(args));
    assert_eq!(code, 0, "{err}");
    let shown: Value = serde_json::from_str(&out).unwrap();
    let has = |part: &str, source: &str| {
        let parts = shown["parts"].as_array().unwrap().iter();
        let mut same = parts.filter(|one| one["part"] == part);
        same.any(|one| one["source"].as_str().unwrap().ends_with(source))
    };
    assert!(has("file", "notes/plan.txt"), "{out}");
    assert!(has("rules", "/AGENTS.md"), "{out}");
}

/// The lines of a log that say nothing are counted, on the screen and in memory.
#[test]
fn a_log_of_hundreds_of_thousands_of_empty_lines_is_gone_on_with_and_said_in_one_line() {
    let program = Program {
        home: TestHome::new(),
    };
    let model = Model::says("an answer");
    exec(&model, &program.home, &["-p", "what is this"]);
    let id = program.store().latest(None).unwrap().unwrap();
    let log = program.store().load(id).unwrap().path;
    let mut text = std::fs::read_to_string(&log).unwrap();
    text.push_str(&"\n".repeat(300_000));
    std::fs::write(&log, text).unwrap();
    let id = id.to_string();
    let shown = program.run(&["context", "show", "--session", &id]).ended(0);
    let resumed = exec(&model, &program.home, &["--resume", "-p", "and now"]);
    for said in [&shown.err, &resumed] {
        assert!(said.contains("300000 lines"), "{said}");
        assert!(said.lines().count() < 20, "{} lines", said.lines().count());
    }
}
