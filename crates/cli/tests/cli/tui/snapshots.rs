//! Whole screens, as files that a person reads: `snapshots/*.txt`. What a test of
//! one rule does not look at stands here.
//!
//! `TENON_UPDATE_SNAPSHOTS=1` writes them anew. Look at each difference before you
//! keep it.

use super::stage::{Prompt, Stage};
use crate::model::Model;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tenon_testing::TestHome;
use tenon_testing::screen::{Cells, Screen, View};
use tenon_testing::wait_until;

const CELLS: Cells = Cells {
    columns: 80,
    rows: 34,
};
const DEADLINE: Duration = Duration::from_secs(30);
/// Longer than any answer of a scripted server.
const STILL: Duration = Duration::from_secs(2);

/// With nothing on the screen that depends on the machine or moves by itself.
fn open(stage: &Stage, args: &[&str], settings: &Value, cells: Cells) -> Screen {
    let mut settings = settings.clone();
    settings["tui"] = json!({"motion": "reduced", "status": ["model", "agent", "root", "mode"]});
    let file = stage.home.tenon().join("tenon.jsonc");
    std::fs::write(file, settings.to_string()).unwrap();
    // The folder of the project is `~/project` then.
    let home = stage.home.path().display().to_string();
    let screen = stage.open_with(args, &[("HOME", &home)], cells);
    screen.ready();
    screen
}

/// The rows and the cursor; figures that differ from run to run as marks.
fn page(stage: &Stage, view: &View, cells: Cells) -> String {
    let home = stage.home.path().display().to_string();
    let mut page = format!("{} x {}, ", cells.columns, cells.rows);
    let _ = match view.cursor_shown {
        true => writeln!(
            page,
            "cursor in row {}, column {}",
            view.cursor.0 + 1,
            view.cursor.1 + 1
        ),
        false => writeln!(page, "cursor hidden"),
    };
    page.push_str(&"-".repeat(usize::from(cells.columns)));
    for row in view.text().lines() {
        page.push('\n');
        page.push_str(&marked(&row.replace(&home, "HOME")));
    }
    page.push('\n');
    page
}

/// `0.4s` becomes `#s`, and `2.3k tokens` become `# tokens`; the time of a tool at
/// work, which is shown from the first second on, goes.
fn marked(row: &str) -> String {
    let version = concat!("tenon ", env!("CARGO_PKG_VERSION"));
    let row = row.replace(version, "tenon VERSION");
    let is_figure = |word: &str| word.chars().all(|c| c.is_ascii_digit() || c == '.');
    let mut marked = String::new();
    let mut words = row.split(' ').peekable();
    while let Some(word) = words.next() {
        let bare = word.trim_matches(['(', ')', ',']);
        let unit = match words.peek() {
            Some(&"tokens") => bare.strip_suffix('k').or(Some(bare)),
            _ => bare.strip_suffix('s'),
        };
        match unit.filter(|unit| !unit.is_empty() && is_figure(unit)) {
            Some(figure) => marked.push_str(&word.replacen(figure, "#", 1)),
            None => marked.push_str(word),
        }
        if words.peek().is_some() {
            marked.push(' ');
        }
    }
    match marked.strip_suffix("  #s") {
        Some(untimed) => untimed.to_owned(),
        None => marked.replace("#k tokens", "# tokens"),
    }
}

/// Waits until the screen is what the file says.
#[track_caller]
fn compare(name: &str, stage: &Stage, screen: &Screen, cells: Cells) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cli/tui/snapshots")
        .join(name);
    let mut found = page(stage, &screen.view(), cells);
    if std::env::var_os("TENON_UPDATE_SNAPSHOTS").is_some() {
        let still = wait_until(DEADLINE, || {
            std::thread::sleep(STILL);
            let before = std::mem::replace(&mut found, page(stage, &screen.view(), cells));
            before == found
        });
        assert!(still, "{name} does not come to rest:\n{found}");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    let same = wait_until(DEADLINE, || {
        found = page(stage, &screen.view(), cells);
        found == expected
    });
    assert!(
        same,
        "{} is\n{expected}\nand the screen\n{found}",
        path.display()
    );
}

/// In a folder whose name is as long on every machine.
fn with(model: Model) -> Stage {
    Stage {
        home: TestHome::beneath(Path::new("/tmp")),
        model,
    }
}

fn scripted(trigger: &str, steps: &Value) -> Stage {
    let script = json!({
        "scenarios": [{"name": "one", "trigger": trigger, "scope": "turn", "steps": steps}],
        "default_response": {"content": "nothing"},
    });
    with(Model::scripted(script, Duration::ZERO))
}

fn call(content: &str, name: &str, arguments: &Value) -> Value {
    let call = json!({"function": {"name": name, "arguments": arguments}});
    json!({"response": {"content": content, "tool_calls": [call]}})
}

#[test]
fn the_start() {
    let stage = with(Model::says("fine"));
    let screen = open(&stage, &[], &json!({}), CELLS);
    compare("start.txt", &stage, &screen, CELLS);
}

#[test]
fn a_tool_at_work_with_the_task_list() {
    let tasks = json!({"items": [
        {"text": "Find the slow query", "status": "completed"},
        {"text": "Add the missing index", "status": "in_progress"},
        {"text": "Measure again", "status": "pending"},
    ]});
    let command = json!({"command": "echo first; echo second; sleep 1000"});
    let stage = scripted(
        "quicker",
        &json!([
            call("Three things to do.", "todowrite", &tasks),
            call("Now the **index**.", "bash", &command),
        ]),
    );
    let screen = open(&stage, &["--yes"], &json!({}), CELLS);
    screen.line("make it quicker").see("second").see("Measure");
    compare("working.txt", &stage, &screen, CELLS);
}

#[test]
fn a_question_about_a_change() {
    let old = "fn main() {\n    let name = \"world\";\n    println!(\"hello {name}\");\n}\n";
    let change = json!({
        "path": "src/main.rs",
        "old": "    let name = \"world\";\n",
        "new": "    let name = std::env::args().nth(1);\n    let name = name.unwrap();\n",
    });
    let stage = scripted(
        "greet",
        &json!([
            call("First a look.", "read", &json!({"path": "src/main.rs"})),
            call("Then the change.", "edit", &change),
        ]),
    );
    stage.file("src/main.rs", old);
    let settings = json!({"permission": {"edit": "ask"}});
    let screen = open(&stage, &[], &settings, CELLS);
    screen.line("greet whoever is named").see("allow once");
    compare("question.txt", &stage, &screen, CELLS);
}

#[test]
fn a_list_to_pick_from() {
    let stage = with(Model::says("fine"));
    let screen = open(&stage, &[], &json!({}), CELLS);
    screen.line("/theme").see("▸");
    compare("picker.txt", &stage, &screen, CELLS);
}

#[test]
fn forty_columns() {
    let answer = "## A title\n\nA paragraph of **words** that is longer than forty columns can hold.\n\n\
        - one point\n- another `point` that has to be wrapped somewhere\n\n\
        | name | value |\n|---|---|\n| one | a long cell with many words in it |\n\n\
        ```rust\nfn main() { println!(\"a line of code that is too long\"); }\n```\n";
    let stage = with(Model::says(answer));
    let cells = Cells {
        columns: 40,
        rows: 30,
    };
    let screen = open(&stage, &[], &json!({}), cells);
    screen
        .line("say a lot of things to me, please")
        .done()
        .ready();
    screen.text("and more");
    compare("narrow.txt", &stage, &screen, cells);
}
