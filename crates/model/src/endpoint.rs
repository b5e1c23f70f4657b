//! What a server wants, how near it is and how patient to be with it: words that
//! the configuration writes and the transport obeys.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

/// Where the credential goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Auth {
    None,
    /// `Authorization: Bearer KEY`
    Bearer,
    /// The key as it is, in a header of this name: `api-key`.
    Header(String),
}

/// Whether the server's certificate is checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Verify {
    #[default]
    Full,
    Insecure,
}

/// How long a server may take before its first content arrives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FirstToken {
    /// No limit on private addresses, where a long prompt is read slowly and a
    /// request that is given up is begun again from nothing; 300 s elsewhere.
    #[default]
    Auto,
    Never,
    After(Duration),
}

/// The limits of P17. There is none on a whole request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeouts {
    pub connect: Duration,
    pub first_token: FirstToken,
    /// How long a stream that has begun may bring no content. Keep-alives are
    /// no content.
    pub silence: Option<Duration>,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_token: FirstToken::Auto,
            silence: Some(Duration::from_secs(120)),
        }
    }
}

/// Whether a host is on this machine or in this network: loopback, RFC 1918,
/// link-local, unique local, `localhost`, `*.local`, and names without a dot.
///
/// Decides about patience, proxies and prices: one answer for all of them. It
/// looks at the name only and asks no DNS, so it must not be used to prove that
/// a request stays inside.
#[must_use]
pub fn is_private(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = bare.parse::<IpAddr>() {
        return is_private_address(address);
    }
    let name = bare.trim_end_matches('.').to_ascii_lowercase();
    let is_name = |c: char| !c.is_whitespace() && !c.is_control() && !"/?#@:[]\\".contains(c);
    if name.is_empty() || !name.chars().all(is_name) {
        return false;
    }
    // `0x7f.1` and `134744072` are addresses too, for whoever connects to them.
    if let Some(address) = numeric(&name) {
        return is_private_v4(address);
    }
    !name.contains('.') || name.ends_with(".local") || name.ends_with(".localhost")
}

fn is_private_address(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_private_v4(v4),
        IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
            Some(v4) => is_private_v4(v4),
            None => is_private_v6(v6),
        },
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    // 0.0.0.0 is what servers print that listen everywhere; to connect to it
    // means this machine.
    address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_unspecified()
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    address.is_loopback()
        || address.is_unicast_link_local()
        || address.is_unique_local()
        || address.is_unspecified()
}

/// An IPv4 address in its old forms: up to four numbers, decimal, octal or
/// hexadecimal, of which the last one fills what the others leave.
fn numeric(name: &str) -> Option<Ipv4Addr> {
    let parts: Vec<&str> = name.split('.').collect();
    let (last, first) = parts.split_last()?;
    if first.len() > 3 {
        return None;
    }
    let mut address: u64 = 0;
    for part in first {
        address = (address << 8) | number(part).filter(|byte| *byte < 256)?;
    }
    let bits = 8 * (4 - first.len());
    let rest = number(last).filter(|rest| *rest < 1 << bits)?;
    u32::try_from((address << bits) | rest)
        .ok()
        .map(Ipv4Addr::from)
}

fn number(text: &str) -> Option<u64> {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some("") => return Some(0),
        Some(digits) => (digits, 16),
        None if text.len() > 1 && text.starts_with('0') => (&text[1..], 8),
        None => (text, 10),
    };
    // `from_str_radix` takes a sign.
    let plain = digits.chars().all(|c| c.is_ascii_hexdigit());
    u64::from_str_radix(digits, radix).ok().filter(|_| plain)
}

#[cfg(test)]
mod tests {
    use super::is_private;

    #[test]
    fn knows_the_private_hosts() {
        for host in [
            "localhost",
            "LOCALHOST",
            "localhost.",
            "api.localhost",
            "127.0.0.1",
            "127.8.9.1",
            "0x7f.1",
            "0X7F000001",
            "2130706433",
            "0177.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.42",
            "169.254.3.4",
            "0.0.0.0",
            "::1",
            "[::1]",
            "fe80::1",
            "fd12:3456::1",
            "::ffff:10.0.0.1",
            "[::ffff:127.0.0.1]",
            "gpu-box",
            "printer.local",
        ] {
            assert!(is_private(host), "{host}");
        }
    }

    #[test]
    fn knows_the_public_hosts() {
        for host in [
            "api.openai.com",
            "8.8.8.8",
            "134744072",
            "172.32.0.1",
            "192.169.0.1",
            "2001:db8::1",
            "::ffff:8.8.8.8",
            "local.example.com",
            "notlocalhost.com",
            "",
            "1.2.3.4.5",
            "256.1.1.1.",
            "a/b",
            " ",
            "a b",
        ] {
            assert!(!is_private(host), "{host}");
        }
    }
}
