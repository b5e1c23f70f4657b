//! The binary as people and scripts use it, in homes of their own.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "in a test the panic is the report, also in functions that tests share"
)]

mod client;
mod config;
mod custom;
mod decisions;
mod doctor;
mod exec;
mod hooks;
mod kept;
mod kill;
mod limits;
mod live;
mod model;
mod models;
mod pages;
mod policy;
mod program;
mod recovery;
mod repl;
mod sandbox;
mod secrets;
mod sessions;
mod talk;
mod tools;
mod trust;
