//! The terminal interface as a person has it: the real binary in a terminal,
//! against a scripted model server. What the terminal shows is read from an
//! emulator, and from a real tmux where it is about the scrollback.

mod again;
mod agents;
mod asking;
mod choosing;
mod guarding;
mod keeping;
mod keys;
mod leaving;
mod looking;
mod pasting;
mod resizing;
mod resting;
mod saying;
mod sessions;
mod snapshots;
mod soaking;
mod stage;
mod talking;
mod wishing;
mod writing;
