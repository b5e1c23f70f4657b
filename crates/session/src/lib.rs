//! The append-only log of a session, the content beside it, and the state that
//! both stand for. It knows no model, no tool and no terminal; it writes what
//! it is given and gives back the same.
//!
//! ```
//! use tenon_session::Store;
//! use tenon_vocab::{Event, Message, Meta, SCHEMA_VERSION, SessionId, Timestamp};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let home = tempfile::tempdir()?;
//! let store = Store::new(home.path().join("sessions"));
//! let id = SessionId::generate();
//! let event = |seq, kind| Event {
//!     seq, sub: None, ts: Timestamp::UNIX_EPOCH, session: id,
//!     run: None, parent: None, agent: "main".into(), kind,
//! };
//! let meta = Meta {
//!     schema_version: SCHEMA_VERSION, id, cwd: "/tmp".into(),
//!     program_version: "0.1.0".into(), git_branch: None, forked_from: None,
//! };
//! let (mut log, mut state) = store.create(&event(0, meta.into()))?;
//! let hello = event(1, Message::user("hello").into());
//! let offset = log.append(&hello)?;
//! state.apply(&hello, offset);
//! drop(log);
//!
//! let (_log, again) = store.open(id, Timestamp::UNIX_EPOCH)?;
//! assert_eq!(again.history().messages(), state.history().messages());
//! # Ok(())
//! # }
//! ```

mod aside;
mod blobs;
mod calls;
mod changes;
mod damage;
mod digest;
mod error;
pub mod export;
mod fork;
mod frames;
mod history;
mod import;
mod kept;
mod leftovers;
mod lines;
mod list;
mod load;
mod lock;
mod log;
mod memory;
mod numbers;
mod outline;
mod pack;
mod packed;
mod place;
mod prompts;
mod reading;
mod rebuild;
mod recap;
mod record;
mod recover;
mod scratch;
mod shell;
mod sink;
mod spending;
mod stamp;
mod standing;
mod state;
mod store;
mod stream;
mod totals;
mod touched;
mod verify;

pub use aside::{Aside, AsideRef};
pub use blobs::Blobs;
pub use calls::OpenCall;
pub use damage::Damage;
pub use error::SessionError;
pub use frames::{Frame, FrameOf};
pub use history::History;
pub use import::{ImportError, Imported, Target};
pub use kept::{ChangedFile, KeptFile};
pub use leftovers::Leftovers;
pub use list::{ListFilter, Listing, Summary};
pub use load::Loaded;
pub use log::Log;
pub use numbers::{GivenUp, Numbers, numbered};
pub use outline::Outline;
pub use prompts::{Prompt, Reach, is_prompt};
pub use reading::Reading;
pub use recap::{FIRST as FIRST_KEPT, GOAL as LONGEST_GOAL, binds, extend_recap, recap};
pub use record::Record;
pub use recover::recovery_events;
pub use spending::Spent;
pub use standing::Standing;
pub use state::{Live, State};
pub use store::Store;
pub use stream::{LogFile, RawLine, Stream};
pub use touched::{After, Before, Touched, touched};
pub use verify::{Finding, verify};
