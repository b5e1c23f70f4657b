//! What a model sends is seldom quite what was asked for. This module turns
//! names and inputs into their canonical form before anything looks at them,
//! and then checks them against the tool's schema.
//!
//! It repairs spelling and type, never meaning: a value that is missing stays
//! missing, and what was changed is reported. It is not a JSON Schema library;
//! it knows the subset that tool schemas use and lets the rest pass.

mod aliases;
mod check;
mod coerce;
mod example;
mod marked;
mod names;
mod repair;
mod tasks;

pub use check::check;
pub use marked::marked;
pub use names::{canonical_name, suggest_name};
pub use repair::repair;
