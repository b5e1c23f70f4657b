//! The session that is talked to, and how it is opened and ended.

use super::start::Begun;
use super::{Repl, header};
use crate::again;
use crate::assemble::Options;
use crate::error::CliError;
use crate::place::Place;
use crate::render::question;
use crate::render::text::TextLines;
use crate::render::waiting;
use crate::render::{Renderer, Stands};
use crate::screen::complain;
use crate::talk::{Opening, Running, Talk, Wanted};
use crate::trust;
use futures_util::FutureExt;
use tenon_vocab::notice;
use tenon_vocab::port::Handle;
use tenon_vocab::{Event, EventKind, Refusals, SessionId, Settings};

pub struct Live {
    pub running: Running,
    pub handle: Handle,
    drawn: Drawn,
    pub settings: Settings,
    /// Whether a prompt was sent.
    pub begun: Begun,
}

/// The one way in which what a session says is drawn.
struct Drawn(TextLines);

impl Drawn {
    fn event(&mut self, event: &Event) -> std::io::Result<()> {
        match &event.kind {
            // The header has it already.
            EventKind::Notice(notice) if notice::is_of_the_start(&notice.kind) => Ok(()),
            _ => self.0.event(event),
        }
    }
}

impl Live {
    pub fn talk(&self) -> &Talk {
        &self.running.talk
    }

    pub fn id(&self) -> SessionId {
        self.handle.session
    }

    /// Where what was drawn has left the screen.
    pub fn stands(&self) -> Stands {
        self.drawn.0.stands()
    }

    /// What the last run was not allowed to do.
    pub fn refusals(&self) -> &Refusals {
        self.drawn.0.refusals()
    }

    /// # Errors
    /// When the reader is gone.
    pub fn draw(&mut self, event: &Event) -> std::io::Result<()> {
        if let (EventKind::Settings(settings), None) = (&event.kind, &event.parent) {
            self.settings.clone_from(settings);
        }
        self.drawn.event(event)
    }
}

/// What became of opening a session.
pub enum Opened {
    Live(Box<Live>),
    /// Ctrl+C, while a server was waited for.
    Interrupted,
}

/// Opens a session and says what it is. Ctrl+C ends the wait for a server.
pub async fn open(
    repl: &mut Repl,
    given: &Options,
    before: Option<&Talk>,
    wanted: &Wanted,
) -> Result<Opened, CliError> {
    let opening = Opening::of(&repl.place, given, before, wanted)?;
    if opening.reads_files() {
        ask_trust(repl, &opening.place, &opening.options).await?;
    }
    let ready = tokio::select! {
        biased;
        _ = repl.signals.next() => return Ok(Opened::Interrupted),
        ready = waiting::during(waiting::Motion::Appended, opening.assemble()) => ready?,
    };
    repl.keyboard.set_root(ready.place.root.clone());
    repl.place = ready.place.clone();
    let settings = ready.assembled.parts.settings.clone();
    complain(&header::header(&header::Facts {
        place: &ready.place,
        options: given,
        settings: &settings,
        assembled: &ready.assembled,
        kept: ready.kept,
        copied: again::copied(ready.session),
        paint: repl.paint,
    }));
    let begun = match ready.assembled.parts.state.runs() {
        0 => Begun::NotYet,
        _ => Begun::Yes,
    };
    let (handle, running) = ready.start();
    Ok(Opened::Live(Box::new(Live {
        running,
        handle,
        drawn: Drawn(TextLines::conversation(repl.paint)),
        settings,
        begun,
    })))
}

/// Asks about content of others that nobody has answered for. What is not
/// answered is not asked again by this program, and not trusted.
pub async fn ask_trust(repl: &mut Repl, place: &Place, options: &Options) -> Result<(), CliError> {
    while let Some(pending) = repl.asking.next(place, options)? {
        complain(&question::show(repl.paint, &pending.question));
        let mut answer = repl.keyboard.question(&mut repl.signals, "> ").await;
        while let Some(said) = answer
            .as_deref()
            .and_then(|line| question::slip(&pending.question, line))
        {
            complain(&said);
            answer = repl.keyboard.question(&mut repl.signals, "> ").await;
        }
        let choice = trust::typed_choice(&pending.question, answer.as_deref());
        if let Some(said) = pending.chosen(place, &choice)? {
            complain(&said);
        }
    }
    Ok(())
}

/// Ends it, and draws what it says at its end. Gives its id if it can be resumed.
pub async fn end(live: Live) -> Option<SessionId> {
    let Live {
        running,
        mut handle,
        mut drawn,
        ..
    } = live;
    let stopped = running.stop().await;
    while let Some(Some(event)) = handle.events.next().now_or_never() {
        // Nobody may be there to read it.
        let _ = drawn.event(&event);
    }
    // What listens to the log keeps it open.
    drop(handle);
    stopped.settle()
}
