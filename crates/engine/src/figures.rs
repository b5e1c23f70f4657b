//! What a request took: tokens as the server counted them, else estimated, and
//! what they cost by the prices of the model that answered.

use crate::active::{Current, source};
use crate::meter::{Estimate, Sent, Truncated};
use crate::run::Run;
use tenon_model::{Software, estimate_usage};
use tenon_vocab::{Message, Notice, NoticeLevel, Usage};

/// Percent of an estimate; who has read as much has cut nothing off.
const READ: u64 = 70;

/// Puts the figures on the message and adds them to those of the run.
pub(crate) fn count(run: &mut Run, current: &Current, message: &mut Message, usage: Usage) {
    run.tally.usage += usage;
    message.usage = Some(usage);
    if let Some(prices) = current.identity().prices {
        let cost = prices.cost(&usage);
        *run.tally.cost.get_or_insert_default() += cost;
        message.cost = Some(cost);
    }
}

pub(crate) fn estimated(message: &Message, sent: Sent) -> Usage {
    estimate_usage(sent.tokens, message)
}

/// Warns, once in a session, when the server has read far less than was sent.
pub(crate) async fn compare(run: &Run, current: &Current, sent: Sent, reported: Option<Usage>) {
    let Some(usage) = reported.filter(|usage| !usage.estimated) else {
        return;
    };
    current.has_read(usage.input);
    if usage.input >= sent.tokens.saturating_mul(READ) / 100 {
        run.core.compaction.has_read(current, sent.tokens);
    }
    // The markdown dialect sends the tools in another form than was counted.
    let estimate = match current.identity().dialect.as_str() {
        "native" => Estimate::Fitting,
        _ => Estimate::Loose,
    };
    if let Some(truncated) = run.core.meter.note(sent, usage.input, estimate) {
        current.window_settled(&run.token).await;
        run.core
            .emit_or_end(Some(run.id), warning(current, truncated));
    }
}

fn warning(current: &Current, truncated: Truncated) -> Notice {
    let Truncated { read, expected } = truncated;
    let window = match current.window() {
        Some(window) => format!(
            "Its window is {} tokens ({}).",
            window.tokens,
            source(&window)
        ),
        None => String::from("It doesn't report its window."),
    };
    Notice {
        level: NoticeLevel::Warning,
        kind: String::from("truncated"),
        message: format!(
            "The server read only {read} of about {expected} tokens: it probably cut off the start of the conversation, with the instructions and the tools. {window}"
        ),
        hint: Some(format!(
            "Serve the model with a larger window ({}) and set `context_window` to its real size.",
            Software::windows()
        )),
    }
}
