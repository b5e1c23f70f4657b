//! Puts a question to whoever is in front, and waits for the answer or for the
//! run's end. The question is on disk before it is shown.

use crate::core::Core;
use crate::parts::{Approval, Confirm};
use tenon_session::SessionError;
use tenon_tools::HostReply;
use tenon_vocab::names::tool;
use tenon_vocab::{
    Answer, AnsweredBy, CallId, Choice, Display, Question, QuestionId, QuestionKind, RunId,
    RunState, StateChanged,
};
use tokio_util::sync::CancellationToken;

/// Asks and records both question and answer. The question's id is given here.
pub(crate) async fn question(
    core: &Core,
    run: RunId,
    token: &CancellationToken,
    make: impl FnOnce(QuestionId) -> Question,
) -> Result<Answer, SessionError> {
    let (id, receiver) = core.questions.open();
    let question = make(id.clone());
    let choices = question.choices.clone();
    core.emitter.emit(Some(run), question)?;
    core.emitter.sync()?;
    core.emitter
        .emit(Some(run), StateChanged::from(RunState::AwaitingPermission))?;
    let nobody = |by| Answer {
        question: id.clone(),
        choice: Choice::DENY.to_owned(),
        text: None,
        by,
        call: None,
    };
    let answer = tokio::select! {
        biased;
        () = token.cancelled() => nobody(AnsweredBy::Interrupt),
        answer = receiver => answer.map_or_else(
            |_| nobody(AnsweredBy::Nobody),
            |answer| meant(answer, &choices),
        ),
    };
    core.questions.withdraw(&id);
    core.emitter.emit(Some(run), answer.clone())?;
    Ok(answer)
}

/// A choice that wants its word typed is a no without it, whichever front end
/// the answer came from.
fn meant(answer: Answer, choices: &[Choice]) -> Answer {
    let answer = Answer {
        call: None,
        ..answer
    };
    let wanted = choices
        .iter()
        .find(|choice| choice.id == answer.choice)
        .and_then(|choice| choice.typed.as_deref());
    match wanted {
        Some(word) if answer.text.as_deref().map(str::trim) != Some(word) => Answer {
            choice: Choice::DENY.to_owned(),
            text: Some(format!("`{word}` was not typed, which this needs")),
            ..answer
        },
        _ => answer,
    }
}

/// The `ask_user` tool.
pub(crate) async fn user(
    core: &Core,
    run: RunId,
    token: &CancellationToken,
    call: &CallId,
    text: String,
    options: Vec<String>,
) -> HostReply {
    if matches!(
        core.approval,
        Approval::Nobody | Approval::Yes(Confirm::Nobody)
    ) {
        return HostReply::Unavailable(String::from(
            "nobody is there to answer; decide yourself and say what you assumed",
        ));
    }
    let choices = options
        .iter()
        .zip('1'..='9')
        .map(|(label, key)| Choice {
            id: key.to_string(),
            key,
            label: label.clone(),
            rule: None,
            typed: None,
        })
        .collect();
    let asked = question(core, run, token, |id| Question {
        id,
        kind: QuestionKind::AskUser,
        title: String::from("The agent asks"),
        body: text,
        display: Display::Nothing,
        choices,
        free_text: true,
        call: Some(call.clone()),
        tool: Some(String::from(tool::ASK_USER)),
        reason: None,
        intent: None,
        affects: Vec::new(),
        calls: Vec::new(),
        class: None,
    })
    .await;
    match asked {
        Err(error) => HostReply::Unavailable(error.to_string()),
        Ok(answer) if answer.by == AnsweredBy::Interrupt => {
            HostReply::Unavailable(String::from("interrupted before an answer"))
        }
        Ok(answer) => reply(&answer, &options),
    }
}

/// Free text first; else the option that was chosen.
fn reply(answer: &Answer, options: &[String]) -> HostReply {
    if let Some(text) = answer.text.as_ref().filter(|text| !text.trim().is_empty()) {
        return HostReply::Answer(text.clone());
    }
    let chosen = answer
        .choice
        .parse::<usize>()
        .ok()
        .and_then(|n| options.get(n.checked_sub(1)?));
    match chosen {
        Some(option) => HostReply::Answer(option.clone()),
        None => HostReply::Unavailable(String::from("the user gave no answer")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(choice: &str, text: Option<&str>) -> Answer {
        let choices = [
            Choice {
                id: Choice::ONCE.to_owned(),
                key: 'y',
                label: String::from("allow once"),
                rule: None,
                typed: Some(Choice::YES.to_owned()),
            },
            Choice {
                id: Choice::DENY.to_owned(),
                key: 'n',
                label: String::from("deny"),
                rule: None,
                typed: None,
            },
        ];
        let answer = Answer {
            question: QuestionId::new("q_1"),
            choice: choice.to_owned(),
            text: text.map(str::to_owned),
            by: AnsweredBy::Client,
            call: None,
        };
        meant(answer, &choices)
    }

    #[test]
    fn a_choice_without_its_word_is_a_no() {
        assert_eq!(given("once", None).choice, "deny");
        assert_eq!(given("once", Some("y")).choice, "deny");
        assert_eq!(given("once", Some("yes")).choice, "once");
        let no = given("deny", Some("because"));
        assert_eq!(
            (no.choice.as_str(), no.text.as_deref()),
            ("deny", Some("because"))
        );
    }
}
