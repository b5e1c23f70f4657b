//! The loop: context, model, gate, tools. The engine prints nothing, reads no
//! home folder and knows no terminal: it gets [`Parts`] and gives a
//! [`tenon_vocab::port::Handle`] with events, commands and queries.

pub mod account;
mod acting;
mod active;
pub mod agents;
pub mod aside;
mod ask;
mod asking;
pub mod budget;
mod calls;
mod checkpoint;
mod compact;
mod context;
mod core;
mod custom;
mod emit;
mod engine;
mod figures;
pub mod folders;
mod gate;
mod guard;
pub mod hooks;
mod host;
mod images;
mod inbox;
mod layout;
mod mask;
mod mentions;
mod meter;
mod mode;
pub mod named;
mod next;
mod notes;
mod once;
mod outside;
mod overflow;
mod pages;
mod parts;
pub mod prompt;
mod publish;
mod queries;
mod questions;
mod recover;
mod recovered;
mod run;
mod schedule;
mod shell;
mod skills;
pub mod slash;
pub mod small;
mod step;
mod stream;
mod switch;
pub mod tier;
mod title;
mod todo;
pub mod undo;
mod wake;

pub use calls::Done;
pub use compact::summary;
pub use engine::Engine;
pub use folders::{FolderSource, NoFolders};
pub use layout::of_next_prompt;
pub use once::call_once;
pub use parts::{
    AgentParts, Ambient, Approval, AutoNetwork, Chosen, Confirm, ContextParts, Effects, GrantSink,
    ModeParts, ModelSource, Parts, ProviderInfo, RealAmbient, SandboxState,
};
pub use wake::Wake;
