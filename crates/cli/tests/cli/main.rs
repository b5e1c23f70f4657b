//! The binary as people and scripts use it, in homes of their own.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "in a test the panic is the report, also in functions that tests share"
)]

mod config;
mod exec;
mod kept;
mod kill;
mod limits;
mod live;
mod model;
mod models;
mod pages;
mod policy;
mod program;
mod repl;
mod sessions;
mod tools;
