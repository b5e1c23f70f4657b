//! Keys and logins that the program itself keeps or finds: keys saved by
//! `tenon auth login`, and the login of Codex. Variables and commands that give
//! a key are `provider`'s. A key leaves this module only as a [`Secret`].
//!
//! [`Secret`]: tenon_transport::Secret

pub mod codex;
pub mod desktop;
pub mod keys;
mod stored;

pub use stored::{lookup, or_stored};

use std::net::IpAddr;

/// Whether a token may travel to this address: encrypted, or not leaving this
/// machine.
pub fn is_safe(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once("://") else {
        return false;
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.is_empty() || authority.contains(['@', '\\']) {
        return false;
    }
    match scheme.to_ascii_lowercase().as_str() {
        "https" => true,
        "http" => is_loopback(authority),
        _ => false,
    }
}

/// Names are not looked up: `localhost` is the only one that is believed.
fn is_loopback(authority: &str) -> bool {
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    host.eq_ignore_ascii_case("localhost")
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::is_safe;

    #[test]
    fn a_token_travels_encrypted_or_stays_on_this_machine() {
        for fine in [
            "https://auth.openai.com/oauth/token",
            "http://127.0.0.1:8080/oauth/token",
            "http://localhost/x",
            "http://[::1]:9/x",
        ] {
            assert!(is_safe(fine), "{fine}");
        }
        for not in [
            "http://auth.openai.com/oauth/token",
            "http://192.168.1.2/x",
            "http://localhost.example.com/x",
            "http://127.0.0.1@evil.example/x",
            "http://evil.example\\@127.0.0.1/",
            "ftp://127.0.0.1/x",
            "https://",
            "auth.openai.com",
            "",
        ] {
            assert!(!is_safe(not), "{not}");
        }
    }
}
