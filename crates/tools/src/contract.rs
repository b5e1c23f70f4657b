//! The contract of every tool, built in or not.
//!
//! A tool says what it is (`spec`), how it is used where models get it wrong
//! (`example`), what it does with the files that it names (`file_use`), what a
//! call would touch (`facts`), how a person should see it before it runs
//! (`preview`), what stands in its way already (`obstacle`), and runs (`run`). It
//! never decides whether it may, never prints, never asks a terminal: the gate of
//! the engine does the first, renderers the second, [`Host::request`] the third.

use crate::jobs::{Jobs, Room, Walls};
use crate::workspace::Workspace;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use tenon_policy::Facts;
use tenon_vocab::port::BoxFuture;
use tenon_vocab::profile::{PromptTier, ToolLimits};
use tenon_vocab::{CallId, Display, TodoItem, ToolDelta, ToolOutput, ToolSpec};
use tokio_util::sync::CancellationToken;

/// One tool. `input` has already been repaired and checked against
/// `spec().parameters` when `facts`, `preview` and `run` see it.
pub trait Tool: Send + Sync {
    fn spec(&self) -> &ToolSpec;

    /// An example of the use that models get wrong, for those with room to read
    /// it. In the words of every dialect.
    fn example(&self) -> Option<&str> {
        None
    }

    /// What this call would touch, for the policy. Looks, never changes.
    fn facts(&self, input: &Value, workspace: &Workspace) -> Facts;

    /// What a person should see before saying yes: a diff, a command.
    fn preview(&self, input: &Value, workspace: &Workspace) -> Display;

    /// What a call does with the files that it names.
    fn file_use(&self) -> FileUse {
        FileUse::Unknown
    }

    /// Why this call can't be carried out, whoever allows it, as far as looking
    /// tells; nobody is asked about such a call. Of a tool that is rehearsed it is
    /// asked only about a later call, whose turn has not come.
    fn obstacle(
        &self,
        _input: &Value,
        _workspace: &Workspace,
        _jobs: &Jobs,
        _limits: &ToolLimits,
    ) -> Option<ToolOutput> {
        None
    }

    /// Runs the call. Must return soon after `host.cancelled()` fires when it
    /// waits for something; a file operation that has begun is finished and
    /// reported as it truly went. The caller never drops the future of a call
    /// with effects.
    fn run<'a>(&'a self, input: Value, host: &'a dyn Host) -> BoxFuture<'a, ToolOutput>;
}

/// What a tool does with the files that its calls name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileUse {
    /// None, or something that cannot be told.
    Unknown,
    /// Shows what is in them.
    Reads,
    /// Changes them by what is in them, and only through its workspace.
    Edits,
    /// Writes them whole, whatever is in them, and only through its workspace.
    Overwrites,
}

impl FileUse {
    /// Whether a call is tried before somebody is asked about it, in a view of the
    /// workspace that stops before the first change.
    #[must_use]
    pub fn is_rehearsed(self) -> bool {
        matches!(self, Self::Edits | Self::Overwrites)
    }
}

/// All that a running call has of the world.
pub trait Host: Send + Sync {
    fn call(&self) -> &CallId;
    fn cancelled(&self) -> &CancellationToken;
    /// Shows output as it comes. Never blocks.
    fn progress(&self, delta: ToolDelta);
    fn workspace(&self) -> &Workspace;
    fn jobs(&self) -> &Jobs;
    fn limits(&self) -> &ToolLimits;
    /// Protected paths that a person confirmed this very call for, whole.
    fn confirmed(&self) -> &[PathBuf] {
        &[]
    }
    /// Where a command of this call runs.
    fn room(&self) -> Room {
        Room::Session
    }
    /// What a command of this call runs behind, if nobody says otherwise.
    fn walls(&self) -> Walls {
        Walls::Inside
    }
    /// Asks the engine for what only it can do.
    fn request(&self, request: HostRequest) -> BoxFuture<'_, HostReply>;
}

#[derive(Debug, Clone)]
pub enum HostRequest {
    /// Put a question to the user; the options may be empty.
    Ask {
        question: String,
        options: Vec<String>,
    },
    /// Read the task list, or replace it.
    Todo(Option<Vec<TodoItem>>),
    /// The sandbox stopped this command: may it run once more with less around
    /// it? Only a person who is there may say so (S4).
    RunAgain {
        command: String,
        /// What the sandbox did to it, a clause.
        denial: String,
        /// The key of the configuration that would permit it for good.
        switch: String,
        /// What it would run behind then.
        walls: Walls,
        /// Withheld variables that it would get.
        variables: Vec<String>,
        /// Where it runs.
        folder: PathBuf,
        /// Files that its line names, and that its first run changed.
        changed: Vec<String>,
    },
}

#[derive(Debug, Clone)]
pub enum HostReply {
    Answer(String),
    /// Of [`HostRequest::Todo`]: the list as it is now.
    Todo(Vec<TodoItem>),
    /// Nobody is there, or it was interrupted: the sentence says which.
    Unavailable(String),
    /// Of [`HostRequest::RunAgain`]: yes, this once.
    Allowed,
    /// Of the same: no, and what was said to it.
    Refused(String),
}

/// Where tools come from: built in, custom, an MCP server.
pub trait ToolSource: Send + Sync {
    fn tools(&self) -> Vec<Arc<dyn Tool>>;
}

/// The tools of a session, by canonical name, in a stable order.
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: BTreeMap<String, Arc<dyn Tool>>,
    order: Vec<String>,
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.order).finish()
    }
}

impl Toolbox {
    /// Adds the tools of a source after those already there. A name that is
    /// taken keeps its first owner; the names refused are returned.
    pub fn add(&mut self, source: &dyn ToolSource) -> Vec<String> {
        let mut refused = Vec::new();
        for tool in source.tools() {
            let name = tool.spec().name.clone();
            if self.tools.contains_key(&name) {
                refused.push(name);
            } else {
                self.order.push(name.clone());
                self.tools.insert(name, tool);
            }
        }
        refused
    }

    /// Keeps only the tools for which this holds.
    pub fn retain(&mut self, keep: impl Fn(&ToolSpec) -> bool) {
        self.tools.retain(|_, tool| keep(tool.spec()));
        self.order.retain(|name| self.tools.contains_key(name));
    }

    /// By canonical name only; resolve aliases first.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.order.iter().filter_map(|name| self.tools.get(name))
    }

    /// As a model is offered them.
    #[must_use]
    pub fn offered(&self, tier: PromptTier) -> Vec<ToolSpec> {
        self.iter()
            .map(|tool| {
                let mut spec = tool.spec().clone();
                if let (PromptTier::Full, Some(example)) = (tier, tool.example()) {
                    spec.description.push_str("\n\n");
                    spec.description.push_str(example);
                }
                spec
            })
            .collect()
    }

    #[must_use]
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.iter().map(|tool| tool.spec().clone()).collect()
    }
}
