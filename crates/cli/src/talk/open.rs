//! Opening a session: which one, with what, and where. Another one is opened
//! before the current one is ended: what fails leaves all as it was.

use crate::assemble::{self, Assembled, Configured, Options, Session};
use crate::error::CliError;
use crate::logs::Logs;
use crate::place::{Place, RootFrom};
use std::io::IsTerminal;
use std::sync::Arc;
use tenon_engine::Engine;
use tenon_engine::slash::Names;
use tenon_vocab::port::{CommandSink, Handle};
use tenon_vocab::{SessionId, Settings};
use tokio::task::JoinHandle;

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
    fn of(session: Session) -> Self {
        match session {
            Session::New(None) => Self::IfUsed,
            Session::New(Some(_)) | Session::Existing(_) | Session::Fork(..) => Self::Always,
            Session::Unsaved => Self::Never,
        }
    }

    /// A new session after one that is kept so: who wants nothing on the disk
    /// wants that of the next one too.
    pub fn anew(self) -> Session {
        match self {
            Self::IfUsed | Self::Always => Session::New(None),
            Self::Never => Session::Unsaved,
        }
    }
}

/// Which session is to be opened, and with what.
#[derive(Debug, Clone)]
pub struct Wanted {
    pub session: Session,
    /// The settings of the session before, for one like it; without them the
    /// files are read.
    pub like: Option<Settings>,
}

impl Wanted {
    pub fn first(session: Session) -> Self {
        Self {
            session,
            like: None,
        }
    }
}

/// A session that is talked to.
#[derive(Debug, Clone)]
pub struct Talk {
    pub id: SessionId,
    /// Where it is held.
    pub place: Place,
    /// Of commands and skills that are not Tenon's.
    pub names: Names,
    /// What it was opened with, for another one like it.
    pub configured: Arc<Configured>,
    pub kept: Kept,
}

/// The same, and the engine at work on it.
pub struct Running {
    pub talk: Talk,
    pub(super) commands: Arc<dyn CommandSink>,
    /// When it is done the session's lock is free.
    pub(super) engine: JoinHandle<()>,
}

impl Talk {
    /// Its id, if it is on the disk; what cannot be done otherwise.
    pub fn saved(&self, so: &str) -> Result<SessionId, CliError> {
        match self.kept {
            Kept::IfUsed | Kept::Always => Ok(self.id),
            Kept::Never => Err(CliError::usage(format!(
                "this session is not saved (--no-save), so {so}"
            ))),
        }
    }
}

/// All that a session is opened with.
pub struct Opening {
    pub place: Place,
    pub options: Options,
    session: Session,
    /// Settings that hold as they are.
    held: Option<Arc<Configured>>,
}

impl Opening {
    /// With what the user gave, or what the session before has come to.
    pub fn of(
        here: &Place,
        given: &Options,
        before: Option<&Talk>,
        wanted: &Wanted,
    ) -> Result<Self, CliError> {
        let session = wanted.session;
        let (options, held) = match (&wanted.like, before) {
            (Some(settings), Some(before)) => {
                let like = assemble::like(given, &before.configured, settings, session);
                (like.options, Some(like.configured))
            }
            _ => (given.clone(), None),
        };
        Ok(Self {
            place: place_of(here, session)?,
            options,
            session,
            held,
        })
    }

    /// Whether the files are read: what they hold may have to be asked about.
    pub fn reads_files(&self) -> bool {
        self.held.is_none()
    }

    /// May wait for a server.
    pub async fn assemble(self) -> Result<Ready, CliError> {
        let Self {
            place,
            options,
            session,
            held,
        } = self;
        // Of a session like the one before the options are that session's.
        let by_hand = held.is_none() && (options.provider.is_some() || options.model.is_some());
        let assembled = assemble::open_with(&place, &options, session, held).await?;
        if by_hand && session != Session::Unsaved && std::io::stdin().is_terminal() {
            let (settings, loaded) = (&assembled.parts.settings, &assembled.configured.loaded);
            // For the next session here (U8); what cannot be kept is chosen again.
            let _ = loaded.keep_choice(&settings.provider, &settings.model);
        }
        Ok(Ready {
            place,
            kept: Kept::of(session),
            session,
            assembled,
        })
    }
}

/// A session that is about to begin: what it is can be told.
pub struct Ready {
    pub place: Place,
    pub kept: Kept,
    pub session: Session,
    pub assembled: Assembled,
}

impl Ready {
    pub fn start(self) -> (Handle, Running) {
        let Assembled {
            session: id,
            parts,
            configured,
            ..
        } = self.assembled;
        let names = Names::of(&parts.context);
        let logs = Logs::of(
            &self.place,
            &configured.resolved,
            &parts.masker,
            self.session,
        );
        let (handle, work) = Engine::prepare(id, parts);
        let handle = Logs::watch(logs, handle);
        let running = Running {
            talk: Talk {
                id,
                place: self.place,
                names,
                configured,
                kept: self.kept,
            },
            commands: Arc::clone(&handle.commands),
            engine: tokio::spawn(work),
        };
        (handle, running)
    }
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
