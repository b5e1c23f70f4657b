//! What a managed policy locks, and whether a provider may be used under it.
//! Two files together are never weaker than either.

use crate::node::{Node, Shape, Trouble, what};
use crate::settings::ResolvedProvider;
use crate::{ConfigError, Origin, suggest};
use serde_json::Value;
use std::path::{Path, PathBuf};
use tenon_policy::Layer;
use tenon_vocab::PermissionMode;

/// Weakest first.
pub(crate) const MODES: &[&str] = &["off", "workspace-write", "read-only"];
pub(crate) const NETWORKS: &[&str] = &["inherit", "deny"];

const NAMES: &[&str] = &[
    "yolo",
    "yes",
    "permission_modes",
    "providers",
    "mcp",
    "sandbox",
    "network",
];

/// A list of what is allowed, and the file that says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowList {
    pub names: Vec<String>,
    pub file: PathBuf,
}

/// The least that is allowed, and the file that says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Minimum {
    pub word: String,
    pub file: PathBuf,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Locks {
    /// The file that forbids `--yolo`.
    pub yolo: Option<PathBuf>,
    /// The file that forbids `--yes`.
    pub yes: Option<PathBuf>,
    /// Permission modes that are forbidden, each with the file that forbids it.
    pub permission_modes: Vec<(PermissionMode, PathBuf)>,
    /// Providers by name or by address; each list has to hold one that fits.
    pub providers: Vec<AllowList>,
    /// MCP servers, in the same way.
    pub mcp: Vec<AllowList>,
    /// The least `sandbox.mode`. Where it is set, no command may leave the walls.
    pub sandbox: Option<Minimum>,
    /// The least `sandbox.network`.
    pub network: Option<Minimum>,
}

impl Locks {
    /// Both together: what either forbids is forbidden.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            yolo: self.yolo.or(other.yolo),
            yes: self.yes.or(other.yes),
            permission_modes: [self.permission_modes, other.permission_modes].concat(),
            providers: [self.providers, other.providers].concat(),
            mcp: [self.mcp, other.mcp].concat(),
            sandbox: higher(MODES, self.sandbox, other.sandbox),
            network: higher(NETWORKS, self.network, other.network),
        }
    }

    /// The file that forbids a permission mode.
    #[must_use]
    pub fn forbids(&self, mode: PermissionMode) -> Option<&Path> {
        let mut forbidden = self.permission_modes.iter();
        let found = forbidden.find(|(forbidden, _)| *forbidden == mode);
        found.map(|(_, file)| file.as_path())
    }

    /// # Errors
    /// When the provider is not among those allowed.
    pub(crate) fn admit(&self, provider: &ResolvedProvider) -> Result<(), ConfigError> {
        self.providers
            .iter()
            .try_for_each(|allowed| allowed.admit(provider))
    }
}

impl AllowList {
    fn admit(&self, provider: &ResolvedProvider) -> Result<(), ConfigError> {
        // A name says where requests go only while nobody else wrote the address.
        let own_address = matches!(
            provider.base_url_origin,
            Origin::BuiltIn
                | Origin::File {
                    layer: Layer::Managed,
                    ..
                }
        );
        let fits = |entry: &String| {
            if entry.contains("://") {
                is_below(&provider.base_url, entry)
            } else {
                own_address && *entry == provider.name
            }
        };
        if self.names.iter().any(fits) {
            return Ok(());
        }
        let why = if self.names.contains(&provider.name) {
            format!(
                ", because its address was changed ({})",
                provider.base_url_origin
            )
        } else {
            String::new()
        };
        let names = match self.names.as_slice() {
            [] => String::from("none"),
            names => names.join(", "),
        };
        Err(ConfigError::hinted(
            format!(
                "the provider `{}` ({}) is not allowed here{why}",
                provider.name, provider.base_url
            ),
            format!("{} allows: {names}", self.file.display()),
        ))
    }
}

/// Whether an address is the allowed one or a path below it.
fn is_below(address: &str, allowed: &str) -> bool {
    let (address, allowed) = (folded(address), folded(allowed));
    address == allowed || address.starts_with(&format!("{allowed}/"))
}

/// Scheme and host do not depend on case, a path does.
fn folded(address: &str) -> String {
    let address = address.trim().trim_end_matches('/');
    let host_end = address
        .find("://")
        .map(|at| at + 3)
        .and_then(|from| Some(from + address.get(from..)?.find('/')?))
        .unwrap_or(address.len());
    let (host, path) = address.split_at(host_end);
    format!("{}{path}", host.to_ascii_lowercase())
}

fn higher(order: &[&str], one: Option<Minimum>, other: Option<Minimum>) -> Option<Minimum> {
    let rank = |minimum: &Minimum| order.iter().position(|word| *word == minimum.word);
    match (one, other) {
        (Some(one), Some(other)) if rank(&other) > rank(&one) => Some(other),
        (one, other) => one.or(other),
    }
}

pub(crate) fn parse(node: &Node, file: &Path) -> Result<Locks, Trouble> {
    let Shape::Map(fields) = &node.value else {
        return Err(wrong(node, "locks", "an object"));
    };
    let mut locks = Locks::default();
    for (name, field) in fields {
        match name.as_str() {
            "yolo" => locks.yolo = forbidden(name, field, file)?,
            "yes" => locks.yes = forbidden(name, field, file)?,
            "permission_modes" => locks.permission_modes = modes(name, field, file)?,
            "providers" => locks.providers = vec![list(name, field, file)?],
            "mcp" => locks.mcp = vec![list(name, field, file)?],
            "sandbox" => locks.sandbox = Some(minimum(name, field, file, &MODES[1..])?),
            "network" => locks.network = Some(minimum(name, field, file, &NETWORKS[1..])?),
            _ => {
                let hint = match suggest::nearest(name, NAMES.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("known here: {}", NAMES.join(", ")),
                };
                let message = format!("unknown key `{name}` in `locks`");
                return Err(Trouble::new(field.at, message).with_hint(Some(hint)));
            }
        }
    }
    Ok(locks)
}

fn wrong(node: &Node, name: &str, expected: &str) -> Trouble {
    let found = what(&node.to_value());
    Trouble::new(
        node.at,
        format!("`{name}`: expected {expected}, found {found}"),
    )
}

fn forbidden(name: &str, node: &Node, file: &Path) -> Result<Option<PathBuf>, Trouble> {
    match node.to_value() {
        Value::Bool(true) => Ok(None),
        Value::Bool(false) => Ok(Some(file.to_owned())),
        _ => Err(wrong(node, name, "true or false")),
    }
}

/// `{"auto": false}`
fn modes(name: &str, node: &Node, file: &Path) -> Result<Vec<(PermissionMode, PathBuf)>, Trouble> {
    let Shape::Map(fields) = &node.value else {
        return Err(wrong(
            node,
            name,
            "an object with true or false for each mode",
        ));
    };
    let mut found = Vec::new();
    for (word, field) in fields {
        let Some(mode) = PermissionMode::named(word) else {
            let known = PermissionMode::ALL.map(PermissionMode::name).join(", ");
            let message = format!("`{name}`: there is no mode `{word}`");
            let hint = format!("known here: {known}");
            return Err(Trouble::new(field.at, message).with_hint(Some(hint)));
        };
        let file = forbidden(word, field, file)?;
        found.extend(file.map(|file| (mode, file)));
    }
    Ok(found)
}

fn list(name: &str, node: &Node, file: &Path) -> Result<AllowList, Trouble> {
    let Value::Array(items) = node.to_value() else {
        return Err(wrong(node, name, "a list of strings"));
    };
    let names: Option<Vec<String>> = items
        .iter()
        .map(|item| item.as_str().map(str::to_owned))
        .collect();
    Ok(AllowList {
        names: names.ok_or_else(|| wrong(node, name, "a list of strings"))?,
        file: file.to_owned(),
    })
}

fn minimum(name: &str, node: &Node, file: &Path, words: &[&str]) -> Result<Minimum, Trouble> {
    let value = node.to_value();
    let word = value.as_str().filter(|word| words.contains(word));
    Ok(Minimum {
        word: word
            .ok_or_else(|| wrong(node, name, &format!("one of {}", words.join(", "))))?
            .to_owned(),
        file: file.to_owned(),
    })
}
