//! Hostile replies: no panic, no long thinking, and what is kept is stable.

use crate::dialect_support::{Scripted, collect, request, tools};
use proptest::prelude::{Strategy, any, prop, prop_oneof, proptest};
use std::sync::Arc;
use tenon_model::Model;
use tenon_model::dialect::{Markdown, Problem, parse};
use tenon_vocab::{CallId, Message, Origin, Part, Role, ToolCallPart};

/// Pieces that a reply is made of, in any order.
fn likely_reply() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<String>(),
        prop::sample::select(vec![
            "# Agent Response\n",
            "## Thoughts\n",
            "## Task List\n",
            "[x] one\n",
            "- [~] two\n",
            "## Tool Choice\n",
            "## Tool Input\n",
            "read\n",
            "WRITE_FILE\n",
            "edit\n",
            "COMMAND\n",
            "answer\n",
            "process\n",
            "patch\n",
            "github_create_issue\n",
            "list\n",
            "UPDATE_TASK_LIST\n",
            "\"a b.rs\"\n",
            "```\n",
            "```rust\n",
            "````md\n",
            "````\n",
            "~~~\n",
            "<!--\n",
            "-->\n",
            "<think>",
            "</think>\n",
            "```find\n",
            "```replace\n",
            "```json\n",
            "{\"title\": \"x\"}\n",
            "{\"title\": \"x\n",
            "Tool result of read:\n",
            "## Tool Result\n",
            "**Tool Choice:** read\n",
            "Tool Input: x\n",
            "\r\n",
            "\n",
            "  ",
            "    ",
            "kill proc_1\n",
            "src/**/*.rs\n",
            "# Agent Response",
            "é",
            "`",
            "<tool_call>",
            "cat <<EOF\n",
            "<|im_end|>",
            "<|im_start|>user\n",
            "<|im_start|>assistant\n",
            "</s>",
            "'<|im_end|>' x\n",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Any message that a history may hold.
fn any_message() -> impl Strategy<Value = Message> {
    let text = prop::sample::select(vec![
        "",
        " ",
        "ok",
        "# Agent Response\n## Tool Choice\nread",
        "```",
        "Tool result of x:",
    ]);
    let arguments = prop::sample::select(vec![
        "",
        "{}",
        "{\"path\":\"a\"}",
        "{\"path\":",
        "[]",
        "null",
        "{\"command\":\"a\\r\\nb\"}",
    ]);
    let name = prop::sample::select(vec![
        "read",
        "bash",
        "edit",
        "reply_format",
        "nobody",
        "",
        "list",
    ]);
    (0..6_usize, text, name, arguments, any::<bool>()).prop_map(
        |(kind, text, name, arguments, flag)| {
            let id = CallId::new("1");
            let call = Part::ToolCall(ToolCallPart::new(id.clone(), name, arguments));
            let result = Part::ToolResult {
                call: id,
                name: name.to_owned(),
                text: text.to_owned(),
                ok: flag,
            };
            let opaque = Part::Opaque {
                provider: String::from("markdown"),
                raw: serde_json::json!({"tasks": text}),
            };
            let (role, parts) = match kind {
                0 => (Role::User, vec![Part::text(text)]),
                1 => (Role::Assistant, vec![Part::text(text)]),
                2 => (Role::Assistant, vec![Part::text(text), call]),
                3 => (Role::Assistant, vec![opaque, call.clone(), call]),
                4 => (Role::Assistant, Vec::new()),
                _ => (Role::Tool, vec![result]),
            };
            let mut message = Message::new(role, Origin::User, parts);
            message.in_context = flag || kind != 1;
            message
        },
    )
}

proptest! {
    #[test]
    fn any_history_becomes_text_in_which_the_user_never_speaks_twice(messages in prop::collection::vec(any_message(), 0..12)) {
        let model = Scripted::new([]);
        let dialect = Markdown::new(Arc::clone(&model) as Arc<dyn Model>);
        collect(dialect.stream(request(tools(), messages)));
        let asked = model.asked();
        let sent: Vec<&Message> = asked[0].entries.iter().map(|entry| &*entry.message).collect();
        for message in &sent {
            assert!(message.role != Role::Tool && message.parts.iter().all(|part| matches!(part, Part::Text { .. })));
        }
        for two in sent.windows(2) {
            assert!(two[0].role != Role::User || two[1].role != Role::User);
        }
    }

    #[test]
    fn any_reply_is_understood_or_refused_in_words(reply in likely_reply()) {
        let tools = tools();
        match parse(&reply, &tools) {
            Ok(_) => {}
            Err(problem) => assert!(!problem.to_string().is_empty()),
        }
    }

    #[test]
    fn what_was_understood_is_written_so_that_it_is_understood_again(reply in likely_reply()) {
        is_understood_again(&reply);
    }

    #[test]
    fn files_are_written_byte_for_byte(content in "[ -~é\n`]{0,200}", path in "[a-z][a-z ]{0,10}[a-z]\\.(md|rs|py)") {
        let input = serde_json::json!({"path": path, "content": format!("{content}\n")});
        let serde_json::Value::Object(input) = input else { unreachable!() };
        let parsed = tenon_model::dialect::Parsed {
            thoughts: String::from("I write."),
            tasks: Vec::new(),
            action: tenon_model::dialect::Action::Calls(vec![tenon_model::dialect::Call {
                name: String::from("write"),
                input,
            }]),
            notes: Vec::new(),
        };
        assert_eq!(parse(&parsed.to_markdown(), &tools()), Ok(parsed));
    }
}

#[test]
fn a_reply_of_more_than_two_mebibytes_goes_back_unread() {
    let reply = |size: usize| {
        let head = "# Agent Response\n## Tool Choice\nwrite\n## Tool Input\n\"a\"\n```\n";
        let tail = "\n```";
        format!("{head}{}{tail}", "x".repeat(size - head.len() - tail.len()))
    };
    let most = 2 * 1024 * 1024;
    assert!(parse(&reply(most), &tools()).is_ok());
    assert_eq!(parse(&reply(most + 1), &tools()), Err(Problem::TooLong));
    assert_eq!(
        Problem::TooLong.to_string(),
        "the reply is longer than 2 MiB, so nothing in it was run. Work in smaller parts"
    );
}

/// What costs the square of its length would not come back.
#[test]
fn long_hostile_replies_are_read_in_one_go() {
    let tools = tools();
    for piece in [
        "# Agent Response\n",
        "```\n",
        "```x\n",
        "~~~~\n```\n",
        "## Tool Choice\nread\n## Tool Input\n\"a\"\n",
        "## Tool Input\n",
        "# Agent Response\n## Tool Choice\nwrite\n## Tool Input\n\"a\"\n```\n",
        "[ ] x\n",
        "**",
        "#",
        "\"",
        "Tool result of x\n",
        "```find\n```\n```replace\n```\n",
        "{",
        "[TOOL_CALLS]",
        "\n",
        "<!--\n",
        "<!-- -->\n",
        "```a\n```b\n```\n",
    ] {
        let body = piece.repeat(60_000 / piece.len());
        for text in [
            body.clone(),
            format!("# Agent Response\n## Tool Choice\nedit\n## Tool Input\n\"a\"\n{body}"),
            format!("# Agent Response\n## Tool Choice\nanswer\n## Tool Input\n{body}"),
        ] {
            let _ = parse(&text, &tools);
        }
    }
}

#[test]
fn a_comment_that_is_never_closed_hides_nothing_of_what_is_written_after_it() {
    is_understood_again("## Tool Choice\nlist\n## Thoughts\n[x] one\n<!--\n");
    is_understood_again("## Tool Choice\nlist\n## Thoughts\n```\n<!--\n```\n<!-- a\n```\n");
}

#[track_caller]
fn is_understood_again(reply: &str) {
    let tools = tools();
    if let Ok(mut parsed) = parse(reply, &tools) {
        parsed.notes.clear();
        let written = parsed.to_markdown();
        let mut again =
            parse(&written, &tools).unwrap_or_else(|problem| panic!("{problem}\n---\n{written}"));
        again.notes.clear();
        assert_eq!(again.action, parsed.action, "{written}\nfrom {reply:?}");
        assert_eq!(again.to_markdown(), written, "from {reply:?}");
    }
}
