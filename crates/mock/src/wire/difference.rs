//! Where two texts part, for the person who has to find out why.

/// Both texts around the first byte that differs.
pub(super) fn difference(before: &str, after: &str) -> String {
    let pairs = before.bytes().zip(after.bytes());
    let at = pairs.take_while(|(one, other)| one == other).count();
    format!(
        "at byte {at} it was {:?} and is {:?}.",
        around(before, at),
        around(after, at)
    )
}

fn around(text: &str, at: usize) -> &str {
    let from = text.floor_char_boundary(at.saturating_sub(20));
    let to = text.floor_char_boundary((at + 40).min(text.len()));
    &text[from..to]
}
