//! The contract of a wire format: a request becomes bytes, bytes become
//! deltas. No codec knows a socket, a clock or a retry.

mod body;
mod chat;
mod messages;
mod pieces;
mod responses;

pub use chat::{Chat, ChatDecoder};
pub use messages::{Messages, MessagesDecoder};
pub use responses::{Responses, ResponsesDecoder, ResponsesOptions};

use crate::{Delta, ModelEntry, ModelError, Request};
use bytes::Bytes;
use std::time::Duration;
use tenon_vocab::Message;

/// One wire format, with the quirks of one server already chosen.
pub trait Codec: Send + Sync {
    /// Its name: `chat`.
    fn key(&self) -> &'static str;

    /// Where requests go, below the base URL.
    fn path(&self) -> &'static str;

    /// Headers that every request of this format carries.
    fn headers(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Where the list of models is, below the base URL.
    fn models_path(&self) -> &'static str;

    /// The body in pieces, to be sent one after the other. The pieces of the
    /// history are the ones of earlier requests, shared and never copied.
    fn body(&self, model: &str, request: &Request) -> Vec<Bytes>;

    /// A decoder for one reply, streamed or whole: it sees which from the bytes,
    /// because servers answer the other way than they were asked.
    fn decoder(&self) -> Box<dyn Decoder>;

    /// Reads the list of models.
    ///
    /// # Errors
    /// When the body is no JSON, or no list of models in any known shape.
    fn parse_models(&self, body: &[u8]) -> Result<Vec<ModelEntry>, ModelError>;

    /// What an HTTP error means. The message is for people: it never holds a
    /// raw body.
    fn classify(&self, status: u16, retry_after: Option<Duration>, body: &[u8]) -> ModelError;
}

/// Reads one reply, in whatever pieces it comes. After an error nothing more
/// may be pushed.
pub trait Decoder: Send {
    /// Takes the next bytes and gives what can be told from them.
    ///
    /// # Errors
    /// When the server reports an error inside its reply, when the reply is not
    /// in the format, or when it is larger than any honest one.
    fn push(&mut self, bytes: &[u8], sink: &mut dyn FnMut(Delta)) -> Result<(), ModelError>;

    /// The body has ended. Gives the one [`Delta::Finished`].
    ///
    /// # Errors
    /// When the reply ended before its end; the error carries the partial message.
    fn finish(&mut self, sink: &mut dyn FnMut(Delta)) -> Result<(), ModelError>;

    /// The reply is whole and the caller may stop reading; `finish` must still
    /// be called.
    fn is_done(&self) -> bool;

    /// Grows with content only, never with comments or keep-alives: what a
    /// watchdog against silence counts.
    fn content_events(&self) -> u64;

    /// What has arrived so far: text, reasoning and whole calls, marked broken.
    fn partial(&self) -> Message;
}
