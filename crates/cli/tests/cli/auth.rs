//! `tenon auth`: keys that are saved, used and removed, and never shown.

use crate::codex_server::{Reply, WebServer};
use crate::program::{Program, Ran};
use serde_json::json;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::process::{Command, Stdio};

pub const KEY: &str = "sk-0123456789abcdefghij-WXYZ";

pub fn keys(program: &Program) -> PathBuf {
    program.home.tenon().join("keys.json")
}

/// A provider `mine` that wants a key from a variable that is not set.
pub fn configure(program: &Program, server: &WebServer) {
    program.configure(
        &json!({"default_provider": "mine", "providers": {"mine": {
            "base_url": server.url("/v1"), "model": "m", "api_key_env": "MY_KEY"}}})
        .to_string(),
    );
}

pub fn with_input(mut command: Command, input: &str, args: &[&str]) -> Ran {
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

pub fn hides(ran: &Ran) {
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
        .complains("unencrypted");
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
        .complains("MY_KEY is also set");
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
        .complains("Removed the key");
    assert!(!bin.join("entry_service_tenon_username_mine").exists());
    run(&["auth", "logout", "mine"])
        .ended(2)
        .complains("no key was saved");
}

#[test]
#[cfg(target_os = "linux")]
fn a_desktop_that_does_not_keep_a_key_is_passed_over_and_said_to_be() {
    for (kind, why) in [("broken", "Cannot autolaunch"), ("forgets", "did not save")] {
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
        .complains("other users can read")
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
        .says("lists 2 models");
    let asked: Vec<String> = server.seen().iter().map(|seen| seen.path.clone()).collect();
    assert_eq!(asked, ["/v1/models", "/v1/models"]);
}
