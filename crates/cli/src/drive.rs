//! From prompt to exit code: events to the renderer, signals and answers to the
//! engine. One run for `exec`, `demo` and `sessions resume -p`; as many as a
//! program in front asks for with `--input-format json`.
//!
//! Drawing happens on a thread of its own. A reader that pauses makes that
//! thread wait, and neither the engine nor a signal waits with it.

use crate::client::{Client, Heard};
use crate::error::{CliError, code, exit_code};
use crate::render::waiting::{Motion, TICK, Waiting};
use crate::render::{Renderer, Stands, question};
use crate::screen::{Paint, complain};
use crate::signals::{Asked, Signals};
use futures_util::FutureExt;
use rustix::termios::{QueueSelector, tcflush};
use std::collections::VecDeque;
use std::io::{BufRead, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tenon_vocab::port::{CommandSink, Handle};
use tenon_vocab::{Command, Event, EventKind, Outcome, Part, Question, Segment};
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
    /// A program, on standard input.
    Client,
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
                complain(&format!("error: can't print: {error}"));
            }
            return ExitCode::from(code::RUNTIME);
        }
        exit_code(self.outcome.unwrap_or(Outcome::Failed))
    }
}

/// What is asked, and the images that go with it.
#[derive(Debug, Clone, Default)]
pub struct Prompt {
    pub text: String,
    pub images: Vec<Part>,
}

impl From<String> for Prompt {
    fn from(text: String) -> Self {
        Self {
            text,
            images: Vec::new(),
        }
    }
}

impl From<Prompt> for Command {
    fn from(prompt: Prompt) -> Self {
        Self::Prompt {
            text: prompt.text,
            attachments: prompt.images,
        }
    }
}

struct Driver {
    commands: Arc<dyn CommandSink>,
    interrupts: u32,
    ended: Ended,
    /// The program in front, where there is one.
    client: Option<Client>,
    waiting: VecDeque<Drawn>,
    is_read: bool,
}

/// What the drawing thread draws.
enum Drawn {
    Event(Arc<Event>),
    /// Something in the input that is no command.
    Complaint(String),
    /// Time has passed.
    Tick,
    /// Ctrl+C was pressed, and the terminal shows it.
    Pressed,
}

/// Sends the prompt, or what stands for one, and draws until the engine has ended.
pub async fn drive(
    handle: Handle,
    first: impl Into<Command>,
    renderer: Box<dyn Renderer + Send>,
    desk: Desk,
) -> Result<Ended, CliError> {
    run(handle, first.into(), renderer, desk, None).await
}

/// Does what the client says, this command first, until its input ends.
pub async fn converse(
    handle: Handle,
    first: Command,
    renderer: Box<dyn Renderer + Send>,
    client: Client,
) -> Result<Ended, CliError> {
    run(handle, first, renderer, Desk::Client, Some(client)).await
}

async fn run(
    mut handle: Handle,
    first: Command,
    renderer: Box<dyn Renderer + Send>,
    desk: Desk,
    client: Option<Client>,
) -> Result<Ended, CliError> {
    let mut signals = Signals::new()?;
    let (typed, mut lines) = mpsc::unbounded_channel();
    let (screen, drawn) = draw(renderer, desk, typed);
    let mut driver = Driver {
        commands: Arc::clone(&handle.commands),
        interrupts: 0,
        ended: Ended::default(),
        client,
        waiting: VecDeque::new(),
        is_read: true,
    };
    driver.send(first);
    let mut tick = tokio::time::interval(TICK);
    loop {
        tokio::select! {
            biased;
            asked = signals.next() => driver.asked(asked),
            Some((asked, line)) = lines.recv() => {
                driver.commands.send(Command::Answer(question::answer(&asked, &line)));
            }
            permit = screen.reserve(), if !driver.waiting.is_empty() => {
                match (permit, driver.waiting.pop_front()) {
                    (Ok(permit), Some(drawn)) => permit.send(drawn),
                    _ => driver.unread(),
                }
            }
            heard = hear(&mut driver.client), if driver.waiting.len() < DRAWN_AHEAD => driver.heard(heard),
            event = handle.events.next(), if driver.waiting.is_empty() => match event {
                None => break,
                Some(event) => driver.event(event),
            },
            // A screen that is busy needs no sign of life.
            _ = tick.tick(), if driver.waiting.is_empty() => drop(screen.try_send(Drawn::Tick)),
        }
        if driver.is_done() {
            driver.leave(&mut handle).await;
        }
    }
    drop(screen);
    // What was drawn is seen before the program ends, unless nobody looks.
    if let Ok(Ok(failed)) = tokio::time::timeout(LAST_WORDS, drawn).await {
        driver.ended.unread = failed;
    }
    Ok(driver.ended)
}

/// What the client says next; never, where there is none.
async fn hear(client: &mut Option<Client>) -> Option<Heard> {
    match client {
        Some(client) => client.next().await,
        None => std::future::pending().await,
    }
}

/// Starts the drawing thread; the receiver fires when it has drawn everything.
fn draw(
    mut renderer: Box<dyn Renderer + Send>,
    desk: Desk,
    typed: mpsc::UnboundedSender<(Question, String)>,
) -> (
    mpsc::Sender<Drawn>,
    oneshot::Receiver<Option<std::io::Error>>,
) {
    let (sender, mut drawn) = mpsc::channel::<Drawn>(DRAWN_AHEAD);
    let (done, ended) = oneshot::channel();
    std::thread::spawn(move || {
        let mut failed = None;
        let mut waiting = Waiting::new(match desk {
            Desk::Client => Motion::None,
            Desk::Terminal(_) | Desk::Nobody => Motion::for_stderr(),
        });
        while let Some(next) = drawn.blocking_recv() {
            let result = match &next {
                Drawn::Event(event) => {
                    waiting.event(&event.kind, Instant::now());
                    let drawn = renderer.event(event);
                    if matches!(event.kind, EventKind::State(_)) && waiting.is_counting() {
                        waiting.tick(Instant::now(), renderer.stands());
                    }
                    drawn
                }
                Drawn::Complaint(why) => renderer.complaint(why),
                Drawn::Pressed => {
                    // What is taken away takes it along; text ends its own line.
                    if !waiting.is_shown() && renderer.stands() == Stands::AtLineStart {
                        complain("");
                    }
                    waiting.erase();
                    Ok(())
                }
                Drawn::Tick => {
                    waiting.tick(Instant::now(), renderer.stands());
                    Ok(())
                }
            };
            if let Err(error) = result {
                failed = Some(error);
                break;
            }
            if let Drawn::Event(event) = &next
                && let (EventKind::Question(asked), Desk::Terminal(paint)) = (&event.kind, desk)
            {
                ask(asked, paint, &typed);
            }
        }
        drop(drawn);
        let _ = done.send(failed);
    });
    (sender, ended)
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
        if asked == Asked::Interrupt && self.is_read && std::io::stderr().is_terminal() {
            self.waiting.push_back(Drawn::Pressed);
        }
        match (asked, self.interrupts) {
            (Asked::Interrupt, 1) => self.send(Command::Interrupt),
            (_, 1 | 2) => self.send(Command::Shutdown),
            _ => std::process::exit(i32::from(code::INTERRUPTED)),
        }
    }

    fn send(&mut self, command: Command) {
        if let Some(client) = &mut self.client
            && let Err(why) = client.sending(&command)
        {
            self.waiting.push_back(Drawn::Complaint(why));
            return;
        }
        self.commands.send(command);
    }

    /// A line of the client, or the end of them.
    fn heard(&mut self, heard: Option<Heard>) {
        match heard {
            Some(Heard::Command(command)) => self.send(*command),
            Some(Heard::Bad(why)) => self.waiting.push_back(Drawn::Complaint(why)),
            None => {
                let unanswered = self.client.as_mut().map(Client::unanswered);
                for answer in unanswered.unwrap_or_default() {
                    self.commands.send(Command::Answer(answer));
                }
            }
        }
    }

    /// Nobody reads any more: stop the work, keep the log whole.
    fn unread(&mut self) {
        self.waiting.clear();
        self.is_read = false;
        self.commands.send(Command::Shutdown);
    }

    fn event(&mut self, event: Arc<Event>) {
        let is_over = self.ended.outcome.is_some() && self.client.is_none();
        match &event.kind {
            EventKind::Message(message) if message.segment == Some(Segment::Answer) => {
                self.ended.answer = message.text();
            }
            EventKind::RunFinished(finished) => {
                self.ended.outcome = Some(finished.outcome);
                if self.client.is_none() {
                    self.commands.send(Command::Shutdown);
                }
            }
            _ => {}
        }
        if let Some(client) = &mut self.client {
            for answer in client.event(&event.kind) {
                self.commands.send(Command::Answer(answer));
            }
        }
        // The end of a run is the last that is said of it.
        if self.is_read
            && !(is_over && matches!(event.kind, EventKind::State(_) | EventKind::ModelRequest(_)))
        {
            self.waiting.push_back(Drawn::Event(event));
        }
    }

    fn is_done(&self) -> bool {
        self.waiting.is_empty() && self.client.as_ref().is_some_and(Client::is_done)
    }

    /// The client said its last word and nothing runs. What it said in the last
    /// moment of a run may just be starting another: the engine is given its
    /// turn, and only then told to end.
    async fn leave(&mut self, handle: &mut Handle) {
        for _ in 0..8 {
            tokio::task::yield_now().await;
        }
        match handle.events.next().now_or_never() {
            Some(Some(event)) => self.event(event),
            Some(None) | None => {
                self.commands.send(Command::Shutdown);
                self.client = None;
            }
        }
    }
}
