//! What tests of the engine and of the binary share: a home of their own, a
//! recorder of events, questions about processes, a terminal. For tests only, so a thing
//! that cannot be set up panics with a sentence.
//!
//! ```
//! let home = tenon_testing::TestHome::new();
//! let output = home.command("sh".as_ref()).args(["-c", "echo $HOME"]).output();
//! assert!(output.is_ok());
//! ```

mod home;
mod process;
mod recorder;
pub mod screen;
mod supervisor;
mod wait;

pub use home::TestHome;
pub use process::{alive, descendants_with_marker};
pub use recorder::Recorder;
pub use supervisor::supervisor;
pub use wait::wait_until;
