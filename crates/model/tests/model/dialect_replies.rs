//! What the engine gets from a model that writes markdown: the same deltas as
//! from any other.

use crate::dialect_scenarios::scenarios;
use crate::dialect_support::{
    Scripted, collect, ends, finished, request, response, says, texts, tool, tools, whole,
};
use serde_json::json;
use std::sync::Arc;
use tenon_model::dialect::{Markdown, REPLY_FORMAT};
use tenon_model::{Delta, Finished, Model, ModelError, ModelErrorKind};
use tenon_vocab::{
    CallForm, CallId, Message, Origin, Part, Role, StopReason, TodoStatus, ToolCallPart, ToolSpec,
};

type Deltas = Vec<Result<Delta, ModelError>>;

fn ask_with(tools: Vec<ToolSpec>, replies: Vec<Deltas>) -> (Deltas, Arc<Scripted>) {
    let model = Scripted::new(replies);
    let dialect = Markdown::new(Arc::clone(&model) as Arc<dyn Model>);
    let deltas = collect(dialect.stream(request(tools, [Message::user("Do it.")])));
    (deltas, model)
}

fn ask(reply: Deltas) -> Finished {
    let (mut deltas, _) = ask_with(tools(), vec![reply]);
    match deltas.pop() {
        Some(Ok(Delta::Finished(finished))) => finished,
        other => panic!("no end: {other:?}"),
    }
}

fn problem(finished: &Finished) -> String {
    let call = finished.message.tool_calls().next().expect("a call");
    assert_eq!(call.name, REPLY_FORMAT);
    assert_eq!(finished.stop, StopReason::ToolUse);
    call.arguments.clone()
}

#[test]
fn text_is_held_back_to_its_end_with_signs_of_life_meanwhile() {
    let (deltas, _) = ask_with(tools(), vec![says(&response("read", "\"src/main.rs\""))]);
    let deltas: Vec<Delta> = deltas
        .into_iter()
        .map(|delta| delta.expect("no error"))
        .collect();
    let (last, before) = deltas.split_last().expect("deltas");
    let (text, before) = before.split_last().expect("deltas");
    assert_eq!(*text, Delta::Text("I look.".into()));
    let mut counted = 0;
    for delta in before {
        let Delta::ToolCall {
            index: 0,
            name,
            bytes,
        } = delta
        else {
            panic!("{delta:?} came before the end");
        };
        assert!(name.is_empty() && *bytes > counted);
        counted = *bytes;
    }
    assert_eq!(counted, response("read", "\"src/main.rs\"").len());
    let Delta::Finished(done) = last else {
        panic!("no end")
    };
    let call = ToolCallPart::new(CallId::new("md_1_0"), "read", r#"{"path":"src/main.rs"}"#);
    assert_eq!(
        done.message.parts,
        [Part::text("I look."), Part::ToolCall(call)]
    );
    assert_eq!(
        (done.stop, done.message.stop),
        (StopReason::ToolUse, Some(StopReason::ToolUse))
    );
    assert_eq!(done.usage.map(|usage| usage.input), Some(10));
    assert_eq!(done.todo, None);
}

#[test]
fn the_task_list_of_a_reply_is_given_and_returned_to_the_model() {
    let reply = "# Agent Response\n## Thoughts\nI look.\n## Task List\n[x] one\n[~] two\n## Tool Choice\nread\n## Tool Input\n\"a\"";
    let done = ask(says(reply));
    let todo = done.todo.clone().expect("a list");
    let statuses: Vec<TodoStatus> = todo.iter().map(|item| item.status).collect();
    assert_eq!(statuses, [TodoStatus::Completed, TodoStatus::InProgress]);
    let model = Scripted::new([says("x")]);
    let dialect = Markdown::new(Arc::clone(&model) as Arc<dyn Model>);
    collect(dialect.stream(request(tools(), [Message::user("a"), done.message])));
    let said = model.asked()[0].entries[1].message.text();
    assert!(
        said.contains("\n\n## Task List\n[x] one\n[~] two\n\n## Tool Choice\nread\n"),
        "{said}"
    );
}

#[test]
fn an_answer_ends_the_run_and_its_thoughts_are_reasoning() {
    let (deltas, _) = ask_with(tools(), vec![says(&response("ANSWER", "It works."))]);
    assert!(matches!(&deltas[deltas.len() - 3], Ok(Delta::Reasoning(text)) if text == "I look."));
    assert!(matches!(&deltas[deltas.len() - 2], Ok(Delta::Text(text)) if text == "It works."));
    let done = ask(says(&response("ANSWER", "It works.")));
    assert_eq!(
        (done.message.text().as_str(), done.stop),
        ("It works.", StopReason::EndTurn)
    );
    assert!(done.message.tool_calls().next().is_none());
    let model = Scripted::new([says("x")]);
    let dialect = Markdown::new(Arc::clone(&model) as Arc<dyn Model>);
    collect(dialect.stream(request(
        tools(),
        [Message::user("a"), done.message, Message::user("b")],
    )));
    assert_eq!(
        model.asked()[0].entries[1].message.text(),
        response("answer", "It works.")
    );
}

#[test]
fn reasoning_passes_through_and_is_kept_apart_from_the_history() {
    let mut message = Message::assistant(response("read", "\"a\""));
    message.parts.insert(
        0,
        Part::Reasoning {
            text: String::from("Hm."),
            signature: Some(String::from("signed")),
            provider: Some(String::from("somebody")),
        },
    );
    let reply = vec![
        Ok(Delta::Reasoning("Hm.".into())),
        Ok(whole(message, StopReason::EndTurn)),
    ];
    let (deltas, _) = ask_with(tools(), vec![reply]);
    assert!(matches!(&deltas[0], Ok(Delta::Reasoning(text)) if text == "Hm."));
    let Some(Ok(Delta::Finished(done))) = deltas.last() else {
        panic!("no end")
    };
    let kept = Part::Reasoning {
        text: String::from("Hm."),
        signature: None,
        provider: None,
    };
    assert_eq!(done.message.parts[0], kept);
    assert_eq!(texts(&done.message), ["I look."]);
}

#[test]
fn a_response_inside_reasoning_that_never_ended_counts_when_there_is_no_text() {
    let part = Part::Reasoning {
        text: format!("I think.\n{}", response("read", "\"a\"")),
        signature: None,
        provider: None,
    };
    let message = Message::new(Role::Assistant, Origin::Model, vec![part]);
    let done = ask(vec![Ok(whole(message, StopReason::EndTurn))]);
    assert_eq!(
        done.message.tool_calls().next().expect("a call").name,
        "read"
    );
}

#[test]
fn only_a_new_task_list_leads_to_the_next_step_at_once() {
    let update = "# Agent Response\n## Thoughts\nA plan.\n## Task List\n[~] one\n## Tool Choice\nUPDATE_TASK_LIST\n## Tool Input\n";
    let replies = vec![says(update), says(&response("read", "\"a\""))];
    let (mut deltas, model) = ask_with(tools(), replies);
    let Some(Ok(Delta::Finished(done))) = deltas.pop() else {
        panic!("no end")
    };
    assert_eq!(
        done.todo.as_ref().map(|list| list[0].text.as_str()),
        Some("one")
    );
    assert_eq!(texts(&done.message), ["I look."]);
    assert_eq!(
        done.usage.map(|usage| (usage.input, usage.output)),
        Some((20, 10))
    );
    let asked = model.asked();
    assert_eq!(asked.len(), 2);
    assert!(
        deltas
            .iter()
            .any(|delta| matches!(delta, Ok(Delta::Reasoning(text)) if text == "A plan."))
    );
    let said: Vec<String> = asked[1]
        .entries
        .iter()
        .map(|entry| entry.message.text())
        .collect();
    assert!(said[1].contains("[~] one") && said[1].contains("update_task_list"));
    assert!(said[2].starts_with("The task list was updated."));
    let ends = deltas
        .iter()
        .filter(|delta| matches!(delta, Ok(Delta::Finished(_))))
        .count();
    assert_eq!(ends, 0);
    // The next request says all of it again, word for word.
    let model = Scripted::new([says("x")]);
    let dialect = Markdown::new(Arc::clone(&model) as Arc<dyn Model>);
    collect(dialect.stream(request(tools(), [Message::user("Do it."), done.message])));
    let again: Vec<String> = model.asked()[0]
        .entries
        .iter()
        .map(|entry| entry.message.text())
        .collect();
    assert_eq!(again[..3], said[..]);
    assert_eq!(again[3], response("read", "\"a\""));
}

#[test]
fn a_model_that_only_ever_changes_its_list_is_told_so() {
    let update = response("UPDATE_TASK_LIST", "");
    let replies = (0..9).map(|_| says(&update)).collect();
    let (mut deltas, model) = ask_with(tools(), replies);
    let Some(Ok(Delta::Finished(done))) = deltas.pop() else {
        panic!("no end")
    };
    assert!(problem(&done).contains("only the task list changed, 4 times in a row"));
    assert_eq!(model.asked().len(), 4);
}

#[test]
fn where_there_is_a_tool_for_the_list_it_is_called_with_the_list_of_the_reply() {
    let item = json!({"type": "object", "properties": {"content": {"type": "string"}, "status": {"type": "string"}}});
    let mut tools = tools();
    tools.push(tool(
        "todowrite",
        &["items"],
        json!({"items": {"type": "array", "items": item}}),
    ));
    let update = "# Agent Response\n## Task List\n[~] one\n## Tool Choice\nUPDATE_TASK_LIST\n## Tool Input\n";
    let (mut deltas, _) = ask_with(tools, vec![says(update)]);
    let Some(Ok(Delta::Finished(done))) = deltas.pop() else {
        panic!("no end")
    };
    let call = done.message.tool_calls().next().expect("a call");
    assert_eq!(call.name, "todowrite");
    assert_eq!(
        call.arguments,
        r#"{"items":[{"content":"one","status":"in_progress"}]}"#
    );
}

#[test]
fn whatever_is_cut_by_the_limit_of_tokens_is_not_run() {
    for scenario in scenarios() {
        let text = &scenario.reply;
        for cut in (0..=text.len())
            .step_by(5)
            .filter(|&cut| text.is_char_boundary(cut))
        {
            let done = ask(ends(&text[..cut], StopReason::MaxTokens));
            match done.message.tool_calls().next() {
                Some(_) => assert!(
                    problem(&done).contains("cut off at the output limit"),
                    "{}",
                    scenario.name
                ),
                None => assert_eq!(done.stop, StopReason::MaxTokens, "{}", scenario.name),
            }
        }
    }
}

#[test]
fn an_empty_reply_and_prose_go_back_to_the_model() {
    assert!(problem(&ask(says(""))).contains("the reply was empty"));
    let done = ask(says("All done!"));
    assert!(problem(&done).contains("no `# Agent Response` heading"));
    assert_eq!(texts(&done.message), ["All done!"]);
}

#[test]
fn what_the_filter_stopped_is_not_asked_for_again() {
    let done = ask(ends("I cannot", StopReason::ContentFilter));
    assert_eq!(
        (done.stop, done.message.text().as_str()),
        (StopReason::ContentFilter, "I cannot")
    );
    assert!(done.message.tool_calls().next().is_none());
}

#[test]
fn calls_in_other_ways_of_writing_are_understood_and_flagged() {
    let done = ask(says(
        "I look.\n<tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}</tool_call>",
    ));
    let call = done.message.tool_calls().next().expect("a call");
    assert_eq!((call.name.as_str(), call.form), ("read", CallForm::Text));
    assert_eq!(
        done.repairs,
        ["a call of read was written as text (<tool_call>)"]
    );
}

#[test]
fn calls_that_a_server_made_of_the_text_are_taken_as_they_are() {
    let mut message = Message::assistant("I look.");
    let call = ToolCallPart::new(CallId::new("c"), "read", "{}");
    message.parts.push(Part::ToolCall(call.clone()));
    let done = ask(vec![Ok(whole(message, StopReason::ToolUse))]);
    assert_eq!(
        done.message.parts,
        [Part::text("I look."), Part::ToolCall(call)]
    );
}

#[test]
fn an_error_passes_through_and_ends_the_stream() {
    let error = ModelError::new(ModelErrorKind::Broken, "it broke")
        .with_partial(Message::assistant("# Agent"));
    let reply = vec![
        Ok(Delta::Text("# Agent".into())),
        Err(error),
        Ok(Delta::Text("never".into())),
    ];
    let (deltas, _) = ask_with(tools(), vec![reply]);
    assert_eq!(deltas.len(), 2);
    let error = deltas[1].as_ref().expect_err("the error");
    assert_eq!(
        error
            .partial
            .as_ref()
            .map(|partial| partial.text())
            .as_deref(),
        Some("# Agent")
    );
}

#[test]
fn the_ids_of_calls_do_not_depend_on_chance() {
    let ids = |finished: Finished| -> Vec<String> {
        finished
            .message
            .tool_calls()
            .map(|call| call.id.as_str().to_owned())
            .collect()
    };
    let model = Scripted::new([
        says(&response("read", "\"a\"\n\"b\"")),
        says(&response("read", "\"c\"")),
    ]);
    let dialect = Markdown::new(Arc::clone(&model) as Arc<dyn Model>);
    let first = finished(dialect.stream(request(tools(), [Message::user("a")])));
    assert_eq!(ids(first.clone()), ["md_1_0", "md_1_1"]);
    let second = finished(dialect.stream(request(tools(), [Message::user("a"), first.message])));
    assert_eq!(ids(second), ["md_2_0"]);
}
