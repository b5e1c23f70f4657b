//! Descriptions that come from configuration and are used by the engine.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentMode {
    #[default]
    Primary,
    Subagent,
    All,
}

/// An agent: a prompt, a set of visible tools and limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentProfile {
    pub name: String,
    pub description: String,
    pub mode: AgentMode,
    pub hidden: bool,
    /// What it is told in few words, and where there is nothing longer.
    pub prompt: String,
    /// The same for the full tier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_prompt: Option<String>,
    /// The names of the tools that it sees; empty means all.
    pub tools: Vec<String>,
    /// Whether it may only read, whatever grants say (G3).
    pub read_only: bool,
    pub max_steps: Option<u32>,
    pub temperature: Option<f64>,
    /// `built-in`, `user`, `project`
    pub source: String,
}

impl AgentProfile {
    #[must_use]
    pub fn words(&self, tier: PromptTier) -> &str {
        match (tier, &self.full_prompt) {
            (PromptTier::Full, Some(full)) => full,
            _ => &self.prompt,
        }
    }
}

/// How much a model is told before the work begins (V3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptTier {
    /// What every model needs, in few words.
    Compact,
    /// How a good engineer works, with an example for each tool that needs one.
    Full,
}

impl PromptTier {
    pub const ALL: [Self; 2] = [Self::Compact, Self::Full];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compact => "compact",
            Self::Full => "full",
        }
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tier| tier.name() == name)
    }
}

/// One thing for each tier.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tiered<T> {
    pub compact: T,
    pub full: T,
}

impl<T> Tiered<T> {
    #[must_use]
    pub fn of(&self, tier: PromptTier) -> &T {
        match tier {
            PromptTier::Compact => &self.compact,
            PromptTier::Full => &self.full,
        }
    }
}

impl<T: Clone> Tiered<T> {
    /// Where a tier makes no difference.
    pub fn same(value: T) -> Self {
        Self {
            compact: value.clone(),
            full: value,
        }
    }
}

/// Bounds of a run. Every number here can be set by the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Steps of one prompt (E14).
    pub max_turns: u32,
    /// Failures in a row before the run ends, with a person in front (E6).
    pub max_retries: u32,
    /// The same with nobody in front.
    pub max_retries_automated: u32,
    /// The same call this often in a row is reported to the model (E4).
    pub repeat_warn: u32,
    /// This often, and the run stops.
    pub repeat_stop: u32,
    /// Calls that may run side by side.
    pub parallel_reads: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_turns: 1000,
            max_retries: 3,
            max_retries_automated: 10,
            repeat_warn: 3,
            repeat_stop: 5,
            parallel_reads: 8,
        }
    }
}

/// Caps that hold for every tool; all of them come from configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolLimits {
    /// The default of tools without a timeout of their own; `None` disables (T23).
    pub timeout: Option<Duration>,
    /// The default of `bash`.
    pub bash_timeout: Option<Duration>,
    /// The longest that a model may ask for.
    pub bash_timeout_max: Duration,
    pub on_timeout: OnTimeout,
    /// Bytes of a result that the model sees, as head and tail (T19).
    pub output_bytes: usize,
    pub read_lines: usize,
    pub read_bytes: usize,
    pub line_bytes: usize,
    /// The largest image that is shown to a model (P13).
    pub image_bytes: u64,
    pub glob_paths: usize,
    pub grep_matches: usize,
    pub list_entries: usize,
    /// Whether overwriting a file that was not read, or has changed, is refused (T2).
    pub stale_writes: StaleWrites,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnTimeout {
    Background,
    Kill,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StaleWrites {
    Refuse,
    Permit,
}

impl Default for ToolLimits {
    fn default() -> Self {
        Self {
            timeout: Some(Duration::from_secs(60)),
            bash_timeout: Some(Duration::from_secs(30)),
            bash_timeout_max: Duration::from_secs(600),
            on_timeout: OnTimeout::Background,
            output_bytes: 32 * 1024,
            read_lines: 2000,
            read_bytes: 50 * 1024,
            line_bytes: 2000,
            image_bytes: 8 * 1024 * 1024,
            glob_paths: 1000,
            grep_matches: 200,
            list_entries: 500,
            stale_writes: StaleWrites::Refuse,
        }
    }
}

/// Whose a thing is that was found in a folder. What is the project's was written
/// by somebody else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Whose {
    Project,
    User,
}

impl Whose {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

/// What a session knows of a skill before it is loaded (Y1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillInfo {
    pub name: String,
    pub description: String,
    /// The folder, with links followed; all in it may be read.
    pub folder: PathBuf,
    /// Its `SKILL.md`.
    pub file: PathBuf,
    pub source: Whose,
    /// Only the user loads it (`disable-model-invocation: true`): the model is
    /// not told of it.
    pub user_only: bool,
}

/// A command of the user or of the project, from `commands/NAME.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandInfo {
    pub name: String,
    pub description: String,
    /// What the user may write after it, for help.
    pub argument_hint: String,
    /// The prompt, with `$ARGUMENTS` and `$1`… to be filled in.
    pub template: String,
    pub file: PathBuf,
    pub source: Whose,
}

/// When and how the conversation is made shorter (C5, C11).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compaction {
    /// By itself, when the window fills.
    pub auto: bool,
    /// Old outputs of tools are shortened before anything is summarised.
    pub prune: bool,
    /// Percent of the window at which it begins.
    pub at_percent: u8,
    /// Runs that are kept as they are; fewer where the window is small.
    pub keep_turns: u32,
    /// The longest summary, in tokens; shorter where the window is small.
    pub summary_tokens: u64,
    pub strategy: Strategy,
}

/// Who writes the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    Model,
    /// Made from the log alone.
    Deterministic,
}

impl Default for Compaction {
    fn default() -> Self {
        Self {
            auto: true,
            prune: true,
            at_percent: 70,
            keep_turns: 6,
            summary_tokens: 3000,
            strategy: Strategy::Model,
        }
    }
}

/// What is kept of files, so that changes can be taken back (N5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoints {
    /// Whether the tree is looked at around commands.
    pub commands: bool,
    /// A larger file is not kept before a command runs.
    pub file_bytes: u64,
    /// All that one session keeps, compressed.
    pub total_bytes: u64,
}

impl Default for Checkpoints {
    fn default() -> Self {
        Self {
            commands: true,
            file_bytes: 1024 * 1024,
            total_bytes: 256 * 1024 * 1024,
        }
    }
}

/// Whether a complex task begins with a task list (T10).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TodoFirst {
    #[default]
    Asked,
    Never,
}

/// When a hook is run (H1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum HookEvent {
    SessionStart,
    SessionEnd,
    UserPromptSubmit,
    BeforeModelRequest,
    AfterModelResponse,
    PreToolUse,
    PostToolUse,
    ToolError,
    PermissionRequest,
    Stop,
}

impl HookEvent {
    pub const ALL: [Self; 10] = [
        Self::SessionStart,
        Self::SessionEnd,
        Self::UserPromptSubmit,
        Self::BeforeModelRequest,
        Self::AfterModelResponse,
        Self::PreToolUse,
        Self::PostToolUse,
        Self::ToolError,
        Self::PermissionRequest,
        Self::Stop,
    ];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::SessionEnd => "SessionEnd",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::BeforeModelRequest => "BeforeModelRequest",
            Self::AfterModelResponse => "AfterModelResponse",
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::ToolError => "ToolError",
            Self::PermissionRequest => "PermissionRequest",
            Self::Stop => "Stop",
        }
    }

    /// By its name, also written as `pre_tool_use` or `pre-tool-use`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let plain = crate::names::squash(name)?;
        Self::ALL
            .into_iter()
            .find(|event| event.name().eq_ignore_ascii_case(&plain))
    }

    /// Whether it is about one call, so that a tool and a pattern can be named.
    #[must_use]
    pub fn is_about_a_call(self) -> bool {
        matches!(
            self,
            Self::PreToolUse | Self::PostToolUse | Self::ToolError | Self::PermissionRequest
        )
    }
}

/// Who wrote a hook. In this order they run, and a project's may only narrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookSource {
    BuiltIn,
    Managed,
    User,
    Project,
}

impl HookSource {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BuiltIn => "built-in",
            Self::Managed => "managed",
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// A command that is asked at an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookSpec {
    pub name: String,
    pub event: HookEvent,
    /// The tools whose calls it is about, as in a rule: `bash`, `edit`, `gh_*`.
    pub tool: Option<String>,
    /// Commands or paths, as in a rule: `git push *`, `src/**`.
    pub pattern: Option<String>,
    /// A line for the shell; the input comes on its standard input.
    pub command: String,
    pub timeout: Duration,
    /// Whether a hook that fails blocks.
    pub required: bool,
    pub source: HookSource,
}

impl HookSpec {
    /// How long a hook may take that says nothing of it (H5).
    pub const TIMEOUT: Duration = Duration::from_secs(30);
}

#[cfg(test)]
mod tests {
    use super::HookEvent;

    #[test]
    fn an_event_is_known_by_every_usual_spelling() {
        for event in HookEvent::ALL {
            assert_eq!(HookEvent::parse(event.name()), Some(event));
        }
        assert_eq!(
            HookEvent::parse("pre_tool_use"),
            Some(HookEvent::PreToolUse)
        );
        assert_eq!(HookEvent::parse("stop"), Some(HookEvent::Stop));
        assert_eq!(HookEvent::parse("pre_tool"), None);
    }
}
