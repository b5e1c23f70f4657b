//! A refusal that comes after success: HTTP 200, then an error event, as
//! gateways send it. It is learned from like any other.

use crate::exec::run;
use crate::model::Model;
use serde_json::json;
use tenon_testing::TestHome;

#[test]
fn a_refusal_inside_a_stream_is_answered_with_another_form_of_the_request() {
    for (words, kind) in [
        (
            "Unsupported parameter: 'tool_choice' is not supported.",
            "chat",
        ),
        (
            "Unsupported parameter: 'tool_choice' is not supported.",
            "responses",
        ),
        ("tool_choice: Extra inputs are not permitted", "messages"),
    ] {
        let home = TestHome::new();
        let model = Model::new(
            &json!({
                "scenarios": [],
                "default_response": {"content": "I am here."},
                "fault": {"times": 1, "error_event": {"after": 0, "type": "invalid_request_error", "message": words}},
            })
            .to_string(),
        );
        let settings = json!({"default_provider": "late", "providers": {"late": {
            "type": kind, "base_url": model.url, "model": "mock-model",
        }}});
        let path = home.path().join("late.json");
        std::fs::write(&path, settings.to_string()).unwrap();
        let mut command = model.command(&home);
        command
            .env_remove("TENON_BASE_URL")
            .env_remove("TENON_MODEL");
        command.args(["exec", "-p", "hello", "--config"]).arg(&path);
        let (code, out, err) = run(&mut command);
        assert_eq!(code, 0, "{kind}: {err}");
        assert!(out.contains("I am here."), "{kind}: {out}");
        assert!(
            err.contains("tool_choice"),
            "{kind}: said what was learned: {err}"
        );
    }
}
