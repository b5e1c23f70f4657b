//! `--image` and attachments of prompts (P13).

use crate::model::Model;
use crate::program::{Program, Ran};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;

/// One dot.
const PNG: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89";
const GIF: &[u8] = b"GIF89a\x01\0\x01\0\0\0\0;";

fn picture(program: &Program, name: &str, content: &[u8]) {
    std::fs::write(program.project().join(name), content).unwrap();
}

fn run(program: &Program, model: &Model, args: &[&str]) -> Ran {
    let mut command = model.command(&program.home);
    command.args(args).stdin(Stdio::null());
    Ran::of(command.output().unwrap())
}

/// The parts of the first message of the user in the last request.
fn parts(model: &Model) -> Vec<Value> {
    let body: Value = model
        .bodies()
        .iter()
        .filter_map(|body| serde_json::from_str(body).ok())
        .rfind(|body: &Value| body["messages"].is_array())
        .unwrap();
    let messages = body["messages"].as_array().unwrap();
    let user = messages.iter().find(|message| message["role"] == "user");
    user.unwrap()["content"].as_array().unwrap().clone()
}

#[test]
fn images_follow_the_text_in_the_order_in_which_they_are_given() {
    let program = Program::new();
    picture(&program, "one.dat", PNG);
    picture(&program, "two.gif", GIF);
    let model = Model::says("two dots");
    let args = [
        "exec",
        "-p",
        "what is it?",
        "--image",
        "two.gif",
        "--image",
        "https://example.com/x.png",
        "--image",
        "one.dat",
    ];
    run(&program, &model, &args).ended(0).says("two dots");
    let parts = parts(&model);
    assert_eq!(parts[0], json!({"type": "text", "text": "what is it?"}));
    let urls: Vec<&str> = parts[1..]
        .iter()
        .map(|part| part["image_url"]["url"].as_str().unwrap())
        .collect();
    assert!(
        urls[0].starts_with("data:image/gif;base64,R0lGOD"),
        "{urls:?}"
    );
    assert_eq!(urls[1], "https://example.com/x.png");
    assert!(
        urls[2].starts_with("data:image/png;base64,iVBOR"),
        "{urls:?}"
    );
    for request in model.requests() {
        assert_eq!(request.violations, Vec::<String>::new());
    }
}

#[test]
fn an_image_that_cannot_be_sent_ends_the_program_before_anything_is_asked() {
    let program = Program::new();
    picture(&program, "text.png", b"not an image");
    picture(&program, "large.png", &[PNG, &[0; 4000]].concat());
    program.configure(r#"{"multimodal": {"max_bytes": 1000}}"#);
    let model = Model::says("never");
    for (image, said) in [
        ("missing.png", "can't read"),
        ("text.png", "neither PNG, JPEG, GIF nor WebP"),
        ("large.png", "has 4033 bytes; 1000 are accepted"),
        (".", "it isn't a regular file"),
        ("http://example.com/a.png", "must be https"),
        ("ftp://example.com/a.png", "isn't an image address"),
    ] {
        run(&program, &model, &["exec", "-p", "x", "--image", image])
            .ended(2)
            .complains(said);
    }
    assert!(model.requests().is_empty());
    let sessions = program.run(&["sessions", "list", "--all", "--json"]).json();
    assert_eq!(sessions, json!([]));
}

#[test]
fn an_image_that_the_format_cannot_carry_is_refused_and_not_left_out_unsaid() {
    let program = Program::new();
    const MOST: usize = 3_932_160;
    picture(
        &program,
        "fits.png",
        &[PNG, &vec![0; MOST - PNG.len()]].concat(),
    );
    picture(
        &program,
        "large.png",
        &[PNG, &vec![0; MOST + 1 - PNG.len()]].concat(),
    );
    let model = Model::says("seen");
    program.configure(
        &json!({"default_provider": "p", "providers": {"p": {
            "type": "messages", "base_url": model.url, "model": "m", "api_key": "k"}}})
        .to_string(),
    );
    let look = |image: &str| program.run(&["exec", "-p", "look", "--image", image]);
    look("large.png")
        .ended(2)
        .complains("has 3932161 bytes; 3932160 are accepted")
        .complains("servers of the type `messages` accept no larger images");
    assert!(model.requests().is_empty());
    look("fits.png").ended(0).says("seen");
    assert_eq!(parts(&model)[1]["type"], "image");
}

#[test]
fn a_model_that_is_known_to_be_blind_gets_no_image() {
    let program = Program::new();
    picture(&program, "one.png", PNG);
    let model = Model::says("never");
    program.configure(
        &json!({"default_provider": "p", "providers": {"p": {
            "base_url": model.url, "model": "m", "models": [{"id": "m", "vision": false}]}}})
        .to_string(),
    );
    let ran = Ran::of(
        program
            .command()
            .args(["exec", "-p", "look", "--image", "one.png"])
            .output()
            .unwrap(),
    );
    assert_ne!(ran.code, 0);
    ran.complains("image");
    let asked = model.requests();
    assert!(
        asked
            .iter()
            .all(|request| !request.path.ends_with("/chat/completions")),
        "{:?}",
        asked.len()
    );
}

#[test]
fn a_program_in_front_attaches_images_to_its_prompts() {
    let program = Program::new();
    picture(&program, "one.png", PNG);
    let model = Model::says("seen");
    let mut child = model
        .command(&program.home)
        .args(["exec", "--format", "json", "--input-format", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = [
        json!({"type": "prompt", "text": "bad", "attachments": [{"type": "image", "path": "missing.png"}]}),
        json!({"type": "prompt", "text": "bad", "attachments": [{"type": "tool_call", "id": "x"}]}),
        json!({"type": "prompt", "text": "look", "attachments": [{"type": "image", "path": "one.png"}]}),
    ];
    let mut input = child.stdin.take().unwrap();
    for line in lines {
        writeln!(input, "{line}").unwrap();
    }
    drop(input);
    let ran = Ran::of(child.wait_with_output().unwrap()).ended(0);
    assert!(ran.out.contains("can't read"), "{}", ran.out);
    assert!(ran.out.contains("an attachment looks like"), "{}", ran.out);
    let parts = parts(&model);
    assert_eq!(parts[0]["text"], "look");
    let url = parts[1]["image_url"]["url"].as_str().unwrap();
    assert!(url.starts_with("data:image/png;base64,"), "{url}");
}

#[test]
fn the_cap_of_an_image_is_that_of_the_provider_that_the_session_goes_on_with() {
    let program = Program::new();
    // More than Messages takes, less than is accepted otherwise.
    picture(&program, "large.png", &[PNG, &[0; 4_000_000]].concat());
    let (chat, messages) = (Model::says("seen"), Model::says("seen"));
    let config = json!({"default_provider": "one", "providers": {
        "one": {"base_url": chat.url, "model": "mock-model"},
        "two": {"type": "messages", "base_url": messages.url, "model": "mock-model"},
    }});
    program.configure(&config.to_string());
    let ask = |args: &[&str]| program.run(&[&["exec", "-p", "hi"], args].concat());
    ask(&["--provider", "two"]).ended(0);
    let refused = ask(&["--resume", "--image", "large.png"]);
    assert_ne!(refused.code, 0);
    refused.complains("servers of the type `messages`");
    assert_eq!(messages.asked().len(), 1, "nothing was asked");
    ask(&["--image", "large.png"]).ended(0).says("seen");
}
