//! `UPDATE_TASK_LIST` takes the list of its reply, whatever its input is (K7).

use crate::dialect_support::{tool, tools};
use serde_json::json;
use tenon_model::dialect::{Action, parse};
use tenon_vocab::{TodoStatus, ToolSpec};

fn todowrite() -> ToolSpec {
    let item = json!({"type": "object", "properties": {"text": {"type": "string"}, "status": {"type": "string"}}});
    let items = json!({"items": {"type": "array", "items": item}});
    tool("todowrite", &["items"], items)
}

const INPUTS: [&str; 9] = [
    "",
    "\n## Tool Input\n",
    "\n## Tool Input\nnone",
    "\n## Tool Input\nThe list above.",
    "\n## Tool Input\n{}",
    "\n## Tool Input\n```json\n{\"todos\": []}\n```",
    "\n## Tool Input\n[{\"content\": \"another\"}]",
    "\n## Tool Input\n```\n[ ] another\n```",
    "\n## Tool Input\n```\nopen",
];

fn with_list(name: &str, input: &str) -> String {
    format!(
        "# Agent Response\n\n## Thoughts\nOn.\n\n## Task List\n[x] one\n[~] two\n\n## Tool Choice\n{name}\n{input}"
    )
}

#[test]
fn any_input_or_none_takes_the_list_of_the_reply() {
    for name in ["UPDATE_TASK_LIST", "update_task_list", "UpdateTaskList"] {
        for input in INPUTS {
            let reply = with_list(name, input);
            let mut all = tools();
            let parsed = parse(&reply, &all).unwrap_or_else(|error| panic!("{reply}: {error}"));
            assert_eq!(parsed.action, Action::Tasks, "{reply}");
            assert_eq!(parsed.tasks.len(), 2, "{reply}");
            all.push(todowrite());
            let parsed = parse(&reply, &all).unwrap_or_else(|error| panic!("{reply}: {error}"));
            let Action::Calls(calls) = parsed.action else {
                panic!("no call: {reply}");
            };
            let items = json!([
                {"text": "one", "status": "completed"},
                {"text": "two", "status": "in_progress"}
            ]);
            assert_eq!(calls[0].input["items"], items, "{reply}");
        }
    }
}

#[test]
fn without_a_list_nothing_changes_and_one_in_the_input_is_taken() {
    let reply =
        |input: &str| format!("# Agent Response\n\n## Tool Choice\nUPDATE_TASK_LIST\n{input}");
    for mut all in [tools(), vec![todowrite()]] {
        all.extend(tools());
        for input in ["", "\n## Tool Input\n", "\n## Tool Input\nas before"] {
            let parsed = parse(&reply(input), &all).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(
                (parsed.action, parsed.tasks.len()),
                (Action::Tasks, 0),
                "{input:?}"
            );
        }
        let parsed = parse(&reply("\n## Tool Input\n[x] one\n[ ] two"), &all).expect("a list");
        let statuses: Vec<TodoStatus> = parsed.tasks.iter().map(|item| item.status).collect();
        assert_eq!(statuses, [TodoStatus::Completed, TodoStatus::Pending]);
    }
}

#[test]
fn another_name_of_the_tool_takes_its_own_input_first() {
    let mut all = tools();
    all.push(todowrite());
    let own = "\n## Tool Input\n{\"items\": [{\"text\": \"own\"}]}";
    let taken =
        |input| match parse(&with_list("todowrite", input), &all).map(|parsed| parsed.action) {
            Ok(Action::Calls(calls)) => calls[0].input["items"][0]["text"].clone(),
            other => panic!("{other:?}"),
        };
    assert_eq!(taken(own), "own");
    assert_eq!(taken("\n## Tool Input\nthe list above"), "one");
}
