//! The binary as people and scripts use it, in homes of their own.

mod exec;
mod kill;
mod live;
mod model;
