//! The permission mode of the session: read for each call, so that a change holds
//! from the next one on; changed at once, but for `plan`, which is another agent
//! and waits for the end of a run. What a mode makes of a call says the policy.

use crate::core::Core;
use crate::inbox::Work;
use crate::parts::{AutoNetwork, SandboxState};
use crate::switch;
use std::sync::Arc;
use tenon_policy::{Authority, Enforced, Mode};
use tenon_tools::jobs::{Walls, WayOut};
use tenon_vocab::profile::AgentProfile;
use tenon_vocab::{OwnLine, PLAN_AGENT, PermissionMode, Settings, Switch};
use tokio_util::sync::CancellationToken;

impl Core {
    /// As the log has it: what could not be recorded does not hold.
    pub(crate) fn permission_mode(&self) -> PermissionMode {
        self.emitter.state(|state| {
            let settings = state.settings().unwrap_or(&self.settings);
            settings.permission_mode
        })
    }

    fn mode(&self) -> Mode<'_> {
        let sandbox = match (self.jobs.sandbox(), &self.modes.sandbox) {
            (None, _) => Enforced::No("no sandbox is set up here (`sandbox.mode`)"),
            (Some(_), SandboxState::Enforced) => Enforced::Yes,
            (Some(_), SandboxState::Lacking(why)) => Enforced::No(why),
            (Some(_), SandboxState::Unknown) => Enforced::Unknown,
        };
        Mode {
            permission: self.permission_mode(),
            sandbox,
        }
    }

    /// On whose behalf a call is made now.
    pub(crate) fn authority<'a>(&'a self, agent: &'a AgentProfile) -> Authority<'a> {
        Authority::of(agent).in_mode(self.mode())
    }

    /// What a command of a tool runs behind, if nobody says otherwise.
    pub(crate) fn usual_walls(&self) -> Walls {
        match (self.permission_mode(), self.modes.network) {
            (PermissionMode::Auto, AutoNetwork::Closed) => Walls::Offline,
            _ => Walls::Inside,
        }
    }

    /// Where a line runs that the user typed.
    pub(crate) fn own_line(&self) -> OwnLine {
        match self.jobs.way_out() {
            WayOut::Offered => OwnLine::OutsideSandbox,
            WayOut::Closed => OwnLine::KeptInSandbox,
        }
    }

    /// Why a mode cannot be changed to: the file that forbids it.
    pub(crate) fn forbids(&self, mode: PermissionMode) -> Option<&str> {
        let forbidden = &self.modes.forbidden;
        let found = forbidden.iter().find(|(forbidden, _)| *forbidden == mode);
        found.map(|(_, file)| file.as_str())
    }
}

/// What became of a wish for another mode.
pub(crate) enum Wished {
    /// It stands in the settings; what to say, and what to know besides.
    Done { said: String, hint: Option<String> },
    /// It is another agent's, and is said by its change.
    Queued,
}

/// # Errors
/// Why the mode stays, in a sentence.
pub(crate) fn wish(
    core: &Core,
    mode: PermissionMode,
    settings: &mut Settings,
) -> Result<Wished, String> {
    if let Some(file) = core.forbids(mode) {
        return Err(format!("The mode was not changed: {file} forbids {mode}."));
    }
    // The last word counts, also before what waits for the end of a run.
    core.inbox.forget_modes();
    let plans = core.agent().name() == PLAN_AGENT;
    if plans == (mode == PermissionMode::Plan) {
        settings.permission_mode = mode;
        return Ok(Wished::Done {
            said: format!("The mode is {mode}: Tenon {}.", mode.what()),
            hint: doubt(core, mode),
        });
    }
    let Some(_) = agent_of(core, mode) else {
        return Err(format!(
            "The mode was not changed: there is no agent for {mode}."
        ));
    };
    let waits = core.inbox.is_running();
    core.inbox.push(Work::Mode(mode));
    if !waits {
        return Ok(Wished::Queued);
    }
    Ok(Wished::Done {
        said: format!("The mode will be {mode} after this run."),
        hint: None,
    })
}

/// What of a mode does not hold here.
fn doubt(core: &Core, mode: PermissionMode) -> Option<String> {
    if mode != PermissionMode::Auto {
        return None;
    }
    let why = core.mode().sandbox.doubt()?;
    Some(format!("Commands are still asked about: {why}."))
}

/// The agent that works in a mode; in those but `plan` the first that can be
/// changed to.
fn agent_of(core: &Core, mode: PermissionMode) -> Option<String> {
    let plans = mode == PermissionMode::Plan;
    let mut names = core.cast.choosable().map(|profile| &profile.name);
    names
        .find(|name| (name.as_str() == PLAN_AGENT) == plans)
        .cloned()
}

/// Into `plan` or out of it, between two runs. Said by the change of the agent.
pub(crate) async fn enter(core: &Arc<Core>, mode: PermissionMode, token: &CancellationToken) {
    let wanted = Switch {
        agent: agent_of(core, mode),
        ..Switch::default()
    };
    switch::to(core, wanted, Some(mode), token).await;
}
