//! The interactive session line by line, as a person has it: the real binary in
//! a real terminal (tmux), against a scripted model server.

mod agents;
mod boxes;
mod commands;
mod copies;
mod dumb;
mod leaving;
mod models;
mod prompt;
mod running;
mod setup;
mod shell;
mod silent;
pub mod terminal;
mod trust;
mod undo;
