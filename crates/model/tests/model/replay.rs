//! Plays the transcripts of real servers to a decoder, in one piece and in
//! many, whatever format they are in.
//!
//! What is expected of each transcript stands beside it as JSON. After a wanted
//! change, write them anew with `TENON_UPDATE_SNAPSHOTS=1` and read the diff.

use crate::support::{Run, resume, transcript, wire_folder};
use serde_json::{Value, json};
use tenon_model::codec::Decoder;
use tenon_model::{Delta, ModelErrorKind};
use tenon_vocab::Status;

/// Every position is tried up to this size; above it event ends and a sample,
/// another one for each transcript.
const SMALL: usize = 5_500;

/// Each transcript gives what stands beside it; byte by byte and cut in two
/// anywhere it gives the same; ended anywhere it is finished or broken.
pub fn all<D: Decoder + Clone>(names: &[&str], new: impl Fn() -> D) {
    for name in names {
        let (_, body) = transcript(name);
        let whole = resume(new(), Vec::new(), [body.as_slice()]);
        compare(name, &snapshot(&whole));
        let whole = whole.comparable();
        let bytes = resume(new(), Vec::new(), body.chunks(1));
        assert_eq!(bytes.comparable(), whole, "{name} byte by byte");
        for_each_cut(&body, new(), |cut, decoder, deltas| {
            let run = resume(decoder.clone(), deltas.clone(), [&body[cut..]]);
            assert_eq!(run.comparable(), whole, "{name} cut at {cut}");
            let partial = decoder.partial();
            let run = resume(decoder, deltas, []);
            ends_well(&format!("{name} ended at {cut}"), &run, &partial.text());
        });
    }
}

fn snapshot(run: &Run) -> Value {
    match &run.result {
        Ok(finished) => json!({
            "stop": finished.stop,
            "usage": finished.usage,
            "repairs": finished.repairs,
            "parts": finished.message.parts,
        }),
        Err(error) => json!({
            "error": format!("{:?}", error.kind),
            "message": error.message,
        }),
    }
}

fn compare(name: &str, actual: &Value) {
    let path = wire_folder().join(format!("{name}.json"));
    if std::env::var_os("TENON_UPDATE_SNAPSHOTS").is_some() {
        let text = serde_json::to_string_pretty(actual).expect("JSON");
        std::fs::write(&path, text + "\n").expect("a writable folder");
    }
    let text = std::fs::read_to_string(&path).expect("an expectation beside the transcript");
    let expected: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(*actual, expected, "{name}");
}

fn ends_well(what: &str, run: &Run, before: &str) {
    let Err(error) = &run.result else { return };
    if error.kind != ModelErrorKind::Broken {
        // The last event of the body was the server's own error.
        assert!(error.message.starts_with("The server reported"), "{what}");
    }
    let carried = error.partial.as_deref().expect("a partial message");
    // The last event may be whole though its empty line is missing.
    assert!(carried.text().starts_with(before), "{what}");
    assert_eq!(carried.status, Status::Broken, "{what}");
}

/// Gives a decoder that has read the first `cut` bytes, for many cuts, up to
/// the event in which the server reports an error.
fn for_each_cut<D: Decoder + Clone>(
    body: &[u8],
    mut decoder: D,
    mut check: impl FnMut(usize, D, Vec<Delta>),
) {
    let mut seed = 0x2545_F491_4F6C_DD1D_u64 ^ (body.len() as u64).rotate_left(32);
    let mut inside = 0;
    let mut deltas = Vec::new();
    for cut in 0..=body.len() {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let boundary = body[..cut].ends_with(b"\n") || cut == body.len();
        let sampled = seed.is_multiple_of(40);
        inside += usize::from(sampled && !boundary);
        if body.len() <= SMALL || boundary || sampled {
            check(cut, decoder.clone(), deltas.clone());
        }
        if let Some(byte) = body.get(cut)
            && decoder
                .push(&[*byte], &mut |delta| deltas.push(delta))
                .is_err()
        {
            return;
        }
    }
    assert!(inside > 0 || body.len() <= SMALL, "cut within an event");
}
