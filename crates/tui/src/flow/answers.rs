//! What the user answered: a permission that stays is said, with the way to take
//! it back, and the reason of a no stands where the call would have.

use super::Flow;
use crate::text::Role;
use std::borrow::Cow;
use tenon_vocab::{
    Answer, AnsweredBy, CallId, CallStatus, Choice, Explanation, Question, QuestionId, ToolResult,
};

#[derive(Debug, Default)]
pub(super) struct Answers {
    open: Vec<Open>,
    /// What was said with a no, until the call is refused.
    reasons: Vec<(CallId, String)>,
}

#[derive(Debug)]
struct Open {
    id: QuestionId,
    call: Option<CallId>,
    choices: Vec<Choice>,
}

impl Answers {
    pub(super) fn asked(&mut self, question: &Question) {
        self.open.push(Open {
            id: question.id.clone(),
            call: question.call.clone(),
            choices: question.choices.clone(),
        });
    }

    fn take(&mut self, id: &QuestionId) -> Option<Open> {
        let at = self.open.iter().position(|open| open.id == *id)?;
        Some(self.open.remove(at))
    }

    /// The result with the user's own reason, where one was given.
    pub(super) fn with_reason<'a>(&mut self, result: &'a ToolResult) -> Cow<'a, ToolResult> {
        let at = self
            .reasons
            .iter()
            .position(|(call, _)| *call == result.call);
        let reason = at.map(|at| self.reasons.remove(at).1);
        match (reason, &result.explanation) {
            (Some(reason), Some(explanation)) if result.status == CallStatus::Denied => {
                let explanation = Explanation {
                    said: Some(reason),
                    ..explanation.clone()
                };
                Cow::Owned(ToolResult {
                    explanation: Some(explanation),
                    ..result.clone()
                })
            }
            _ => Cow::Borrowed(result),
        }
    }
}

impl Flow {
    pub(super) fn answered(&mut self, answer: &Answer, columns: usize) {
        let Some(open) = self.answers.take(&answer.question) else {
            return;
        };
        if answer.by != AnsweredBy::User {
            return;
        }
        let text = answer.text.as_deref().unwrap_or_default().trim();
        if let Some(call) = open.call
            && answer.choice == Choice::DENY
            && !text.is_empty()
        {
            self.answers.reasons.push((call, text.to_owned()));
        }
        let taken = open.choices.iter().find(|one| one.id == answer.choice);
        if let Some(said) = taken.and_then(Choice::standing) {
            self.remark(Role::Dim, &said, columns);
        }
    }
}
