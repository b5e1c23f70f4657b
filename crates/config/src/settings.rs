//! The configuration ready to act: plain values, nothing left to look up.

use crate::{ConfigError, Locks, ModelProfile, Origin, SandboxSettings, TuiSettings};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tenon_model::{
    Auth, Dialect, Kind, Parameters, Prices, Quirks, Reach, RetryPlan, Timeouts, Verify,
};
use tenon_policy::{Masker, Rules};
use tenon_vocab::profile::{
    Checkpoints, Compaction, HookSpec, Limits, PromptTier, TodoFirst, ToolLimits,
};
use tenon_vocab::{Decision, PermissionMode, effort};

/// Where a key comes from. The binary looks it up when it is needed.
#[derive(Clone, PartialEq, Eq)]
pub enum KeySource {
    None,
    /// The first of these variables that is set; none set means no key.
    Env(Vec<String>),
    /// A command that prints it.
    Command(String),
    /// The login of an installed Codex.
    Codex,
    Literal(String),
}

impl fmt::Debug for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Env(names) => f.debug_tuple("Env").field(names).finish(),
            Self::Command(_) => f.write_str("Command(hidden)"),
            Self::Codex => f.write_str("Codex"),
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
    /// The names of the models that are configured, the one in use first.
    pub models: Vec<String>,
    /// What is known of single models; of several with one name the first counts.
    pub profiles: Vec<ModelProfile>,
    pub key: KeySource,
    pub auth: Auth,
    pub headers: Vec<(String, String)>,
    pub ca_file: Option<PathBuf>,
    pub client_cert: Option<PathBuf>,
    pub verify: Verify,
    pub timeouts: Timeouts,
    pub proxy: Proxy,
    pub quirks: Quirks,
    /// The names of those quirks that the user wrote. What is learned of a
    /// server does not overrule them.
    pub written_quirks: BTreeSet<String>,
    pub context_window: Option<u64>,
    /// The preset that it started from, or that its address gave away.
    pub preset: Option<&'static str>,
    /// Whether the server is this machine or stands in a private network.
    pub reach: Reach,
    pub dialect: Dialect,
    /// What a flag or a variable said for this run: above all profiles.
    pub dialect_by_hand: Option<Dialect>,
    pub vision: Option<bool>,
    pub prices: Option<Prices>,
    /// Where the login of Codex lies; for the preset `codex` only.
    pub codex_home: Option<PathBuf>,
    /// Where that login is looked for.
    pub auth_store: AuthStore,
    /// Whether an API key in that login may be used.
    pub allow_api_key_fallback: bool,
    pub responses: ResponsesSettings,
}

/// Where the login of Codex is looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AuthStore {
    /// In the keyring, and where there is none in the file.
    #[default]
    Auto,
    File,
    Keyring,
}

/// What the format of Responses is sent with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResponsesSettings {
    pub store: bool,
    /// `None` for what is always asked for.
    pub include: Option<Vec<String>>,
    pub parallel_tool_calls: Option<bool>,
    pub effort: Option<String>,
    pub summary: Option<String>,
}

impl ResolvedProvider {
    #[must_use]
    pub fn profile(&self, model: &str) -> Option<&ModelProfile> {
        self.profiles.iter().find(|profile| profile.id == model)
    }

    /// How tools are given to this model.
    #[must_use]
    pub fn dialect_of(&self, model: &str) -> Dialect {
        let own = self.profile(model).and_then(|profile| profile.dialect);
        match (own, self.dialect_by_hand) {
            (Some(own), None) => own,
            (_, Some(dialect)) => dialect,
            (None, None) => self.dialect,
        }
    }

    /// What the user says of the window, for this model or for all of them.
    #[must_use]
    pub fn window_of(&self, model: &str) -> Option<u64> {
        self.profile(model)
            .and_then(|profile| profile.context_window)
            .or(self.context_window)
    }
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
    /// `None`: by the window and the name of the model.
    pub tier: Option<PromptTier>,
    /// Replaces the agent's base prompt; empty means no base prompt (I15).
    pub system_prompt: Option<String>,
    /// Where that comes from: `system_prompt`, or the path of a file.
    pub source: String,
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
    pub scope: GrantScope,
    /// How long one for the project lasts.
    pub ttl: Duration,
}

impl GrantSettings {
    /// Whether anything is kept beyond the session.
    #[must_use]
    pub fn keeps(&self) -> bool {
        self.enabled && self.scope == GrantScope::Project
    }
}

/// The log for diagnosis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogSettings {
    pub level: LogLevel,
    pub max_bytes: u64,
    pub files: u32,
}

/// What is written, by its weight; each has what stands above it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    Off,
    Error,
    #[default]
    Warn,
    Info,
    Debug,
}

/// How far a grant may reach.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GrantScope {
    #[default]
    Project,
    Session,
}

/// A model for side work, as the user named it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmallModel {
    /// `MODEL` or `PROVIDER/MODEL`; what of it is the provider, the binary
    /// finds out: a model's name may hold a slash.
    pub name: String,
    pub named: SmallNamed,
}

/// Where the small model was named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmallNamed {
    /// `small_model`, in a file or by its own variable.
    Setting,
    /// `LLM_SMALL_FAST_MODEL`: of the server of `LLM_BASE_URL`, where that is
    /// in use, whatever slashes the name has.
    OfLlmServer,
}

/// Whether somebody has said what a setting should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Explicit {
    Yes,
    No,
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
    /// Those of the parameters that a flag or a variable set for this run.
    pub by_hand: Parameters,
    /// For side work; `None` means that nothing is asked on the side.
    pub small: Option<SmallModel>,
    pub logs: LogSettings,
    /// What of the cache was not used for so long is removed.
    pub cache_ttl: Duration,
    pub streaming: bool,
    /// `context.window`, for providers that do not set their own.
    pub window_of_all: Option<u64>,
    /// `context.max_tokens`: the most that one request may have.
    pub request_tokens: Option<u64>,
    pub compaction: Compaction,
    pub checkpoints: Checkpoints,
    /// Further folders of skills, as written.
    pub skill_paths: Vec<String>,
    pub todo_first: TodoFirst,
    /// Whether the end of a background process starts a run.
    pub jobs_wake: bool,
    pub retention_days: u64,
    pub agent: String,
    pub permission_mode: PermissionMode,
    /// Folders to open beside the project, as written.
    pub add_dirs: Vec<String>,
    /// Whether somebody besides a project has said what the network of commands
    /// should be.
    pub network: Explicit,
    pub instructions: Vec<String>,
    pub retry: RetrySettings,
    pub grants: GrantSettings,
    /// In the order in which they run.
    pub hooks: Vec<HookSpec>,
    pub sandbox: SandboxSettings,
    pub tui: TuiSettings,
    /// Takes secrets out of what is recorded and sent.
    pub masker: Arc<Masker>,
    /// What the administrator locked.
    pub locks: Locks,
    /// What the user should know beside [`crate::Loaded::warnings`]: keys in files,
    /// slips in rules.
    pub warnings: Vec<String>,
}

impl Resolved {
    /// What is asked of a model: what was set for this run, then its profile,
    /// then what holds for all.
    #[must_use]
    pub fn parameters_of(&self, provider: &ResolvedProvider, model: &str) -> Parameters {
        let (hand, all) = (&self.by_hand, &self.parameters);
        let none = ModelProfile::default();
        let own = provider.profile(model).unwrap_or(&none);
        Parameters {
            temperature: hand.temperature.or(own.temperature).or(all.temperature),
            top_p: all.top_p,
            max_tokens: hand.max_tokens.or(own.max_tokens).or(all.max_tokens),
            reasoning_effort: effort::sent(
                hand.reasoning_effort
                    .clone()
                    .or_else(|| own.reasoning_effort.clone())
                    .or_else(|| all.reasoning_effort.clone()),
            ),
            ..Parameters::default()
        }
    }

    /// What the user says of the window of a model.
    #[must_use]
    pub fn window_of(&self, provider: &ResolvedProvider, model: &str) -> Option<u64> {
        provider.window_of(model).or(self.window_of_all)
    }
}
