//! One binary for all tests of the tools.

mod bash;
mod changes;
mod custom;
mod edit;
mod input;
mod jobs;
mod misuse;
mod patch;
mod patterns;
mod previews;
mod programs;
mod read;
mod reading;
mod renewals;
mod scans;
mod search;
mod secrets;
mod skill;
mod stands;
mod support;
mod todo;
mod walks;
mod walls;
mod warden;
mod workspace;
mod write;
