//! Ctrl+C pressed once and pressed twice: the state between the two, without a
//! clock of its own.

use std::time::{Duration, Instant};

/// The second press counts only within this time of the first (U10).
const WINDOW: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Press {
    First,
    Second,
}

#[derive(Debug, Default)]
pub struct Twice {
    last: Option<Instant>,
}

impl Twice {
    pub fn press(&mut self, now: Instant) -> Press {
        let soon = self
            .last
            .is_some_and(|last| now.saturating_duration_since(last) <= WINDOW);
        if soon {
            self.last = None;
            Press::Second
        } else {
            self.last = Some(now);
            Press::First
        }
    }

    /// Something else was done in between.
    pub fn forget(&mut self) {
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_press_counts_within_two_seconds_only() {
        let start = Instant::now();
        let mut twice = Twice::default();
        assert_eq!(twice.press(start), Press::First);
        assert_eq!(twice.press(start + WINDOW), Press::Second);
        assert_eq!(twice.press(start + WINDOW), Press::First);
        let late = start + WINDOW * 2 + Duration::from_millis(1);
        assert_eq!(twice.press(late), Press::First);
    }

    #[test]
    fn an_input_in_between_starts_anew() {
        let start = Instant::now();
        let mut twice = Twice::default();
        twice.press(start);
        twice.forget();
        assert_eq!(twice.press(start), Press::First);
    }
}
