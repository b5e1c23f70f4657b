//! Which headers and queries a recording keeps. Lists of what is kept, not of
//! what is left out: a key in a header that nobody thought of stays out too.

use std::collections::BTreeMap;

use hyper::HeaderMap;
use hyper::header::HeaderName;

const OF_REQUESTS: &[&str] = &[
    "accept",
    "anthropic-beta",
    "anthropic-version",
    "content-type",
    "openai-beta",
    "user-agent",
];

const OF_REPLIES: &[&str] = &[
    "content-encoding",
    "content-type",
    "request-id",
    "retry-after",
    "retry-after-ms",
    "server",
    "x-request-id",
];

/// Belong to one connection, or would make the bytes unreadable.
const OF_THE_CONNECTION: &[&str] = &[
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

pub(super) fn kept_of_request(headers: &HeaderMap) -> BTreeMap<String, String> {
    kept(headers, |name| OF_REQUESTS.contains(&name))
}

pub(super) fn kept_of_reply(headers: &HeaderMap) -> BTreeMap<String, String> {
    kept(headers, |name| {
        OF_REPLIES.contains(&name) || name.contains("ratelimit")
    })
}

fn kept(headers: &HeaderMap, keep: impl Fn(&str) -> bool) -> BTreeMap<String, String> {
    let kept = headers.iter().filter(|(name, _)| keep(name.as_str()));
    kept.filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())))
        .collect()
}

/// What goes on to the other side of a proxy.
pub(super) fn passed_on(headers: &HeaderMap) -> HeaderMap {
    let pass = |name: &HeaderName| !OF_THE_CONNECTION.contains(&name.as_str());
    let mut passed = HeaderMap::new();
    for (name, value) in headers.iter().filter(|(name, _)| pass(name)) {
        passed.append(name.clone(), value.clone());
    }
    passed
}

/// A query keeps its names and loses its values: some services take their key
/// there.
pub(super) fn without_values(path_and_query: &str) -> String {
    let Some((path, query)) = path_and_query.split_once('?') else {
        return path_and_query.to_owned();
    };
    let names = query
        .split('&')
        .map(|pair| pair.split_once('=').map_or(pair, |(name, _)| name));
    format!("{path}?{}", names.collect::<Vec<_>>().join("&"))
}
