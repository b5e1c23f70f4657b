//! One binary for all tests of the tools.

mod bash;
mod changes;
mod edit;
mod input;
mod jobs;
mod patch;
mod previews;
mod read;
mod search;
mod support;
mod walks;
mod workspace;
mod write;
