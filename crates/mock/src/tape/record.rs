//! Stands between a client and a real server and writes down what passes,
//! without the keys.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Instant;

use bytes::Bytes;
use hyper::body::Frame;
use hyper::http::request::Parts;
use hyper::{HeaderMap, StatusCode};
use serde_json::Value;
use tokio::sync::mpsc;

use super::headers;
use super::scrub;
use super::{Exchange, Piece, TapedEnd, TapedRequest, TapedResponse};
use crate::api::below_the_base;
use crate::connection::Delivered;
use crate::reply::CutOff;
use crate::upstream::{Upstream, UpstreamError, UpstreamRequest};

/// What is kept of one reply. The client gets all of it.
const REPLY_LIMIT: usize = 64 << 20;

#[derive(Debug)]
pub(crate) struct Recorder {
    upstream: Arc<dyn Upstream>,
    base: Base,
    out: Arc<Mutex<File>>,
}

/// The address of the real server.
#[derive(Debug)]
struct Base {
    /// Scheme and host.
    origin: String,
    /// What its own base URL ends in, like `/v1`; without the last slash.
    path: String,
}

impl Base {
    fn parse(url: &str) -> io::Result<Self> {
        let wrong = |why: &str| io::Error::new(io::ErrorKind::InvalidInput, why.to_owned());
        let after = url
            .strip_prefix("http://")
            .or_else(|| url.strip_prefix("https://"))
            .ok_or_else(|| wrong("the URL must begin with http:// or https://"))?;
        if after.is_empty() || after.starts_with('/') || after.contains(['?', '#']) {
            return Err(wrong("the URL must be a base URL, like https://host/v1"));
        }
        let scheme = url.len() - after.len();
        let host = after.find('/').unwrap_or(after.len());
        let (origin, path) = url.split_at(scheme + host);
        Ok(Self {
            origin: origin.to_owned(),
            path: path.trim_end_matches('/').to_owned(),
        })
    }

    /// A client was configured with this server's base URL, so what it asks for
    /// is below that; what only the root of a server has stays at the root.
    fn url(&self, path_and_query: &str) -> String {
        let end = path_and_query.find('?').unwrap_or(path_and_query.len());
        let (path, query) = path_and_query.split_at(end);
        let below = below_the_base(path);
        let of_the_format = ["/chat/", "/messages", "/responses", "/models"]
            .iter()
            .any(|start| below.starts_with(start));
        let (base, path) = match (self.path.as_str(), of_the_format) {
            ("", _) => ("", path),
            (base, true) => (base, below),
            (_, false) => ("", path),
        };
        format!("{}{base}{path}{query}", self.origin)
    }
}

impl Recorder {
    /// The file is the user's alone: a recording holds what was said.
    pub(crate) fn open(url: &str, upstream: Arc<dyn Upstream>, out: &Path) -> io::Result<Self> {
        let base = Base::parse(url)?;
        let mut options = File::options();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok(Self {
            upstream,
            base,
            out: Arc::new(Mutex::new(options.open(out)?)),
        })
    }

    pub(crate) async fn pass(
        &self,
        head: &Parts,
        body: &Bytes,
        delivered: Delivered,
    ) -> Result<(StatusCode, HeaderMap, Passing), UpstreamError> {
        let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
        let started = Instant::now();
        let request = UpstreamRequest {
            method: head.method.clone(),
            url: self.base.url(path),
            headers: headers::passed_on(&head.headers),
            body: body.clone(),
        };
        let secrets = scrub::secrets(&request.headers, path);
        let reply = self.upstream.send(request).await?;
        let exchange = Exchange {
            request: TapedRequest {
                method: head.method.to_string(),
                path: headers::without_values(path),
                headers: headers::kept_of_request(&head.headers),
                body: self::body(body),
            },
            response: TapedResponse {
                status: reply.status.as_u16(),
                headers: headers::kept_of_reply(&reply.headers),
                pieces: Vec::new(),
                // Until its end was seen.
                end: TapedEnd::Cut,
            },
        };
        delivered.arm();
        let passing = Passing {
            delivered,
            broken: false,
            body: reply.body,
            exchange,
            secrets,
            pieces: Vec::new(),
            started,
            kept: 0,
            out: Some(Arc::clone(&self.out)),
        };
        Ok((reply.status, headers::passed_on(&reply.headers), passing))
    }
}

/// The JSON, or the text when it is none.
pub(super) fn body(bytes: &[u8]) -> Value {
    if bytes.is_empty() {
        return Value::Null;
    }
    serde_json::from_slice(bytes)
        .unwrap_or_else(|_| Value::from(String::from_utf8_lossy(bytes).as_ref()))
}

/// The body of a reply on its way through. Written down when it ends, however
/// that happens.
#[derive(Debug)]
pub(crate) struct Passing {
    delivered: Delivered,
    /// The server is gone; what it said must still arrive.
    broken: bool,
    body: mpsc::Receiver<Result<Bytes, UpstreamError>>,
    exchange: Exchange,
    /// What the request proved itself with: servers repeat the key that they
    /// refuse.
    secrets: Vec<String>,
    pieces: Vec<(u64, Vec<u8>)>,
    started: Instant,
    kept: usize,
    /// Until the line is written.
    out: Option<Arc<Mutex<File>>>,
}

impl Passing {
    pub(crate) fn poll(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CutOff>>> {
        if self.broken {
            ready!(self.delivered.poll(cx));
            return Poll::Ready(Some(Err(CutOff)));
        }
        match ready!(self.body.poll_recv(cx)) {
            Some(Ok(bytes)) => {
                self.keep(&bytes);
                self.delivered.arm();
                Poll::Ready(Some(Ok(Frame::data(bytes))))
            }
            Some(Err(_)) => {
                self.broken = true;
                self.write();
                self.poll(cx)
            }
            None => {
                if self.kept <= REPLY_LIMIT {
                    self.exchange.response.end = TapedEnd::Complete;
                }
                // Before the client sees the end, so that whoever heard all of
                // it finds it written.
                self.write();
                Poll::Ready(None)
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.kept = self.kept.saturating_add(bytes.len());
        if self.kept > REPLY_LIMIT {
            self.exchange.response.end = TapedEnd::TooLarge;
            return;
        }
        let at = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.pieces.push((at, bytes.to_vec()));
    }
}

impl Passing {
    /// One write for one line, so that replies that end together do not mix. A
    /// disk that is full must not take the client's reply away.
    fn write(&mut self) {
        let Some(out) = self.out.take() else {
            return;
        };
        let mut pieces = std::mem::take(&mut self.pieces);
        scrub::pieces(&self.secrets, &mut pieces);
        let response = &mut self.exchange.response;
        response.pieces = pieces
            .iter()
            .map(|(at, bytes)| Piece::new(*at, bytes))
            .collect();
        for value in response.headers.values_mut() {
            scrub::text(&self.secrets, value);
        }
        let Ok(mut line) = serde_json::to_vec(&self.exchange) else {
            return;
        };
        line.push(b'\n');
        let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = out.write_all(&line);
    }
}

impl Drop for Passing {
    /// The client went away before the end.
    fn drop(&mut self) {
        self.write();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_format_go_below_the_base_and_others_to_the_root() {
        for (base, asked, url) in [
            (
                "https://h/v1",
                "/v1/chat/completions",
                "https://h/v1/chat/completions",
            ),
            (
                "https://h/v1/",
                "/chat/completions",
                "https://h/v1/chat/completions",
            ),
            (
                "https://h",
                "/v1/messages?beta=true",
                "https://h/v1/messages?beta=true",
            ),
            ("https://h/api/v1", "/v1/models", "https://h/api/v1/models"),
            ("http://h:8080/v1", "/props", "http://h:8080/props"),
            ("http://h:8080/v1", "/api/show", "http://h:8080/api/show"),
        ] {
            assert_eq!(Base::parse(base).unwrap().url(asked), url, "{base} {asked}");
        }
    }

    #[test]
    fn what_is_no_base_url_is_refused() {
        for url in [
            "",
            "h/v1",
            "ftp://h",
            "http://",
            "http:///v1",
            "https://h/v1?key=1",
        ] {
            assert!(Base::parse(url).is_err(), "{url}");
        }
    }
}
