//! The chat format of real servers, end to end.

use crate::server::{self, STREAM, chunk, read_request, with_status, write};
use crate::{endpoint, identity, request};
use futures_util::StreamExt as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tenon_model::codec::Chat;
use tenon_model::{Delta, Missing, Model as _, ModelError, ModelErrorKind, Quirks};
use tenon_transport::{Fixed, HttpModel, NoCredential, Secret};

fn chat(address: SocketAddr) -> HttpModel {
    let mut endpoint = endpoint(format_args!("http://{address}/v1"));
    endpoint.timeouts.silence = Some(Duration::from_millis(60));
    let codec = Arc::new(Chat::new(Quirks::default()));
    HttpModel::new(endpoint, identity(), codec, Arc::new(NoCredential)).unwrap()
}

async fn ask(model: &HttpModel) -> (String, Option<Result<String, ModelError>>) {
    let mut stream = model.stream(request());
    let (mut text, mut end) = (String::new(), None);
    while let Some(item) = stream.next().await {
        assert!(end.is_none(), "something came after the end: {item:?}");
        match item {
            Ok(Delta::Text(piece)) => text.push_str(&piece),
            Ok(Delta::Finished(finished)) => end = Some(Ok(finished.message.text())),
            Ok(_) => {}
            Err(error) => end = Some(Err(error)),
        }
    }
    (text, end)
}

fn piece(content: &str) -> String {
    let choice = format!(r#"{{"index":0,"delta":{{"content":"{content}"}},"finish_reason":null}}"#);
    format!("data: {{\"choices\":[{choice}]}}\n\n")
}

const STOP: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

#[tokio::test]
async fn a_streamed_answer_arrives() {
    let address = server::start(|mut stream| async move {
        let seen = read_request(&mut stream).await;
        assert_eq!(seen.line, "POST /v1/chat/completions HTTP/1.1");
        assert!(seen.body.contains(r#""model":"small""#), "{}", seen.body);
        let events = format!("{}{}{STOP}", piece("Hel"), piece("lo"));
        write(&mut stream, &format!("{STREAM}{}0\r\n\r\n", chunk(&events))).await;
    })
    .await;
    let (text, end) = ask(&chat(address)).await;
    assert_eq!(text, "Hello");
    assert_eq!(end.unwrap().unwrap(), "Hello");
}

#[tokio::test]
async fn comments_do_not_hide_a_stall() {
    let address = server::start(|mut stream| async move {
        read_request(&mut stream).await;
        write(&mut stream, &format!("{STREAM}{}", chunk(&piece("half")))).await;
        let ping = chunk(": ping\n\n");
        while tokio::io::AsyncWriteExt::write_all(&mut stream, ping.as_bytes())
            .await
            .is_ok()
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    let (text, end) = ask(&chat(address)).await;
    assert_eq!(text, "half");
    let error = end.unwrap().unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Stalled);
    assert_eq!(error.partial.unwrap().text(), "half");
}

#[tokio::test]
async fn an_error_of_the_server_is_told_in_its_words() {
    let body = r#"{"error":{"message":"model `small` is not loaded"}}"#;
    let address = server::answering(with_status("503 Unavailable", "", body)).await;
    let (_, end) = ask(&chat(address)).await;
    let error = end.unwrap().unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Unavailable);
    assert!(error.message.contains("is not loaded"), "{}", error.message);
}

#[tokio::test]
async fn a_model_that_is_not_found_is_no_matter_of_the_address() {
    let body = r#"{"error":{"message":"The model `small` does not exist"}}"#;
    let address = server::answering(with_status("404 Not Found", "", body)).await;
    let codec = Arc::new(Chat::new(Quirks::default()));
    let endpoint = endpoint(format_args!("http://{address}"));
    let model = HttpModel::new(endpoint, identity(), codec, Arc::new(NoCredential)).unwrap();
    let error = ask(&model).await.1.unwrap().unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::NotFound);
    assert!(error.hint.unwrap().contains("tenon models"));
}

#[tokio::test]
async fn a_list_of_models_that_is_not_there_is_no_unknown_model() {
    let body = r#"{"error":{"message":"model list not found"}}"#;
    let address = server::answering(with_status("404 Not Found", "", body)).await;
    let error = chat(address).models().await.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::NotFound);
    assert_eq!(error.missing, Some(Missing::Address));
    assert!(
        error.message.contains("doesn't list its models"),
        "{}",
        error.message
    );
    assert!(error.hint.unwrap().contains("--model"));
}

#[tokio::test]
async fn a_key_that_the_cut_of_a_long_error_goes_through_is_not_shown() {
    for padding in [460, 470, 480, 490, 494] {
        let said = format!("{} key {} bad", "x".repeat(padding), crate::KEY);
        let body = format!(r#"{{"error":{{"message":"{said}"}}}}"#);
        for (status, body) in [
            ("400 Bad Request", body.clone()),
            ("200 OK", format!("data: {body}\n\n")),
        ] {
            let address = server::answering(with_status(status, "", &body)).await;
            let endpoint = endpoint(format_args!("http://{address}/v1"));
            let codec = Arc::new(Chat::new(Quirks::default()));
            let key = Arc::new(Fixed(Secret::new(crate::KEY)));
            let model = HttpModel::new(endpoint, identity(), codec, key).unwrap();
            let (_, end) = ask(&model).await;
            let shown = end.unwrap().unwrap_err().message;
            assert!(shown.contains("xxx"), "{shown}");
            assert!(!shown.contains(&crate::KEY[..6]), "{status}: {shown}");
        }
    }
}
