//! Patience with a server that reads a long prompt, none with a stream that
//! died. Counts content, not bytes: keep-alives hide a stall.

use std::future::Future as _;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep};

/// What was waited for in vain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expired {
    FirstToken(Duration),
    Silence(Duration),
}

/// The time begins to count when the stream is asked and has nothing: a reader
/// that is slow to ask for the next delta is no fault of the server.
pub(crate) struct Watchdog {
    first_token: Option<Duration>,
    silence: Option<Duration>,
    content: u64,
    /// When the current wait will have been too long; `None` until it begins.
    deadline: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Watchdog {
    pub(crate) fn new(first_token: Option<Duration>, silence: Option<Duration>) -> Self {
        Self {
            first_token,
            silence,
            content: 0,
            deadline: None,
            timer: None,
        }
    }

    fn limit(&self) -> Option<Duration> {
        if self.content == 0 {
            self.first_token
        } else {
            self.silence
        }
    }

    /// Tells how many content events there have been in all.
    pub(crate) fn saw(&mut self, content: u64) {
        if content > self.content {
            self.content = content;
            self.deadline = None;
        }
    }

    fn deadline(&mut self) -> Option<(Instant, Duration)> {
        let limit = self.limit()?;
        // A limit beyond what the clock can hold is no limit.
        let deadline = match self.deadline {
            Some(deadline) => deadline,
            None => Instant::now().checked_add(limit)?,
        };
        self.deadline = Some(deadline);
        Some((deadline, limit))
    }

    fn expired(&self, limit: Duration) -> Expired {
        if self.content == 0 {
            Expired::FirstToken(limit)
        } else {
            Expired::Silence(limit)
        }
    }

    /// Asked after bytes that were no content: a server that never pauses its
    /// keep-alives must not get past the limit either.
    pub(crate) fn check(&mut self) -> Option<Expired> {
        let (deadline, limit) = self.deadline()?;
        (Instant::now() >= deadline).then(|| self.expired(limit))
    }

    /// Ready when the current wait is too long. One timer serves the whole
    /// stream: it is moved only when it fires early or is set too late, not
    /// at every delta.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Expired> {
        let Some((deadline, limit)) = self.deadline() else {
            return Poll::Pending;
        };
        let expired = self.expired(limit);
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        if timer.deadline() > deadline {
            timer.as_mut().reset(deadline);
        }
        while timer.as_mut().poll(cx).is_ready() {
            if Instant::now() >= deadline {
                return Poll::Ready(expired);
            }
            timer.as_mut().reset(deadline);
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::{Expired, Watchdog};
    use std::time::Duration;

    const LIMIT: Duration = Duration::from_millis(1);

    fn wait() {
        std::thread::sleep(LIMIT * 3);
    }

    #[test]
    fn bytes_without_content_run_into_the_limit_even_if_nothing_ever_waits() {
        let mut watchdog = Watchdog::new(Some(LIMIT), Some(LIMIT));
        watchdog.check();
        wait();
        assert_eq!(watchdog.check(), Some(Expired::FirstToken(LIMIT)));
        watchdog.saw(1);
        watchdog.check();
        wait();
        watchdog.saw(1);
        assert_eq!(watchdog.check(), Some(Expired::Silence(LIMIT)));
    }

    #[test]
    fn content_begins_the_wait_anew() {
        let mut watchdog = Watchdog::new(None, Some(LIMIT * 1000));
        watchdog.saw(1);
        watchdog.check();
        let first = watchdog.deadline;
        wait();
        watchdog.saw(2);
        assert_eq!(watchdog.check(), None);
        assert!(watchdog.deadline > first);
    }

    #[test]
    fn without_a_limit_nothing_expires() {
        let mut watchdog = Watchdog::new(None, None);
        assert_eq!(watchdog.check(), None);
        watchdog.saw(1);
        assert_eq!(watchdog.check(), None);
        let mut endless = Watchdog::new(Some(Duration::MAX), None);
        assert_eq!(endless.check(), None);
    }
}
