//! One binary for all tests of the crate. Transcripts of real servers are in
//! `tests/wire`: the status on the first line, then the body byte for byte.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

mod adapt;
mod adapt_parts;
mod adapt_stage;
mod calls;
mod catalogue;
mod dialect_control;
mod dialect_plain;
mod dialect_random;
mod dialect_replies;
mod dialect_requests;
mod dialect_scenarios;
mod dialect_support;
mod dialect_tasks;
mod doubted;
mod encode;
mod errors;
mod estimate;
mod light;
mod listing;
mod messages_decode;
mod messages_encode;
mod messages_events;
mod messages_faults;
mod messages_prefix;
mod messages_random;
mod messages_support;
mod messages_thinking;
mod messages_transcripts;
mod misbehaviour;
mod presets;
mod random;
mod remedies;
mod remedies_content;
mod repair;
mod replay;
mod rescue;
mod responses;
mod responses_calls;
mod responses_encode;
mod responses_failures;
mod responses_history;
mod responses_random;
mod responses_repair;
mod responses_transcripts;
mod retry;
mod sse;
mod support;
mod think;
mod transcripts;
mod window;
