//! Keys on their way in and out: typed, piped, sent, refused, and never shown.

use crate::auth::{KEY, configure, hides, keys};
use crate::codex_server::{Reply, WebServer};
use crate::program::{Program, Ran};
use crate::repl::terminal::Setup;
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

#[test]
fn a_key_is_not_taken_from_what_is_none() {
    let program = Program::new();
    let login = |input: &str, args: &[&str]| {
        let args: Vec<&str> = ["auth", "login"].iter().chain(args).copied().collect();
        program.run_with(input, &args)
    };
    login("", &["openai", "--with-key-stdin"])
        .ended(2)
        .complains("it is empty");
    login("two words", &["openai", "--with-key-stdin"]).ended(2);
    login("a\nb", &["openai", "--with-key-stdin"]).ended(2);
    login(KEY, &["openai"])
        .ended(2)
        .complains("--with-key-stdin");
    login(KEY, &["opnai", "--with-key-stdin"])
        .ended(2)
        .complains("openai");
    login(KEY, &["--with-key-stdin"])
        .ended(2)
        .complains("so name one");
    // A key as an argument is not understood, and not kept.
    login("", &["openai", KEY]).ended(2);
    assert!(!keys(&program).exists());
}

#[test]
fn a_key_that_is_typed_is_not_shown() {
    let program = Program::new();
    let setup = Setup {
        home: &program.home,
        model: None,
        args: &["auth", "login", "openai"],
        env: &[],
    };
    let Some(terminal) = setup.start() else {
        return;
    };
    terminal.see("Key of `openai`");
    terminal.text(KEY).key("Enter").left(0);
    let screen = terminal.screen();
    assert!(!screen.contains("0123456789"), "{screen}");
    let saved: Value = serde_json::from_str(&fs::read_to_string(keys(&program)).unwrap()).unwrap();
    assert_eq!(saved["keys"]["openai"]["key"], KEY);
}

#[test]
fn leaving_the_question_for_a_key_leaves_the_terminal_as_it_was() {
    let program = Program::new();
    let setup = Setup {
        home: &program.home,
        model: None,
        args: &["auth", "login", "openai"],
        env: &[],
    };
    let Some(terminal) = setup.start() else {
        return;
    };
    terminal.see("Key of `openai`");
    terminal.text("sk-half").key("C-c").left(2);
    assert!(!keys(&program).exists());
}

#[test]
fn login_as_a_word_is_not_sent_to_a_model() {
    let program = Program::new();
    program
        .run(&["login"])
        .ended(2)
        .complains("tenon auth login");
}

#[test]
fn a_saved_key_is_sent_to_the_server_that_it_was_saved_for_and_to_no_other() {
    let program = Program::new();
    let server = WebServer::new(|seen| Reply::says(&seen.path, "hello"));
    let other = WebServer::new(|_| Reply::refused(401, "invalid_api_key"));
    configure(&program, &server);
    program
        .run_with(KEY, &["auth", "login", "mine", "--with-key-stdin"])
        .ended(0)
        .complains(&format!("for {} in ", server.url("")));
    let elsewhere = |args: &[&str]| {
        let mut command = program.command();
        command
            .env("TENON_PROVIDER", "mine")
            .env("TENON_BASE_URL", other.url("/v1"));
        Ran::of(command.args(args).output().unwrap())
    };
    let said = format!(
        "the key saved for `mine` is for {} and is not sent to {}",
        server.url(""),
        other.url("")
    );
    let ran = elsewhere(&["exec", "-p", "hi"]);
    assert_ne!(ran.code, 0);
    hides(&ran.complains(&said));
    assert!(!other.seen().is_empty());
    for seen in other.seen() {
        assert_eq!(seen.header("authorization"), None);
    }
    hides(&elsewhere(&["auth", "status", "mine"]).says(&said));
    // Where it is the server that the key was saved for, nothing has changed.
    program.run(&["exec", "-p", "hi"]).ended(0).says("hello");
    assert_eq!(server.seen()[0].key(), KEY);
}

#[test]
fn a_key_that_the_server_says_reaches_neither_screen_nor_log() {
    const SHAPELESS: &str = "zxcv-1234-asdf-qwer";
    let program = Program::new();
    let server = WebServer::new(|seen| {
        let said = format!("I was asked with {}.", seen.key());
        Reply::says(&seen.path, &said)
    });
    configure(&program, &server);
    let mut all = vec![];
    let mut command = program.command();
    command.env("MY_KEY", SHAPELESS).args(["exec", "-p", "hi"]);
    all.push(Ran::of(command.output().unwrap()).ended(0));
    program
        .run_with(SHAPELESS, &["auth", "login", "--with-key-stdin"])
        .ended(0);
    all.push(
        program
            .run(&["exec", "-p", "hi", "--format", "json"])
            .ended(0),
    );
    assert!(server.seen().iter().all(|seen| seen.key() == SHAPELESS));
    for ran in &all {
        assert!(
            ran.out.contains("asked with [masked:api-key]."),
            "{}",
            ran.out
        );
        assert!(!ran.out.contains(SHAPELESS) && !ran.err.contains(SHAPELESS));
    }
    let kept = Command::new("grep")
        .args(["-rl", SHAPELESS])
        .arg(program.home.tenon().join("sessions"))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&kept.stdout), "");
}

#[test]
fn a_pipe_in_the_place_of_the_keys_is_an_error_and_no_wait() {
    let program = Program::new();
    let server = WebServer::new(|seen| Reply::says(&seen.path, "hello"));
    configure(&program, &server);
    for name in ["keys.json", "learned.json"] {
        let made = Command::new("mkfifo")
            .arg(program.home.tenon().join(name))
            .status()
            .unwrap();
        assert!(made.success());
    }
    program
        .run(&["exec", "-p", "hi"])
        .ended(1)
        .complains("keys.json can't be read: it isn't a regular file");
}

#[test]
fn a_service_without_its_key_is_not_asked() {
    let program = Program::new();
    program
        .run(&[
            "exec",
            "--provider",
            "openai",
            "--model",
            "gpt-5",
            "-p",
            "x",
        ])
        .ended(2)
        .complains("the key of `openai` is not set: OPENAI_API_KEY")
        .complains("tenon auth login openai");
    // Whose address is another may want none.
    let server = WebServer::new(|seen| Reply::says(&seen.path, "hello"));
    program.configure(
        &json!({"providers": {"openai": {"base_url": server.url("/v1"), "type": "chat"}}})
            .to_string(),
    );
    program
        .run(&["exec", "--model", "gpt-5", "-p", "x"])
        .ended(0)
        .says("hello");
}

#[test]
fn a_key_in_the_place_of_a_variables_name_is_never_shown() {
    let program = Program::new();
    program.configure(
        &json!({"providers": {"a": {
            "base_url": "http://127.0.0.1:9/v1", "model": "m", "api_key_env": KEY}}})
        .to_string(),
    );
    for args in [
        &["exec", "-p", "x"] as &[&str],
        &["auth", "status"],
        &["auth", "status", "--json"],
        &["config", "show"],
        &["config", "show", "--json"],
        &["doctor"],
        &["models"],
    ] {
        let ran = program.run(args);
        hides(&ran);
        let all = format!("{}{}", ran.out, ran.err);
        assert!(
            all.contains("isn't the name of a variable"),
            "{args:?}: {all}"
        );
    }
}

#[test]
fn where_a_key_would_come_from_or_came_from_is_said_in_plain_words() {
    let program = Program::new();
    let server = WebServer::new(|_| Reply::refused(401, "no"));
    let exec = |variable: Option<&str>| {
        let mut command = program.command();
        command.args(["exec", "-p", "x"]);
        if let Some(variable) = variable {
            command.env(variable, KEY);
        }
        Ran::of(command.output().unwrap()).ended(1)
    };
    let provider = |more: Value| {
        let mut entry = json!({"base_url": server.url("/v1"), "model": "m"});
        entry
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        program.configure(&json!({"providers": {"o": entry}}).to_string());
    };
    provider(json!({}));
    exec(None).complains(
        "Tenon takes it from api_key_env or api_key_command of the provider (neither is set), or from `tenon auth login o`.",
    );
    provider(json!({"api_key_env": ["A_KEY", "B_KEY"]}));
    exec(None).complains("Tenon takes it from $A_KEY or $B_KEY, or from `tenon auth login o`.");
    exec(Some("B_KEY")).complains("The key came from $B_KEY. Check");
    let mut command = program.command();
    command
        .args(["exec", "-p", "x"])
        .env("TENON_BASE_URL", server.url("/v1"))
        .env("TENON_MODEL", "m")
        .env("TENON_API_KEY", KEY);
    Ran::of(command.output().unwrap())
        .ended(1)
        .complains("The key came from $TENON_API_KEY. Check");
}

#[test]
fn a_server_without_a_list_is_not_said_to_refuse_the_key() {
    let program = Program::new();
    let server = WebServer::new(|_| Reply::refused(404, "not_found"));
    configure(&program, &server);
    program
        .run_with(KEY, &["auth", "login", "--with-key-stdin"])
        .ended(0);
    program
        .run(&["auth", "status", "mine", "--check"])
        .ended(1)
        .says("doesn't list its models, so the key was not checked");
}
