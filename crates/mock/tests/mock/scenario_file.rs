//! What may stand in a scenario file, and what its writer is told otherwise.

use serde_json::json;
use tenon_mock::{ScenarioError, Scenarios};

fn complaint(json: &str) -> String {
    Scenarios::parse(json).unwrap_err().to_string()
}

#[test]
fn reads_the_common_scenario_file_as_it_is() {
    Scenarios::parse(include_str!("hello_world.json")).unwrap();
}

#[test]
fn reads_the_examples_of_the_documentation() {
    let page = include_str!("../../../../docs/mock.md");
    let examples: Vec<&str> = page
        .split("```json\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    let [file, step, disguised] = examples[..] else {
        panic!("{} examples", examples.len())
    };
    Scenarios::parse(file).unwrap();
    Scenarios::parse(disguised).unwrap();
    Scenarios::parse(&format!(
        r#"{{"scenarios": [{{"trigger": "", "steps": [{step}]}}]}}"#
    ))
    .unwrap();
}

#[test]
fn reads_a_file_with_a_byte_order_mark() {
    Scenarios::parse("\u{feff}{\"scenarios\": []}").unwrap();
}

#[test]
fn an_unknown_key_is_an_error_with_place_and_suggestion() {
    let json = "{\n  \"scenarios\": [\n    {\"triger\": \"x\", \"steps\": []}\n  ]\n}";
    let error = Scenarios::parse(json).unwrap_err();
    assert_eq!(error.position(), Some((3, 13)));
    let text = error.to_string();
    assert!(text.contains("line 3, column 13"), "{text}");
    assert!(
        text.contains("unknown key `triger`. Did you mean `trigger`?"),
        "{text}"
    );
}

#[test]
fn unknown_keys_are_errors_at_every_depth() {
    for (value, word) in [
        (json!({"scenarios": [], "default": {}}), "default_response"),
        (
            json!({"scenarios": [{"trigger": "", "steps": [{"reponse": {}}]}]}),
            "response",
        ),
        (
            json!({"scenarios": [{"trigger": "", "steps": [{"response": {"contents": ""}}]}]}),
            "content",
        ),
        (
            json!({"scenarios": [{"trigger": "", "steps": [{"response": {}, "fault": {"cut_after": 1}}]}]}),
            "cut_after_bytes",
        ),
        (
            json!({"scenarios": [{"trigger": "", "shape": "no_id", "steps": [{"response": {}}]}]}),
            "no_ids",
        ),
    ] {
        let text = complaint(&value.to_string());
        assert!(text.contains(&format!("Did you mean `{word}`?")), "{text}");
    }
}

#[test]
fn a_word_like_nothing_known_gets_the_list_and_no_guess() {
    let text = complaint(r#"{"scenarios": [], "zzz": 1}"#);
    assert!(!text.contains("Did you mean"), "{text}");
    assert!(
        text.contains("Known here: scenarios, default_response, scope,"),
        "{text}"
    );
}

#[test]
fn broken_json_is_named_with_its_place() {
    let error = Scenarios::parse("{\"scenarios\": [\n  nonsense").unwrap_err();
    assert_eq!(error.position().map(|(line, _)| line), Some(2));
}

#[test]
fn impossible_values_are_errors() {
    let step = |extra: &str| {
        format!(r#"{{"scenarios": [{{"trigger": "", "steps": [{{"response": {{}}, {extra}}}]}}]}}"#)
    };
    assert!(complaint(&step(r#""repeat": 0"#)).contains("nonzero"));
    assert!(complaint(&step(r#""fault": {"status": 42}"#)).contains("200 to 599"));
    assert!(complaint(&step(r#""fault": {"retry_after": []}"#)).contains("retry_after"));
    assert!(complaint(&step(r#""fault": {"retry_after": "a\nb"}"#)).contains("no header"));
    let empty = r#"{"scenarios": [{"trigger": "", "steps": []}]}"#;
    assert!(complaint(empty).contains("at least one step"));
    assert!(complaint("{}").contains("scenarios"));
    let text = complaint(r#"{"scenarios": [{"trigger": "", "steps": ["say hi"]}]}"#);
    assert!(text.contains("expected a step with `response`"), "{text}");
    assert!(complaint("[]").contains("expected an object with `scenarios`"));
}

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    let json = format!(r#"{{"scenarios": {}"#, "[".repeat(100_000));
    complaint(&json);
}

#[test]
fn a_missing_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.json");
    let error = Scenarios::load(&path).unwrap_err();
    assert!(matches!(error, ScenarioError::Read { .. }));
    assert!(error.to_string().contains("none.json"));
}

#[test]
fn an_error_in_a_file_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.json");
    std::fs::write(&path, "{").unwrap();
    let text = Scenarios::load(&path).unwrap_err().to_string();
    assert!(text.contains("broken.json, line 1"), "{text}");
}
