//! The figures of a session that add up event by event. One set of rules for
//! the state that the engine works with and for the digest that lists show.

use serde::{Deserialize, Serialize};
use tenon_vocab::{ContextChange, Event, EventKind, RunOrigin, Settings, Usage};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Totals {
    pub settings: Option<Settings>,
    /// Of the first run that was a prompt.
    pub prompt: String,
    pub runs: u32,
    pub compactions: u32,
    /// All messages, those of child runs and abandoned ones too: they were paid.
    pub usage: Usage,
}

impl Totals {
    pub fn apply(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Message(message) => {
                if let Some(usage) = message.usage {
                    self.usage += usage;
                }
            }
            _ if event.parent.is_some() => {}
            EventKind::RunStarted(started) => {
                self.runs = self.runs.saturating_add(1);
                let is_prompt = matches!(started.origin, RunOrigin::Prompt | RunOrigin::FollowUp);
                if self.prompt.is_empty() && is_prompt {
                    self.prompt.clone_from(&started.prompt);
                }
            }
            EventKind::Settings(settings) => self.settings = Some(settings.clone()),
            EventKind::Context(ContextChange::Compacted(_)) => {
                self.compactions = self.compactions.saturating_add(1);
            }
            _ => {}
        }
    }
}
