//! Requests as a server sees them, and answers that are as they should be.

use crate::server::{self, Received, STREAM, chunk, good, read_request, write};
use crate::{KEY, answer, ask, endpoint, model, model_with, model_without_key, request};
use futures_util::StreamExt as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tenon_model::Auth;
use tenon_model::Model as _;
use tenon_transport::{
    Credential, CredentialError, CredentialSource, Endpoint, FromEnvironment, Secret,
};
use tenon_vocab::port::BoxFuture;
use tokio::sync::mpsc;

/// What a server sees of one request that `ask` makes.
async fn seen(
    change: impl FnOnce(&mut Endpoint),
    credentials: impl CredentialSource + 'static,
) -> Received {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let address = server::start(move |mut stream| {
        let sender = sender.clone();
        async move {
            sender
                .send(read_request(&mut stream).await)
                .unwrap_or_default();
            write(&mut stream, &good("hi")).await;
        }
    })
    .await;
    let mut endpoint = endpoint(format_args!("http://{address}/v1/"));
    change(&mut endpoint);
    assert_eq!(answer(&model_with(endpoint, credentials)).await, "hi");
    receiver.recv().await.unwrap()
}

fn key(text: &str) -> tenon_transport::Fixed {
    tenon_transport::Fixed(Secret::new(text))
}

#[tokio::test]
async fn sends_the_pieces_of_the_codec_with_their_length() {
    let seen = seen(|_| {}, key(KEY)).await;
    assert_eq!(seen.line, "POST /v1/ask HTTP/1.1");
    assert_eq!(seen.body, "model small\nfirst\nsecond\n");
    assert_eq!(seen.header("content-length"), Some("25"));
    assert_eq!(seen.header("transfer-encoding"), None);
    assert_eq!(seen.header("content-type"), Some("application/json"));
    let agent = concat!("tenon/", env!("CARGO_PKG_VERSION"));
    assert_eq!(seen.header("user-agent"), Some(agent));
    assert_eq!(seen.header("x-lines-version"), Some("1"));
}

#[tokio::test]
async fn the_key_goes_where_the_endpoint_says() {
    let bearer = seen(|_| {}, key("abc\n")).await;
    assert_eq!(bearer.header("authorization"), Some("Bearer abc"));

    let own = |endpoint: &mut Endpoint| endpoint.auth = Auth::Header(String::from("api-key"));
    let own = seen(own, key("abc")).await;
    assert_eq!(own.header("api-key"), Some("abc"));
    assert_eq!(own.header("authorization"), None);

    let none = seen(|endpoint| endpoint.auth = Auth::None, key("abc")).await;
    assert_eq!(none.header("authorization"), None);
}

#[tokio::test]
async fn without_a_key_no_header_is_sent() {
    for text in ["", " \n"] {
        let seen = seen(|_| {}, key(text)).await;
        assert_eq!(seen.header("authorization"), None);
    }
    let unset = FromEnvironment::new(["TENON_TEST_NO_SUCH_VARIABLE"]);
    assert_eq!(seen(|_| {}, unset).await.header("authorization"), None);
}

#[tokio::test]
async fn takes_the_first_variable_that_is_set() {
    let source = FromEnvironment::new(["TENON_TEST_NO_SUCH_VARIABLE", "CARGO_PKG_NAME"]);
    let seen = seen(|_| {}, source).await;
    assert_eq!(seen.header("authorization"), Some("Bearer tenon-transport"));
}

#[tokio::test]
async fn headers_of_the_endpoint_win_over_our_own() {
    let seen = seen(
        |endpoint| {
            endpoint.headers = vec![
                (String::from("X-Title"), String::from("t")),
                (String::from("User-Agent"), String::from("me")),
                (String::from("Content-Type"), String::from("text/x")),
                (String::from("X-Lines-Version"), String::from("2")),
            ];
        },
        key(KEY),
    )
    .await;
    assert_eq!(seen.header("x-title"), Some("t"));
    assert_eq!(seen.header("user-agent"), Some("me"));
    assert_eq!(seen.header("content-type"), Some("text/x"));
    assert_eq!(seen.header("x-lines-version"), Some("2"));
}

/// A key that is another one each time.
struct Changing(AtomicUsize);

impl CredentialSource for Changing {
    fn credential(&self) -> BoxFuture<'_, Result<Option<Credential>, CredentialError>> {
        let count = self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move { Ok(Some(Secret::new(format!("key-{count}")).into())) })
    }

    fn describe(&self) -> String {
        String::from("a counter")
    }
}

#[tokio::test]
async fn the_key_is_asked_for_before_every_request() {
    let keys = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&keys);
    let address = server::start(move |mut stream| {
        let kept = Arc::clone(&kept);
        async move {
            let seen = read_request(&mut stream).await;
            let key = seen.header("authorization").unwrap().to_owned();
            kept.lock().unwrap().push(key);
            write(&mut stream, &good("hi")).await;
        }
    })
    .await;
    let endpoint = endpoint(format_args!("http://{address}"));
    let model = model_with(endpoint, Changing(AtomicUsize::new(0)));
    answer(&model).await;
    answer(&model).await;
    let keys = keys.lock().unwrap().clone();
    assert_eq!(keys, ["Bearer key-0", "Bearer key-1"]);
}

#[tokio::test]
async fn deltas_come_in_order_however_the_bytes_are_cut() {
    let address = server::start(|mut stream| async move {
        read_request(&mut stream).await;
        write(&mut stream, STREAM).await;
        for byte in "text:a\ntext:b\n:keep-alive\ntext:c\ndone\n".chars() {
            write(&mut stream, &chunk(&byte.to_string())).await;
        }
        write(&mut stream, "0\r\n\r\n").await;
    })
    .await;
    let outcome = ask(&model(endpoint(format_args!("http://{address}")))).await;
    assert_eq!(outcome.texts, ["a", "b", "c"]);
    assert_eq!(outcome.finished.as_deref(), Some("abc"));
}

#[tokio::test]
async fn is_finished_when_the_reply_is_whole_although_the_body_goes_on() {
    let address = server::start(|mut stream| async move {
        read_request(&mut stream).await;
        let reply = format!("{STREAM}{}", chunk("text:a\ndone\n"));
        write(&mut stream, &reply).await;
        server::until_closed(&mut stream).await;
    })
    .await;
    let model = model(endpoint(format_args!("http://{address}")));
    assert_eq!(answer(&model).await, "a");
}

#[tokio::test]
async fn a_connection_is_used_again_also_when_its_last_chunk_comes_late() {
    let (go, mut gone) = mpsc::unbounded_channel::<()>();
    let reused = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&reused);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            for round in 0.. {
                if read_request(&mut stream).await.line.is_empty() {
                    break;
                }
                counted.fetch_add(usize::from(round > 0), Ordering::SeqCst);
                let reply = format!("{STREAM}{}", chunk("text:a\ndone\n"));
                write(&mut stream, &reply).await;
                gone.recv().await;
                write(&mut stream, "0\r\n\r\n").await;
            }
        }
    });
    let model = model_without_key(endpoint(format_args!("http://{address}")));
    for _ in 0..100 {
        answer(&model).await;
        go.send(()).unwrap();
        if reused.load(Ordering::SeqCst) > 0 {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("every request opened a connection");
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let (closed, mut told) = mpsc::unbounded_channel();
    let address = server::start(move |mut stream| {
        let closed = closed.clone();
        async move {
            read_request(&mut stream).await;
            let begin = format!("{STREAM}{}", chunk("text:a\n"));
            write(&mut stream, &begin).await;
            server::until_closed(&mut stream).await;
            closed.send(()).unwrap();
        }
    })
    .await;
    let model = model(endpoint(format_args!("http://{address}")));
    let mut stream = model.stream(request());
    assert!(stream.next().await.unwrap().is_ok());
    drop(stream);
    told.recv().await.unwrap();
}

#[tokio::test]
async fn dropping_the_stream_before_the_answer_closes_the_connection() {
    let (told, mut heard) = mpsc::unbounded_channel();
    let address = server::start(move |mut stream| {
        let told = told.clone();
        async move {
            read_request(&mut stream).await;
            told.send("asked").unwrap();
            server::until_closed(&mut stream).await;
            told.send("closed").unwrap();
        }
    })
    .await;
    let model = model(endpoint(format_args!("http://{address}")));
    let mut stream = model.stream(request());
    tokio::select! {
        biased;
        item = stream.next() => panic!("{item:?}"),
        asked = heard.recv() => assert_eq!(asked, Some("asked")),
    }
    drop(stream);
    assert_eq!(heard.recv().await, Some("closed"));
}

#[tokio::test]
async fn lists_the_models() {
    let address = server::start(|mut stream| async move {
        let seen = read_request(&mut stream).await;
        assert_eq!(seen.line, "GET /v1/models HTTP/1.1");
        assert_eq!(
            seen.header("authorization"),
            Some("Bearer sk-hunter2-hunter2")
        );
        let reply = server::with_status("200 OK", "", "one\ntwo");
        write(&mut stream, &reply).await;
    })
    .await;
    let model = model(endpoint(format_args!("http://{address}/v1")));
    let models = model.models().await.unwrap();
    let ids: Vec<&str> = models.iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!(ids, ["one", "two"]);
}

#[tokio::test]
async fn an_endless_list_of_models_is_an_error() {
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
    let error = model.models().await.unwrap_err();
    assert_eq!(error.kind, tenon_model::ModelErrorKind::Protocol);
}
