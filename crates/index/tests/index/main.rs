//! The search over sessions, with real logs and a real database.

mod build;
mod damage;
mod following;
mod parallel;
mod searching;
