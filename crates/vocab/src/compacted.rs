//! The record of a compaction: what stands in the place of what was replaced, and
//! what is to be known of it after a resume.

use crate::{CallId, Recap};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrunedCall {
    pub call: CallId,
    pub model_text: String,
}

/// The full replacement of the history before `kept_from`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compacted {
    /// The first seq that stays as it is.
    pub kept_from: u64,
    pub summary: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pruned: Vec<PrunedCall>,
    /// The facts that the summary carries, so that the next one begins with them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recap: Option<Box<Recap>>,
    /// What the server has refused as too long in this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<Refused>,
    /// Files of rules that the model had been told and that found no room.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untold: Vec<String>,
    pub tokens_before: u64,
    pub tokens_after: u64,
}

/// The least that a model's server has refused as too long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    pub model: String,
    /// By our own estimate.
    pub tokens: u64,
    /// The window that was believed then. Who sets another one begins anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
}
