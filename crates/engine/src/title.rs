//! A title for a session, made by a small fast model beside the work: one short
//! request after the first run that was answered, only where the user has named
//! such a model. It may fail, be late or be stopped, and nobody is told. What it
//! took is counted like any other request.

use crate::aside::{self, Answer, Meanwhile, Question};
use crate::core::Core;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tenon_model::{Delivery, Model, Parameters};
use tenon_vocab::{RequestPurpose, Role};

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
        let asking = ask(model, &core, text);
        let answer = tokio::select! {
            biased;
            () = core.inbox.shutdown.cancelled() => None,
            answer = tokio::time::timeout(PATIENCE, asking) => answer.ok().flatten(),
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
            .filter(|message| message.role == role && !message.is_of_shell())
            .map(|message| message.text())
            .find(|text| !text.trim().is_empty())
    };
    let (prompt, answer) = (said(Role::User)?, said(Role::Assistant)?);
    let cut = |text: String| -> String { text.chars().take(SHOWN).collect() };
    let text = format!("User: {}\n\nAssistant: {}", cut(prompt), cut(answer));
    // It goes to another server than the one it was said to.
    Some(core.masker.mask(&text).into_owned())
}

async fn ask(model: Arc<dyn Model>, core: &Core, text: String) -> Option<Answer> {
    let parameters = aside::limited(Parameters::default(), MOST_TOKENS);
    let question = Question {
        model: &*model,
        request: aside::request(SYSTEM.to_owned(), text, parameters, Delivery::Whole),
        retry: &aside::ONCE,
        ambient: &*core.ambient,
        purpose: RequestPurpose::Title,
    };
    let heard = |meanwhile| {
        if let Meanwhile::Asked(asked) = meanwhile {
            core.emit_or_end(None, asked);
        }
        Ok::<(), Infallible>(())
    };
    aside::ask(question, heard).await.ok()
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
    if let Some(mut settings) = aside::counted(core, answer.side) {
        let made = clean(&answer.message.text());
        let made = made.map(|title| core.masker.mask(&title).into_owned());
        settings.title = settings.title.or(made);
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
