//! Token counts and money, as reported by a server or estimated by us.

use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// Tokens of one request, or of many added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// All tokens of the prompt, cached ones included.
    pub input: u64,
    pub output: u64,
    /// The part of `input` that the server took from its cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached: u64,
    /// The part of `output` that was reasoning.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reasoning: u64,
    /// True when no server reported these figures.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Usage {
    #[must_use]
    pub fn total(&self) -> u64 {
        self.input + self.output
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input += other.input;
        self.output += other.output;
        self.cached += other.cached;
        self.reasoning += other.reasoning;
        self.estimated |= other.estimated;
    }
}

/// Money in millionths of a dollar, so that sums are exact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cost(pub u64);
