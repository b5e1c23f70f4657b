//! Bytes over the network: a codec and an endpoint become a [`Model`].
//!
//! One attempt per request, and one more only where a refused key was renewed:
//! waiting and trying again belong to the engine, which knows whether a step may
//! be repeated. HTTP/1.1 only; a model
//! server answers one long stream per connection, where HTTP/2 would add size
//! and no speed.
//!
//! ```no_run
//! use std::sync::Arc;
//! use tenon_model::{Identity, ModelError, codec::Codec};
//! use tenon_transport::{Endpoint, HttpModel, NoCredential};
//!
//! fn connect(identity: Identity, codec: Arc<dyn Codec>) -> Result<HttpModel, ModelError> {
//!     let endpoint = Endpoint::new("llamacpp", "http://localhost:8080/v1");
//!     HttpModel::new(endpoint, identity, codec, Arc::new(NoCredential))
//! }
//! ```
//!
//! [`Model`]: tenon_model::Model

mod address;
mod aside;
mod client;
mod connecting;
mod credential;
mod endpoint;
mod failure;
mod forward;
mod proxy;
mod refusal;
mod request;
mod stream;
mod survey;
mod tls;
mod watchdog;

pub use aside::{Answer, get_json, post_json};
pub use credential::{
    Credential, CredentialError, CredentialSource, Fixed, FromEnvironment, NoCredential, Renewal,
    Secret,
};
pub use endpoint::Endpoint;
pub use forward::{Forward, Forwarded};
pub use proxy::ProxyChoice;
pub use request::HttpModel;
