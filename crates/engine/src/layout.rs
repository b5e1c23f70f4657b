//! What every request begins with: the system prompt and the tools, made for one
//! agent. It stays as it was sent when another agent takes over that needs no
//! more tools than were offered; that agent is told in a note what it is, and
//! the gate keeps it from the rest (E12). Only tools that were not offered make
//! it change, once, with the next prompt; and a compaction that takes the note
//! away.

use crate::acting::{Acting, Cast};
use crate::context::{self, Cause, PrefixBlobs};
use crate::core::Core;
use crate::notes;
use crate::parts::Parts;
use crate::prompt::{self, Fragment, FragmentKind};
use crate::tier::{self, Asked, ChosenTier};
use std::sync::{Arc, OnceLock};
use tenon_model::Prefix;
use tenon_policy::Masker;
use tenon_session::{Blobs, SessionError, State};
use tenon_vocab::ToolSpec;

#[derive(Debug)]
pub(crate) struct Layout {
    /// Whose words and tools these are.
    pub(crate) agent: String,
    /// In which length.
    pub(crate) tier: ChosenTier,
    /// What the system prompt is made of.
    pub(crate) fragments: Vec<Fragment>,
    pub(crate) prefix: Arc<Prefix>,
    /// Where it is kept, once it is.
    pub(crate) blobs: OnceLock<PrefixBlobs>,
}

impl Layout {
    pub(crate) fn new(
        agent: String,
        tier: ChosenTier,
        fragments: Vec<Fragment>,
        tools: Vec<ToolSpec>,
    ) -> Self {
        let system = prompt::system(&fragments);
        Self {
            agent,
            tier,
            fragments,
            prefix: Arc::new(Prefix { system, tools }),
            blobs: OnceLock::new(),
        }
    }

    /// What a session goes on with, made of the pieces that it was given with the
    /// agent that works.
    pub(crate) fn begin(
        given: Vec<Fragment>,
        tier: ChosenTier,
        cast: &Cast,
        blobs: &Blobs,
        state: &State,
    ) -> Self {
        let agent = begun_for(state, cast);
        let pieces = with_base(given, cast.base(&agent, tier.tier));
        let tools = cast.offer(&agent, tier.tier);
        Self::new(agent, tier, prompt::kept(pieces, blobs, state), tools)
    }

    /// Takes secrets out of the files of rules. Gives what to say about it.
    pub(crate) fn mask(&mut self, masker: &Masker) -> Vec<String> {
        let mut fragments = std::mem::take(&mut self.fragments);
        let said = prompt::masked(&mut fragments, masker);
        let tools = self.prefix.tools.clone();
        *self = Self::new(std::mem::take(&mut self.agent), self.tier, fragments, tools);
        said
    }

    /// The same for another agent: its own words at the start, its own tools.
    fn made_for(&self, agent: &str, cast: &Cast) -> Self {
        self.made(agent, self.tier, cast)
    }

    fn made(&self, agent: &str, tier: ChosenTier, cast: &Cast) -> Self {
        let base = cast.base(agent, tier.tier);
        let fragments = with_base(self.fragments.clone(), base);
        let tools = cast.offer(agent, tier.tier);
        Self::new(agent.to_owned(), tier, fragments, tools)
    }

    pub(crate) fn offers(&self, tool: &str) -> bool {
        self.prefix.tools.iter().any(|spec| spec.name == tool)
    }

    pub(crate) fn base(&self) -> Option<String> {
        base_of(&self.fragments).map(|piece| piece.text)
    }
}

/// The piece that a prompt begins with.
pub(crate) fn base_of(pieces: &[Fragment]) -> Option<Fragment> {
    let is_base = |piece: &&Fragment| piece.kind == FragmentKind::Base;
    pieces.iter().find(is_base).cloned()
}

/// Whose layout a session goes on with: the one that its log has, also when
/// another agent works by now.
fn begun_for(state: &State, cast: &Cast) -> String {
    let kept = state.compiled().filter(|kept| kept.fragments.is_some());
    let named = kept.and_then(|kept| {
        let settings = state.settings().map(|settings| settings.agent_name.clone());
        kept.agent_name.clone().or(settings)
    });
    named
        .filter(|name| cast.knows(name))
        .unwrap_or_else(|| cast.now().name().to_owned())
}

/// These pieces with another beginning.
fn with_base(mut pieces: Vec<Fragment>, base: Option<&Fragment>) -> Vec<Fragment> {
    let at = pieces
        .iter()
        .position(|piece| piece.kind == FragmentKind::Base);
    match (at, base) {
        (Some(at), Some(base)) => pieces[at] = base.clone(),
        (Some(at), None) => drop(pieces.remove(at)),
        (None, Some(base)) => pieces.insert(0, base.clone()),
        (None, None) => {}
    }
    pieces
}

/// Whether the agent cannot do with this layout: it needs tools that were not
/// offered, or nothing was said yet, so that nothing is rewritten.
fn is_needed(layout: &Layout, acting: &Acting, messages: usize) -> bool {
    let mut names = acting.toolbox.iter().map(|tool| tool.spec().name.as_str());
    let lacks = names.any(|name| !layout.offers(name));
    layout.agent != acting.name() && (lacks || messages == 0)
}

/// Whether the next prompt brings another layout.
pub(crate) fn is_due(core: &Core) -> bool {
    let messages = core.emitter.history(usize::MAX).1;
    is_needed(&core.layout(), &core.agent(), messages)
}

/// What the next prompt of a session would be sent with in this tier, for whoever
/// only looks.
#[must_use]
pub fn of_next_prompt(
    parts: &Parts,
    tier: ChosenTier,
    session: Option<(&Blobs, &State)>,
) -> (Vec<Fragment>, Vec<ToolSpec>) {
    let given = parts.context.fragments.clone();
    let (agent, agents) = (parts.agent.clone(), parts.agents.clone());
    let cast = Cast::new(agent, agents, parts.toolbox.clone(), base_of(&given));
    let name = cast.now().name().to_owned();
    let layout = match session {
        None => {
            let pieces = with_base(given, cast.base(&name, tier.tier));
            let tools = cast.offer(&name, tier.tier);
            Layout::new(name, tier, pieces, tools)
        }
        Some((blobs, state)) => {
            let layout = Layout::begin(given, tier, &cast, blobs, state);
            let messages = state.history().messages().len();
            match is_needed(&layout, &cast.now(), messages) {
                true => layout.made_for(&name, &cast),
                false => layout,
            }
        }
    };
    (layout.fragments, layout.prefix.tools.clone())
}

/// Before a prompt: the layout that the agent needs.
pub(crate) fn settle(core: &Core) -> Result<(), SessionError> {
    if is_due(core) { renew(core) } else { Ok(()) }
}

/// After a compaction: where the note of the agent went with what was replaced,
/// the prompt itself says who works.
pub(crate) fn after_compaction(core: &Core) -> Result<(), SessionError> {
    if notes::is_told_of(core, core.agent().name()) {
        Ok(())
    } else {
        renew(core)
    }
}

/// After a change of the model: the same in the tier that the new one gets. What
/// its server has in its cache was of another model anyway.
pub(crate) fn fit_model(core: &Core) {
    let current = core.active.get();
    let (layout, identity) = (core.layout(), current.identity());
    let window = current.window().map(|window| window.tokens);
    let asked = Asked::of(&identity, window, core.given.request_tokens);
    let tier = tier::choose(core.given.tier, asked);
    if tier.tier != layout.tier.tier {
        core.lay_out(layout.made(&layout.agent, tier, &core.cast));
    }
}

fn renew(core: &Core) -> Result<(), SessionError> {
    let acting = core.agent();
    core.lay_out(core.layout().made_for(acting.name(), &core.cast));
    context::compile(core, Cause::Agent)
}
