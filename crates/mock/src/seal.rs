//! What a server gives along with reasoning so that it can recognise it: a
//! signature in one format, encrypted content in another.
//!
//! Made from the text, so that a validator can tell whether a client returned
//! reasoning as it came. No cryptography: nobody is kept out by it.

use crate::api::Api;

pub(crate) const SIGNATURE: &str = "mock-signature-";
pub(crate) const ENCRYPTED: &str = "mock-encrypted-";

pub(crate) fn make(api: Api, reasoning: &str) -> String {
    let prefix = match api {
        Api::Responses => ENCRYPTED,
        Api::Chat | Api::Messages => SIGNATURE,
    };
    format!("{prefix}{:016x}", fold(reasoning))
}

/// FNV-1a, because it is ten lines and the same on every machine.
fn fold(text: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    text.bytes().fold(start, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
