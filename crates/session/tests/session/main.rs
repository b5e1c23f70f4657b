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
mod forks;
mod frames;
mod history;
mod imports;
mod listing;
mod logs;
mod own_commands;
mod pages;
mod projection;
mod recap;
mod recovery;
mod snapshots;
mod stores;
mod touching;
mod undoing;
mod verifying;
