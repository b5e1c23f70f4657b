//! One event per line on standard output, exactly as the log has them. The first
//! line is the `meta` of the session, also of one that is gone on with: it says
//! in which version of the shapes all others are written.

use super::Renderer;
use std::io::Write;
use tenon_engine::Parts;
use tenon_vocab::{Event, EventKind, HistoryRef, Timestamp};

#[derive(Debug, Default)]
pub struct JsonLines {
    line: Vec<u8>,
    /// What the log begins with, until it is written.
    first: Option<Box<Event>>,
}

impl Renderer for JsonLines {
    fn event(&mut self, event: &Event) -> std::io::Result<()> {
        if let Some(first) = self.first.take() {
            self.write(&first)?;
        }
        self.write(event)
    }

    /// No event, because it is in no log: what failed is the conversation.
    fn complaint(&mut self, why: &str) -> std::io::Result<()> {
        self.write(&serde_json::json!({"type": "error", "kind": "input", "message": why}))
    }
}

impl JsonLines {
    /// For a session that is about to start.
    pub fn of(parts: &Parts) -> Self {
        Self {
            first: Some(Box::new(first(parts))),
            ..Self::default()
        }
    }

    fn write(&mut self, value: &impl serde::Serialize) -> std::io::Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, value)?;
        self.line.push(b'\n');
        // One write per line, at once: whoever reads sees it when it happens.
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(&self.line)?;
        stdout.flush()
    }
}

/// What the log begins with; where that is damaged, what is known of it.
fn first(parts: &Parts) -> Event {
    let start = HistoryRef { seq: 0, offset: 0 };
    let record = parts.log.record_at(start);
    let is_meta = |event: &Event| matches!(event.kind, EventKind::Meta(_));
    record.filter(is_meta).unwrap_or_else(|| Event {
        seq: 0,
        sub: None,
        ts: Timestamp::now(),
        session: parts.state.meta().id,
        run: None,
        parent: None,
        agent: parts.settings.agent_name.clone(),
        kind: parts.state.meta().clone().into(),
    })
}
