//! `tenon mock-llm` as the binary: the script, the recorder and the player.

use crate::model::{Model, tenon};
use crate::program::{Program, Ran};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};
use tenon_mock::RequestKind;
use tenon_testing::TestHome;

/// The server in the foreground of a process of its own. Ends with the test.
struct Served {
    child: Child,
    /// Kept open: a program whose reader is gone ends.
    _said: BufReader<ChildStdout>,
    url: String,
}

impl Served {
    fn start(home: &TestHome, args: &[&str]) -> Self {
        let mut child = home
            .command(tenon())
            .args(["mock-llm", "--port", "0"])
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        said.read_line(&mut line).unwrap();
        let url = line
            .trim()
            .strip_prefix("listening on ")
            .unwrap()
            .to_owned();
        Self {
            child,
            _said: said,
            url,
        }
    }

    fn ask(&self, home: &TestHome, prompt: &str) -> Ran {
        let output = home
            .command(tenon())
            .args(["exec", "-p", prompt])
            .env("TENON_BASE_URL", &self.url)
            .env("TENON_MODEL", "mock-model")
            .env("TENON_API_KEY", "sk-s3cret")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        Ran::of(output)
    }
}

impl Served {
    /// A request by hand: the whole reply, head and body.
    fn post(&self, path: &str, body: &str) -> String {
        let host = self.url.strip_prefix("http://").unwrap();
        let mut socket = TcpStream::connect(host.trim_end_matches("/v1")).unwrap();
        let length = body.len();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: m\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
        );
        socket.write_all(head.as_bytes()).unwrap();
        socket.write_all(body.as_bytes()).unwrap();
        let mut reply = String::new();
        socket.read_to_string(&mut reply).unwrap();
        reply
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn recorded(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(!text.contains("s3cret"), "{text}");
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_server_is_recorded_without_its_key_and_played_when_it_is_gone() {
    let home = TestHome::new();
    let tape = home.path().join("tape.jsonl");
    let out = tape.to_str().unwrap();
    {
        let model = Model::says("Grüße aus der Aufnahme.");
        let recorder = Served::start(&home, &["--record", &model.url, "--out", out]);
        recorder
            .ask(&home, "say it")
            .ended(0)
            .says("Grüße aus der Aufnahme.");
        let asked = model.requests();
        let chat = asked.iter().find(|one| one.kind == RequestKind::Chat);
        let key = &chat.unwrap().headers["authorization"];
        assert_eq!(key, "Bearer sk-s3cret", "the real server gets the key");
    }
    let exchanges = recorded(&tape);
    let chat = exchanges
        .iter()
        .find(|one| one["request"]["path"] == "/v1/chat/completions");
    assert_eq!(chat.unwrap()["response"]["end"], "complete");
    for chunk in ["1", "line", "event", "recorded"] {
        let player = Served::start(&home, &["--replay", out, "--chunk", chunk]);
        player
            .ask(&home, "say it")
            .ended(0)
            .says("Grüße aus der Aufnahme.");
    }
}

#[test]
fn a_server_that_is_not_there_is_an_error_that_names_it() {
    let home = TestHome::new();
    let tape = home.path().join("tape.jsonl");
    let out = tape.to_str().unwrap();
    let url = Model::says("x").url.clone();
    let recorder = Served::start(&home, &["--record", &url, "--out", out]);
    let host = url.strip_prefix("http://").unwrap().trim_end_matches("/v1");
    let reply = recorder.post("/v1/chat/completions", "{}");
    assert!(reply.starts_with("HTTP/1.1 502"), "{reply}");
    assert!(reply.contains(host), "{reply}");
    assert!(recorded(&tape).is_empty());
}

#[test]
fn flags_that_do_not_go_together_are_refused() {
    let program = Program::new();
    for (args, word) in [
        (&["--record", "ftp://host/v1"][..], "http"),
        (
            &["--record", "http://h/v1", "--replay", "f"][..],
            "cannot be used with",
        ),
        (
            &["--record", "http://h/v1", "--scenarios", "f"][..],
            "cannot be used with",
        ),
        (&["--out", "f"][..], "--record"),
        (&["--chunk", "line"][..], "--replay"),
        (
            &["--replay", "f", "--chunk", "0"][..],
            "number of bytes above 0",
        ),
        (&["--delay", "recorded"][..], "only works with --replay"),
        (&["--delay", "soon"][..], "milliseconds"),
        (&["--replay", "missing.jsonl"][..], "missing.jsonl"),
    ] {
        let mut all = vec!["mock-llm", "--port", "0"];
        all.extend(args);
        program.run(&all).ended(2).complains(word);
    }
}

#[test]
fn one_scenario_file_answers_in_every_format() {
    let home = TestHome::new();
    let file = home.path().join("scenarios.json");
    std::fs::write(
        &file,
        r#"{"scenarios": [], "default_response": {"content": "The same."}}"#,
    )
    .unwrap();
    let served = Served::start(&home, &["--scenarios", file.to_str().unwrap()]);
    for (path, body) in [
        (
            "/v1/chat/completions",
            r#"{"messages":[{"role":"user","content":"x"}]}"#,
        ),
        (
            "/v1/messages",
            r#"{"messages":[{"role":"user","content":"x"}]}"#,
        ),
        ("/v1/responses", r#"{"input":"x"}"#),
    ] {
        let reply = served.post(path, body);
        assert!(
            reply.starts_with("HTTP/1.1 200") && reply.contains("The same."),
            "{reply}"
        );
    }
}
