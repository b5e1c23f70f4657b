//! One HTTP client per endpoint, made at its first request and never at start.

use crate::Endpoint;
use crate::address::{Scheme, Target};
use crate::proxy::Proxy;
use crate::tls;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use tenon_model::{ModelError, ModelErrorKind};

const USER_AGENT: &str = concat!("tenon/", env!("CARGO_PKG_VERSION"));

/// Connections that are kept for the next request; subagents ask side by side.
const IDLE_CONNECTIONS: usize = 4;

/// # Errors
/// When a certificate or a proxy cannot be used.
pub(crate) fn build(
    endpoint: &Endpoint,
    target: &Target,
    proxy: Option<&Proxy>,
) -> Result<reqwest::Client, ModelError> {
    let needs_tls = target.scheme == Scheme::Https
        || proxy.is_some_and(|proxy| proxy.scheme() == Scheme::Https);
    let tls = if needs_tls {
        tls::for_endpoint(endpoint)?
    } else {
        tls::unused()?
    };
    let mut builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .user_agent(USER_AGENT)
        // A redirect would carry the key to wherever the server says.
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .retry(reqwest::retry::never())
        .connect_timeout(endpoint.timeouts.connect)
        .pool_max_idle_per_host(IDLE_CONNECTIONS)
        .no_proxy();
    // The library's default gives a server 30 s to take what was sent; a busy
    // local server lets a long prompt wait in the socket for longer.
    #[cfg(target_os = "linux")]
    {
        builder = builder.tcp_user_timeout(None);
    }
    // Static binaries ask DNS for `localhost` when there is no /etc/hosts.
    let loopback = [
        SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        SocketAddr::from((Ipv6Addr::LOCALHOST, 0)),
    ];
    builder = builder.resolve_to_addrs("localhost", &loopback);
    if target.host.ends_with(".localhost") {
        builder = builder.resolve_to_addrs(&target.host, &loopback);
    }
    if let Some(proxy) = proxy {
        builder = builder.proxy(reqwest::Proxy::all(proxy.url.clone()).map_err(unusable)?);
    }
    builder.build().map_err(unusable)
}

fn unusable(error: reqwest::Error) -> ModelError {
    // The text of the library may hold the URL of the proxy with its password.
    let error = error.without_url();
    ModelError::new(
        ModelErrorKind::Configuration,
        format!("Can't set up the HTTP client: {error}"),
    )
}
