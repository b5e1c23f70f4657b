//! One binary for all tests of supervised processes: real processes, real
//! signals, real `/proc`.
mod denials;
mod devices;
mod endings;
mod files;
mod git;
mod lending;
mod network;
mod private;
mod processes;
mod raising;
mod sockets;
mod stage;
mod starting;
mod support;
mod tenon_killed;
