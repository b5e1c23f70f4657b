//! One step's question to the model: context becomes a request, the reply
//! becomes a message. Tries again where that may help, and says so.

use crate::active::Current;
use crate::aside;
use crate::compact;
use crate::mask;
use crate::meter::Sent;
use crate::overflow::{self, Fit};
use crate::run::{End, Flow, Run};
use crate::stream::{self, Collected, Partial};
use crate::{figures, recovered, small, todo};
use tenon_model::{
    Arguments, Delivery, Finished, ModelError, ModelErrorKind, make_ids_unique, parse_arguments,
};
use tenon_session::FrameOf;
use tenon_tools::input;
use tenon_vocab::{
    Message, Notice, NoticeLevel, Part, RequestPurpose, Retry, RunState, Segment, Status,
    StopReason, TodoItem, ToolCallPart,
};

/// How a reply ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ending {
    pub(crate) stop: StopReason,
    /// The tokens of the reply, where the server counted them.
    pub(crate) tokens: Option<u64>,
}

impl Ending {
    /// Of a call that no model made.
    pub(crate) const WHOLE: Self = Self {
        stop: StopReason::ToolUse,
        tokens: None,
    };
}

/// What the model wants next.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) calls: Vec<ToolCallPart>,
    pub(crate) ending: Ending,
}

pub(crate) async fn ask(run: &mut Run) -> Flow<Reply> {
    run.begin_step()?;
    let current = run.core.active.get();
    current.window_settled(&run.token).await;
    small::tell(&run.core, Some(run.id));
    let mut delivery = run.core.delivery;
    let mut failures = 0;
    loop {
        run.state(RunState::ModelGenerating);
        let request = run.context.request(&run.core, &current, delivery);
        let sent = Sent::of(&request);
        match overflow::fit(&run.core, &current, sent) {
            Fit::Fits => {}
            Fit::Doubtful(why) => {
                run.core
                    .notice(Some(run.id), NoticeLevel::Warning, "crowded", why);
            }
            Fit::TooLong(error) => {
                compact::after_overflow(run, &error).await?;
                continue;
            }
        }
        let identity = current.identity();
        let asked = aside::asked(RequestPurpose::Step, &identity, &request, sent.tokens);
        run.emit(asked)?;
        match stream::collect(&run.core, run.id, &run.token, &current, request).await {
            Collected::Finished(mut finished) => {
                mind_the_limit(run, &mut finished, sent.limit);
                if delivery == Delivery::Streamed && has_unusable_call(run, &finished) {
                    abandon_for_whole(run, &current, *finished)?;
                    delivery = Delivery::Whole;
                    continue;
                }
                current.look_up_window();
                compact::answered(run);
                return record(run, &current, *finished, sent).await;
            }
            Collected::Interrupted(partial) => {
                keep(run, partial, Status::Interrupted)?;
                return Err(End::Interrupted);
            }
            Collected::Log(error) => return Err(End::Log(error)),
            Collected::Failed(error, partial) if error.kind == ModelErrorKind::ContextOverflow => {
                keep(run, partial, Status::Abandoned)?;
                compact::after_overflow(run, &error).await?;
            }
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

/// How a failure begins that is about the way to the server.
const NO_ANSWER: &str = "No answer from ";

/// Why it is tried again; the first time with what the user could do meanwhile.
fn reason(attempt: u32, error: &ModelError) -> String {
    let message = error.message.trim_end_matches('.');
    // As long as it is tried, it may still come.
    let message = match message.strip_prefix(NO_ANSWER) {
        Some(rest) => &format!("{NO_ANSWER}{}", rest.replacen(": ", " yet: ", 1)),
        None => message,
    };
    match &error.hint {
        Some(hint) if attempt == 1 => format!("{message}. {}", hint.trim_end_matches('.')),
        _ => message.to_owned(),
    }
}

/// Tells the user why the model did not answer.
pub(crate) fn fail(run: &Run, error: &ModelError) -> End {
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

/// Some servers call a reply whole that ran into its limit inside a call. Then
/// its arguments end in the middle, and asking again would end the same way.
fn mind_the_limit(run: &Run, finished: &mut Finished, limit: Option<u64>) {
    let spent = finished.usage.filter(|usage| !usage.estimated);
    let reached = matches!((spent, limit), (Some(usage), Some(limit)) if usage.output >= limit);
    if !reached {
        return;
    }
    let last = finished
        .message
        .parts
        .iter_mut()
        .rev()
        .find_map(|part| match part {
            Part::ToolCall(call) => Some(call),
            _ => None,
        });
    let Some(call) = last else { return };
    match parse_arguments(&call.arguments) {
        Arguments::Object(_) => return,
        Arguments::Invalid { .. } => {}
        // Cut before its first argument: it must not look like one without any.
        Arguments::Empty if needs_input(run, &call.name) => call.arguments = String::from("{"),
        Arguments::Empty => return,
    }
    finished.stop = StopReason::MaxTokens;
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
    run.core.cast.tools().get(name).is_some_and(|tool| {
        tool.spec()
            .parameters
            .get("required")
            .and_then(|r| r.as_array())
            .is_some_and(|r| !r.is_empty())
    })
}

fn abandon_for_whole(run: &mut Run, current: &Current, finished: Finished) -> Flow<()> {
    let mut message = Message {
        status: Status::Abandoned,
        in_context: false,
        ..finished.message
    };
    if let Some(usage) = finished.usage {
        figures::count(run, current, &mut message, usage);
    }
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
async fn record(run: &mut Run, current: &Current, finished: Finished, sent: Sent) -> Flow<Reply> {
    let (finished, found) = recovered::calls(run, current, finished);
    let Finished {
        mut message,
        stop,
        usage,
        repairs,
        todo,
    } = finished;
    make_ids_unique(&mut message, &|id| run.context.knows_call(id));
    let calls: Vec<ToolCallPart> = message.tool_calls().cloned().collect();
    let counted = usage.unwrap_or_else(|| figures::estimated(&message, sent));
    figures::count(run, current, &mut message, counted);
    message.estimated = usage.filter(|usage| !usage.estimated).map(|_| sent.tokens);
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
    let said = if message.in_context {
        Said::Something
    } else {
        Said::Nothing
    };
    run.emit(message)?;
    run.core.emitter.superseded(&FrameOf::Message)?;
    tell(run, "repaired_reply", repairs);
    tell(run, "recovered_call", found);
    note_todo(run, todo)?;
    figures::compare(run, current, sent, usage).await;
    if calls.is_empty() {
        remark(run, stop, said);
    }
    let tokens = usage.map(|usage| usage.output);
    Ok(Reply {
        calls,
        ending: Ending { stop, tokens },
    })
}

fn tell(run: &Run, kind: &str, notes: Vec<String>) {
    for note in notes {
        run.core.notice(Some(run.id), NoticeLevel::Info, kind, note);
    }
}

/// The task list that a reply carries, when it is another one (K3).
fn note_todo(run: &Run, todo: Option<Vec<TodoItem>>) -> Flow<()> {
    let Some(items) = todo else { return Ok(()) };
    Ok(todo::replace(&run.core, run.id, items)?)
}

/// Whether a reply brought anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Something,
    Nothing,
}

/// What a person should know of an answer that is not simply whole.
fn remark(run: &Run, stop: StopReason, said: Said) {
    let (kind, message) = match (stop, said) {
        (StopReason::MaxTokens, _) => (
            "cut",
            "The answer was cut off: it reached the limit of output tokens.",
        ),
        (StopReason::ContentFilter, _) => (
            "content_filter",
            "The provider's content filter stopped the answer.",
        ),
        (_, Said::Nothing) => ("empty_answer", "The model gave an empty answer."),
        (_, Said::Something) => return,
    };
    run.core
        .notice(Some(run.id), NoticeLevel::Warning, kind, message);
}
