//! Servers written by hand, byte by byte: what a real one does wrong cannot be
//! asked of a server library.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub const STREAM: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// Serves every connection with `serve`, until the runtime ends.
pub async fn start<F, W>(serve: F) -> SocketAddr
where
    F: Fn(TcpStream) -> W + Send + 'static,
    W: Future<Output = ()> + Send + 'static,
{
    start_at("127.0.0.1:0", serve).await.unwrap()
}

pub async fn start_at<F, W>(address: &str, serve: F) -> std::io::Result<SocketAddr>
where
    F: Fn(TcpStream) -> W + Send + 'static,
    W: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream));
        }
    });
    Ok(address)
}

/// Answers every request of every connection with these bytes and closes.
pub async fn answering(bytes: impl Into<String>) -> SocketAddr {
    let bytes = bytes.into();
    start(move |mut stream| {
        let bytes = bytes.clone();
        async move {
            read_request(&mut stream).await;
            stream.write_all(bytes.as_bytes()).await.unwrap();
            let _closed = stream.shutdown().await;
        }
    })
    .await
}

/// What was asked of a server, in order.
pub type Log = Arc<Mutex<Vec<Received>>>;

/// Answers each request with what `answer` makes of it, one a connection.
pub async fn serving(
    answer: impl Fn(&Received) -> String + Send + Sync + 'static,
) -> (SocketAddr, Log) {
    let log = Log::default();
    let kept = Arc::clone(&log);
    let answer = Arc::new(answer);
    let address = start(move |mut stream| {
        let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
        async move {
            let received = read_request(&mut stream).await;
            let reply = answer(&received);
            kept.lock().unwrap().push(received);
            let _gone = stream.write_all(reply.as_bytes()).await;
            let _closed = stream.shutdown().await;
        }
    })
    .await;
    (address, log)
}

pub struct Received {
    pub line: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Received {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        let value = found.next().map(|(_, value)| value.as_str());
        assert!(found.next().is_none(), "{name} was sent twice");
        value
    }
}

/// Reads a request with a `Content-Length` or without a body. An empty line
/// means that the connection was closed.
pub async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Received {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => break,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let mut lines = head.lines();
    let line = lines.next().unwrap_or_default().to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    if line.contains("/chat/completions ") {
        assert_strict(&body);
    }
    Received {
        line,
        headers,
        body: String::from_utf8(body).unwrap(),
    }
}

/// Nothing that the strictest server would refuse, but for the two prompts in a
/// row with which the order of pieces is tested.
fn assert_strict(body: &[u8]) {
    let mut found = tenon_mock::wire::chat::validate(body);
    found.retain(|sentence| !sentence.contains("two user messages"));
    assert_eq!(found, Vec::<String>::new());
}

pub fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

pub async fn write(stream: &mut (impl AsyncWrite + Unpin), text: &str) {
    stream.write_all(text.as_bytes()).await.unwrap();
    stream.flush().await.unwrap();
}

/// A whole good answer.
pub fn good(text: &str) -> String {
    format!(
        "{STREAM}{}0\r\n\r\n",
        chunk(&format!("text:{text}\ndone\n"))
    )
}

pub fn with_status(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}",
        body.len()
    )
}

/// Returns when the other side has closed; panics if it sends something.
pub async fn until_closed(stream: &mut (impl AsyncRead + Unpin)) {
    let mut rest = [0; 16];
    match stream.read(&mut rest).await {
        Ok(0) | Err(_) => {}
        Ok(_) => panic!("the client sent more"),
    }
}
