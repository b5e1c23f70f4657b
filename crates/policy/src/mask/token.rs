//! Secrets that say by their first letters what they are: a prefix and a run of
//! letters, of a known alphabet and length.

use super::random::{is_in_one_piece, is_own, is_random, is_varied};
use super::sight::{Sight, Verdict};
use super::table::{Alphabet, Cover, Look, Token};

/// A signed token may carry many claims.
const JWT_BYTES: usize = 8 * 1024;

impl Alphabet {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::UrlSafe => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='),
            Self::Path => byte.is_ascii_alphanumeric() || byte == b'/',
        }
    }
}

/// Judges the candidate whose prefix the sight is set on.
pub(super) fn judge(sight: Sight<'_>, token: &Token) -> Verdict {
    if sight.slice(sight.start, sight.end) != token.prefix {
        return Verdict::No;
    }
    let anywhere = token.cover == Cover::Rest;
    let after_dash = sight.before(sight.start, 1) == Some(b'-') && !token.alphabet.has(b'-');
    if !anywhere && !after_dash && !sight.begins_word(sight.start) {
        return Verdict::No;
    }
    let end = sight.run(sight.end, token.most + 1, |byte| token.alphabet.has(byte));
    let length = end - sight.end;
    if length > token.most {
        return Verdict::No;
    }
    if sight.is_open_at(end) {
        return Verdict::More { hold: sight.start };
    }
    let body = sight.slice(sight.end, end).trim_end_matches('.');
    let fits = match token.look {
        Look::Own => is_own(body),
        Look::Random => is_random(body) || is_in_one_piece(body),
    };
    if body.len() < token.least || !fits {
        return Verdict::No;
    }
    Verdict::Mask {
        from: if anywhere { sight.end } else { sight.start },
        to: sight.end + body.len(),
        name: token.name,
    }
}

/// A signed JSON web token: header, claims, signature.
pub(super) fn jwt(sight: Sight<'_>) -> Verdict {
    if sight.slice(sight.start, sight.end) != "eyJ" || !sight.begins_word(sight.start) {
        return Verdict::No;
    }
    let limit = sight.start + JWT_BYTES;
    let mut at = sight.start;
    for (part, least) in [(0, 12), (1, 8), (2, 16)] {
        let room = limit.saturating_sub(at) + 1;
        let end = sight.run(at, room, |byte| Alphabet::UrlSafe.has(byte));
        if end > limit {
            return Verdict::No;
        }
        if sight.is_open_at(end) {
            return Verdict::More { hold: sight.start };
        }
        if end - at < least || (part == 1 && !sight.slice(at, end).starts_with("eyJ")) {
            return Verdict::No;
        }
        if part == 2 {
            return Verdict::Mask {
                from: sight.start,
                to: end,
                name: "jwt",
            };
        }
        if sight.at(end) != Some(b'.') {
            return Verdict::No;
        }
        at = end + 1;
    }
    Verdict::No
}

/// A bot's token of Telegram: its number, a colon, and the secret, which alone is
/// masked.
pub(super) fn telegram(sight: Sight<'_>) -> Verdict {
    if sight.slice(sight.start, sight.end) != ":AA" {
        return Verdict::No;
    }
    let head = sight.bytes().get(..sight.start).unwrap_or_default();
    let digits = head
        .iter()
        .rev()
        .take(12)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    if !(8..=11).contains(&digits) {
        return Verdict::No;
    }
    let from = sight.start + 1;
    let end = sight.run(from, 36, |byte| Alphabet::UrlSafe.has(byte));
    if end - from > 35 {
        return Verdict::No;
    }
    if sight.is_open_at(end) {
        return Verdict::More { hold: sight.start };
    }
    if end - from != 35 || !is_varied(sight.slice(from, end)) {
        return Verdict::No;
    }
    Verdict::Mask {
        from,
        to: end,
        name: "telegram-token",
    }
}
