//! A conversation, as far as it is the same whoever draws it: how a session is
//! opened and ended, and what the `/` commands do that no engine does. The line
//! interface and the terminal interface differ in how they ask and show, and in
//! nothing that stands here.

mod acts;
mod end;
pub mod handoff;
mod history;
pub mod init;
pub mod lists;
mod open;

pub use acts::{another, aside, prompt_at, say_effort};
pub use end::come_back;
pub use history::{ENTRIES, Past};
pub use open::{Kept, Opening, Running, Talk, Wanted, place_of};
