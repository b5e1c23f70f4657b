//! Text in a pipe: it comes line by line, and no plan among it.

use crate::exec::calls;
use crate::model::Model;
use crate::program::{Program, Ran};
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

const BEGUN: [&str; 4] = ["# Title\n", "\nfirst\n", "second\n", "thi"];
const REST: [&str; 2] = ["rd\n", "last"];

/// A server that goes on with its answer when it is told to, or after a long
/// time; gives whether it was told.
fn halting(goes_on: Receiver<()>) -> (String, JoinHandle<bool>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let served = std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut first = String::new();
            reader.read_line(&mut first).unwrap();
            let mut length = 0;
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                let line = line.trim().to_ascii_lowercase();
                if let Some(number) = line.strip_prefix("content-length:") {
                    length = number.trim().parse().unwrap();
                }
                if line.is_empty() {
                    break;
                }
            }
            reader.read_exact(&mut vec![0; length]).unwrap();
            if !first.contains("/chat/completions") {
                let _ = stream.write_all(
                    b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                );
                continue;
            }
            stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
                .unwrap();
            let mut say = |text: &str| {
                let piece = json!({"choices": [{"index": 0, "delta": {"content": text}}]});
                write!(stream, "data: {piece}\n\n").unwrap();
            };
            BEGUN.iter().for_each(|text| say(text));
            let told = goes_on.recv_timeout(Duration::from_secs(60)).is_ok();
            REST.iter().for_each(|text| say(text));
            let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
            let _ = write!(stream, "data: {end}\n\ndata: [DONE]\n\n");
            return told;
        }
        false
    });
    (url, served)
}

#[test]
fn an_answer_reaches_a_pipe_line_by_line_before_it_has_ended() {
    let program = Program::new();
    let (go_on, goes_on) = channel();
    let (url, served) = halting(goes_on);
    let mut child = program
        .command()
        .args(["exec", "-p", "hi"])
        .env("TENON_BASE_URL", url)
        .env("TENON_MODEL", "m")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut begun = String::new();
    for _ in 0..4 {
        out.read_line(&mut begun).unwrap();
    }
    // Whoever waited for the end finds the server gone on without being told.
    let _ = go_on.send(());
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert!(
        served.join().unwrap(),
        "the first lines came only at the end"
    );
    assert_eq!(begun, "# Title\n\nfirst\nsecond\n");
    assert_eq!(rest, "third\nlast\n");
    assert!(
        ended.status.success(),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
}

#[test]
fn a_pipe_gets_each_line_of_an_answer_once_and_no_plan() {
    let answer = "# Done\n\n- one\n- two\n- three\n\nThat is all.";
    let program = Program::new();
    let run = |flags: &[&str]| {
        let model = Model::new(&calls("list", json!({}), answer));
        let mut command = model.command(&program.home);
        Ran::of(
            command
                .args(["exec", "-p", "go"])
                .args(flags)
                .output()
                .unwrap(),
        )
        .ended(0)
    };
    for flags in [&[][..], &["--no-stream"], &["--final-only"]] {
        let ran = run(flags);
        assert_eq!(ran.out, format!("{answer}\n"), "{flags:?}");
        if flags != ["--final-only"] {
            assert!(ran.err.contains("I will look."), "{}", ran.err);
        }
    }
}

#[test]
fn a_pipe_gets_a_plan_only_where_it_is_longer_than_plans_are_and_never_with_final_only() {
    let program = Program::new();
    let run = |plan: &str, flags: &[&str]| {
        let script = calls("list", json!({}), "That is all.").replace("I will look.", plan);
        let model = Model::new(&script);
        let mut command = model.command(&program.home);
        Ran::of(
            command
                .args(["exec", "-p", "go"])
                .args(flags)
                .output()
                .unwrap(),
        )
        .ended(0)
    };
    let short = "I look.\\nThen I think.";
    assert_eq!(run(short, &[]).out, "That is all.\n");
    let long = "I look.\\nI think.\\nI write.\\nI test.";
    assert!(run(long, &[]).out.starts_with("I look.\nI think.\n"));
    let ran = run(long, &["--final-only"]);
    assert_eq!(ran.out, "That is all.\n");
}

#[test]
fn with_v_the_files_of_rules_are_named_in_every_run() {
    let program = Program::new();
    let model = Model::says("hello");
    let rules = program.home.project().join("AGENTS.md");
    std::fs::write(&rules, "Be brief.\n").unwrap();
    let run = |flags: &[&str]| {
        let mut command = model.command(&program.home);
        Ran::of(
            command
                .args(["exec", "-p", "go"])
                .args(flags)
                .output()
                .unwrap(),
        )
        .ended(0)
    };
    let named = format!("rules: {}", rules.display());
    run(&[]).complains(&named);
    assert!(!run(&[]).err.contains(&named), "said once");
    run(&["-v"]).complains(&named);
    run(&["--verbose"]).complains(&named);
    run(&["--format", "json"]).says(&named);
    program
        .run(&["context", "show"])
        .says(rules.to_str().unwrap());
}
