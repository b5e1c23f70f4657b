//! One event per line on standard output, exactly as the log has them.

use super::Renderer;
use std::io::Write;
use tenon_vocab::Event;

#[derive(Debug, Default)]
pub struct JsonLines {
    line: Vec<u8>,
}

impl Renderer for JsonLines {
    fn event(&mut self, event: &Event) -> std::io::Result<()> {
        self.write(event)
    }

    /// No event, because it is in no log: what failed is the conversation.
    fn complaint(&mut self, why: &str) -> std::io::Result<()> {
        self.write(&serde_json::json!({"type": "error", "kind": "input", "message": why}))
    }
}

impl JsonLines {
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
