//! The terminal interface through real terminal emulators.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends there")]

mod agents;
mod caret;
mod composer;
mod emulator;
mod held;
mod keeping;
mod looks;
mod markdown;
mod notation;
mod overlay;
mod screen;
mod shapes;
mod signs;
mod stage;
mod standing;
mod talk;
