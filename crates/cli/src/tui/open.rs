//! Opening a session for the terminal interface, and ending it. Another one is
//! opened before the current one is ended: what fails leaves all as it was.

use super::house::{Program, Waiting};
use crate::again::{self, LastRun};
use crate::assemble::{self, Configured, Options, Session};
use crate::error::CliError;
use crate::place::Place;
use crate::record;
use crate::repl::{Kept, place_of};
use crate::trust;
use std::sync::Arc;
use std::time::Duration;
use tenon_config::SandboxMode;
use tenon_engine::Engine;
use tenon_engine::slash::{Names, SLASH};
use tenon_sandbox::Mode;
use tenon_tui::house::{Entry, Facts, Opened, Outcome};
use tenon_vocab::port::CommandSink;
use tenon_vocab::{Command, SessionId, Settings};
use tokio::task::JoinHandle;

/// Ending kills processes, which may take two seconds.
const ENDING: Duration = Duration::from_secs(10);

/// The session that is open.
pub struct Live {
    pub id: SessionId,
    commands: Arc<dyn CommandSink>,
    /// The engine at work; when it is done the session's lock is free.
    engine: JoinHandle<()>,
    pub names: Names,
    pub configured: Arc<Configured>,
    pub kept: Kept,
}

/// Which session is to be opened, and with what.
#[derive(Debug, Clone)]
pub struct Wanted {
    pub session: Session,
    /// The settings of the session before, for one like it.
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

impl Program {
    /// Opens it in the place of the one before. Trust is asked first, where it
    /// has to be.
    pub async fn another(&self, wanted: Wanted) -> Result<Outcome, CliError> {
        if wanted.like.is_none()
            && let Some(question) = self.must_ask(&wanted)?
        {
            return Ok(Outcome::Ask(Box::new(question)));
        }
        let opened = self.open(wanted).await?;
        Ok(Outcome::Opened(Box::new(opened)))
    }

    /// Content of others that nobody has answered for yet.
    fn must_ask(&self, wanted: &Wanted) -> Result<Option<tenon_vocab::Question>, CliError> {
        let place = place_of(&self.place(), wanted.session)?;
        let mut asked = self.asked.borrow_mut();
        for pending in trust::pending(&place, &self.given)? {
            if asked.contains(&pending.hash) {
                continue;
            }
            asked.push(pending.hash.clone());
            let question = pending.question.clone();
            *self.waiting.borrow_mut() = Some(Waiting::Trust {
                pending: Box::new(pending),
                wanted: Box::new(wanted.clone()),
            });
            return Ok(Some(question));
        }
        Ok(None)
    }

    /// A new session after the one that is open.
    pub fn anew(&self) -> Session {
        let live = self.live.borrow();
        let kept = live.as_ref().map_or(Kept::IfUsed, |live| live.kept);
        kept.anew()
    }

    /// What the next session is opened with: what the user gave, or what the
    /// one before has come to.
    fn taken(&self, wanted: &Wanted) -> (Options, Option<Arc<Configured>>) {
        let live = self.live.borrow();
        match (&wanted.like, live.as_ref()) {
            (Some(settings), Some(live)) => {
                let session = wanted.session;
                let like = assemble::like(&self.given, &live.configured, settings, session);
                (like.options, Some(like.configured))
            }
            _ => (self.given.clone(), None),
        }
    }

    /// The session before, if there is one, waits to be ended.
    pub async fn open(&self, wanted: Wanted) -> Result<Opened, CliError> {
        let (options, held) = self.taken(&wanted);
        let place = place_of(&self.place(), wanted.session)?;
        let assembled = assemble::open_with(&place, &options, wanted.session, held).await?;
        let kept = match wanted.session {
            Session::New(None) => Kept::IfUsed,
            Session::New(Some(_)) | Session::Existing(_) | Session::Fork(..) => Kept::Always,
            Session::Unsaved => Kept::Never,
        };
        let parts = &assembled.parts;
        let settings = parts.settings.clone();
        // Behind other walls than those that are configured.
        let fenced = parts.agents.iter().filter(|agent| {
            let walls = agent.walls.as_ref();
            walls.is_some_and(|walls| walls.mode == Mode::ReadOnly)
        });
        let facts = Facts {
            version: String::from(env!("CARGO_PKG_VERSION")),
            root: shown_root(&place),
            branch: record::branch(&place.root),
            sandbox: assembled.configured.resolved.sandbox.mode.name().to_owned(),
            sandboxes: fenced
                .map(|agent| {
                    (
                        agent.profile.name.clone(),
                        SandboxMode::ReadOnly.name().to_owned(),
                    )
                })
                .collect(),
            walls: assembled.shortfall.map(|short| short.level),
        };
        let (last, todo) = (LastRun::of(parts), parts.state.todo().to_vec());
        let before = parts.state.runs().saturating_sub(last.runs);
        let past = last.events.into_iter().map(Arc::new).collect();
        let mut remarks = parts.remarks.clone();
        remarks.extend(again::copied(wanted.session));
        let names = Names::of(&parts.context);
        let entries = menu(&parts.context);
        let configured = Arc::clone(&assembled.configured);
        let id = assembled.session;
        let (handle, work) = Engine::prepare(id, assembled.parts);
        let old = self.live.replace(Some(Live {
            id,
            commands: Arc::clone(&handle.commands),
            engine: tokio::spawn(work),
            names,
            configured,
            kept,
        }));
        let old = old.map(|live| (live, self.place()));
        self.before.borrow_mut().extend(old);
        *self.place.borrow_mut() = place;
        Ok(Opened {
            handle,
            settings,
            facts,
            todo,
            entries,
            remarks,
            past,
            before,
        })
    }

    /// Nothing listens to the sessions before any more: each is ended beside
    /// what goes on.
    pub fn let_go(&self) {
        let before = std::mem::take(&mut *self.before.borrow_mut());
        let ending = before
            .into_iter()
            .map(|(live, place)| tokio::spawn(async move { close(live, &place).await }));
        self.ending.borrow_mut().extend(ending);
    }

    /// Ends the session that is open. Gives its id if it can be resumed.
    pub async fn end(&self) -> Option<SessionId> {
        self.let_go();
        let ending = std::mem::take(&mut *self.ending.borrow_mut());
        for task in ending {
            // One that broke leaves an engine that ends with the program.
            let _ = task.await;
        }
        let live = self.live.borrow_mut().take()?;
        close(live, &self.place()).await
    }
}

/// Leaves the session whole; one to which nothing was said is not kept.
async fn close(live: Live, place: &Place) -> Option<SessionId> {
    let Live {
        id,
        commands,
        mut engine,
        kept,
        ..
    } = live;
    commands.send(Command::Shutdown);
    drop(commands);
    let ended = tokio::time::timeout(ENDING, &mut engine).await;
    let store = place.store();
    match kept {
        Kept::Never => None,
        Kept::IfUsed if store.summary(id).is_ok_and(|summary| summary.runs == 0) => {
            if ended.is_ok() {
                // An empty session that stays is untidy, not wrong.
                let _ = store.delete(id);
            }
            None
        }
        Kept::IfUsed | Kept::Always => Some(id),
    }
}

fn shown_root(place: &Place) -> String {
    let root = place.root_text();
    let home = place.env.get("HOME").map(|home| home.to_string());
    match home.filter(|home| !home.is_empty()) {
        Some(home) if root == home => String::from("~"),
        Some(home) => match root.strip_prefix(&format!("{}/", home.trim_end_matches('/'))) {
            Some(rest) => format!("~/{rest}"),
            None => root,
        },
        None => root,
    }
}

/// Tenon's own commands, and the commands and skills that are not, as the menu
/// shows them.
fn menu(context: &tenon_engine::ContextParts) -> Vec<Entry> {
    let own = SLASH.iter().map(|own| Entry {
        name: own.name.to_owned(),
        aliases: own.aliases.iter().map(|&name| name.to_owned()).collect(),
        argument: own.argument.to_owned(),
        what: own.what.to_owned(),
        group: Some(own.group),
    });
    let commands = context.commands.iter().map(|command| Entry {
        name: command.name.clone(),
        aliases: Vec::new(),
        argument: command.argument_hint.clone(),
        what: command.description.clone(),
        group: None,
    });
    let skills = context.skills.iter().map(|skill| Entry {
        name: skill.name.clone(),
        aliases: Vec::new(),
        argument: String::from("[TEXT]"),
        what: skill.description.clone(),
        group: None,
    });
    own.chain(commands).chain(skills).collect()
}
