//! Credentials of a request as people write them: `curl -u user:password`, and
//! the values of cookies.

use super::random::{is_placeholder, is_random};
use super::sight::{Sight, Verdict};

pub(super) const SHORT: &str = " -u";
pub(super) const LONG: &str = " --user";
pub(super) const COOKIE: &str = "cookie:";

/// How far back the program is named.
const BACK: usize = 200;
const MOST: usize = 256;
/// The cookies of one request.
const COOKIES: usize = 2048;
/// The least value of a cookie that may be a session's.
const LEAST: usize = 16;

/// `curl … -u USER:PASSWORD`: the password alone is masked.
pub(super) fn user(sight: Sight<'_>) -> Verdict {
    let rest = sight.at(sight.end);
    let is_long = sight.end - sight.start == LONG.len();
    if is_long && !matches!(rest, Some(b' ' | b'=') | None) {
        return Verdict::No;
    }
    let head = sight.look(sight.start.saturating_sub(BACK), sight.start);
    let line = head
        .rsplit(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let names = |name: &[u8]| line.windows(name.len()).any(|window| window == name);
    if !(names(b"curl") || names(b"wget") || names(b"http")) {
        return Verdict::No;
    }
    let from = sight.run(sight.end, 4, |byte| b" =\"'\\".contains(&byte));
    let end = sight.run(from, MOST + 1, |byte| {
        byte.is_ascii_graphic() && !b"\"'\\`;&|()<>".contains(&byte)
    });
    if sight.is_open_at(end) {
        return Verdict::More { hold: sight.end };
    }
    if end - from > MOST {
        return Verdict::No;
    }
    let Some((user, password)) = sight.slice(from, end).split_once(':') else {
        return Verdict::No;
    };
    let is_plain = password.len() < 4
        || is_placeholder(password)
        || password.starts_with("//")
        || password.eq_ignore_ascii_case(user)
        || password.eq_ignore_ascii_case("password");
    if is_plain {
        return Verdict::No;
    }
    Verdict::Mask {
        from: from + user.len() + 1,
        to: end,
        name: "basic-auth",
    }
}

/// `Cookie: a=VALUE; b=VALUE`: all of it, where one of them may be a session's.
pub(super) fn cookie(sight: Sight<'_>) -> Verdict {
    if !matches!(
        sight.before(sight.start, 1),
        Some(b'-' | b' ' | b'"' | b'\'' | b'\n') | None
    ) {
        return Verdict::No;
    }
    let from = sight.run(sight.end, 8, |byte| byte == b' ');
    let end = sight.run(from, COOKIES + 1, |byte| {
        (byte.is_ascii_graphic() || byte == b' ') && !b"\"'\\`<>|&()".contains(&byte)
    });
    if sight.is_open_at(end) {
        return Verdict::More { hold: from };
    }
    let text = sight.slice(from, end).trim_end();
    let mut pairs = text.split(';').filter_map(|pair| pair.split_once('='));
    let is_session = |value: &str| value.len() >= LEAST && is_random(value);
    if end - from > COOKIES || !pairs.any(|(_, value)| is_session(value.trim())) {
        return Verdict::No;
    }
    Verdict::Mask {
        from,
        to: from + text.len(),
        name: "cookie",
    }
}
