//! One run from prompt to exit code: events to the renderer, signals and answers
//! to the engine. Used by `exec`, `demo` and `sessions resume -p`.
//!
//! Drawing happens on a thread of its own. A reader that pauses makes that
//! thread wait, and neither the engine nor a signal waits with it.

use crate::error::{CliError, code, exit_code};
use crate::render::{Renderer, question};
use crate::screen::{Paint, complain};
use crate::signals::{Asked, Signals};
use rustix::termios::{QueueSelector, tcflush};
use std::collections::VecDeque;
use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tenon_vocab::port::{CommandSink, Handle};
use tenon_vocab::{Command, Event, EventKind, Outcome, Question, Segment};
use tokio::sync::{mpsc, oneshot};

/// Events that may wait for the drawing thread.
const DRAWN_AHEAD: usize = 64;
/// How long the end waits for a reader that has stopped reading.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Who answers questions during the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Desk {
    /// Someone at this terminal.
    Terminal(Paint),
    Nobody,
}

/// How the run ended.
#[derive(Debug, Default)]
pub struct Ended {
    pub outcome: Option<Outcome>,
    /// The text of the last whole answer.
    pub answer: String,
    /// Standard output could not be written.
    unread: Option<std::io::Error>,
}

impl Ended {
    pub fn code(&self) -> ExitCode {
        if let Some(error) = &self.unread {
            // A reader that went away knows that it did.
            if error.kind() != std::io::ErrorKind::BrokenPipe {
                complain(&format!("error: cannot print: {error}"));
            }
            return ExitCode::from(code::RUNTIME);
        }
        exit_code(self.outcome.unwrap_or(Outcome::Failed))
    }
}

struct Driver {
    commands: Arc<dyn CommandSink>,
    interrupts: u32,
    ended: Ended,
}

/// Sends the prompt and draws until the engine has ended.
pub async fn drive(
    mut handle: Handle,
    prompt: String,
    renderer: Box<dyn Renderer + Send>,
    desk: Desk,
) -> Result<Ended, CliError> {
    let mut signals = Signals::new()?;
    let (typed, mut lines) = mpsc::unbounded_channel();
    let (screen, drawn) = draw(renderer, desk, typed);
    let mut driver = Driver {
        commands: Arc::clone(&handle.commands),
        interrupts: 0,
        ended: Ended::default(),
    };
    driver.commands.send(Command::Prompt {
        text: prompt,
        attachments: Vec::new(),
    });
    let mut waiting: VecDeque<Arc<Event>> = VecDeque::new();
    let mut is_read = true;
    loop {
        tokio::select! {
            biased;
            asked = signals.next() => driver.asked(asked),
            Some((asked, line)) = lines.recv() => {
                driver.commands.send(Command::Answer(question::answer(&asked, &line)));
            }
            permit = screen.reserve(), if !waiting.is_empty() => match (permit, waiting.pop_front()) {
                (Ok(permit), Some(event)) => permit.send(event),
                _ => {
                    // Nobody reads any more: stop the work, keep the log whole.
                    waiting.clear();
                    is_read = false;
                    driver.commands.send(Command::Shutdown);
                }
            },
            event = handle.events.next(), if waiting.is_empty() => match event {
                None => break,
                Some(event) => {
                    let is_over = driver.ended.outcome.is_some();
                    driver.event(&event);
                    // The end of a run is the last that is said of it.
                    if is_read && !(is_over && matches!(event.kind, EventKind::State(_))) {
                        waiting.push_back(event);
                    }
                }
            },
        }
    }
    drop(screen);
    // What was drawn is seen before the program ends, unless nobody looks.
    if let Ok(Ok(failed)) = tokio::time::timeout(LAST_WORDS, drawn).await {
        driver.ended.unread = failed;
    }
    Ok(driver.ended)
}

/// Starts the drawing thread; the receiver fires when it has drawn everything.
fn draw(
    mut renderer: Box<dyn Renderer + Send>,
    desk: Desk,
    typed: mpsc::UnboundedSender<(Question, String)>,
) -> (
    mpsc::Sender<Arc<Event>>,
    oneshot::Receiver<Option<std::io::Error>>,
) {
    let (sender, mut events) = mpsc::channel::<Arc<Event>>(DRAWN_AHEAD);
    let (done, drawn) = oneshot::channel();
    std::thread::spawn(move || {
        let mut failed = None;
        while let Some(event) = events.blocking_recv() {
            if let Err(error) = renderer.event(&event) {
                failed = Some(error);
                break;
            }
            if let (EventKind::Question(asked), Desk::Terminal(paint)) = (&event.kind, desk) {
                ask(asked, paint, &typed);
            }
        }
        drop(events);
        let _ = done.send(failed);
    });
    (sender, drawn)
}

/// Shows a question and reads its answer on one more thread: a person takes
/// their time, and what was typed before it stood there is no answer to it.
fn ask(asked: &Question, paint: Paint, typed: &mpsc::UnboundedSender<(Question, String)>) {
    complain(&question::show(paint, asked));
    let _ = tcflush(std::io::stdin(), QueueSelector::IFlush);
    let (asked, typed) = (asked.clone(), typed.clone());
    std::thread::spawn(move || {
        loop {
            let _ = write!(std::io::stderr().lock(), "> ");
            let mut line = String::new();
            // A terminal that is gone answers nothing, which is a no.
            let _ = std::io::stdin().lock().read_line(&mut line);
            match question::slip(&asked, &line) {
                Some(said) => complain(&said),
                None => {
                    let _ = typed.send((asked, line));
                    return;
                }
            }
        }
    });
}

impl Driver {
    /// Once stops the run, twice ends the session, three times leaves at once.
    fn asked(&mut self, asked: Asked) {
        self.interrupts += 1;
        match (asked, self.interrupts) {
            (Asked::Interrupt, 1) => self.commands.send(Command::Interrupt),
            (_, 1 | 2) => self.commands.send(Command::Shutdown),
            _ => std::process::exit(i32::from(code::INTERRUPTED)),
        }
    }

    fn event(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Message(message) if message.segment == Some(Segment::Answer) => {
                self.ended.answer = message.text();
            }
            EventKind::RunFinished(finished) => {
                self.ended.outcome = Some(finished.outcome);
                self.commands.send(Command::Shutdown);
            }
            _ => {}
        }
    }
}
