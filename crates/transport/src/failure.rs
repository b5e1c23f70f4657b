//! What a failure of the network means, in words: who did not answer, why, and
//! what to look at. The HTTP library's own texts name neither and may hold a
//! URL with a secret, so none of them is passed on whole.

use crate::address::quoted;
use crate::proxy::Proxy;
use rustls::CertificateError;
use std::error::Error;
use std::io;
use std::time::Duration;
use tenon_model::{ModelError, ModelErrorKind};

/// Names of other hosts in a certificate that are shown.
const NAMES_SHOWN: usize = 5;

/// Between whom something failed.
#[derive(Clone)]
pub(crate) struct Route {
    /// The provider's name in the configuration.
    pub(crate) name: String,
    /// The variable that gave the address, where it was one.
    pub(crate) variable: Option<String>,
    /// `host:port` of the server.
    pub(crate) authority: String,
    /// The base URL, without what may be secret in it.
    pub(crate) address: String,
    pub(crate) proxy: Option<Proxy>,
    pub(crate) connect_timeout: Duration,
}

impl Route {
    /// Who is connected to: the proxy, where there is one.
    fn peer(&self) -> String {
        match &self.proxy {
            Some(proxy) => format!("the proxy {} ({})", proxy.authority, proxy.origin),
            None => self.authority.clone(),
        }
    }

    /// While a connection is waited for.
    pub(crate) fn unanswered_yet(&self) -> String {
        match &self.proxy {
            Some(proxy) => format!(
                "No answer from {} yet: still connecting to the proxy {} ({})",
                self.address, proxy.authority, proxy.origin
            ),
            None => format!("No answer from {} yet: still connecting", self.address),
        }
    }

    pub(crate) fn what_to_check(&self) -> String {
        match &self.proxy {
            Some(proxy) => format!(
                "Check {}, or add the host to NO_PROXY to reach it directly.",
                proxy.origin
            ),
            None => format!(
                "Check that the server is running and that {} is correct.",
                self.written()
            ),
        }
    }

    /// Where the address is written.
    pub(crate) fn written(&self) -> String {
        match &self.variable {
            Some(variable) => variable.clone(),
            None => format!("base_url of the provider `{}`", self.name),
        }
    }

    /// The same, where the provider need not be told.
    fn setting(&self) -> &str {
        self.variable.as_deref().unwrap_or("base_url")
    }

    fn authority_file(&self) -> String {
        match &self.variable {
            Some(_) => String::from("SSL_CERT_FILE"),
            None => format!(
                "`ca_file` of the provider `{}` (or SSL_CERT_FILE)",
                self.name
            ),
        }
    }
}

/// A request that got no answer.
pub(crate) fn unanswered(error: &reqwest::Error, route: &Route) -> ModelError {
    if let Some(tls) = find::<rustls::Error>(error) {
        return handshake(tls, route);
    }
    if error.is_dns() {
        return ModelError::new(
            ModelErrorKind::Network,
            format!(
                "No answer from {}: can't resolve {}",
                route.address,
                route.peer()
            ),
        )
        .with_hint(route.what_to_check());
    }
    let io = find::<io::Error>(error).map(io::Error::kind);
    if error.is_connect() {
        return unconnected(error, io, route);
    }
    if find::<hyper::Error>(error).is_some_and(hyper::Error::is_parse) {
        return ModelError::new(
            ModelErrorKind::Protocol,
            format!("{} doesn't speak HTTP", route.authority),
        )
        .with_hint(format!(
            "Another program may be listening on this port, or the server needs https:// in {}.",
            route.setting()
        ));
    }
    ModelError::new(
        ModelErrorKind::Network,
        format!(
            "{} closed the connection before it answered",
            route.authority
        ),
    )
    .with_hint(format!(
        "The server may have crashed or be restarting, or it needs https:// in {}.",
        route.setting()
    ))
}

fn unconnected(error: &reqwest::Error, io: Option<io::ErrorKind>, route: &Route) -> ModelError {
    let peer = route.peer();
    // The tunnel's error type is private; its text is all there is.
    if route.proxy.is_some() && root_cause(error).contains("proxy authorization required") {
        return proxy_wants_password(route);
    }
    let refused = io == Some(io::ErrorKind::ConnectionRefused);
    let by_proxy = match &route.proxy {
        Some(_) => format!(" by {peer}"),
        None => String::new(),
    };
    let cause = if refused {
        format!("connection refused{by_proxy}")
    } else if error.is_timeout() {
        let limit = route.connect_timeout.as_secs_f64();
        format!("no connection{by_proxy} within {limit} s")
    } else {
        let cause = quoted(&root_cause(error));
        match &route.proxy {
            Some(_) => format!("no connection through {peer}: {cause}"),
            None => cause,
        }
    };
    let message = format!("No answer from {}: {cause}", route.address);
    ModelError::new(ModelErrorKind::Network, message).with_hint(route.what_to_check())
}

/// The proxy answered 407, to a request or to the opening of a tunnel.
pub(crate) fn proxy_wants_password(route: &Route) -> ModelError {
    let (proxy, origin) = match &route.proxy {
        Some(proxy) => (proxy.authority.as_str(), proxy.origin.as_str()),
        None => (route.authority.as_str(), "the proxy's URL"),
    };
    let mut error = ModelError::new(
        ModelErrorKind::Configuration,
        format!("The proxy {proxy} needs a valid user name and password (HTTP 407)"),
    )
    .with_hint(format!(
        "Write them into {origin}: http://USER:PASSWORD@HOST:PORT"
    ));
    error.status = Some(407);
    error
}

/// A reply that began and broke.
pub(crate) fn broken(error: &reqwest::Error, route: &Route) -> ModelError {
    ModelError::new(
        ModelErrorKind::Broken,
        format!(
            "The stream from {} broke: {}",
            route.authority,
            quoted(&root_cause(error))
        ),
    )
}

fn handshake(error: &rustls::Error, route: &Route) -> ModelError {
    let (what, hint) = match error {
        rustls::Error::InvalidCertificate(cause) => return certificate(cause, route),
        rustls::Error::InvalidMessage(_) => (
            String::from("doesn't speak TLS"),
            format!(
                "If the server has no certificate, write http:// in {}.",
                route.setting()
            ),
        ),
        rustls::Error::AlertReceived(alert) => (
            format!("refused the TLS handshake ({alert:?})"),
            String::from("The server may want a client certificate: set `client_cert`."),
        ),
        other => (
            format!("failed the TLS handshake: {}", quoted(&other.to_string())),
            route.what_to_check(),
        ),
    };
    ModelError::new(
        ModelErrorKind::Configuration,
        format!("{} {what}", route.authority),
    )
    .with_hint(hint)
}

fn certificate(cause: &CertificateError, route: &Route) -> ModelError {
    let (what, hint) = match cause {
        // A wrong signature under a known name: the authority was made anew.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => (
            String::from(
                "is signed by an authority that this machine doesn't trust (unknown \
                 issuer)",
            ),
            format!(
                "If it is your company's or your own, set {} to that authority's PEM file.",
                route.authority_file()
            ),
        ),
        CertificateError::NotValidForName => (
            String::from("is for another name (name mismatch)"),
            format!(
                "Use the name that the certificate is for in {}.",
                route.setting()
            ),
        ),
        CertificateError::NotValidForNameContext { presented, .. } => {
            let names: Vec<&str> = presented
                .iter()
                .take(NAMES_SHOWN)
                .map(String::as_str)
                .collect();
            let names = quoted(&names.join(", "));
            (
                format!("is for other names (name mismatch): {names}"),
                format!(
                    "Use a name that the certificate is for in {}.",
                    route.setting()
                ),
            )
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => (
            String::from("has expired"),
            String::from(
                "Ask the server's administrator to renew it, and check this machine's \
                 clock.",
            ),
        ),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => (
            String::from("is not valid yet"),
            String::from("Check this machine's clock."),
        ),
        CertificateError::Revoked => (
            String::from("was revoked"),
            String::from("Ask the server's administrator to replace it."),
        ),
        // The type of this one is private to the verifier.
        other if format!("{other:?}").contains("CaUsedAsEndEntity") => (
            String::from("is a certificate authority, which a server must not use itself"),
            String::from(
                "Sign a certificate for the server with it, or set `insecure` for the provider.",
            ),
        ),
        other => (
            format!("can't be verified: {}", quoted(&other.to_string())),
            String::from("Ask the server's administrator to replace it."),
        ),
    };
    ModelError::new(
        ModelErrorKind::Configuration,
        format!("The certificate of {} {what}", route.authority),
    )
    .with_hint(hint)
}

/// The error and what caused it, outermost first. An `io::Error` hides the
/// error that it carries from `source`.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| {
        let carried = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        match carried {
            Some(inner) => Some(inner as &(dyn Error + 'static)),
            None => error.source(),
        }
    })
}

/// The innermost cause of one type: the outer ones are wrappings.
fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    causes(error).filter_map(<dyn Error>::downcast_ref).last()
}

/// The text of the innermost cause. It stands below the library's own errors,
/// so it holds no URL.
fn root_cause(error: &reqwest::Error) -> String {
    causes(error)
        .filter(|cause| !cause.is::<reqwest::Error>())
        .last()
        .map_or_else(|| String::from("unknown cause"), ToString::to_string)
}
