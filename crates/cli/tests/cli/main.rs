//! The binary as people and scripts use it, in homes of their own.

mod config;
mod exec;
mod kill;
mod live;
mod model;
mod models;
mod pages;
mod policy;
mod program;
mod sessions;
mod tools;
