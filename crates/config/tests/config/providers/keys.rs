//! Keys, and the variables and headers that bring them.

use super::env;
use crate::support::{World, provider};
use tenon_config::KeySource;

#[test]
fn a_variable_that_is_not_set_is_named_with_its_place() {
    let world =
        World::new().user("{\"providers\": {\"p\": {\n\"base_url\": \"http://${NOPE}/v1\"}}}");
    assert_eq!(
        world.error(),
        "W/home/tenon.jsonc:2: `providers.p.base_url`: the variable NOPE isn't set\nset it, or write `${NAME:-default}`"
    );
    for (text, why) in [
        ("http://${", "has no closing"),
        ("http://${a b}", "isn't the name of a variable"),
        ("http://${}", "isn't the name of a variable"),
    ] {
        let world = World::new().user(&format!(
            "{{\"providers\": {{\"p\": {{\"base_url\": \"{text}\"}}}}}}"
        ));
        assert!(world.error().contains(why), "{}", world.error());
    }
}

#[test]
fn a_key_in_a_file_is_warned_about_unless_the_server_is_local() {
    let of = |url: &str| {
        World::new()
            .user(&format!(
                "{{\"providers\": {{\"p\": {{\"base_url\": \"{url}\", \"api_key\": \"k\"}}}}}}"
            ))
            .resolved()
    };
    for url in [
        "http://localhost:1",
        "http://127.0.0.1/v1",
        "http://192.168.1.5:8000",
        "http://[::1]:80",
        "http://box.local",
    ] {
        let found = of(url);
        assert_eq!(found.warnings, Vec::<String>::new(), "{url}");
        assert_eq!(found.provider.unwrap().key, KeySource::Literal("k".into()));
    }
    let found = of("https://api.example.com/v1");
    assert_eq!(found.warnings.len(), 1, "{:?}", found.warnings);
    assert!(
        found.warnings[0].contains("api_key_env"),
        "{:?}",
        found.warnings
    );
}

#[test]
fn a_wrong_way_to_send_a_key_or_a_header_is_refused() {
    let of = |field: &str| {
        World::new()
            .user(&format!(
                "{{\"providers\": {{\"p\": {{\"base_url\": \"http://x\", {field}}}}}}}"
            ))
            .error()
    };
    assert!(of("\"auth\": \"basic\"").contains("`basic` isn't a way to send a key"));
    assert!(of("\"auth\": \"header:a b\"").contains("isn't a way to send a key"));
    assert!(of("\"headers\": {\"a b\": \"x\"}").contains("this isn't a header name"));
    assert!(
        of("\"headers\": {\"a\": \"x\\ny\"}").contains("the value contains a control character")
    );
    assert!(of("\"preset\": \"opnai\"").ends_with("did you mean `openai`?"));
}

#[test]
fn the_key_of_a_variable_is_never_sent_to_a_provider_that_a_flag_or_a_file_names() {
    let world = World::new().env("TENON_API_KEY", "k");
    let found = world.resolve_with(&provider("groq")).unwrap().provider;
    assert_eq!(found.unwrap().key, env(&["GROQ_API_KEY"]));
    let world = world.user(r#"{"providers": {"a": {"base_url": "http://a"}}}"#);
    assert_eq!(world.resolved().provider.unwrap().key, KeySource::None);
}

#[test]
fn what_is_no_name_of_a_variable_is_refused_and_never_repeated() {
    for wrong in [
        r#""sk-proj-1234567890abcdef""#,
        r#"["GOOD_NAME", "gsk_1234567890abcdefghij"]"#,
        r#""$WORK_KEY""#,
        r#""${WORK_KEY}""#,
        r#""two words""#,
        r#""""#,
        r#""1KEY""#,
    ] {
        let world = World::new().user(&format!(
            r#"{{"providers": {{"a": {{"base_url": "http://a", "api_key_env": {wrong}}}}}}}"#
        ));
        let error = world.error();
        assert!(
            error.contains("`providers.a.api_key_env`: this isn't the name of a variable"),
            "{error}"
        );
        for part in ["1234567890", "WORK_KEY", "two words"] {
            assert!(!error.contains(part), "{error}");
        }
        assert_eq!(
            error.contains("without `$`"),
            wrong.contains('$'),
            "{error}"
        );
        let loaded = world.loaded();
        let (_, entry) = loaded
            .iter()
            .find(|(key, _)| *key == "providers.a.api_key_env")
            .unwrap();
        assert_eq!(entry.shown(), "(hidden)");
    }
    for name in [
        "WORK_KEY",
        "_k",
        "my_key",
        "Key2",
        "A_VERY_LONG_NAME_OF_A_KEY_2",
    ] {
        let world = World::new().user(&format!(
            r#"{{"providers": {{"a": {{"base_url": "http://a", "api_key_env": "{name}"}}}}}}"#
        ));
        assert_eq!(world.resolved().provider.unwrap().key, env(&[name]));
    }
}
