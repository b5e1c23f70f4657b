//! One binary for all tests of the tools.
mod bash;
mod edit;
mod input;
mod jobs;
mod patch;
mod read;
mod search;
mod support;
mod workspace;
mod write;
