//! From a request to its response: which endpoint, which step, which error.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use serde_json::{Value, json};

use crate::answer::{Answer, Letterhead};
use crate::choose::{ChatRequest, Delivery, choose};
use crate::connection::Delivered;
use crate::fault::{Fault, FaultCounts};
use crate::options::{Options, Strictness};
use crate::record::{Recorder, RequestKind};
use crate::reply::{Ending, Manner, Reply};
use crate::scenarios::Scenarios;
use crate::shape::Shape;
use crate::stream::{Events, Health};
use crate::{whole, wire};

/// Larger bodies are refused with 413.
const BODY_LIMIT: usize = 64 << 20;

const JSON: &str = "application/json";

/// What all connections of a server share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) scenarios: Scenarios,
    pub(crate) options: Options,
    pub(crate) recorder: Recorder,
    pub(crate) faults: FaultCounts,
    pub(crate) replies: AtomicU64,
    pub(crate) plain: Shape,
}

pub(crate) async fn respond(
    shared: Arc<Shared>,
    delivered: Delivered,
    request: Request<Incoming>,
) -> Response<Reply> {
    let (head, body) = request.into_parts();
    let body = match admit(&head) {
        Ok(()) => read(body).await,
        Err(refusal) => Err(refusal),
    };
    // What is refused is recorded too: a client that asks for the wrong thing
    // is what one looks for.
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    let kind = match (&body, head.uri.path()) {
        (Ok(_), "/chat/completions" | "/v1/chat/completions") => RequestKind::Chat,
        _ => RequestKind::Other,
    };
    let read = body.as_ref().cloned().unwrap_or_default();
    shared.recorder.add(path, &head.headers, &read, kind);
    match (body, head.uri.path()) {
        (Err(refusal), _) => *refusal,
        (Ok(_), "/health") => json_response(StatusCode::OK, &json!({"status": "ok"})),
        (Ok(_), "/models" | "/v1/models") => models(&shared.options.model),
        (Ok(body), _) => chat(&shared, delivered, &body).await,
    }
}

/// Path, method and declared size; the body is not read for a refusal.
fn admit(head: &Parts) -> Result<(), Box<Response<Reply>>> {
    let allowed = match head.uri.path() {
        "/chat/completions" | "/v1/chat/completions" => Method::POST,
        "/models" | "/v1/models" | "/health" => Method::GET,
        path => return Err(not_found(path).into()),
    };
    if head.method != allowed {
        return Err(wrong_method(&head.method, &allowed).into());
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

async fn read(body: Incoming) -> Result<Bytes, Box<Response<Reply>>> {
    match Limited::new(body, BODY_LIMIT).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(too_large().into()),
        Err(error) => {
            let sentence = format!("The body could not be read: {error}.");
            Err(refusal(StatusCode::BAD_REQUEST, &sentence).into())
        }
    }
}

async fn chat(shared: &Shared, delivered: Delivered, body: &Bytes) -> Response<Reply> {
    if shared.options.strict == Strictness::Strict {
        let violations = wire::chat::validate(body);
        if !violations.is_empty() {
            return refusal(StatusCode::BAD_REQUEST, &violations.join("\n"));
        }
    }
    let request = match ChatRequest::parse(body) {
        Ok(request) => request,
        Err(sentence) => return refusal(StatusCode::BAD_REQUEST, &sentence),
    };
    let chosen = choose(&shared.scenarios, &shared.plain, &request);
    let sound = Fault::default();
    let fault = match chosen.fault {
        Some((place, fault)) if shared.faults.strikes(place, fault) => fault,
        _ => &sound,
    };
    if !fault.delay_ms.is_zero() {
        tokio::time::sleep(fault.delay_ms).await;
    }
    if fault.replaces_reply() {
        return refusal_as_scripted(fault);
    }
    let letterhead = Letterhead {
        number: shared.replies.fetch_add(1, Ordering::Relaxed) + 1,
        model: shared.options.model.clone(),
        created: now(),
    };
    let answer = Answer::compose(&chosen, &request, body.len(), letterhead);
    deliver(
        answer,
        request.delivery(),
        fault,
        &shared.options,
        delivered,
    )
}

fn deliver(
    answer: Answer,
    delivery: Delivery,
    fault: &Fault,
    options: &Options,
    delivered: Delivered,
) -> Response<Reply> {
    let ending = match (fault.cut_after_bytes, fault.stall_after_bytes) {
        (Some(cut), _) => Ending::Cut(cut),
        (None, Some(stall)) => Ending::Stall(stall),
        (None, None) => Ending::Complete,
    };
    let mut manner = Manner {
        first: fault.first_token_ms,
        between: options.delay,
        ending,
        delivered,
    };
    let health = if fault.malformed_chunk {
        Health::OneMalformedChunk
    } else {
        Health::Sound
    };
    match delivery {
        Delivery::Whole => {
            manner.between = Duration::ZERO;
            let mut text = whole::completion(answer).to_string();
            if health == Health::OneMalformedChunk {
                text.truncate(text.floor_char_boundary(text.len() / 2));
            }
            response(StatusCode::OK, JSON, Reply::whole(text.into(), manner))
        }
        Delivery::Stream { usage } => {
            let events = Events::new(answer, options.chunk, usage, health);
            let stream = Reply::stream(events, manner);
            let mut response = response(StatusCode::OK, "text/event-stream; charset=utf-8", stream);
            response
                .headers_mut()
                .insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
            response
        }
    }
}

fn refusal_as_scripted(fault: &Fault) -> Response<Reply> {
    let status = fault
        .status
        .and_then(|code| StatusCode::from_u16(code).ok());
    let status = status.unwrap_or(StatusCode::OK);
    let mut refused = match &fault.body {
        None => refusal(
            status,
            &format!("The script answers this step with {status}."),
        ),
        Some(Value::String(text)) => {
            let looks_like_json = text.trim_start().starts_with(['{', '[']);
            let kind = if looks_like_json {
                JSON
            } else {
                "text/plain; charset=utf-8"
            };
            response(status, kind, Reply::plain(text.clone().into()))
        }
        Some(value) => json_response(status, value),
    };
    if let Some(retry_after) = &fault.retry_after {
        refused
            .headers_mut()
            .insert(RETRY_AFTER, retry_after.clone());
    }
    refused
}

fn models(model: &str) -> Response<Reply> {
    let entry = json!({"id": model, "object": "model", "created": 0, "owned_by": "tenon"});
    json_response(StatusCode::OK, &json!({"object": "list", "data": [entry]}))
}

fn not_found(path: &str) -> Response<Reply> {
    let sentence = format!(
        "There is nothing at {path}. This server answers POST /v1/chat/completions, \
         GET /v1/models and GET /health."
    );
    refusal(StatusCode::NOT_FOUND, &sentence)
}

fn wrong_method(method: &Method, allowed: &Method) -> Response<Reply> {
    let sentence = format!("{method} is not possible here. Use {allowed}.");
    let mut response = refusal(StatusCode::METHOD_NOT_ALLOWED, &sentence);
    if let Ok(value) = HeaderValue::from_str(allowed.as_str()) {
        response.headers_mut().insert(ALLOW, value);
    }
    response
}

fn too_large() -> Response<Reply> {
    refusal(
        StatusCode::PAYLOAD_TOO_LARGE,
        "The body is larger than 64 MiB.",
    )
}

/// The error shape that all clients of this wire format know.
fn refusal(status: StatusCode, message: &str) -> Response<Reply> {
    let kind = match status.as_u16() {
        401 => "authentication_error",
        429 => "rate_limit_error",
        500.. => "server_error",
        _ => "invalid_request_error",
    };
    let error = json!({"message": message, "type": kind, "param": null, "code": null});
    json_response(status, &json!({"error": error}))
}

fn json_response(status: StatusCode, value: &Value) -> Response<Reply> {
    response(status, JSON, Reply::plain(value.to_string().into()))
}

fn response(status: StatusCode, kind: &'static str, reply: Reply) -> Response<Reply> {
    let mut response = Response::new(reply);
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
