//! `tenon auth`: keys that are saved, used and removed, and never shown.

use crate::codex_server::{Reply, WebServer};
use crate::program::{Program, Ran};
use crate::repl::terminal::Setup;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::process::{Command, Stdio};

const KEY: &str = "sk-0123456789abcdefghij-WXYZ";

fn keys(program: &Program) -> PathBuf {
    program.home.tenon().join("keys.json")
}

/// A provider `mine` that wants a key from a variable that is not set.
fn configure(program: &Program, server: &WebServer) {
    program.configure(
        &json!({"default_provider": "mine", "providers": {"mine": {
            "base_url": server.url("/v1"), "model": "m", "api_key_env": "MY_KEY"}}})
        .to_string(),
    );
}

fn with_input(mut command: Command, input: &str, args: &[&str]) -> Ran {
    let mut child = command
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    Ran::of(child.wait_with_output().unwrap())
}

fn hides(ran: &Ran) {
    for text in [&ran.out, &ran.err] {
        assert!(!text.contains("0123456789"), "{text}");
    }
}

#[test]
fn a_key_from_standard_input_is_kept_in_a_file_of_its_own_where_there_is_no_desktop() {
    let program = Program::new();
    let server = WebServer::new(|seen| Reply::says(&seen.path, "hello"));
    configure(&program, &server);
    let ran = program
        .run_with(&format!("{KEY}\n"), &["auth", "login", "--with-key-stdin"])
        .ended(0)
        .complains("keys.json")
        .complains("not encrypted");
    hides(&ran);
    assert_eq!(fs::metadata(keys(&program)).unwrap().mode() & 0o777, 0o600);
    program.run(&["exec", "-p", "hi"]).ended(0).says("hello");
    assert_eq!(server.seen()[0].key(), KEY);
}

#[test]
fn a_variable_comes_before_a_saved_key() {
    let program = Program::new();
    let server = WebServer::new(|seen| Reply::says(&seen.path, "hello"));
    configure(&program, &server);
    let mut command = program.command();
    command.env("MY_KEY", "of-the-variable");
    with_input(command, KEY, &["auth", "login", "mine", "--with-key-stdin"])
        .ended(0)
        .complains("MY_KEY is set as well");
    let mut command = program.command();
    command.env("MY_KEY", "of-the-variable");
    Ran::of(command.args(["exec", "-p", "hi"]).output().unwrap()).ended(0);
    assert_eq!(server.seen()[0].key(), "of-the-variable");
}

/// A store of the desktop that keeps a file for each entry, and all arguments
/// that it ever got.
fn desktop(program: &Program, kind: &str) -> (String, PathBuf) {
    let bin = program.home.home().join("desktop");
    fs::create_dir_all(&bin).unwrap();
    let script = match kind {
        "works" => {
            r#"#!/bin/sh
cd "$(dirname "$0")" || exit 2
echo "$@" >> arguments
action=$1; shift
case "$1" in --label=*) shift;; esac
entry=$(echo "$@" | tr ' /' '__')
case "$action" in
store) cat > "entry_$entry";;
lookup) [ -e "entry_$entry" ] || exit 1; cat "entry_$entry";;
clear) rm -f "entry_$entry";;
esac
"#
        }
        "forgets" => "#!/bin/sh\n[ \"$1\" = store ] && cat > /dev/null && exit 0\nexit 1\n",
        _ => "#!/bin/sh\necho 'Cannot autolaunch D-Bus' >&2\nexit 1\n",
    };
    let tool = bin.join("secret-tool");
    fs::write(&tool, script).unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    (format!("{}:{path}", bin.display()), bin)
}

fn at_a_desktop(program: &Program, path: &str) -> Command {
    let mut command = program.command();
    command
        .env("PATH", path)
        .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
    command
}

#[test]
#[cfg(target_os = "linux")]
fn a_key_is_kept_by_the_desktop_where_it_can_and_is_never_an_argument() {
    let program = Program::new();
    let server = WebServer::new(|seen| Reply::says(&seen.path, "hello"));
    configure(&program, &server);
    let (path, bin) = desktop(&program, "works");
    let run = |args: &[&str]| {
        let mut command = at_a_desktop(&program, &path);
        Ran::of(command.args(args).output().unwrap())
    };
    let login = ["auth", "login", "mine", "--with-key-stdin"];
    let ran = with_input(at_a_desktop(&program, &path), KEY, &login)
        .ended(0)
        .complains("desktop's credential store");
    hides(&ran);
    assert!(!fs::read_to_string(keys(&program)).unwrap().contains(KEY));
    run(&["exec", "-p", "hi"]).ended(0);
    assert_eq!(server.seen()[0].key(), KEY);
    let rows = run(&["auth", "status", "--json"]).ended(0).json();
    assert_eq!(rows[0]["source"], "desktop");
    assert_eq!(rows[0]["ends_with"], "WXYZ");
    let arguments = fs::read_to_string(bin.join("arguments")).unwrap();
    assert!(
        arguments.contains("username mine") && !arguments.contains(KEY),
        "{arguments}"
    );
    run(&["auth", "logout", "mine"])
        .ended(0)
        .complains("removed");
    assert!(!bin.join("entry_service_tenon_username_mine").exists());
    run(&["auth", "logout", "mine"])
        .ended(2)
        .complains("no key was saved");
}

#[test]
#[cfg(target_os = "linux")]
fn a_desktop_that_does_not_keep_a_key_is_passed_over_and_said_to_be() {
    for (kind, why) in [("broken", "Cannot autolaunch"), ("forgets", "did not keep")] {
        let program = Program::new();
        let server = WebServer::new(|seen| Reply::says(&seen.path, "hello"));
        configure(&program, &server);
        let (path, _) = desktop(&program, kind);
        let login = ["auth", "login", "mine", "--with-key-stdin"];
        with_input(at_a_desktop(&program, &path), KEY, &login)
            .ended(0)
            .complains(why)
            .complains("keys.json");
        let only = [
            "auth",
            "login",
            "mine",
            "--with-key-stdin",
            "--store",
            "desktop",
        ];
        with_input(at_a_desktop(&program, &path), KEY, &only)
            .ended(1)
            .complains("--store file");
    }
}

#[test]
fn without_a_saved_key_no_tool_of_the_desktop_is_started() {
    let program = Program::new();
    let server = WebServer::new(|seen| Reply::says(&seen.path, "hello"));
    configure(&program, &server);
    let (path, bin) = desktop(&program, "works");
    let mut command = at_a_desktop(&program, &path);
    Ran::of(command.args(["exec", "-p", "hi"]).output().unwrap()).ended(0);
    assert!(!bin.join("arguments").exists());
    assert_eq!(server.seen()[0].header("authorization"), None);
}

#[test]
fn keys_that_others_can_read_are_refused_with_the_way_to_mend_it() {
    let program = Program::new();
    let server = WebServer::new(|seen| Reply::says(&seen.path, "hello"));
    configure(&program, &server);
    program
        .run_with(KEY, &["auth", "login", "--with-key-stdin"])
        .ended(0);
    fs::set_permissions(keys(&program), fs::Permissions::from_mode(0o644)).unwrap();
    program
        .run(&["exec", "-p", "hi"])
        .ended(1)
        .complains("can be read by others")
        .complains("chmod 600");
    assert!(server.seen().is_empty());
    program
        .run(&["auth", "status"])
        .ended(0)
        .complains("chmod 600");
    program.run(&["doctor"]).says("chmod 600");
}

#[test]
fn status_says_where_each_key_comes_from_and_shows_none() {
    let program = Program::new();
    program.configure(
        r#"{"default_provider": "a", "providers": {
            "a": {"base_url": "http://127.0.0.1:1/v1", "api_key_env": "KEY_OF_A"},
            "b": {"base_url": "http://127.0.0.1:1/v1", "api_key_command": "echo sk-0123456789-of-b"},
            "c": {"base_url": "http://127.0.0.1:1/v1", "api_key": "sk-0123456789-of-config"},
            "d": {"base_url": "http://127.0.0.1:1/v1"},
            "e": {"base_url": "http://127.0.0.1:1/v1", "api_key_env": ["E1", "E2"]}}}"#,
    );
    program
        .run_with(KEY, &["auth", "login", "d", "--with-key-stdin"])
        .ended(0);
    let mut command = program.command();
    command
        .env("KEY_OF_A", "sk-0123456789-of-aaaa")
        .env("OPENAI_API_KEY", "sk-0123456789-of-open")
        .args(["auth", "status"]);
    let ran = Ran::of(command.output().unwrap()).ended(0);
    for (name, told) in [
        ("a", "variable       KEY_OF_A (…aaaa)"),
        ("b", "command        api_key_command"),
        ("c", "configuration  in the file (…nfig)"),
        ("d", "file           keys.json (…WXYZ)"),
        (
            "e",
            "none           not set: E1 or E2, or `tenon auth login e`",
        ),
        ("openai", "variable       OPENAI_API_KEY (…open)"),
    ] {
        let row = ran
            .out
            .lines()
            .find(|line| line.split_whitespace().any(|word| word == name));
        assert!(
            row.is_some_and(|row| row.contains(told)),
            "{name}: {}",
            ran.out
        );
    }
    hides(&ran);
}

#[test]
fn check_asks_the_server_for_its_models_with_the_key() {
    let program = Program::new();
    let server = WebServer::new(|seen| match seen.key() {
        KEY => Reply::json(
            200,
            &json!({"object": "list", "data": [{"id": "m"}, {"id": "n"}]}),
        ),
        _ => Reply::refused(401, "invalid_api_key"),
    });
    configure(&program, &server);
    program
        .run_with(
            "sk-9999999999-wrong",
            &["auth", "login", "--with-key-stdin"],
        )
        .ended(0);
    let ran = program.run(&["auth", "status", "mine", "--check"]).ended(1);
    assert!(
        ran.out.contains("refuses the key")
            && ran.out.contains("came from `tenon auth login mine`")
            && !ran.out.contains("9999"),
        "{}",
        ran.out
    );
    program
        .run_with(KEY, &["auth", "login", "--with-key-stdin"])
        .ended(0);
    program
        .run(&["auth", "status", "mine", "--check"])
        .ended(0)
        .says("names 2 models");
    let asked: Vec<String> = server.seen().iter().map(|seen| seen.path.clone()).collect();
    assert_eq!(asked, ["/v1/models", "/v1/models"]);
}

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
        .complains("one must be named");
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
        .complains(&format!("for {} is in", server.url("")));
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
        .complains("keys.json cannot be read: it is not a regular file");
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
            all.contains("not the name of a variable"),
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
        "it would come from api_key_env or api_key_command of the provider (neither is set), or from `tenon auth login o`.",
    );
    provider(json!({"api_key_env": ["A_KEY", "B_KEY"]}));
    exec(None).complains("it would come from $A_KEY or $B_KEY, or from `tenon auth login o`.");
    exec(Some("B_KEY")).complains("The key came from $B_KEY: check");
    let mut command = program.command();
    command
        .args(["exec", "-p", "x"])
        .env("TENON_BASE_URL", server.url("/v1"))
        .env("TENON_MODEL", "m")
        .env("TENON_API_KEY", KEY);
    Ran::of(command.output().unwrap())
        .ended(1)
        .complains("The key came from $TENON_API_KEY: check");
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
        .says("does not list its models, so the key is not checked");
}
