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
        self.line.clear();
        serde_json::to_writer(&mut self.line, event)?;
        self.line.push(b'\n');
        // One write per line, at once: whoever reads sees it when it happens.
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(&self.line)?;
        stdout.flush()
    }
}
