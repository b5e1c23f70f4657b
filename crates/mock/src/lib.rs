//! A scripted model server that speaks the three wire formats, a recorder and
//! player of real ones, and validators that say what the strictest server
//! would reject.
//!
//! It is what Tenon's tests talk to and what users test their own setups with.
//! It shares no code with the part of Tenon that writes requests and reads
//! replies: a mistake made once must not hide on both sides of the wire.
//!
//! ```
//! use tenon_mock::{Options, Scenarios, Server};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let scenarios = Scenarios::parse(
//!     r#"{"scenarios": [{"trigger": "hello", "steps": [{"response": {"content": "Hi!"}}]}]}"#,
//! )?;
//! let server = Server::bind(([127, 0, 0, 1], 0).into(), scenarios, Options::default()).await?;
//! let running = server.spawn();
//! // ... point a client at running.base_url() ...
//! for request in running.requests() {
//!     assert_eq!(request.violations, Vec::<String>::new());
//! }
//! # Ok(())
//! # }
//! ```

mod answer;
mod api;
mod asked;
mod chat;
mod choose;
mod complaint;
mod connection;
mod conversation;
mod cut;
mod demand;
pub mod demo;
mod events;
mod fault;
mod frame;
mod messages;
mod options;
mod queue;
mod record;
mod refusal;
mod reply;
mod responses;
mod route;
mod scenarios;
mod seal;
mod server;
mod shape;
mod software;
mod stability;
mod tally;
mod tape;
mod upstream;
pub mod wire;
mod words;

pub use api::RequestKind;
pub use complaint::ScenarioError;
pub use options::{Chunking, Options, Recording, Strictness};
pub use record::RecordedRequest;
pub use scenarios::Scenarios;
pub use server::{Running, Server};
pub use stability::{PrefixBreak, prefix_breaks};
pub use tape::play::{Pace, Playback};
pub use tape::slice::Slicing;
pub use tape::{Tape, TapeError};
pub use upstream::{
    Upstream, UpstreamError, UpstreamFuture, UpstreamPiece, UpstreamReply, UpstreamRequest,
};
