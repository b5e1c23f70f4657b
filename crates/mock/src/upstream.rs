//! The way to a real server, given from outside: this crate links no TLS, and
//! whoever has a client already need not have a second one.

use std::fmt;
use std::pin::Pin;

use bytes::Bytes;
use hyper::{HeaderMap, Method, StatusCode};
use tokio::sync::mpsc;

/// One request, on its way to the real server.
#[derive(Debug)]
pub struct UpstreamRequest {
    pub method: Method,
    /// Scheme, host, path and query.
    pub url: String,
    /// As the client sent them, with its keys, but for those that belong to
    /// its own connection.
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// What came back, its body still arriving.
#[derive(Debug)]
pub struct UpstreamReply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// The pieces as they came over the network. It ends when the body does;
    /// an error is a body that broke off.
    pub body: mpsc::Receiver<UpstreamPiece>,
}

/// Why the real server could not be asked or heard, for the person who records.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct UpstreamError(pub String);

/// A piece of a body, or where it broke off.
pub type UpstreamPiece = Result<Bytes, UpstreamError>;

pub type UpstreamFuture =
    Pin<Box<dyn Future<Output = Result<UpstreamReply, UpstreamError>> + Send>>;

/// Sends requests to the real server. Implementations follow no redirects and
/// try nothing twice: a recording shows what happened.
pub trait Upstream: fmt::Debug + Send + Sync {
    fn send(&self, request: UpstreamRequest) -> UpstreamFuture;
}
