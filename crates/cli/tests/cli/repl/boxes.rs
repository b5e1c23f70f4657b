//! Replies of the markdown dialect on a terminal: in boxes, for one run and in a
//! conversation; and that a plan is told from an answer in one run as well.

use super::terminal::{Model, Setup, Terminal, calls};
use serde_json::{Value, json};
use std::time::Duration;
use tenon_testing::TestHome;

fn reply(choice: &str, input: &str) -> Value {
    let text = format!(
        "# Agent Response\n\n## Thoughts\nI look around.\n\n## Task List\n[x] begin\n[~] look\n\n## Tool Choice\n{choice}\n\n## Tool Input\n{input}<|im_end|>"
    );
    json!({"steps": [{"response": {"content": text}}]})
}

fn model(pause: Duration) -> Model {
    let mut first = reply("LIST_DIRECTORY", "\"src\"");
    first["trigger"] = json!("go");
    let mut second = reply("DONE", "All is well.");
    second["trigger"] = json!("Tool result of list");
    Model::scripted(json!({"scenarios": [second, first]}), pause)
}

fn start(home: &TestHome, model: &Model, args: &[&str], env: &[(&str, &str)]) -> Option<Terminal> {
    for file in ["src/index.ts", "src/routes/users.ts"] {
        let path = home.project().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }
    Setup {
        args,
        env,
        ..Setup::new(home, model)
    }
    .start()
}

fn has_boxes(terminal: &Terminal) {
    for row in [
        "┌─ Thoughts ─",
        "│ I look around.",
        "┌─ Task List ─",
        "│ [~] look",
        "┌─ Tool: list ─",
        "┌─ Result ─",
        "│ ├── index.ts",
        "│ └── routes/",
        "│     └── users.ts",
    ] {
        terminal.see(row);
    }
    let screen = terminal.screen();
    assert!(!screen.contains("im_end"), "{screen}");
    assert_eq!(screen.matches("All is well.").count(), 1, "{screen}");
}

#[test]
fn one_run_and_a_conversation_show_a_reply_in_boxes() {
    let exec = ["exec", "--dialect", "markdown", "-p", "go"];
    let (home, model) = (TestHome::new(), model(Duration::ZERO));
    let Some(terminal) = start(&home, &model, &exec, &[]) else {
        return;
    };
    terminal.see("All is well.").see("exit=0");
    has_boxes(&terminal);
    let talk = ["--dialect", "markdown"];
    let home = TestHome::new();
    let Some(terminal) = start(&home, &model, &talk, &[]) else {
        return;
    };
    terminal.ready().line("go").see("All is well.");
    has_boxes(&terminal);
}

#[test]
fn a_screen_reader_gets_lines_and_no_boxes() {
    let (home, model) = (TestHome::new(), model(Duration::ZERO));
    let exec = ["exec", "--dialect", "markdown", "-p", "go"];
    let Some(terminal) = start(&home, &model, &exec, &[("ACCESSIBLE", "1")]) else {
        return;
    };
    terminal.see("All is well.").see("exit=0");
    let screen = terminal.screen();
    assert!(
        !screen.contains('┌') && screen.contains("▸ list"),
        "{screen}"
    );
}

#[test]
fn while_a_reply_is_held_back_its_tokens_are_counted_on_the_screen() {
    for args in [
        &["exec", "--dialect", "markdown", "-p", "go"][..],
        &["--dialect", "markdown"],
    ] {
        let (home, model) = (TestHome::new(), model(Duration::from_millis(300)));
        let Some(terminal) = start(&home, &model, args, &[]) else {
            return;
        };
        if args[0] != "exec" {
            terminal.ready().line("go");
        }
        terminal.see("Thinking... [").see(" tokens]");
    }
}

#[test]
fn one_run_on_a_terminal_tells_its_plan_from_its_answer() {
    let script = calls("go", "list", json!({}), "that was it");
    let (home, model) = (TestHome::new(), Model::scripted(script, Duration::ZERO));
    let Some(terminal) = start(&home, &model, &["exec", "-p", "go"], &[]) else {
        return;
    };
    terminal
        .see("I will.\n▸ list")
        .see("that was it")
        .see("exit=0");
    let screen = terminal.screen();
    assert!(!screen.contains("Reply:"), "{screen}");
    assert!(!screen.contains("(that was the plan)"), "{screen}");
}

#[test]
fn an_export_has_the_template_of_the_dialect() {
    let (home, model) = (TestHome::new(), model(Duration::ZERO));
    let run = |args: &[&str]| {
        let output = home
            .command(super::terminal::tenon())
            .args(args)
            .env("TENON_BASE_URL", &model.url)
            .env("TENON_MODEL", "mock-model")
            .current_dir(home.project())
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    std::fs::create_dir(home.project().join("src")).unwrap();
    run(&["exec", "--dialect", "markdown", "-p", "go"]);
    let text = run(&["sessions", "export", "--format", "json"]);
    let document: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"));
    assert_eq!(document["compressions"], json!([]));
    let history = document["history"].as_array().unwrap();
    let said: Vec<&str> = history
        .iter()
        .filter(|entry| entry["role"] == "assistant")
        .filter_map(|entry| entry["content"].as_str())
        .collect();
    assert_eq!(said.len(), 2, "{text}");
    for content in said {
        assert!(content.starts_with("# Agent Response\n\n## Thoughts\nI look around."));
        assert!(content.contains("## Tool Choice\n"), "{content}");
    }
}
