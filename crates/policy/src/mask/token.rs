//! Secrets that say by their first letters what they are: a prefix and a run of
//! letters, of a known alphabet and length.

use super::random::{is_in_one_piece, is_in_words, is_own, is_random, is_varied};
use super::sight::{Sight, Verdict};
use super::table::{Alphabet, Cover, Look, Token};

/// A signed token may carry many claims.
const JWT_BYTES: usize = 8 * 1024;
/// How far back another beginning is looked for; less than what is kept behind.
const NEAR: usize = 200;

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
    if is_within(sight, token) {
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
        Look::Own => is_own(body) && !is_in_words(body),
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

/// Whether the same kind began shortly before, in the same run of letters: then
/// this run was judged, and must not be gone through at each of its beginnings.
fn is_within(sight: Sight<'_>, token: &Token) -> bool {
    let is_of_it = |byte: &u8| token.alphabet.has(*byte);
    if !sight.before(sight.start, 1).is_some_and(|b| is_of_it(&b)) {
        return false;
    }
    let from = sight.start.saturating_sub(NEAR);
    let head = sight.look(from, sight.start);
    let prefix = token.prefix.as_bytes();
    head.windows(prefix.len())
        .rposition(|window| window == prefix)
        .is_some_and(|at| head[at..].iter().all(is_of_it))
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

#[cfg(test)]
mod tests {
    use crate::Masker;
    use crate::mask::sight::count::looked;

    /// Times that a byte is looked at. A run that is too long is gone through from
    /// each beginning in it that is not near another one.
    const OFTEN: usize = 32;

    fn hostile(length: usize) -> Vec<String> {
        let spread = format!("ya29.{}.", "a".repeat(210));
        ["ya29.", ".ya29.", "glpat-.", "SG.", ".eyJ", "hvs.", "sk-"]
            .map(String::from)
            .into_iter()
            .chain([spread])
            .map(|piece| piece.repeat(length / piece.len()))
            .collect()
    }

    #[test]
    fn no_text_is_gone_through_from_each_of_its_beginnings() {
        for text in hostile(100_000) {
            let before = looked();
            assert_eq!(Masker::standard().mask(&text), text);
            let work = looked() - before;
            assert!(work <= text.len() * OFTEN, "{}: {work}", &text[..8]);
        }
    }

    #[test]
    fn what_comes_byte_by_byte_is_not_gone_through_at_each_byte() {
        for text in hostile(10_000) {
            let mut stream = Masker::standard().stream();
            let before = looked();
            let mut out = String::new();
            for at in 0..text.len() {
                out.push_str(&stream.push(&text[at..=at]));
            }
            out.push_str(&stream.finish());
            let work = looked() - before;
            assert_eq!(out, text);
            assert!(work <= text.len() * OFTEN, "{}: {work}", &text[..8]);
        }
    }
}
