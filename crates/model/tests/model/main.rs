//! One binary for all tests of the crate. Transcripts of real servers are in
//! `tests/wire`: the status on the first line, then the body byte for byte.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

mod calls;
mod encode;
mod errors;
mod estimate;
mod listing;
mod misbehaviour;
mod presets;
mod random;
mod repair;
mod retry;
mod sse;
mod support;
mod transcripts;
