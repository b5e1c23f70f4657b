//! Single JSON requests beside the conversation with a model: the token endpoint
//! of a login, what a server says of itself. The same client, proxies and
//! certificates as every other request, and like them one attempt without a
//! redirect; what the answer means is the caller's to say.

use crate::address::Target;
use crate::failure::{self, Route};
use crate::{Endpoint, client, proxy};
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, RequestBuilder};
use std::time::Duration;
use tenon_model::{ModelError, ModelErrorKind};

/// Tokens are a few thousand bytes, and a template of a chat some more.
const ANSWER_BYTES: usize = 256 * 1024;
/// From the connection to the last byte.
const TIME: Duration = Duration::from_secs(30);

/// What a server said, whatever it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    /// Its beginning, when it was very long.
    pub body: Vec<u8>,
}

/// Sends `body`, which is JSON, to `path` below the endpoint's address, without
/// a credential.
///
/// # Errors
/// When the address cannot be used or the server does not answer in time.
/// A refusal is an answer.
pub async fn post_json(
    endpoint: &Endpoint,
    path: &str,
    body: String,
) -> Result<Answer, ModelError> {
    ask(endpoint, path, |client, url| {
        client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .body(body)
    })
    .await
}

/// Asks for `path` below the endpoint's address, without a credential.
///
/// # Errors
/// As [`post_json`].
pub async fn get_json(endpoint: &Endpoint, path: &str) -> Result<Answer, ModelError> {
    ask(endpoint, path, Client::get).await
}

async fn ask(
    endpoint: &Endpoint,
    path: &str,
    build: impl FnOnce(&Client, reqwest::Url) -> RequestBuilder,
) -> Result<Answer, ModelError> {
    let target = Target::parse(&endpoint.name, &endpoint.base_url, path)?;
    let route = Route {
        name: endpoint.name.clone(),
        variable: endpoint.base_url_variable.clone(),
        authority: target.authority(),
        address: target.shown(),
        proxy: proxy::choose(&endpoint.proxy, &target)?,
        connect_timeout: endpoint.timeouts.connect,
    };
    let client = client::build(endpoint, &target, route.proxy.as_ref())?;
    let request = build(&client, target.at(path)).header(ACCEPT, "application/json");
    match tokio::time::timeout(TIME, answer(request, &route)).await {
        Ok(answer) => answer,
        Err(_) => Err(ModelError::new(
            ModelErrorKind::Timeout,
            format!(
                "{} did not answer within {} s",
                route.authority,
                TIME.as_secs()
            ),
        )),
    }
}

async fn answer(request: RequestBuilder, route: &Route) -> Result<Answer, ModelError> {
    let lost = |error| failure::unanswered(&error, route);
    let mut response = request.send().await.map_err(lost)?;
    let mut answer = Answer {
        status: response.status().as_u16(),
        body: Vec::new(),
    };
    while let Some(chunk) = response.chunk().await.map_err(lost)? {
        let room = ANSWER_BYTES - answer.body.len();
        answer
            .body
            .extend_from_slice(&chunk[..chunk.len().min(room)]);
        if answer.body.len() == ANSWER_BYTES {
            break;
        }
    }
    Ok(answer)
}
