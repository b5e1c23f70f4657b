//! Secrets that only their name betrays: `password = …`, `"api_key": "…"`,
//! `--token …`, `Authorization: Bearer …`, a line of `.netrc`.
//!
//! A name alone is no proof. The value must look drawn by lot, so that
//! `password = get_password()`, `token: str` and `secret: changeme` stay.

use super::MARKER;
use super::random::{is_one_long_piece, is_placeholder, is_random, is_uuid};
use super::sight::{Sight, Verdict, is_word};
use super::table::{Keyword, Secret};
use super::value;

const SPACES: usize = 32;
const MOST: usize = 4096;
/// What base64 may end with.
const PADDING: usize = 2;
/// How far back the circumstances of a name are looked at.
pub(super) const BACK: usize = 200;
const NAME: usize = 40;
/// How far before `Bearer` its header is named.
const HEADER: usize = 40;

/// Names of tokens that open nothing: they turn a page.
const PAGES: &[&str] = &["page", "next", "continuation", "sync", "cursor", "resume"];

/// How the value is set apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    Bare,
    /// Up to the next space: an argument, a field of `.netrc`.
    Argument,
    By(u8),
    /// As inside a JSON string: `\"`.
    Escaped(u8),
}

/// Where a value begins, or why that cannot be said.
enum Found {
    Value { from: usize, quote: Quote },
    Verdict(Verdict),
}

pub(super) fn judge(sight: Sight<'_>, keyword: &Keyword) -> Verdict {
    if is_in_marker(sight) {
        return Verdict::No;
    }
    let found = match keyword.value {
        Secret::Bearer | Secret::Basic => after_scheme(sight),
        Secret::Random(_) | Secret::Docker => after_name(sight, keyword),
    };
    match found {
        Found::Verdict(verdict) => verdict,
        Found::Value { from, quote } => judge_value(sight, keyword, from, quote),
    }
}

/// `Bearer VALUE`: spaces and nothing else in between.
fn after_scheme(sight: Sight<'_>) -> Found {
    let from = sight.run(sight.end, SPACES, |byte| byte == b' ');
    if sight.is_open_at(from) {
        return Found::Verdict(Verdict::More { hold: from });
    }
    if from == sight.end || !sight.begins_word(sight.start) {
        return Found::Verdict(Verdict::No);
    }
    Found::Value {
        from,
        quote: Quote::Bare,
    }
}

/// `NAME = VALUE` in its many spellings.
fn after_name(sight: Sight<'_>, keyword: &Keyword) -> Found {
    let more = |hold| Found::Verdict(Verdict::More { hold });
    if sight.at(sight.end).is_some_and(|b| is_word(b) || b == b'-') {
        return Found::Verdict(Verdict::No);
    }
    let closed = sight.run(sight.end, 3, |byte| {
        matches!(byte, b'\\' | b'"' | b'\'' | b'`' | b']')
    });
    let mut at = sight.run(closed, SPACES, is_space);
    if sight.is_open_at(at) {
        return more(at);
    }
    // `<password>VALUE</password>`
    if closed == sight.end && sight.at(closed) == Some(b'>') && opens_element(sight) {
        return Found::Value {
            from: closed + 1,
            quote: Quote::By(b'<'),
        };
    }
    if at > closed && closed == sight.end && is_scheme(sight, keyword) {
        return Found::Value {
            from: at,
            quote: Quote::Bare,
        };
    }
    match (sight.at(at), sight.at(at + 1)) {
        (Some(b':'), Some(b':')) => return Found::Verdict(Verdict::No),
        (Some(b'=' | b':'), Some(b'=' | b'>')) => at += 2,
        (Some(b'=' | b':'), _) => at += 1,
        _ if at > closed && closed == sight.end && (is_flag(sight) || is_netrc(sight, keyword)) => {
            return Found::Value {
                from: at,
                quote: Quote::Argument,
            };
        }
        _ => return Found::Verdict(Verdict::No),
    }
    let at = sight.run(at, SPACES, is_space);
    open_quote(sight, at)
}

/// Whether the name is that of an element: `<` and nothing else before it.
fn opens_element(sight: Sight<'_>) -> bool {
    let before = sight.start - name_before(sight).len();
    sight.before(before, 1) == Some(b'<')
}

/// `Authorization: token VALUE`, as some servers have it.
fn is_scheme(sight: Sight<'_>, keyword: &Keyword) -> bool {
    const NAME: &[u8] = b"authorization";
    if keyword.word != "token" || !name_before(sight).is_empty() {
        return false;
    }
    let head = sight.look(sight.start.saturating_sub(HEADER), sight.start);
    let signs = head
        .iter()
        .rev()
        .take_while(|byte| b": \"'\\=,".contains(byte))
        .count();
    let name = head.get(..head.len() - signs).unwrap_or_default();
    let begins = name.len().saturating_sub(NAME.len());
    signs > 0 && name[begins..].eq_ignore_ascii_case(NAME)
}

/// Where the value begins behind a quote, if there is one. A letter may stand
/// before it, as in `b"…"`.
fn open_quote(sight: Sight<'_>, at: usize) -> Found {
    let is_quote = |byte: Option<u8>| byte.filter(|b| matches!(b, b'"' | b'\'' | b'`'));
    if sight.is_open_at(at) {
        return Found::Verdict(Verdict::More { hold: at });
    }
    if let Some(quote) = is_quote(sight.at(at)) {
        return Found::Value {
            from: at + 1,
            quote: Quote::By(quote),
        };
    }
    match sight.at(at) {
        Some(b'\\' | b'b' | b'r' | b'f' | b'u') if sight.is_open_at(at + 1) => {
            Found::Verdict(Verdict::More { hold: at })
        }
        Some(b'\\') => match is_quote(sight.at(at + 1)) {
            Some(quote) => Found::Value {
                from: at + 2,
                quote: Quote::Escaped(quote),
            },
            None => Found::Verdict(Verdict::No),
        },
        Some(b'b' | b'r' | b'f' | b'u') => match is_quote(sight.at(at + 1)) {
            Some(quote) => Found::Value {
                from: at + 2,
                quote: Quote::By(quote),
            },
            None => Found::Value {
                from: at,
                quote: Quote::Bare,
            },
        },
        _ => Found::Value {
            from: at,
            quote: Quote::Bare,
        },
    }
}

fn judge_value(sight: Sight<'_>, keyword: &Keyword, from: usize, quote: Quote) -> Verdict {
    let mut end = sight.run(from, MOST + 1, |byte| match quote {
        Quote::Bare => is_bare(byte),
        Quote::Argument => byte.is_ascii_graphic(),
        Quote::By(quote) | Quote::Escaped(quote) => {
            byte.is_ascii_graphic() && byte != quote && byte != b'\\'
        }
    });
    if end - from > MOST {
        return Verdict::No;
    }
    if quote == Quote::Bare {
        end = sight.run(end, PADDING, |byte| byte == b'=');
    }
    // One byte more: an escaped quote is two, and so is the `::` of a path in code.
    let two = quote_is_escaped(quote) || sight.at(end) == Some(b':');
    if sight.is_open_at(end) || (two && sight.is_open_at(end + 1)) {
        return Verdict::More { hold: from };
    }
    let after = (sight.at(end), sight.at(end + 1));
    let ends_well = match quote {
        Quote::Argument => true,
        // What goes on like this is code, not a value.
        Quote::Bare => {
            !matches!(after.0, Some(b'(' | b'[' | b'{' | b'<')) && after != (Some(b':'), Some(b':'))
        }
        Quote::By(quote) => after.0 == Some(quote),
        Quote::Escaped(quote) => after == (Some(b'\\'), Some(quote)),
    };
    if !ends_well {
        return Verdict::No;
    }
    if let Some(verdict) = value::known(sight, from) {
        return verdict;
    }
    let text = sight.slice(from, end);
    let text = match quote {
        Quote::Bare => text.trim_end_matches(['.', '!', '?', '*']),
        _ => text,
    };
    match secret(sight, keyword, text, quote) {
        Some(name) => Verdict::Mask {
            from,
            to: from + text.len(),
            name,
        },
        None => Verdict::No,
    }
}

fn quote_is_escaped(quote: Quote) -> bool {
    matches!(quote, Quote::Escaped(_))
}

/// The name under which a value is masked; `None` when it is none of a secret.
fn secret(sight: Sight<'_>, keyword: &Keyword, text: &str, quote: Quote) -> Option<&'static str> {
    if quote == Quote::Argument && is_netrc(sight, keyword) {
        return (text.len() >= 4 && !is_placeholder(text)).then_some("netrc-password");
    }
    if text.contains("::") {
        return None;
    }
    if keyword.value == Secret::Docker && quote == Quote::Bare {
        return None;
    }
    if keyword.value == Secret::Bearer && is_one_long_piece(text) && is_in_header(sight, text) {
        return Some(keyword.name);
    }
    fits(keyword, name_before(sight), text)
}

/// Whether `Bearer` and a run of letters are those of a header, and not of prose:
/// the header is named, or a quote begins with them, or a digit is among them.
fn is_in_header(sight: Sight<'_>, value: &str) -> bool {
    const NAME: &[u8] = b"authorization";
    if value.bytes().any(|byte| byte.is_ascii_digit()) {
        return true;
    }
    if matches!(sight.before(sight.start, 1), Some(b'"' | b'\'' | b'`')) {
        return true;
    }
    let from = sight.start.saturating_sub(HEADER);
    let head = sight.look(from, sight.start);
    head.windows(NAME.len())
        .any(|window| window.eq_ignore_ascii_case(NAME))
}

/// Whether a value is a secret of this keyword, whose name began with `before`.
pub(super) fn fits(keyword: &Keyword, before: &str, value: &str) -> Option<&'static str> {
    let before = before.to_ascii_lowercase();
    let random = |least: usize| value.len() >= least && is_random(value);
    match keyword.value {
        // Some servers give out ids for secrets of a client.
        Secret::Random(_) if is_uuid(value) && names_client(keyword, &before) => Some(keyword.name),
        Secret::Random(least) => {
            if !random(least) {
                return None;
            }
            if keyword.word == "token" && PAGES.iter().any(|page| before.contains(page)) {
                return None;
            }
            Some(match keyword.name {
                "access-key" if before.ends_with("secret") || before.ends_with("secret_") => {
                    "aws-secret-key"
                }
                "access-key" if before.ends_with("shared") => "azure-key",
                name => name,
            })
        }
        Secret::Bearer => random(16).then_some(keyword.name),
        Secret::Basic | Secret::Docker => is_basic(value).then_some(keyword.name),
    }
}

/// `client_secret`, `CLIENT-SECRET`, `clientSecret`
fn names_client(keyword: &Keyword, before: &str) -> bool {
    keyword.word == "secret" && before.trim_end_matches(['_', '-']).ends_with("client")
}

/// `user:password` in base64.
fn is_basic(value: &str) -> bool {
    value.len() >= 8
        && decode(value).is_some_and(|text| {
            text.contains(&b':') && text.iter().all(|byte| (b' '..=b'~').contains(byte))
        })
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(text.len());
    let (mut bits, mut held) = (0_u32, 0_u32);
    for byte in text.bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from((bits >> held) & 0xff).ok()?);
        }
    }
    Some(bytes)
}

/// What stands of the name before the keyword: `DB_` of `DB_PASSWORD`.
fn name_before(sight: Sight<'_>) -> &str {
    let head = sight.bytes().get(..sight.start).unwrap_or_default();
    let length = head
        .iter()
        .rev()
        .take(NAME)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        .count();
    sight.slice(sight.start - length, sight.start)
}

/// `token]` of a marker is no name.
fn is_in_marker(sight: Sight<'_>) -> bool {
    let from = sight.start - name_before(sight).len();
    sight
        .bytes()
        .get(..from)
        .is_some_and(|head| head.ends_with(MARKER.as_bytes()))
}

/// `--db-password VALUE`
fn is_flag(sight: Sight<'_>) -> bool {
    name_before(sight).starts_with("--")
}

/// `machine HOST login NAME password VALUE`, on one line or on several, with the
/// numbers of the lines before them or not.
fn is_netrc(sight: Sight<'_>, keyword: &Keyword) -> bool {
    if keyword.word != "password" {
        return false;
    }
    let from = sight
        .text
        .ceil_char_boundary(sight.start.saturating_sub(BACK));
    let words: Vec<&str> = sight
        .slice(from, sight.start)
        .split_ascii_whitespace()
        .map(|word| word.rsplit(['\u{2192}', ':', '|']).next().unwrap_or(word))
        .collect();
    let login = words.iter().rposition(|word| *word == "login");
    let machine = words
        .iter()
        .rposition(|word| matches!(*word, "machine" | "default"));
    match (machine, login) {
        (Some(machine), Some(login)) => {
            machine < login && login - machine <= 4 && words.len() - login <= 3
        }
        _ => false,
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Without the signs that set a value apart from its name: a line of names and
/// values is gone through once, however long it is.
fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-+/.~!@%^*$#".contains(&byte)
}
