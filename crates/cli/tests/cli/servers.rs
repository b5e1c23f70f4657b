//! What people meet with servers of their own: keys that are not sent and why,
//! windows that are remembered, strict templates, lessons that are shown.

use crate::codex_server::{Reply, WebServer};
use crate::model::Model;
use crate::program::{Program, Ran};
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::Duration;

fn run(program: &Program, model: &Model, args: &[&str]) -> Ran {
    let mut command = model.command(&program.home);
    command.args(args).stdin(Stdio::null());
    Ran::of(command.output().unwrap())
}

/// A server that wants a key, whichever.
fn closed() -> WebServer {
    WebServer::new(|seen| match seen.key() {
        "" => Reply::refused(401, "no_key"),
        _ => Reply::says(&seen.path, "come in"),
    })
}

#[test]
fn a_key_of_a_service_that_is_not_sent_is_named_when_the_server_wants_one() {
    let (program, server) = (Program::new(), closed());
    let mut command = program.command();
    command
        .env("TENON_BASE_URL", server.url("/v1"))
        .env("TENON_MODEL", "m")
        .env("OPENAI_API_KEY", "sk-somebody-elses-1234")
        .args(["exec", "-p", "hi"]);
    let ran = Ran::of(command.output().unwrap());
    assert_ne!(ran.code, 0, "{}", ran.out);
    let ran = ran
        .complains("No key was sent")
        .complains("$TENON_API_KEY")
        .complains("$OPENAI_API_KEY is set");
    assert!(!ran.err.contains("somebody-elses"), "{}", ran.err);
    assert!(server.asked("/v1/chat/completions")[0].key().is_empty());
}

#[test]
fn a_command_for_the_key_that_fails_says_its_last_words_without_secrets() {
    let program = Program::new();
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let config = json!({"providers": {"p": {"base_url": "http://127.0.0.1:9/v1", "model": "m",
        "api_key_command": format!("echo first >&2; printf 'vault is sealed \\033[31m{token}\\n\\n' >&2; exit 3")}}});
    program.configure(&config.to_string());
    let ran = program.run(&["exec", "-p", "hi"]);
    let ran = ran
        .complains("exit code 3: vault is sealed")
        .complains("[masked:github-token]");
    assert!(!ran.err.contains(&token), "{}", ran.err);
    assert!(!ran.err.contains('\u{1b}'), "{:?}", ran.err);
    assert!(!ran.err.contains("first"), "{}", ran.err);
}

#[test]
fn a_key_that_a_command_prints_is_masked_wherever_it_shows_up() {
    let program = Program::new();
    let key = "printed-by-4-command";
    program.file("notes.txt", &format!("the key is {key}\n"));
    let script = json!({"scenarios": [{"name": "one", "trigger": "go", "scope": "turn", "steps": [
        {"response": {"tool_calls": [{"function": {"name": "read", "arguments": {"path": "notes.txt"}}}]}},
        {"response": {"content": format!("It is {key}.")}},
    ]}], "default_response": {"content": "nothing"}});
    let model = Model::new(&script.to_string());
    let config = json!({"providers": {"p": {"base_url": model.url, "model": "mock-model",
        "api_key_command": format!("echo {key}")}}});
    program.configure(&config.to_string());
    let ran = program
        .run(&["exec", "--format", "json", "-p", "go"])
        .ended(0);
    assert!(ran.out.contains("It is [masked:api-key]."), "{}", ran.out);
    assert!(!ran.out.contains(key), "{}", ran.out);
    assert!(!model.bodies()[1].contains(key), "{}", model.bodies()[1]);
    assert!(!model.asked().is_empty());
}

/// A server that says its window, in the words of llama.cpp. It is asked between
/// two steps, so the first session has two.
fn llama(window: u64) -> Model {
    let look = json!({"function": {"name": "list", "arguments": {}}});
    Model::scripted(
        json!({"server": "llamacpp", "window": window, "scenarios": [
            {"name": "look", "trigger": "look", "scope": "turn", "steps": [
                {"response": {"tool_calls": [look]}},
                {"response": {"content": "ok"}},
            ]}],
            "default_response": {"content": "ok"}}),
        Duration::ZERO,
    )
}

fn first_body(model: &Model) -> Value {
    serde_json::from_str(&model.bodies()[0]).unwrap()
}

fn last_body(model: &Model) -> Value {
    serde_json::from_str(model.bodies().last().unwrap()).unwrap()
}

#[test]
fn the_window_that_a_server_said_holds_from_the_first_request_of_the_next_session_on() {
    let (program, model) = (Program::new(), llama(16_384));
    program.configure(r#"{"max_tokens": 100000}"#);
    run(&program, &model, &["exec", "-p", "look"]).ended(0);
    assert_eq!(first_body(&model)["max_tokens"], 100_000, "nobody knew");
    run(&program, &model, &["exec", "-p", "hi"]).ended(0);
    let limit = last_body(&model)["max_tokens"].as_u64().unwrap();
    assert!(limit < 16_384, "{limit}");
    let kept = std::fs::read_to_string(program.home.tenon().join("windows.json")).unwrap();
    assert!(kept.contains("16384"), "{kept}");
    run(&program, &model, &["models", "--forget"]).ended(0);
    run(&program, &model, &["exec", "-p", "hi"]).ended(0);
    assert_eq!(last_body(&model)["max_tokens"], 100_000, "forgotten");
}

#[test]
fn only_a_server_that_was_recognised_is_asked_how_far_it_has_read() {
    let (program, model) = (Program::new(), llama(65_536));
    run(&program, &model, &["exec", "-p", "look"]).ended(0);
    assert_eq!(first_body(&model).get("return_progress"), None);
    let args = ["exec", "--format", "json", "-p", "hi"];
    let ran = run(&program, &model, &args).ended(0);
    assert_eq!(last_body(&model)["return_progress"], true);
    let read: Vec<u64> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter_map(|event| event["read_percent"].as_u64())
        .collect();
    assert_eq!(read, [43, 100]);
    // Another server at the same address that refuses it is learned from.
    let strict = WebServer::new(|seen| match seen.json().get("return_progress") {
        _ if seen.path != "/v1/chat/completions" => Reply::refused(404, "not_found"),
        Some(_) => Reply::json(
            400,
            &json!({"error": {"message": "Unknown parameter: 'return_progress'"}}),
        ),
        None => Reply::says(&seen.path, "ok"),
    });
    let other = Program::new();
    let said = json!({"windows": [{"base_url": strict.url("/v1"), "model": "m", "tokens": 65536,
        "place": "/props", "said_at": std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()}]});
    std::fs::write(other.home.tenon().join("windows.json"), said.to_string()).unwrap();
    let mut command = other.command();
    command
        .env("TENON_BASE_URL", strict.url("/v1"))
        .env("TENON_MODEL", "m")
        .args(["exec", "-p", "hi"]);
    Ran::of(command.output().unwrap()).says("ok").ended(0);
}

#[test]
fn a_small_model_that_nobody_serves_is_warned_of_at_the_start() {
    let (program, model) = (Program::new(), Model::says("hello"));
    for (small, why) in [
        ("nobody/tiny", "there is no provider `nobody`"),
        ("tiny", "needs its provider's name"),
    ] {
        program.configure(&json!({ "small_model": small }).to_string());
        run(&program, &model, &["exec", "-p", "hi"])
            .ended(0)
            .complains(&format!("small_model `{small}` is ignored"))
            .complains(why);
    }
    program.configure(r#"{"small_model": "env/tiny"}"#);
    let ran = run(&program, &model, &["exec", "-p", "hi"]).ended(0);
    assert!(!ran.err.contains("small_model"), "{}", ran.err);
}

#[test]
fn what_was_learned_of_a_model_is_listed_with_its_end_and_how_to_forget_it() {
    let program = Program::new();
    let server = WebServer::new(|seen| match seen.path.as_str() {
        "/v1/models" => Reply::json(200, &json!({"data": [{"id": "m"}]})),
        "/v1/chat/completions" if seen.json().get("temperature").is_some() => Reply::json(
            400,
            &json!({"error": {"message": "Unsupported parameter: 'temperature'"}}),
        ),
        "/v1/chat/completions" => Reply::says(&seen.path, "done"),
        _ => Reply::refused(404, "not_found"),
    });
    let config = json!({"temperature": 0.5, "providers": {"p": {"base_url": server.url("/v1"), "model": "m"}}});
    program.configure(&config.to_string());
    program.run(&["exec", "-p", "hi"]).ended(0);
    program
        .run(&["models"])
        .ended(0)
        .says("Learned from refusals (`tenon models --forget` tries again)")
        .says("p/m: `temperature` is left out, until 20");
    let rows = program.run(&["models", "--json"]).json();
    assert_eq!(rows[0]["learned"][0]["what"], "`temperature` is left out");
    program
        .run(&["models", "--forget"])
        .ended(0)
        .complains("Forgotten: 1 thing");
    let page = program.run(&["models"]).ended(0);
    assert!(!page.out.contains("Learned"), "{}", page.out);
}

#[test]
fn ten_turns_pass_the_strictest_template_that_refuses_what_it_does_not_know() {
    let program = Program::new();
    program.file("a.txt", "alpha\n");
    let refused =
        json!({"refuse_parameters": ["parallel_tool_calls", "stream_options", "developer"]});
    let script = json!({"scenarios": [{"name": "each", "trigger": "turn", "scope": "turn", "steps": [
        {"response": {"tool_calls": [{"function": {"name": "read", "arguments": {"path": "a.txt"}}}]}, "fault": refused},
        {"response": {"content": "read it"}, "fault": refused},
    ]}], "default_response": {"content": "nothing"}});
    let model = Model::new(&script.to_string());
    let mut told = 0;
    for turn in 1..=10 {
        let prompt = format!("turn {turn}");
        let mut args = vec!["exec", "-p", &prompt];
        if turn > 1 {
            args.insert(1, "--resume");
        }
        let ran = run(&program, &model, &args).ended(0).says("read it");
        told += ran.err.matches("doesn't accept `stream_options`").count();
    }
    assert_eq!(told, 1, "learned once, over ten processes");
    let asked = model.asked();
    assert_eq!(asked.len(), 1 + 2 * 10);
    let mut last = 0;
    for request in &asked {
        assert_eq!(request.violations, Vec::<String>::new());
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let messages = body["messages"].as_array().unwrap();
        let systems = messages
            .iter()
            .filter(|message| message["role"] == "system");
        assert_eq!(systems.count(), 1);
        for message in messages {
            assert!(!message["content"].is_null(), "{message}");
            assert_ne!(message["tool_calls"], json!([]));
            assert_ne!(message["role"], "developer");
        }
        last = messages.len();
    }
    assert_eq!(last, 1 + 10 * 4 - 1, "the whole conversation");
}
