//! Ids and names that come from elsewhere, made fit for this format: letters,
//! digits, `_` and `-`, at most 64 of them. The same text always gives the same
//! name, so a call and its result still meet, and no request differs from the
//! one before.

use std::borrow::Cow;

const LONGEST: usize = 64;
/// What of the original is kept in front of the hash.
const STEM: usize = 40;

/// The id of a call, as it is sent.
pub(super) fn id(raw: &str) -> Cow<'_, str> {
    fit(raw, "call")
}

/// The name of a tool, as it is sent.
pub(super) fn tool(raw: &str) -> Cow<'_, str> {
    fit(raw, "tool")
}

fn fit<'r>(raw: &'r str, nameless: &'static str) -> Cow<'r, str> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !raw.is_empty() && raw.len() <= LONGEST && raw.bytes().all(fits) {
        return Cow::Borrowed(raw);
    }
    let mut name: String = raw
        .chars()
        .take(STEM)
        .map(|letter| match u8::try_from(letter) {
            Ok(byte) if fits(byte) => letter,
            _ => '_',
        })
        .collect();
    if name.is_empty() {
        name.push_str(nameless);
    }
    name.push_str(&format!("_{:016x}", hash(raw)));
    Cow::Owned(name)
}

/// A number for a text. FNV-1a: the same on every machine and in every version, which the hasher of
/// the standard library does not promise.
pub(super) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, id, tool};
    use std::borrow::Cow;

    #[test]
    fn what_fits_is_left_alone() {
        let longest = "x".repeat(LONGEST);
        for text in ["toolu_01Ab-9", "a", longest.as_str()] {
            assert!(matches!(id(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn what_does_not_fit_gets_a_name_of_its_own() {
        let long = "x".repeat(65);
        let longer = "x".repeat(66);
        let given = ["", "a b", "a.b", "a/b", "ä", "a\u{0}b", &long, &longer];
        let mut made: Vec<String> = given.iter().map(|text| id(text).into_owned()).collect();
        for name in &made {
            assert!(name.len() <= LONGEST, "{name}");
            assert!(matches!(id(name), Cow::Borrowed(_)), "{name}");
        }
        made.sort();
        made.dedup();
        assert_eq!(made.len(), given.len());
        assert_eq!(id("a.b"), id("a.b"));
        assert!(tool("").starts_with("tool_"));
    }
}
