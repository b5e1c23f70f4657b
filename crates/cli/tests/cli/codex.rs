//! The login of Codex, with servers that play OpenAI's token endpoint and the
//! backend.

use crate::codex_server::{Reply, Seen, WebServer};
use crate::program::{Program, Ran};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

pub const SOON: i64 = 60;
pub const LATER: i64 = 24 * 60 * 60;
pub const PAST: i64 = -60;

/// A token that ends so many seconds from now. The name makes it another one.
pub fn token(name: &str, ends_in: i64) -> String {
    use base64::Engine;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let claims = json!({
        "exp": i64::try_from(now.as_secs()).unwrap() + ends_in,
        "jti": name,
        "email": "ada@example.com",
        "https://api.openai.com/auth": {"chatgpt_account_id": "account-of-ada", "chatgpt_plan_type": "plus"},
    });
    let encoded = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(claims.to_string());
    format!("e30.{encoded}.c2lnbmF0dXJl")
}

pub fn login(access: &str, refresh: &str) -> Value {
    json!({
        "OPENAI_API_KEY": null,
        "tokens": {"id_token": token("identity", LATER), "access_token": access,
            "refresh_token": refresh, "account_id": "account-of-ada", "of_the_future": [1, 2]},
        "last_refresh": "2026-01-01T00:00:00.123456Z",
        "also_of_the_future": {"kept": true},
    })
}

pub struct Codex {
    pub program: Program,
    pub home: PathBuf,
}

impl Codex {
    /// With this login in a home of Codex.
    pub fn with(login: &Value) -> Self {
        let program = Program::new();
        let home = program.home.home().join(".codex");
        fs::create_dir(&home).unwrap();
        let codex = Self { program, home };
        codex.write(login);
        codex
    }

    pub fn file(&self) -> PathBuf {
        self.home.join("auth.json")
    }

    pub fn write(&self, login: &Value) {
        write(&self.file(), login);
    }

    pub fn stored(&self) -> Value {
        serde_json::from_str(&fs::read_to_string(self.file()).unwrap()).unwrap()
    }

    pub fn configured(&self, server: &WebServer, more: &Value) {
        let mut provider = json!({"base_url": server.url("/backend"), "model": "gpt-5-codex"});
        for (key, value) in more.as_object().unwrap() {
            provider[key] = value.clone();
        }
        self.program.configure(
            &json!({"default_provider": "codex", "providers": {"codex": provider}}).to_string(),
        );
    }

    pub fn command(&self, server: &WebServer) -> Command {
        self.configured(server, &json!({}));
        self.again(server)
    }

    /// With the configuration as it is.
    pub fn again(&self, server: &WebServer) -> Command {
        let mut command = self.program.command();
        command
            .env(
                "CODEX_REFRESH_TOKEN_URL_OVERRIDE",
                server.url("/oauth/token"),
            )
            .args(["exec", "-p", "hi", "--format", "json"]);
        command
    }

    pub fn run(&self, server: &WebServer) -> Ran {
        Ran::of(self.command(server).output().unwrap())
    }

    /// Fails when one of these stands in what was printed or kept.
    #[track_caller]
    pub fn nowhere(&self, ran: &Ran, secrets: &[&str]) {
        let mut all = vec![ran.out.clone(), ran.err.clone()];
        collect(&self.program.home.tenon(), &mut all);
        for text in all {
            for secret in secrets {
                assert!(!text.contains(secret), "{secret} in: {text}");
            }
        }
    }
}

pub fn write(file: &Path, login: &Value) {
    fs::write(file, serde_json::to_string_pretty(login).unwrap()).unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
}

pub fn collect(folder: &Path, all: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), all);
        } else if let Ok(bytes) = fs::read(entry.path()) {
            all.push(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
}

pub fn is_token(seen: &Seen) -> bool {
    seen.path == "/oauth/token"
}

pub fn renewed(access: &str, refresh: &str) -> Reply {
    Reply::json(
        200,
        &json!({"access_token": access, "refresh_token": refresh, "id_token": token("identity2", LATER)}),
    )
}

/// Takes only this token; renews to it.
pub fn takes(access: &str) -> WebServer {
    let access = access.to_owned();
    WebServer::new(move |seen| {
        if is_token(seen) {
            renewed(&access, "refresh-two-secret")
        } else if seen.key() == access {
            Reply::says(&seen.path, "hello")
        } else {
            Reply::refused(401, "token_expired")
        }
    })
}

#[test]
fn a_login_is_found_and_sent_with_its_account() {
    let access = token("first", LATER);
    let codex = Codex::with(&login(&access, "refresh-one-secret"));
    fs::write(
        codex.home.join("installation_id"),
        "0194a000-0000-7000-8000-000000000001\n",
    )
    .unwrap();
    let server = takes(&access);
    let ran = codex.run(&server).ended(0).says("hello");
    let asked = server.asked("/backend/responses");
    assert_eq!(asked.len(), 1);
    let sent = &asked[0];
    assert_eq!(sent.key(), access);
    assert_eq!(sent.header("chatgpt-account-id"), Some("account-of-ada"));
    assert_eq!(sent.header("originator"), Some("tenon"));
    assert!(sent.header("user-agent").unwrap().starts_with("tenon/"));
    let first: Value = serde_json::from_str(ran.out.lines().next().unwrap()).unwrap();
    assert_eq!(sent.header("session_id"), first["session"].as_str());
    assert_eq!(
        sent.header("x-codex-installation-id"),
        Some("0194a000-0000-7000-8000-000000000001")
    );
    assert_eq!(
        sent.json()["client_metadata"]["x-codex-installation-id"],
        "0194a000-0000-7000-8000-000000000001"
    );
    assert_eq!(sent.json()["store"], false);
    assert_eq!(sent.header("x-openai-fedramp"), None);
    assert!(server.asked("/oauth/token").is_empty());
    codex.nowhere(&ran, &[&access, "refresh-one-secret"]);
}

#[test]
fn the_payload_is_the_one_that_the_server_behind_codex_expects_and_may_be_configured() {
    let access = token("first", LATER);
    let codex = Codex::with(&login(&access, "refresh-one-secret"));
    let server = takes(&access);
    codex.run(&server).ended(0);
    let sent = server.asked("/backend/responses")[0].json();
    assert_eq!(sent["parallel_tool_calls"], false);
    assert_eq!(sent["store"], false);
    assert_eq!(sent["include"], json!(["reasoning.encrypted_content"]));
    assert_eq!(
        sent["reasoning"],
        json!({"effort": "medium", "summary": "auto"})
    );

    let own = json!({"responses": {
        "parallel_tool_calls": true,
        "include": ["reasoning.encrypted_content", "message.output_text.logprobs"],
        "reasoning": {"effort": "high", "summary": "detailed"},
    }});
    codex.configured(&server, &own);
    Ran::of(codex.again(&server).output().unwrap()).ended(0);
    let sent = server.asked("/backend/responses")[1].json();
    assert_eq!(sent["parallel_tool_calls"], true);
    assert_eq!(
        sent["include"],
        json!([
            "reasoning.encrypted_content",
            "message.output_text.logprobs"
        ])
    );
    assert_eq!(
        sent["reasoning"],
        json!({"effort": "high", "summary": "detailed"})
    );

    // What is said for a session goes before what stands there.
    let mut command = codex.again(&server);
    command.args(["--effort", "low"]);
    Ran::of(command.output().unwrap()).ended(0);
    let sent = server.asked("/backend/responses")[2].json();
    assert_eq!(sent["reasoning"]["effort"], "low");
}

#[test]
fn a_login_is_looked_for_only_where_the_configuration_says() {
    let access = token("first", LATER);
    let codex = Codex::with(&login(&access, "refresh-one-secret"));
    let server = takes(&access);
    codex.configured(&server, &json!({"auth_store": "file"}));
    Ran::of(codex.again(&server).output().unwrap()).ended(0);
    codex.configured(&server, &json!({"auth_store": "keyring"}));
    let ran = Ran::of(codex.again(&server).output().unwrap()).ended(1);
    let said = format!("{}{}", ran.out, ran.err);
    assert!(said.contains("no Codex login"), "{said}");
}

#[test]
fn a_token_that_ends_within_minutes_is_renewed_before_it_is_used() {
    let (old, new) = (token("old", SOON), token("new", LATER));
    let codex = Codex::with(&login(&old, "refresh-one-secret"));
    let server = takes(&new);
    let ran = codex.run(&server).ended(0).says("hello");
    let asked = server.asked("/oauth/token");
    assert_eq!(asked.len(), 1);
    let body = asked[0].json();
    assert_eq!(body["grant_type"], "refresh_token");
    assert_eq!(body["refresh_token"], "refresh-one-secret");
    assert!(body["client_id"].as_str().unwrap().starts_with("app_"));
    assert_eq!(asked[0].header("authorization"), None);
    let keys: Vec<String> = server
        .asked("/backend/responses")
        .iter()
        .map(|seen| seen.key().to_owned())
        .collect();
    assert_eq!(keys, [new.as_str()]);
    let stored = codex.stored();
    assert_eq!(stored["tokens"]["access_token"], new.as_str());
    assert_eq!(stored["tokens"]["refresh_token"], "refresh-two-secret");
    assert_eq!(stored["tokens"]["of_the_future"], json!([1, 2]));
    assert_eq!(stored["also_of_the_future"], json!({"kept": true}));
    assert_ne!(stored["last_refresh"], "2026-01-01T00:00:00.123456Z");
    assert_eq!(fs::metadata(codex.file()).unwrap().mode() & 0o777, 0o600);
    codex.nowhere(
        &ran,
        &[&old, &new, "refresh-one-secret", "refresh-two-secret"],
    );
}

#[test]
fn a_refused_token_is_renewed_once_and_the_request_is_sent_again() {
    let (old, new) = (token("old", LATER), token("new", LATER));
    let codex = Codex::with(&login(&old, "refresh-one-secret"));
    let server = takes(&new);
    codex.run(&server).ended(0).says("hello");
    let keys: Vec<String> = server
        .asked("/backend/responses")
        .iter()
        .map(|seen| seen.key().to_owned())
        .collect();
    assert_eq!(keys, [old, new]);
    assert_eq!(server.asked("/oauth/token").len(), 1);
}

#[test]
fn a_renewed_token_that_is_refused_too_is_an_error_and_no_loop() {
    let codex = Codex::with(&login(&token("old", LATER), "refresh-one-secret"));
    let server = WebServer::new(|seen| match is_token(seen) {
        true => renewed(&token("new", LATER), "refresh-two-secret"),
        false => Reply::refused(401, "token_expired"),
    });
    let ran = codex.run(&server).ended(1);
    assert_eq!(server.asked("/backend/responses").len(), 2);
    assert_eq!(server.asked("/oauth/token").len(), 1);
    codex.nowhere(&ran, &["refresh-one-secret", "refresh-two-secret"]);
}

#[test]
fn a_login_that_another_program_renewed_is_used_as_it_is() {
    let (old, new) = (token("old", LATER), token("new", LATER));
    let codex = Codex::with(&login(&old, "refresh-one-secret"));
    let (file, other, theirs) = (
        codex.file(),
        login(&new, "refresh-of-other-secret"),
        new.clone(),
    );
    let server = WebServer::new(move |seen| {
        if seen.key() == theirs {
            return Reply::says(&seen.path, "hello");
        }
        // While we asked, Codex renewed the login.
        write(&file, &other);
        Reply::refused(401, "token_expired")
    });
    codex.run(&server).ended(0).says("hello");
    assert!(server.asked("/oauth/token").is_empty());
    assert_eq!(codex.stored(), login_of(&codex, &new));
}

/// As it was written: nothing of ours in it.
fn login_of(codex: &Codex, access: &str) -> Value {
    let mut expected = login(access, "refresh-of-other-secret");
    expected["tokens"]["id_token"] = codex.stored()["tokens"]["id_token"].clone();
    expected
}

#[test]
fn a_token_that_another_program_used_up_is_looked_up_again() {
    let (old, new) = (token("old", SOON), token("new", LATER));
    let codex = Codex::with(&login(&old, "refresh-one-secret"));
    let (file, other, theirs) = (
        codex.file(),
        login(&new, "refresh-of-other-secret"),
        new.clone(),
    );
    let server = WebServer::new(move |seen| {
        if is_token(seen) {
            write(&file, &other);
            return Reply::refused(401, "refresh_token_reused");
        }
        assert_eq!(seen.key(), theirs);
        Reply::says(&seen.path, "hello")
    });
    codex.run(&server).ended(0).says("hello");
    assert_eq!(server.asked("/oauth/token").len(), 1);
}

#[test]
fn a_login_that_cannot_be_renewed_any_more_names_codex_login() {
    for (code, word) in [
        ("refresh_token_expired", "expired"),
        ("refresh_token_reused", "already renewed it"),
        ("refresh_token_invalidated", "revoked"),
        ("something_else", "no longer accepts"),
    ] {
        let codex = Codex::with(&login(&token("old", PAST), "refresh-one-secret"));
        let before = codex.stored();
        let server = WebServer::new(move |_| Reply::refused(401, code));
        let ran = codex.run(&server).ended(1);
        let said = format!("{}{}", ran.out, ran.err);
        assert!(
            said.contains(word) && said.contains("codex login"),
            "{code}: {said}"
        );
        assert_eq!(server.asked("/oauth/token").len(), 1, "{code}");
        assert!(server.asked("/backend/responses").is_empty());
        assert_eq!(codex.stored(), before);
        codex.nowhere(&ran, &["refresh-one-secret"]);
    }
}

#[test]
fn a_login_that_cannot_be_renewed_is_used_while_its_token_holds_and_that_is_said_once() {
    for code in [
        "refresh_token_expired",
        "refresh_token_invalidated",
        "other",
    ] {
        let old = token("old", SOON * 4);
        let codex = Codex::with(&login(&old, "refresh-one-secret"));
        let before = codex.stored();
        let asked = std::sync::atomic::AtomicUsize::new(0);
        let server = WebServer::new(move |seen| match is_token(seen) {
            true => Reply::refused(401, code),
            // Tried again within the session: the second request says nothing new.
            false if asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0 => {
                Reply::refused(503, "busy")
            }
            false => Reply::says(&seen.path, "hello"),
        });
        let ran = codex.run(&server).ended(0).says("hello");
        let told = ran.out.matches("the current token is used");
        assert_eq!(told.count(), 1, "{}", ran.out);
        assert_eq!(server.asked("/oauth/token").len(), 1, "{code}");
        let requests = server.asked("/backend/responses");
        assert!(requests.iter().all(|seen| seen.key() == old));
        assert_eq!(codex.stored(), before);
        codex.nowhere(&ran, &["refresh-one-secret"]);
    }
}

#[test]
fn a_token_endpoint_in_trouble_does_not_stop_a_token_that_still_works() {
    let old = token("old", SOON);
    let codex = Codex::with(&login(&old, "refresh-one-secret"));
    let server = WebServer::new(|seen| match is_token(seen) {
        true => Reply::refused(503, "refresh_token_expired"),
        false => Reply::says(&seen.path, "hello"),
    });
    codex.run(&server).ended(0).says("hello");
    assert_eq!(server.asked("/backend/responses")[0].key(), old);

    codex.write(&login(&token("old", PAST), "refresh-one-secret"));
    let ran = codex.run(&server).ended(1);
    let said = format!("{}{}", ran.out, ran.err);
    assert!(
        said.contains("could not be renewed") && said.contains("503"),
        "{said}"
    );
}

#[test]
fn ten_programs_at_once_renew_a_login_once() {
    let (old, new) = (token("old", SOON), token("new", LATER));
    let codex = Codex::with(&login(&old, "refresh-one-secret"));
    let server = {
        let new = new.clone();
        WebServer::new(move |seen| {
            if !is_token(seen) {
                return Reply::says(&seen.path, "hello");
            }
            // As OpenAI does: a token is good for one time.
            match seen.json()["refresh_token"].as_str() {
                Some("refresh-one-secret") => renewed(&new, "refresh-two-secret"),
                _ => Reply::refused(401, "refresh_token_reused"),
            }
        })
    };
    codex.configured(&server, &json!({}));
    let running: Vec<Child> = (0..10)
        .map(|_| {
            let mut command = codex.again(&server);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for child in running {
        Ran::of(child.wait_with_output().unwrap()).ended(0);
    }
    assert_eq!(server.asked("/oauth/token").len(), 1);
    let asked = server.asked("/backend/responses");
    assert_eq!(asked.len(), 10);
    assert!(asked.iter().all(|seen| seen.key() == new));
}
