//! Opening a session for the terminal interface: what is asked first, and what
//! the screen is told of it.

use super::house::{Program, Waiting};
use crate::again::{self, LastRun};
use crate::error::CliError;
use crate::place::Place;
use crate::record;
use crate::talk::{Opening, Wanted, place_of};
use std::sync::Arc;
use tenon_config::SandboxMode;
use tenon_engine::Wake;
use tenon_engine::slash::SLASH;
use tenon_sandbox::Mode;
use tenon_tui::house::{Entry, Facts, Opened, Outcome};
use tenon_vocab::SessionId;

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
        let pending = self.asking.borrow_mut().next(&place, &self.given)?;
        Ok(pending.map(|pending| {
            let question = pending.question.clone();
            *self.waiting.borrow_mut() = Some(Waiting::Trust {
                pending: Box::new(pending),
                wanted: Box::new(wanted.clone()),
            });
            question
        }))
    }

    /// The session before, if there is one, waits to be ended.
    pub async fn open(&self, wanted: Wanted) -> Result<Opened, CliError> {
        let before = self.talk().ok();
        let opening = Opening::of(&self.place(), &self.given, before.as_ref(), &wanted)?;
        let mut ready = opening.assemble().await?;
        let (place, assembled) = (ready.place.clone(), &ready.assembled);
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
            walls: assembled
                .shortfall
                .as_ref()
                .map(|short| short.level.clone()),
            flags: self.given.shown_flags(),
        };
        let (last, todo) = (LastRun::of(parts), parts.state.todo().to_vec());
        let before = parts.state.runs().saturating_sub(last.runs);
        let past = last.events.into_iter().map(Arc::new).collect();
        let mut remarks = parts.remarks.clone();
        remarks.extend(again::copied(wanted.session));
        let entries = menu(&parts.context);
        if ready.assembled.configured.resolved.jobs_wake {
            ready.assembled.parts.context.wake = Wake::AtAnEnd;
        }
        let (handle, running) = ready.start();
        let old = self.live.replace(Some(running));
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
            .map(|old| tokio::spawn(async move { old.stop().await.settle() }));
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
        live.stop().await.settle()
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
