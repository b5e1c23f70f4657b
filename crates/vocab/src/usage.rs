//! Token counts and money, as reported by a server or estimated by us.

use serde::{Deserialize, Serialize};
use std::fmt;
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
    /// The part of `input` that the server wrote into its cache, where it says so.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write: u64,
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
        self.input.saturating_add(self.output)
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        // The figures are a server's: a sum of lies must not end the program.
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached = self.cached.saturating_add(other.cached);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
        self.estimated = self.estimated || other.estimated;
    }
}

/// Money in millionths of a dollar, so that sums are exact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cost(pub u64);

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.0 = self.0.saturating_add(other.0);
    }
}

/// As dollars: `$0.0123`, and whole cents where that says enough.
impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dollars = self.0 as f64 / 1_000_000.0;
        if self.0 >= 1_000_000 || self.0.is_multiple_of(10_000) {
            write!(f, "${dollars:.2}")
        } else {
            write!(f, "${dollars:.4}")
        }
    }
}

/// What one model of one provider was asked for in a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelTotals {
    pub provider: String,
    pub model: String,
    pub requests: u32,
    pub usage: Usage,
    /// Absent where no price is known; where only some requests have one, the
    /// sum of those.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}
