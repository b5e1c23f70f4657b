//! A request begins with the one before it, byte for byte.

use tenon_mock::wire::chat::validate_prefix;

const BEFORE: &str =
    r#"{"model":"m","tools":[{"a": 1}],"messages":[{"role":"user","content":"é"}]}"#;

fn check(next: &str) -> Result<(), String> {
    validate_prefix(BEFORE.as_bytes(), next.as_bytes())
}

#[test]
fn accepts_the_same_messages_with_more_behind_them() {
    check(BEFORE).unwrap();
    check(r#"{"messages": [ {"role":"user","content":"é"} , {"role":"assistant","content":""}], "tools":[{"a": 1}], "stream":true}"#)
        .unwrap();
}

#[test]
fn names_the_message_that_changed_and_where() {
    let error = check(r#"{"tools":[{"a": 1}],"messages":[{"role":"user","content":"è"}]}"#);
    let error = error.unwrap_err();
    assert!(error.contains("messages[0] changed: at byte 27"), "{error}");
    assert!(error.contains('é') && error.contains('è'), "{error}");
}

#[test]
fn equal_values_in_other_bytes_are_a_change() {
    let escaped = r#"{"tools":[{"a": 1}],"messages":[{"role":"user","content":"\u00e9"}]}"#;
    assert!(check(escaped).is_err());
    let spaced = r#"{"tools":[{"a":1}],"messages":[{"role":"user","content":"é"}]}"#;
    assert!(check(spaced).unwrap_err().contains("`tools` changed"));
}

#[test]
fn messages_and_tools_may_not_go_and_tools_may_not_come() {
    let none = r#"{"tools":[{"a": 1}],"messages":[]}"#;
    assert!(check(none).unwrap_err().contains("messages[0] is gone"));
    let bare = r#"{"messages":[{"role":"user","content":"é"}]}"#;
    assert!(check(bare).unwrap_err().contains("`tools` is gone"));
    let more = r#"{"tools":[{"a": 1},{}],"messages":[{"role":"user","content":"é"}]}"#;
    assert!(check(more).unwrap_err().contains("`tools` changed"));
    let error = validate_prefix(bare.as_bytes(), BEFORE.as_bytes()).unwrap_err();
    assert!(error.contains("not there before"), "{error}");
}

#[test]
fn what_is_no_request_is_named() {
    assert!(check("nonsense").unwrap_err().contains("The next request"));
    assert!(
        validate_prefix(b"", BEFORE.as_bytes())
            .unwrap_err()
            .contains("The previous request")
    );
}
