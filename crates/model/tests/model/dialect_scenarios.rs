//! The folders in `scenarios/markdown`: a reply as a model wrote it, and what
//! is understood.

use crate::dialect_support::tools;
use serde_json::{Value, json};
use std::path::PathBuf;
use tenon_model::dialect::{Action, Parsed, Problem, parse};

pub struct Scenario {
    pub name: String,
    pub reply: String,
    expected: Value,
}

pub fn folder(kind: &str) -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("scenarios")
        .join(kind);
    let mut all: Vec<PathBuf> = std::fs::read_dir(root)
        .expect("the scenarios")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    all.sort();
    assert!(all.len() >= 40, "there are {}", all.len());
    all
}

pub fn scenarios() -> Vec<Scenario> {
    let read = |path: &PathBuf, file: &str| {
        std::fs::read_to_string(path.join(file))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    folder("markdown")
        .iter()
        .map(|path| Scenario {
            name: path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned(),
            reply: read(path, "reply.md"),
            expected: serde_json::from_str(&read(path, "expected.json")).expect("JSON"),
        })
        .collect()
}

/// What was understood, in the words of `expected.json`.
fn shown(parsed: &Result<Parsed, Problem>, expected: &Value) -> Value {
    let parsed = match parsed {
        Ok(parsed) => parsed,
        Err(problem) => {
            let text = problem.to_string();
            let wanted = expected.get("problem").and_then(Value::as_str);
            return match wanted {
                Some(wanted) if text.contains(wanted) => json!({"problem": wanted}),
                _ => json!({"problem": text}),
            };
        }
    };
    let mut shown = json!({"thoughts": parsed.thoughts});
    if !parsed.tasks.is_empty() {
        shown["tasks"] = json!(parsed.tasks);
    }
    match &parsed.action {
        Action::Calls(calls) => {
            let call =
                |call: &tenon_model::dialect::Call| json!({"name": call.name, "input": call.input});
            shown["calls"] = calls.iter().map(call).collect();
        }
        Action::Answer(text) => shown["answer"] = json!(text),
        Action::Tasks => shown["only_tasks"] = json!(true),
    }
    if !parsed.notes.is_empty() {
        shown["notes"] = json!(parsed.notes);
    }
    shown
}

#[test]
fn every_reply_is_understood_as_its_folder_says() {
    let tools = tools();
    let mut wrong = Vec::new();
    for scenario in scenarios() {
        let found = shown(&parse(&scenario.reply, &tools), &scenario.expected);
        if found != scenario.expected {
            wrong.push(format!(
                "{}:\n  found    {found}\n  expected {}",
                scenario.name, scenario.expected
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_line_ends_of_windows_change_nothing() {
    let tools = tools();
    for scenario in scenarios() {
        let plain = scenario.reply.replace("\r\n", "\n");
        let windows = plain.replace('\n', "\r\n");
        assert_eq!(
            parse(&windows, &tools),
            parse(&plain, &tools),
            "{}",
            scenario.name
        );
    }
}

#[test]
fn what_the_history_keeps_is_understood_as_the_same_again() {
    let tools = tools();
    for scenario in scenarios() {
        let Ok(mut parsed) = parse(&scenario.reply, &tools) else {
            continue;
        };
        parsed.notes.clear();
        let written = parsed.to_markdown();
        let again = parse(&written, &tools);
        assert_eq!(again.as_ref(), Ok(&parsed), "{}\n{written}", scenario.name);
        let again = again.expect("it was understood").to_markdown();
        assert_eq!(again, written, "{}", scenario.name);
    }
}

/// Files, replacements and JSON say themselves where they end.
#[test]
fn a_reply_with_a_block_that_was_cut_is_the_same_or_an_error() {
    let tools = tools();
    for reply in scenarios().iter().filter(|scenario| {
        [
            "write-a-file",
            "find-and-replace",
            "command-in-a-block",
            "another-tool-takes-json",
            "write-with-a-longer-fence",
            "a-patch",
        ]
        .iter()
        .any(|name| scenario.name.ends_with(&format!("-{name}")))
    }) {
        let whole = parse(&reply.reply, &tools).expect("whole");
        for cut in (0..reply.reply.len()).filter(|&cut| reply.reply.is_char_boundary(cut)) {
            match parse(&reply.reply[..cut], &tools) {
                // Half a name is nobody's: the engine says so.
                Ok(parsed) if is_unknown(&parsed.action) => {}
                Ok(parsed) => {
                    assert_eq!(parsed.action, whole.action, "{} cut at {cut}", reply.name)
                }
                Err(problem) => assert!(!problem.to_string().is_empty()),
            }
        }
    }
}

fn is_unknown(action: &Action) -> bool {
    let Action::Calls(calls) = action else {
        return false;
    };
    calls
        .iter()
        .all(|call| tools().iter().all(|tool| tool.name != call.name))
}
