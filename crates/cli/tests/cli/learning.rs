//! What is learned from refusals: it yields to the configuration, it is said,
//! and what a session cannot send any more does not end it.

use crate::codex_server::{Reply, Seen, WebServer};
use crate::program::{Program, Ran};
use serde_json::{Value, json};

const PNG: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89";

fn refuses(message: &str) -> Reply {
    let error = json!({"message": message, "type": "invalid_request_error"});
    Reply::json(400, &json!({ "error": error }))
}

/// A server that takes no temperature.
fn cool() -> WebServer {
    WebServer::new(|seen| match seen.json().get("temperature") {
        _ if seen.path != "/v1/chat/completions" => Reply::refused(404, "not_found"),
        Some(_) => refuses("Unsupported parameter: 'temperature'"),
        None => Reply::says(&seen.path, "done"),
    })
}

fn configure(program: &Program, server: &WebServer, quirks: &Value) {
    let config = json!({"temperature": 0.5, "default_provider": "p", "providers": {"p": {
        "base_url": server.url("/v1"), "model": "m", "quirks": quirks}}});
    program.configure(&config.to_string());
}

fn asked(server: &WebServer) -> Vec<bool> {
    let asked = server.asked("/v1/chat/completions");
    let warm = |seen: &Seen| seen.json().get("temperature").is_some();
    asked.iter().map(warm).collect()
}

fn learned(program: &Program) -> Vec<Value> {
    let page = program.run(&["doctor", "--json"]).json();
    let findings = page["findings"].as_array().unwrap();
    let told = |finding: &&Value| finding["what"].as_str().unwrap().contains("learned");
    findings.iter().filter(told).cloned().collect()
}

#[test]
fn a_setting_that_a_lesson_leaves_out_is_said_to_be_and_the_lesson_is_listed() {
    let (program, server) = (Program::new(), cool());
    configure(&program, &server, &json!({}));
    assert_eq!(learned(&program), Vec::<Value>::new());
    program
        .run(&["exec", "-p", "hi"])
        .ended(0)
        .complains("doesn't accept `temperature`");
    program
        .run(&["exec", "-p", "hi"])
        .ended(0)
        .complains("`temperature` is not sent");
    assert_eq!(asked(&server), [true, false, false]);
    let listed = learned(&program);
    assert_eq!(listed.len(), 1, "{listed:?}");
    let what = listed[0]["what"].as_str().unwrap();
    for part in ["`m`", "tenon models --forget", "`temperature` is left out"] {
        assert!(what.contains(part), "{what}");
    }
}

#[test]
fn what_the_user_writes_comes_before_what_was_learned() {
    let (program, server) = (Program::new(), cool());
    configure(&program, &server, &json!({}));
    program.run(&["exec", "-p", "hi"]).ended(0);
    configure(&program, &server, &json!({"omit": []}));
    assert_eq!(learned(&program), Vec::<Value>::new(), "it is ignored");
    let ran = program.run(&["exec", "-p", "hi"]).ended(0);
    assert!(!ran.err.contains("earlier session"), "{}", ran.err);
    assert_eq!(asked(&server), [true, false, true, false]);
}

fn has_image(seen: &Seen) -> bool {
    seen.body.contains("image_url")
}

#[test]
fn a_session_with_refused_images_goes_on_after_it_is_resumed() {
    let program = Program::new();
    std::fs::write(program.project().join("one.png"), PNG).unwrap();
    let server = WebServer::new(|seen| match has_image(seen) {
        _ if seen.path != "/v1/chat/completions" => Reply::refused(404, "not_found"),
        true => refuses("This model does not support image input"),
        false => Reply::says(&seen.path, "done"),
    });
    configure(&program, &server, &json!({}));
    let first = ["exec", "-p", "look", "--image", "one.png"];
    program
        .run(&first)
        .ended(0)
        .complains("Tenon leaves them out");
    program
        .run(&["exec", "--resume", "-p", "and now?"])
        .ended(0)
        .complains("Tenon leaves them out")
        .says("done");
    let images: Vec<bool> = server
        .asked("/v1/chat/completions")
        .iter()
        .map(has_image)
        .collect();
    assert_eq!(images, [true, false, true, false]);

    let sessions = program.run(&["sessions", "list", "--json"]).json();
    let id = sessions[0]["id"].as_str().unwrap().parse().unwrap();
    let log = std::fs::read_to_string(program.log(id)).unwrap();
    let records: Vec<bool> = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|event| event["type"] == "context")
        .map(|event| event.to_string().contains("images_left_out"))
        .collect();
    assert_eq!(records, [false, true, false, true], "{log}");
}

#[test]
fn reasoning_that_cannot_be_opened_does_not_switch_reasoning_off() {
    let program = Program::new();
    let server = WebServer::new(|seen| {
        let item =
            json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"});
        let body = seen.json();
        let input = body["input"].to_string();
        if seen.path != "/v1/responses" {
            return Reply::refused(404, "not_found");
        }
        if input.contains("gAAA") {
            return Reply::refused(400, "invalid_encrypted_content");
        }
        let said = json!({"type": "message", "id": "m1", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": "done", "annotations": []}]});
        Reply::json(
            200,
            &json!({"id": "r1", "object": "response", "status": "completed", "output": [item, said]}),
        )
    });
    let config = json!({"default_provider": "p", "providers": {"p": {
        "type": "responses", "base_url": server.url("/v1"), "model": "m"}}});
    program.configure(&config.to_string());
    program.run(&["exec", "-p", "one"]).ended(0);
    let ran: Ran = program.run(&["exec", "--resume", "-p", "two"]).ended(0);
    ran.complains("can no longer read the reasoning")
        .says("done");
    let asked = server.asked("/v1/responses");
    assert_eq!(asked.len(), 3);
    for seen in &asked {
        assert_eq!(
            seen.json()["include"],
            json!(["reasoning.encrypted_content"])
        );
    }
    assert!(!program.home.tenon().join("learned.json").exists());
}
