//! Where Codex keeps its login, who may read it, and what `tenon auth status`
//! says of it.

use crate::codex::{Codex, LATER, PAST, SOON, is_token, login, renewed, takes, token, write};
use crate::codex_server::{Reply, WebServer};
use crate::program::Ran;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Command;

#[test]
fn a_linked_login_stays_a_link_and_what_it_leads_to_is_replaced() {
    let codex = Codex::with(&login(&token("old", SOON), "refresh-one-secret"));
    let real = codex.program.home.home().join("dotfiles-auth.json");
    fs::rename(codex.file(), &real).unwrap();
    std::os::unix::fs::symlink(&real, codex.file()).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o644)).unwrap();
    let new = token("new", LATER);
    codex.run(&takes(&new)).ended(0);
    assert!(fs::symlink_metadata(codex.file()).unwrap().is_symlink());
    assert_eq!(codex.stored()["tokens"]["access_token"], new.as_str());
    assert_eq!(fs::metadata(&real).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn a_login_that_cannot_be_written_down_is_not_used_up() {
    if rustix::process::geteuid().is_root() {
        eprintln!("skipped: root can write everywhere");
        return;
    }
    let old = token("old", SOON);
    let codex = Codex::with(&login(&old, "refresh-one-secret"));
    fs::set_permissions(&codex.home, fs::Permissions::from_mode(0o500)).unwrap();
    let server = takes(&old);
    codex.run(&server).ended(0);
    assert!(server.asked("/oauth/token").is_empty());
    fs::set_permissions(&codex.home, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_login_is_not_renewed_where_nobody_can_be_kept_from_doing_the_same() {
    let old = token("old", SOON);
    let codex = Codex::with(&login(&old, "refresh-one-secret"));
    fs::create_dir(codex.home.join(".tenon-auth.lock")).unwrap();
    let server = takes(&old);
    codex.run(&server).ended(0);
    assert!(server.asked("/oauth/token").is_empty());
}

#[test]
fn a_key_of_the_platform_is_used_only_when_that_is_allowed() {
    let codex = Codex::with(&json!({"OPENAI_API_KEY": "sk-platform-secret-0123", "tokens": null}));
    let server = WebServer::new(|seen| Reply::says(&seen.path, "hello"));
    let ran = codex.run(&server).ended(1);
    let said = format!("{}{}", ran.out, ran.err);
    assert!(
        said.contains("codex login") && said.contains("allow_api_key_fallback"),
        "{said}"
    );
    assert!(server.seen().is_empty());
    codex.nowhere(&ran, &["sk-platform-secret-0123"]);

    codex.configured(&server, &json!({"allow_api_key_fallback": true}));
    codex.program.run(&["exec", "-p", "hi"]).ended(0);
    let asked = server.asked("/backend/responses");
    assert_eq!(asked[0].key(), "sk-platform-secret-0123");
    assert_eq!(asked[0].header("chatgpt-account-id"), None);
}

#[test]
fn without_a_login_codex_login_is_named() {
    let codex = Codex::with(&json!({}));
    fs::remove_file(codex.file()).unwrap();
    let server = WebServer::new(|seen| Reply::says(&seen.path, "hello"));
    for content in [None, Some("{}"), Some("not json"), Some("[1]"), Some("")] {
        if let Some(content) = content {
            fs::write(codex.file(), content).unwrap();
        }
        let ran = codex.run(&server).ended(1);
        let said = format!("{}{}", ran.out, ran.err);
        assert!(said.contains("codex login"), "{content:?}: {said}");
    }
    assert!(server.seen().is_empty());
}

#[test]
fn a_login_does_not_travel_unencrypted() {
    let codex = Codex::with(&login(&token("a", LATER), "refresh-one-secret"));
    codex.program.configure(
        r#"{"default_provider": "codex", "providers": {"codex": {"base_url": "http://192.0.2.1/x", "model": "m"}}}"#,
    );
    let ran = codex.program.run(&["exec", "-p", "hi"]).ended(1);
    assert!(ran.err.contains("unencrypted connection"), "{}", ran.err);

    // Nor is it renewed at such an address.
    let codex = Codex::with(&login(&token("a", PAST), "refresh-one-secret"));
    let server = WebServer::new(|seen| Reply::says(&seen.path, "hello"));
    let mut command = codex.command(&server);
    command.env(
        "CODEX_REFRESH_TOKEN_URL_OVERRIDE",
        "http://192.0.2.1/oauth/token",
    );
    let ran = Ran::of(command.output().unwrap()).ended(1);
    let said = format!("{}{}", ran.out, ran.err);
    assert!(said.contains("CODEX_REFRESH_TOKEN_URL_OVERRIDE"), "{said}");
}

#[test]
fn another_home_of_codex_can_be_named() {
    let access = token("elsewhere", LATER);
    let codex = Codex::with(&login(&token("usual", LATER), "r"));
    let elsewhere = codex.program.home.home().join("other");
    fs::create_dir(&elsewhere).unwrap();
    write(&elsewhere.join("auth.json"), &login(&access, "r"));
    let server = takes(&access);
    let mut command = codex.command(&server);
    command.env("CODEX_HOME", &elsewhere);
    Ran::of(command.output().unwrap()).ended(0);
    codex.configured(&server, &json!({"codex_home": elsewhere}));
    codex.program.run(&["exec", "-p", "hi"]).ended(0);
    assert!(server.seen().iter().all(|seen| seen.key() == access));
}

/// A keyring with one entry, as Codex writes it.
fn keyring(codex: &Codex, login: &Value) -> String {
    use sha2::{Digest, Sha256};
    let home = codex.home.canonicalize().unwrap();
    let hash = Sha256::digest(home.to_string_lossy().as_bytes());
    let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let bin = codex.program.home.home().join("tools");
    fs::create_dir_all(&bin).unwrap();
    let entry = bin.join("entry.json");
    write(&entry, login);
    let script = format!(
        "#!/bin/sh\n[ \"$*\" = \"lookup service Codex Auth username cli|{}\" ] || exit 1\ncat {}\n",
        &hex[..16],
        entry.display()
    );
    let tool = bin.join("secret-tool");
    fs::write(&tool, script).unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    format!("{}:{path}", bin.display())
}

#[test]
#[cfg(target_os = "linux")]
fn a_login_in_the_keyring_is_read_and_never_renewed_by_us() {
    let access = token("kept", LATER);
    let codex = Codex::with(&json!({}));
    fs::remove_file(codex.file()).unwrap();
    let server = takes(&access);
    let run = |login: &Value| {
        let path = keyring(&codex, login);
        let mut command = codex.command(&server);
        command
            .env("PATH", path)
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
        Ran::of(command.output().unwrap())
    };
    run(&login(&access, "refresh-one-secret"))
        .ended(0)
        .says("hello");
    // Soon over: still used, because only Codex can write it back.
    let ran = run(&login(&token("old", PAST), "refresh-one-secret")).ended(1);
    let said = format!("{}{}", ran.out, ran.err);
    assert!(said.contains("keyring has expired"), "{said}");
    assert!(server.asked("/oauth/token").is_empty());
}

#[test]
#[cfg(target_os = "linux")]
fn the_keyring_goes_before_the_file_and_the_file_before_a_login_that_has_expired() {
    let (kept, filed) = (token("kept", LATER), token("filed", LATER));
    for (in_keyring, store, used) in [
        (token("kept", LATER), "auto", &kept),
        (token("kept", LATER), "file", &filed),
        (token("old", PAST), "auto", &filed),
    ] {
        let codex = Codex::with(&login(&filed, "refresh-of-file"));
        let server = takes(used);
        let path = keyring(&codex, &login(&in_keyring, "refresh-of-keyring"));
        codex.configured(&server, &json!({"auth_store": store}));
        let mut command = codex.again(&server);
        command
            .env("PATH", path)
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
        Ran::of(command.output().unwrap()).ended(0).says("hello");
        let asked = server.asked("/backend/responses");
        assert_eq!(asked[0].key(), used.as_str(), "{store}");
    }
}

#[test]
fn a_login_that_is_wanted_of_the_keyring_alone_is_missed_there_and_not_in_the_file() {
    let codex = Codex::with(&login(&token("filed", LATER), "refresh-of-file"));
    let server = WebServer::new(|seen| Reply::says(&seen.path, "hello"));
    codex.configured(&server, &json!({"auth_store": "keyring"}));
    let empty = codex.program.home.path().join("no-programs");
    fs::create_dir(&empty).unwrap();
    let mut command = codex.again(&server);
    command.env("PATH", empty);
    let ran = Ran::of(command.output().unwrap()).ended(1);
    let said = format!("{}{}", ran.out, ran.err);
    assert!(
        said.contains("there is no Codex login in the keyring"),
        "{said}"
    );
    assert!(said.contains("`auth_store`"), "{said}");
    assert!(server.seen().is_empty());
}

#[test]
fn status_shows_the_login_with_account_and_end_and_nothing_of_the_tokens() {
    let access = token("first", LATER);
    let codex = Codex::with(&login(&access, "refresh-one-secret"));
    let ran = codex.program.run(&["auth", "status"]).ended(0);
    let ran = ran
        .says("codex")
        .says("ada@example.com (plus)")
        .says("until 20");
    codex.nowhere(&ran, &[&access, "refresh-one-secret"]);
    let rows = codex
        .program
        .run(&["auth", "status", "--json"])
        .ended(0)
        .json();
    assert_eq!(rows[0]["source"], "codex");
    assert_eq!(rows[0]["account"], "account-of-ada");
    codex
        .program
        .run(&["auth", "login", "codex"])
        .ended(2)
        .complains("codex login");
    codex
        .program
        .run(&["auth", "logout", "codex"])
        .ended(2)
        .complains("codex logout");
}

#[test]
fn status_warns_of_a_login_that_others_can_change() {
    use std::os::unix::fs::PermissionsExt;
    let codex = Codex::with(&login(&token("first", LATER), "refresh-one-secret"));
    let status = || codex.program.run(&["auth", "status"]).ended(0);
    let mode = |mode| fs::set_permissions(codex.file(), fs::Permissions::from_mode(mode)).unwrap();
    mode(0o600);
    assert!(!status().err.contains("chmod"));
    mode(0o666);
    status().complains("chmod 600").complains("auth.json");
}

#[test]
fn a_pipe_in_the_place_of_a_login_is_an_error_and_no_wait() {
    let codex = Codex::with(&login(&token("first", LATER), "refresh-one-secret"));
    fs::remove_file(codex.file()).unwrap();
    for name in ["auth.json", "installation_id"] {
        let path = codex.home.join(name);
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }
    let server = WebServer::new(|seen| Reply::says(&seen.path, "hello"));
    let ran = codex.run(&server).ended(1);
    let said = format!("{}{}", ran.out, ran.err);
    assert!(said.contains("it isn't a regular file"), "{said}");
}

#[test]
fn an_answer_that_is_no_token_does_not_replace_a_login() {
    let access = token("first", 60);
    for bad in [String::from("a\r\nx-evil: 1"), "x".repeat(200_000)] {
        let codex = Codex::with(&login(&access, "refresh-one-secret"));
        let server = WebServer::new(move |seen| match is_token(seen) {
            true => renewed(&bad, "refresh-two"),
            false => Reply::says(&seen.path, "hello"),
        });
        let before = codex.stored();
        codex.run(&server).ended(0);
        assert_eq!(codex.stored(), before);
        assert_eq!(server.asked("/oauth/token").len(), 1);
    }
}
