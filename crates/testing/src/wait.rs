//! Waiting for what another process does, where nothing tells when it is done.

use std::time::{Duration, Instant};

const STEP: Duration = Duration::from_millis(5);

/// Asks again and again until the answer is yes. False when the deadline
/// passed first: make it generous, because it only costs time in a test that fails.
#[must_use]
pub fn wait_until(deadline: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    loop {
        if condition() {
            return true;
        }
        if start.elapsed() >= deadline {
            return false;
        }
        std::thread::sleep(STEP);
    }
}
