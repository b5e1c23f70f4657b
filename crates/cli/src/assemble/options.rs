//! What the flags of a run ask for, and which session they mean. Reads no
//! settings and opens nothing.

use crate::args::{ModeChoice, RunArgs};
use crate::drive::Desk;
use crate::told::Sorted;
use crate::trust::{Accept, Accepts};
use serde_json::{Value, json};
use std::path::PathBuf;
use tenon_engine::{Approval, Confirm, Effects};
use tenon_vocab::{PermissionMode, SessionId};

/// What a start says of what it found: rules, skills, trust.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Says {
    /// What is new since the last start here.
    #[default]
    News,
    /// `--verbose`.
    All,
}

/// Whether a start says that other sessions are open in this directory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Neighbours {
    #[default]
    Said,
    /// A single run is over before anybody could go by it.
    Unsaid,
}

/// Who named the provider and the model for a run, where somebody did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ChoiceSource {
    #[default]
    Flag,
    /// Asked for at the start, because no setting says it.
    Answer,
}

impl ChoiceSource {
    /// As a source of the setting: where it comes from.
    pub fn text(self, flag: &str) -> String {
        match self {
            Self::Flag => flag.to_owned(),
            Self::Answer => String::from("chosen now"),
        }
    }
}

/// What the flags of a run ask for.
#[derive(Debug, Clone)]
pub struct Options {
    pub provider: Option<String>,
    pub provider_by: ChoiceSource,
    pub model: Option<String>,
    pub model_by: ChoiceSource,
    pub agent: Option<String>,
    /// What the user has said now; the session's own mode, or the configured one,
    /// holds without it.
    pub permission_mode: Option<PermissionMode>,
    /// Folders to open beside the project, as written.
    pub add_dirs: Vec<PathBuf>,
    pub approval: Approval,
    pub effects: Effects,
    pub flags: Vec<(String, Value)>,
    /// Added to the prompt by this run alone.
    pub instruction: Option<String>,
    /// Content of others that the flags accept.
    pub accepts: Accepts,
    pub says: Says,
    pub neighbours: Neighbours,
}

impl Options {
    pub fn from_args(args: &RunArgs, desk: Desk) -> Self {
        let mut flags = Vec::new();
        if let Some(turns) = args.max_turns {
            flags.push((String::from("limits.max_turns"), json!(turns)));
        }
        if let Some(prompt) = &args.system_prompt {
            flags.push((String::from("system_prompt"), json!(prompt)));
        }
        if let Some(more) = &args.append_system_prompt {
            flags.push((String::from("append_system_prompt"), json!(more)));
        }
        if let Some(effort) = &args.effort {
            flags.push((String::from("reasoning_effort"), json!(effort)));
        }
        if let Some(dialect) = args.dialect {
            flags.push((String::from("dialect"), json!(dialect.name())));
        }
        let mut switch = |key: &str, on: bool, off: bool| {
            if on || off {
                flags.push((String::from(key), json!(on)));
            }
        };
        switch("streaming", args.stream, args.no_stream);
        switch(
            "persistent_grants.enabled",
            args.persistent_grants,
            args.no_persistent_grants,
        );
        if let Some(level) = args.log_level {
            flags.push((String::from("logs.level"), json!(level.name())));
        }
        if let Some(mode) = args.sandbox {
            flags.push((String::from("sandbox.mode"), json!(mode.name())));
        }
        Self {
            provider: args.provider.clone(),
            provider_by: ChoiceSource::Flag,
            model: args.model.clone(),
            model_by: ChoiceSource::Flag,
            agent: args.agent.clone(),
            permission_mode: args.permission_mode.map(ModeChoice::mode),
            add_dirs: args.add_dir.clone(),
            approval: approval(args, desk),
            effects: if args.dry_run {
                Effects::DryRun
            } else {
                Effects::Real
            },
            flags,
            instruction: None,
            accepts: accepts(args),
            says: if args.verbose { Says::All } else { Says::News },
            neighbours: Neighbours::default(),
        }
    }
}

impl Options {
    /// The flags that answer or hold back what the mode does not, as they are
    /// shown beside it.
    pub fn shown_flags(&self) -> Vec<&'static str> {
        let answer = match self.approval {
            Approval::Yolo(_) => Some("--yolo"),
            Approval::Yes(_) => Some("--yes"),
            Approval::Ask | Approval::Nobody => None,
        };
        let dry = (self.effects == Effects::DryRun).then_some("--dry-run");
        answer.into_iter().chain(dry).collect()
    }

    /// What is said at a start, of what was said before.
    pub fn told(&self, mut sorted: Sorted) -> Sorted {
        if self.says == Says::All {
            sorted.new.append(&mut sorted.known);
        }
        sorted
    }
}

fn accepts(args: &RunArgs) -> Accepts {
    let accept = |given: bool| if given { Accept::Now } else { Accept::Recorded };
    Accepts {
        project: accept(args.trust_project),
        user_tools: accept(args.trust_user_tools),
    }
}

fn approval(args: &RunArgs, desk: Desk) -> Approval {
    match (args.yolo, args.yes, desk) {
        (true, _, Desk::Terminal(_) | Desk::Client) => Approval::Yolo(Confirm::Ask),
        (true, _, Desk::Nobody) => Approval::Yolo(Confirm::Nobody),
        (false, true, Desk::Terminal(_) | Desk::Client) => Approval::Yes(Confirm::Ask),
        (false, true, Desk::Nobody) => Approval::Yes(Confirm::Nobody),
        (false, false, Desk::Terminal(_) | Desk::Client) => Approval::Ask,
        (false, false, Desk::Nobody) => Approval::Nobody,
    }
}

/// Which session to work on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Session {
    /// A new one, with this id if one is given (N8).
    New(Option<SessionId>),
    Existing(SessionId),
    /// A copy of this one, which may be in use (N13), up to the message with
    /// this seq where one is named.
    Fork(SessionId, Option<u64>),
    /// Nothing of it is kept.
    Unsaved,
}

impl Session {
    /// The one that is gone on with, or copied.
    pub fn existing(self) -> Option<SessionId> {
        match self {
            Self::Existing(id) | Self::Fork(id, _) => Some(id),
            Self::New(_) | Self::Unsaved => None,
        }
    }
}
