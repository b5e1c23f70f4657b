//! Arguments as models write them.

use serde_json::Value;
use tenon_model::{Arguments, is_cut, make_ids_unique, parse_arguments, sendable_arguments};
use tenon_vocab::{CallId, Message, Origin, Part, Role, ToolCallPart};

#[test]
fn objects_are_read_even_when_written_badly() {
    for text in [
        r#"{"path":"a\nb"}"#,
        r#" {"path": "a\nb"} "#,
        "{\"path\":\"a\nb\"}",
        r#""{\"path\":\"a\\nb\"}""#,
    ] {
        let Arguments::Object(object) = parse_arguments(text) else {
            panic!("{text}");
        };
        assert_eq!(object["path"], Value::from("a\nb"), "{text}");
    }
}

#[test]
fn nothing_is_empty_and_not_wrong() {
    for text in ["", "  \n", "null", "\"\""] {
        assert_eq!(parse_arguments(text), Arguments::Empty, "{text:?}");
    }
    assert!(matches!(parse_arguments("{}"), Arguments::Object(_)));
}

#[test]
fn what_is_wrong_is_named() {
    for (text, said) in [
        ("[1]", "an array"),
        ("7", "a number"),
        ("true", "a boolean"),
        ("\"ls\"", "a string"),
        (r#"{"path":"no"#, "are cut off"),
        ("{path: 1}", "not valid JSON"),
        ("{}{}", "not valid JSON"),
        (&"[".repeat(100_000), "recursion limit"),
    ] {
        let Arguments::Invalid { error } = parse_arguments(text) else {
            panic!("{text}");
        };
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn a_cut_text_is_told_from_a_wrong_one() {
    assert!(is_cut(r#"{"path":"no"#));
    assert!(is_cut("{\"path\":\"two\nlin"));
    assert!(is_cut("{"));
    assert!(!is_cut(""));
    assert!(!is_cut("{}"));
    assert!(!is_cut("{path"));
}

#[test]
fn what_is_sent_back_always_parses_as_an_object() {
    for (text, sent) in [
        (r#"{ "b": 1, "a": 2 }"#, r#"{ "b": 1, "a": 2 }"#),
        ("", "{}"),
        ("null", "{}"),
        ("[1]", "{}"),
        (r#"{"path":"no"#, "{}"),
        (r#""{\"a\":1}""#, r#"{"a":1}"#),
        ("{\"a\":\"x\ny\"}", r#"{"a":"x\ny"}"#),
    ] {
        assert_eq!(sendable_arguments(text), sent, "{text}");
    }
}

#[test]
fn an_id_of_an_earlier_message_is_not_used_again() {
    let call = |id: &str| {
        Part::ToolCall(ToolCallPart {
            id: CallId::new(id),
            name: "read".into(),
            arguments: "{}".into(),
            form: tenon_vocab::CallForm::Native,
        })
    };
    let mut message = Message::new(
        Role::Assistant,
        Origin::Model,
        vec![call("call_1"), call("fresh"), call(""), call("fresh")],
    );
    let renamed = make_ids_unique(&mut message, &|id| id == "call_1");
    let ids: Vec<&str> = message.tool_calls().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call_1_1", "fresh", "call_2", "fresh_1"]);
    assert_eq!(renamed, 3);
    assert_eq!(make_ids_unique(&mut message, &|_| false), 0);
}
