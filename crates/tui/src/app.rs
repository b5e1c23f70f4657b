//! The loop: waits for keys, events, answers and time, and draws. The only place
//! of the interface that does any of it.

use crate::house::{House, Opened, Outcome, Wishes};
use crate::input::{Effect, Focus, Input, Leaving, Signal};
use crate::screen::{Look, Screen};
use crate::state::{Begin, Overlay, State};
use crate::stderr::Captured;
use crate::terminal::{self, Environment, Modes};
use crate::text::{Frame, Line, Size};
use crate::theme::{Ground, Theme};
use crate::update::{opened, update};
use crate::view;
use crossterm::event::{Event as Press, EventStream};
use futures_util::future::{FutureExt, LocalBoxFuture};
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::future::Future;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};
use tenon_vocab::Part;
use tenon_vocab::port::Handle;
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

/// The shortest time between two frames.
const FRAME: Duration = Duration::from_millis(16);
/// A sign of life while something goes on, and what shows only seconds.
const SPIN: Duration = Duration::from_millis(100);
const SECOND: Duration = Duration::from_secs(1);
/// How long the screen rests after a resize. A window that is dragged changes
/// its size often, and tmux tells of it at most every quarter of a second: a
/// frame that is drawn in between would be drawn for a width that is gone.
const SETTLE: Duration = Duration::from_millis(50);
const SETTLE_TMUX: Duration = Duration::from_millis(300);
/// Pieces of a search through many files between two frames.
const SLICES: usize = 3;
/// Inputs that are taken before a frame is drawn.
const BATCH: usize = 4096;

/// What the interface is started with.
pub struct Start {
    pub house: Rc<dyn House>,
    pub opened: Opened,
    pub wishes: Wishes,
    pub environment: Environment,
    pub ground: Ground,
    /// They go with the first prompt.
    pub attachments: Vec<Part>,
}

impl std::fmt::Debug for Start {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Start")
            .field("opened", &self.opened)
            .finish_non_exhaustive()
    }
}

/// How the interface was left. The session is still open.
#[derive(Debug)]
pub struct Left {
    pub leaving: Leaving,
    pub handle: Handle,
}

/// Runs until the user leaves.
///
/// # Errors
/// When the terminal cannot be used, or is gone.
pub async fn run(start: Start) -> io::Result<Left> {
    let modes = Modes::enter_in(&start.environment)?;
    let stderr = Captured::begin()?;
    let mut app = App::new(start, modes, stderr)?;
    let leaving = app.work().await;
    // Also when drawing failed: what is left of the terminal is put back.
    let cleared = app.end();
    let leaving = leaving?;
    cleared?;
    Ok(Left {
        leaving,
        handle: app.handle,
    })
}

struct App {
    house: Rc<dyn House>,
    handle: Handle,
    state: State,
    screen: Screen<io::Stdout>,
    modes: Modes,
    /// Dropped after the modes: what it still holds is written to a terminal
    /// that is as it was.
    stderr: Option<Captured>,
    keys: Option<EventStream>,
    later: FuturesUnordered<LocalBoxFuture<'static, Input>>,
    signals: Signals,
    environment: Environment,
    ground: Ground,
    dirty: bool,
    drawn: Instant,
    /// Nothing is drawn before.
    rests: Option<Instant>,
    left: Option<Leaving>,
    /// The theme that is drawn with.
    themed: String,
    paged: bool,
}

struct Signals {
    interrupt: Stream,
    terminate: Stream,
    hangup: Stream,
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::End,
            _ = self.hangup.recv() => Signal::End,
        }
    }
}

impl App {
    fn new(start: Start, modes: Modes, stderr: Option<Captured>) -> io::Result<Self> {
        let Start {
            house,
            opened: session,
            wishes,
            environment,
            ground,
            attachments,
        } = start;
        let size = terminal::size().unwrap_or(Size {
            columns: 80,
            rows: 24,
        });
        let now = Instant::now();
        let reader = Rc::clone(&house);
        let look = Look {
            theme: Theme::named(&wishes.theme, ground),
            depth: terminal::depth(&environment),
            reflow: terminal::reflow(&environment),
        };
        let themed = wishes.theme.clone();
        let begin = Begin {
            size,
            now,
            wishes,
            history: house.history(),
            entries: house.menu(),
            read: Box::new(move |line| reader.read(line)),
        };
        let mut state = State::new(begin, &session);
        state.attachments = attachments;
        if terminal::marks_pastes(&environment) {
            state.composer.expect_marked_pastes();
        }
        let mut effects = Vec::new();
        opened(&mut state, &session, &mut effects);
        let mut app = Self {
            house,
            handle: session.handle,
            state,
            screen: Screen::new(io::stdout(), size, look),
            modes,
            stderr,
            keys: Some(EventStream::new()),
            later: FuturesUnordered::new(),
            signals: Signals::new()?,
            environment,
            ground,
            dirty: true,
            drawn: now.checked_sub(FRAME).unwrap_or(now),
            rests: None,
            left: None,
            themed,
            paged: false,
        };
        for effect in effects {
            app.effect(effect);
        }
        Ok(app)
    }

    async fn work(&mut self) -> io::Result<Leaving> {
        self.draw()?;
        self.face().await;
        loop {
            let input = self.wait().await;
            if let Some(input) = input {
                self.give(input).await?;
                self.drain().await?;
            }
            if let Some(leaving) = self.left {
                return Ok(leaving);
            }
            for _ in 0..SLICES {
                if !self.state.menu.work() {
                    break;
                }
                self.dirty = true;
            }
            if self.is_due() {
                self.draw()?;
                self.face().await;
            }
        }
    }

    /// A question that has just come on the screen: what was typed until then
    /// was not meant for it.
    async fn face(&mut self) {
        if self.state.is_facing() {
            return;
        }
        terminal::forget_typed();
        while self.pressed_already().await.is_some() {}
        self.state.face(Instant::now());
    }

    /// Keys that come together while a question stands there are a paste or the
    /// rest of a thought: none of them is an answer.
    async fn give(&mut self, input: Input) -> io::Result<()> {
        let asked = matches!(&self.state.overlay, Some(Overlay::Ask(ask, _)) if !ask.is_written());
        if asked && matches!(input, Input::Key(_)) {
            let mut more = 0;
            while let Some(Press::Key(_)) = self.pressed_already().await {
                more += 1;
            }
            if more > 0 {
                self.state.disturb(Instant::now());
                self.dirty = true;
                return Ok(());
            }
        }
        self.take(input)
    }

    /// The next input; `None` when only a frame is due.
    async fn wait(&mut self) -> Option<Input> {
        let due = self.next_frame();
        let keys = async {
            match &mut self.keys {
                Some(keys) => keys.next().await,
                None => std::future::pending().await,
            }
        };
        let frame = async {
            match due {
                Some(at) => tokio::time::sleep_until(at.into()).await,
                None => std::future::pending().await,
            }
        };
        let stderr = async {
            match &mut self.stderr {
                Some(stderr) => stderr.line().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            signal = self.signals.next() => Some(Input::Signal(signal)),
            key = keys => match key {
                Some(Ok(press)) => pressed(press),
                // The terminal is gone.
                Some(Err(_)) | None => Some(Input::Signal(Signal::End)),
            },
            Some(input) = self.later.next() => Some(input),
            event = self.handle.events.next() => Some(match event {
                Some(event) => Input::Event(event),
                None => Input::Ended,
            }),
            line = stderr => Some(Input::Stderr(line)),
            () = frame => Some(Input::Tick),
        }
    }

    /// What is there already is taken before anything is drawn.
    async fn drain(&mut self) -> io::Result<()> {
        for _ in 0..BATCH {
            if self.left.is_some() {
                return Ok(());
            }
            let key = self.pressed_already().await;
            if let Some(press) = key {
                if let Some(input) = pressed(press) {
                    self.give(input).await?;
                }
                continue;
            }
            match self.handle.events.next().now_or_never() {
                Some(Some(event)) => self.take(Input::Event(event))?,
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// A key that waits to be read. Asked with the waker of this task: the stream
    /// keeps the one that it was asked with first.
    async fn pressed_already(&mut self) -> Option<Press> {
        let keys = self.keys.as_mut()?;
        let polled = std::future::poll_fn(|context| Poll::Ready(keys.poll_next_unpin(context)));
        match polled.await {
            Poll::Ready(Some(Ok(press))) => Some(press),
            // An end is noticed where it is waited for.
            Poll::Ready(_) | Poll::Pending => None,
        }
    }

    fn take(&mut self, input: Input) -> io::Result<()> {
        let now = Instant::now();
        let input = match input {
            Input::Resized(_) => {
                let rest = match self.environment.tmux {
                    true => SETTLE_TMUX,
                    false => SETTLE,
                };
                self.rests = Some(now + rest);
                self.screen.notice_resize();
                let size = terminal::size().unwrap_or(self.state.size);
                Input::Resized(size)
            }
            Input::Acted(Outcome::Opened(session)) => {
                let mut session = *session;
                // The handle is the loop's, all else the state's.
                std::mem::swap(&mut self.handle, &mut session.handle);
                let entries = self.house.menu();
                self.state.menu = crate::overlay::menu::Menu::new(entries.clone());
                self.state.entries = entries;
                self.state.files = crate::state::Files::default();
                Input::Acted(Outcome::Opened(Box::new(session)))
            }
            other => other,
        };
        self.dirty = true;
        for effect in update(&mut self.state, input, now) {
            match effect {
                Effect::Edit(text) => self.edit(&text)?,
                Effect::Suspend => self.suspend()?,
                other => self.effect(other),
            }
        }
        Ok(())
    }

    fn effect(&mut self, effect: Effect) {
        match effect {
            Effect::Send(command) => self.handle.commands.send(command),
            Effect::Ask(query) => {
                let port = Arc::clone(&self.handle.queries);
                self.later(async move {
                    let reply = port.ask(query.clone()).await;
                    Input::Replied(query, reply)
                });
            }
            Effect::List(listing) => {
                let rows = self.house.list(listing);
                self.later(async move { Input::Listed(listing, rows.await) });
            }
            Effect::Transcript => {
                let events = self.house.transcript();
                self.later(async move { Input::Transcript(events.await) });
            }
            Effect::Act(command) => {
                let outcome = self.house.act(command, &self.state.settings);
                self.later(async move { Input::Acted(outcome.await) });
            }
            Effect::Answered(answer) => {
                let outcome = self.house.answered(answer);
                self.later(async move { Input::Acted(outcome.await) });
            }
            Effect::Remember(text) => self.house.remember(&text),
            Effect::Themed(name) => self.house.themed(&name),
            Effect::Notify(text) => terminal::notify(&text, &self.environment),
            Effect::Title(title) => terminal::title(&title),
            Effect::Copy(text) => terminal::copy(&text, &self.environment),
            Effect::Repaint => self.screen.repaint(),
            Effect::Leave(leaving) => self.left = Some(leaving),
            Effect::Edit(_) | Effect::Suspend => {}
        }
    }

    fn later(&mut self, input: impl Future<Output = Input> + 'static) {
        self.later.push(input.boxed_local());
    }

    /// The user's editor gets the terminal, and nobody else reads keys.
    fn edit(&mut self, text: &str) -> io::Result<()> {
        self.keys = None;
        self.screen.clear()?;
        let edited = self.apart(|app| app.house.edit(text));
        self.keys = Some(EventStream::new());
        self.take(Input::Edited(edited))
    }

    /// Somebody else has the terminal.
    fn apart<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.modes.pause();
        self.stderr.iter().for_each(Captured::pause);
        let done = work(self);
        self.stderr.iter().for_each(Captured::resume);
        self.modes.resume();
        // What was typed meanwhile was for the other one.
        terminal::forget_typed();
        self.state.disturb(Instant::now());
        done
    }

    fn suspend(&mut self) -> io::Result<()> {
        self.keys = None;
        self.screen.clear()?;
        self.apart(|_| terminal::stop());
        self.keys = Some(EventStream::new());
        if let Some(size) = terminal::size() {
            self.take(Input::Resized(size))?;
        }
        Ok(())
    }

    fn is_due(&self) -> bool {
        let now = Instant::now();
        self.dirty && now >= self.drawn + FRAME && self.rests.is_none_or(|until| now >= until)
    }

    /// When something is to be drawn next, if anything is.
    fn next_frame(&self) -> Option<Instant> {
        if self.dirty {
            let frame = self.drawn + FRAME;
            return Some(self.rests.map_or(frame, |until| frame.max(until)));
        }
        if !self.state.is_moving() {
            return None;
        }
        let step = match self.state.wishes.motion {
            crate::house::Motion::Full if self.state.run.is_some() => SPIN,
            _ => SECOND,
        };
        Some(self.drawn + step)
    }

    fn draw(&mut self) -> io::Result<()> {
        self.rests = None;
        if let Some(size) = terminal::size() {
            self.state.size = size;
        }
        self.state.now = Instant::now();
        self.drawn = self.state.now;
        self.dirty = false;
        if self.themed != self.state.wishes.theme {
            self.themed.clone_from(&self.state.wishes.theme);
            self.screen
                .set_theme(Theme::named(&self.themed, self.ground));
        }
        let size = self.state.size;
        if let Some(page) = view::page(&mut self.state) {
            self.paged = true;
            return self.screen.page(size, &page);
        }
        if std::mem::take(&mut self.paged) {
            self.screen.unpage()?;
        }
        let finished = self.state.flow.take(size.columns);
        let live = view::live(&self.state);
        self.screen.draw(size, &finished, &live)
    }

    /// The live area goes; what was said stays.
    fn end(&mut self) -> io::Result<()> {
        self.keys = None;
        if self.paged {
            self.screen.unpage()?;
        }
        let finished: Vec<Line> = self.state.flow.take(self.state.size.columns);
        let size = self.state.size;
        let drawn = self.screen.draw(size, &finished, &Frame::default());
        let cleared = self.screen.clear();
        self.modes.pause();
        io::stdout().flush()?;
        drawn.and(cleared)
    }
}

fn pressed(press: Press) -> Option<Input> {
    Some(match press {
        Press::Key(key) => Input::Key(key),
        Press::Paste(text) => Input::Paste(text),
        Press::Resize(columns, rows) => Input::Resized(Size {
            columns: usize::from(columns),
            rows: usize::from(rows),
        }),
        Press::FocusGained => Input::Focus(Focus::Gained),
        Press::FocusLost => Input::Focus(Focus::Lost),
        Press::Mouse(_) => return None,
    })
}
