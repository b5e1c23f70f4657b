//! How far a request is on its way to the server: whoever waits is told early
//! that nobody answers there. A server that has the request and thinks is none of
//! that, however long it takes.

use std::future::Future as _;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Sleep;

/// A connection that takes longer is worth a word.
const PATIENCE: Duration = Duration::from_millis(1_500);

const BEFORE: u8 = 0;
const CONNECTING: u8 = 1;
const CONNECTED: u8 = 2;

/// Shared with the request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Connecting(Arc<AtomicU8>);

impl Connecting {
    /// A connection is asked for now.
    pub(crate) fn begins(&self) {
        self.0.store(CONNECTING, Ordering::Relaxed);
    }

    /// Something was sent: there is a connection.
    pub(crate) fn is_there(&self) {
        self.0.store(CONNECTED, Ordering::Relaxed);
    }
}

/// Waits for the time to say that it takes long; once.
#[derive(Debug)]
pub(crate) struct Patience {
    connecting: Connecting,
    timer: Option<Pin<Box<Sleep>>>,
    over: bool,
}

impl Patience {
    pub(crate) fn new(connecting: Connecting) -> Self {
        Self {
            connecting,
            timer: None,
            over: false,
        }
    }

    /// Ready when it should be said.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while !self.over {
            let timer = self
                .timer
                .get_or_insert_with(|| Box::pin(tokio::time::sleep(PATIENCE)));
            std::task::ready!(timer.as_mut().poll(cx));
            self.timer = None;
            match self.connecting.0.load(Ordering::Relaxed) {
                // A login is renewed first.
                BEFORE => {}
                CONNECTING => {
                    self.over = true;
                    return Poll::Ready(());
                }
                _ => self.over = true,
            }
        }
        Poll::Pending
    }
}
