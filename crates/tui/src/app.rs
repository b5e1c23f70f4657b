//! The loop: waits for keys, events, answers and time, and draws. The only place
//! of the interface that does any of it.

mod apart;
mod frames;
mod signals;
mod tail;

use crate::house::{House, Opened, Wishes};
use crate::input::{Effect, Focus, Input, Leaving, Signal};
use crate::screen::{Look, Screen, UNREST};
use crate::state::{Begin, Overlay, State};
use crate::stderr::Captured;
use crate::terminal::{self, Environment, Modes};
use crate::text::Size;
use crate::theme::{Ground, Theme};
use crate::update::{opened, submit, update};
use apart::Away;
use crossterm::event::{Event as Press, EventStream};
use frames::FRAME;
use futures_util::future::{FutureExt, LocalBoxFuture};
use futures_util::stream::{FuturesUnordered, StreamExt};
use signals::Signals;
use std::future::Future;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};
use tail::{Arrived, Tail};
use tenon_vocab::Part;
use tenon_vocab::port::Handle;

/// How long the screen rests after a resize. A window that is dragged changes
/// its size often, and tmux tells of it at most every quarter of a second: a
/// frame that is drawn in between would be drawn for a width that is gone.
const SETTLE: Duration = Duration::from_millis(50);
/// Pieces of a search through many files between two frames.
const SLICES: usize = 3;
/// How long a page is laid out before keys are looked at again.
const LAYING: Duration = Duration::from_millis(8);
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
    /// Sent as if it had been typed.
    pub prompt: Option<String>,
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
    /// What the program around is at: one thing at a time.
    act: Option<LocalBoxFuture<'static, Input>>,
    signals: Signals,
    /// What may still come of a paste.
    tail: Tail,
    environment: Environment,
    ground: Ground,
    dirty: bool,
    drawn: Instant,
    /// Nothing is drawn before.
    rests: Option<Instant>,
    left: Option<Leaving>,
    /// Somebody else is to have the terminal.
    away: Option<Away>,
    /// The theme that is drawn with.
    themed: String,
}

/// The session that was open until now.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Held,
    LetGo,
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
            prompt,
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
            read: Box::new(move |line| reader.read(line)),
        };
        let mut state = State::new(begin, &session);
        state.attachments = attachments;
        if terminal::marks_pastes(&environment) {
            state.composer.expect_marked_pastes();
        }
        let mut effects = Vec::new();
        opened(&mut state, &session, &mut effects);
        if let Some(prompt) = prompt {
            submit(&mut state, &prompt, &mut effects);
        }
        let mut app = Self {
            house,
            handle: session.handle,
            state,
            screen: Screen::new(io::stdout(), size, look),
            modes,
            stderr,
            keys: Some(EventStream::new()),
            later: FuturesUnordered::new(),
            act: None,
            signals: Signals::new()?,
            tail: Tail::default(),
            environment,
            ground,
            dirty: true,
            drawn: now.checked_sub(FRAME).unwrap_or(now),
            rests: None,
            left: None,
            away: None,
            themed,
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
            self.drain_tail().await?;
            let input = self.wait().await;
            if let Some(input) = input {
                self.give(input, Arrived::Now).await?;
                self.drain().await?;
            }
            if let Some(away) = self.away.take() {
                self.apart(away).await?;
            }
            if let Some(leaving) = self.left {
                return Ok(leaving);
            }
            self.labour();
            if self.is_due() {
                self.draw()?;
                self.face().await;
            }
        }
    }

    /// A piece of what takes long: keys are looked at in between.
    fn labour(&mut self) {
        for _ in 0..SLICES {
            if !self.state.menu.work() {
                break;
            }
            self.dirty = true;
        }
        let until = Instant::now() + LAYING;
        while let Some(Overlay::Page(page)) = &mut self.state.overlay
            && page.has_work()
            && Instant::now() < until
        {
            page.work();
            self.dirty = true;
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

    /// What came while a frame was drawn behind a paste may have come with it.
    async fn drain_tail(&mut self) -> io::Result<()> {
        if self.tail.is_open() {
            self.drain().await?;
            self.tail.quiet(Instant::now());
        }
        Ok(())
    }

    /// Keys that come together while a question stands there are a paste or the
    /// rest of a thought, and text: none of them is an answer. Behind a paste keys are a part
    /// of it, whatever stands there.
    async fn give(&mut self, input: Input, arrived: Arrived) -> io::Result<()> {
        let input = match input {
            Input::Key(key) if self.tail.has(arrived, Instant::now()) => {
                let Some(c) = tail::text_of(&key) else {
                    return Ok(());
                };
                Input::Paste(c.to_string())
            }
            other => other,
        };
        if matches!(input, Input::Paste(_)) {
            self.take(input)?;
            self.tail.pasted(Instant::now());
            return Ok(());
        }
        let asked = matches!(&self.state.overlay, Some(Overlay::Ask(ask, _)) if !ask.is_written());
        if let Input::Key(first) = input
            && asked
        {
            let mut keys = vec![first];
            while let Some(Press::Key(key)) = self.pressed_already().await {
                keys.push(key);
            }
            if keys.len() > 1 {
                self.state.disturb(&keys, Instant::now());
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
        let act = async {
            match &mut self.act {
                Some(act) => act.await,
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
            input = act => {
                self.act = None;
                Some(input)
            }
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
            if self.left.is_some() || self.away.is_some() {
                return Ok(());
            }
            let key = self.pressed_already().await;
            if let Some(press) = key {
                if let Some(input) = pressed(press) {
                    self.give(input, Arrived::Already).await?;
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
        let mut before = Before::Held;
        let input = match input {
            Input::Resized(_) => {
                let rest = match self.environment.tmux {
                    true => UNREST,
                    false => SETTLE,
                };
                self.rests = Some(now + rest);
                self.screen.notice_resize();
                let size = terminal::size().unwrap_or(self.state.size);
                Input::Resized(size)
            }
            Input::Acted(mut outcome) => {
                if let Some(session) = outcome.session() {
                    // The handle is the loop's, all else the state's.
                    std::mem::swap(&mut self.handle, &mut session.handle);
                    // What the session before was asked is not for this one.
                    self.later.clear();
                    before = Before::LetGo;
                }
                Input::Acted(outcome)
            }
            other => other,
        };
        self.dirty = true;
        for effect in update(&mut self.state, input, now) {
            self.effect(effect);
        }
        if before == Before::LetGo {
            self.house.let_go();
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
                self.act = Some(events.map(Input::Transcript).boxed_local());
            }
            Effect::Act(command) => {
                let outcome = self.house.act(command, &self.state.settings);
                self.act = Some(outcome.map(Input::Acted).boxed_local());
            }
            Effect::Answered(answer) => {
                let outcome = self.house.answered(answer);
                self.act = Some(outcome.map(Input::Acted).boxed_local());
            }
            Effect::GiveUp => self.act = None,
            Effect::PromptAt(seq) => {
                let prompt = self.house.prompt_at(seq);
                self.later(async move { Input::Prompted(prompt.await) });
            }
            Effect::Branch => {
                let branch = self.house.branch();
                self.later(async move { Input::Branch(branch.await) });
            }
            Effect::Image(from) => {
                let image = self.house.image(from.clone());
                self.later(async move { Input::Image(from, image.await) });
            }
            Effect::Remember(text) => self.house.remember(&text),
            Effect::Themed(name) => {
                self.house.themed(&name);
                if Theme::asks_ground(&name) {
                    self.look_at_ground();
                    self.screen.set_theme(Theme::named(&name, self.ground));
                }
            }
            Effect::Notify(text) => terminal::notify(&text, &self.environment),
            Effect::Title(title) => self.modes.title(&title),
            Effect::Repaint => self.screen.repaint(),
            Effect::Leave(leaving) => self.left = Some(leaving),
            Effect::Edit(text) => self.away = Some(Away::Edit(text)),
            Effect::Suspend => self.away = Some(Away::Stop),
        }
    }

    fn later(&mut self, input: impl Future<Output = Input> + 'static) {
        self.later.push(input.boxed_local());
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
