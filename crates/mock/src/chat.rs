//! An answer in the chat format.

pub(crate) mod stream;
pub(crate) mod whole;
