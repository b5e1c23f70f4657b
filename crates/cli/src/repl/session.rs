//! The session that is talked to, and how it is opened and ended.

use super::{Repl, header};
use crate::again;
use crate::assemble::{self, Configured, Options, Session};
use crate::error::CliError;
use crate::place::{Place, RootFrom};
use crate::render::question;
use crate::render::text::TextLines;
use crate::render::waiting;
use crate::render::{Renderer, Stands};
use crate::screen::complain;
use crate::trust;
use futures_util::FutureExt;
use std::sync::Arc;
use std::time::Duration;
use tenon_engine::Engine;
use tenon_engine::slash::Names;
use tenon_vocab::notice;
use tenon_vocab::port::Handle;
use tenon_vocab::{Command, Event, EventKind, SessionId, Settings};
use tokio::task::JoinHandle;

/// Ending kills processes, which may take two seconds.
const ENDING: Duration = Duration::from_secs(10);

/// What becomes of a session to which nothing was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// It was made for this conversation only: it goes.
    IfUsed,
    /// It was there before, or was named by the user.
    Always,
    /// Nothing is on the disk.
    Never,
}

impl Kept {
    /// A new session after one that is kept so: who wants nothing on the disk
    /// wants that of the next one too.
    pub fn anew(self) -> Session {
        match self {
            Self::IfUsed | Self::Always => Session::New(None),
            Self::Never => Session::Unsaved,
        }
    }
}

pub struct Live {
    pub handle: Handle,
    /// The engine at work; when it is done the session's lock is free.
    engine: JoinHandle<()>,
    drawn: TextLines,
    pub settings: Settings,
    /// Of commands and skills that are not Tenon's.
    pub names: Names,
    /// What it was opened with, for another one like it.
    pub configured: Arc<Configured>,
    pub runs: u32,
    pub kept: Kept,
}

impl Live {
    pub fn id(&self) -> SessionId {
        self.handle.session
    }

    /// Where what was drawn has left the screen.
    pub fn stands(&self) -> Stands {
        self.drawn.stands()
    }

    /// # Errors
    /// When the reader is gone.
    pub fn draw(&mut self, event: &Event) -> std::io::Result<()> {
        match &event.kind {
            // The header has it already.
            EventKind::Notice(notice) if notice::is_of_the_start(&notice.kind) => Ok(()),
            EventKind::Settings(settings) if event.parent.is_none() => {
                self.settings.clone_from(settings);
                self.drawn.event(event)
            }
            _ => self.drawn.event(event),
        }
    }
}

/// What a session is opened with.
pub struct Wanted<'a> {
    pub session: Session,
    pub options: &'a Options,
    /// As the user gave them: what else stands in `options` is from before.
    pub given: &'a Options,
    /// Settings that hold as they are; without them the files are read.
    pub held: Option<Arc<Configured>>,
}

/// What became of opening a session.
pub enum Opened {
    Live(Box<Live>),
    /// Ctrl+C, while a server was waited for.
    Interrupted,
}

/// Opens a session and says what it is. Ctrl+C ends the wait for a server.
pub async fn open(repl: &mut Repl, wanted: Wanted<'_>) -> Result<Opened, CliError> {
    let Wanted {
        session,
        options,
        given,
        held,
    } = wanted;
    let place = place_of(&repl.place, session)?;
    if held.is_none() {
        ask_trust(repl, &place, options).await?;
    }
    let assembled = tokio::select! {
        biased;
        _ = repl.signals.next() => return Ok(Opened::Interrupted),
        assembled = waiting::during(
            repl.motion,
            assemble::open_with(&place, options, session, held),
        ) => assembled?,
    };
    repl.keyboard.set_root(place.root.clone());
    repl.place = place;
    let kept = match session {
        Session::New(None) => Kept::IfUsed,
        Session::New(Some(_)) | Session::Existing(_) | Session::Fork(..) => Kept::Always,
        Session::Unsaved => Kept::Never,
    };
    let settings = assembled.parts.settings.clone();
    complain(&header::header(&header::Facts {
        place: &repl.place,
        options: given,
        settings: &settings,
        assembled: &assembled,
        kept,
        copied: again::copied(session),
        paint: repl.paint,
    }));
    let configured = Arc::clone(&assembled.configured);
    let names = Names::of(&assembled.parts.context);
    let (handle, work) = Engine::prepare(assembled.session, assembled.parts);
    Ok(Opened::Live(Box::new(Live {
        handle,
        engine: tokio::spawn(work),
        drawn: TextLines::conversation(repl.paint),
        settings,
        names,
        configured,
        runs: 0,
        kept,
    })))
}

/// Asks about content of others that nobody has answered for. What is not
/// answered is not asked again by this program, and not trusted.
pub async fn ask_trust(repl: &mut Repl, place: &Place, options: &Options) -> Result<(), CliError> {
    for pending in trust::pending(place, options)? {
        if repl.asked.contains(&pending.hash) {
            continue;
        }
        repl.asked.push(pending.hash.clone());
        complain(&question::show(repl.paint, &pending.question));
        repl.keyboard.begin();
        let mut answer = repl.keyboard.question(&mut repl.signals, "> ").await;
        while let Some(said) = answer
            .as_deref()
            .and_then(|line| question::slip(&pending.question, line))
        {
            complain(&said);
            answer = repl.keyboard.question(&mut repl.signals, "> ").await;
        }
        pending.settle(place, answer.as_deref())?;
    }
    Ok(())
}

/// A session is worked on where it was held, whichever was held before.
pub fn place_of(place: &Place, session: Session) -> Result<Place, CliError> {
    let (Session::Existing(id) | Session::Fork(id, _)) = session else {
        return Ok(place.clone());
    };
    let mut place = place.clone();
    if place.root_from == RootFrom::Session {
        place.root_from = RootFrom::CurrentDirectory;
    }
    place.of_session(&place.store().summary(id)?.cwd)
}

/// Ends the engine and leaves the session whole and resumable. One to which
/// nothing was said is not kept.
pub async fn end(place: &Place, mut live: Live) -> Option<SessionId> {
    let id = live.id();
    live.handle.commands.send(Command::Shutdown);
    let ended = tokio::time::timeout(ENDING, &mut live.engine).await;
    while let Some(Some(event)) = live.handle.events.next().now_or_never() {
        // What it says at its end; nobody may be there to read it.
        let _ = live.draw(&event);
    }
    // What listens to the log keeps it open.
    drop(live.handle);
    match (live.kept, live.runs) {
        (Kept::Never, _) => None,
        (Kept::IfUsed, 0) => {
            if ended.is_ok() {
                // An empty session that stays is untidy, not wrong.
                let _ = place.store().delete(id);
            }
            None
        }
        _ => Some(id),
    }
}
