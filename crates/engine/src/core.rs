//! What the tasks of one session share: its fixed parts and the few that change
//! behind locks. No behaviour of its own beyond saying things.

use crate::acting::{Acting, Cast};
use crate::active::{Active, Current};
use crate::checkpoint::Keeper;
use crate::compact::Progress;
use crate::emit::Emitter;
use crate::folders::FolderSource;
use crate::hooks::Hooks;
use crate::inbox::Inbox;
use crate::layout::{self, Layout};
use crate::meter::Meter;
use crate::notes::{Beginning, Told};
use crate::parts::{
    Ambient, Approval, ContextParts, Effects, GrantSink, ModeParts, ModelSource, Parts,
};
use crate::questions::Questions;
use crate::tier::{self, Asked};
use crate::undo::Warned;
use crate::wake::Wakes;
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tenon_model::{Delivery, Identity, RetryPlan};
use tenon_policy::{Authority, Facts, Grants, Masker, Rules, search_filter};
use tenon_session::State;
use tenon_tools::{Jobs, ToolLimits, Workspace, reading_room};
use tenon_vocab::profile::{AgentProfile, Limits};
use tenon_vocab::{EventKind, Notice, NoticeLevel, RunId, Settings};

pub(crate) struct Core {
    pub(crate) emitter: Arc<Emitter>,
    pub(crate) inbox: Inbox,
    pub(crate) questions: Questions,
    pub(crate) active: Active,
    pub(crate) models: Option<Arc<dyn ModelSource>>,
    pub(crate) meter: Meter,
    /// Whether making the conversation shorter gets anywhere.
    pub(crate) compaction: Progress,
    pub(crate) told: Told,
    pub(crate) git: Beginning,
    pub(crate) wakes: Wakes,
    pub(crate) undo_warned: Warned,
    /// A title was asked for, or is there.
    pub(crate) titled: AtomicBool,
    pub(crate) workspace: Workspace,
    /// Watches what commands change.
    pub(crate) keeper: Keeper,
    pub(crate) jobs: Jobs,
    pub(crate) rules: Rules,
    grants: Mutex<Grants>,
    pub(crate) on_grant: Option<GrantSink>,
    /// Who works, and who else could.
    pub(crate) cast: Cast,
    layout: Mutex<Arc<Layout>>,
    /// What comes beside the conversation, and how that is kept within bounds.
    pub(crate) given: ContextParts,
    /// What was masked in its files of rules, in words.
    pub(crate) masked_rules: Vec<String>,
    /// The same in every request of the session: its id.
    pub(crate) cache_key: Arc<str>,
    /// As the session was opened; the log has what holds now.
    pub(crate) settings: Settings,
    pub(crate) limits: Limits,
    pub(crate) tool_limits: ToolLimits,
    pub(crate) delivery: Delivery,
    pub(crate) retry: RetryPlan,
    pub(crate) approval: Approval,
    pub(crate) effects: Effects,
    pub(crate) modes: ModeParts,
    pub(crate) folders: Arc<dyn FolderSource>,
    pub(crate) hooks: Hooks,
    pub(crate) masker: Arc<Masker>,
    pub(crate) ambient: Arc<dyn Ambient>,
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core")
            .field("emitter", &self.emitter)
            .finish_non_exhaustive()
    }
}

/// Whether this model was asked last; another one counts differently.
fn is_of(state: &State, model: &Identity) -> bool {
    state.compiled().is_some_and(|compiled| {
        compiled.model == model.model && compiled.endpoint == model.endpoint
    })
}

impl Core {
    /// In whose name a call is judged, and what the sandbox can hold it to.
    pub(crate) fn authority_about<'a>(
        &'a self,
        agent: &'a AgentProfile,
        facts: &Facts,
    ) -> Authority<'a> {
        let room = reading_room(facts, &self.jobs);
        self.authority(agent).with_reading_room(room)
    }

    pub(crate) fn new(parts: Parts) -> Self {
        let cache_key = Arc::from(parts.log.id().to_string());
        let mut given = parts.context;
        let fragments = std::mem::take(&mut given.fragments);
        let base = layout::base_of(&fragments);
        let cast = Cast::new(parts.agent, parts.agents, parts.toolbox, base);
        let identity = parts.model.identity();
        let window = identity.window.as_ref().map(|window| window.tokens);
        let tier = tier::of_session(
            given.tier,
            Asked::of(&identity, window, given.request_tokens),
            &identity.endpoint,
            &parts.state,
        );
        let blobs = parts.log.blobs();
        let mut layout = Layout::begin(fragments, tier, &cast, &blobs, &parts.state);
        let masked_rules = layout.mask(&parts.masker);
        let meter = if is_of(&parts.state, &identity) {
            let history = parts.state.history().messages();
            Meter::resumed(history.iter().map(AsRef::as_ref))
        } else {
            Meter::default()
        };
        parts.workspace.ledger().seed(
            parts
                .state
                .reads()
                .map(|(path, hash)| (path.to_owned(), hash.to_owned())),
        );
        let workspace = parts
            .workspace
            .with_private(Arc::new(search_filter(parts.rules.clone())));
        let keeper = Keeper::new(&parts.log, workspace.root());
        let compaction = Progress::resumed(&parts.state);
        Self {
            emitter: Arc::new(Emitter::new(
                parts.log,
                parts.state,
                cast.now().name().to_owned(),
                Arc::clone(&parts.ambient),
                Arc::clone(&parts.masker),
            )),
            inbox: Inbox::default(),
            questions: Questions::default(),
            active: Active::new(Current::new(parts.model, parts.parameters)),
            models: parts.models,
            meter,
            compaction,
            told: Told::default(),
            git: Beginning::default(),
            wakes: Wakes::default(),
            undo_warned: Warned::default(),
            titled: AtomicBool::new(false),
            workspace,
            keeper,
            jobs: parts.jobs,
            rules: parts.rules,
            grants: Mutex::new(parts.grants),
            on_grant: parts.on_grant,
            cast,
            layout: Mutex::new(Arc::new(layout)),
            given,
            masked_rules,
            cache_key,
            settings: parts.settings,
            limits: parts.limits,
            tool_limits: parts.tool_limits,
            delivery: parts.delivery,
            retry: parts.retry,
            approval: parts.approval,
            effects: parts.effects,
            modes: parts.modes,
            folders: parts.folders,
            hooks: Hooks::new(parts.hooks),
            masker: parts.masker,
            ambient: parts.ambient,
        }
    }

    /// The agent that works.
    pub(crate) fn agent(&self) -> Arc<Acting> {
        self.cast.now()
    }

    /// Another agent works from here on, for the log as well.
    pub(crate) fn act_as(&self, agent: &str) {
        self.cast.take(agent, &self.jobs);
        self.emitter.set_agent(self.agent().name());
    }

    /// What every request begins with.
    pub(crate) fn layout(&self) -> Arc<Layout> {
        Arc::clone(&self.layout.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn lay_out(&self, layout: Layout) {
        *self.layout.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(layout);
    }

    pub(crate) fn grants(&self) -> MutexGuard<'_, Grants> {
        self.grants.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Emits; when the log is broken the session ends, since nothing that
    /// happens from here on could be kept.
    pub(crate) fn emit_or_end(&self, run: Option<RunId>, kind: impl Into<EventKind>) {
        if self.emitter.emit(run, kind).is_err() {
            self.inbox.shutdown.cancel();
        }
    }

    pub(crate) fn notice(
        &self,
        run: Option<RunId>,
        level: NoticeLevel,
        kind: &str,
        message: impl Into<String>,
    ) {
        self.emit_or_end(
            run,
            Notice {
                level,
                kind: kind.to_owned(),
                message: message.into(),
                hint: None,
            },
        );
    }
}
