//! An argv becomes a supervised process whose whole tree can be ended.
//!
//! Every command runs under a small process of its own, the supervisor: a
//! subreaper, so that nothing the command starts can leave the tree, and tied
//! to Tenon by a socket, so that the tree ends when Tenon does, however that
//! happens. Walls around the command (what it may read, write, reach) are not
//! here yet; [`Probe`] says so.
//!
//! This is the only crate that may use `unsafe`.
//!
//! ```no_run
//! use tenon_sandbox::{CommandSpec, StdinKind, Supervisor};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let supervisor = Supervisor::new("/proc/self/exe", vec!["__supervise".into()]);
//! let mut command = supervisor
//!     .spawn(CommandSpec {
//!         argv: vec!["sh".into(), "-c".into(), "sleep 600 & echo done".into()],
//!         cwd: "/tmp".into(),
//!         env: std::env::vars_os().collect(),
//!         stdin: StdinKind::Null,
//!     })
//!     .await?;
//! let exit = command.exited().await; // `sleep` is a survivor
//! command.kill();
//! command.emptied().await; // now it is not
//! # let _ = exit;
//! # Ok(())
//! # }
//! ```

mod keeper;
mod message;
mod probe;
mod raw;
mod supervised;
mod supervisor;
mod tree;

pub use keeper::supervise;
pub use message::Survivors;
pub use probe::{Probe, Support};
pub use supervised::{Exit, Supervised};
pub use supervisor::{CommandSpec, MARKER, SpawnError, StdinKind, Supervisor};
