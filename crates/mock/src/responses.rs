//! An answer in the Responses format, in the event shapes of its owner.

mod item;
pub(crate) mod stream;
pub(crate) mod whole;
