//! The built-in tools, the contract of every tool, and the doors to files
//! ([`Workspace`]) and processes ([`Jobs`]).

mod ask_user;
mod bash;
mod builtin;
mod contract;
pub mod custom;
pub mod files;
pub mod input;
pub mod jobs;
mod named;
pub mod output;
mod process;
pub mod programs;
pub mod skill;
pub mod todo;
pub mod workspace;

pub use bash::{READING_STOPPED, hidden_from, reading_room};
pub use builtin::{BuiltIn, Interactive};
pub use contract::{FileUse, Host, HostReply, HostRequest, Tool, ToolSource, Toolbox};
pub use custom::{CustomTools, ToolFolder};
pub use jobs::Jobs;
pub use programs::Programs;
pub use tenon_sandbox::SandboxPolicy;
pub use tenon_vocab::profile::{OnTimeout, StaleWrites, ToolLimits};
pub use workspace::{Journal, Workspace, WorkspaceError, WorkspaceOptions};
