//! Files with a default of their own: secrets ask to be read, vendored folders
//! refuse to be written. A rule weakens such a default only where it names it.

use crate::command::wildcard;
use crate::protected::{components, fold};
use crate::{Access, PathFact};
use tenon_vocab::Class;

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
            // A setting of a build tool that may hold a token: what is true of
            // those is enough.
            (Self::Secret, Access::Write) => {
                is_secret_path(&parts) && parts.last().is_none_or(|name| name != ".npmrc")
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
    const FOLDERS: &[&str] = &[".ssh", ".gnupg"];
    const PAIRS: &[(&str, &str)] = &[
        (".aws", "credentials"),
        (".docker", "config.json"),
        (".kube", "config"),
        (".cargo", "credentials.toml"),
        ("gh", "hosts.yml"),
    ];
    let public = name.ends_with(".pub") || name == "known_hosts";
    is_secret_name(name)
        || (!public && parts.iter().any(|part| FOLDERS.contains(&part.as_str())))
        || parts
            .windows(2)
            .any(|two| PAIRS.iter().any(|(a, b)| two[0] == *a && two[1] == *b))
}

fn is_secret_name(name: &str) -> bool {
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
    ];
    const ENDINGS: &[&str] = &[
        ".pem",
        ".key",
        ".p12",
        ".pfx",
        ".jks",
        ".keystore",
        ".kdbx",
        ".ppk",
    ];
    const EXAMPLES: &[&str] = &[".env.example", ".env.sample", ".env.template", ".env.dist"];
    if EXAMPLES.contains(&name) {
        return false;
    }
    name.ends_with(".env")
        || name.starts_with(".env.")
        || NAMES.contains(&name)
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
    const SAMPLES: &[&str] = &[
        ".env",
        ".env.local",
        "id_rsa",
        "id_ed25519",
        ".netrc",
        ".npmrc",
        "x.env",
        "x.pem",
        "x.key",
    ];
    let word = word.rsplit(['=', '@', ':']).next().unwrap_or(word);
    if is_secret(word) {
        return true;
    }
    let name = fold(&without_brackets(word.rsplit('/').next().unwrap_or(word)));
    let has_letters = name.chars().any(|c| !matches!(c, '*' | '?'));
    name.contains(['*', '?']) && has_letters && SAMPLES.iter().any(|sample| wildcard(&name, sample))
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
