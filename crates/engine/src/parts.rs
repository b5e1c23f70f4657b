//! All that the engine is made of, given from outside: it reads no home folder,
//! no environment and no clock of its own.

use crate::folders::FolderSource;
use crate::prompt::{Fragment, FragmentKind, RuleSource};
use crate::wake::Wake;
use std::fmt;
use std::sync::Arc;
use tenon_model::{Delivery, Identity, Model, ModelEntry, ModelError, Parameters, RetryPlan};
use tenon_policy::{Grant, Grants, Masker, Rules};
use tenon_session::{Log, State};
use tenon_tools::{Jobs, SandboxPolicy, ToolLimits, Toolbox, Workspace};
use tenon_vocab::port::BoxFuture;
use tenon_vocab::profile::{
    AgentProfile, Checkpoints, CommandInfo, Compaction, HookSpec, Limits, PromptTier, SkillInfo,
    Tiered, TodoFirst,
};
use tenon_vocab::{PermissionMode, RunId, Settings, Timestamp};

/// Time, ids and chance: fixed in tests.
pub trait Ambient: Send + Sync {
    fn now(&self) -> Timestamp;
    fn run_id(&self) -> RunId;
    /// In 0..1.
    fn jitter(&self) -> f64;
}

/// The real ones.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealAmbient;

impl Ambient for RealAmbient {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn run_id(&self) -> RunId {
        RunId::generate()
    }

    fn jitter(&self) -> f64 {
        // The random bits of an id serve: this is no secret.
        f64::from(RunId::generate().0.as_u128() as u16) / f64::from(u16::MAX)
    }
}

/// Who answers when the policy says to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// Someone sits in front.
    Ask,
    /// Nobody does: ask means deny (G15).
    Nobody,
    /// `--yes`: ask means allow; what must be confirmed is still asked or denied.
    Yes(Confirm),
    /// `--yolo`: answers ask and confirm (G18); what only a person may allow is
    /// still asked or denied.
    Yolo(Confirm),
}

/// With a flag, who answers what the flag does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirm {
    Ask,
    Nobody,
}

/// Whether calls with effects really run (T18).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effects {
    Real,
    DryRun,
}

/// Another model for the session, and what is asked of it.
pub struct Chosen {
    pub model: Arc<dyn Model>,
    pub parameters: Parameters,
}

impl fmt::Debug for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chosen")
            .field("identity", &self.model.identity())
            .field("parameters", &self.parameters)
            .finish()
    }
}

/// A provider as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderInfo {
    pub name: String,
    /// The model that it is asked for; none where its server has only one.
    pub model: Option<String>,
    /// Where it is.
    pub place: String,
}

/// Makes models by name: how a session changes its model (P12).
pub trait ModelSource: Send + Sync {
    /// `MODEL` of the provider in use, or `PROVIDER/MODEL`.
    fn choose<'a>(
        &'a self,
        name: &'a str,
        current: &'a Identity,
    ) -> BoxFuture<'a, Result<Chosen, ModelError>>;

    /// The models that are configured, as provider and model; of each provider
    /// its own first.
    fn configured(&self) -> Vec<(String, String)>;

    /// The providers that are configured.
    fn providers(&self) -> Vec<ProviderInfo> {
        let mut found: Vec<ProviderInfo> = Vec::new();
        for (name, model) in self.configured() {
            if !found.iter().any(|known| known.name == name) {
                found.push(ProviderInfo {
                    name,
                    model: Some(model),
                    place: String::new(),
                });
            }
        }
        found
    }

    /// What the server of a provider offers.
    fn offered<'a>(
        &'a self,
        _provider: &'a str,
    ) -> BoxFuture<'a, Result<Vec<ModelEntry>, ModelError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// A small fast model for side work, such as titles. `None` means that no
    /// side work is asked of any server.
    fn small(&self) -> Option<Arc<dyn Model>>;
}

/// What the permission modes rest on, and which of them are forbidden.
#[derive(Debug, Clone, Default)]
pub struct ModeParts {
    /// Each with the file that forbids it.
    pub forbidden: Vec<(PermissionMode, String)>,
    pub sandbox: SandboxState,
    pub network: AutoNetwork,
}

/// Whether the sandbox that is set up for commands really stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum SandboxState {
    /// Nobody has looked; it counts as lacking.
    #[default]
    Unknown,
    Enforced,
    /// Why not, as the end of a sentence.
    Lacking(String),
}

/// The network of commands in the mode `auto`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AutoNetwork {
    /// Nobody has said what it should be.
    #[default]
    Closed,
    AsConfigured,
}

/// An agent that a session can be changed to.
#[derive(Debug, Clone)]
pub struct AgentParts {
    pub profile: AgentProfile,
    /// What the system prompt begins with when this agent works; none where the
    /// user wants no such words.
    pub base: Tiered<Option<Fragment>>,
    /// The walls around what is started while it works; none are no walls.
    pub walls: Option<SandboxPolicy>,
}

/// Called when the user grants something for the project; it may be stored.
pub type GrantSink = Arc<dyn Fn(&Grant) + Send + Sync>;

/// What the model is told besides the conversation, and how the conversation is
/// kept within bounds.
#[derive(Clone, Default)]
pub struct ContextParts {
    /// The system prompt by its pieces, in order.
    pub fragments: Vec<Fragment>,
    /// What of them was cut, and what could not be read.
    pub troubles: Vec<String>,
    /// Tells of rules that were edited, or that apply below a folder.
    pub rule_source: Option<Arc<dyn RuleSource>>,
    /// What can be loaded; names are unique.
    pub skills: Vec<SkillInfo>,
    /// The user's and the project's own commands; names are unique.
    pub commands: Vec<CommandInfo>,
    pub compaction: Compaction,
    pub checkpoints: Checkpoints,
    pub todo_first: TodoFirst,
    /// `None`: by the window and the name of the model.
    pub tier: Option<PromptTier>,
    /// What becomes of a process that ends while nobody works.
    pub wake: Wake,
    /// The most that one request may have, whatever the window.
    pub request_tokens: Option<u64>,
}

impl ContextParts {
    /// Nothing but this prompt, and no notes of the full tier.
    #[must_use]
    pub fn of_prompt(text: &str) -> Self {
        let base = Fragment {
            kind: FragmentKind::Base,
            source: String::from("built-in"),
            text: text.to_owned(),
        };
        Self {
            fragments: vec![base],
            tier: Some(PromptTier::Compact),
            ..Self::default()
        }
    }
}

impl fmt::Debug for ContextParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContextParts")
            .field("fragments", &self.fragments.len())
            .field("skills", &self.skills.len())
            .finish_non_exhaustive()
    }
}

pub struct Parts {
    pub model: Arc<dyn Model>,
    /// `None`: the session keeps the model that it was made with.
    pub models: Option<Arc<dyn ModelSource>>,
    /// The tools of all agents; each sees those that its profile names.
    pub toolbox: Toolbox,
    pub workspace: Workspace,
    pub jobs: Jobs,
    pub log: Log,
    pub state: State,
    pub rules: Rules,
    pub grants: Grants,
    /// `None`: nothing is granted for longer than the session.
    pub on_grant: Option<GrantSink>,
    /// The one that works at first.
    pub agent: AgentProfile,
    /// Those that it can be changed to, with itself. Empty: it stays.
    pub agents: Vec<AgentParts>,
    pub context: ContextParts,
    pub settings: Settings,
    pub limits: Limits,
    pub tool_limits: ToolLimits,
    pub parameters: Parameters,
    pub delivery: Delivery,
    pub retry: RetryPlan,
    pub approval: Approval,
    pub effects: Effects,
    pub modes: ModeParts,
    /// Which folders the user may open beside the project.
    pub folders: Arc<dyn FolderSource>,
    /// In any order; managed ones run first, then the user's, then the project's.
    pub hooks: Vec<HookSpec>,
    /// Takes secrets out of what is recorded and sent.
    pub masker: Arc<Masker>,
    pub ambient: Arc<dyn Ambient>,
    /// What is new of what was loaded, and what was ignored on the way here; said
    /// at the start.
    pub remarks: Vec<String>,
    /// What was loaded as the last time. In the log, too, and not worth a line
    /// where every start would print it.
    pub known: Vec<String>,
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts")
            .field("toolbox", &self.toolbox)
            .field("agent", &self.agent.name)
            .finish_non_exhaustive()
    }
}
