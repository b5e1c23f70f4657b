//! Descriptions that come from configuration and are used by the engine.

use serde::{Deserialize, Serialize};

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

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillInfo {
    pub name: String,
    pub description: String,
    pub path: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookSpec {
    pub event: String,
    pub matcher: Option<String>,
    pub command: String,
    pub timeout_ms: u64,
    pub required: bool,
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
