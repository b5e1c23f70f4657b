//! The configuration ready to act: plain values, nothing left to look up.

use crate::{ConfigError, Locks, Origin, SandboxSettings};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tenon_model::{Auth, Kind, Parameters, Quirks, RetryPlan, Timeouts, Verify};
use tenon_policy::{Masker, Rules};
use tenon_vocab::Decision;
use tenon_vocab::profile::{HookSpec, Limits, ToolLimits};

/// Where a key comes from. The binary looks it up when it is needed.
#[derive(Clone, PartialEq, Eq)]
pub enum KeySource {
    None,
    /// The first of these variables that is set; none set means no key.
    Env(Vec<String>),
    /// A command that prints it.
    Command(String),
    Literal(String),
}

impl fmt::Debug for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Env(names) => f.debug_tuple("Env").field(names).finish(),
            Self::Command(_) => f.write_str("Command(hidden)"),
            Self::Literal(_) => f.write_str("Literal(hidden)"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proxy {
    Environment,
    None,
    Url(String),
}

#[derive(Clone, PartialEq)]
pub struct ResolvedProvider {
    pub name: String,
    pub kind: Kind,
    /// Without a slash at its end.
    pub base_url: String,
    /// Where the address was written.
    pub base_url_origin: Origin,
    pub model: Option<String>,
    pub models: Vec<String>,
    pub key: KeySource,
    pub auth: Auth,
    pub headers: Vec<(String, String)>,
    pub ca_file: Option<PathBuf>,
    pub client_cert: Option<PathBuf>,
    pub verify: Verify,
    pub timeouts: Timeouts,
    pub proxy: Proxy,
    pub quirks: Quirks,
    pub context_window: Option<u64>,
}

/// Shows the names of headers only: a value may be a key.
impl fmt::Debug for ResolvedProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("ResolvedProvider")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .field("model", &self.model)
            .field("key", &self.key)
            .field("auth", &self.auth)
            .field("headers", &headers)
            .field("quirks", &self.quirks)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromptSettings {
    /// Replaces the agent's base prompt; empty means no base prompt (I15).
    pub system_prompt: Option<String>,
    pub append: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetrySettings {
    pub attempts: u32,
    pub first_ms: u64,
    pub cap_ms: u64,
}

impl RetrySettings {
    #[must_use]
    pub fn plan(&self) -> RetryPlan {
        RetryPlan {
            attempts: self.attempts,
            first: Duration::from_millis(self.first_ms),
            cap: Duration::from_millis(self.cap_ms),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantSettings {
    pub enabled: bool,
}

#[derive(Debug, Clone)]
pub struct Resolved {
    /// The one to use; `None` when nothing is configured (P16).
    pub provider: Option<ResolvedProvider>,
    /// All that can be used, by name.
    pub providers: BTreeMap<String, ResolvedProvider>,
    /// Those that are configured and cannot be used, with the reason.
    pub unusable: BTreeMap<String, ConfigError>,
    pub rules: Rules,
    pub external_directory: Decision,
    pub limits: Limits,
    pub tools: ToolLimits,
    pub prompt: PromptSettings,
    pub parameters: Parameters,
    pub streaming: bool,
    pub context_window: Option<u64>,
    pub retention_days: u64,
    pub agent: String,
    pub instructions: Vec<String>,
    pub retry: RetrySettings,
    pub grants: GrantSettings,
    /// In the order in which they run.
    pub hooks: Vec<HookSpec>,
    pub sandbox: SandboxSettings,
    /// Takes secrets out of what is recorded and sent.
    pub masker: Arc<Masker>,
    /// What the administrator locked.
    pub locks: Locks,
    /// What the user should know beside [`crate::Loaded::warnings`]: keys in files,
    /// slips in rules.
    pub warnings: Vec<String>,
}
