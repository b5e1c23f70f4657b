//! The sign of life while something is waited for: a model that has not begun,
//! one that has fallen silent, a command that takes long, a server that is asked
//! for its models. One line that is drawn anew and taken away again, or, where
//! nothing is ever redrawn, a line now and then that stays.

use super::Stands;
use super::lines::shorten;
use crate::screen::complain;
use std::future::Future;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};
use tenon_vocab::figures::elapsed;
use tenon_vocab::{CallId, EventKind, RunState, ToolDelta, ToolStream, ToolUse, silence};
use tokio::sync::mpsc;

/// How often it is looked whether there is something to say.
pub const TICK: Duration = Duration::from_secs(1);
/// Shorter waits are not worth a line.
const PATIENCE: Duration = Duration::from_secs(1);
/// A model that writes may pause; so long a pause looks like an end.
const SILENCE: Duration = Duration::from_secs(4);
/// A line that stays comes after so long, and then each time after twice as long.
const FIRST: Duration = Duration::from_secs(5);
/// While tokens are counted it comes sooner.
const COUNTED: Duration = Duration::from_secs(1);
/// It turns while a reply is written that is shown at its end.
const SPINNER: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const SPIN: Duration = Duration::from_millis(100);
/// Characters of the last line of an output that are shown.
const LAST_LINE: usize = 80;
/// How much of an output is kept to find that line.
const KEPT: usize = 1024;

/// What a sign of life may do to the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    /// One line, which is overwritten.
    Redrawn,
    /// Lines that stay: for a conversation by lines, and for a screen reader.
    Appended,
    /// There is none: not a terminal, a dumb one, or a program in front.
    None,
}

impl Motion {
    /// For a command that ends by itself.
    pub fn for_stderr() -> Self {
        let dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        let accessible = std::env::var_os("ACCESSIBLE").is_some_and(|value| !value.is_empty());
        if std::io::stderr().is_terminal() && !dumb && !accessible {
            Self::Redrawn
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

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaited {
    /// The first word of a model.
    Answer,
    /// More of what a model has begun.
    Rest,
    /// What a server was asked besides.
    Server,
}

impl Awaited {
    /// How long it is waited before that is said.
    fn patience(self) -> Duration {
        match self {
            Self::Answer => silence::AFTER,
            Self::Rest => SILENCE,
            Self::Server => PATIENCE,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Since {
    at: Instant,
    awaited: Awaited,
}

/// A call at work.
#[derive(Debug)]
struct Call {
    id: CallId,
    name: String,
    at: Instant,
    /// The end of what it has printed.
    output: String,
}

#[derive(Debug)]
pub struct Waiting {
    motion: Motion,
    since: Option<Since>,
    /// The oldest first.
    calls: Vec<Call>,
    /// A person is asked: nothing else is waited for.
    questions: usize,
    /// How much of the prompt the server has read, where it says so.
    read_percent: Option<u8>,
    /// About how many tokens there are of what is shown only at its end.
    written: Option<u64>,
    shown: Option<Shown>,
    /// When the next line that stays is due.
    due: Duration,
}

impl Waiting {
    /// For a model and its calls, by the events of its run.
    pub fn new(motion: Motion) -> Self {
        Self {
            motion,
            since: None,
            calls: Vec::new(),
            questions: 0,
            read_percent: None,
            written: None,
            shown: None,
            due: FIRST,
        }
    }

    /// For a server that was asked just now.
    pub fn for_server(motion: Motion) -> Self {
        Self {
            since: Some(Since {
                at: Instant::now(),
                awaited: Awaited::Server,
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
            EventKind::State(changed) if changed.written_tokens.is_some() => {
                // From now on something is to be said.
                if self.written.is_none() {
                    self.due = COUNTED;
                }
                self.written = changed.written_tokens;
                self.read_percent = None;
            }
            EventKind::State(changed) if changed.state == RunState::ModelGenerating => {
                self.read_percent = None;
                self.written = None;
                self.wait(now, Awaited::Answer);
            }
            EventKind::MessageDelta(_) => {
                self.erase();
                self.read_percent = None;
                self.written = None;
                self.wait(now, Awaited::Rest);
            }
            EventKind::ToolDelta(delta) => {
                let mut calls = self.calls.iter_mut();
                if let Some(call) = calls.find(|call| call.id == delta.call) {
                    call.printed(delta);
                }
            }
            // A request that is tried again is still waited for, and so is one
            // of which something is said meanwhile.
            EventKind::Retry(_) | EventKind::Job(_) | EventKind::Todo(_) | EventKind::Notice(_) => {
                self.erase();
            }
            EventKind::Message(_) | EventKind::Interrupted(_) => self.over(),
            EventKind::ToolUse(used) => {
                self.over();
                self.calls.push(Call::of(used, now));
            }
            EventKind::ToolResult(result) => {
                self.over();
                self.calls.retain(|call| call.id != result.call);
            }
            EventKind::Question(_) => {
                self.over();
                self.questions += 1;
            }
            EventKind::Answer(answer) if answer.call.is_none() => {
                self.questions = self.questions.saturating_sub(1);
            }
            EventKind::RunFinished(_) => {
                self.over();
                self.calls.clear();
                self.questions = 0;
            }
            _ => {}
        }
    }

    fn wait(&mut self, now: Instant, awaited: Awaited) {
        self.since = Some(Since { at: now, awaited });
        self.due = FIRST;
    }

    /// What was waited for has come.
    fn over(&mut self) {
        self.erase();
        self.since = None;
        self.written = None;
        self.due = FIRST;
    }

    /// Whether a count goes up that is to be seen as it does.
    pub fn is_counting(&self) -> bool {
        self.motion == Motion::Redrawn && self.written.is_some()
    }

    /// Called about once a second.
    pub fn tick(&mut self, now: Instant, stands: Stands) {
        match self.motion {
            Motion::None => {}
            Motion::Redrawn => self.redraw(now, stands),
            Motion::Appended => {
                if let Some(said) = self.say(now) {
                    if stands == Stands::InLine {
                        complain("");
                    }
                    complain(&said);
                }
            }
        }
    }

    fn redraw(&mut self, now: Instant, stands: Stands) {
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

    /// The line that is drawn anew.
    fn text(&self, now: Instant) -> Option<String> {
        let since = self.since?;
        let waited = now.saturating_duration_since(since.at);
        if let Some(written) = self.written {
            let frame = waited.as_millis() / SPIN.as_millis();
            let frame = SPINNER[frame as usize % SPINNER.len()];
            return Some(format!("{frame} Thinking... [{} tokens]", grouped(written)));
        }
        (waited >= since.awaited.patience()).then(|| {
            let (what, read) = (self.awaiting(since.awaited), self.read());
            format!("{what} ({} s{read})", waited.as_secs())
        })
    }

    /// The line that stays, when it is time for one.
    fn say(&mut self, now: Instant) -> Option<String> {
        let call = self.calls.first();
        let (at, awaited) = match (call, self.since) {
            _ if self.questions > 0 => return None,
            (Some(call), _) => (call.at, Awaited::Rest),
            (None, Some(since)) => (since.at, since.awaited),
            (None, None) => return None,
        };
        let waited = now.saturating_duration_since(at);
        if waited < self.due {
            return None;
        }
        while self.due <= waited {
            self.due *= 2;
        }
        let time = elapsed(waited);
        Some(match call {
            Some(call) => format!("  still running: {}, {time}{}", call.name, call.told()),
            None if self.written.is_some() => {
                let tokens = grouped(self.written.unwrap_or_default());
                format!("  Thinking... [{tokens} tokens], {time}")
            }
            None => {
                let what = self.awaiting(awaited);
                let still = match what {
                    silence::SAID => "",
                    _ => "still ",
                };
                format!("  {still}{what}, {time}{}", self.read())
            }
        })
    }

    fn awaiting(&self, awaited: Awaited) -> &'static str {
        match (awaited, self.read_percent) {
            (Awaited::Answer, None) => silence::SAID,
            (Awaited::Answer | Awaited::Rest, _) => "waiting for the model",
            (Awaited::Server, _) => "waiting for the server",
        }
    }

    fn read(&self) -> String {
        self.read_percent
            .map(|percent| format!(", ~{percent} % read"))
            .unwrap_or_default()
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

    /// Whether the line stands on the screen.
    pub fn is_shown(&self) -> bool {
        self.shown.is_some()
    }
}

impl Call {
    fn of(used: &ToolUse, now: Instant) -> Self {
        Self {
            id: used.call.clone(),
            name: shorten(&used.name, LAST_LINE),
            at: now,
            output: String::new(),
        }
    }

    fn printed(&mut self, delta: &ToolDelta) {
        self.output.push_str(&delta.text);
        if delta.stream == ToolStream::Status {
            self.output.push('\n');
        }
        let surplus = self.output.len().saturating_sub(KEPT);
        let cut = self.output.ceil_char_boundary(surplus);
        self.output.drain(..cut);
    }

    /// `; last line: …`
    fn told(&self) -> String {
        let mut lines = self.output.rsplit(['\r', '\n']).map(str::trim);
        let last = lines.find(|line| !line.is_empty());
        last.map(|line| format!("; last line: {}", shorten(line, LAST_LINE)))
            .unwrap_or_default()
    }
}

/// `1,247`
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
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
mod tests;
