//! Hooks as people write them: real scripts, real processes, the real gate.

mod calls;
mod conversation;
mod permission;

use crate::models::{Scripted, Turn};
use crate::support::{World, until_finished};
use std::sync::Arc;
use std::time::Duration;
use tenon_engine::{Engine, Parts};
use tenon_sandbox::Supervisor;
use tenon_tools::{BuiltIn, Interactive, Jobs, Toolbox};
use tenon_vocab::port::Handle;
use tenon_vocab::profile::{HookEvent, HookSource, HookSpec};
use tenon_vocab::{Command, Event, EventKind, HookFired, SessionId};

/// A world with the built-in tools, processes and hooks.
pub struct Hooked {
    pub world: World,
    pub id: SessionId,
    pub hooks: Vec<HookSpec>,
}

impl Hooked {
    pub fn new() -> Self {
        Self {
            world: World::new(),
            id: SessionId::generate(),
            hooks: Vec::new(),
        }
    }

    /// Adds a hook of the user: a script with this body.
    pub fn hook(&mut self, event: HookEvent, body: &str) -> &mut HookSpec {
        let name = format!("hook{}", self.hooks.len());
        let path = self.world.dir.path().join(format!("{name}.sh"));
        std::fs::write(&path, body).unwrap();
        self.hooks.push(HookSpec {
            name,
            event,
            tool: None,
            pattern: None,
            command: format!("sh {}", path.display()),
            timeout: Duration::from_secs(30),
            required: false,
            source: HookSource::User,
        });
        self.hooks.last_mut().unwrap()
    }

    /// Where a script may leave something for the test, outside the project.
    pub fn beside(&self, name: &str) -> std::path::PathBuf {
        self.world.dir.path().join(name)
    }

    pub fn parts(&self, model: &Arc<Scripted>) -> Parts {
        let mut parts = self.world.parts(self.id, Arc::clone(model));
        parts.hooks = self.hooks.clone();
        parts.jobs = Jobs::new(
            Supervisor::new(tenon_testing::supervisor(), Vec::new()),
            self.world.dir.path().join("out"),
            vec![("PATH".into(), "/usr/bin:/bin".into())],
        );
        parts.toolbox = Toolbox::default();
        parts.toolbox.add(&BuiltIn::new(Interactive::No));
        parts
    }

    pub fn start(&self, model: &Arc<Scripted>) -> Handle {
        let handle = Engine::start(self.id, self.parts(model));
        handle.commands.send(Command::Prompt {
            text: "go".into(),
            attachments: Vec::new(),
        });
        handle
    }

    /// One prompt to its end; the log must be whole afterwards.
    pub async fn run(&self, turns: impl IntoIterator<Item = Turn>) -> Vec<Arc<Event>> {
        self.run_with(&Scripted::new(turns)).await
    }

    pub async fn run_with(&self, model: &Arc<Scripted>) -> Vec<Arc<Event>> {
        let events = until_finished(&mut self.start(model)).await;
        self.world.verify(self.id);
        events
    }
}

pub fn bash(command: &str) -> Turn {
    let input = serde_json::json!({ "command": command }).to_string();
    Turn::call("a", "bash", &input)
}

pub fn fired(events: &[Arc<Event>]) -> Vec<HookFired> {
    events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Hook(fired) => Some(fired.clone()),
            _ => None,
        })
        .collect()
}

/// Event and result of each hook that was asked.
pub fn told(events: &[Arc<Event>]) -> Vec<(String, String)> {
    fired(events)
        .into_iter()
        .map(|fired| (fired.event, fired.result))
        .collect()
}

pub fn notices(events: &[Arc<Event>]) -> String {
    events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Notice(notice) => Some(notice.message.clone()),
            _ => None,
        })
        .collect::<Vec<_>>()
        .join("\n")
}

pub fn pair(event: &str, result: &str) -> (String, String) {
    (event.into(), result.into())
}
