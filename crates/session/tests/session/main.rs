//! Tests of the log, its projection, its repair and its lists, on real files.

#![expect(
    clippy::unwrap_used,
    reason = "in a test the panic is the report, also in functions that tests share"
)]

mod blobs;
mod build;
mod corpus;
mod cut;
mod exports;
mod frames;
mod history;
mod listing;
mod logs;
mod projection;
mod recovery;
mod snapshots;
mod stores;
mod verifying;
