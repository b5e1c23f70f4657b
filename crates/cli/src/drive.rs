//! One run from prompt to exit code: events to the renderer, signals and answers
//! to the engine. Used by `exec`, `demo` and `sessions resume -p`.

use crate::error::{CliError, exit_code};
use crate::render::{Renderer, question};
use crate::screen::{Paint, complain};
use crate::signals::{Asked, Signals};
use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::sync::Arc;
use tenon_vocab::port::{CommandSink, Handle};
use tenon_vocab::{Command, Event, EventKind, Outcome, Question};
use tokio::sync::mpsc;

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
    /// The reader of standard output went away.
    pub unread: bool,
}

impl Ended {
    pub fn code(&self) -> ExitCode {
        exit_code(self.outcome.unwrap_or(Outcome::Failed))
    }
}

struct Driver<'a> {
    commands: Arc<dyn CommandSink>,
    renderer: &'a mut dyn Renderer,
    desk: Desk,
    typed: mpsc::UnboundedSender<(Question, String)>,
    interrupts: u32,
    ended: Ended,
}

/// Sends the prompt and draws until the engine has ended.
pub async fn drive(
    mut handle: Handle,
    prompt: String,
    renderer: &mut dyn Renderer,
    desk: Desk,
) -> Result<Ended, CliError> {
    let mut signals = Signals::new()?;
    let (typed, mut lines) = mpsc::unbounded_channel();
    let mut driver = Driver {
        commands: Arc::clone(&handle.commands),
        renderer,
        desk,
        typed,
        interrupts: 0,
        ended: Ended::default(),
    };
    handle.commands.send(Command::Prompt {
        text: prompt,
        attachments: Vec::new(),
    });
    loop {
        tokio::select! {
            biased;
            asked = signals.next() => driver.asked(asked),
            Some((asked, line)) = lines.recv() => {
                driver.commands.send(Command::Answer(question::answer(&asked, &line)));
            }
            event = handle.events.next() => match event {
                None => return Ok(driver.ended),
                Some(event) => driver.event(&event),
            },
        }
    }
}

impl Driver<'_> {
    /// Once stops the run, twice ends the session, three times leaves at once.
    fn asked(&mut self, asked: Asked) {
        self.interrupts += 1;
        match (asked, self.interrupts) {
            (Asked::Interrupt, 1) => self.commands.send(Command::Interrupt),
            (_, 1 | 2) => self.commands.send(Command::Shutdown),
            _ => std::process::exit(i32::from(crate::error::code::INTERRUPTED)),
        }
    }

    fn event(&mut self, event: &Event) {
        if !self.ended.unread && self.renderer.event(event).is_err() {
            // Nobody reads any more: stop the work, keep the log whole.
            self.ended.unread = true;
            self.commands.send(Command::Shutdown);
        }
        match &event.kind {
            EventKind::Question(asked) => self.question(asked),
            EventKind::Message(message)
                if message.segment == Some(tenon_vocab::Segment::Answer) =>
            {
                self.ended.answer = message.text();
            }
            EventKind::RunFinished(finished) => {
                self.ended.outcome = Some(finished.outcome);
                self.commands.send(Command::Shutdown);
            }
            _ => {}
        }
    }

    /// Reads the answer on a thread of its own: a person takes their time.
    fn question(&self, asked: &Question) {
        let Desk::Terminal(paint) = self.desk else {
            return;
        };
        complain(&question::show(paint, asked));
        let (asked, typed) = (asked.clone(), self.typed.clone());
        std::thread::spawn(move || {
            let _ = write!(std::io::stderr().lock(), "> ");
            let mut line = String::new();
            // A terminal that is gone answers nothing, which is a no.
            let _ = std::io::stdin().lock().read_line(&mut line);
            let _ = typed.send((asked, line));
        });
    }
}
