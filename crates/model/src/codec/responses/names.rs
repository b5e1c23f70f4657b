//! Ids and names as the format takes them. A call that came from another
//! provider, or that a model invented, must not fail every later request.

use std::borrow::Cow;

/// Longer ids and names are refused.
pub(super) const LONGEST: usize = 64;
/// What of an id stays readable when it must be made anew.
const KEPT: usize = 40;

fn is_plain(text: &str) -> bool {
    (1..=LONGEST).contains(&text.len()) && text.bytes().all(is_plain_byte)
}

fn is_plain_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn plain(text: &str, most: usize) -> String {
    text.chars()
        .take(most)
        .map(|character| match u8::try_from(character) {
            Ok(byte) if is_plain_byte(byte) => character,
            _ => '_',
        })
        .collect()
}

/// The id of a call: the same for the same text, and never that of another
/// call, because a result finds its call by it.
pub(super) fn call_id(id: &str) -> Cow<'_, str> {
    if is_plain(id) {
        return Cow::Borrowed(id);
    }
    Cow::Owned(format!("{}_{:016x}", plain(id, KEPT), fingerprint(id)))
}

/// The name of a tool that was called, or of what was taken for one.
pub(super) fn tool_name(name: &str) -> Cow<'_, str> {
    if is_plain(name) {
        return Cow::Borrowed(name);
    }
    match plain(name, LONGEST) {
        empty if empty.is_empty() => Cow::Borrowed("unknown"),
        plain => Cow::Owned(plain),
    }
}

/// Says that two texts differ; no protection against somebody who wants them
/// to look the same.
pub(super) fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, call_id, is_plain, tool_name};

    #[test]
    fn an_id_that_is_taken_stays_as_it_is() {
        for id in [
            "call_1",
            "toolu_01A-b",
            "fc_ZJ0HuhpV4QtXNzDlDnxsGOtfe2HZoyOE",
        ] {
            assert_eq!(call_id(id), id);
        }
    }

    #[test]
    fn long_or_strange_ids_are_made_anew_and_stay_different() {
        let long = "x".repeat(65);
        let longer = "x".repeat(66);
        let ids: Vec<_> = ["", "a b", "a_b ", "ä", "a:b", &long, &longer]
            .into_iter()
            .map(call_id)
            .collect();
        for (position, id) in ids.iter().enumerate() {
            assert!(is_plain(id), "{id}");
            assert!(!ids[..position].contains(id), "{id} twice");
        }
        assert_eq!(call_id(&long), call_id(&long));
    }

    #[test]
    fn an_invented_name_becomes_one_that_is_taken() {
        assert_eq!(tool_name("read"), "read");
        assert_eq!(tool_name("functions.read:0"), "functions_read_0");
        assert_eq!(tool_name(""), "unknown");
        assert_eq!(tool_name(&"n".repeat(200)).len(), LONGEST);
    }
}
