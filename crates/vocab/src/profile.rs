//! Descriptions that come from configuration and are used by the engine.

use serde::{Deserialize, Serialize};
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
    pub prompt: String,
    /// The names of the tools that it sees; empty means all.
    pub tools: Vec<String>,
    /// Whether it may only read, whatever grants say (G3).
    pub read_only: bool,
    pub max_steps: Option<u32>,
    pub temperature: Option<f64>,
    /// `built-in`, `user`, `project`
    pub source: String,
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
            glob_paths: 1000,
            grep_matches: 200,
            list_entries: 500,
            stale_writes: StaleWrites::Refuse,
        }
    }
}
