//! A title for a session, made by a small fast model beside the work: one short
//! request after the first run that was answered, only where the user has named
//! such a model. It may fail, be late or be stopped, and nobody is told. What it
//! took is counted like any other request.

use crate::core::Core;
use futures_util::StreamExt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tenon_model::{
    Delivery, Delta, Entry, Model, Parameters, Prefix, Request, estimate_tokens, estimate_usage,
};
use tenon_vocab::{Message, Role, SideRequest};

const PATIENCE: Duration = Duration::from_secs(10);
const MOST_TOKENS: u64 = 30;
/// Characters of the prompt and of the answer that are shown for it.
const SHOWN: usize = 500;
const LONGEST: usize = 80;

const SYSTEM: &str = "You name conversations. Reply with a title of at most six words for the conversation that you are shown, in its language, and with nothing else.";

/// Begins to make a title where one is wanted. Never waits.
pub(crate) fn begin(core: &Arc<Core>) {
    let Some(model) = core.models.as_ref().and_then(|models| models.small()) else {
        return;
    };
    let Some(text) = conversation(core) else {
        return;
    };
    if core.titled.swap(true, Ordering::Relaxed) {
        return;
    }
    let core = Arc::clone(core);
    tokio::spawn(async move {
        let answer = tokio::select! {
            biased;
            () = core.inbox.shutdown.cancelled() => None,
            answer = tokio::time::timeout(PATIENCE, ask(model, text)) => answer.ok().flatten(),
        };
        // After a shutdown the log is being closed.
        if let Some(answer) = answer
            && !core.inbox.shutdown.is_cancelled()
        {
            record(&core, answer);
        }
    });
}

/// What the title is made from; `None` when there is one or nothing was said.
fn conversation(core: &Core) -> Option<String> {
    let untitled = core
        .emitter
        .state(|state| state.settings().is_none_or(|known| known.title.is_none()));
    if !untitled {
        return None;
    }
    let (_, _, messages) = core.emitter.history(0);
    let said = |role: Role| {
        messages
            .iter()
            .filter(|message| message.role == role)
            .map(|message| message.text())
            .find(|text| !text.trim().is_empty())
    };
    let (prompt, answer) = (said(Role::User)?, said(Role::Assistant)?);
    let cut = |text: String| -> String { text.chars().take(SHOWN).collect() };
    let text = format!("User: {}\n\nAssistant: {}", cut(prompt), cut(answer));
    // It goes to another server than the one it was said to.
    Some(core.masker.mask(&text).into_owned())
}

struct Answer {
    title: Option<String>,
    side: SideRequest,
}

async fn ask(model: Arc<dyn Model>, text: String) -> Option<Answer> {
    let request = Request {
        prefix: Arc::new(Prefix {
            system: String::from(SYSTEM),
            tools: Vec::new(),
        }),
        entries: vec![Arc::new(Entry::new(Arc::new(Message::user(text))))],
        parameters: Parameters {
            max_tokens: Some(MOST_TOKENS),
            ..Parameters::default()
        },
        delivery: Delivery::Whole,
        cache_key: None,
        room: None,
    };
    let sent = estimate_tokens(&request);
    let mut stream = model.stream(request);
    while let Some(delta) = stream.next().await {
        if let Delta::Finished(finished) = delta.ok()? {
            let said = finished.message.text();
            let usage = finished
                .usage
                .unwrap_or_else(|| estimate_usage(sent, &finished.message));
            let identity = model.identity();
            return Some(Answer {
                title: clean(&said),
                side: SideRequest {
                    provider: identity.endpoint.clone(),
                    model: identity.model.clone(),
                    usage,
                    cost: identity.prices.map(|prices| prices.cost(&usage)),
                },
            });
        }
    }
    None
}

/// The first line, without the quotes and marks that models put around it.
fn clean(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let line = line
        .trim_start_matches("Title:")
        .trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '#' | '*' | '`'))
        .trim_end_matches('.');
    let title: String = line
        .chars()
        .filter(|c| !c.is_control())
        .take(LONGEST)
        .collect();
    (!title.trim().is_empty()).then_some(title)
}

/// A title of the user's own, given meanwhile, stays; the request was paid.
fn record(core: &Core, answer: Answer) {
    let known = core.emitter.state(|state| state.settings().cloned());
    if let Some(mut settings) = known {
        let made = answer
            .title
            .map(|title| core.masker.mask(&title).into_owned());
        settings.title = settings.title.or(made);
        settings.side = Some(Box::new(answer.side));
        core.emit_or_end(None, settings);
    }
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn a_title_is_one_plain_line() {
        assert_eq!(
            clean("\n**\"Fix the parser\"**\nmore"),
            Some("Fix the parser".into())
        );
        assert_eq!(clean("# Title\u{1b}[2J."), Some("Title[2J".into()));
        assert_eq!(clean(" \n\t"), None);
        assert_eq!(clean(&"x".repeat(500)).map(|title| title.len()), Some(80));
    }
}
