//! One step's question to the model: context becomes a request, the reply
//! becomes a message. Tries again where that may help, and says so.

use crate::mask;
use crate::run::{End, Flow, Run};
use crate::stream::{self, Collected, Partial};
use tenon_model::{
    Arguments, Delivery, Finished, ModelError, ModelErrorKind, estimate_tokens, make_ids_unique,
    parse_arguments,
};
use tenon_session::FrameOf;
use tenon_tools::input;
use tenon_vocab::{
    Message, Notice, NoticeLevel, Part, Retry, RunState, Segment, Status, StopReason, ToolCallPart,
    Usage,
};

/// What the model wants next.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) calls: Vec<ToolCallPart>,
    pub(crate) stop: StopReason,
}

pub(crate) async fn ask(run: &mut Run) -> Flow<Reply> {
    run.begin_step()?;
    let mut delivery = run.core.delivery;
    let mut failures = 0;
    loop {
        run.state(RunState::ModelGenerating);
        let request = run.context.request(&run.core, delivery);
        let estimate = estimate_tokens(&request);
        match stream::collect(&run.core, run.id, &run.token, request).await {
            Collected::Finished(finished) => {
                if delivery == Delivery::Streamed && has_unusable_call(run, &finished) {
                    abandon_for_whole(run, *finished)?;
                    delivery = Delivery::Whole;
                    continue;
                }
                return record(run, *finished, estimate);
            }
            Collected::Interrupted(partial) => {
                keep(run, partial, Status::Interrupted)?;
                return Err(End::Interrupted);
            }
            Collected::Log(error) => return Err(End::Log(error)),
            Collected::Failed(error, partial) => {
                failures += 1;
                try_again(run, failures, error, partial).await?;
            }
        }
    }
}

/// Waits before the next try, or ends the run.
async fn try_again(run: &mut Run, attempt: u32, error: ModelError, partial: Partial) -> Flow<()> {
    let jitter = run.core.ambient.jitter();
    let Some(pause) = run.core.retry.pause(attempt, &error, jitter) else {
        keep(run, partial, Status::Broken)?;
        return Err(fail(run, &error));
    };
    keep(run, partial, Status::Abandoned)?;
    run.emit(Retry {
        attempt,
        of: run.core.retry.attempts,
        delay_ms: u64::try_from(pause.as_millis()).unwrap_or(u64::MAX),
        reason: reason(attempt, &error),
    })?;
    tokio::select! {
        biased;
        () = run.token.cancelled() => Err(End::Interrupted),
        () = tokio::time::sleep(pause) => Ok(()),
    }
}

/// Why it is tried again; the first time with what the user could do meanwhile.
fn reason(attempt: u32, error: &ModelError) -> String {
    let message = error.message.trim_end_matches('.');
    match &error.hint {
        Some(hint) if attempt == 1 => format!("{message}. {}", hint.trim_end_matches('.')),
        _ => message.to_owned(),
    }
}

/// Tells the user why the model did not answer.
fn fail(run: &Run, error: &ModelError) -> End {
    let kind = match error.kind {
        ModelErrorKind::Network => "network",
        ModelErrorKind::Timeout => "timeout",
        ModelErrorKind::Stalled => "stalled",
        ModelErrorKind::Broken => "stream_broken",
        ModelErrorKind::Auth => "auth",
        ModelErrorKind::NotFound => "not_found",
        ModelErrorKind::RateLimited => "rate_limited",
        ModelErrorKind::Unavailable => "unavailable",
        ModelErrorKind::ContextOverflow => "context_overflow",
        ModelErrorKind::Rejected => "rejected",
        ModelErrorKind::Protocol => "protocol",
        ModelErrorKind::Configuration => "configuration",
    };
    run.core.emit_or_end(
        Some(run.id),
        Notice {
            level: NoticeLevel::Error,
            kind: kind.to_owned(),
            message: error.message.clone(),
            hint: error.hint.clone(),
        },
    );
    End::Told(error.message.clone())
}

/// Keeps what had arrived of a reply that did not end well.
fn keep(run: &Run, partial: Partial, status: Status) -> Flow<()> {
    if partial.is_empty() {
        return Ok(());
    }
    let found = partial.found.clone();
    let message = partial.into_message();
    let in_context = message.in_context && status != Status::Abandoned;
    run.emit(Message {
        status,
        in_context,
        ..message
    })?;
    run.core.emitter.superseded(&FrameOf::Message)?;
    mask::told(run, "AfterModelResponse", &found.counts())
}

/// A call whose arguments did not survive streaming: some servers lose them
/// only then, so it is asked for once more without.
fn has_unusable_call(run: &Run, finished: &Finished) -> bool {
    finished.stop != StopReason::MaxTokens
        && finished
            .message
            .tool_calls()
            .any(|call| match parse_arguments(&call.arguments) {
                Arguments::Object(_) => false,
                Arguments::Invalid { .. } => true,
                Arguments::Empty => needs_input(run, &call.name),
            })
}

fn needs_input(run: &Run, name: &str) -> bool {
    let name = input::canonical_name(name).unwrap_or(name);
    run.core.toolbox.get(name).is_some_and(|tool| {
        tool.spec()
            .parameters
            .get("required")
            .and_then(|r| r.as_array())
            .is_some_and(|r| !r.is_empty())
    })
}

fn abandon_for_whole(run: &mut Run, finished: Finished) -> Flow<()> {
    run.tally.usage += finished.usage.unwrap_or_default();
    let message = Message {
        status: Status::Abandoned,
        in_context: false,
        ..finished.message
    };
    run.emit(message)?;
    run.core.emitter.superseded(&FrameOf::Message)?;
    run.emit(Retry {
        attempt: 1,
        of: 1,
        delay_ms: 0,
        reason: String::from(
            "the streamed tool call had no usable arguments; asking again without streaming",
        ),
    })?;
    Ok(())
}

/// The reply is whole: to the log, and on.
fn record(run: &mut Run, finished: Finished, estimate: u64) -> Flow<Reply> {
    let Finished {
        mut message,
        stop,
        usage,
        repairs,
    } = finished;
    make_ids_unique(&mut message, &|id| run.context.knows_call(id));
    let calls: Vec<ToolCallPart> = message.tool_calls().cloned().collect();
    let usage = usage.unwrap_or_else(|| estimated(&message, estimate));
    run.tally.usage += usage;
    message.usage = Some(usage);
    message.stop = Some(stop);
    message.segment = Some(if calls.is_empty() {
        Segment::Answer
    } else {
        Segment::Plan
    });
    message.in_context = message.parts.iter().any(|part| match part {
        Part::Text { text } => !text.is_empty(),
        Part::ToolCall(_) => true,
        _ => false,
    });
    let is_empty = !message.in_context;
    run.emit(message)?;
    run.core.emitter.superseded(&FrameOf::Message)?;
    for repair in repairs {
        run.core
            .notice(Some(run.id), NoticeLevel::Info, "repaired_reply", repair);
    }
    if calls.is_empty() {
        remark(run, stop, is_empty);
    }
    Ok(Reply { calls, stop })
}

/// What a person should know of an answer that is not simply whole.
fn remark(run: &Run, stop: StopReason, is_empty: bool) {
    let (kind, message) = match stop {
        StopReason::MaxTokens => (
            "cut",
            "The answer was cut: the limit of output tokens was reached.",
        ),
        StopReason::ContentFilter => (
            "content_filter",
            "The provider's content filter stopped the answer.",
        ),
        _ if is_empty => ("empty_answer", "The model gave an empty answer."),
        _ => return,
    };
    run.core
        .notice(Some(run.id), NoticeLevel::Warning, kind, message);
}

fn estimated(message: &Message, input: u64) -> Usage {
    let bytes: usize = message.parts.iter().map(part_bytes).sum();
    Usage {
        input,
        output: (bytes as u64).div_ceil(4),
        estimated: true,
        ..Usage::default()
    }
}

fn part_bytes(part: &Part) -> usize {
    match part {
        Part::Text { text } | Part::Reasoning { text, .. } => text.len(),
        Part::ToolCall(call) => call.name.len() + call.arguments.len(),
        _ => 0,
    }
}
