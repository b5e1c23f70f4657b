//! Whether a value looks as if it had been drawn by lot. Names, words, versions
//! and placeholders do not.

/// What people write where a secret would stand.
const PLACEHOLDERS: &[&str] = &[
    "example",
    "xxxx",
    "****",
    "....",
    "placeholder",
    "changeme",
    "change_me",
    "change-me",
    "redacted",
    "dummy",
    "your_",
    "your-",
    "sample",
    "secret_here",
    "key_here",
    "notreal",
    "insecure",
];

/// Whether a value stands for a secret without being one.
pub(super) fn is_placeholder(value: &str) -> bool {
    if value.starts_with(['$', '{', '<', '*', '[']) || value.contains("${") {
        return true;
    }
    if value
        .strip_prefix('%')
        .is_some_and(|rest| rest.starts_with(['s', 'd', 'v', '{', '(']))
    {
        return true;
    }
    let lower = value.to_ascii_lowercase();
    PLACEHOLDERS.iter().any(|word| lower.contains(word))
}

/// Letters and digits in one piece, as no word has them, if they are many.
const PIECE: usize = 20;
/// The same of one case and without a digit: the names of code have both cases.
const LONG_PIECE: usize = 24;
/// A name has a version or a size in it, a key has more.
const DIGITS: usize = 4;

/// Whether a value may stand for itself: not one letter over and over, and no
/// placeholder. A key that somebody made up by going through the alphabet opens
/// what it opens.
pub(super) fn is_own(value: &str) -> bool {
    let bytes = value.as_bytes();
    let mut seen = [false; 128];
    for byte in bytes {
        if let Some(seen) = seen.get_mut(usize::from(*byte)) {
            *seen = true;
        }
    }
    let distinct = seen.iter().filter(|seen| **seen).count();
    distinct >= (bytes.len() / 2).clamp(4, 8) && !is_placeholder(value)
}

/// Whether the characters vary as those of a key do: not the alphabet either.
pub(super) fn is_varied(value: &str) -> bool {
    steps(value.as_bytes()) * 2 < value.len() && is_own(value)
}

/// How many letters follow the one before them in the alphabet, or repeat it.
fn steps(bytes: &[u8]) -> usize {
    let next = |pair: &&[u8]| matches!(pair[1].wrapping_sub(pair[0]), 0 | 1);
    bytes.windows(2).filter(next).count()
}

/// Whether a value has a piece that is too long for a word, and no name either.
pub(super) fn is_in_one_piece(value: &str) -> bool {
    let mut pieces = value.split(|c: char| !c.is_ascii_alphanumeric());
    pieces.any(is_no_name) && is_own(value)
}

fn is_no_name(piece: &str) -> bool {
    let digits = piece.bytes().filter(u8::is_ascii_digit).count();
    let is_alphabet = || steps(piece.as_bytes()) * 2 >= piece.len();
    piece.len() >= PIECE
        && (digits >= DIGITS
            || (piece.len() >= LONG_PIECE && is_of_one_case(piece))
            || is_alphabet())
}

fn is_of_one_case(value: &str) -> bool {
    let of = |is_case: fn(&u8) -> bool| value.bytes().all(|b| b.is_ascii_digit() || is_case(&b));
    of(u8::is_ascii_lowercase) || of(u8::is_ascii_uppercase)
}

/// The same after a word of prose, where a name in capitals and small letters may
/// follow.
pub(super) fn is_one_long_piece(value: &str) -> bool {
    value.len() >= LONG_PIECE && is_of_one_case(value) && is_own(value)
}

/// Whether it is words with dashes in between: no lot draws them.
pub(super) fn is_in_words(value: &str) -> bool {
    let is_word = |word: &str| word.len() < PIECE && word.bytes().all(|b| b.is_ascii_lowercase());
    value.contains('-') && value.split(['-', '.']).all(is_word)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lower,
    Upper,
    Digit,
    Other,
}

fn kind(byte: u8) -> Kind {
    match byte {
        b'a'..=b'z' => Kind::Lower,
        b'A'..=b'Z' => Kind::Upper,
        b'0'..=b'9' => Kind::Digit,
        _ => Kind::Other,
    }
}

/// Whether a value looks drawn by lot: letters and digits that change places
/// often. Words change seldom, wherever they come from.
pub(super) fn is_random(value: &str) -> bool {
    if !is_varied(value) || is_uuid(value) {
        return false;
    }
    let kinds: Vec<Kind> = value.bytes().map(kind).collect();
    let has = |wanted: Kind| kinds.contains(&wanted);
    if !has(Kind::Digit) || !(has(Kind::Lower) || has(Kind::Upper)) {
        return false;
    }
    let changes = kinds
        .windows(2)
        .filter(|pair| pair[0] != pair[1] && pair[0] != Kind::Other && pair[1] != Kind::Other)
        .count();
    // In percent of the length: lower and upper case together change more often.
    let needed = if has(Kind::Lower) && has(Kind::Upper) {
        35
    } else {
        20
    };
    changes >= 3 && changes * 100 >= value.len() * needed
}

/// An id in the common form: not a secret, and too useful to lose.
pub(super) fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::{is_in_one_piece, is_in_words, is_one_long_piece, is_random, is_varied};

    #[test]
    fn keys_look_random_and_names_do_not() {
        for key in [
            "Sup3rS3cretV4lue",
            "3f786850e387550fdab836ed7e6dc881de23001b",
            "k3j9x0q2mz71ab4c8d5e",
            "zX9kQ2vB7nM4wE1rT6yU",
        ] {
            assert!(is_random(key), "{key}");
        }
        for name in [
            "my-app-tls-cert-2024",
            "auth_token_v2_prod_eu1",
            "oauth2SessionToken1",
            "123e4567-e89b-12d3-a456-426614174000",
            "2024-01-02T10:20:30Z",
            "x86_64-unknown-linux-gnu",
            "this.props.accessToken2",
            "aaaaaaaaaaaaaaaaaaaa1",
            "1234567890abcdefghij",
            "sk_your-key-1a2b3c4d5e",
        ] {
            assert!(!is_random(name), "{name}");
        }
    }

    #[test]
    fn the_alphabet_and_the_documented_examples_are_no_keys() {
        for text in [
            "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "IOSFODNN7EXAMPLE",
            "abcdefghijklmnopqrstuvwxyz0123456789",
            "0000000000000000000000000000000000000",
        ] {
            assert!(!is_varied(text), "{text}");
        }
    }

    #[test]
    fn after_a_prefix_the_alphabet_is_a_key_and_words_are_none() {
        assert!(is_in_one_piece("abcdefghijklmnopqrstuvwxyz"));
        assert!(is_one_long_piece("abcdefghijklmnopqrstuvwxyz"));
        for text in [
            "force-of-the-department-of-health-2",
            "xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "your-key-0123456789abcdef0123456789",
            "toggleableContentContainerWrapper",
            "hmacSha256AuthenticationProvider",
            "internationalization-strings",
        ] {
            assert!(!is_in_one_piece(text), "{text}");
        }
        for text in ["ABCDEFGHIJKLMabcdefghijklm", "abcdefghijklmnop0123"] {
            assert!(is_in_one_piece(text), "{text}");
        }
        assert!(!is_one_long_piece("AuthenticationSchemeProvider"));
        assert!(is_in_words("based-runners.and-more"));
        assert!(!is_in_words("abcdefghijklmnopqrstuvwxyz"));
        assert!(!is_in_words("ab-c1"));
    }
}
