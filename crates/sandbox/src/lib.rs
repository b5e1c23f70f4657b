//! An argv becomes a supervised process whose whole tree can be ended.
//!
//! Every command runs under a small process of its own, the supervisor: a
//! subreaper, so that nothing the command starts can leave the tree, and tied
//! to Tenon by a socket, so that the tree ends when Tenon does, however that
//! happens.
//!
//! Around the command stand walls, if a [`SandboxPolicy`] asks for them: mounts
//! in namespaces of its own, and, carried by every process, Landlock and
//! seccomp. Where the first are not to be had, the second stand alone, and
//! [`Confinement`] names what is not held. Walls that should stand and do not
//! mean that the command does not run.
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
//!         confinement: None,
//!     })
//!     .await?;
//! let exit = command.exited().await; // `sleep` is a survivor
//! command.kill();
//! command.emptied().await; // now it is not
//! # let _ = exit;
//! # Ok(())
//! # }
//! ```

mod accounts;
mod alone;
mod aside;
mod bound;
mod bubblewrap;
mod channel;
mod confinement;
mod denial;
mod descriptor;
mod doorman;
mod guard;
mod handover;
mod inside;
mod keeper;
mod landlocked;
mod launch;
mod lending;
mod mend;
mod message;
mod mounts;
mod namespaces;
mod places;
mod plain;
mod private;
mod privileges;
mod probe;
mod raw;
mod repair;
mod start;
mod step;
mod supervised;
mod supervisor;
mod syscalls;
mod tree;
mod trial;
mod walls;

pub use accounts::homes;
pub use aside::{Below, Standing};
pub use confinement::{Confinement, Level};
pub use denial::{Denial, recognise};
pub use keeper::supervise;
pub use message::Survivors;
pub use plain::plain;
pub use probe::{Probe, Support};
pub use repair::{Repair, RepairEffect};
pub use supervised::{Exit, Supervised};
pub use supervisor::{CommandSpec, MARKER, SpawnError, StdinKind, Supervisor};
pub use trial::{Finding, Held, Trial};
pub use walls::{Adapter, Lacking, Limits, Mode, Network, OwnCopy, Private, SandboxPolicy};
