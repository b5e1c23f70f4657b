//! Validators of wire formats: what the strictest server would reject.
//!
//! They look at bytes that a client sent and know nothing of how they were
//! made.

pub mod chat;
