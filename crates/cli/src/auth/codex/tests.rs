//! One login in one process: many requests at once, and requests that are given
//! up. What is sent and shown is tested with the whole program.

use super::find::account;
use super::{ApiKey, Authority, Codex, Inner};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;
use tenon_config::AuthStore;
use tenon_testing::wait_until;
use tenon_transport::CredentialSource;

#[test]
fn the_keyring_is_asked_under_the_name_that_codex_uses() {
    // The hash of the path as text, when the path cannot be resolved.
    assert_eq!(
        account(Path::new("/nonexistent/codex")),
        "cli|16b87590f04bbded"
    );
}

fn token(name: &str, exp: i64) -> String {
    use base64::Engine;
    let claims = json!({"exp": exp, "jti": name}).to_string();
    let engine = base64::engine::general_purpose::URL_SAFE_NO_PAD;
    format!("e30.{}.c2ln", engine.encode(claims))
}

/// Long ago, and in a long time.
fn expired() -> String {
    token("old", 1)
}

fn fresh() -> String {
    token("new", 4_000_000_000)
}

fn stored(home: &Path) -> Value {
    let text = std::fs::read_to_string(home.join("auth.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A token endpoint that tells of each request and waits before it answers.
struct Endpoint {
    url: String,
    asked: Arc<AtomicUsize>,
    arrived: mpsc::Receiver<()>,
    answer: mpsc::Sender<()>,
}

impl Endpoint {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/oauth/token", listener.local_addr().unwrap());
        let asked = Arc::new(AtomicUsize::new(0));
        let (tell, arrived) = mpsc::channel();
        let (answer, wait) = mpsc::channel();
        let count = Arc::clone(&asked);
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                count.fetch_add(1, Ordering::SeqCst);
                swallow(&connection);
                let _ = tell.send(());
                let _ = wait.recv();
                reply(&connection);
            }
        });
        Self {
            url,
            asked,
            arrived,
            answer,
        }
    }
}

fn swallow(connection: &TcpStream) {
    let mut reader = BufReader::new(connection);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    reader.read_exact(&mut vec![0; length]).unwrap();
}

fn reply(mut connection: &TcpStream) {
    let body = json!({"access_token": fresh(), "refresh_token": "two"}).to_string();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
    let _ = write!(
        connection,
        "{head}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
}

fn codex(home: &Path, endpoint: &Endpoint) -> Codex {
    let login = json!({"tokens": {"access_token": expired(), "refresh_token": "one"}});
    std::fs::write(home.join("auth.json"), login.to_string()).unwrap();
    Codex(Arc::new(Inner {
        home: home.to_owned(),
        keyring: None,
        store: AuthStore::Auto,
        authority: Authority::new(Some(&endpoint.url), None),
        address: String::from("https://example.com"),
        headers: Vec::new(),
        api_key: ApiKey::Refused,
        state: tokio::sync::Mutex::default(),
    }))
}

fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build().unwrap()
}

#[test]
fn ten_requests_at_once_renew_a_login_once() {
    let home = tempfile::tempdir().unwrap();
    let endpoint = Endpoint::new();
    let codex = Arc::new(codex(home.path(), &endpoint));
    let runtime = runtime();
    let asking: Vec<_> = (0..10)
        .map(|_| {
            let codex = Arc::clone(&codex);
            runtime.spawn(async move { codex.credential().await })
        })
        .collect();
    endpoint.arrived.recv().unwrap();
    endpoint.answer.send(()).unwrap();
    for asked in asking {
        let given = runtime.block_on(asked).unwrap().unwrap().unwrap();
        assert_eq!(given.secret.expose(), fresh());
    }
    assert_eq!(endpoint.asked.load(Ordering::SeqCst), 1);
}

#[test]
fn new_tokens_are_written_down_also_when_the_request_is_given_up() {
    let home = tempfile::tempdir().unwrap();
    let endpoint = Endpoint::new();
    let codex = codex(home.path(), &endpoint);
    let runtime = runtime();
    runtime.block_on(async {
        let asking = codex.credential();
        // The endpoint has the old token, and its answer is under way.
        tokio::select! {
            biased;
            _ = asking => panic!("nobody has answered yet"),
            () = async { tokio::task::block_in_place(|| endpoint.arrived.recv().unwrap()) } => {}
        }
    });
    endpoint.answer.send(()).unwrap();
    let written = wait_until(Duration::from_secs(30), || {
        stored(home.path())["tokens"]["refresh_token"] == "two"
    });
    assert!(written, "{}", stored(home.path()));
}

#[test]
fn nothing_of_a_login_shows_in_debug_output() {
    let found = super::login::Login::parse(br#"{"tokens": {"access_token": "hush"}}"#).unwrap();
    assert!(!format!("{found:?}").contains("hush"));
}
