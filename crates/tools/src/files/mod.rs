//! The tools that read and change files, one file each, and what they share:
//! running beside the runtime ([`blocking`]), diffs, glob patterns.

mod blocking;
pub(crate) mod diff;
pub mod edit;
mod failure;
pub mod glob;
pub mod grep;
pub mod list;
pub mod patch;
mod pattern;
pub mod read;
pub mod write;
