//! The text of answers in a pipe, line by line. A pipe cannot take back, and a
//! plan must not arrive there; so the beginning of each message is held until it
//! is longer than plans are.

use std::io::Write;
use tenon_vocab::Status;

/// Lines with text that a plan may have. Of the plans that models wrote before
/// their calls in our recordings none has more than one.
const PLAN_LINES: usize = 2;

/// One message on its way.
#[derive(Debug, Default)]
pub(super) struct Piped {
    text: String,
    /// Bytes of it that were written: whole lines.
    written: usize,
    /// What was written of a reply that was given up, and is not repeated when
    /// the next one begins alike.
    given_up: String,
}

/// What was written of a message that has ended.
#[derive(Debug, Default)]
pub(super) struct Written(String);

impl Piped {
    /// More text of the message.
    pub(super) fn more(&mut self, text: &str) -> std::io::Result<()> {
        self.text.push_str(text);
        if self.written == 0 && !is_longer_than_a_plan(&self.text) {
            return Ok(());
        }
        let Some(end) = self.text.rfind('\n').map(|at| at + 1) else {
            return Ok(());
        };
        let from = self.written.max(self.repeated());
        if end > from {
            let mut stdout = std::io::stdout().lock();
            stdout.write_all(&self.text.as_bytes()[from..end])?;
            stdout.flush()?;
        }
        self.written = self.written.max(end);
        Ok(())
    }

    fn repeated(&self) -> usize {
        match self.text.starts_with(&self.given_up) {
            true => self.given_up.len(),
            false => 0,
        }
    }

    /// The message is whole, or given up.
    pub(super) fn end(&mut self, status: Status) -> Written {
        let mut text = std::mem::take(&mut self.text);
        let written = std::mem::take(&mut self.written);
        if written == 0 {
            return Written(match status {
                Status::Abandoned => String::new(),
                _ => std::mem::take(&mut self.given_up),
            });
        }
        text.truncate(written);
        self.given_up = match status {
            Status::Abandoned => text.clone(),
            _ => String::new(),
        };
        Written(text)
    }
}

impl Written {
    /// What of a message is not written yet.
    pub(super) fn rest_of<'t>(&self, text: &'t str) -> &'t str {
        text.strip_prefix(self.0.as_str()).unwrap_or(text)
    }
}

/// Whether another line with text has begun after those that a plan may have.
fn is_longer_than_a_plan(text: &str) -> bool {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.count() > PLAN_LINES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_held_and_an_answer_begins_with_its_third_line() {
        for (text, is_longer) in [
            ("I will look at the test first.", false),
            ("I see.\n\nLet me look:\n\n", false),
            ("# Title\n\nOne.\n\nT", true),
            ("a\nb\nc", true),
        ] {
            assert_eq!(is_longer_than_a_plan(text), is_longer, "{text:?}");
        }
    }

    #[test]
    fn what_was_written_is_not_written_again() {
        let mut piped = Piped {
            text: "one\ntwo\nthree".into(),
            written: 8,
            given_up: String::new(),
        };
        let lost = piped.end(Status::Abandoned);
        assert_eq!(lost.rest_of("one\ntwo\nthree"), "three");
        // The second try was too short to be begun.
        piped.text = "one\ntwo\n".into();
        assert_eq!(
            piped.end(Status::Complete).rest_of("one\ntwo\nmore"),
            "more"
        );
        assert_eq!(piped.end(Status::Complete).rest_of("one"), "one");
    }
}
