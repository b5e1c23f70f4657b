//! The terminal interface. A front end like any other: it has a
//! [`tenon_vocab::port::Handle`], draws events, and produces commands.
//!
//! [`update::update`] is pure: an input changes the state and asks for effects.
//! [`view::live`] draws the state. [`run`] is the loop around the two, and the
//! only place that waits, reads keys and writes.

mod app;
pub mod boxes;
pub mod composer;
mod flow;
pub mod highlight;
pub mod house;
pub mod input;
pub mod markdown;
pub mod overlay;
mod rule;
pub mod screen;
pub mod shapes;
pub mod state;
mod stderr;
pub mod terminal;
pub mod text;
pub mod theme;
pub mod update;
pub mod view;

pub use app::{Left, Start, run};
