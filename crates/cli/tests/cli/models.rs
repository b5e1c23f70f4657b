//! `tenon models`, `tenon agents`.

use crate::codex_server::{Reply, WebServer};
use crate::model::Model;
use crate::program::{Program, Ran};
use serde_json::json;

#[test]
fn the_models_of_the_server_are_listed_and_the_configured_one_is_marked() {
    let program = Program::new();
    let model = Model::new(r#"{"scenarios": []}"#);
    let ask = |args: &[&str]| {
        let mut command = model.command(&program.home);
        Ran::of(command.arg("models").args(args).output().unwrap())
    };
    ask(&[]).ended(0).says("*  mock-model");
    let listed = ask(&["--json"]).ended(0).json();
    assert_eq!(listed[0]["id"], "mock-model");
    assert_eq!(listed[0]["configured"], true);
}

#[test]
fn each_window_names_who_says_so_and_a_private_server_has_no_prices_of_the_catalogue() {
    let program = Program::new();
    let model = Model::new(r#"{"scenarios": [], "server": "vllm", "window": 4096}"#);
    program.configure(
        &json!({"providers": {"p": {"base_url": model.url, "model": "gpt-4o", "vision": true, "models": [
            "gpt-4o",
            {"id": "mine", "context_window": 77, "prices": {"input": 1.5, "output": 2}},
        ]}}})
        .to_string(),
    );
    let rows = program.run(&["models", "--json"]).ended(0).json();
    let row = |id: &str| {
        let rows = rows.as_array().unwrap();
        rows.iter().find(|row| row["id"] == id).unwrap().clone()
    };
    let listed = row("mock-model");
    assert_eq!(listed["context_window"], 4096);
    assert_eq!(listed["context_source"], "server");
    assert_eq!(listed["listed"], true);
    let own = row("mine");
    assert_eq!(
        (&own["context_window"], &own["context_source"]),
        (&json!(77), &json!("config"))
    );
    assert_eq!(own["prices"]["input"], 1.5);
    // A name that a hosted model has means nothing on a server of one's own.
    let local = row("gpt-4o");
    assert_eq!(
        (&local["prices"], &local["context_window"]),
        (&json!(null), &json!(null))
    );
    assert_eq!(
        (&local["vision"], &local["configured"]),
        (&json!(true), &json!(true))
    );
    program
        .run(&["models"])
        .ended(0)
        .says("server")
        .says("config")
        .complains("`gpt-4o` is not on the list of");
}

#[test]
fn all_providers_are_asked_at_once_and_one_that_fails_does_not_spoil_the_others() {
    let program = Program::new();
    let model = Model::new(r#"{"scenarios": []}"#);
    program.configure(
        &json!({"providers": {
            "good": {"base_url": model.url}, "dead": {"base_url": "http://127.0.0.1:9/v1", "models": ["kept"]},
            "unset": {"base_url": "http://${NOPE}/v1"},
        }})
        .to_string(),
    );
    program
        .run(&["exec", "-p", "x"])
        .ended(2)
        .complains("several providers")
        .complains("`tenon models` lists them");
    // None is chosen, so all are meant.
    for args in [&["models", "--all"] as &[&str], &["models"]] {
        program
            .run(args)
            .ended(0)
            .says("good/mock-model")
            .says("dead/kept")
            .complains("`dead` doesn't answer")
            .complains("can't use `unset`");
    }
    program
        .run(&["models", "--all"])
        .ended(0)
        .says("mock-model")
        .complains("`dead` doesn't answer")
        .complains("can't use `unset`");
    program
        .run(&["models", "--all", "--provider", "good"])
        .ended(2);
    program
        .run(&["models", "--provider", "good"])
        .ended(0)
        .says("mock-model");
    program
        .run(&["models", "--forget"])
        .ended(0)
        .complains("Tenon has learned nothing");
}

#[test]
fn a_configured_model_that_the_server_does_not_name_is_told_of() {
    let program = Program::new();
    let model = Model::new(r#"{"scenarios": []}"#);
    let mut command = model.command(&program.home);
    command.arg("models").env("TENON_MODEL", "other");
    let ran = Ran::of(command.output().unwrap()).ended(0);
    ran.complains("`other` is not on the list of");
}

#[test]
fn without_a_server_nothing_is_asked() {
    let program = Program::new();
    program
        .run(&["models"])
        .ended(2)
        .complains("no model server is configured")
        .complains("TENON_BASE_URL");
    let mut command = program.command();
    command
        .arg("models")
        .env("TENON_BASE_URL", "http://127.0.0.1:9/v1");
    Ran::of(command.output().unwrap())
        .ended(1)
        .complains("127.0.0.1:9");
    program
        .run(&["models", "--provider", "nobody"])
        .ended(2)
        .complains("nobody");
}

#[test]
fn presets_are_listed_without_any_request() {
    let program = Program::new();
    program
        .run(&["models", "--presets"])
        .ended(0)
        .says("ollama")
        .says("http://localhost:11434/v1");
    let presets = program
        .run(&["models", "--presets", "--json"])
        .ended(0)
        .json();
    let named = |name: &str| {
        let all = presets.as_array().unwrap();
        all.iter()
            .find(|preset| preset["name"] == name)
            .unwrap()
            .clone()
    };
    assert_eq!(named("openai")["key_env"], json!(["OPENAI_API_KEY"]));
    assert_eq!(named("ollama")["local"], true);
}

#[test]
fn the_agents_are_listed_with_what_they_may_do() {
    let program = Program::new();
    program
        .run(&["agents", "list"])
        .ended(0)
        .says("build")
        .says("plan")
        .says("reads");
    let agents = program.run(&["agents", "list", "--json"]).ended(0).json();
    assert_eq!(agents[0]["name"], "build");
    assert_eq!(agents[1]["read_only"], true);
}

#[test]
fn a_name_that_a_server_made_up_fills_no_screen() {
    let program = Program::new();
    let long = "x".repeat(300_000);
    let server = WebServer::new(move |_| {
        let models = [json!({"id": long}), json!({"id": "a\nEvil: line"})];
        Reply::json(200, &json!({"data": models}))
    });
    program.configure(&json!({"providers": {"p": {"base_url": server.url("/v1")}}}).to_string());
    for args in [["models"].as_slice(), &["exec", "-p", "hi"]] {
        let ran = program.run(args);
        let said = format!("{}{}", ran.out, ran.err);
        assert!(said.len() < 3000, "{} characters", said.len());
        assert!(said.contains("Evil: line"), "{said}");
        assert!(!said.lines().any(|line| line.starts_with("Evil")), "{said}");
    }
}

#[test]
fn the_window_of_the_chosen_model_is_asked_where_the_list_does_not_tell() {
    for server in ["ollama", "lmstudio", "litellm"] {
        let program = Program::new();
        let model =
            Model::new(&json!({"scenarios": [], "server": server, "window": 4096}).to_string());
        let mut command = model.command(&program.home);
        let listed = Ran::of(command.args(["models", "--json"]).output().unwrap())
            .ended(0)
            .json();
        assert_eq!(listed[0]["context_window"], 4096, "{server}: {listed}");
        assert_eq!(listed[0]["context_source"], "server", "{server}");
    }
}

#[test]
fn a_server_without_a_list_is_no_failure_where_models_are_configured() {
    let program = Program::new();
    let server = WebServer::new(|_| Reply::refused(404, "not_found"));
    let configure = |models: &[&str]| {
        program.configure(
            &json!({"providers": {"p": {"base_url": server.url("/v1"), "models": models}}})
                .to_string(),
        );
    };
    configure(&["one", "two"]);
    let ran = program
        .run(&["models"])
        .ended(0)
        .says("one")
        .says("two")
        .complains("the server of `p` doesn't list its models");
    assert!(!ran.err.contains("base_url"), "{}", ran.err);
    configure(&[]);
    program
        .run(&["models"])
        .ended(1)
        .complains("the server of `p` doesn't list its models")
        .complains("--model");
}

#[test]
fn the_provider_of_variables_is_called_by_its_variable() {
    let program = Program::new();
    let mut command = program.command();
    command
        .args(["models", "--all"])
        .env("TENON_BASE_URL", "http://127.0.0.1:9/v1");
    program.configure(r#"{"providers": {"p": {"base_url": "http://127.0.0.1:9/v1"}}}"#);
    Ran::of(command.output().unwrap())
        .ended(1)
        .complains("`TENON_BASE_URL` doesn't answer");
    let mut command = program.command();
    command
        .args(["auth", "status"])
        .env("TENON_BASE_URL", "http://127.0.0.1:9/v1");
    Ran::of(command.output().unwrap())
        .ended(0)
        .says("*  TENON_BASE_URL");
}
