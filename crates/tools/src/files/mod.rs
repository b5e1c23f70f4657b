//! The tools that read and change files.
mod edit;
mod glob;
mod grep;
mod list;
mod patch;
mod read;
mod write;
