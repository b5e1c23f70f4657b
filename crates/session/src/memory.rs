//! The log of a session that is not saved: the last events in memory, for a
//! reader that lags. Bounded, because such a session may run for days.

use std::collections::VecDeque;
use tenon_vocab::Event;

const EVENTS: usize = 4096;

#[derive(Debug, Default)]
pub(crate) struct Ring {
    events: VecDeque<Event>,
}

impl Ring {
    pub fn push(&mut self, event: &Event) {
        if self.events.len() == EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(event.clone());
    }

    /// From `seq` on, or from the oldest that is still held.
    pub fn from(&self, seq: u64) -> Vec<Event> {
        self.events
            .iter()
            .filter(|event| event.seq >= seq)
            .cloned()
            .collect()
    }
}
