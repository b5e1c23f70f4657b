//! A small HTTP client written by hand, so that no library smooths over what
//! the server really sends.

use std::net::SocketAddr;

use serde_json::{Value, json};
use tenon_mock::{Options, Running, Scenarios, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How the body of a response ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Complete,
    Cut,
}

#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
    pub end: End,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The data of all events, in order.
    pub fn events(&self) -> Vec<String> {
        let text = self.text().replace("\r\n", "\n");
        text.split("\n\n")
            .filter_map(|event| event.strip_prefix("data:"))
            .map(|data| data.trim_start().to_owned())
            .collect()
    }

    /// The events with their names and data, in order; what is no JSON is null.
    pub fn named(&self) -> Vec<(String, Value)> {
        let text = self.text().replace("\r\n", "\n");
        let mut events = Vec::new();
        for event in text.split("\n\n").filter(|event| !event.is_empty()) {
            let field = |name: &str| {
                let line = event.lines().find_map(|line| line.strip_prefix(name));
                line.map(|value| value.trim_start().to_owned())
            };
            let data = field("data:").unwrap_or_default();
            let data = serde_json::from_str(&data).unwrap_or_default();
            events.push((field("event:").unwrap_or_default(), data));
        }
        events
    }

    /// The types of the events, from their data.
    pub fn types(&self) -> Vec<String> {
        let kind = |(_, data): (String, Value)| data["type"].as_str().unwrap_or("-").to_owned();
        self.named().into_iter().map(kind).collect()
    }

    /// The chunks that are JSON, without `[DONE]`.
    pub fn chunks(&self) -> Vec<Value> {
        self.events()
            .iter()
            .filter_map(|data| serde_json::from_str(data).ok())
            .collect()
    }

    pub fn deltas(&self) -> Vec<Value> {
        let delta = |chunk: Value| chunk.pointer("/choices/0/delta").cloned();
        self.chunks().into_iter().filter_map(delta).collect()
    }

    /// The text of a field of all deltas together.
    pub fn joined(&self, field: &str) -> String {
        self.deltas()
            .iter()
            .filter_map(|delta| delta[field].as_str())
            .collect()
    }

    /// The entries of `tool_calls` of all deltas.
    pub fn call_deltas(&self) -> Vec<Value> {
        let entries = |delta: &Value| delta["tool_calls"].as_array().cloned();
        self.deltas().iter().filter_map(entries).flatten().collect()
    }
}

pub async fn start(scenarios: Scenarios, options: Options) -> Running {
    Server::bind(([127, 0, 0, 1], 0).into(), scenarios, options)
        .await
        .unwrap()
        .spawn()
}

pub async fn start_json(scenarios: &Value, options: Options) -> Running {
    start(Scenarios::parse(&scenarios.to_string()).unwrap(), options).await
}

pub async fn post(server: &Running, body: &Value) -> Reply {
    send(
        server.address(),
        "POST",
        "/v1/chat/completions",
        body.to_string().as_bytes(),
    )
    .await
}

pub async fn post_to(server: &Running, path: &str, body: &Value) -> Reply {
    send(server.address(), "POST", path, body.to_string().as_bytes()).await
}

/// A conversation of one question in each format, with its path.
pub fn questions(prompt: &str) -> [(&'static str, Value); 3] {
    [
        ("/v1/chat/completions", ask(prompt)),
        ("/v1/messages", ask_messages(prompt)),
        ("/v1/responses", ask_responses(prompt)),
    ]
}

pub fn ask_messages(prompt: &str) -> Value {
    json!({
        "model": "mock-model", "max_tokens": 100,
        "messages": [{"role": "user", "content": prompt}],
    })
}

pub fn ask_responses(prompt: &str) -> Value {
    json!({
        "model": "mock-model", "store": false, "include": ["reasoning.encrypted_content"],
        "input": [{"type": "message", "role": "user", "content": prompt}],
    })
}

pub async fn get(server: &Running, path: &str) -> Reply {
    send(server.address(), "GET", path, b"").await
}

pub async fn send(address: SocketAddr, method: &str, path: &str, body: &[u8]) -> Reply {
    let mut socket = connect(address, method, path, body).await;
    let mut bytes = Vec::new();
    socket.read_to_end(&mut bytes).await.unwrap();
    parse(&bytes)
}

/// Sends these bytes.
pub async fn raw(address: SocketAddr, request: &[u8]) -> Reply {
    let mut socket = TcpStream::connect(address).await.unwrap();
    socket.write_all(request).await.unwrap();
    let mut bytes = Vec::new();
    socket.read_to_end(&mut bytes).await.unwrap();
    parse(&bytes)
}

/// Sends a request and leaves the reading to the caller.
pub async fn connect(address: SocketAddr, method: &str, path: &str, body: &[u8]) -> TcpStream {
    let mut socket = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: mock\r\nconnection: close\r\n\
         authorization: Bearer sk-test\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    socket.write_all(head.as_bytes()).await.unwrap();
    socket.write_all(body).await.unwrap();
    socket
}

pub fn parse(bytes: &[u8]) -> Reply {
    let blank = bytes
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .unwrap();
    let head = String::from_utf8(bytes[..blank].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut reply = Reply {
        status,
        head,
        body: bytes[blank + 4..].to_vec(),
        end: End::Complete,
    };
    if reply.header("transfer-encoding") == Some("chunked") {
        (reply.body, reply.end) = dechunk(&reply.body);
    } else {
        let length: usize = reply.header("content-length").unwrap().parse().unwrap();
        reply.end = if reply.body.len() == length {
            End::Complete
        } else {
            End::Cut
        };
    }
    reply
}

fn dechunk(mut rest: &[u8]) -> (Vec<u8>, End) {
    let mut body = Vec::new();
    loop {
        let Some(line) = rest.windows(2).position(|window| window == b"\r\n") else {
            return (body, End::Cut);
        };
        let size = std::str::from_utf8(&rest[..line]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        rest = &rest[line + 2..];
        if size == 0 {
            return (body, End::Complete);
        }
        body.extend_from_slice(&rest[..size.min(rest.len())]);
        if rest.len() < size + 2 {
            return (body, End::Cut);
        }
        rest = &rest[size + 2..];
    }
}

pub fn ask(prompt: &str) -> Value {
    json!({"model": "mock-model", "messages": [{"role": "user", "content": prompt}]})
}

pub fn streamed(mut request: Value) -> Value {
    request["stream"] = json!(true);
    request
}

/// One scenario that starts at "go".
pub fn script(steps: Value) -> Value {
    json!({"scenarios": [{"name": "test", "trigger": "go", "steps": steps}]})
}
