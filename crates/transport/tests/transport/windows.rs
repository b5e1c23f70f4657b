//! The served window, asked of servers that answer like the real ones.

use crate::server::{self, Log, STREAM, chunk, read_request, with_status, write};
use crate::{KEY, endpoint, model};
use tenon_model::{Model as _, Window, WindowSource};
use tenon_transport::ProxyChoice;

/// A server that has these paths and no others.
async fn asked(paths: &'static [(&'static str, &'static str)]) -> (Option<Window>, Log) {
    let (address, log) = server::serving(move |received| {
        let known = paths
            .iter()
            .find(|(path, _)| received.line == format!("{path} HTTP/1.1"));
        match known {
            Some((_, body)) => with_status("200 OK", "content-type: application/json\r\n", body),
            None => with_status("404 Not Found", "", r#"{"error":"no such path"}"#),
        }
    })
    .await;
    let model = model(endpoint(format_args!("http://{address}/v1")));
    (model.served_window().await, log)
}

fn lines(log: &Log) -> Vec<String> {
    let log = log.lock().unwrap();
    log.iter()
        .map(|received| received.line.trim_end_matches(" HTTP/1.1").to_owned())
        .collect()
}

fn window(tokens: u64, source: &str) -> Option<Window> {
    Some(Window {
        tokens,
        source: WindowSource::Server(source.to_owned()),
    })
}

#[tokio::test]
async fn vllm_says_it_in_its_list_and_is_asked_nothing_else() {
    let (found, log) = asked(&[(
        "GET /v1/models",
        r#"{"object":"list","data":[{"id":"small","owned_by":"vllm","max_model_len":32768}]}"#,
    )])
    .await;
    assert_eq!(found, window(32768, "/v1/models"));
    assert_eq!(lines(&log), ["GET /v1/models"]);
}

#[tokio::test]
async fn llama_cpp_says_in_its_props_what_it_was_started_with() {
    let (found, log) = asked(&[
        (
            "GET /v1/models",
            r#"{"data":[{"id":"small","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}]}"#,
        ),
        (
            "GET /props",
            r#"{"default_generation_settings":{"n_ctx":8192},"total_slots":4}"#,
        ),
    ])
    .await;
    assert_eq!(found, window(8192, "/props"));
    assert_eq!(lines(&log), ["GET /v1/models", "GET /props"]);
}

#[tokio::test]
async fn ollama_says_what_the_model_was_loaded_with() {
    let (found, log) = asked(&[
        (
            "GET /v1/models",
            r#"{"data":[{"id":"small:latest","owned_by":"library"},{"id":"b","owned_by":"library"}]}"#,
        ),
        (
            "GET /api/ps",
            r#"{"models":[{"name":"b","context_length":1024},{"name":"small:latest","context_length":4096}]}"#,
        ),
    ])
    .await;
    assert_eq!(found, window(4096, "/api/ps"));
    assert_eq!(lines(&log), ["GET /v1/models", "GET /api/ps"]);
}

#[tokio::test]
async fn a_key_is_sent_along_and_a_question_with_a_body_names_the_model() {
    let (found, log) = asked(&[
        ("GET /v1/models", r#"{"data":[{"id":"small","owned_by":"library"}]}"#),
        ("GET /api/ps", r#"{"models":[]}"#),
        (
            "POST /api/show",
            r#"{"parameters":"stop \"x\"\nnum_ctx                        16384","model_info":{"llama.context_length":131072}}"#,
        ),
    ])
    .await;
    assert_eq!(found, window(16384, "/api/show"));
    let log = log.lock().unwrap();
    assert_eq!(log[2].body, r#"{"model":"small"}"#);
    for received in log.iter() {
        let sent = received.header("authorization").unwrap();
        assert_eq!(sent, format!("Bearer {KEY}"));
    }
}

#[tokio::test]
async fn a_server_that_does_not_say_is_no_error_and_is_never_asked_for_a_completion() {
    let (found, log) = asked(&[]).await;
    assert_eq!(found, None);
    let lines = lines(&log);
    assert_eq!(lines.len(), 6, "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("/ask")), "{lines:?}");
}

#[tokio::test]
async fn a_hosted_service_is_asked_for_its_list_only() {
    let (address, log) =
        server::serving(|_| with_status("200 OK", "", r#"{"data":[{"id":"a"},{"id":"b"}]}"#)).await;
    let mut endpoint = endpoint("http://api.example.com/v1");
    endpoint.proxy = ProxyChoice::Url(format!("http://{address}"));
    assert_eq!(model(endpoint).served_window().await, None);
    assert_eq!(lines(&log), ["GET http://api.example.com/v1/models"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_does_not_hold_anybody_up() {
    let address = server::start(|mut stream| async move {
        read_request(&mut stream).await;
        server::until_closed(&mut stream).await;
    })
    .await;
    let model = model(endpoint(format_args!("http://{address}/v1")));
    assert_eq!(model.served_window().await, None);
}

#[tokio::test]
async fn an_endless_answer_is_given_up() {
    let address = server::start(|mut stream| async move {
        read_request(&mut stream).await;
        write(&mut stream, STREAM).await;
        let piece = chunk(&"x".repeat(64 * 1024));
        while tokio::io::AsyncWriteExt::write_all(&mut stream, piece.as_bytes())
            .await
            .is_ok()
        {}
    })
    .await;
    let model = model(endpoint(format_args!("http://{address}/v1")));
    assert_eq!(model.served_window().await, None);
}

#[tokio::test]
async fn nobody_there_is_asked_once() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let model = model(endpoint(format_args!("http://127.0.0.1:{port}/v1")));
    assert_eq!(model.served_window().await, None);
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (elsewhere, reached) = server::serving(|_| {
        with_status(
            "200 OK",
            "",
            r#"{"data":[{"id":"small","max_model_len":9999}]}"#,
        )
    })
    .await;
    let (address, _) = server::serving(move |_| {
        let location = format!("location: http://{elsewhere}/v1/models\r\n");
        with_status("302 Found", &location, "")
    })
    .await;
    let model = model(endpoint(format_args!("http://{address}/v1")));
    assert_eq!(model.served_window().await, None);
    assert!(reached.lock().unwrap().is_empty());
}
