//! Any bytes as an answer in the format `messages`, in any pieces: the same result as
//! at once, or one error. `cargo +nightly fuzz run decode_messages`.

#![no_main]

mod pieces;

use libfuzzer_sys::fuzz_target;
use tenon_model::{Messages, Quirks};

fuzz_target!(|data: &[u8]| {
    pieces::check(&Messages::new(Quirks::default(), "fuzz"), data);
});
