//! Passwords in addresses: `postgres://user:PASSWORD@host/db`. Only the password
//! is masked; the rest says which server is meant.

use super::random::is_placeholder;
use super::sight::{Sight, Verdict};

/// No user, password and host together are longer.
const MOST: usize = 400;

/// What examples have for a password.
const WEAK: &[&str] = &[
    "password",
    "passwd",
    "passwort",
    "pass",
    "secret",
    "token",
    "user",
    "username",
    "root",
    "admin",
    "postgres",
    "mysql",
    "guest",
    "test",
    "changeme",
    "credentials",
    "yourpassword",
    "mypassword",
    "userpass",
    "port",
];

pub(super) fn judge(sight: Sight<'_>) -> Verdict {
    if !sight
        .before(sight.start, 1)
        .is_some_and(|byte| byte.is_ascii_alphanumeric())
    {
        return Verdict::No;
    }
    // Nor past a sign by which a shell begins another command: an address must
    // not hide one.
    let end = sight.run(sight.end, MOST + 1, |byte| {
        byte.is_ascii_graphic() && !b"/?#\"'<>`\\;&|()".contains(&byte)
    });
    if end - sight.end > MOST {
        return Verdict::No;
    }
    if sight.is_open_at(end) {
        return Verdict::More { hold: sight.end };
    }
    let authority = sight.slice(sight.end, end);
    let Some((login, host)) = authority.rsplit_once('@') else {
        return Verdict::No;
    };
    let Some((user, password)) = login.split_once(':') else {
        return Verdict::No;
    };
    if host.is_empty() || host.starts_with("sha256:") || !is_password(user, password) {
        return Verdict::No;
    }
    let from = sight.end + user.len() + 1;
    Verdict::Mask {
        from,
        to: from + password.len(),
        name: "url-password",
    }
}

fn is_password(user: &str, password: &str) -> bool {
    password.len() >= 4
        && !password.eq_ignore_ascii_case(user)
        && !is_placeholder(password)
        && !WEAK.iter().any(|weak| password.eq_ignore_ascii_case(weak))
}
