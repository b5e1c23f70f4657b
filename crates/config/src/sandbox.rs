//! The section `sandbox`: which walls stand around commands, as the user wants
//! them. Which folders that means on this machine is the binary's to find out.

use crate::ConfigError;
use crate::load::Loaded;
use serde_json::Value;

/// From loose to strict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum SandboxMode {
    Off,
    #[default]
    WorkspaceWrite,
    ReadOnly,
}

impl SandboxMode {
    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::WorkspaceWrite => "workspace-write",
            Self::ReadOnly => "read-only",
        }
    }

    /// The mode of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Off, Self::WorkspaceWrite, Self::ReadOnly]
            .into_iter()
            .find(|mode| mode.name() == name)
    }
}

/// From loose to strict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum SandboxNetwork {
    #[default]
    Inherit,
    Deny,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SandboxAdapter {
    #[default]
    Auto,
    Native,
    Bubblewrap,
}

/// Where not all walls can be built.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SandboxLacking {
    #[default]
    Partial,
    Refuse,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SandboxLimits {
    pub processes: Option<u64>,
    pub file_bytes: Option<u64>,
    pub open_files: Option<u64>,
    pub cpu_seconds: Option<u64>,
    pub memory_bytes: Option<u64>,
}

/// Paths are as written: `~/` is the home folder, others are relative to the
/// root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxSettings {
    pub mode: SandboxMode,
    pub network: SandboxNetwork,
    pub adapter: SandboxAdapter,
    pub lacking: SandboxLacking,
    /// Whether the caches of package managers are writable.
    pub caches: bool,
    pub writable: Vec<String>,
    pub read_only: Vec<String>,
    pub hidden: Vec<String>,
    /// Not hidden, although it would be.
    pub show: Vec<String>,
    pub sockets: Vec<String>,
    /// Patterns of variables.
    pub withhold: Vec<String>,
    pub keep: Vec<String>,
    pub limits: SandboxLimits,
}

/// # Errors
/// When walls are wanted and switched off at once.
pub(crate) fn settings(loaded: &Loaded) -> Result<SandboxSettings, ConfigError> {
    let settings = read(loaded);
    if settings.mode == SandboxMode::Off && settings.network == SandboxNetwork::Deny {
        return Err(unheld(loaded));
    }
    Ok(settings)
}

/// Only walls hold the network: without them nobody would notice that it is open.
fn unheld(loaded: &Loaded) -> ConfigError {
    let from = |key: &str| match loaded.get(key) {
        Some((_, origin)) => format!(" ({origin})"),
        None => String::new(),
    };
    ConfigError::hinted(
        format!(
            "`sandbox.mode` is `off`{}, so nothing would enforce `sandbox.network` = `deny`{}",
            from("sandbox.mode"),
            from("sandbox.network")
        ),
        "Set `sandbox.mode` to `workspace-write` to keep commands off the network, or `sandbox.network` to `inherit` to leave it open.",
    )
}

fn read(loaded: &Loaded) -> SandboxSettings {
    let limit = |name: &str| loaded.number(&format!("sandbox.limits.{name}"));
    SandboxSettings {
        mode: loaded
            .text("sandbox.mode")
            .and_then(SandboxMode::named)
            .unwrap_or_default(),
        network: match loaded.text("sandbox.network") {
            Some("deny") => SandboxNetwork::Deny,
            _ => SandboxNetwork::Inherit,
        },
        adapter: match loaded.text("sandbox.adapter") {
            Some("native") => SandboxAdapter::Native,
            Some("bubblewrap") => SandboxAdapter::Bubblewrap,
            _ => SandboxAdapter::Auto,
        },
        lacking: match loaded.text("sandbox.lacking") {
            Some("refuse") => SandboxLacking::Refuse,
            _ => SandboxLacking::Partial,
        },
        caches: loaded
            .get("sandbox.caches")
            .and_then(|(value, _)| value.as_bool())
            .unwrap_or(true),
        writable: texts(loaded, "sandbox.writable"),
        read_only: texts(loaded, "sandbox.read_only"),
        hidden: texts(loaded, "sandbox.hidden"),
        show: texts(loaded, "sandbox.show"),
        sockets: texts(loaded, "sandbox.sockets"),
        withhold: texts(loaded, "sandbox.environment.withhold"),
        keep: texts(loaded, "sandbox.environment.keep"),
        limits: SandboxLimits {
            processes: limit("processes"),
            file_bytes: limit("file_bytes"),
            open_files: limit("open_files"),
            cpu_seconds: limit("cpu_seconds"),
            memory_bytes: limit("memory_bytes"),
        },
    }
}

fn texts(loaded: &Loaded, dotted: &str) -> Vec<String> {
    match loaded.get(dotted) {
        Some((Value::Array(items), _)) => items
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    }
}
