//! `tenon models`, `tenon agents`.

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
fn a_configured_model_that_the_server_does_not_name_is_told_of() {
    let program = Program::new();
    let model = Model::new(r#"{"scenarios": []}"#);
    let mut command = model.command(&program.home);
    command.arg("models").env("TENON_MODEL", "other");
    let ran = Ran::of(command.output().unwrap()).ended(0);
    ran.complains("`other` is not among those");
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
