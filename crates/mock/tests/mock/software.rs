//! What the server tells about itself when it pretends to be another.

use serde_json::{Value, json};
use tenon_mock::{Options, Running};

use crate::client::{ask_responses, get, post_to, start_json, streamed};

async fn server(name: &str) -> Running {
    let scenarios =
        json!({"scenarios": [], "server": name, "window": 8192, "trained_window": 65536});
    start_json(&scenarios, Options::default()).await
}

async fn told(name: &str, path: &str) -> Value {
    let reply = get(&server(name).await, path).await;
    assert_eq!(reply.status, 200, "{name} {path}");
    reply.json()
}

#[tokio::test]
async fn each_server_tells_its_window_where_the_real_one_does() {
    for (name, path, place) in [
        ("llamacpp", "/props", "/default_generation_settings/n_ctx"),
        ("llamacpp", "/v1/models", "/data/0/meta/n_ctx"),
        ("ollama", "/api/ps", "/models/0/context_length"),
        (
            "lmstudio",
            "/api/v0/models",
            "/data/0/loaded_context_length",
        ),
        (
            "lmstudio",
            "/api/v0/models/mock-model",
            "/loaded_context_length",
        ),
        ("vllm", "/v1/models", "/data/0/max_model_len"),
        (
            "litellm",
            "/v1/model/info",
            "/data/0/model_info/max_input_tokens",
        ),
        (
            "litellm",
            "/model/info",
            "/data/0/model_info/max_input_tokens",
        ),
        ("openrouter", "/v1/models", "/data/0/context_length"),
        ("anthropic", "/v1/models", "/data/0/max_input_tokens"),
    ] {
        let told = told(name, path).await;
        assert_eq!(
            told.pointer(place),
            Some(&json!(8192)),
            "{name} {path}: {told}"
        );
    }
}

#[tokio::test]
async fn the_window_of_the_training_is_told_beside_it() {
    let llama = told("llamacpp", "/v1/models").await;
    assert_eq!(llama["data"][0]["meta"]["n_ctx_train"], 65536);
    let studio = told("lmstudio", "/api/v0/models").await;
    assert_eq!(studio["data"][0]["max_context_length"], 65536);
    let ollama = server("ollama").await;
    let shown = post_to(&ollama, "/api/show", &json!({"model": "mock-model"}))
        .await
        .json();
    assert_eq!(shown["model_info"]["llama.context_length"], 65536);
    assert!(shown["parameters"].as_str().unwrap().contains("8192"));
}

#[tokio::test]
async fn nobody_has_the_paths_of_the_others() {
    for (name, path) in [
        ("vllm", "/props"),
        ("llamacpp", "/api/show"),
        ("ollama", "/api/v0/models"),
        ("openai", "/v1/model/info"),
        ("lmstudio", "/api/v0/models/other"),
    ] {
        assert_eq!(
            get(&server(name).await, path).await.status,
            404,
            "{name} {path}"
        );
    }
    let ollama = server("ollama").await;
    assert_eq!(get(&ollama, "/api/show").await.status, 405);
}

#[tokio::test]
async fn a_server_bends_the_formats_as_the_real_one_does() {
    let reply = post_to(
        &server("litellm").await,
        "/v1/responses",
        &streamed(ask_responses("x")),
    )
    .await;
    assert!(!reply.text().contains("event:"));
    let reply = post_to(
        &server("llamacpp").await,
        "/v1/responses",
        &streamed(ask_responses("x")),
    )
    .await;
    assert!(!reply.text().contains("output_index"));
}

/// The captured list of a real llama.cpp has these fields.
#[tokio::test]
async fn the_list_of_llama_cpp_has_the_fields_of_the_real_one() {
    let list = told("llamacpp", "/v1/models").await;
    for place in [
        "/models/0/name",
        "/data/0/aliases",
        "/data/0/owned_by",
        "/data/0/meta/n_params",
    ] {
        assert!(list.pointer(place).is_some(), "{place}");
    }
}
