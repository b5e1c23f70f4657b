//! The runtime that a command runs in.

use crate::error::CliError;
use std::time::Duration;

/// The runtime of one command: it never waits for a blocking thread at its end,
/// because what such a thread waits for (a name server, a pipe) may never come.
#[derive(Debug)]
pub struct Runtime(tokio::runtime::Runtime);

impl Runtime {
    pub fn block_on<T>(self, work: impl Future<Output = T>) -> T {
        let result = self.0.block_on(work);
        self.0.shutdown_timeout(Duration::from_millis(100));
        result
    }
}

/// One thread for the engine and its front end, few for what blocks.
pub fn runtime() -> Result<Runtime, CliError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(8)
        .build()
        .map(Runtime)
        .map_err(|error| CliError::runtime(format!("Tenon can't start: {error}")))
}
