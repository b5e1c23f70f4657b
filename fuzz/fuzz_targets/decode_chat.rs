//! Any bytes as an answer in the format `chat`, in any pieces: the same result as
//! at once, or one error. `cargo +nightly fuzz run decode_chat`.

#![no_main]

mod pieces;

use libfuzzer_sys::fuzz_target;
use tenon_model::{Chat, Quirks};

fuzz_target!(|data: &[u8]| {
    pieces::check(&Chat::new(Quirks::default()), data);
});
