//! Which variables commands get. Credentials are withheld whether there are
//! walls or not: a command that a model wrote has no business with them, and
//! one that needs one gets it by a setting.

use std::ffi::OsString;
use tenon_config::{SandboxMode, SandboxSettings};
use tenon_policy::{Findings, Masker};
use tenon_tools::programs::without_empty;

/// Names that hold credentials. `*` stands for any text.
const CREDENTIALS: [&str; 46] = [
    "SSHPASS",
    "*_CREDS",
    "CREDS",
    "*_APIKEY",
    "API_KEY",
    "APIKEY",
    "*_TOKEN_*",
    "*_PAT",
    "*PASSWORD*",
    "*PASSWD*",
    "*PASSPHRASE*",
    "*_PASS",
    "*_PWD",
    "*CREDENTIAL*",
    "*_PRIVATE_KEY*",
    "*_ACCESS_KEY*",
    "*_SIGNING_KEY*",
    "*_ENCRYPTION_KEY*",
    "*_CONNECTION_STRING",
    "*_COOKIE",
    "*_AUTH_CONFIG",
    "NPM_CONFIG_*AUTH*",
    "AWS_*",
    "AZURE_*",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "ANTHROPIC_*",
    "OPENAI_*",
    "GEMINI_*",
    "MISTRAL_*",
    "VAULT_*",
    "OP_SESSION_*",
    "BW_SESSION",
    "*TOKEN",
    "*SECRET*",
    "PRIVATE_KEY*",
    "ENCRYPTION_KEY*",
    "ACCESS_KEY*",
    "SIGNING_KEY*",
    "*_KEY",
    "PASS",
    "*AUTHORIZATION*",
    "*BASIC_AUTH*",
    "JWT",
    "*_JWT",
    "*_WEBHOOK*",
    "WEBHOOK_*",
];

/// Names that only look like it.
const HARMLESS: [&str; 13] = [
    "GPG_KEY",
    "PUBLIC_KEY",
    "*_PUBLIC_KEY",
    "*_PUBLISHABLE_KEY",
    "*_CACHE_KEY",
    "*_PRIMARY_KEY",
    "*_FOREIGN_KEY",
    "*_PARTITION_KEY",
    "*_SORT_KEY",
    "AWS_CA_BUNDLE",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_PAGER",
];

/// Ways to programs that would act for a command outside of its walls.
const WAYS_OUT: [&str; 14] = [
    "VSCODE_IPC_HOOK_CLI",
    "VSCODE_GIT_IPC_*",
    "DBUS_*",
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "GPG_AGENT_INFO",
    "DOCKER_HOST",
    "CONTAINER_HOST",
    "KUBECONFIG",
    "XDG_RUNTIME_DIR",
    "WAYLAND_DISPLAY",
    "DISPLAY",
    "XAUTHORITY",
    "TMUX",
];

/// Folders from which the loader takes code for every program.
const LIBRARIES: &str = "LD_LIBRARY_PATH";

/// The variables of this process, sorted into what commands get and what not.
#[derive(Debug, Default)]
pub struct Environment {
    pub given: Vec<(OsString, OsString)>,
    /// Names only: the values are of no use to anyone but their programs.
    pub withheld: Vec<String>,
}

/// The environment of this process.
pub fn whole() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}

impl Environment {
    /// `keys` are the variables that hold the keys of providers.
    pub fn sort(
        all: Vec<(OsString, OsString)>,
        settings: &SandboxSettings,
        keys: &[String],
    ) -> Self {
        let mut sorted = Self::default();
        for (name, value) in all {
            let text = name.to_string_lossy().into_owned();
            if is_withheld(&text, &value.to_string_lossy(), settings, keys) {
                sorted.withheld.push(text);
            } else if text == LIBRARIES {
                // An empty element means wherever the command stands: code of the
                // project would be part of every program.
                let kept = without_empty(&value);
                sorted.given.extend(kept.map(|value| (name, value)));
            } else {
                sorted.given.push((name, value));
            }
        }
        sorted.withheld.sort();
        sorted
    }
}

fn is_withheld(name: &str, value: &str, settings: &SandboxSettings, keys: &[String]) -> bool {
    let upper = name.to_ascii_uppercase();
    let any = |patterns: &[&str]| patterns.iter().any(|pattern| fits(pattern, &upper));
    let set = |patterns: &[String]| {
        patterns
            .iter()
            .any(|pattern| fits(&pattern.to_ascii_uppercase(), &upper))
    };
    if set(&settings.keep) {
        return false;
    }
    if set(&settings.withhold) || keys.iter().any(|key| key == name) {
        return true;
    }
    let way_out = settings.mode != SandboxMode::Off && any(&WAYS_OUT);
    let harmless = any(&HARMLESS);
    (any(&CREDENTIALS) && !harmless)
        || way_out
        || is_address_with_password(value)
        || (!harmless && is_credential(value))
}

/// Whether the value says by its shape that it is a credential, whatever its name
/// is. Of a program's own ids, folders and words nothing is one.
fn is_credential(value: &str) -> bool {
    const LEAST: usize = 16;
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let may_be = |piece: &str| {
        piece.len() >= LEAST
            && piece.contains(|c: char| c.is_ascii_digit())
            && piece.contains(|c: char| c.is_ascii_alphabetic())
    };
    let key = value.contains("PRIVATE KEY");
    if !key && !value.split(|c: char| !is_letter(c)).any(may_be) {
        return false;
    }
    let mut found = Findings::default();
    let _ = Masker::standard().mask_noting(value, &mut found);
    // A password in an address was judged before.
    found.names().any(|name| name != "url-password")
}

/// `postgres://user:password@db.example.com/x`. One of this machine is the usual
/// way to run tests, and guards nothing.
fn is_address_with_password(value: &str) -> bool {
    value.split_ascii_whitespace().any(|word| {
        let Some((_, rest)) = word.split_once("://") else {
            return false;
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let Some((user, host)) = authority.rsplit_once('@') else {
            return false;
        };
        let has_password = user
            .split_once(':')
            .is_some_and(|(_, password)| !password.is_empty());
        let here = ["localhost", "127.", "[::1]"]
            .iter()
            .any(|start| host.starts_with(start));
        has_password && !here
    })
}

/// Whether a name fits a pattern in which `*` stands for any text.
fn fits(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let Some(last) = pieces.next_back() else {
        return rest.is_empty();
    };
    for piece in pieces {
        let Some(at) = rest.find(piece) else {
            return false;
        };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}
