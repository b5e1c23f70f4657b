//! What a handoff is made of: the facts of the log, and what was said of them.
//! Only what has been recorded counts: a session that another process writes at
//! this moment is taken as it stands.

use std::sync::Arc;
use tenon_session::{SessionError, Standing};
use tenon_vocab::{Message, Origin, Recap, Role, SessionId, Timestamp};

#[derive(Debug)]
pub struct Facts {
    pub session: SessionId,
    pub recap: Recap,
    pub branch: Option<String>,
    /// When something was last recorded.
    pub written: Option<Timestamp>,
    /// What the model said, in order, as far as it still sees it.
    pub said: Vec<String>,
    /// What stands for the part that it no longer sees.
    pub summary: Option<String>,
}

impl Facts {
    /// # Errors
    /// When the log cannot be read.
    pub fn of(standing: &Standing) -> Result<Self, SessionError> {
        let messages = standing.state().history().messages();
        let text = |message: &Arc<Message>| Some(message.text()).filter(|text| !text.is_empty());
        Ok(Self {
            session: standing.id,
            recap: standing.recap()?,
            branch: standing.state().meta().git_branch.clone(),
            written: Some(standing.updated),
            said: messages
                .iter()
                .filter(|message| message.role == Role::Assistant && !message.is_of_shell())
                .filter_map(text)
                .collect(),
            summary: messages
                .iter()
                .find(|message| message.origin == Origin::Compaction)
                .and_then(text),
        })
    }
}
