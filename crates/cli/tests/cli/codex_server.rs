//! A small web server on a real socket whose answers are a function of the
//! request, and which keeps headers: what a login sends stands in them. Speaks
//! just enough of the formats for one short answer.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Seen {
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The token or key that it was sent with.
    pub fn key(&self) -> &str {
        let bearer = self.header("authorization").unwrap_or_default();
        bearer.strip_prefix("Bearer ").unwrap_or_default()
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

#[derive(Debug, Clone)]
pub struct Reply {
    status: u16,
    kind: &'static str,
    body: String,
}

impl Reply {
    pub fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            kind: "application/json",
            body: body.to_string(),
        }
    }

    /// An answer of the model, in the format of the path that was asked.
    pub fn says(path: &str, text: &str) -> Self {
        let events = if path.ends_with("/responses") {
            let item = json!({"type": "message", "id": "m1", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": text, "annotations": []}]});
            vec![
                json!({"type": "response.created", "response": {"id": "r1", "status": "in_progress", "output": []}}),
                json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "id": "m1", "role": "assistant", "content": []}}),
                json!({"type": "response.output_text.delta", "item_id": "m1", "output_index": 0, "content_index": 0, "delta": text}),
                json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
                json!({"type": "response.completed", "response": {"id": "r1", "status": "completed", "output": [item],
                    "usage": {"input_tokens": 12, "output_tokens": 3, "total_tokens": 15}}}),
            ]
        } else {
            vec![
                json!({"id": "c1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": null}]}),
                json!({"id": "c1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
            ]
        };
        let mut body: String = events
            .iter()
            .map(|event| match event["type"].as_str() {
                Some(kind) => format!("event: {kind}\ndata: {event}\n\n"),
                None => format!("data: {event}\n\n"),
            })
            .collect();
        if !path.ends_with("/responses") {
            body.push_str("data: [DONE]\n\n");
        }
        Self {
            status: 200,
            kind: "text/event-stream",
            body,
        }
    }

    pub fn refused(status: u16, code: &str) -> Self {
        Self::json(
            status,
            &json!({"error": {"code": code, "message": "no", "type": "invalid_request_error"}}),
        )
    }
}

type Answers = dyn Fn(&Seen) -> Reply + Send + Sync;

/// Ends with the test program.
#[derive(Clone)]
pub struct WebServer {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl WebServer {
    pub fn new(answers: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            address: listener.local_addr().unwrap(),
            seen: Arc::default(),
        };
        let answers: Arc<Answers> = Arc::new(answers);
        let seen = Arc::clone(&server.seen);
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (seen, answers) = (Arc::clone(&seen), Arc::clone(&answers));
                std::thread::spawn(move || serve(connection, &seen, &*answers));
            }
        });
        server
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn seen(&self) -> Vec<Seen> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.clone()
    }

    pub fn asked(&self, path: &str) -> Vec<Seen> {
        let mut seen = self.seen();
        seen.retain(|seen| seen.path == path);
        seen
    }
}

/// One request for each connection; whoever hangs up early is not missed.
fn serve(connection: TcpStream, seen: &Mutex<Vec<Seen>>, answers: &Answers) {
    let Some(request) = read(&connection) else {
        return;
    };
    seen.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(request.clone());
    let reply = match violations(&request) {
        found if found.is_empty() => answers(&request),
        found => Reply::json(400, &json!({"error": {"message": found.join("\n")}})),
    };
    let mut connection = &connection;
    let _ = write!(
        connection,
        "HTTP/1.1 {} X\r\ncontent-type: {}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{}",
        reply.status,
        reply.kind,
        reply.body.len(),
        reply.body
    );
    let _ = connection.flush();
}

/// What the strictest server would refuse; those answers tests do not script.
fn violations(request: &Seen) -> Vec<String> {
    use tenon_mock::wire;
    let body = request.body.as_bytes();
    match request.path.rsplit('/').next() {
        Some("responses") => wire::responses::validate(body),
        Some("completions") => wire::chat::validate(body),
        Some("messages") => wire::messages::validate(body),
        _ => Vec::new(),
    }
}

fn read(connection: &TcpStream) -> Option<Seen> {
    let mut reader = BufReader::new(connection);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let path = first.split_whitespace().nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(':') else {
            break;
        };
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let mut request = Seen {
        path,
        headers,
        body: String::new(),
    };
    let length = request
        .header("content-length")
        .unwrap_or("0")
        .parse()
        .ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    request.body = String::from_utf8(body).ok()?;
    Some(request)
}
