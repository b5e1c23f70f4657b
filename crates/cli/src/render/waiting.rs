//! The line that says that something is waited for: a model that has not begun,
//! one that has fallen silent, a server that is asked for its models. Only where
//! it can be taken away again.

use super::Stands;
use crate::screen::complain;
use std::future::Future;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};
use tenon_vocab::{EventKind, RunState};
use tokio::sync::mpsc;

/// How often the line is renewed.
pub const TICK: Duration = Duration::from_secs(1);
/// Shorter waits are not worth a line.
const PATIENCE: Duration = Duration::from_secs(1);
/// A model that writes may pause; so long a pause looks like an end.
const SILENCE: Duration = Duration::from_secs(4);

/// Whether anything on the screen may be overwritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    Allowed,
    /// Not a terminal, a dumb one, or a screen reader: append only.
    None,
}

impl Motion {
    pub fn for_stderr() -> Self {
        let dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        let accessible = std::env::var_os("ACCESSIBLE").is_some_and(|value| !value.is_empty());
        if std::io::stderr().is_terminal() && !dumb && !accessible {
            Self::Allowed
        } else {
            Self::None
        }
    }
}

/// Where the line was put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// Above the cursor, so that what is typed meanwhile stays readable.
    Above,
    /// Below a line of text that is not at its end.
    Below,
}

/// Since when, and how long it is waited before that is said.
#[derive(Debug, Clone, Copy)]
struct Since {
    at: Instant,
    patience: Duration,
}

#[derive(Debug)]
pub struct Waiting {
    motion: Motion,
    what: &'static str,
    since: Option<Since>,
    /// How much of the prompt the server has read, where it says so.
    read_percent: Option<u8>,
    shown: Option<Shown>,
}

impl Waiting {
    /// For a model, by the events of its run.
    pub fn new(motion: Motion) -> Self {
        Self {
            motion,
            what: "model",
            since: None,
            read_percent: None,
            shown: None,
        }
    }

    /// For a server that was asked just now.
    pub fn for_server(motion: Motion) -> Self {
        Self {
            what: "the server",
            since: Some(Since {
                at: Instant::now(),
                patience: PATIENCE,
            }),
            ..Self::new(motion)
        }
    }

    /// Follows the run; to be called before an event is drawn.
    pub fn event(&mut self, kind: &EventKind, now: Instant) {
        match kind {
            EventKind::State(changed) if changed.read_percent.is_some() => {
                self.read_percent = changed.read_percent;
            }
            EventKind::State(changed) if changed.state == RunState::ModelGenerating => {
                self.read_percent = None;
                self.since = Some(Since {
                    at: now,
                    patience: PATIENCE,
                });
            }
            EventKind::MessageDelta(_) => {
                self.erase();
                self.read_percent = None;
                self.since = Some(Since {
                    at: now,
                    patience: SILENCE,
                });
            }
            EventKind::Message(_)
            | EventKind::ToolUse(_)
            | EventKind::ToolResult(_)
            | EventKind::Question(_)
            | EventKind::Notice(_)
            | EventKind::Retry(_)
            | EventKind::Job(_)
            | EventKind::Todo(_)
            | EventKind::Interrupted(_)
            | EventKind::RunFinished(_) => {
                self.erase();
                // A request that is tried again is still waited for, and so is
                // one of which something is said meanwhile.
                let goes_on = matches!(
                    kind,
                    EventKind::Retry(_)
                        | EventKind::Job(_)
                        | EventKind::Todo(_)
                        | EventKind::Notice(_)
                );
                if !goes_on {
                    self.since = None;
                }
            }
            _ => {}
        }
    }

    /// Called about once a second.
    pub fn tick(&mut self, now: Instant, stands: Stands) {
        let Some(text) = self.text(now) else { return };
        let place = self.shown.unwrap_or(match stands {
            Stands::AtLineStart => Shown::Above,
            Stands::InLine => Shown::Below,
        });
        draw(&match (place, self.shown) {
            (Shown::Above, None) => format!("\r\x1b[K{text}\n"),
            (Shown::Above, Some(_)) => format!("\x1b7\x1b[1A\r\x1b[K{text}\x1b8"),
            // One line further and back makes room where the screen ends.
            (Shown::Below, _) => format!("\x1bD\x1b[1A\x1b7\x1b[1B\r\x1b[K{text}\x1b8"),
        });
        self.shown = Some(place);
    }

    fn text(&self, now: Instant) -> Option<String> {
        let since = self.since?;
        let waited = now.saturating_duration_since(since.at);
        let read = self
            .read_percent
            .map(|percent| format!(", ~{percent} % read"));
        (self.motion == Motion::Allowed && waited >= since.patience).then(|| {
            let read = read.unwrap_or_default();
            format!("waiting for {}… {} s{read}", self.what, waited.as_secs())
        })
    }

    /// Takes the line away.
    pub fn erase(&mut self) {
        match self.shown.take() {
            None => {}
            Some(Shown::Above) => draw("\x1b[1A\r\x1b[J"),
            Some(Shown::Below) => draw("\x1b7\x1b[1B\r\x1b[K\x1b8"),
        }
    }

    /// Something else was written below it: it stays where it is.
    pub fn leave(&mut self) {
        self.shown = None;
    }
}

/// In one piece: an echo of the terminal must not come in between.
fn draw(sequence: &str) {
    let _ = std::io::stderr().lock().write_all(sequence.as_bytes());
}

/// Takes the line away also when the wait is given up.
struct Erased(Waiting);

impl Drop for Erased {
    fn drop(&mut self) {
        self.0.erase();
    }
}

/// Waits for what a server is asked, and says so while it takes long.
pub async fn during<T>(motion: Motion, asked: impl Future<Output = T>) -> T {
    let (_, nothing) = mpsc::unbounded_channel();
    during_saying(motion, asked, nothing).await
}

/// The same, with lines that are said meanwhile.
pub async fn during_saying<T>(
    motion: Motion,
    asked: impl Future<Output = T>,
    mut said: mpsc::UnboundedReceiver<String>,
) -> T {
    let mut line = Erased(Waiting::for_server(motion));
    let mut tick = tokio::time::interval(TICK);
    let mut asked = std::pin::pin!(asked);
    loop {
        tokio::select! {
            biased;
            Some(said) = said.recv() => {
                line.0.erase();
                complain(&said);
            }
            answer = &mut asked => {
                line.0.erase();
                while let Ok(said) = said.try_recv() {
                    complain(&said);
                }
                return answer;
            }
            now = tick.tick() => line.0.tick(now.into_std(), Stands::AtLineStart),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_vocab::{StateChanged, TextChannel, TextDelta};

    fn generating() -> EventKind {
        EventKind::State(StateChanged::from(RunState::ModelGenerating))
    }

    #[test]
    fn waiting_is_shown_after_a_second_and_only_where_it_can_be_erased() {
        let start = Instant::now();
        let mut waiting = Waiting::new(Motion::Allowed);
        waiting.event(&generating(), start);
        assert_eq!(waiting.text(start), None);
        let later = start + Duration::from_secs(12);
        assert_eq!(
            waiting.text(later).as_deref(),
            Some("waiting for model… 12 s")
        );
        waiting.motion = Motion::None;
        assert_eq!(waiting.text(later), None);
    }

    #[test]
    fn how_much_of_the_prompt_is_read_stands_in_the_line_until_content_comes() {
        let start = Instant::now();
        let mut waiting = Waiting::new(Motion::Allowed);
        waiting.event(&generating(), start);
        let reading = EventKind::State(StateChanged {
            state: RunState::ModelGenerating,
            read_percent: Some(43),
        });
        let later = start + Duration::from_secs(12);
        waiting.event(&reading, later);
        assert_eq!(
            waiting.text(later).as_deref(),
            Some("waiting for model… 12 s, ~43 % read"),
            "since the beginning, not since the last figure"
        );
        waiting.event(&generating(), later);
        let again = waiting.text(later + Duration::from_secs(2)).unwrap();
        assert!(!again.contains("read"), "{again}");
    }

    #[test]
    fn a_stream_that_falls_silent_is_waited_for_again() {
        let start = Instant::now();
        let mut waiting = Waiting::new(Motion::Allowed);
        waiting.event(&generating(), start);
        let delta = EventKind::MessageDelta(TextDelta {
            channel: TextChannel::Text,
            text: "Once".into(),
        });
        waiting.event(&delta, start);
        assert_eq!(waiting.text(start + Duration::from_secs(2)), None);
        assert!(waiting.text(start + Duration::from_secs(5)).is_some());
    }
}
