//! The agent that does the work, and those that could: what each sees, what it
//! may, how it is fenced in. The one in use is replaced as a whole, between two
//! runs. Not the place where one is chosen; that is `switch`.

use crate::parts::AgentParts;
use crate::prompt::Fragment;
use std::sync::{Arc, Mutex, PoisonError};
use tenon_tools::{Jobs, Toolbox};
use tenon_vocab::ToolSpec;
use tenon_vocab::profile::{AgentMode, AgentProfile, PromptTier, Tiered};

/// An agent at work.
#[derive(Debug)]
pub(crate) struct Acting {
    pub(crate) profile: AgentProfile,
    /// The tools that it sees. Another one is refused, whatever is granted (A10).
    pub(crate) toolbox: Toolbox,
}

impl Acting {
    pub(crate) fn name(&self) -> &str {
        &self.profile.name
    }

    pub(crate) fn sees(&self, tool: &str) -> bool {
        self.toolbox.get(tool).is_some()
    }
}

/// All agents of a session, and the one in use.
#[derive(Debug)]
pub(crate) struct Cast {
    all: Vec<AgentParts>,
    /// The tools of all of them.
    tools: Toolbox,
    now: Mutex<Arc<Acting>>,
}

impl Cast {
    /// `base` is the beginning of the prompt that the session was given with its
    /// agent.
    pub(crate) fn new(
        agent: AgentProfile,
        mut all: Vec<AgentParts>,
        tools: Toolbox,
        base: Option<Fragment>,
    ) -> Self {
        if !all.iter().any(|one| one.profile.name == agent.name) {
            all.push(AgentParts {
                profile: agent.clone(),
                base: Tiered::same(base),
                walls: None,
            });
        }
        let now = Mutex::new(Arc::new(acting(&agent, &tools)));
        Self { all, tools, now }
    }

    pub(crate) fn now(&self) -> Arc<Acting> {
        Arc::clone(&self.now.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// All tools, whoever sees them.
    pub(crate) fn tools(&self) -> &Toolbox {
        &self.tools
    }

    fn find(&self, name: &str) -> Option<&AgentParts> {
        self.all.iter().find(|one| one.profile.name == name)
    }

    pub(crate) fn knows(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// The beginning of the prompt with this agent; none where it has no words.
    pub(crate) fn base(&self, name: &str, tier: PromptTier) -> Option<&Fragment> {
        self.find(name)?.base.of(tier).as_ref()
    }

    /// The tools of an agent, as a model is offered them.
    pub(crate) fn offer(&self, name: &str, tier: PromptTier) -> Vec<ToolSpec> {
        match self.find(name) {
            Some(one) => acting(&one.profile, &self.tools).toolbox.offered(tier),
            None => Vec::new(),
        }
    }

    /// Those that a user can change to.
    pub(crate) fn choosable(&self) -> impl Iterator<Item = &AgentProfile> {
        let profiles = self.all.iter().map(|one| &one.profile);
        profiles.filter(|profile| is_choosable(profile))
    }

    /// The names of those that see a tool.
    pub(crate) fn seers(&self, tool: &str) -> Vec<&str> {
        self.choosable()
            .filter(|profile| sees(profile, tool))
            .map(|profile| profile.name.as_str())
            .collect()
    }

    /// This one works from now on. Walls hold for what is started from now on.
    pub(crate) fn take(&self, name: &str, jobs: &Jobs) {
        let Some(one) = self.find(name) else { return };
        if one.profile.name != self.now().name() {
            let _shared = jobs.clone().with_sandbox(one.walls.clone());
        }
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) =
            Arc::new(acting(&one.profile, &self.tools));
    }
}

fn acting(profile: &AgentProfile, tools: &Toolbox) -> Acting {
    let mut toolbox = tools.clone();
    toolbox.retain(|spec| sees(profile, &spec.name));
    Acting {
        profile: profile.clone(),
        toolbox,
    }
}

fn sees(profile: &AgentProfile, tool: &str) -> bool {
    profile.tools.is_empty() || profile.tools.iter().any(|name| name == tool)
}

fn is_choosable(profile: &AgentProfile) -> bool {
    !profile.hidden && matches!(profile.mode, AgentMode::Primary | AgentMode::All)
}
