//! Asks the model for the summary. It may fail, be stopped or answer with
//! something else; then there is none, and it is said why. What it took is counted
//! like any other request.

use crate::active::Current;
use crate::compact::instruct;
use crate::compact::shares::Shares;
use crate::compact::view::View;
use crate::figures;
use crate::meter::Sent;
use crate::notes::Standing;
use crate::run::{End, Flow, Run};
use crate::stream;
use futures_util::StreamExt;
use tenon_model::{
    Delta, Finished, ModelError, ModelErrorKind, Request, estimate_text, estimate_tokens,
};
use tenon_vocab::{Retry, RunState, SideRequest};

/// Tokens that a thinking model may use before it writes.
const THOUGHT: u64 = 2_000;
/// A shorter answer is no summary.
const LEAST: usize = 40;

/// What came of it.
pub(crate) enum Written {
    Summary(String),
    /// None, and why.
    Not(String),
}

/// What is to be summarised.
pub(crate) struct Wanted<'a> {
    pub(crate) view: &'a View,
    /// The index of the first item that stays.
    pub(crate) cut: usize,
    pub(crate) shares: &'a Shares,
    pub(crate) focus: Option<&'a str>,
    /// The rules that came after the prompt and still hold.
    pub(crate) rules: &'a [Standing],
}

/// How a question went.
enum Answer {
    Text(String),
    /// Nothing that is a summary, and what it was instead.
    Unusable(&'static str),
    Failed(ModelError),
}

pub(crate) async fn summary(
    run: &mut Run,
    current: &Current,
    wanted: &Wanted<'_>,
) -> Flow<Written> {
    let shares = wanted.shares;
    let previous = wanted
        .view
        .previous
        .as_ref()
        .map(|compacted| compacted.summary.as_str())
        .filter(|summary| !summary.is_empty());
    let text = instruct::instruction(shares.summary, wanted.focus, previous);
    let most = Some(shares.summary.saturating_mul(2) + THOUGHT);
    let template = run.context.request(&run.core, current, run.core.delivery);
    let room = shares.summary + estimate_text(&text);
    // The same prefix first: the server has it in its cache.
    if estimate_tokens(&template) + room <= shares.limit {
        let request = instruct::warm(template.clone(), text.clone(), most);
        match ask(run, current, request).await? {
            Answer::Text(text) => return Ok(Written::Summary(text)),
            Answer::Unusable(_) => {}
            Answer::Failed(error) if error.kind == ModelErrorKind::ContextOverflow => {}
            Answer::Failed(error) => return Ok(Written::Not(error.message)),
        }
    }
    // Without tools nothing can be called, and what does not fit is left out.
    let fitting = shares
        .limit
        .saturating_sub(shares.summary)
        .saturating_mul(7)
        / 10;
    let request = instruct::cold(&template, wanted.view, wanted.cut, &text, fitting, most);
    Ok(match ask(run, current, request).await? {
        Answer::Text(text) => Written::Summary(text),
        Answer::Unusable(why) => Written::Not(why.to_owned()),
        Answer::Failed(error) => Written::Not(error.message),
    })
}

/// One question, and again where that may help: as often, as late and as audibly
/// as for a step.
async fn ask(run: &mut Run, current: &Current, request: Request) -> Flow<Answer> {
    let mut attempt = 0;
    loop {
        let error = match once(run, current, request.clone()).await? {
            Answer::Failed(error) => error,
            other => return Ok(other),
        };
        attempt += 1;
        let jitter = run.core.ambient.jitter();
        let Some(pause) = run.core.retry.pause(attempt, &error, jitter) else {
            return Ok(Answer::Failed(error));
        };
        let why = error.message.trim_end_matches('.');
        run.emit(Retry {
            attempt,
            of: run.core.retry.attempts,
            delay_ms: u64::try_from(pause.as_millis()).unwrap_or(u64::MAX),
            reason: format!("the summary: {why}"),
        })?;
        tokio::select! {
            biased;
            () = run.token.cancelled() => return Err(End::Interrupted),
            () = tokio::time::sleep(pause) => {}
        }
    }
}

async fn once(run: &mut Run, current: &Current, request: Request) -> Flow<Answer> {
    let sent = Sent::of(&request);
    // A model writes for minutes, and nothing of it is shown: a screen says that
    // it is waited for.
    run.state(RunState::ModelGenerating);
    let mut stream = current.model.stream(request);
    loop {
        let item = tokio::select! {
            biased;
            () = run.token.cancelled() => return Err(End::Interrupted),
            item = stream.next() => item,
        };
        match item {
            Some(Ok(Delta::Finished(finished))) => {
                drop(stream);
                let said = finished.message.text();
                count(run, current, &finished, sent)?;
                let called = finished.message.tool_calls().next().is_some();
                return Ok(match clean(&said) {
                    Some(text) => Answer::Text(text),
                    None if called => Answer::Unusable("it called a tool instead"),
                    None if said.trim().is_empty() => Answer::Unusable("its answer was empty"),
                    None => Answer::Unusable("its answer was too short"),
                });
            }
            Some(Ok(Delta::Adapted(adapted))) => stream::adapt(&run.core, run.id, adapted)?,
            // It is no part of the conversation, so nobody reads it as it comes.
            Some(Ok(
                Delta::Text(_)
                | Delta::Reasoning(_)
                | Delta::ToolCall { .. }
                | Delta::Reading { .. },
            )) => {}
            Some(Err(error)) => return Ok(Answer::Failed(error)),
            None => {
                let error = ModelError::new(
                    ModelErrorKind::Protocol,
                    "the model's stream ended without an end",
                );
                return Ok(Answer::Failed(error));
            }
        }
    }
}

/// In the figures of the run and of the session, as a request on the side.
fn count(run: &mut Run, current: &Current, finished: &Finished, sent: Sent) -> Flow<()> {
    let usage = finished
        .usage
        .unwrap_or_else(|| figures::estimated(&finished.message, sent));
    let identity = current.identity();
    let cost = identity.prices.map(|prices| prices.cost(&usage));
    run.tally.usage += usage;
    if let Some(cost) = cost {
        *run.tally.cost.get_or_insert_default() += cost;
    }
    let known = run.core.emitter.state(|state| state.settings().cloned());
    let mut settings = known.unwrap_or_else(|| run.core.settings.clone());
    settings.side = Some(Box::new(SideRequest {
        provider: identity.endpoint.clone(),
        model: identity.model.clone(),
        usage,
        cost,
    }));
    run.emit(settings)?;
    Ok(())
}

/// The summary without what models put around it.
fn clean(text: &str) -> Option<String> {
    let mut text = text.trim();
    for (open, close) in [
        ("```markdown", "```"),
        ("```md", "```"),
        ("```", "```"),
        ("<summary>", "</summary>"),
    ] {
        if let Some(inside) = text
            .strip_prefix(open)
            .and_then(|rest| rest.strip_suffix(close))
        {
            text = inside.trim();
        }
    }
    (text.chars().count() >= LEAST).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn a_summary_comes_out_of_its_wrapping_and_a_word_is_none() {
        let body = "## Objective\nPort the parser to the new lexer, all of it.";
        for wrapped in [
            body.to_owned(),
            format!("```markdown\n{body}\n```"),
            format!("\n<summary>\n{body}\n</summary>\n"),
        ] {
            assert_eq!(clean(&wrapped).as_deref(), Some(body));
        }
        assert_eq!(clean("ok"), None);
        assert_eq!(clean(""), None);
    }
}
