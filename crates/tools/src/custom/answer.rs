//! What a custom tool answered: an envelope, any JSON, or text. Everything in
//! it is foreign; a tool can say that it failed, but not that it was denied or
//! interrupted, for those are not its to say.

use crate::contract::Host;
use crate::jobs::{Ended, NotStarted, RunOutcome, Whole, left_out, seconds};
use crate::output::shorten;
use serde_json::{Value, json};
use tenon_vocab::{Display, Envelope, ErrorCode, ToolError, ToolOutput};

/// Bytes of standard error that explain a failure.
const COMPLAINT: usize = 4096;
/// Bytes that a screen shows.
const SCREEN: usize = 8 * 1024;

pub(super) fn answer(name: &str, outcome: &RunOutcome, host: &dyn Host) -> ToolOutput {
    let after = seconds(outcome.duration);
    let mut output = match &outcome.ended {
        Ended::NotStarted(NotStarted::Closing) => {
            ToolOutput::error(ErrorCode::Interrupted, "the session is ending")
        }
        Ended::NotStarted(reason) => ToolOutput::error(ErrorCode::Internal, reason.to_string()),
        Ended::Interrupted => ToolOutput::error(
            ErrorCode::Interrupted,
            format!(
                "`{name}` was interrupted after {after} and killed; part of its work may be \
                 done"
            ),
        ),
        Ended::TimedOut => ToolOutput::error(
            ErrorCode::Timeout,
            format!(
                "`{name}` took longer than {after} and was killed; part of its work may be done. \
                 Ask for less, or raise `timeout_secs` in its tool.json"
            ),
        ),
        Ended::Unknown | Ended::Running(_) => ToolOutput::error(
            ErrorCode::UnknownOutcome,
            format!("Tenon doesn't know how `{name}` ended; check what it did before you continue"),
        ),
        Ended::Exited { .. } => match outcome.exit_code() {
            Some(0) => said(name, outcome, host),
            code => failed(name, outcome, code),
        },
    };
    if let Some(denial) = &outcome.denial {
        output.model_text.push_str(&format!(
            "\n[the sandbox blocked {}; the user can allow it with {}]",
            denial.what, denial.switch
        ));
    }
    for repair in &outcome.repairs {
        output.model_text.push_str(&format!("\n[{repair}]"));
    }
    output.sandbox = Some(outcome.sandbox.clone());
    output.masked = outcome.output.masked.counts();
    output
}

fn said(name: &str, outcome: &RunOutcome, host: &dyn Host) -> ToolOutput {
    let printed = &outcome.output.stdout;
    if printed.left_out_bytes > 0 {
        let text = printed
            .within(host.limits().output_bytes)
            .joined(|excerpt| left_out(excerpt, &outcome.output.whole));
        return plain(name, text.clone(), json!({ "text": text }));
    }
    let text = format!("{}{}", printed.head, printed.tail);
    let Ok(value) = serde_json::from_str::<Value>(&text) else {
        let shown = capped(name, &text, host);
        return plain(name, shown, json!({ "text": text }));
    };
    match value.get("ok").and_then(Value::as_bool) {
        Some(true) => {
            let data = value.get("data").cloned().unwrap_or(Value::Null);
            whole(name, data, host)
        }
        Some(false) => refused(name, value.get("error")),
        None => whole(name, value, host),
    }
}

/// A value as the model reads it: a text as it is, all else as JSON.
fn whole(name: &str, data: Value, host: &dyn Host) -> ToolOutput {
    let text = match &data {
        Value::Null => String::from("(no data)"),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    plain(name, capped(name, &text, host), data)
}

fn capped(name: &str, text: &str, host: &dyn Host) -> String {
    let limit = host.limits().output_bytes;
    if text.trim().is_empty() {
        return String::from("(no output)");
    }
    if text.len() <= limit {
        return text.to_owned();
    }
    let label = format!("{name}-{}-answer", host.call());
    match host.jobs().keep(&label, text) {
        Whole::File(path) | Whole::FileCut(path, _) => shorten(text, limit, Some(&path)),
        Whole::Here | Whole::Lost(_) => shorten(text, limit, None),
    }
}

fn plain(name: &str, text: String, data: Value) -> ToolOutput {
    let lines = text.lines().count();
    let display = Display::Text {
        summary: match lines {
            1 => format!("{name}: 1 line"),
            _ => format!("{name}: {lines} lines"),
        },
        body: shorten(&text, SCREEN, None),
    };
    ToolOutput::ok(data, text, display)
}

/// `{"ok": false, "error": …}`: an object with a message, or just a text.
fn refused(name: &str, error: Option<&Value>) -> ToolOutput {
    let message = match error {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Object(fields)) => fields
            .get("message")
            .and_then(Value::as_str)
            .map_or_else(|| Value::Object(fields.clone()).to_string(), str::to_owned),
        Some(other) => other.to_string(),
        None => format!("`{name}` failed without saying why"),
    };
    let code = error
        .and_then(|error| error.get("code"))
        .and_then(|code| serde_json::from_value(code.clone()).ok())
        .filter(|code| ITS_OWN.contains(code))
        .unwrap_or(ErrorCode::Internal);
    let mut output = ToolOutput::error(code, shorten(&message, COMPLAINT, None));
    if let (Envelope::Err(ToolError { details, .. }), Some(given)) = (
        &mut output.envelope,
        error.and_then(|error| error.get("details")),
    ) {
        *details = Some(given.clone());
    }
    output
}

/// The codes that a tool may give itself.
const ITS_OWN: [ErrorCode; 8] = [
    ErrorCode::InvalidInput,
    ErrorCode::PathError,
    ErrorCode::ReadError,
    ErrorCode::WriteError,
    ErrorCode::MkdirError,
    ErrorCode::Timeout,
    ErrorCode::NotFound,
    ErrorCode::NoChange,
];

fn failed(name: &str, outcome: &RunOutcome, code: Option<i32>) -> ToolOutput {
    let printed = &outcome.output.stdout;
    let envelope: Option<Value> =
        serde_json::from_str(&format!("{}{}", printed.head, printed.tail)).ok();
    let told = envelope.filter(|value| value.get("ok") == Some(&Value::Bool(false)));
    if let Some(told) = told {
        return refused(name, told.get("error"));
    }
    let code = code.map_or_else(|| String::from("an unknown code"), |code| code.to_string());
    let stderr = outcome.output.stderr.within(COMPLAINT);
    let why = stderr.joined(|excerpt| left_out(excerpt, &outcome.output.whole));
    let why = match why.trim() {
        "" => String::from("standard error is empty"),
        why => why.to_owned(),
    };
    ToolOutput::error(
        ErrorCode::Internal,
        format!("`{name}` failed with exit code {code}: {why}"),
    )
}
