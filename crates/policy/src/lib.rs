//! Decides, without input or output, whether a call may run.
mod facts;
mod script;
pub use facts::{Access, Facts, PathFact, Subject};
pub use script::{Script, analyse};
