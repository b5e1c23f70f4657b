//! One answer of a server, at once and in pieces: shared by the targets of the
//! three wire formats.

use tenon_model::codec::{Codec, Decoder};
use tenon_model::Delta;

/// What came of it, as text that can be compared.
fn read<'b>(mut decoder: Box<dyn Decoder>, pieces: impl Iterator<Item = &'b [u8]>) -> String {
    let mut deltas = Vec::new();
    let mut result = Ok(());
    for piece in pieces {
        result = decoder.push(piece, &mut |delta| deltas.push(delta));
        if result.is_err() {
            break;
        }
    }
    if result.is_ok() {
        result = decoder.finish(&mut |delta| deltas.push(delta));
    }
    let ends = deltas
        .iter()
        .filter(|delta| matches!(delta, Delta::Finished(_)))
        .count();
    assert_eq!(ends, usize::from(result.is_ok()), "one end, or one error");
    let error = result.err().map(|error| {
        format!(
            "{:?} {} {:?} {:?}",
            error.kind, error.message, error.hint, error.partial
        )
    });
    format!("{deltas:?} {error:?}")
}

/// The first byte says how large the pieces are, the rest is the answer.
pub fn check(codec: &dyn Codec, data: &[u8]) {
    let Some((&size, body)) = data.split_first() else {
        return;
    };
    let fresh = || codec.decoder();
    let whole = read(fresh(), std::iter::once(body));
    let size = usize::from(size).max(1);
    let cut = read(fresh(), body.chunks(size));
    assert_eq!(cut, whole, "pieces of {size} bytes");
    let _ = codec.parse_models(body);
    let _ = codec.classify(u16::from_le_bytes([data[0], 1]), None, body);
}
