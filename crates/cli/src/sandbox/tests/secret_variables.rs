//! Which variables reach commands.

use super::settings;
use crate::sandbox::Environment;
use std::ffi::OsString;
use tenon_config::{SandboxMode, SandboxSettings};

fn given(variables: &[(&str, &str)], settings: &SandboxSettings) -> (Vec<String>, Vec<String>) {
    let all = variables
        .iter()
        .map(|(name, value)| (OsString::from(name), OsString::from(value)))
        .collect();
    let sorted = Environment::sort(all, settings, &[String::from("MY_LLM")]);
    let given = sorted
        .given
        .iter()
        .map(|(name, _)| name.to_string_lossy().into_owned())
        .collect();
    (given, sorted.withheld)
}

#[test]
fn credentials_in_variables_are_withheld() {
    let secret = [
        "OPENAI_API_KEY",
        "openai_api_key",
        "GITHUB_TOKEN",
        "CARGO_REGISTRY_TOKEN",
        "NPM_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "DB_PASSWORD",
        "PGPASSWORD",
        "MYSQL_PWD",
        "CLIENT_SECRET",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "ANTHROPIC_AUTH_TOKEN",
        "TENON_API_KEY",
        "MY_LLM",
        "SSH_AUTH_SOCK",
        "DBUS_SESSION_BUS_ADDRESS",
        "DOCKER_HOST",
        "XDG_RUNTIME_DIR",
        "PRIVATE_KEY",
        "ENCRYPTION_KEY",
        "ACCESS_KEY",
        "DEPLOY_KEY",
        "PASS",
        "HTTP_AUTHORIZATION",
        "BASIC_AUTH",
        "SUPABASE_JWT",
        "SLACK_WEBHOOK",
        "SLACK_WEBHOOK_URL",
        "GITHUBTOKEN",
        "MYSECRETS",
        "VSCODE_IPC_HOOK_CLI",
    ];
    let variables: Vec<(&str, &str)> = secret.iter().map(|name| (*name, "x")).collect();
    let (kept, withheld) = given(&variables, &settings());
    assert_eq!(kept, Vec::<String>::new());
    assert_eq!(withheld.len(), secret.len());
}

#[test]
fn harmless_variables_reach_commands() {
    let harmless = [
        "PATH",
        "HOME",
        "LANG",
        "SSH_TTY",
        "SSH_CONNECTION",
        "CARGO_HOME",
        "CARGO_TARGET_DIR",
        "RUSTFLAGS",
        "VIRTUAL_ENV",
        "NODE_ENV",
        "CI",
        "PWD",
        "OLDPWD",
        "AWS_REGION",
        "KEYBOARD",
        "TOKENIZERS_PARALLELISM",
        "MONKEY",
        "SECURITYSESSIONID",
        "HTTPS_PROXY",
        "GPG_KEY",
        "SSH_PUBLIC_KEY",
        "CI_CACHE_KEY",
    ];
    let variables: Vec<(&str, &str)> = harmless.iter().map(|name| (*name, "x")).collect();
    let (kept, withheld) = given(&variables, &settings());
    assert_eq!(withheld, Vec::<String>::new());
    assert_eq!(kept.len(), harmless.len());
}

#[test]
fn an_address_with_a_password_is_withheld_unless_it_is_of_this_machine() {
    let (kept, withheld) = given(
        &[
            ("DATABASE_URL", "postgres://app:s3cret@db.example.com/app"),
            (
                "TEST_DATABASE_URL",
                "postgres://postgres:postgres@localhost/x",
            ),
            ("SITE_URL", "https://example.com/a:b@c"),
            ("HTTPS_PROXY", "http://me:s3cret@proxy.example.com:3128"),
        ],
        &settings(),
    );
    assert_eq!(withheld, ["DATABASE_URL", "HTTPS_PROXY"]);
    assert_eq!(kept, ["TEST_DATABASE_URL", "SITE_URL"]);
}

#[test]
fn settings_withhold_and_keep_and_credentials_are_withheld_without_walls_too() {
    let changed = SandboxSettings {
        mode: SandboxMode::Off,
        keep: vec![String::from("GITHUB_TOKEN")],
        withhold: vec![String::from("INTERNAL_*")],
        ..settings()
    };
    let (kept, withheld) = given(
        &[
            ("GITHUB_TOKEN", "x"),
            ("INTERNAL_HOST", "x"),
            ("NPM_TOKEN", "x"),
            ("SSH_AUTH_SOCK", "x"),
        ],
        &changed,
    );
    assert_eq!(kept, ["GITHUB_TOKEN", "SSH_AUTH_SOCK"]);
    assert_eq!(withheld, ["INTERNAL_HOST", "NPM_TOKEN"]);
}

#[test]
fn a_credential_is_withheld_by_the_shape_of_its_value_whatever_its_name() {
    let github = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let pem = format!(
        "-----BEGIN PRIVATE {}-----\n{}\n",
        "KEY",
        "k3J9x0Q2mZ71aB4c8D5e".repeat(4)
    );
    let (kept, withheld) = given(
        &[
            ("GH", &github),
            ("EXTRA_ARGS", &format!("--header {github}")),
            ("DEPLOY", &pem),
            ("SSHPASS", "x"),
            ("REGISTRY_CREDS", "x"),
            ("MIRROR", "https://me:s3cret@mirror.example.com/simple"),
            ("SESSION_ID", "3f2b9c1e-7d4a-4e6b-9a21-5c8d7e6f0a1b"),
            ("COMMIT", "3f786850e387550fdab836ed7e6dc881de23001b"),
            ("DB", "postgres://postgres:postgres@localhost/x"),
            ("PATH", "/usr/bin:/opt/tool-1.2.3-x86_64/bin"),
            ("LD_LIBRARY_PATH", ":/opt/lib"),
        ],
        &settings(),
    );
    assert_eq!(
        withheld,
        [
            "DEPLOY",
            "EXTRA_ARGS",
            "GH",
            "MIRROR",
            "REGISTRY_CREDS",
            "SSHPASS"
        ]
    );
    assert_eq!(
        kept,
        ["SESSION_ID", "COMMIT", "DB", "PATH", "LD_LIBRARY_PATH"]
    );
}
