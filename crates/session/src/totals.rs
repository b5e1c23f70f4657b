//! The figures of a session that add up event by event. One set of rules for
//! the state that the engine works with and for the digest that lists show.

use serde::{Deserialize, Serialize};
use tenon_vocab::{
    ContextChange, Cost, Event, EventKind, Message, ModelTotals, RunOrigin, Settings, Usage,
};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Totals {
    pub settings: Option<Settings>,
    /// Of the first run that was a prompt.
    pub prompt: String,
    pub runs: u32,
    pub compactions: u32,
    /// All messages, those of child runs and abandoned ones too: they were paid.
    pub usage: Usage,
    /// The same by the model that was asked.
    #[serde(default)]
    pub models: Vec<ModelTotals>,
}

impl Totals {
    pub fn apply(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Message(message) => {
                if let Some(usage) = message.usage {
                    self.usage += usage;
                    self.count(message, usage);
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

    /// Whoever the settings name was asked.
    fn count(&mut self, message: &Message, usage: Usage) {
        let (provider, model) = match &self.settings {
            Some(settings) => (settings.provider.as_str(), settings.model.as_str()),
            None => ("", ""),
        };
        let known = |entry: &ModelTotals| entry.provider == provider && entry.model == model;
        let at = self.models.iter().position(known).unwrap_or_else(|| {
            self.models.push(ModelTotals {
                provider: provider.to_owned(),
                model: model.to_owned(),
                ..ModelTotals::default()
            });
            self.models.len() - 1
        });
        if let Some(entry) = self.models.get_mut(at) {
            entry.requests = entry.requests.saturating_add(1);
            entry.usage += usage;
            if let Some(cost) = message.cost {
                *entry.cost.get_or_insert_default() += cost;
            }
        }
    }

    /// Of all models; `None` where no price is known.
    pub fn cost(&self) -> Option<Cost> {
        let mut sum: Option<Cost> = None;
        for cost in self.models.iter().filter_map(|entry| entry.cost) {
            *sum.get_or_insert_default() += cost;
        }
        sum
    }
}
