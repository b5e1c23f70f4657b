//! Any bytes as an answer in the format `responses`, in any pieces: the same result as
//! at once, or one error. `cargo +nightly fuzz run decode_responses`.

#![no_main]

mod pieces;

use libfuzzer_sys::fuzz_target;
use tenon_model::{Quirks, Responses, ResponsesOptions};

fuzz_target!(|data: &[u8]| {
    pieces::check(
        &Responses::new(Quirks::default(), "fuzz", ResponsesOptions::default()),
        data,
    );
});
