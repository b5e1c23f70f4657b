//! Patience before the first content, watchfulness after it. On a clock that
//! stands still while there is anything to do: only the order of events counts,
//! however slow the machine is.

use crate::server::{self, STREAM, chunk, read_request, write};
use crate::{answer, ask, endpoint, model, request};
use futures_util::StreamExt as _;
use std::net::SocketAddr;
use std::time::Duration;
use tenon_model::FirstToken;
use tenon_model::{Delta, Model as _, ModelErrorKind};
use tenon_transport::Endpoint;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::mpsc;

const SHORT: Duration = Duration::from_secs(60);

fn limits(address: SocketAddr, first_token: FirstToken, silence: Option<Duration>) -> Endpoint {
    let mut endpoint = endpoint(format_args!("http://{address}/v1"));
    endpoint.timeouts.first_token = first_token;
    endpoint.timeouts.silence = silence;
    endpoint
}

/// What a server does between two keep-alives.
#[derive(Debug, Clone, Copy)]
enum Pause {
    Idle,
    /// Nothing: time goes by although there is always something to read.
    Flood,
}

/// Sends `begin`, then keep-alives until the client closes, and tells so.
async fn keeping_alive(
    begin: &'static str,
    pause: Pause,
) -> (SocketAddr, mpsc::UnboundedReceiver<()>) {
    let (closed, told) = mpsc::unbounded_channel();
    let address = server::start(move |mut stream| {
        let closed = closed.clone();
        async move {
            read_request(&mut stream).await;
            write(&mut stream, &format!("{STREAM}{begin}")).await;
            let keep_alive = chunk(": keep-alive\n");
            while stream.write_all(keep_alive.as_bytes()).await.is_ok() {
                match pause {
                    Pause::Idle => tokio::time::sleep(SHORT / 12).await,
                    Pause::Flood => tokio::time::advance(SHORT / 1_000).await,
                }
            }
            let _gone = closed.send(());
        }
    })
    .await;
    (address, told)
}

#[tokio::test(start_paused = true)]
async fn keep_alives_do_not_hide_a_stall() {
    let (address, mut told) = keeping_alive("a\r\ntext:half\n\r\n", Pause::Idle).await;
    let endpoint = limits(address, FirstToken::Never, Some(SHORT));
    let outcome = ask(&model(endpoint)).await;
    assert_eq!(outcome.texts, ["half"]);
    let error = outcome.error();
    assert_eq!(error.kind, ModelErrorKind::Stalled);
    assert!(
        error.message.contains("no content for 60 s"),
        "{}",
        error.message
    );
    assert_eq!(error.partial.unwrap().text(), "half");
    told.recv().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_keep_alives_does_not_hide_a_stall() {
    let (address, _told) = keeping_alive("a\r\ntext:half\n\r\n", Pause::Flood).await;
    let endpoint = limits(address, FirstToken::Never, Some(SHORT));
    let error = ask(&model(endpoint)).await.error();
    assert_eq!(error.kind, ModelErrorKind::Stalled);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_silent_altogether_stalls() {
    let address = server::start(|mut stream| async move {
        read_request(&mut stream).await;
        write(&mut stream, &format!("{STREAM}{}", chunk("text:half\n"))).await;
        server::until_closed(&mut stream).await;
    })
    .await;
    let endpoint = limits(address, FirstToken::Never, Some(SHORT));
    let error = ask(&model(endpoint)).await.error();
    assert_eq!(error.kind, ModelErrorKind::Stalled);
}

#[tokio::test(start_paused = true)]
async fn keep_alives_are_no_first_token() {
    let (address, mut told) = keeping_alive("", Pause::Idle).await;
    let endpoint = limits(address, FirstToken::After(SHORT), None);
    let error = ask(&model(endpoint)).await.error();
    assert_eq!(error.kind, ModelErrorKind::Timeout);
    assert!(error.partial.is_none());
    assert!(
        error.message.contains(&address.to_string()),
        "{}",
        error.message
    );
    told.recv().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_runs_into_the_first_token_limit() {
    let address = server::start(|mut stream| async move {
        read_request(&mut stream).await;
        server::until_closed(&mut stream).await;
    })
    .await;
    let endpoint = limits(address, FirstToken::After(SHORT), None);
    let error = ask(&model(endpoint)).await.error();
    assert_eq!(error.kind, ModelErrorKind::Timeout);
}

#[tokio::test(start_paused = true)]
async fn silence_counts_only_once_content_began() {
    let address = server::start(|mut stream| async move {
        read_request(&mut stream).await;
        tokio::time::sleep(SHORT * 3).await;
        write(&mut stream, STREAM).await;
        tokio::time::sleep(SHORT * 3).await;
        write(&mut stream, &chunk(": still reading the prompt\n")).await;
        tokio::time::sleep(SHORT * 3).await;
        write(
            &mut stream,
            &format!("{}0\r\n\r\n", chunk("text:late\ndone\n")),
        )
        .await;
    })
    .await;
    for first_token in [FirstToken::Auto, FirstToken::Never] {
        let endpoint = limits(address, first_token, Some(SHORT));
        assert_eq!(answer(&model(endpoint)).await, "late");
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_reader_is_no_fault_of_the_server() {
    let (go, gone) = mpsc::unbounded_channel::<()>();
    let gone = std::sync::Arc::new(tokio::sync::Mutex::new(gone));
    let address = server::start(move |mut stream| {
        let gone = std::sync::Arc::clone(&gone);
        async move {
            read_request(&mut stream).await;
            write(&mut stream, &format!("{STREAM}{}", chunk("text:a\n"))).await;
            gone.lock().await.recv().await;
            write(&mut stream, &format!("{}0\r\n\r\n", chunk("done\n"))).await;
        }
    })
    .await;
    let model = model(limits(address, FirstToken::Never, Some(SHORT * 4)));
    let mut stream = model.stream(request());
    let first = stream.next().await.unwrap().unwrap();
    assert_eq!(first, Delta::Text(String::from("a")));
    // The reader is away for longer than the limit, and only then asks.
    tokio::time::sleep(SHORT * 8).await;
    go.send(()).unwrap();
    assert!(matches!(stream.next().await, Some(Ok(Delta::Finished(_)))));
}
