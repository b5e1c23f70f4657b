//! When a request is made again.

use std::time::Duration;
use tenon_model::{ModelError, ModelErrorKind, RetryPlan};

#[test]
fn pauses_double_and_a_servers_wish_is_capped() {
    let plan = RetryPlan::default();
    let error = ModelError::new(ModelErrorKind::Network, "reset");
    let pauses: Vec<Option<u64>> = (0..=6)
        .map(|attempt| {
            plan.pause(attempt, &error, 0.0)
                .map(|pause| pause.as_secs())
        })
        .collect();
    assert_eq!(
        pauses,
        [None, Some(1), Some(2), Some(4), Some(8), Some(16), None]
    );
    let mut asked = ModelError::new(ModelErrorKind::RateLimited, "slow down");
    asked.retry_after = Some(Duration::from_secs(3_600));
    assert_eq!(plan.pause(1, &asked, 0.9), Some(plan.cap));
}

#[test]
fn what_cannot_succeed_later_is_not_tried_again() {
    let plan = RetryPlan::default();
    for kind in [
        ModelErrorKind::Auth,
        ModelErrorKind::ContextOverflow,
        ModelErrorKind::Rejected,
    ] {
        assert_eq!(
            plan.pause(1, &ModelError::new(kind, "no"), 0.0),
            None,
            "{kind:?}"
        );
    }
}
