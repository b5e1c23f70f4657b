//! Ctrl+C and the signals that ask a program to end, as one stream.

use tokio::signal::unix::{Signal, SignalKind, signal};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Ctrl+C.
    Interrupt,
    /// SIGTERM or SIGHUP: end, and leave everything whole.
    End,
}

#[derive(Debug)]
pub struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Signals {
    /// # Errors
    /// When the handlers cannot be installed.
    pub fn new() -> std::io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    pub async fn next(&mut self) -> Asked {
        tokio::select! {
            _ = self.interrupt.recv() => Asked::Interrupt,
            _ = self.terminate.recv() => Asked::End,
            _ = self.hangup.recv() => Asked::End,
        }
    }
}
