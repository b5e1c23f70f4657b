//! The figures of a session that add up event by event. One set of rules for
//! the state that the engine works with and for the digest that lists show.

use serde::{Deserialize, Serialize};
use tenon_vocab::{
    ContextChange, Cost, Event, EventKind, ModelTotals, RunOrigin, RunStarted, Settings, Usage,
};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Totals {
    pub settings: Option<Settings>,
    /// Of the first run that was a prompt.
    pub prompt: String,
    pub runs: u32,
    pub compactions: u32,
    #[serde(default)]
    pub reverts: u32,
    /// All messages, those of child runs and abandoned ones too, and what was
    /// asked on the side: they were paid.
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
                    let (provider, model) = self.asked();
                    self.count(provider, model, usage, message.cost);
                }
            }
            _ if event.parent.is_some() => {}
            EventKind::RunStarted(started) => {
                if !is_compaction(started) {
                    self.runs = self.runs.saturating_add(1);
                }
                let is_prompt = matches!(started.origin, RunOrigin::Prompt | RunOrigin::FollowUp);
                if self.prompt.is_empty() && is_prompt {
                    self.prompt.clone_from(&started.prompt);
                }
            }
            EventKind::Settings(settings) => {
                let mut settings = settings.clone();
                if let Some(side) = settings.side.take() {
                    let side = *side;
                    self.count(side.provider, side.model, side.usage, side.cost);
                }
                self.settings = Some(settings);
            }
            EventKind::Context(ContextChange::Compacted(_)) => {
                self.compactions = self.compactions.saturating_add(1);
            }
            EventKind::Context(ContextChange::Reverted(_)) => {
                self.reverts = self.reverts.saturating_add(1);
            }
            _ => {}
        }
    }

    /// The same without what it took.
    pub fn apply_unpaid(&mut self, event: &Event) {
        let usage = self.usage;
        let models = std::mem::take(&mut self.models);
        self.apply(event);
        self.usage = usage;
        self.models = models;
    }

    /// Whoever the settings name was asked.
    fn asked(&self) -> (String, String) {
        match &self.settings {
            Some(settings) => (settings.provider.clone(), settings.model.clone()),
            None => Default::default(),
        }
    }

    fn count(&mut self, provider: String, model: String, usage: Usage, cost: Option<Cost>) {
        self.usage += usage;
        let known = |entry: &ModelTotals| entry.provider == provider && entry.model == model;
        let at = self.models.iter().position(known).unwrap_or_else(|| {
            self.models.push(ModelTotals {
                provider,
                model,
                ..ModelTotals::default()
            });
            self.models.len() - 1
        });
        if let Some(entry) = self.models.get_mut(at) {
            entry.requests = entry.requests.saturating_add(1);
            entry.usage += usage;
            if let Some(cost) = cost {
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

/// `/compact` is a run of its own in the log, and nothing that was asked for.
fn is_compaction(started: &RunStarted) -> bool {
    started.origin == RunOrigin::Shell && started.prompt.starts_with("/compact")
}
