//! Files with a default of their own: secrets ask to be read, vendored folders
//! refuse to be written. A rule weakens such a default only where it names it.

use crate::command::wildcard;
use crate::protected::{components, fold};
use crate::{Access, PathFact};
use tenon_vocab::Class;

/// Folders of which all but the public is secret.
const FOLDERS: &[&str] = &[".ssh", ".gnupg"];
/// Names that are secret in one folder.
const PAIRS: &[(&str, &str)] = &[
    (".aws", "credentials"),
    (".docker", "config.json"),
    (".kube", "config"),
    (".cargo", "credentials.toml"),
    ("gh", "hosts.yml"),
    (".codex", "auth.json"),
    ("composer", "auth.json"),
    (".gem", "credentials"),
    (".databricks", "token-cache.json"),
];
const NAMES: &[&str] = &[
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_ecdsa_sk",
    "id_ed25519_sk",
    ".netrc",
    "_netrc",
    ".pypirc",
    ".npmrc",
    ".git-credentials",
    ".pgpass",
    ".htpasswd",
    ".my.cnf",
    ".mylogin.cnf",
    ".vault-token",
    ".dockercfg",
    ".dockerconfigjson",
    ".envrc",
    ".s3cfg",
    ".boto",
    ".terraformrc",
    ".credentials.json",
];
/// The same of names that begin as any other: a glob could become one only where
/// it says more than a letter or two.
const PLAIN_NAMES: &[&str] = &[
    "credentials.json",
    "credentials.tfrc.json",
    "kubeconfig",
    "kubeconfig.yaml",
    "kubeconfig.yml",
    "application_default_credentials.json",
];
const ENDINGS: &[&str] = &[
    ".env",
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".kdbx",
    ".ppk",
    ".tfstate",
    ".tfstate.backup",
    ".kubeconfig",
    ".agekey",
];
/// Beginnings of the names under which keys of accounts are handed out, as JSON.
const ACCOUNTS: &[&str] = &[
    "service-account",
    "service_account",
    "serviceaccount",
    "client_secret",
    "client-secret",
    "gha-creds-",
];

/// Secrets that people also write as settings: their change is a matter of what
/// they run, and no denial.
const WRITTEN: &[&str] = &[".npmrc", ".envrc"];

/// A kind of file whose default yields only to a rule that names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// `.env`, keys, credentials: reading asks, writing is denied.
    Secret,
    /// `node_modules` and the like: writing is denied.
    Vendored,
}

impl Guard {
    pub(crate) const ALL: [Self; 2] = [Self::Secret, Self::Vendored];

    /// What holds without a rule that names it.
    pub(crate) fn class(self, access: Access) -> Class {
        match (self, access) {
            (Self::Secret, Access::Read) => Class::Ask,
            (Self::Secret | Self::Vendored, Access::Write) => Class::Deny,
            (Self::Vendored, Access::Read) => Class::Allow,
        }
    }

    /// Whether it stands before this path for what is to be done with it.
    pub(crate) fn stands_before(self, fact: &PathFact) -> bool {
        let parts = components(&fact.path);
        match (self, fact.access) {
            (Self::Secret, Access::Read) => is_secret_path(&parts),
            (Self::Secret, Access::Write) => {
                is_secret_path(&parts)
                    && !parts
                        .last()
                        .is_some_and(|name| WRITTEN.contains(&name.as_str()))
            }
            (Self::Vendored, Access::Write) => parts.iter().any(|part| is_vendored(part)),
            (Self::Vendored, Access::Read) => false,
        }
    }
}

/// Whether a path is a secret by its name: `.env`, keys, credentials.
#[must_use]
pub fn is_secret(path: &str) -> bool {
    is_secret_path(&components(path))
}

pub(crate) fn is_in_vendored(path: &str) -> bool {
    components(path).iter().any(|part| is_vendored(part))
}

fn is_vendored(component: &str) -> bool {
    matches!(
        component,
        "node_modules"
            | "bower_components"
            | "jspm_packages"
            | "vendor"
            | ".venv"
            | "venv"
            | "site-packages"
            | "__pypackages__"
            | "pods"
            | ".tox"
    )
}

pub(crate) fn is_secret_path(parts: &[String]) -> bool {
    let Some(name) = parts.last().map(String::as_str) else {
        return false;
    };
    let public = name.ends_with(".pub") || name == "known_hosts";
    is_secret_name(name)
        || (!public && parts.iter().any(|part| FOLDERS.contains(&part.as_str())))
        || parts
            .windows(2)
            .any(|two| PAIRS.iter().any(|(a, b)| two[0] == *a && two[1] == *b))
}

fn is_secret_name(name: &str) -> bool {
    const EXAMPLES: &[&str] = &[".env.example", ".env.sample", ".env.template", ".env.dist"];
    if EXAMPLES.contains(&name) {
        return false;
    }
    name.starts_with(".env.")
        || (name.ends_with(".json") && ACCOUNTS.iter().any(|start| name.starts_with(start)))
        || NAMES.contains(&name)
        || PLAIN_NAMES.contains(&name)
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// The guard that a path pattern speaks of itself: `.env*` of secrets,
/// `node_modules/x/**` of vendored files, `src/**` of neither.
pub(crate) fn guard_named_by(pattern: &str) -> Option<Guard> {
    let literal: Vec<String> = components(pattern)
        .into_iter()
        .filter(|part| part != "*" && part != "**")
        .map(|part| part.trim_end_matches('*').trim_end_matches('.').to_owned())
        .collect();
    if is_secret_path(&literal) {
        return Some(Guard::Secret);
    }
    literal
        .iter()
        .any(|part| is_vendored(part))
        .then_some(Guard::Vendored)
}

/// Whether a word of a command names, or as a glob could become, a secret file.
pub(crate) fn word_names_secret(word: &str) -> bool {
    let word = word.rsplit(['=', '@', ':']).next().unwrap_or(word);
    if is_secret(word) {
        return true;
    }
    let word = fold(&without_brackets(word));
    if !word.contains(['*', '?']) {
        return false;
    }
    let parts: Vec<&str> = word.split('/').collect();
    let could_be = |part: &str, name: &str| says_something(part) && wildcard(part, name);
    let (folders, name) = match parts.split_last() {
        Some((name, folders)) => (folders, *name),
        None => return false,
    };
    // Of an ending only the ending: before it anything may stand.
    let ending = name.rfind('.').map_or("", |at| &name[at..]);
    const TELLING: usize = 4;
    let tells = name.chars().filter(|c| c.is_ascii_alphanumeric()).count() >= TELLING;
    NAMES.iter().any(|secret| could_be(name, secret))
        || (tells && PLAIN_NAMES.iter().any(|secret| could_be(name, secret)))
        || could_be(name, ".env.local")
        || ENDINGS
            .iter()
            .any(|secret| could_be(name, secret) || could_be(ending, secret))
        || folders
            .iter()
            .any(|part| FOLDERS.iter().any(|secret| could_be(part, secret)))
        || folders.last().is_some_and(|folder| {
            PAIRS
                .iter()
                .any(|(a, b)| wildcard(folder, a) && wildcard(name, b) && says_something(&word))
        })
}

/// Whether a glob stands for all that a folder holds: `*`, `src/*`, `.*`, `**/*`.
pub(crate) fn is_any_file(word: &str) -> bool {
    let name = without_brackets(word.rsplit('/').next().unwrap_or(word));
    name.contains(['*', '?']) && !says_something(&name)
}

/// Whether a pattern has a letter in it. `*.*` fits everything and names nothing.
fn says_something(pattern: &str) -> bool {
    pattern.chars().any(|c| !matches!(c, '*' | '?' | '.'))
}

/// `[ab]` becomes `?`: too wide is right here.
fn without_brackets(word: &str) -> String {
    let mut plain = String::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once('[') {
        let Some((_, behind)) = after.split_once(']') else {
            break;
        };
        plain.push_str(before);
        plain.push('?');
        rest = behind;
    }
    plain + rest
}
