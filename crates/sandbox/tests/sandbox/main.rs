//! One binary for all tests of supervised processes: real processes, real
//! signals, real `/proc`.
mod endings;
mod starting;
mod support;
mod tenon_killed;
