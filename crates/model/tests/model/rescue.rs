//! The folders in `scenarios/rescue`: a message without calls as a model wrote
//! it, and the calls that are found in it. Those that begin with `no-` are
//! examples, talk and halves: nothing may be found.

use crate::dialect_scenarios::folder;
use proptest::prelude::{Strategy, any, prop, prop_oneof, proptest};
use serde_json::{Value, json};
use tenon_model::rescue::{Rescued, rescue};
use tenon_vocab::names::canonical_name;
use tenon_vocab::{CallForm, Message, Origin, Part, Role, StopReason};

const TOOLS: &[&str] = &["read", "write", "edit", "list", "grep", "bash"];

fn is_tool(name: &str) -> bool {
    TOOLS.contains(&name) || canonical_name(name).is_some_and(|name| TOOLS.contains(&name))
}

fn stop(word: Option<&str>) -> StopReason {
    match word {
        Some("max_tokens") => StopReason::MaxTokens,
        Some("content_filter") => StopReason::ContentFilter,
        _ => StopReason::EndTurn,
    }
}

fn reasoning(text: &str) -> Part {
    Part::Reasoning {
        text: text.to_owned(),
        signature: None,
        provider: None,
    }
}

/// What was found, in the words of `expected.json`.
fn shown(found: Option<&Rescued>, expected: &Value) -> Value {
    let mut shown = json!({});
    for key in ["in", "stop"] {
        if let Some(value) = expected.get(key) {
            shown[key] = value.clone();
        }
    }
    let Some(rescued) = found else {
        shown["calls"] = json!([]);
        return shown;
    };
    let calls = rescued.message.tool_calls().map(|call| {
        assert_eq!(call.form, CallForm::Text);
        let note = rescued.notes.iter().find_map(|note| {
            note.strip_prefix(&format!("a call of {} was written as text (", call.name))
        });
        let form = note
            .and_then(|note| note.strip_suffix(')'))
            .expect("a note for each call");
        let input: Value = serde_json::from_str(&call.arguments).expect("an object");
        json!({"name": call.name, "form": form, "input": input})
    });
    shown["calls"] = calls.collect();
    shown["text"] = json!(rescued.message.text());
    shown
}

#[test]
fn calls_are_found_where_a_folder_says_so_and_nowhere_else() {
    let mut wrong = Vec::new();
    let mut negative = 0;
    for path in folder("rescue") {
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let reply = std::fs::read_to_string(path.join("reply.txt")).expect("a reply");
        let expected =
            std::fs::read_to_string(path.join("expected.json")).expect("what is expected");
        let expected: Value = serde_json::from_str(&expected).expect("JSON");
        let part = match expected.get("in").and_then(Value::as_str) {
            Some("reasoning") => reasoning(&reply),
            _ => Part::text(reply),
        };
        let mut message = Message::new(Role::Assistant, Origin::Model, vec![part]);
        message.stop = Some(stop(expected.get("stop").and_then(Value::as_str)));
        let found = rescue(&message, &is_tool);
        assert_eq!(
            name.split_once('-')
                .is_some_and(|(_, rest)| rest.starts_with("no-")),
            expected["calls"] == json!([]),
            "{name}"
        );
        negative += usize::from(found.is_none());
        let mut shown = shown(found.as_ref(), &expected);
        // One call of a tool in two forms has two notes; the folder names one.
        if let (Some(a), Some(b)) = (shown["calls"].as_array_mut(), expected["calls"].as_array()) {
            for (a, b) in a.iter_mut().zip(b) {
                let noted = format!(
                    "a call of {} was written as text ({})",
                    a["name"].as_str().unwrap_or_default(),
                    b["form"].as_str().unwrap_or_default()
                );
                if found
                    .as_ref()
                    .is_some_and(|found| found.notes.contains(&noted))
                {
                    a["form"] = b["form"].clone();
                }
            }
        }
        if shown != expected {
            wrong.push(format!(
                "{name}:\n  found    {shown}\n  expected {expected}"
            ));
        }
    }
    assert!(negative >= 20, "{negative} folders without a call");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_message_with_a_structured_call_is_left_alone() {
    let mut message = Message::assistant(
        "<tool_call>{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}</tool_call>",
    );
    assert!(rescue(&message, &is_tool).is_some());
    let call = tenon_vocab::ToolCallPart::new(tenon_vocab::CallId::new("1"), "read", "{}");
    message.parts.push(Part::ToolCall(call));
    assert_eq!(rescue(&message, &is_tool), None);
}

#[test]
fn what_stands_before_the_call_stays_and_the_stop_reason_follows() {
    let parts = vec![
        reasoning("Hm."),
        Part::text("I look.\n\n[TOOL_CALLS][{\"name\":\"list\",\"arguments\":{}}]"),
    ];
    let mut message = Message::new(Role::Assistant, Origin::Model, parts);
    message.stop = Some(StopReason::EndTurn);
    let found = rescue(&message, &is_tool).expect("a call");
    assert_eq!(
        found.message.parts[..2],
        [reasoning("Hm."), Part::text("I look.")]
    );
    assert_eq!(found.message.stop, Some(StopReason::ToolUse));
    assert_eq!(
        found
            .message
            .tool_calls()
            .next()
            .map(|call| call.arguments.as_str()),
        Some("{}")
    );
}

#[test]
fn reasoning_counts_only_without_any_text_and_never_when_it_is_signed() {
    let call = "<tool_call>{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}</tool_call>";
    let message = |parts| Message::new(Role::Assistant, Origin::Model, parts);
    assert!(rescue(&message(vec![reasoning(call)]), &is_tool).is_some());
    assert_eq!(
        rescue(
            &message(vec![reasoning(call), Part::text("The answer.")]),
            &is_tool
        ),
        None
    );
    let signed = Part::Reasoning {
        text: call.to_owned(),
        signature: Some(String::from("s")),
        provider: None,
    };
    assert_eq!(rescue(&message(vec![signed]), &is_tool), None);
}

fn likely_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<String>(),
        prop::sample::select(vec![
            "<tool_call>",
            "</tool_call>",
            "<!--",
            "- ",
            "<function=read>",
            "<parameter=path>",
            "</parameter>",
            "</function>",
            "<invoke name=\"read\">",
            "<parameter name=\"path\">",
            "</invoke>",
            "[TOOL_CALLS]",
            "[ARGS]",
            "<|python_tag|>",
            "<｜tool▁calls▁begin｜>",
            "<｜tool▁call▁begin｜>",
            "<｜tool▁sep｜>",
            "function",
            "read",
            "\n",
            "```json\n",
            "```\n",
            "{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}",
            "{\"name\": \"read\", ",
            "[",
            "]",
            "{",
            "}",
            "(",
            ")",
            "=",
            "<|channel|>commentary to=functions.read<|message|>",
            "<arg_key>",
            "</arg_key>",
            "<arg_value>",
            "</arg_value>",
            "[read(path=\"a\")]",
            "'",
            "\"",
            "`",
            "> ",
            "    ",
            "\\",
            "é",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_gives_calls_of_known_tools_with_objects_or_nothing(text in likely_text()) {
        if let Some(found) = rescue(&Message::assistant(text.clone()), &is_tool) {
            for call in found.message.tool_calls() {
                assert!(is_tool(&call.name));
                let input: Value = serde_json::from_str(&call.arguments).expect("JSON");
                assert!(input.is_object());
            }
            assert!(text.starts_with(found.message.text().as_str()));
        }
    }
}

#[test]
fn a_text_of_more_than_two_mebibytes_is_not_searched() {
    let call = |size: usize| {
        let head = "<tool_call>{\"name\":\"write\",\"arguments\":{\"path\":\"a\",\"content\":\"";
        let tail = "\"}}</tool_call>";
        format!("{head}{}{tail}", "x".repeat(size - head.len() - tail.len()))
    };
    let most = 2 * 1024 * 1024;
    assert!(rescue(&Message::assistant(call(most)), &is_tool).is_some());
    assert_eq!(rescue(&Message::assistant(call(most + 1)), &is_tool), None);
    let parts = vec![reasoning(&call(most + 1))];
    let message = Message::new(Role::Assistant, Origin::Model, parts);
    assert_eq!(rescue(&message, &is_tool), None);
}

#[test]
fn long_hostile_texts_are_read_in_one_go() {
    for piece in [
        "<tool_call>",
        "<tool_call>{",
        "`<tool_call>",
        "<function=read>",
        "<function=read><parameter=a>",
        "[",
        "[TOOL_CALLS]",
        "{",
        "<invoke name=\"read\"><parameter name=\"a\">",
        "<tool_call>read<arg_key>a</arg_key><arg_value>",
        "```json\n{\n",
        "[read(a=",
        "<tool_call>{\"name\":\"read\",\"arguments\":{}}</tool_call>",
        "<|channel|>",
        "<｜tool▁call▁begin｜>read",
        "<!--",
        "<code>\n<tool_call>",
        "- <tool_call>{\"name\":\"read\",\"arguments\":{}}\n",
    ] {
        let text = piece.repeat(200_000 / piece.len());
        assert_eq!(rescue(&Message::assistant(text), &is_tool), None, "{piece}");
    }
}
