//! Answers that are no success.

use crate::lines::Lines;
use crate::server::{self, read_request, with_status, write};
use crate::{ask, endpoint, identity, model, model_without_key};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tenon_model::{ModelError, ModelErrorKind};
use tenon_transport::{Endpoint, HttpModel, NoCredential, ProxyChoice};
use tokio::io::AsyncWriteExt as _;

async fn refused(path: &str, status: &str, headers: &str, body: &str) -> ModelError {
    let address = server::answering(with_status(status, headers, body)).await;
    let endpoint = endpoint(format_args!("http://{address}{path}"));
    ask(&model(endpoint)).await.error()
}

#[tokio::test]
async fn the_codec_reads_what_the_body_says() {
    let error = refused("/v1", "503 Unavailable", "", "loading").await;
    assert_eq!(error.kind, ModelErrorKind::Unavailable);
    assert_eq!(error.status, Some(503));
    assert_eq!(error.message, "HTTP 503, 7 bytes: loading");
}

#[tokio::test]
async fn a_redirect_is_an_error_that_names_where_it_goes_and_is_not_followed() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let elsewhere = server::start(move |_stream| {
        counted.fetch_add(1, Ordering::SeqCst);
        async {}
    })
    .await;
    for status in [
        "301 Moved",
        "302 Found",
        "307 Temporary Redirect",
        "308 Permanent",
    ] {
        let location = format!("location: http://{elsewhere}/v1/ask\r\n");
        let error = refused("/v1", status, &location, "").await;
        assert_eq!(error.kind, ModelErrorKind::Configuration);
        let named = format!("http://{elsewhere}/v1/ask");
        assert!(error.message.contains(&named), "{}", error.message);
    }
    assert_eq!(calls.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn not_found_hints_at_a_missing_version() {
    let without = refused("", "404 Not Found", "", "").await;
    assert_eq!(without.kind, ModelErrorKind::NotFound);
    let hint = without.hint.unwrap();
    assert!(
        hint.contains("has no /v1; most servers want http://127.0.0.1:"),
        "{hint}"
    );
    let with = refused("/v1", "404 Not Found", "", "").await;
    assert_eq!(with.hint, None);
}

#[tokio::test]
async fn a_web_page_is_no_answer() {
    let error = refused(
        "",
        "200 OK",
        "content-type: text/html; charset=utf-8\r\n",
        "<html>",
    )
    .await;
    assert_eq!(error.kind, ModelErrorKind::Configuration);
    assert!(error.message.contains("web page"), "{}", error.message);
    assert!(error.hint.unwrap().contains("/v1"));
}

#[tokio::test]
async fn a_refused_key_is_named_by_its_origin_and_never_shown() {
    let body = format!("wrong key {}", crate::KEY);
    let error = refused("/v1", "401 Unauthorized", "", &body).await;
    assert_eq!(error.kind, ModelErrorKind::Auth);
    assert!(error.message.contains("wrong key ***"), "{}", error.message);
    assert!(
        error
            .hint
            .unwrap()
            .contains("The key came from the configuration")
    );
}

#[tokio::test]
async fn a_missing_key_is_said_to_be_missing() {
    let address = server::answering(with_status("401 Unauthorized", "", "")).await;
    let endpoint = endpoint(format_args!("http://{address}/v1"));
    let error = ask(&model_without_key(endpoint)).await.error();
    assert!(error.hint.unwrap().contains("No key was sent"));
}

#[tokio::test]
async fn retry_after_is_handed_on() {
    let error = refused("/v1", "429 Too Many", "retry-after: 12\r\n", "").await;
    assert_eq!(error.kind, ModelErrorKind::RateLimited);
    assert_eq!(error.retry_after, Some(Duration::from_secs(12)));
    let date = "retry-after: Fri, 01 Jan 2100 00:00:00 GMT\r\n";
    let error = refused("/v1", "429 Too Many", date, "").await;
    assert!(error.retry_after > Some(Duration::from_secs(1)));
}

#[tokio::test]
async fn an_endless_error_is_read_up_to_64_kib() {
    let address = server::start(|mut stream| async move {
        read_request(&mut stream).await;
        write(
            &mut stream,
            "HTTP/1.1 500 Oh\r\ncontent-type: text/plain\r\n\r\n",
        )
        .await;
        while stream.write_all(&[b'x'; 4096]).await.is_ok() {}
    })
    .await;
    let endpoint = endpoint(format_args!("http://{address}/v1"));
    let error = ask(&model(endpoint)).await.error();
    assert!(error.message.contains("65536 bytes"), "{}", error.message);
}

#[tokio::test]
async fn an_error_whose_body_never_ends_is_told_with_what_came() {
    let address = server::start(|mut stream| async move {
        read_request(&mut stream).await;
        write(
            &mut stream,
            "HTTP/1.1 500 Oh\r\ncontent-length: 99\r\n\r\nsome",
        )
        .await;
        server::until_closed(&mut stream).await;
    })
    .await;
    let mut endpoint = endpoint(format_args!("http://{address}/v1"));
    endpoint.timeouts.silence = Some(Duration::from_millis(50));
    let error = ask(&model(endpoint)).await.error();
    assert_eq!(error.message, "HTTP 500, 4 bytes: some");
}

#[tokio::test]
async fn an_error_inside_the_stream_keeps_what_had_come() {
    let body = format!("text:half\nerror:bad {}\n", crate::KEY);
    let address = server::answering(with_status("200 OK", "", &body)).await;
    let outcome = ask(&model(endpoint(format_args!("http://{address}/v1")))).await;
    assert_eq!(outcome.texts, ["half"]);
    let error = outcome.error();
    assert_eq!(error.message, "bad ***");
    assert_eq!(error.partial.unwrap().text(), "half");
}

fn unusable(change: impl FnOnce(&mut Endpoint)) -> ModelError {
    let mut endpoint = endpoint("http://localhost:1/v1");
    change(&mut endpoint);
    let made = HttpModel::new(
        endpoint,
        identity(),
        Arc::new(Lines),
        Arc::new(NoCredential),
    );
    let error = made.map(|_| ()).unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Configuration);
    assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    error
}

#[test]
fn what_cannot_be_used_is_refused_before_any_request() {
    let error = unusable(|endpoint| endpoint.base_url = String::from("localhost:1/v1"));
    assert_eq!(error.hint.as_deref(), Some("Write http://localhost:1/v1"));
    let error = unusable(|endpoint| {
        endpoint.headers = vec![(String::from("X-Key"), String::from("hunter2\r\nhost: x"))];
    });
    assert!(error.message.contains("X-Key"));
    unusable(|endpoint| {
        endpoint.headers = vec![(String::from("bad name"), String::from("hunter2"))];
    });
    unusable(|endpoint| {
        endpoint.headers = vec![(String::from("Content-Length"), String::from("1"))];
    });
    unusable(|endpoint| endpoint.auth = tenon_model::Auth::Header(String::from("a\nb")));
    unusable(|endpoint| {
        endpoint.proxy = ProxyChoice::Url(String::from("gopher://me:hunter2@p"));
    });
}

#[tokio::test]
async fn a_key_that_no_header_can_hold_is_not_shown() {
    let endpoint = endpoint("http://localhost:1/v1");
    let key = tenon_transport::Fixed(tenon_transport::Secret::new("hunter2\nhunter2"));
    let error = ask(&crate::model_with(endpoint, key)).await.error();
    assert_eq!(error.kind, ModelErrorKind::Configuration);
}

#[test]
fn debug_output_holds_no_secret() {
    let mut endpoint = endpoint("http://localhost:1/v1?key=hunter2");
    endpoint.headers = vec![(String::from("X-Key"), String::from("hunter2"))];
    endpoint.proxy = ProxyChoice::Url(String::from("http://me:hunter2@p:1"));
    let shown = format!("{endpoint:?} {:?}", model(endpoint.clone()));
    assert!(!shown.contains("hunter2"), "{shown}");
    assert!(shown.contains("X-Key"), "{shown}");
}
