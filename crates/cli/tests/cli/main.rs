//! The binary as people and scripts use it, in homes of their own.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "in a test the panic is the report, also in functions that tests share"
)]

mod added;
mod auth;
mod auth_keys;
mod client;
mod codex;
mod codex_server;
mod codex_store;
mod compaction;
mod config;
mod context;
mod copies;
mod cost;
mod custom;
mod day;
mod decisions;
mod doctor;
mod exec;
mod foreign_files;
mod handoff;
mod hooks;
mod images;
mod kept;
mod kill;
mod late_refusals;
mod learning;
mod limits;
mod live;
mod live_loops;
mod logs;
mod mock;
mod model;
mod models;
mod modes;
mod network;
mod own;
mod pages;
mod piped;
mod policy;
mod program;
mod protected;
mod providers;
mod readers;
mod recovery;
mod repl;
mod sandbox;
mod search;
mod secrets;
mod servers;
mod sessions;
mod sizes;
mod skills;
mod small_windows;
mod switch;
mod talk;
mod tiers;
mod todo;
mod tools;
mod trust;
mod tui;
mod undo;
mod ways_in;
