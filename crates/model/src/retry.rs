//! When to try again, and after how long (P7). Pure: the caller waits.

use crate::ModelError;
use std::time::Duration;

/// 1, 2, 4, 8, 16 s plus up to a quarter of jitter; a server's `Retry-After`
/// is respected up to a cap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryPlan {
    pub attempts: u32,
    pub first: Duration,
    pub cap: Duration,
}

impl Default for RetryPlan {
    fn default() -> Self {
        Self {
            attempts: 5,
            first: Duration::from_secs(1),
            cap: Duration::from_secs(30),
        }
    }
}

impl RetryPlan {
    /// The pause before try `attempt` (1 is the first one made again), or `None`
    /// when it should not be made. `jitter` is in 0..1.
    #[must_use]
    pub fn pause(&self, attempt: u32, error: &ModelError, jitter: f64) -> Option<Duration> {
        if attempt == 0 || attempt > self.attempts || !error.is_retryable() {
            return None;
        }
        if let Some(asked) = error.retry_after {
            return Some(asked.min(self.cap));
        }
        let doubled = self.first.saturating_mul(1 << (attempt - 1).min(16));
        Some(
            doubled
                .mul_f64(1.0 + jitter.clamp(0.0, 1.0) / 4.0)
                .min(self.cap),
        )
    }
}
