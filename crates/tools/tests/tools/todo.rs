//! The task list as models write it, and what they read of it.

use crate::support::{World, checked, code, data, tool};
use serde_json::{Value, json};
use tenon_tools::input::{check, repair};
use tenon_tools::{HostReply, HostRequest};
use tenon_vocab::{Display, TodoItem, TodoStatus};

/// What the tool sees of an input.
fn items(input: Value) -> Value {
    checked(tool("todowrite").spec(), input)["items"].take()
}

/// The same under the name that the model used.
fn named(name: &str, input: Value) -> Result<Value, String> {
    let schema = tool("todowrite").spec().parameters.clone();
    let (input, _) = repair(name, &schema, input);
    check(&schema, &input).map(|()| input["items"].clone())
}

#[test]
fn a_list_is_understood_in_the_shapes_of_other_products() {
    let wanted = json!([
        {"text": "look", "status": "completed"},
        {"text": "repair", "status": "in_progress"},
    ]);
    let same = [
        json!({"items": wanted.clone()}),
        json!({"todos": [
            {"id": "1", "content": "look", "status": "completed", "priority": "high", "activeForm": "Looking"},
            {"id": "2", "content": "repair", "status": "in_progress"},
        ]}),
        json!({"explanation": "why", "plan": [{"step": "look", "status": "done"}, {"step": "repair", "status": "In-Progress"}]}),
        json!({"tasks": [{"title": "look", "state": "Finished"}, {"task": "repair", "status": "doing"}]}),
        json!({"items": ["[x] look", "- [~] repair"]}),
        json!({"items": "- [x] look\n- [~] repair\n"}),
        json!({"items": "[{\"text\": \"look\", \"status\": \"[x]\"}, {\"text\": \"repair\", \"status\": \"wip\"}]"}),
    ];
    for input in same {
        assert_eq!(items(input.clone()), wanted, "{input}");
    }
    let plan = named(
        "update_plan",
        json!({"plan": [{"step": "a", "status": "todo"}]}),
    );
    assert_eq!(plan, Ok(json!([{"text": "a", "status": "pending"}])));
}

#[test]
fn a_text_alone_is_a_task_that_waits() {
    assert_eq!(
        items(json!({"items": ["look", "- [link] repair", "-1 is wrong"]})),
        json!([{"text": "look"}, {"text": "[link] repair"}, {"text": "-1 is wrong"}])
    );
    assert_eq!(
        items(json!({"items": [{"text": "a", "done": true}, {"text": "b", "done": false}]})),
        json!([{"text": "a", "status": "completed"}, {"text": "b", "status": "pending"}])
    );
}

#[test]
fn a_status_that_nobody_knows_is_refused_with_the_four_that_there_are() {
    let refused = named(
        "todowrite",
        json!({"items": [{"text": "a", "status": "blocked"}]}),
    );
    let message = refused.unwrap_err();
    assert!(
        message.contains("`items[0].status` must be one of"),
        "{message}"
    );
    assert!(message.contains("in_progress"), "{message}");
    let refused = named("todowrite", json!({"items": [{"status": "done"}]}));
    assert!(refused.unwrap_err().contains("`items[0].text` is missing"));
    let refused = named("todowrite", json!({"items": [7]}));
    assert!(refused.unwrap_err().contains("must be an object"));
}

#[tokio::test]
async fn the_model_reads_a_checklist_and_people_get_its_shape() {
    let world = World::new();
    let input =
        json!({"items": ["[x] look", "repair\nit", {"text": "leave", "status": "skipped"}]});
    let output = world.call("todowrite", input.clone()).await;
    assert_eq!(output.model_text, "[x] look\n[ ] repair it\n[-] leave");
    let Display::Todo { items } = &output.display else {
        panic!("{:?}", output.display);
    };
    assert_eq!(items[1].text, "repair it");
    assert_eq!(data(&output)["items"][0]["status"], "completed");
    let HostRequest::Todo(Some(kept)) = &world.asked.lock().unwrap()[0] else {
        panic!("nothing was kept");
    };
    assert_eq!(kept, items);
    let write = tool("todowrite");
    let input = checked(write.spec(), input);
    assert_eq!(write.preview(&input, &world.workspace), output.display);
}

#[tokio::test]
async fn an_empty_list_is_said_to_be_empty_and_a_cut_one_to_be_cut() {
    let world = World::new();
    let output = world.call("todoread", json!({})).await;
    assert_eq!(output.model_text, "The task list is empty.");
    let many: Vec<String> = (0..60).map(|n| format!("task {n}")).collect();
    let output = world.call("todowrite", json!({"items": many})).await;
    let last = output.model_text.lines().last().unwrap();
    assert!(last.contains("60 items were given, 50 are kept"), "{last}");
}

#[tokio::test]
async fn a_list_that_cannot_be_kept_is_a_failure() {
    let mut world = World::new();
    world.todo = HostReply::Unavailable("the disk is full".into());
    let output = world.call("todowrite", json!({"items": ["a"]})).await;
    assert_eq!(code(&output), "write_error");
    assert!(output.model_text.contains("the disk is full"));
}

#[tokio::test]
async fn reading_gives_what_the_session_has() {
    let mut world = World::new();
    world.todo = HostReply::Todo(vec![TodoItem {
        text: "look".into(),
        status: TodoStatus::InProgress,
    }]);
    let output = world.call("todoread", json!({})).await;
    assert_eq!(output.model_text, "[~] look");
}

#[test]
fn both_together_cost_few_tokens() {
    let bytes: usize = ["todoread", "todowrite"]
        .iter()
        .map(|name| {
            let spec = tool(name).spec().clone();
            spec.description.len() + spec.parameters.to_string().len()
        })
        .sum();
    assert!(bytes < 600, "{bytes}");
}
