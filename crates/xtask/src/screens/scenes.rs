//! What the pictures show.

use super::page::Look;
use super::server::Server;
use anyhow::Result;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;
use tenon_testing::TestHome;
use tenon_testing::screen::{Cells, ENTER, Paper, Screen};

pub type Scene = fn(&Path, Cells) -> Result<Taken>;

/// A screen to be drawn.
#[derive(Debug)]
pub struct Taken {
    pub screen: vt100::Screen,
    pub look: Look,
}

pub const ALL: &[(&str, Scene)] = &[
    ("start", start),
    ("stream", stream),
    ("approval", approval),
    ("picker", picker),
    ("work", work),
    ("light", light),
];

const MAIN: &str = "\
use std::env;

fn main() {
    let name = env::args().nth(1).unwrap_or_default();
    println!(\"{}\", greeting(&name));
}

fn greeting(name: &str) -> String {
    format!(\"Hello, {name}!\")
}
";
const BETTER: &str = "\
fn greeting(name: &str) -> String {
    match name.trim() {
        \"\" => String::from(\"Hello!\"),
        name => format!(\"Hello, {name}!\"),
    }
}
";
const ANSWER: &str = "\
The greeting has a bug: without a name it prints `Hello, !`.

## Why

- `env::args().nth(1)` is `None` when nothing was given
- `unwrap_or_default` makes an **empty** text of it

```rust
fn greeting(name: &str) -> String {
    match name.trim() {
        \"\" => String::from(\"Hello!\"),
        name => format!(\"Hello, {name}!\"),
    }
}
```

| input | before | after |
|---|---|---|
| *nothing* | `Hello, !` | `Hello!` |
| `世界` | `Hello, 世界!` | `Hello, 世界!` |

Shall I change it?
";

fn script() -> Value {
    let call =
        |name: &str, arguments: Value| json!({"function": {"name": name, "arguments": arguments}});
    let (_, old) = MAIN.split_at(MAIN.find("fn greeting").unwrap_or_default());
    let todo = json!({"items": [
        {"text": "Read the program", "status": "completed"},
        {"text": "Greet nobody properly", "status": "in_progress"},
        {"text": "Run it", "status": "pending"},
    ]});
    json!({
        "window": 131_072,
        "scenarios": [{"name": "fix", "trigger": "fix", "scope": "turn", "steps": [
            {"response": {"content": "I look at the program first.", "tool_calls": [
                call("read", json!({"path": "src/main.rs"})),
                call("read", json!({"path": "Cargo.toml"})),
                call("grep", json!({"pattern": "greeting"}))]}},
            // The steps are counted by the results that were seen.
            {"response": {"content": ""}},
            {"response": {"content": ""}},
            {"response": {"content": "", "tool_calls": [call("todowrite", todo)]}},
            {"response": {"content": "The greeting must not count on a name.", "tool_calls": [
                call("edit", json!({"path": "src/main.rs", "old": old, "new": BETTER}))]}},
            {"response": {"content": "", "tool_calls": [
                call("bash", json!({"command": "grep -c Hello src/main.rs\ngrep -n 'match name' src/main.rs"}))]}},
            {"response": {"content": "Without a name it now says `Hello!`."}},
        ]}],
        "default_response": {"content": ANSWER},
    })
}

/// A project, and the model that works in it.
struct Stage {
    home: TestHome,
    server: Server,
}

impl Stage {
    fn set(program: &Path, config: &Value, pause_ms: u32) -> Result<Self> {
        let home = TestHome::new();
        let project = home.home().join("hello");
        fs::create_dir_all(project.join("src"))?;
        fs::write(project.join("src/main.rs"), MAIN)?;
        fs::write(project.join("Cargo.toml"), "[package]\nname = \"hello\"\n")?;
        fs::write(project.join("README.md"), "# hello\n")?;
        // Enough of a repository for its branch to be known.
        fs::create_dir_all(project.join(".git"))?;
        fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n")?;
        let server = Server::of_scene(program, &home, &script(), pause_ms)?;
        fs::write(home.tenon().join("tenon.jsonc"), config.to_string())?;
        Ok(Self { home, server })
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = self.home.command(program);
        command
            .env("TENON_BASE_URL", &self.server.base_url)
            .env("TENON_MODEL", "mock-model")
            // Below the home, so that its name is short on any machine.
            .current_dir(self.home.home().join("hello"));
        command
    }

    fn open(&self, program: &Path, cells: Cells, paper: Paper, args: &[&str]) -> Screen {
        let mut command = self.command(program);
        command
            .env("TERM", "xterm-256color")
            .env("COLORTERM", "truecolor")
            .args(args);
        let screen = Screen::start_on(command, cells, paper);
        screen.see("/ commands").see("mock-model");
        screen
    }
}

fn taken(screen: &Screen, look: Look) -> Taken {
    Taken {
        screen: screen.emulated(),
        look,
    }
}

fn start(program: &Path, cells: Cells) -> Result<Taken> {
    let stage = Stage::set(program, &json!({}), 0)?;
    let screen = stage.open(program, cells, Paper::Dark, &[]);
    screen.key("/").see("/models");
    Ok(taken(&screen, Look::Dark))
}

fn stream(program: &Path, cells: Cells) -> Result<Taken> {
    let stage = Stage::set(program, &json!({}), 25)?;
    let screen = stage.open(program, cells, Paper::Dark, &[]);
    screen
        .line("why does it print a comma?")
        .see("match name.trim");
    screen.key("and keep it short").see("and keep it short");
    screen
        .key(ENTER)
        .see("› and keep it short")
        .see("String::from");
    Ok(taken(&screen, Look::Dark))
}

/// At the question about the change.
fn asked(stage: &Stage, program: &Path, cells: Cells, paper: Paper) -> Screen {
    let screen = stage.open(program, cells, paper, &[]);
    screen.line("fix the greeting").see("allow once");
    screen
}

fn asking() -> Value {
    json!({"permission": {"edit": "ask"}})
}

fn approval(program: &Path, cells: Cells) -> Result<Taken> {
    let stage = Stage::set(program, &asking(), 0)?;
    let screen = asked(&stage, program, cells, Paper::Dark);
    Ok(taken(&screen, Look::Dark))
}

fn picker(program: &Path, cells: Cells) -> Result<Taken> {
    let stage = Stage::set(program, &json!({}), 0)?;
    for prompt in [
        "add a test for the greeting",
        "explain how the arguments are read",
        "翻訳を追加してください",
        "write the README",
    ] {
        stage
            .command(program)
            .args(["exec", "-p", prompt])
            .output()?;
    }
    let screen = stage.open(program, cells, Paper::Dark, &[]);
    screen.line("why does it print a comma?").see("Done.");
    screen.line("/resume").see("Resume a session");
    screen.see("explain how the arguments");
    Ok(taken(&screen, Look::Dark))
}

fn work(program: &Path, cells: Cells) -> Result<Taken> {
    let config = json!({"tui": {"theme": "dark"}, "permission_mode": "auto"});
    let stage = Stage::set(program, &config, 0)?;
    let screen = stage.open(program, cells, Paper::Dark, &[]);
    screen
        .line("fix the greeting")
        .see("it now says")
        .see("Done.");
    Ok(taken(&screen, Look::Dark))
}

fn light(program: &Path, cells: Cells) -> Result<Taken> {
    let config = json!({"tui": {"theme": "light"}});
    let stage = Stage::set(program, &config, 0)?;
    let screen = stage.open(program, cells, Paper::Light, &[]);
    screen.line("why does it print a comma?").see("Done.");
    Ok(taken(&screen, Look::Light))
}
