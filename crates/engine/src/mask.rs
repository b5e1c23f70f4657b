//! Takes secrets out of what the engine is about to record (H3, H6): the one
//! place is [`Emitter::emit`](crate::emit::Emitter), which sends every event
//! through [`event`] before it is appended, so that log, stream and history hold
//! the same masked form.
//!
//! What a person typed is left as typed, and so are checkpoints and blobs. A call
//! runs with the exact input that the model gave; only the record of it is masked,
//! and of a question only what leaves it readable.

mod question;
mod withheld;

use crate::core::Core;
use crate::run::{Flow, Run};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;
use tenon_policy::{Findings, Masker};
use tenon_vocab::names::tool;
use tenon_vocab::{
    Envelope, EventKind, HookFired, Message, Origin, Part, ToolCallPart, ToolOutput, ToolResult,
    ToolUse,
};
use withheld::Withheld;

/// The name under which the masking is listed with the hooks.
const HOOK: &str = "mask-secrets";

/// The tool whose result a person has typed.
const TYPED: &str = tool::ASK_USER;

/// The event as it may be recorded, and what was masked in it.
pub(crate) fn event(masker: &Masker, kind: EventKind) -> (EventKind, Findings) {
    let mut found = Findings::default();
    let kind = match kind {
        EventKind::Message(message) => {
            EventKind::Message(masked_message(masker, message, &mut found))
        }
        EventKind::ToolUse(used) => EventKind::ToolUse(tool_use(masker, used, &mut found)),
        EventKind::ToolResult(result) if result.name != TYPED => {
            EventKind::ToolResult(tool_result(masker, result, &mut found))
        }
        EventKind::Question(it) => EventKind::Question(question::question(masker, it, &mut found)),
        EventKind::RunFinished(it) => EventKind::RunFinished(any(masker, it, &mut found)),
        EventKind::Notice(it) => EventKind::Notice(any(masker, it, &mut found)),
        EventKind::Retry(it) => EventKind::Retry(any(masker, it, &mut found)),
        EventKind::Job(it) => EventKind::Job(any(masker, it, &mut found)),
        EventKind::Hook(it) => EventKind::Hook(any(masker, it, &mut found)),
        EventKind::Review(it) => EventKind::Review(any(masker, it, &mut found)),
        EventKind::Mcp(it) => EventKind::Mcp(any(masker, it, &mut found)),
        EventKind::Todo(it) => EventKind::Todo(any(masker, it, &mut found)),
        EventKind::Other(mut it) => {
            for value in it.fields.values_mut() {
                masker.mask_value(value, &mut found);
            }
            EventKind::Other(it)
        }
        // What a person typed, what was masked before it came here, and records
        // without words of a model, a tool or a server.
        kept @ (EventKind::Meta(_)
        | EventKind::RunStarted(_)
        | EventKind::State(_)
        | EventKind::ModelRequest(_)
        | EventKind::MessageDelta(_)
        | EventKind::ToolDelta(_)
        | EventKind::ToolResult(_)
        | EventKind::Answer(_)
        | EventKind::Context(_)
        | EventKind::Snapshot(_)
        | EventKind::Checkpoint(_)
        | EventKind::Settings(_)
        | EventKind::Interrupted(_)) => kept,
    };
    (kind, found)
}

/// What is said of an event in which something was masked: once for a message and
/// once for a result.
pub(crate) fn remark(kind: &EventKind, found: &Findings) -> Option<HookFired> {
    let event = match kind {
        // Its result has said it.
        EventKind::Message(message) if message.is_of_shell() => return None,
        EventKind::Message(_) => "AfterModelResponse",
        EventKind::ToolResult(_) => "PostToolUse",
        _ => return None,
    };
    (!found.is_empty()).then(|| fired(event, found))
}

fn fired(event: &str, found: &Findings) -> HookFired {
    HookFired {
        event: event.to_owned(),
        hook: HOOK.to_owned(),
        result: String::from("warn"),
        message: Some(found.to_string()),
        duration_ms: 0,
    }
}

/// Masks a message that was not typed by a person. Reasoning that its provider
/// has signed cannot be changed, so it goes as a whole.
fn masked_message(masker: &Masker, message: Message, found: &mut Findings) -> Message {
    if matches!(message.origin, Origin::User | Origin::Steer) {
        return message;
    }
    let parts = message.parts.into_iter();
    let parts = parts.filter_map(|part| masked_part(masker, part, found));
    Message {
        parts: parts.collect(),
        ..message
    }
}

fn masked_part(masker: &Masker, part: Part, found: &mut Findings) -> Option<Part> {
    let before = found.total();
    match part {
        Part::Text { text } => Some(Part::Text {
            text: masked(masker, text, found),
        }),
        Part::Reasoning {
            text,
            signature,
            provider,
        } => {
            let text = masked(masker, text, found);
            let keep = signature.is_none() || found.total() == before;
            keep.then_some(Part::Reasoning {
                text,
                signature,
                provider,
            })
        }
        Part::ToolCall(call) => Some(Part::ToolCall(ToolCallPart {
            arguments: arguments(masker, call.arguments, found),
            ..call
        })),
        Part::Opaque { provider, raw } => {
            let _ = masker.mask_noting(&raw.to_string(), found);
            (found.total() == before).then_some(Part::Opaque { provider, raw })
        }
        other => Some(other),
    }
}

/// Arguments stay the exact string that came unless a secret is in them; then
/// they are written anew, so that a marker never breaks the JSON. It is looked for
/// in the strings and in the JSON: some shapes are seen only in one of them.
fn arguments(masker: &Masker, text: String, found: &mut Findings) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(&text) else {
        return masked(masker, text, found);
    };
    let mut here = Findings::default();
    masker.mask_value(&mut value, &mut here);
    if here.is_empty() && matches!(masker.mask(&text), Cow::Borrowed(_)) {
        return text;
    }
    found.add(&here);
    value.to_string()
}

fn masked(masker: &Masker, text: String, found: &mut Findings) -> String {
    match masker.mask_noting(&text, found) {
        Cow::Owned(masked) => masked,
        Cow::Borrowed(_) => text,
    }
}

/// Masks whatever has strings, each for itself and the lines of a key over several
/// of them; what cannot be put together again is recorded without its words.
fn any<T>(masker: &Masker, whole: T, found: &mut Findings) -> T
where
    T: Serialize + DeserializeOwned + Withheld,
{
    let Ok(mut value) = serde_json::to_value(&whole) else {
        return whole.withheld();
    };
    let mut here = Findings::default();
    masker.mask_value(&mut value, &mut here);
    if here.is_empty() {
        return whole;
    }
    found.add(&here);
    serde_json::from_value(value).unwrap_or_else(|_| whole.withheld())
}

fn tool_use(masker: &Masker, mut used: ToolUse, found: &mut Findings) -> ToolUse {
    masker.mask_value(&mut used.input, found);
    used.explanation = any(masker, used.explanation, found);
    used
}

fn tool_result(masker: &Masker, mut result: ToolResult, found: &mut Findings) -> ToolResult {
    result.model_text = masked(masker, result.model_text, found);
    // The same text in other clothes: it counts once.
    let mut again = Findings::default();
    result.envelope = envelope(masker, result.envelope, &mut again);
    result.display = any(masker, result.display, &mut again);
    result.explanation = result.explanation.map(|it| any(masker, it, &mut again));
    if found.is_empty() {
        found.add(&again);
    }
    result
}

fn envelope(masker: &Masker, envelope: Envelope, found: &mut Findings) -> Envelope {
    match envelope {
        Envelope::Ok(mut data) => {
            masker.mask_value(&mut data, found);
            Envelope::Ok(data)
        }
        Envelope::Err(error) => Envelope::Err(any(masker, error, found)),
    }
}

/// Masks what a call gave, before a hook or a caller sees it.
pub(crate) fn output(core: &Core, name: &str, mut output: ToolOutput) -> ToolOutput {
    if name == TYPED {
        return output;
    }
    let masker: &Arc<Masker> = &core.masker;
    let mut found = Findings::default();
    found.note_many(&output.masked);
    let (mut text, mut again) = (Findings::default(), Findings::default());
    output.model_text = masked(masker, output.model_text, &mut text);
    output.envelope = envelope(masker, output.envelope, &mut again);
    output.display = any(masker, output.display, &mut again);
    found.add(if text.is_empty() { &again } else { &text });
    output.masked = found.counts();
    output
}

/// Says on the record what was masked before the record was made.
pub(crate) fn told(run: &Run, event: &str, masked: &[(String, usize)]) -> Flow<()> {
    let mut found = Findings::default();
    found.note_many(masked);
    if !found.is_empty() {
        run.emit(fired(event, &found))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::event;
    use tenon_policy::Masker;
    use tenon_vocab::{EventKind, Message, Notice, NoticeLevel, Part};

    fn secret() -> String {
        format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
    }

    fn reasoning(text: String, signature: Option<&str>) -> Part {
        Part::Reasoning {
            text,
            signature: signature.map(str::to_owned),
            provider: None,
        }
    }

    #[test]
    fn signed_reasoning_with_a_secret_is_dropped_and_other_reasoning_is_masked() {
        let mut message = Message::assistant("answer");
        message.parts.insert(0, reasoning(secret(), Some("sig")));
        message.parts.insert(1, reasoning(secret(), None));
        message
            .parts
            .insert(2, reasoning(String::from("clean"), Some("sig")));
        let (kind, found) = event(&Masker::standard(), message.into());
        let EventKind::Message(message) = kind else {
            panic!("another kind");
        };
        assert_eq!(
            message.parts,
            [
                reasoning(String::from("[masked:github-token]"), None),
                reasoning(String::from("clean"), Some("sig")),
                Part::text("answer"),
            ]
        );
        assert_eq!(found.total(), 2);
    }

    #[test]
    fn what_cannot_be_masked_is_recorded_without_its_words() {
        // A pattern that also matches a word of the event's own.
        let masker = Masker::with_patterns([("level", "info")]).unwrap();
        let notice = Notice {
            level: NoticeLevel::Info,
            kind: String::from("x"),
            message: secret(),
            hint: Some(secret()),
        };
        let (kind, _) = event(&masker, notice.into());
        let EventKind::Notice(notice) = kind else {
            panic!("another kind");
        };
        assert_eq!(notice.message, super::withheld::WITHHELD);
        assert_eq!((notice.level, notice.hint), (NoticeLevel::Info, None));
    }

    #[test]
    fn every_string_of_a_notice_is_masked() {
        let notice = Notice {
            level: NoticeLevel::Info,
            kind: String::from("x"),
            message: format!("said {}", secret()),
            hint: Some(secret()),
        };
        let (kind, _) = event(&Masker::standard(), notice.into());
        let EventKind::Notice(notice) = kind else {
            panic!("another kind");
        };
        assert_eq!(notice.message, "said [masked:github-token]");
        assert_eq!(notice.hint.as_deref(), Some("[masked:github-token]"));
    }
}
