//! Asks the model for the summary. It may fail, be stopped or answer with
//! something else; then there is none, and it is said why. How a question is sent
//! and counted is in `aside`.

use crate::active::Current;
use crate::aside::{self, Meanwhile};
use crate::compact::instruct;
use crate::compact::shares::Shares;
use crate::compact::view::View;
use crate::notes::Standing;
use crate::run::{End, Flow, Run};
use crate::stream;
use tenon_model::dialect::{REPLY_FORMAT, is_reply};
use tenon_model::{ModelError, ModelErrorKind, Request, estimate_text, estimate_tokens};
use tenon_vocab::{RequestPurpose, Retry, RunState, Settings, SideRequest};

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
    let most = shares.summary.saturating_mul(2) + THOUGHT;
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

/// One question, stopped by an interrupt.
async fn ask(run: &mut Run, current: &Current, request: Request) -> Flow<Answer> {
    let listening = &*run;
    let heard = |meanwhile| {
        match meanwhile {
            Meanwhile::Again(retry) => {
                let reason = format!("the summary: {}", retry.reason);
                listening.emit(Retry { reason, ..retry })?;
                listening.state(RunState::ModelGenerating);
            }
            Meanwhile::Adapted(adapted) => stream::adapt(&listening.core, listening.id, adapted)?,
            Meanwhile::Warned(warned) => stream::warn(&listening.core, listening.id, warned)?,
            Meanwhile::Asked(asked) => drop(listening.emit(asked)?),
        }
        Ok::<(), End>(())
    };
    // A model writes for minutes, and nothing of it is shown: a screen says that
    // it is waited for.
    run.state(RunState::ModelGenerating);
    let question = aside::Question {
        model: &*current.model,
        request,
        retry: &run.core.retry,
        ambient: &*run.core.ambient,
        purpose: RequestPurpose::Compaction,
    };
    let answer = tokio::select! {
        biased;
        () = run.token.cancelled() => return Err(End::Interrupted),
        answer = aside::ask(question, heard) => answer,
    };
    let aside::Answer { message, side } = match answer {
        Ok(answer) => answer,
        Err(aside::Failed::Model(error)) => return Ok(Answer::Failed(error)),
        Err(aside::Failed::Stopped(end)) => return Err(end),
    };
    count(run, side)?;
    let said = message.text();
    // A reply without the form of the dialect is what was asked for.
    let called = message.tool_calls().any(|call| call.name != REPLY_FORMAT);
    let in_form = current.identity().dialect == "markdown" && is_reply(&said);
    Ok(match clean(&said) {
        _ if called => Answer::Unusable("it called a tool instead"),
        Some(_) if in_form => Answer::Unusable("its answer was a reply that could not be read"),
        Some(text) => Answer::Text(text),
        None if said.trim().is_empty() => Answer::Unusable("its answer was empty"),
        None => Answer::Unusable("its answer was too short"),
    })
}

/// In the figures of the run and of the session.
fn count(run: &mut Run, side: SideRequest) -> Flow<()> {
    run.tally.usage += side.usage;
    if let Some(cost) = side.cost {
        *run.tally.cost.get_or_insert_default() += cost;
    }
    let settings = aside::counted(&run.core, side.clone()).unwrap_or_else(|| Settings {
        side: Some(Box::new(side)),
        ..run.core.settings.clone()
    });
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
