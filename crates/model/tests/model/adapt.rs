//! A model that learns from refusals, with a scripted server behind it.

use crate::adapt_stage::*;
use futures_util::{FutureExt as _, StreamExt as _};
use std::collections::BTreeSet;
use std::sync::Arc;
use tenon_model::{
    Adaptive, Build, Configured, ContentNull, Delta, Dialect, Entry, Forgetful, MaxTokensField,
    Memory, Model, ModelError, ModelErrorKind, Quirks, Remedy, ReturnReasoning, Variant,
};
use tenon_vocab::Message;

#[test]
fn a_refused_field_is_left_out_told_and_learned_once() {
    let server = wants_without(&["temperature"]);
    let notes = Arc::new(Notes::default());
    let model = adaptive(&server, Dialect::Auto, &notes);
    let outcome = ask(&model, request());
    assert_eq!(outcome.text, "yes");
    assert_eq!(outcome.told.len(), 1);
    assert!(outcome.told[0].message.contains("`temperature`"));
    let hint = outcome.told[0].hint.as_deref().expect("a hint");
    assert!(hint.contains("quirks.omit: [\"temperature\"]"), "{hint}");
    assert_eq!(model.identity().quirks, ["omit:temperature"]);
    assert_eq!(notes.learned(), [omit("temperature")]);
    assert_eq!(server.requests(), 2);

    let again = ask(&model, request());
    assert!(again.told.is_empty());
    assert_eq!(server.requests(), 3);
    assert_eq!(notes.learned().len(), 1);
}

#[test]
fn several_refusals_in_a_row_are_all_learned() {
    let server = wants_without(&["temperature", "top_p", "stream_options", "tool_choice"]);
    let notes = Arc::new(Notes::default());
    let outcome = ask(&adaptive(&server, Dialect::Auto, &notes), request());
    assert_eq!(outcome.text, "yes");
    assert_eq!(outcome.told.len(), 4);
    assert_eq!(notes.learned().len(), 4);
}

#[test]
fn after_eight_changes_the_refusal_is_the_error() {
    let server = wants_without(&[
        "temperature",
        "top_p",
        "stream_options",
        "tool_choice",
        "parallel_tool_calls",
        "reasoning_effort",
        "include",
        "prompt_cache_key",
        "thinking",
    ]);
    let notes = Arc::new(Notes::default());
    let model = adaptive(&server, Dialect::Auto, &notes);
    let outcome = ask(&model, request());
    assert_eq!(outcome.error.expect("an error").message, "refused");
    assert_eq!(server.requests(), 9);
    assert!(notes.learned().is_empty(), "nothing helped");
    assert!(model.identity().quirks.is_empty(), "nothing is kept");
}

#[test]
fn what_does_not_help_is_not_tried_twice_and_not_learned() {
    let server = Server::new(|_, _| Reaction::Refuses(omit("temperature")));
    let notes = Arc::new(Notes::default());
    let model = adaptive(&server, Dialect::Auto, &notes);
    let outcome = ask(&model, request());
    assert!(outcome.error.is_some());
    assert_eq!(server.requests(), 2);
    assert!(notes.learned().is_empty());
}

#[test]
fn nothing_is_asked_again_once_content_has_come() {
    let server = Server::new(|_, _| Reaction::BreaksAfter("half", omit("temperature")));
    let notes = Arc::new(Notes::default());
    let outcome = ask(&adaptive(&server, Dialect::Auto, &notes), request());
    assert_eq!(outcome.text, "half");
    assert!(outcome.error.is_some() && outcome.told.is_empty());
    assert_eq!(server.requests(), 1);
}

#[test]
fn an_error_without_a_remedy_passes_unchanged() {
    let server = Server::new(|_, _| Reaction::RefusesAs(ModelErrorKind::Unavailable, None));
    let outcome = ask(
        &adaptive(&server, Dialect::Auto, &Arc::default()),
        request(),
    );
    let error = outcome.error.expect("an error");
    assert_eq!(error.kind, ModelErrorKind::Unavailable);
    assert_eq!(server.requests(), 1);
}

#[test]
fn a_field_that_makes_a_request_what_it_is_is_never_left_out() {
    for field in ["model", "messages", "input", "tools", "stream", "x", ""] {
        let server = Server::new(move |_, _| Reaction::Refuses(omit(field)));
        let notes = Arc::new(Notes {
            known: vec![omit(field)],
            ..Notes::default()
        });
        let model = adaptive(&server, Dialect::Auto, &notes);
        let outcome = ask(&model, request());
        assert!(outcome.error.is_some(), "{field}");
        assert_eq!(server.requests(), 1, "{field}");
        assert!(model.variant().quirks.omit.is_empty(), "{field}");
    }
}

/// A server without tools.
fn toolless() -> Arc<Server> {
    Server::new(|variant, _| match variant.dialect {
        Dialect::Markdown => Reaction::Answers,
        _ => Reaction::Refuses(Remedy::Markdown),
    })
}

#[test]
fn a_server_without_tools_is_spoken_to_in_markdown_with_its_missing_flag_named() {
    let server = toolless();
    let notes = Arc::new(Notes::default());
    let model = adaptive(&server, Dialect::Auto, &notes);
    assert_eq!(model.identity().dialect, "native");
    let outcome = ask(&model, request());
    assert_eq!(outcome.text, "yes");
    assert_eq!(
        outcome.told[0].hint.as_deref(),
        Some("start it with --tools")
    );
    assert_eq!(model.identity().dialect, "markdown");
    assert_eq!(notes.learned(), [Remedy::Markdown]);
}

#[test]
fn the_dialect_of_the_configuration_is_not_changed() {
    let server = toolless();
    let notes = Arc::new(Notes {
        known: vec![Remedy::Markdown],
        ..Notes::default()
    });
    let native = adaptive(&server, Dialect::Native, &notes);
    let outcome = ask(&native, request());
    assert!(outcome.error.is_some() && outcome.told.is_empty());
    assert_eq!(native.identity().dialect, "native");
    assert_eq!(server.requests(), 1);

    let markdown = adaptive(&server, Dialect::Markdown, &Arc::default());
    assert_eq!(markdown.identity().dialect, "markdown");
    assert_eq!(ask(&markdown, request()).text, "yes");
}

#[test]
fn what_is_remembered_holds_from_the_first_request_on() {
    let server = Server::new(|_, _| Reaction::Answers);
    let known = vec![
        omit("top_p"),
        Remedy::MaxTokensField {
            field: MaxTokensField::MaxCompletionTokens,
        },
        Remedy::ContentNull {
            content: ContentNull::Null,
        },
        Remedy::ReturnReasoning {
            reasoning: ReturnReasoning::ReasoningContent,
        },
        Remedy::Markdown,
        // These two are about one request and may stand in no memory.
        Remedy::MaxTokens { most: 1 },
        Remedy::NoImages,
    ];
    let notes = Arc::new(Notes {
        known,
        ..Notes::default()
    });
    let model = adaptive(&server, Dialect::Auto, &notes);
    assert!(ask(&model, request()).told.is_empty());
    let expected = Variant {
        quirks: Quirks {
            omit: BTreeSet::from([String::from("top_p")]),
            max_tokens_field: MaxTokensField::MaxCompletionTokens,
            content_null: ContentNull::Null,
            return_reasoning: ReturnReasoning::ReasoningContent,
            ..Quirks::default()
        },
        dialect: Dialect::Markdown,
    };
    assert_eq!(server.variants(), [expected]);
    assert_eq!(server.last().max_tokens(), None);
    assert_eq!(server.built.lock().expect("built").len(), 1, "one client");
}

#[test]
fn the_answer_is_made_shorter_for_this_request_only() {
    let server = Server::new(|_, request| match request.max_tokens() {
        Some(most) if most <= 500 => Reaction::Answers,
        _ => Reaction::RefusesAs(
            ModelErrorKind::ContextOverflow,
            Some(Remedy::MaxTokens { most: 500 }),
        ),
    });
    let notes = Arc::new(Notes::default());
    let model = adaptive(&server, Dialect::Auto, &notes);
    for asked in [None, Some(4096)] {
        let mut request = request();
        request.parameters.max_tokens = asked;
        let outcome = ask(&model, request);
        assert_eq!(outcome.text, "yes");
        assert_eq!(outcome.told.len(), 1, "each time anew");
        assert_eq!(server.last().max_tokens(), Some(500));
    }
    assert!(notes.learned().is_empty());
    // What was asked for is already that short: nothing would change.
    let stubborn = Server::new(|_, _| {
        Reaction::RefusesAs(
            ModelErrorKind::ContextOverflow,
            Some(Remedy::MaxTokens { most: 500 }),
        )
    });
    let mut short = request();
    short.parameters.max_tokens = Some(400);
    let outcome = ask(&adaptive(&stubborn, Dialect::Auto, &notes), short);
    let error = outcome.error.expect("an error");
    assert_eq!(error.kind, ModelErrorKind::ContextOverflow);
    assert_eq!(stubborn.requests(), 1);
}

#[test]
fn the_models_own_limit_holds_for_the_session_but_is_not_learned() {
    let server = Server::new(|_, request| match request.max_tokens() {
        Some(most) if most <= 8192 => Reaction::Answers,
        _ => Reaction::Refuses(Remedy::MaxTokens { most: 8192 }),
    });
    let notes = Arc::new(Notes::default());
    let model = adaptive(&server, Dialect::Auto, &notes);
    let mut long = request();
    long.parameters.max_tokens = Some(64_000);
    assert_eq!(ask(&model, long.clone()).told.len(), 1);
    assert_eq!(ask(&model, long).told.len(), 0);
    assert_eq!(server.requests(), 3);
    assert!(notes.learned().is_empty());
}

#[test]
fn two_requests_side_by_side_learn_both() {
    let server = Server::new(|variant, request| {
        let field = match request.entries[0].message.text().as_str() {
            "a" => "temperature",
            _ => "top_p",
        };
        match variant.quirks.omits(field) {
            true => Reaction::Answers,
            false => Reaction::Refuses(omit(field)),
        }
    });
    let notes = Arc::new(Notes::default());
    let model = adaptive(&server, Dialect::Auto, &notes);
    let of = |text: &str| request_of(vec![Arc::new(Entry::new(Arc::new(Message::user(text))))]);
    let (mut first, mut second) = (model.stream(of("a")), model.stream(of("b")));
    // Both are refused before either learned anything.
    for stream in [&mut first, &mut second] {
        let told = stream.next().now_or_never().expect("ready");
        assert!(matches!(told, Some(Ok(Delta::Adapted(_)))), "{told:?}");
    }
    for stream in [&mut first, &mut second] {
        let text = stream.next().now_or_never().expect("ready");
        assert!(matches!(text, Some(Ok(Delta::Text(_)))), "{text:?}");
    }
    assert_eq!(model.identity().quirks, ["omit:temperature", "omit:top_p"]);
    assert_eq!(notes.learned(), [omit("temperature"), omit("top_p")]);
}

#[test]
fn a_model_that_cannot_be_built_is_an_error_at_the_start_and_none_later() {
    let broken: Build = Box::new(|_| {
        Err(ModelError::new(
            ModelErrorKind::Configuration,
            "no such host",
        ))
    });
    let made = Adaptive::new(broken, Configured::default(), Arc::new(Forgetful));
    assert_eq!(made.expect_err("an error").message, "no such host");

    let server = wants_without(&["temperature"]);
    let good = build(&server);
    let once: Build = Box::new(move |variant| match variant.quirks.omit.is_empty() {
        true => good(variant),
        false => Err(ModelError::new(ModelErrorKind::Configuration, "odd")),
    });
    let model = Adaptive::new(once, Configured::default(), Arc::new(Forgetful));
    let outcome = ask(&model.expect("a model"), request());
    assert_eq!(
        outcome.error.expect("the server's own").message,
        "refused",
        "what the server said is the error"
    );
}

#[test]
fn thinking_that_is_not_supported_is_left_out_in_every_formats_words() {
    let server = wants_without(&["thinking"]);
    let model = adaptive(&server, Dialect::Auto, &Arc::default());
    assert_eq!(ask(&model, request()).text, "yes");
    assert_eq!(
        model.identity().quirks,
        ["omit:reasoning_effort", "omit:thinking"]
    );
}

#[test]
fn the_identity_is_the_one_that_is_tried_while_it_is_tried() {
    let server = wants_without(&["temperature"]);
    let model = adaptive(&server, Dialect::Auto, &Arc::default());
    let mut stream = model.stream(request());
    let told = stream.next().now_or_never().expect("ready");
    assert!(matches!(told, Some(Ok(Delta::Adapted(_)))), "{told:?}");
    assert_eq!(model.identity().quirks, ["omit:temperature"]);
    // Cancelled before it was known whether that helps.
    drop(stream);
    assert!(model.identity().quirks.is_empty());
}

#[test]
fn what_the_user_wrote_is_not_changed_by_what_was_learned() {
    let lessons = vec![
        omit("top_p"),
        Remedy::MaxTokensField {
            field: MaxTokensField::MaxCompletionTokens,
        },
        Remedy::ContentNull {
            content: ContentNull::Null,
        },
        Remedy::ReturnReasoning {
            reasoning: ReturnReasoning::ReasoningContent,
        },
    ];
    let names = [
        "omit",
        "max_tokens_field",
        "content_null",
        "return_reasoning",
    ];
    for (at, name) in names.into_iter().enumerate() {
        let server = Server::new(|_, _| Reaction::Answers);
        let notes = Arc::new(Notes {
            known: lessons.clone(),
            ..Notes::default()
        });
        let configured = Configured {
            written: BTreeSet::from([name.to_owned()]),
            ..Configured::default()
        };
        let model = Adaptive::new(build(&server), configured, notes).expect("a model");
        let quirks = model.identity().quirks.clone();
        assert_eq!(quirks.len(), 3, "{name}: {quirks:?}");
        let could = model.variant().adapted(&lessons[at], Dialect::Auto);
        assert!(could.is_some(), "{name} is as it was written");
    }
}

#[test]
fn a_refusal_of_what_the_user_wrote_is_cured_for_the_session_and_not_learned() {
    let server = wants_without(&["temperature"]);
    let notes = Arc::new(Notes::default());
    let configured = Configured {
        quirks: Quirks {
            omit: BTreeSet::from([String::from("top_p")]),
            ..Quirks::default()
        },
        written: BTreeSet::from([String::from("omit")]),
        ..Configured::default()
    };
    let memory = Arc::clone(&notes) as Arc<dyn Memory>;
    let model = Adaptive::new(build(&server), configured, memory).expect("a model");
    let outcome = ask(&model, request());
    assert_eq!(outcome.text, "yes");
    let hint = outcome.told[0].hint.as_deref().expect("a hint");
    assert!(
        hint.contains("quirks.omit: [\"temperature\",\"top_p\"]"),
        "the whole list, since it takes the place of the other: {hint}"
    );
    assert!(ask(&model, request()).told.is_empty());
    assert!(notes.learned().is_empty());
}

#[test]
fn a_parameter_of_the_user_that_a_lesson_leaves_out_is_said_to_be_once() {
    let server = Server::new(|_, _| Reaction::Answers);
    let notes = Arc::new(Notes {
        known: vec![omit("temperature"), omit("thinking"), omit("top_p")],
        ..Notes::default()
    });
    let model = adaptive(&server, Dialect::Auto, &notes);
    assert!(ask(&model, request()).told.is_empty(), "nothing was set");
    let mut warm = request();
    warm.parameters.temperature = Some(0.5);
    let outcome = ask(&model, warm.clone());
    assert_eq!(outcome.text, "yes");
    assert_eq!(outcome.told.len(), 1);
    assert!(
        outcome.told[0]
            .message
            .contains("setting `temperature` is not sent")
    );
    let hint = outcome.told[0].hint.as_deref().expect("a hint");
    assert!(hint.contains("tenon models --forget"), "{hint}");
    assert!(ask(&model, warm.clone()).told.is_empty(), "once");
    warm.parameters.reasoning_effort = Some(String::from("high"));
    let outcome = ask(&model, warm);
    assert!(
        outcome.told[0]
            .message
            .contains("setting `reasoning_effort` is not sent")
    );
}
