//! A server that was asked and says nothing: from when on that is worth a word,
//! and the word. Every front end says it alike.

use std::time::Duration;

/// A server that is well begins to answer before.
pub const AFTER: Duration = Duration::from_millis(1_500);
pub const SAID: &str = "No answer from the server yet";
