//! Requests through proxies, as the proxies see them.

use crate::server::{self, Received, good, read_request, with_status, write};
use crate::tls::Authority;
use crate::{answer, ask, endpoint, model};
use std::net::SocketAddr;
use tempfile::TempDir;
use tenon_model::ModelErrorKind;
use tenon_transport::{Endpoint, ProxyChoice};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;

/// `me:p@ss` in base64.
const BASIC: &str = "Basic bWU6cEBzcw==";

fn through(base_url: &str, variable: &str, proxy: String) -> Endpoint {
    let mut endpoint = endpoint(base_url);
    endpoint.proxy = ProxyChoice::Variables(vec![(variable.to_owned(), proxy)]);
    endpoint
}

/// Answers as a proxy that forwards plain requests, and tells what it saw.
async fn forwarding() -> (SocketAddr, mpsc::UnboundedReceiver<Received>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let address = server::start(move |mut stream| {
        let sender = sender.clone();
        async move {
            let seen = read_request(&mut stream).await;
            write(&mut stream, &good("forwarded")).await;
            let _closed = sender.send(seen);
        }
    })
    .await;
    (address, receiver)
}

#[tokio::test]
async fn plain_requests_go_to_the_proxy_whole_and_with_its_password() {
    let (address, mut seen) = forwarding().await;
    for variable in ["HTTP_PROXY", "http_proxy", "ALL_PROXY"] {
        let proxy = format!("http://me:p%40ss@{address}");
        let endpoint = through("http://models.example.com/v1", variable, proxy);
        assert_eq!(answer(&model(endpoint)).await, "forwarded");
        let seen = seen.recv().await.unwrap();
        assert_eq!(seen.line, "POST http://models.example.com/v1/ask HTTP/1.1");
        assert_eq!(seen.header("proxy-authorization"), Some(BASIC));
    }
}

#[tokio::test]
async fn loopback_is_reached_directly() {
    let address = server::answering(good("direct")).await;
    let dead = String::from("http://127.0.0.1:1");
    for host in ["localhost", "127.0.0.1"] {
        let url = format!("http://{host}:{}/v1", address.port());
        let endpoint = through(&url, "ALL_PROXY", dead.clone());
        assert_eq!(answer(&model(endpoint)).await, "direct");
    }
}

#[tokio::test]
async fn an_explicit_proxy_is_used_for_loopback_too() {
    let (address, mut seen) = forwarding().await;
    let mut endpoint = endpoint("http://127.0.0.1:1/v1");
    endpoint.proxy = ProxyChoice::Url(address.to_string());
    assert_eq!(answer(&model(endpoint)).await, "forwarded");
    assert_eq!(
        seen.recv().await.unwrap().line,
        "POST http://127.0.0.1:1/v1/ask HTTP/1.1"
    );
}

#[tokio::test]
async fn https_goes_through_a_tunnel_that_does_not_see_the_key() {
    let (dir, authority) = (TempDir::new().unwrap(), Authority::new());
    let acceptor = authority.acceptor(&["models.example.com"]);
    let (sender, mut seen) = mpsc::unbounded_channel();
    let address = server::start(move |mut stream| {
        let (sender, acceptor) = (sender.clone(), acceptor.clone());
        async move {
            sender
                .send(read_request(&mut stream).await)
                .unwrap_or_default();
            write(&mut stream, "HTTP/1.1 200 Established\r\n\r\n").await;
            let mut stream = acceptor.accept(stream).await.unwrap();
            sender
                .send(read_request(&mut stream).await)
                .unwrap_or_default();
            write(&mut stream, &good("tunnelled")).await;
        }
    })
    .await;
    let proxy = format!("http://me:p%40ss@{address}");
    let mut endpoint = through("https://models.example.com/v1", "https_proxy", proxy);
    endpoint.ca_file = Some(dir.path().join("ca.pem"));
    std::fs::write(dir.path().join("ca.pem"), authority.pem()).unwrap();
    assert_eq!(answer(&model(endpoint)).await, "tunnelled");

    let opening = seen.recv().await.unwrap();
    assert_eq!(opening.line, "CONNECT models.example.com:443 HTTP/1.1");
    assert_eq!(opening.header("proxy-authorization"), Some(BASIC));
    assert_eq!(opening.header("authorization"), None);
    let inner = seen.recv().await.unwrap();
    assert_eq!(inner.line, "POST /v1/ask HTTP/1.1");
    assert_eq!(inner.header("proxy-authorization"), None);
}

#[tokio::test]
async fn a_socks5h_proxy_resolves_the_name() {
    let (sender, mut seen) = mpsc::unbounded_channel();
    let address = server::start(move |mut stream| {
        let sender = sender.clone();
        async move {
            let mut greeting = [0; 2];
            stream.read_exact(&mut greeting).await.unwrap();
            let mut methods = vec![0; usize::from(greeting[1])];
            stream.read_exact(&mut methods).await.unwrap();
            stream.write_all(&[5, 0]).await.unwrap();
            let mut head = [0; 5];
            stream.read_exact(&mut head).await.unwrap();
            assert_eq!(head[..4], [5, 1, 0, 3], "a name, not an address");
            let mut name = vec![0; usize::from(head[4]) + 2];
            stream.read_exact(&mut name).await.unwrap();
            stream
                .write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
                .await
                .unwrap();
            read_request(&mut stream).await;
            write(&mut stream, &good("socks")).await;
            sender.send(name).unwrap_or_default();
        }
    })
    .await;
    let proxy = format!("socks5h://{address}");
    let endpoint = through("http://models.example.com/v1", "ALL_PROXY", proxy);
    assert_eq!(answer(&model(endpoint)).await, "socks");
    let name = seen.recv().await.unwrap();
    assert_eq!(name, b"models.example.com\x00\x50");
}

#[tokio::test]
async fn a_proxy_that_refuses_is_named_with_its_variable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    for (url, variable) in [
        ("http://models.example.com/v1", "HTTP_PROXY"),
        ("https://models.example.com/v1", "ALL_PROXY"),
    ] {
        let proxy = format!("http://me:hunter2@{address}");
        let mut endpoint = through(url, variable, proxy);
        endpoint.verify = tenon_model::Verify::Insecure;
        let error = ask(&model(endpoint)).await.error();
        assert_eq!(error.kind, ModelErrorKind::Network);
        let expected =
            format!("No answer from {url}: connection refused by the proxy {address} ({variable})");
        assert_eq!(error.message, expected);
        assert!(error.hint.unwrap().contains("NO_PROXY"));
    }
}

#[tokio::test]
async fn a_proxy_that_wants_a_password_says_so_in_both_ways() {
    let address = server::answering(with_status("407 Proxy Auth", "", "")).await;
    for url in [
        "http://models.example.com/v1",
        "https://models.example.com/v1",
    ] {
        let mut endpoint = through(url, "ALL_PROXY", format!("http://me:hunter2@{address}"));
        endpoint.verify = tenon_model::Verify::Insecure;
        let error = ask(&model(endpoint)).await.error();
        assert_eq!(error.kind, ModelErrorKind::Configuration, "{error:?}");
        assert!(
            error.message.contains("user name and password"),
            "{}",
            error.message
        );
        assert!(error.hint.unwrap().contains("ALL_PROXY"));
    }
}
