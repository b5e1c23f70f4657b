//! From a request to its response: which path, which method, who answers.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{ALLOW, CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use serde_json::Value;

use crate::api::{Api, RequestKind, below_the_base};
use crate::asked::Asked;
use crate::connection::Delivered;
use crate::fault::FaultCounts;
use crate::options::Options;
use crate::record::Recorder;
use crate::refusal;
use crate::reply::Reply;
use crate::scenarios::Scenarios;
use crate::shape::Shape;
use crate::software::Card;
use crate::tape;

/// Larger bodies are refused with 413.
const BODY_LIMIT: usize = 64 << 20;

pub(crate) const JSON: &str = "application/json";

/// What all connections of a server share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) role: Role,
    pub(crate) options: Options,
    pub(crate) recorder: Recorder,
    pub(crate) faults: FaultCounts,
    pub(crate) replies: AtomicU64,
    pub(crate) plain: Shape,
}

/// Where the answers come from.
#[derive(Debug)]
pub(crate) enum Role {
    Script(Box<Scenarios>),
    Player(tape::play::Player),
    Proxy(tape::record::Recorder),
}

pub(crate) async fn respond(
    shared: Arc<Shared>,
    delivered: Delivered,
    request: Request<Incoming>,
) -> Response<Reply> {
    let (head, body) = request.into_parts();
    let body = match shared.admit(&head) {
        Ok(()) => read(body).await,
        Err(refusal) => Err(refusal),
    };
    // What is refused is recorded too: a client that asks for the wrong thing
    // is what one looks for.
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    let kind = match &body {
        Ok(_) => RequestKind::of_path(head.uri.path()),
        Err(_) => RequestKind::Other,
    };
    let read = body.as_ref().cloned().unwrap_or_default();
    shared.recorder.add(path, &head.headers, &read, kind);
    let body = match body {
        Ok(body) => body,
        Err(refusal) => return *refusal,
    };
    match &shared.role {
        Role::Script(scenarios) => {
            let asked = Asked {
                shared: &shared,
                scenarios,
                head: &head,
                body: &body,
            };
            asked.answer(kind, delivered).await
        }
        Role::Player(player) => play(player, &head, &body, delivered),
        Role::Proxy(recorder) => pass(recorder, &head, &body, delivered).await,
    }
}

impl Shared {
    /// Path, method and declared size; the body is not read for a refusal.
    fn admit(&self, head: &Parts) -> Result<(), Box<Response<Reply>>> {
        if let Role::Script(scenarios) = &self.role {
            let allowed = self.method(scenarios, head.uri.path());
            let allowed = allowed.ok_or_else(|| Box::new(not_found(head.uri.path())))?;
            if head.method != allowed {
                return Err(wrong_method(&head.method, &allowed).into());
            }
        }
        let declared = head
            .headers
            .get(CONTENT_LENGTH)
            .and_then(|value| value.to_str().ok());
        let declared: Option<u64> = declared.and_then(|text| text.parse().ok());
        if declared.is_some_and(|size| size > BODY_LIMIT as u64) {
            return Err(too_large().into());
        }
        Ok(())
    }

    /// The method that a path takes; `None` when there is nothing.
    fn method(&self, scenarios: &Scenarios, path: &str) -> Option<Method> {
        if RequestKind::of_path(path) != RequestKind::Other {
            return Some(Method::POST);
        }
        if matches!(path, "/health") || below_the_base(path) == "/models" {
            return Some(Method::GET);
        }
        let (method, _) = self.card(scenarios).endpoint(path)?;
        Method::from_bytes(method.as_bytes()).ok()
    }

    pub(crate) fn card<'s>(&'s self, scenarios: &Scenarios) -> Card<'s> {
        Card {
            software: scenarios.server,
            model: &self.options.model,
            window: scenarios.window,
            trained: scenarios.trained_window,
        }
    }
}

async fn read(body: Incoming) -> Result<Bytes, Box<Response<Reply>>> {
    match Limited::new(body, BODY_LIMIT).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(too_large().into()),
        Err(error) => {
            let sentence = format!("The body could not be read: {error}.");
            Err(refuse(Api::Chat, StatusCode::BAD_REQUEST, &sentence).into())
        }
    }
}

fn play(
    player: &tape::play::Player,
    head: &Parts,
    body: &[u8],
    delivered: Delivered,
) -> Response<Reply> {
    let path = head.uri.path();
    let Some(taped) = player.answer(head.method.as_str(), path, body) else {
        let sentence = format!(
            "The recording has no reply to {} {path}. Record one, or ask for what it has.",
            head.method
        );
        return refuse(api_of(path), StatusCode::NOT_FOUND, &sentence);
    };
    let mut response = Response::new(Reply::played(player.play(taped, delivered)));
    *response.status_mut() = StatusCode::from_u16(taped.status).unwrap_or(StatusCode::OK);
    for (name, value) in &taped.headers {
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(value)) {
            response.headers_mut().append(name, value);
        }
    }
    response
}

async fn pass(
    recorder: &tape::record::Recorder,
    head: &Parts,
    body: &Bytes,
    delivered: Delivered,
) -> Response<Reply> {
    match recorder.pass(head, body, delivered).await {
        Ok((status, headers, passing)) => {
            let mut response = Response::new(Reply::passed(passing));
            *response.status_mut() = status;
            *response.headers_mut() = headers;
            response
        }
        Err(error) => {
            let sentence = format!("The server that is recorded did not answer: {error}");
            refuse(api_of(head.uri.path()), StatusCode::BAD_GATEWAY, &sentence)
        }
    }
}

fn api_of(path: &str) -> Api {
    RequestKind::of_path(path).api().unwrap_or(Api::Chat)
}

pub(crate) fn not_found(path: &str) -> Response<Reply> {
    let sentence = format!(
        "There is nothing at {path}. This server answers POST /v1/chat/completions, \
         POST /v1/messages and POST /v1/responses."
    );
    refuse(Api::Chat, StatusCode::NOT_FOUND, &sentence)
}

fn wrong_method(method: &Method, allowed: &Method) -> Response<Reply> {
    let sentence = format!("{method} is not possible here. Use {allowed}.");
    let mut response = refuse(Api::Chat, StatusCode::METHOD_NOT_ALLOWED, &sentence);
    if let Ok(value) = HeaderValue::from_str(allowed.as_str()) {
        response.headers_mut().insert(ALLOW, value);
    }
    response
}

fn too_large() -> Response<Reply> {
    refuse(
        Api::Chat,
        StatusCode::PAYLOAD_TOO_LARGE,
        "The body is larger than 64 MiB.",
    )
}

pub(crate) fn refuse(api: Api, status: StatusCode, message: &str) -> Response<Reply> {
    json_response(status, &refusal::of(api, status.as_u16(), message))
}

pub(crate) fn json_response(status: StatusCode, value: &Value) -> Response<Reply> {
    response(status, JSON, Reply::plain(value.to_string().into()))
}

pub(crate) fn response(status: StatusCode, kind: &'static str, reply: Reply) -> Response<Reply> {
    let mut response = Response::new(reply);
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
