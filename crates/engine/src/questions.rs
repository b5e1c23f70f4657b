//! Questions that wait for an answer, by id. The inbox delivers, the gate and
//! `ask_user` wait.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tenon_vocab::{Answer, QuestionId};
use tokio::sync::oneshot;

#[derive(Debug, Default)]
struct Waiting {
    asked: u64,
    open: HashMap<QuestionId, oneshot::Sender<Answer>>,
}

#[derive(Debug, Default)]
pub(crate) struct Questions {
    waiting: Mutex<Waiting>,
}

impl Questions {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn open(&self) -> (QuestionId, oneshot::Receiver<Answer>) {
        let mut waiting = self.lock();
        waiting.asked += 1;
        let id = QuestionId::new(format!("q_{}", waiting.asked));
        let (sender, receiver) = oneshot::channel();
        waiting.open.insert(id.clone(), sender);
        (id, receiver)
    }

    /// Nobody waits any more.
    pub(crate) fn withdraw(&self, id: &QuestionId) {
        self.lock().open.remove(id);
    }

    /// False when no such question waits: too late, or never asked.
    pub(crate) fn deliver(&self, answer: Answer) -> bool {
        let sender = self.lock().open.remove(&answer.question);
        sender.is_some_and(|sender| sender.send(answer).is_ok())
    }
}
