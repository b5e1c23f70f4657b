//! Requests of somebody else, passed on as they are: for recording a real
//! server. The same client, proxies and certificates as every other request;
//! what is sent and what comes back is neither read nor changed here.

use crate::address::Target;
use crate::failure::{self, Route};
use crate::{Endpoint, client, proxy};
use bytes::Bytes;
use reqwest::header::HeaderMap;
use reqwest::{Client, Method, Response, StatusCode, Url};
use std::fmt;
use tenon_model::{ModelError, ModelErrorKind};

/// The way to one server.
pub struct Forward {
    client: Client,
    target: Target,
    route: Route,
}

/// A reply whose body is still arriving.
pub struct Forwarded {
    pub status: StatusCode,
    pub headers: HeaderMap,
    response: Response,
    route: Route,
}

impl Forward {
    /// # Errors
    /// When the base URL, a certificate or the proxy cannot be used.
    pub fn new(endpoint: &Endpoint) -> Result<Self, ModelError> {
        // A base URL must not end in what is asked for below it.
        let target = Target::parse(&endpoint.name, &endpoint.base_url, "/chat/completions")?;
        let route = Route {
            name: endpoint.name.clone(),
            variable: endpoint.base_url_variable.clone(),
            authority: target.authority(),
            address: target.shown(),
            proxy: proxy::choose(&endpoint.proxy, &target)?,
            connect_timeout: endpoint.timeouts.connect,
        };
        let client = client::build(endpoint, &target, route.proxy.as_ref())?;
        Ok(Self {
            client,
            target,
            route,
        })
    }

    /// Sends once, to an address of the endpoint's own server: the headers may
    /// hold its key.
    ///
    /// # Errors
    /// When the address is another server's, or the server does not answer. A
    /// refusal is an answer.
    pub async fn send(
        &self,
        method: Method,
        url: &str,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Forwarded, ModelError> {
        let url = Url::parse(url)
            .ok()
            .filter(|url| url.origin() == self.target.at("").origin())
            .ok_or_else(|| {
                ModelError::new(
                    ModelErrorKind::Configuration,
                    format!("This isn't an address of {}", self.route.authority),
                )
            })?;
        let request = self.client.request(method, url).headers(headers).body(body);
        let response = request
            .send()
            .await
            .map_err(|error| failure::unanswered(&error, &self.route))?;
        Ok(Forwarded {
            status: response.status(),
            headers: response.headers().clone(),
            response,
            route: self.route.clone(),
        })
    }
}

impl fmt::Debug for Forward {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Forward")
            .field("authority", &self.route.authority)
            .finish_non_exhaustive()
    }
}

/// Without the headers, which may hold a session's key.
impl fmt::Debug for Forwarded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Forwarded")
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

impl Forwarded {
    /// The next piece as it came over the network; `None` at the end.
    ///
    /// # Errors
    /// When the connection breaks before the end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, ModelError> {
        let chunk = self.response.chunk().await;
        chunk.map_err(|error| failure::broken(&error, &self.route))
    }
}
