//! The address of a server as people type it: `localhost:8080` is enough.

/// The whole address that is meant; `None` where it is none. A server that is
/// named without a path has its models below `/v1`.
pub fn complete(typed: &str) -> Option<String> {
    let url = with_scheme(typed)?;
    let (scheme, rest) = url.split_once("://")?;
    match rest.split_once('/') {
        Some((_, path)) if !path.is_empty() => Some(url),
        Some((host, _)) => Some(format!("{scheme}://{host}/v1")),
        None => Some(format!("{scheme}://{rest}/v1")),
    }
}

/// The same without a path of our own: a service may have any.
pub fn with_scheme(typed: &str) -> Option<String> {
    let typed = typed.trim();
    if let Some((scheme, rest)) = typed.split_once("://") {
        let known = ["http", "https"]
            .iter()
            .any(|known| scheme.eq_ignore_ascii_case(known));
        let whole = !rest.starts_with(['/', ':', '?', '#']) && !rest.is_empty();
        let solid = !rest.contains(|c: char| c.is_whitespace() || c.is_control());
        let scheme = scheme.to_ascii_lowercase();
        return (known && whole && solid).then(|| format!("{scheme}://{rest}"));
    }
    let authority = typed.split('/').next().unwrap_or_default();
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
    if !is_host(host) || port.is_some_and(|port| !is_port(port)) {
        return None;
    }
    // A name alone may be one that was mistyped: `olama`.
    if port.is_none() && host != "localhost" && !host.contains('.') {
        return None;
    }
    let scheme = if is_near(host, port) { "http" } else { "https" };
    Some(format!("{scheme}://{typed}"))
}

fn is_host(host: &str) -> bool {
    let inner = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    match inner {
        Some(inner) => inner.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
            !host.is_empty() && host.chars().all(plain) && !host.starts_with(['.', '-'])
        }
    }
}

/// Whether it speaks without a certificate as a rule: an address by numbers, this
/// machine, or a port of its own.
fn is_near(host: &str, port: Option<&str>) -> bool {
    let numbers = host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok();
    numbers || host == "localhost" || port.is_some_and(|port| port != "443")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_completed_as_it_is_meant() {
        for (typed, meant) in [
            ("localhost:8080", "http://localhost:8080/v1"),
            ("localhost", "http://localhost/v1"),
            ("127.0.0.1:11434", "http://127.0.0.1:11434/v1"),
            ("192.168.0.7:8000/v1", "http://192.168.0.7:8000/v1"),
            ("[::1]:8080", "http://[::1]:8080/v1"),
            ("gpu-box:8000", "http://gpu-box:8000/v1"),
            ("llm.example.com", "https://llm.example.com/v1"),
            (
                "llm.example.com/openai/v1",
                "https://llm.example.com/openai/v1",
            ),
            ("llm.example.com:443", "https://llm.example.com:443/v1"),
            ("http://127.0.0.1:1234", "http://127.0.0.1:1234/v1"),
            ("http://127.0.0.1:1234/", "http://127.0.0.1:1234/v1"),
            ("https://a.example/v1beta", "https://a.example/v1beta"),
            ("HTTP://a.example:1", "http://a.example:1/v1"),
        ] {
            assert_eq!(complete(typed).as_deref(), Some(meant), "{typed}");
        }
    }

    #[test]
    fn what_is_no_address_is_not_made_one() {
        for typed in [
            "olama",
            "",
            "a b:80",
            "host:",
            "host:port",
            "host:99999",
            "host:0",
            "ftp://a:1",
            "http://",
            "http://:80/v1",
            "http://exa mple/v1",
            ":8080",
            "-x:80",
            "8080",
        ] {
            assert_eq!(complete(typed), None, "{typed:?}");
        }
    }
}
