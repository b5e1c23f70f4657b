//! What a refusal may not decide: words that a server only repeats, and fields
//! that protect the user.

use crate::adapt_stage::{Notes, Reaction, Server, adaptive, ask, omit, request};
use serde_json::json;
use std::sync::Arc;
use tenon_model::codec::{Chat, Codec, Responses};
use tenon_model::{
    Dialect, Holds, Model, ModelError, ModelErrorKind, Quirks, Remedy, ResponsesOptions,
};

fn said(status: u16, message: &str) -> ModelError {
    let body = json!({"error": {"message": message}}).to_string();
    Chat::new(Quirks::default()).classify(status, None, body.as_bytes())
}

#[test]
fn a_server_that_failed_teaches_the_dialect_for_the_session_only() {
    for text in [
        "this model does not support tools",
        "Tools are not supported",
        "Unsupported parameter: 'tools'",
        "--enable-auto-tool-choice, says the readme",
    ] {
        for status in [500, 501, 502] {
            let error = said(status, text);
            assert_eq!(error.remedy.as_deref(), Some(&Remedy::Markdown), "{text}");
            assert_eq!(error.holds, Holds::Session, "{status} {text}");
        }
        assert_eq!(said(400, text).holds, Holds::Kept, "{text}");
    }
    for flag in [
        "tools param requires --jinja flag",
        "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
    ] {
        assert_eq!(said(500, flag).holds, Holds::Kept, "{flag}");
    }
}

#[test]
fn an_error_in_a_stream_is_no_more_believed_than_a_server_that_failed() {
    let mut decoder = Chat::new(Quirks::default()).decoder();
    let event = "data: {\"error\":{\"message\":\"the model does not support tools\"}}\n\n";
    let error = decoder
        .push(event.as_bytes(), &mut |_| {})
        .expect_err("an error");
    assert_eq!(error.remedy.as_deref(), Some(&Remedy::Markdown));
    assert_eq!(error.holds, Holds::Session);
}

#[test]
fn words_that_stand_deep_in_a_long_error_refuse_no_tools() {
    let echoed = format!(
        "Failed to render the prompt: {} This model does not support tools.",
        "the user wrote a long text ".repeat(20)
    );
    for status in [400, 500] {
        let error = said(status, &echoed);
        assert_eq!(error.remedy, None, "{status}");
    }
    // Behind a gateway's preamble they do.
    let wrapped = "litellm.BadRequestError: OllamaException - {\"error\":\"registry.ollama.ai/library/gemma:2b does not support tools\"}. Received Model Group=small\nAvailable Model Group Fallbacks=None";
    assert_eq!(
        said(400, wrapped).remedy.as_deref(),
        Some(&Remedy::Markdown)
    );
}

#[test]
fn what_holds_for_the_session_is_used_and_not_kept() {
    let server = Server::new(|variant, _| match variant.dialect {
        Dialect::Markdown => Reaction::Answers,
        _ => Reaction::Fails(Remedy::Markdown),
    });
    let notes = Arc::new(Notes::default());
    let model = adaptive(&server, Dialect::Auto, &notes);
    assert_eq!(ask(&model, request()).text, "yes");
    assert_eq!(model.identity().dialect, "markdown");
    assert!(ask(&model, request()).told.is_empty(), "learned once");
    assert!(notes.learned().is_empty(), "and for no other session");
}

#[test]
fn a_refusal_of_store_is_told_and_not_obeyed() {
    let codec = Responses::new(Quirks::default(), "o/m", ResponsesOptions::default());
    for body in [
        json!({"error": {"message": "Unknown parameter: 'store'."}}),
        json!({"error": {"message": "no", "code": "unsupported_parameter", "param": "store"}}),
        json!({"detail": [{"type": "extra_forbidden", "loc": ["body", "store"], "msg": "Extra inputs are not permitted"}]}),
        json!({"error": {"message": "property 'store' is unsupported, did you mean 'stop'?"}}),
    ] {
        let error = codec.classify(400, None, body.to_string().as_bytes());
        assert_eq!(error.remedy, None, "{body}");
        assert_eq!(error.kind, ModelErrorKind::Rejected, "{body}");
        assert!(error.message.contains("`store: false`"), "{error}");
        let hint = error.hint.unwrap_or_default();
        assert!(hint.contains("quirks.omit: [\"store\"]"), "{hint}");
    }
}

#[test]
fn a_lesson_of_an_older_version_that_leaves_store_out_is_not_followed() {
    let server = Server::new(|_, _| Reaction::Answers);
    let notes = Arc::new(Notes {
        known: vec![omit("store")],
        ..Notes::default()
    });
    let model = adaptive(&server, Dialect::Auto, &notes);
    assert!(!model.variant().quirks.omits("store"));
}

#[test]
fn a_limit_that_the_server_names_leaves_the_wish_of_the_user_alone() {
    let server = Server::new(|_, request| match request.max_tokens() {
        Some(most) if most <= 500 => Reaction::Answers,
        _ => Reaction::Refuses(Remedy::MaxTokens { most: 500 }),
    });
    let model = adaptive(&server, Dialect::Auto, &Arc::default());
    for wanted in [None, Some(64_000)] {
        let mut asked = request();
        asked.parameters.max_tokens = wanted;
        assert_eq!(ask(&model, asked).text, "yes");
        // How much a model thinks follows from this one.
        assert_eq!(server.last().parameters.max_tokens, wanted);
        assert_eq!(server.last().max_tokens(), Some(500));
    }
}
