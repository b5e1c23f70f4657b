//! The one spelling of a content hash: SHA-256 in lower-case hex.

use sha2::{Digest, Sha256};
use std::fmt::Write as _;

#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// A hash that is fed piece by piece, for files that are not held whole.
#[derive(Debug, Default)]
pub struct Running(Sha256);

impl Running {
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    #[must_use]
    pub fn finish(self) -> String {
        hex(&self.0.finalize())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}
