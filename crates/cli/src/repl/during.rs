//! While a run goes on: events are drawn, what is typed steers it, questions
//! are answered, Ctrl+C stops it.

use super::input::{Entered, NOT_TYPED, Pace, Typed};
use super::local::{Looking, Shown};
use super::session::Live;
use super::status;
use super::watch::Said;
use super::{Repl, local, prompts, table};
use crate::error::{CliError, code};
use crate::render::question;
use crate::render::waiting::{Motion, TICK, Waiting};
use crate::screen::{Style, complain};
use crate::signals::Asked;
use crate::talk;
use futures_util::FutureExt;
use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;
use tenon_engine::slash::{self, Line, Local};
use tenon_tui::state::{Press, Twice};
use tenon_vocab::{
    Command, Event, EventKind, Query, Question, Reply, RunState, SettingsChange, Turn,
};
use tokio::sync::mpsc;

/// How the run left the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// The prompt comes back.
    Idle,
    /// `/exit`.
    Left,
    /// A signal, or Ctrl+C twice.
    Killed,
    /// The engine has ended by itself.
    Ended,
}

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Running,
    /// `run_finished` has come; another run may follow at once.
    Finished,
    Over,
}

struct Desk {
    stage: Stage,
    waiting: Waiting,
    /// The question that is on the screen, and since when.
    open: Option<(Question, u64)>,
    next: VecDeque<Question>,
    twice: Twice,
    pressed: u32,
    /// Why the engine was told to end.
    leaving: Option<After>,
    heard: mpsc::UnboundedSender<Heard>,
    /// What was asked for during the run and is not here yet.
    looking: usize,
}

/// What was asked for during the run, and is to be shown.
enum Heard {
    Reply(Reply),
    Shown(Result<Shown, CliError>),
}

/// Attends to a run that was just asked for, until nothing runs any more.
pub async fn attend(repl: &mut Repl, live: &mut Live) -> Result<After, CliError> {
    repl.keyboard.watch()?;
    let after = until_idle(repl, live).await;
    // Typed in the last moment of the run: they are the next inputs.
    let unheard = repl.keyboard.unwatch().await;
    repl.typed.extend(unheard);
    Ok(after)
}

async fn until_idle(repl: &mut Repl, live: &mut Live) -> After {
    let (heard, mut hearing) = mpsc::unbounded_channel();
    let mut desk = Desk {
        stage: Stage::Running,
        waiting: Waiting::new(Motion::Appended),
        open: None,
        next: VecDeque::new(),
        twice: Twice::default(),
        pressed: 0,
        leaving: None,
        heard,
        looking: 0,
    };
    let mut tick = tokio::time::interval(TICK);
    loop {
        tokio::select! {
            biased;
            asked = repl.signals.next() => desk.signal(live, asked),
            typed = repl.keyboard.next() => match typed {
                Typed::During(moment, Said::Line(line)) => desk.line(repl, live, moment, line),
                Typed::During(moment, Said::End) => desk.end(live, moment),
                _ => {}
            },
            Some(heard) = hearing.recv() => desk.show(repl, heard),
            event = live.handle.events.next() => match event {
                None => return desk.leaving.unwrap_or(After::Ended),
                Some(event) => desk.event(repl, live, &event),
            },
            // One tick after the end at the latest: the event that says so may
            // have been dropped for a slow screen.
            now = tick.tick() => match desk.stage {
                Stage::Running => desk.waiting.tick(now.into_std(), live.stands()),
                Stage::Finished | Stage::Over => desk.stage = Stage::Over,
            },
        }
        let is_over = desk.stage == Stage::Over && desk.looking == 0;
        if is_over && desk.leaving.is_none() && !desk.goes_on(repl, live) {
            return After::Idle;
        }
    }
}

impl Desk {
    /// Whether another run has already begun: something was queued.
    fn goes_on(&mut self, repl: &mut Repl, live: &mut Live) -> bool {
        while let Some(Some(event)) = live.handle.events.next().now_or_never() {
            self.event(repl, live, &event);
            if self.stage == Stage::Running {
                return true;
            }
        }
        false
    }

    fn event(&mut self, repl: &mut Repl, live: &mut Live, event: &Arc<Event>) {
        self.waiting.event(&event.kind, Instant::now());
        if live.draw(event).is_err() {
            // Nobody reads any more: stop the work, keep the log whole.
            self.leave(live, After::Killed);
        }
        match &event.kind {
            EventKind::RunStarted(_) if event.parent.is_none() => {
                self.stage = Stage::Running;
            }
            EventKind::RunFinished(finished) if event.parent.is_none() => {
                let notify = live.talk().configured.resolved.tui.notify;
                let (refusals, room) = (live.refusals(), room(live));
                status::finished(repl.paint, finished, refusals, room.as_deref(), notify);
                self.open = None;
                self.next.clear();
                self.stage = Stage::Finished;
            }
            EventKind::State(changed)
                if changed.state == RunState::Idle && self.stage == Stage::Finished =>
            {
                self.stage = Stage::Over;
            }
            EventKind::Question(asked) => {
                self.next.push_back(asked.clone());
                self.show_next(repl);
            }
            // Also one that was not given here: the run was interrupted.
            EventKind::Answer(answer) => {
                self.next.retain(|asked| asked.id != answer.question);
                if self
                    .open
                    .as_ref()
                    .is_some_and(|(asked, _)| asked.id == answer.question)
                {
                    self.open = None;
                }
                self.show_next(repl);
            }
            _ => {}
        }
    }

    /// Shows the question first and then sets aside what was typed: only what is
    /// typed after it could be read is an answer.
    fn show_next(&mut self, repl: &Repl) {
        if self.open.is_some() {
            return;
        }
        if let Some(asked) = self.next.pop_front() {
            complain(&question::show(repl.paint, &asked));
            let moment = repl.keyboard.begin();
            let mut stderr = std::io::stderr().lock();
            let _ = write!(stderr, "> ").and_then(|()| stderr.flush());
            self.open = Some((asked, moment));
        }
    }

    fn answer(&mut self, live: &Live, line: &str) {
        if let Some((asked, _)) = &self.open
            && let Some(said) = question::slip(asked, line)
        {
            complain(&said);
            let _ = write!(std::io::stderr().lock(), "> ");
            return;
        }
        if let Some((asked, _)) = self.open.take() {
            let answer = question::answer(&asked, line);
            live.handle.commands.send(Command::Answer(answer));
        }
    }

    fn is_asked(&self, moment: u64) -> bool {
        self.open
            .as_ref()
            .is_some_and(|(_, since)| moment >= *since)
    }

    fn line(&mut self, repl: &mut Repl, live: &mut Live, moment: u64, entered: Entered) {
        self.twice.forget();
        self.waiting.leave();
        if self.is_asked(moment) {
            return match entered.pace {
                Pace::Alone => self.answer(live, entered.text.trim()),
                Pace::Among | Pace::Pasted => {
                    complain(NOT_TYPED);
                    let _ = write!(std::io::stderr().lock(), "> ");
                }
            };
        }
        if entered.is_doubtful() {
            complain("(it came with other lines, so Tenon asks about it after this run)");
            return repl.typed.push_back(entered);
        }
        let line = super::input::clean(entered.text.trim());
        if line.is_empty() {
            return;
        }
        match slash::read(&line, &live.talk().names) {
            Line::Nothing => {}
            Line::Wrong(what) => complain(&what),
            Line::Query(query) => self.query(live, query),
            Line::Local(command) => self.local(repl, live, &line, command),
            Line::Command(command) => give(repl, live, &line, command),
        }
    }

    /// What needs no engine; some of it needs the session for itself.
    fn local(&mut self, repl: &Repl, live: &Live, line: &str, command: Local) {
        if command.turn() != Turn::AtOnce {
            let name = line.split_whitespace().next().unwrap_or_default();
            return complain(&format!(
                "({name} has to wait until the run ends. /stop stops the run.)"
            ));
        }
        if let Err(error) = self.at_once(repl, live, command) {
            super::fail(&error, repl.paint);
        }
    }

    fn at_once(&mut self, repl: &Repl, live: &Live, command: Local) -> Result<(), CliError> {
        let set = |change| live.handle.commands.send(Command::Settings(change));
        match command {
            Local::Rename(title) => set(SettingsChange::renamed(title)),
            Local::Pin(how) => set(SettingsChange::pinned(&live.settings, how)),
            Local::Exit => self.leave(live, After::Left),
            Local::Help => complain(&local::help()),
            Local::Effort => complain(&talk::say_effort(&live.settings)),
            Local::Theme(_) => complain(local::NO_THEME),
            Local::Sessions => local::sessions(&repl.place, live.id()),
            Local::History => complain(&prompts::listed(&repl.place, live)?),
            Local::Search(text) => self.look(local::search(live.talk(), text)),
            Local::Diff => self.look(local::changes(live.talk(), repl.paint)?),
            Local::Export(to) => self.look(local::export(live.talk(), to)?),
            // They wait.
            Local::Clear
            | Local::New
            | Local::Resume(_)
            | Local::Init
            | Local::Fork(_)
            | Local::Handoff(_) => {}
        }
        Ok(())
    }

    /// What takes a while is shown when it is there.
    fn look(&mut self, looking: impl Looking) {
        self.looking += 1;
        let heard = self.heard.clone();
        tokio::spawn(async move {
            let _ = heard.send(Heard::Shown(looking.await));
        });
    }

    fn query(&mut self, live: &Live, query: Query) {
        self.looking += 1;
        let (port, heard) = (Arc::clone(&live.handle.queries), self.heard.clone());
        tokio::spawn(async move {
            let _ = heard.send(Heard::Reply(port.ask(query).await));
        });
    }

    fn show(&mut self, repl: &Repl, heard: Heard) {
        self.looking = self.looking.saturating_sub(1);
        self.waiting.leave();
        let shown = match heard {
            Heard::Reply(reply) => {
                complain(&table::reply(&reply, table::width()));
                Ok(())
            }
            Heard::Shown(shown) => shown.and_then(|shown| shown.show()),
        };
        if let Err(error) = shown {
            super::fail(&error, repl.paint);
        }
    }

    /// Ctrl+D: no to a question, nothing otherwise.
    fn end(&mut self, live: &Live, moment: u64) {
        if self.is_asked(moment) {
            complain("");
            self.answer(live, "");
        }
    }

    fn leave(&mut self, live: &Live, why: After) {
        self.leaving = Some(why);
        live.handle.commands.send(Command::Shutdown);
    }

    /// Ctrl+C stops the run, twice ends the session, and again leaves at once.
    fn signal(&mut self, live: &Live, asked: Asked) {
        self.waiting.leave();
        self.pressed += 1;
        let press = self.twice.press(Instant::now());
        if self.leaving.is_some() && self.pressed > 2 {
            std::process::exit(i32::from(code::INTERRUPTED));
        }
        // The terminal shows a ^C, or a question is open: a line of its own.
        if asked == Asked::Interrupt || self.open.is_some() {
            complain("");
        }
        if asked == Asked::End || press == Press::Second {
            return self.leave(live, After::Killed);
        }
        complain("(stopping; Ctrl+C again leaves)");
        self.answer(live, "");
        live.handle.commands.send(Command::Interrupt);
    }
}

/// How full the window is. The engine has it at hand: nothing is waited for.
fn room(live: &Live) -> Option<String> {
    match live.handle.queries.ask(Query::Context).now_or_never()? {
        Reply::Table(table) => table.note,
        Reply::Meter(_) | Reply::Words { .. } | Reply::Unavailable { .. } => None,
    }
}

/// A prompt is a word in between; a stop acts at once; all else waits for its turn.
fn give(repl: &Repl, live: &Live, line: &str, command: Command) {
    let command = match command {
        Command::Prompt { text, .. } => {
            status::queued(repl.paint, line);
            Command::Steer { text }
        }
        Command::Shell { .. } => {
            status::queued(repl.paint, line);
            command
        }
        command => {
            if command.turn() == Turn::After {
                complain("(after this run)");
            }
            command
        }
    };
    live.handle.commands.send(command);
}

/// Draws what happened while the prompt was open, such as a process that ended.
pub fn catch_up(live: &mut Live, paint: crate::screen::Paint) -> After {
    while let Some(next) = live.handle.events.next().now_or_never() {
        let Some(event) = next else {
            return After::Ended;
        };
        if live.draw(&event).is_err() {
            complain(&paint.paint(Style::Dim, "(nothing reads the output any more)"));
        }
    }
    After::Idle
}
