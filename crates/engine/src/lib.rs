//! The loop: context, model, gate, tools. The engine prints nothing, reads no
//! home folder and knows no terminal: it gets [`Parts`] and gives a
//! [`tenon_vocab::port::Handle`] with events, commands and queries.

mod active;
pub mod agents;
mod ask;
mod calls;
mod context;
mod core;
mod emit;
mod engine;
mod figures;
mod gate;
mod guard;
pub mod hooks;
mod host;
mod images;
mod inbox;
mod mask;
mod meter;
mod next;
mod once;
mod outside;
mod overflow;
mod parts;
pub mod prompt;
mod publish;
mod queries;
mod questions;
mod recover;
mod recovered;
mod run;
mod schedule;
mod shell;
pub mod slash;
mod step;
mod stream;
mod switch;
mod title;

pub use calls::Done;
pub use engine::Engine;
pub use once::call_once;
pub use parts::{
    Ambient, Approval, Chosen, Confirm, Effects, GrantSink, ModelSource, Parts, RealAmbient,
};
