//! Speaks to models without the network: requests become bytes and bytes
//! become deltas. Sans-I/O, so that every captured byte stream is a test.

mod contract;
mod retry;

pub use contract::{
    Delivery, Delta, DeltaStream, Entry, Finished, Identity, Model, ModelEntry, ModelError,
    ModelErrorKind, Parameters, Prefix, Request,
};
pub use retry::RetryPlan;
