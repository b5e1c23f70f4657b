//! The seam between the engine and its front ends, without a runtime: a front
//! end holds a [`Handle`] and knows nothing else of the engine.

use crate::{Command, Event, Query, Reply, SessionId};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Events of one session, in order. The engine never waits for whoever reads
/// this: a reader that lags gets every durable event from the log, and its
/// deltas merged.
pub trait EventSource: Send {
    /// The next event, or `None` when the session's engine has ended.
    fn next(&mut self) -> BoxFuture<'_, Option<Arc<Event>>>;
}

/// The way back. Sending never blocks; after the engine has ended it does nothing.
pub trait CommandSink: Send + Sync {
    fn send(&self, command: Command);
}

/// Answers that change nothing and are not logged.
pub trait QueryPort: Send + Sync {
    fn ask(&self, query: Query) -> BoxFuture<'_, Reply>;
}

/// All that a front end has of a session.
pub struct Handle {
    pub session: SessionId,
    pub events: Box<dyn EventSource>,
    pub commands: Arc<dyn CommandSink>,
    pub queries: Arc<dyn QueryPort>,
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle")
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}
