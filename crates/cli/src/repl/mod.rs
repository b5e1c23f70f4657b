//! The plain interactive session: a prompt, a run, a prompt. Draws by lines
//! only, so that it works over ssh, in a dumb terminal and for a screen reader.
//!
//! It is a front end like any other: it has a `Handle`, sends commands and draws
//! events, and knows nothing else of the engine.

mod complete;
mod during;
mod editor;
mod hands;
mod header;
mod input;
mod local;
mod modes;
mod paste;
mod prompts;
mod session;
mod setup;
mod start;
mod status;
pub mod table;
mod watch;

use crate::CommandResult;
use crate::args::{Format, ResumeArgs, RunArgs, Shared};
use crate::assemble::{self, Options, Session};
use crate::commands::exec;
use crate::error::{CliError, code};
use crate::place::Place;
use crate::prompt;
use crate::render::waiting::{Motion, TICK, Waiting};
use crate::render::{self, Stands};
use crate::screen::{Paint, Style, complain};
use crate::signals::{Asked, Signals};
use crate::talk::{self, Wanted};
use crate::trust::Asking;
use crate::tui::{self, Front};
use during::After;
use input::{Editing, Entered, Hands, Keyboard, Typed, clean};
use session::{Live, Opened};
pub(crate) use setup::Completed;
use std::collections::VecDeque;
use std::process::ExitCode;
use std::time::Instant;
use tenon_engine::slash::{self, Line};
use tenon_tui::state::{Press, Twice};
use tenon_vocab::notice;
use tenon_vocab::{
    Command, ContextChange, Event, EventKind, Part, PermissionMode, Printable, Query, SessionId,
};
use watch::Said;
pub(crate) use watch::typed_alone;

const PROMPT: &str = "> ";

/// What stands before an input: the permission mode and the flags that go with
/// it, unless everything is asked about.
fn label(paint: Paint, mode: PermissionMode, flags: &[&str]) -> String {
    let style = match mode {
        PermissionMode::Ask => Style::Green,
        PermissionMode::AcceptEdits => Style::Cyan,
        PermissionMode::Auto => Style::Yellow,
        PermissionMode::Plan => Style::Bold,
    };
    if mode == PermissionMode::Ask && flags.is_empty() {
        return PROMPT.to_owned();
    }
    let mut label = paint.paint(style, mode.label());
    for flag in flags {
        label.push(' ');
        label.push_str(&paint.paint(Style::Yellow, flag));
    }
    label + " " + PROMPT
}

/// A new session, or the one that the flags name.
pub fn run(shared: &Shared, args: &RunArgs) -> CommandResult {
    let place = Place::find(shared)?;
    let session = exec::choose(&place, args)?;
    by_lines_or_screen(shared, place, args, session)
}

/// Goes on with a session.
pub fn resume(shared: &Shared, session: SessionId, args: &ResumeArgs) -> CommandResult {
    let run = RunArgs {
        provider: args.provider.clone(),
        model: args.model.clone(),
        effort: args.effort.clone(),
        image: args.image.clone(),
        yes: args.yes,
        permission_mode: args.permission_mode,
        add_dir: args.add_dir.clone(),
        plain: args.plain,
        ..RunArgs::default()
    };
    let place = Place::find(shared)?;
    by_lines_or_screen(shared, place, &run, Session::Existing(session))
}

fn by_lines_or_screen(
    shared: &Shared,
    place: Place,
    args: &RunArgs,
    session: Session,
) -> CommandResult {
    match tui::front(args, &place) {
        Front::Screen => tui::talk(shared, place, args, session),
        Front::Lines => talk(shared, place, args, session),
    }
}

/// What no setting says is asked before the screen of the terminal interface is
/// taken, line by line.
pub fn set_up(
    shared: &Shared,
    place: &Place,
    options: &mut Options,
    session: Session,
) -> Result<Completed, CliError> {
    if setup::lacking(place, options, session)?.is_none() {
        return Ok(Completed::Settings);
    }
    let _modes = modes::Saved::take();
    let runtime = assemble::runtime()?;
    let paint = Paint::for_stderr(shared.color);
    runtime.block_on(async {
        let mut repl = Repl::new(place.clone(), paint, Vec::new())?;
        setup::complete(&mut repl, options, session).await
    })
}

pub(crate) struct Repl {
    place: Place,
    keyboard: Keyboard,
    signals: Signals,
    paint: Paint,
    editing: Editing,
    /// What was asked about content of others.
    asking: Asking,
    /// Given with --image: they go with the first prompt.
    images: Vec<Part>,
    /// Lines that were typed while a server was waited for: the next inputs.
    typed: VecDeque<Entered>,
    /// What the next input begins with: a prompt that was taken back.
    begun: String,
    /// What answers besides the permission mode, or holds back.
    flags: Vec<&'static str>,
}

/// What follows an input.
enum Next {
    /// The prompt comes back.
    Stay,
    /// A run was asked for.
    Run,
    Start(Box<Wanted>),
    Leave,
    /// A signal asked the program to end.
    Killed,
}

fn talk(shared: &Shared, place: Place, args: &RunArgs, session: Session) -> CommandResult {
    // Last to be dropped: whatever happens, the terminal is as it was.
    let _modes = modes::Saved::take();
    let runtime = assemble::runtime()?;
    let paint = Paint::for_stderr(shared.color);
    let options = Options::from_args(args, exec::desk(Format::Text, paint));
    let images = crate::images::of_flags(&place, &options, session, &args.image)?;
    runtime.block_on(async {
        let mut repl = Repl::new(place, paint, images)?;
        repl.flags = options.shown_flags();
        repl.work(options, session, prompt::first(args)?).await
    })
}

impl Repl {
    /// Inside of the runtime: it listens to signals.
    fn new(place: Place, paint: Paint, images: Vec<Part>) -> Result<Self, CliError> {
        // Before the first edited line: the editor puts back the handler that
        // it found.
        let signals = Signals::new()?;
        let editing = modes::editing(Motion::for_stderr(), &place.env);
        let keyboard = Keyboard::start(Hands {
            editing,
            paint,
            history: place.paths.state.join("history"),
            root: place.root.clone(),
        });
        Ok(Self {
            place,
            keyboard,
            signals,
            paint,
            editing,
            asking: Asking::default(),
            images,
            typed: VecDeque::new(),
            begun: String::new(),
            flags: Vec::new(),
        })
    }

    /// One session after the other, until it is left.
    async fn work(
        &mut self,
        mut options: Options,
        session: Session,
        first: Option<String>,
    ) -> CommandResult {
        let place = talk::place_of(&self.place, session)?;
        session::ask_trust(self, &place, &options).await?;
        if setup::complete(self, &mut options, session).await? == Completed::Interrupted {
            return Ok(interrupted());
        }
        let wanted = Wanted::first(session);
        let mut live = match session::open(self, &options, None, &wanted).await? {
            Opened::Live(live) => *live,
            Opened::Interrupted => return Ok(interrupted()),
        };
        if let Some(first) = first {
            complain(&format!("{PROMPT}{}", Printable::block(&first)));
            self.typed.push_back(Entered::alone(first));
        }
        loop {
            match self.converse(&mut live).await {
                // Before the current one is ended: what fails leaves all as it was.
                Next::Start(wanted) => {
                    let before = Some(live.talk());
                    match session::open(self, &options, before, &wanted).await {
                        Ok(Opened::Live(opened)) => {
                            let old = std::mem::replace(&mut live, *opened);
                            self.end(old, "The session before").await;
                        }
                        Ok(Opened::Interrupted) => {
                            let error = CliError::runtime("interrupted while starting");
                            fail(&error, self.paint);
                        }
                        Err(error) => fail(&error, self.paint),
                    }
                }
                Next::Killed => {
                    self.end(live, "Resume with").await;
                    return Ok(ExitCode::from(code::INTERRUPTED));
                }
                Next::Stay | Next::Run | Next::Leave => {
                    self.end(live, "Resume with").await;
                    return Ok(ExitCode::SUCCESS);
                }
            }
        }
    }

    /// Says how to come back to it, after a word of which one it is.
    async fn end(&self, live: Live, which: &str) {
        talk::come_back(which, session::end(live).await, self.paint);
    }

    /// Prompts and runs of one session, until something else is wanted.
    async fn converse(&mut self, live: &mut Live) -> Next {
        let mut twice = Twice::default();
        loop {
            if during::catch_up(live, self.paint) == After::Ended {
                fail(&CliError::runtime("the session has ended"), self.paint);
                return Next::Leave;
            }
            let next = match self.input(live, &mut twice).await {
                Ok(input) => match self.take(live, &input).await {
                    Ok(next) => next,
                    Err(error) => {
                        fail(&error, self.paint);
                        Next::Stay
                    }
                },
                Err(next) => next,
            };
            match next {
                Next::Stay => {}
                Next::Run => match during::attend(self, live).await {
                    Ok(After::Idle) => {}
                    Ok(After::Killed) => return Next::Killed,
                    Ok(After::Left | After::Ended) => return Next::Leave,
                    Err(error) => fail(&error, self.paint),
                },
                other => return other,
            }
        }
    }

    /// Waits for an input; nothing of the session is drawn meanwhile, because
    /// it would be drawn into the line that is being edited.
    async fn input(&mut self, live: &Live, twice: &mut Twice) -> Result<Entered, Next> {
        if let Some(line) = self.typed.pop_front() {
            return Ok(line);
        }
        let begun = std::mem::take(&mut self.begun);
        let label = label(self.paint, live.settings.permission_mode, &self.flags);
        self.keyboard.ask(&label, begun);
        loop {
            let pressed = tokio::select! {
                biased;
                asked = self.signals.next() => match asked {
                    Asked::End => {
                        // Also where the editor stands in its line.
                        complain("\r");
                        return Err(Next::Killed);
                    }
                    Asked::Interrupt => twice.press(Instant::now()),
                },
                typed = self.keyboard.next() => match typed {
                    Typed::Input(entered) => {
                        twice.forget();
                        return Ok(entered);
                    }
                    Typed::Ended => {
                        self.end_line();
                        return Err(Next::Leave);
                    }
                    Typed::Interrupted => twice.press(Instant::now()),
                    Typed::Tab { query, reply } => {
                        complete::answer(live, query, reply);
                        continue;
                    }
                    Typed::During(..) | Typed::Unwatched => continue,
                },
            };
            self.end_line();
            if pressed == Press::Second {
                return Err(Next::Leave);
            }
            let leaving = "(Ctrl+C again leaves; so does Ctrl+D)";
            complain(&self.paint.paint(Style::Dim, leaving));
            match self.editing {
                Editing::Full => self.keyboard.ask(&label, String::new()),
                // The line is still waited for.
                Editing::Plain => modes::prompt(&label),
            }
        }
    }

    /// The prompt, and what a key has shown after it, get an end. The editor ends
    /// its own line.
    fn end_line(&self) {
        match self.editing {
            Editing::Full => {}
            Editing::Plain => complain(""),
        }
    }

    async fn take(&mut self, live: &mut Live, entered: &Entered) -> Result<Next, CliError> {
        let typed = clean(&entered.text);
        if entered.is_doubtful() && !self.is_meant(&typed).await {
            complain("Not run.");
            return Ok(Next::Stay);
        }
        let chosen = match start::take(self, live, &typed).await? {
            start::Taken::Done => return Ok(Next::Stay),
            start::Taken::Line(line) => Some(line),
            start::Taken::No => None,
        };
        let input = chosen.as_deref().unwrap_or(&typed);
        let line = slash::read(input, &live.talk().names);
        if line.is_remembered(input) {
            self.keyboard.remember(input.trim_end());
        }
        let command = match line {
            Line::Nothing => return Ok(Next::Stay),
            Line::Wrong(what) => {
                complain(&what);
                return Ok(Next::Stay);
            }
            Line::Local(command) => return local::act(self, live, command).await,
            Line::Query(query) => {
                self.query(live, query).await;
                return Ok(Next::Stay);
            }
            Line::Command(command) => command,
        };
        match command {
            Command::Interrupt => complain("Nothing is running."),
            Command::Switch(_)
            | Command::Settings(_)
            | Command::Undo
            | Command::Redo
            | Command::Revert { .. } => {
                live.handle.commands.send(command);
                self.switched(live).await;
            }
            Command::Prompt { text, .. } => {
                let attachments = std::mem::take(&mut self.images);
                let prompt = Command::Prompt { text, attachments };
                live.handle.commands.send(prompt);
                live.begun = start::Begun::Yes;
                return Ok(Next::Run);
            }
            Command::Compact { .. }
            | Command::Skill { .. }
            | Command::Custom { .. }
            | Command::Shell { .. } => {
                live.handle.commands.send(command);
                return Ok(Next::Run);
            }
            // No line says these; none of them starts a run.
            Command::Steer { .. }
            | Command::Answer(_)
            | Command::KillJob { .. }
            | Command::Shutdown => live.handle.commands.send(command),
        }
        Ok(Next::Stay)
    }

    /// What runs without a question has to be typed; this perhaps was not.
    async fn is_meant(&mut self, input: &str) -> bool {
        complain(&format!(
            "This came with other lines and would run:\n{}",
            Printable::block(input.trim())
        ));
        let label = "Run it? [y/N] ";
        self.keyboard.consent(&mut self.signals, label).await
    }

    /// Waits until the engine has said what became of a change of the model or
    /// of the session's own settings.
    pub(crate) async fn switched(&mut self, live: &mut Live) {
        // Without it what is typed waits in the terminal.
        let _ = self.keyboard.watch();
        let mut waiting = Waiting::for_server(Motion::Appended);
        let mut tick = tokio::time::interval(TICK);
        loop {
            tokio::select! {
                biased;
                _ = self.signals.next() => live.handle.commands.send(Command::Interrupt),
                event = live.handle.events.next() => {
                    let Some(event) = event else { break };
                    waiting.erase();
                    // Nobody reads: the prompt that comes next notices it.
                    let _ = live.draw(&event);
                    if let EventKind::Context(ContextChange::Reverted(to)) = &event.kind {
                        let taken_back = talk::prompt_at(live.talk(), to.before).await;
                        self.begun = taken_back.unwrap_or_default();
                    }
                    if is_about_a_switch(&event) {
                        break;
                    }
                }
                typed = self.keyboard.next() => {
                    waiting.leave();
                    self.typed.extend(line_of(typed));
                }
                now = tick.tick() => waiting.tick(now.into_std(), Stands::AtLineStart),
            }
        }
        waiting.erase();
        self.typed.extend(self.keyboard.unwatch().await);
    }

    async fn query(&mut self, live: &Live, query: Query) {
        if !matches!(query, Query::Models) {
            // All others are answered at once.
            let reply = live.handle.queries.ask(query).await;
            return complain(&table::reply(&reply, table::width()));
        }
        let _ = self.keyboard.watch();
        let mut waiting = Waiting::for_server(Motion::Appended);
        let mut tick = tokio::time::interval(TICK);
        let mut reply = live.handle.queries.ask(query);
        let said = loop {
            tokio::select! {
                biased;
                _ = self.signals.next() => break String::from("(not waited for)"),
                reply = &mut reply => break table::reply(&reply, table::width()),
                typed = self.keyboard.next() => {
                    waiting.leave();
                    self.typed.extend(line_of(typed));
                }
                now = tick.tick() => waiting.tick(now.into_std(), Stands::AtLineStart),
            }
        };
        waiting.erase();
        complain(&said);
        self.typed.extend(self.keyboard.unwatch().await);
    }
}

pub(crate) fn interrupted() -> ExitCode {
    complain("\nInterrupted while starting.");
    ExitCode::from(code::INTERRUPTED)
}

/// A line that was typed while nobody edited one.
fn line_of(typed: Typed) -> Option<Entered> {
    match typed {
        Typed::During(_, Said::Line(line)) => Some(line),
        _ => None,
    }
}

fn is_about_a_switch(event: &Event) -> bool {
    matches!(&event.kind, EventKind::Notice(said) if notice::answers_a_change(&said.kind))
}

fn fail(error: &CliError, paint: Paint) {
    // The code is for programs that end with it.
    let _ = render::failure(error, Format::Text, paint);
}
