//! When keys begin to count. A person who writes while a question comes up
//! writes on for a moment, and one of the letters would be an answer.

use std::time::{Duration, Instant};

/// After it came on the screen.
const SEEN: Duration = Duration::from_millis(150);
/// After a key that was not meant for it: the pause of somebody who has stopped.
const PAUSE: Duration = Duration::from_millis(400);

#[derive(Debug, Default)]
pub(super) struct Arming {
    shown: Option<Instant>,
    noise: Option<Instant>,
    state: State,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Waiting,
    /// A key has counted: from here on they all do.
    Armed,
}

impl Arming {
    pub(super) fn shown(&mut self, now: Instant) {
        self.shown.get_or_insert(now);
    }

    pub(super) fn noise(&mut self, at: Instant) {
        self.noise = self.noise.max(Some(at));
    }

    pub(super) fn is_shown(&self) -> bool {
        self.shown.is_some()
    }

    pub(super) fn is_armed(&self) -> bool {
        self.state == State::Armed
    }

    /// Something else stands there now: it has to be seen like the first.
    pub(super) fn again(&mut self, now: Instant) {
        self.shown = Some(now);
        self.state = State::Waiting;
    }

    /// Whether a key of this moment counts. One that does not says that somebody
    /// is typing, and puts it off.
    pub(super) fn takes(&mut self, now: Instant) -> bool {
        if self.state == State::Armed {
            return true;
        }
        let is_past = |at: Instant, pause: Duration| now.saturating_duration_since(at) >= pause;
        let seen = self.shown.is_some_and(|at| is_past(at, SEEN));
        let quiet = self.noise.is_none_or(|at| is_past(at, PAUSE));
        if seen && quiet {
            self.state = State::Armed;
            return true;
        }
        self.noise(now);
        false
    }
}
