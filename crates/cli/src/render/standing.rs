//! A permission that stays is said when it is given, with the way to take it
//! back. An answer names only its choice: the question has the rule.

use tenon_vocab::{Answer, AnsweredBy, Choice, Question, QuestionId};

/// Questions without an answer so far.
#[derive(Debug, Default)]
pub struct Open(Vec<(QuestionId, Vec<Choice>)>);

impl Open {
    pub fn asked(&mut self, question: &Question) {
        self.0.push((question.id.clone(), question.choices.clone()));
    }

    /// What is to be said of this answer.
    pub fn answered(&mut self, answer: &Answer) -> Option<String> {
        let at = self.0.iter().position(|(id, _)| *id == answer.question)?;
        let (_, choices) = self.0.swap_remove(at);
        let taken = choices.iter().find(|one| one.id == answer.choice)?;
        match answer.by {
            AnsweredBy::User => taken.standing(),
            _ => None,
        }
    }
}
