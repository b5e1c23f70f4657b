//! The tools that read and change files, one file each, and what they share:
//! running beside the runtime ([`blocking`]), diffs, glob patterns.

mod align;
pub(crate) mod blocking;
pub mod diff;
pub mod edit;
pub(crate) mod failure;
pub mod glob;
pub mod grep;
pub mod list;
pub mod patch;
mod pattern;
pub mod read;
pub mod write;
