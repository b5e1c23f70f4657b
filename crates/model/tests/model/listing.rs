//! Lists of models, in the shapes that servers use.

use crate::support::transcript;
use tenon_model::codec::{Chat, Codec};
use tenon_model::{ModelEntry, ModelError, ModelErrorKind, Quirks};

fn parse(body: &str) -> Result<Vec<ModelEntry>, ModelError> {
    Chat::new(Quirks::default()).parse_models(body.as_bytes())
}

#[test]
fn real_lists_are_read() {
    for (name, ids, window) in [
        ("llama_models", vec!["smollm2-135m"], Some(8192)),
        ("llamapy_models", vec!["smollm2-135m"], None),
        (
            "litellm_scripted_models",
            vec!["smollm2-135m", "mock-text", "scripted"],
            None,
        ),
    ] {
        let (_, body) = transcript(name);
        let models = parse(std::str::from_utf8(&body).expect("text")).expect("a list");
        let found: Vec<&str> = models.iter().map(|model| model.id.as_str()).collect();
        assert_eq!(found, ids, "{name}");
        assert_eq!(models[0].context_window, window, "{name}");
    }
}

#[test]
fn the_window_is_found_under_every_name() {
    for entry in [
        r#""max_model_len":32768"#,
        r#""context_length":32768"#,
        r#""max_context_length":32768"#,
        r#""max_context_length":131072,"loaded_context_length":32768"#,
        r#""meta":{"n_ctx_train":32768}"#,
        r#""meta":{"n_ctx_train":131072,"n_ctx":32768}"#,
        r#""max_input_tokens":32768"#,
        r#""context_length":"32768""#,
    ] {
        let models = parse(&format!(r#"{{"data":[{{"id":"m",{entry}}}]}}"#)).expect("a list");
        assert_eq!(models[0].context_window, Some(32768), "{entry}");
    }
    let models = parse(r#"[{"id":"m","context_length":0},{"id":"n","context_length":-1}]"#);
    assert!(
        models
            .expect("a list")
            .iter()
            .all(|model| model.context_window.is_none())
    );
}

#[test]
fn lists_of_other_shapes_are_read() {
    for body in [
        r#"{"models":[{"name":"a"},{"model":"b"}]}"#,
        r#"["a","b","a"]"#,
        r#"[{"id":"a"},{"no":"id"},{"id":""},{"id":"b"}]"#,
        r#"{"data":null,"models":["a","b"]}"#,
    ] {
        let models = parse(body).expect("a list");
        let ids: Vec<&str> = models.iter().map(|model| model.id.as_str()).collect();
        assert_eq!(ids, ["a", "b"], "{body}");
    }
}

#[test]
fn what_is_no_list_is_an_error_with_a_hint() {
    for body in ["", "<html>", "{}", "{\"data\":{}}", "7"] {
        let error = parse(body).expect_err("no list");
        assert_eq!(error.kind, ModelErrorKind::Protocol, "{body}");
        assert!(error.hint.is_some(), "{body}");
    }
    let error = parse(r#"{"error":{"message":"no"}}"#).expect_err("an error");
    assert!(error.message.contains("no"));
}
