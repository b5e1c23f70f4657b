//! No answer at all, or half of one.

use crate::server::{self, STREAM, chunk, good, read_request, with_status, write};
use crate::{answer, ask, endpoint, model};
use tenon_model::{ModelError, ModelErrorKind};
use tokio::io::AsyncWriteExt as _;

async fn error_of(base_url: String) -> ModelError {
    ask(&model(endpoint(base_url))).await.error()
}

#[tokio::test]
async fn a_refused_connection_names_host_and_port_and_what_to_check() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    for host in ["127.0.0.1", "localhost"] {
        let error = error_of(format!("http://{host}:{port}/v1")).await;
        assert_eq!(error.kind, ModelErrorKind::Network);
        assert_eq!(
            error.message,
            format!("No answer from http://{host}:{port}/v1: connection refused")
        );
        let hint = error.hint.unwrap();
        assert!(
            hint.contains("server is running") && hint.contains("`test`"),
            "{hint}"
        );
    }
}

#[tokio::test]
async fn a_name_that_does_not_exist_is_named() {
    let error = error_of(String::from("http://tenon-test.invalid:9/v1")).await;
    assert_eq!(error.kind, ModelErrorKind::Network);
    assert!(
        error.message.contains("tenon-test.invalid:9"),
        "{}",
        error.message
    );
}

#[tokio::test]
async fn localhost_is_both_loopback_addresses() {
    let address = server::answering(good("four")).await;
    let four = model(endpoint(format_args!(
        "http://localhost:{}",
        address.port()
    )));
    assert_eq!(answer(&four).await, "four");
    let below = model(endpoint(format_args!(
        "http://api.localhost:{}",
        address.port()
    )));
    assert_eq!(answer(&below).await, "four");
    let serve = |mut stream| async move {
        read_request(&mut stream).await;
        write(&mut stream, &good("six")).await;
    };
    // Where the machine has no IPv6 there is nothing to prove.
    if let Ok(address) = server::start_at("[::1]:0", serve).await {
        let six = model(endpoint(format_args!(
            "http://localhost:{}",
            address.port()
        )));
        assert_eq!(answer(&six).await, "six");
        let literal = model(endpoint(format_args!("http://{address}/v1")));
        assert_eq!(answer(&literal).await, "six");
    }
}

#[tokio::test]
async fn a_connection_closed_without_an_answer_is_a_network_error() {
    let address = server::answering("").await;
    let error = error_of(format!("http://{address}/v1")).await;
    assert_eq!(error.kind, ModelErrorKind::Network);
    assert!(
        error.message.contains(&address.to_string()),
        "{}",
        error.message
    );
}

#[tokio::test]
async fn another_protocol_is_named_as_such() {
    let address = server::answering("SSH-2.0-OpenSSH_9.9\r\nno such thing\r\n\r\n").await;
    let error = error_of(format!("http://{address}/v1")).await;
    assert_eq!(error.kind, ModelErrorKind::Protocol);
}

#[tokio::test]
async fn endless_headers_are_an_error() {
    let address = server::start(|mut stream| async move {
        read_request(&mut stream).await;
        write(&mut stream, "HTTP/1.1 200 OK\r\n").await;
        while stream
            .write_all(b"x-filler: yes yes yes yes\r\n")
            .await
            .is_ok()
        {}
    })
    .await;
    let error = error_of(format!("http://{address}/v1")).await;
    assert_eq!(error.kind, ModelErrorKind::Protocol);
}

/// What had come is delivered, then one error carries it again.
async fn broken(reply: String) -> ModelError {
    let address = server::answering(reply).await;
    let outcome = ask(&model(endpoint(format_args!("http://{address}/v1")))).await;
    assert_eq!(outcome.texts, ["half"]);
    let error = outcome.error();
    assert_eq!(error.kind, ModelErrorKind::Broken);
    assert_eq!(error.partial.as_ref().unwrap().text(), "half");
    error
}

#[tokio::test]
async fn a_cut_inside_a_chunk_keeps_what_had_come() {
    broken(format!("{STREAM}{}ff\r\ntext:never", chunk("text:half\n"))).await;
}

#[tokio::test]
async fn a_cut_between_chunks_keeps_what_had_come() {
    let error = broken(format!("{STREAM}{}", chunk("text:half\n"))).await;
    assert!(
        error.message.contains("The stream from 127.0.0.1:"),
        "{}",
        error.message
    );
}

#[tokio::test]
async fn a_chunk_that_is_none_keeps_what_had_come() {
    broken(format!("{STREAM}{}not hex\r\n", chunk("text:half\n"))).await;
}

#[tokio::test]
async fn a_short_body_keeps_what_had_come() {
    let whole = with_status("200 OK", "", "text:half\ntext:never");
    broken(whole.replace("text:never", "")).await;
}

#[tokio::test]
async fn a_body_that_ends_before_the_reply_does_is_broken() {
    broken(format!("{STREAM}{}0\r\n\r\n", chunk("text:half\n"))).await;
}

#[tokio::test]
async fn a_reset_keeps_what_had_come() {
    let address = server::start(|mut stream| async move {
        read_request(&mut stream).await;
        write(&mut stream, &format!("{STREAM}{}", chunk("text:half\n"))).await;
        // Bytes that nobody reads make the close a reset.
        stream.set_zero_linger().unwrap();
    })
    .await;
    let outcome = ask(&model(endpoint(format_args!("http://{address}/v1")))).await;
    let error = outcome.error();
    // A reset may overtake the bytes before it.
    let expected = [ModelErrorKind::Broken, ModelErrorKind::Network];
    assert!(expected.contains(&error.kind), "{error:?}");
}
