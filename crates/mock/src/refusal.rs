//! Errors in the shape of each format: as a body, and as an event of a stream
//! that has begun.

use serde_json::{Value, json};

use crate::api::Api;
use crate::fault::{ErrorEvent, ErrorForm};

/// The error object of a status, as clients of this format know it.
pub(crate) fn of(api: Api, status: u16, message: &str) -> Value {
    match api {
        Api::Messages => in_messages(kind_in_messages(status), message),
        Api::Chat | Api::Responses => {
            let kind = match status {
                401 => "authentication_error",
                429 => "rate_limit_error",
                500.. => "server_error",
                _ => "invalid_request_error",
            };
            let error = json!({"message": message, "type": kind, "param": null, "code": null});
            json!({"error": error})
        }
    }
}

fn kind_in_messages(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    }
}

pub(crate) fn in_messages(kind: &str, message: &str) -> Value {
    json!({
        "type": "error",
        "error": {"type": kind, "message": message},
        "request_id": "req_mock",
    })
}

/// What stands in the place of a whole reply when the script asks for an error
/// event and the client for no stream.
pub(crate) fn instead_of_reply(api: Api, error: &ErrorEvent) -> Value {
    match api {
        Api::Chat => event_of_chat(error),
        Api::Messages => event_of_messages(error),
        Api::Responses => failed(error),
    }
}

pub(crate) fn event_of_chat(error: &ErrorEvent) -> Value {
    let (kind, message) = (error.kind("server_error"), error.message());
    json!({"error": {"message": message, "type": kind, "param": null, "code": null}})
}

pub(crate) fn event_of_messages(error: &ErrorEvent) -> Value {
    in_messages(error.kind("overloaded_error"), error.message())
}

pub(crate) fn event_of_responses(error: &ErrorEvent) -> Value {
    let (kind, message) = (error.kind("server_error"), error.message());
    match error.form {
        ErrorForm::Failed => json!({"type": "response.failed", "response": failed(error)}),
        ErrorForm::Error => {
            json!({"type": "error", "code": kind, "message": message, "param": null})
        }
    }
}

fn failed(error: &ErrorEvent) -> Value {
    json!({
        "id": "resp_mock",
        "object": "response",
        "created_at": 0,
        "status": "failed",
        "error": {"code": error.kind("server_error"), "message": error.message()},
        "incomplete_details": null,
        "instructions": null,
        "model": "mock-model",
        "output": [],
        "parallel_tool_calls": true,
        "tool_choice": "auto",
        "tools": [],
        "usage": null,
        "metadata": {},
    })
}
