//! The permission mode that a session begins or goes on with, and what the modes
//! rest on here. What the mode lets run is decided elsewhere.

use super::Options;
use super::equipment::wanted_agent;
use crate::error::CliError;
use crate::sandbox::Shortfall;
use crate::settings::{Configured, forbidden};
use std::path::Path;
use tenon_config::{Explicit, Origin, Resolved};
use tenon_engine::{AutoNetwork, ModeParts, SandboxState};
use tenon_policy::Layer;
use tenon_vocab::profile::AgentProfile;
use tenon_vocab::{PLAN_AGENT, PermissionMode, Settings};

/// Who works, how freely, and what is to be said of it.
pub(super) struct Start {
    pub agent: AgentProfile,
    pub mode: PermissionMode,
    pub remarks: Vec<String>,
}

pub(super) fn start(
    options: &Options,
    configured: &Configured,
    session: Option<&Settings>,
) -> Result<Start, CliError> {
    let resolved = &configured.resolved;
    // An imported session says no provider, and chooses no mode either.
    let session = session.filter(|session| !session.provider.is_empty());
    let mut remarks = Vec::new();
    let (wanted, by_user) = wanted(options, configured, session, &mut remarks);
    let named = match (options.agent.as_deref(), by_user) {
        (Some(name), _) => Some(name),
        (None, ByUser::Yes) => agent_of(wanted, resolved, session),
        (None, ByUser::No) => None,
    };
    let (agent, remark) = wanted_agent(named, session, &resolved.agent)?;
    remarks.extend(remark);
    let mode = wanted.with_agent(&agent.name);
    if options.permission_mode.is_some_and(|flag| flag != mode) && options.agent.is_some() {
        return Err(CliError::usage(format!(
            "--permission-mode {wanted} and --agent {} contradict each other",
            agent.name
        ))
        .with_hint("The mode plan is the agent plan: remove one of the two."));
    }
    permitted(
        Start {
            agent,
            mode,
            remarks,
        },
        configured,
    )
}

/// Whether a mode was asked for, or is what the session was in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ByUser {
    Yes,
    No,
}

/// Nobody comes back into `auto` without having said so: whoever resumes may have
/// forgotten it.
fn wanted(
    options: &Options,
    configured: &Configured,
    session: Option<&Settings>,
    remarks: &mut Vec<String>,
) -> (PermissionMode, ByUser) {
    let written = configured.resolved.permission_mode;
    if is_managed(configured) {
        return (written, ByUser::Yes);
    }
    if let Some(flag) = options.permission_mode {
        return (flag, ByUser::Yes);
    }
    let Some(session) = session else {
        return (written, ByUser::Yes);
    };
    match session.permission_mode {
        PermissionMode::Auto if written != PermissionMode::Auto => {
            remarks.push(String::from(
                "this session was in the mode auto; it continues in ask (--permission-mode auto, or Shift+Tab, changes that)",
            ));
            (PermissionMode::Ask, ByUser::No)
        }
        mode => (mode, ByUser::No),
    }
}

fn is_managed(configured: &Configured) -> bool {
    matches!(
        configured.loaded.get("permission_mode"),
        Some((
            _,
            Origin::File {
                layer: Layer::Managed,
                ..
            }
        ))
    )
}

/// The agent that a mode needs, where it is not the one that would work anyway.
fn agent_of<'a>(
    mode: PermissionMode,
    resolved: &'a Resolved,
    session: Option<&Settings>,
) -> Option<&'a str> {
    let plans = session.is_some_and(|session| session.agent_name == PLAN_AGENT);
    match mode {
        PermissionMode::Plan => Some(PLAN_AGENT),
        _ if plans && resolved.agent != PLAN_AGENT => Some(&resolved.agent),
        _ if plans => Some("build"),
        _ => None,
    }
}

/// The same, or what is left where a policy of the machine forbids the mode.
fn permitted(start: Start, configured: &Configured) -> Result<Start, CliError> {
    let locks = configured.loaded.locks();
    let Some(file) = locks.forbids(start.mode) else {
        return Ok(start);
    };
    // Plan is another agent, which nobody gets by the way.
    let others = [PermissionMode::Ask, PermissionMode::AcceptEdits];
    let instead = others.into_iter().find(|mode| {
        start.mode != PermissionMode::Plan && *mode < start.mode && locks.forbids(*mode).is_none()
    });
    let Some(instead) = instead else {
        return Err(refused(start.mode, file));
    };
    let mut start = start;
    start.remarks.push(format!(
        "the permission mode is {instead}, not {}: {} forbids that",
        start.mode,
        file.display()
    ));
    start.mode = instead;
    Ok(start)
}

fn refused(mode: PermissionMode, file: &Path) -> CliError {
    forbidden(&format!("the permission mode {mode}"), file)
}

/// What is told of a mode and of flags that make a difference, at the start.
pub(super) fn told(mode: PermissionMode, options: &Options) -> Vec<String> {
    let mut told = Vec::new();
    if mode != PermissionMode::Ask {
        told.push(format!("permission mode {mode}: Tenon {}", mode.what()));
    }
    for flag in options.shown_flags() {
        told.push(String::from(match flag {
            "--yolo" => "--yolo: every question is answered with yes, also what must be confirmed",
            "--yes" => "--yes: questions are answered with yes",
            _ => "--dry-run: nothing changes and no command runs",
        }));
    }
    told
}

pub(super) fn parts(configured: &Configured) -> ModeParts {
    let forbidden = configured.loaded.locks().permission_modes.iter();
    ModeParts {
        forbidden: forbidden
            .map(|(mode, file)| (*mode, file.display().to_string()))
            .collect(),
        sandbox: SandboxState::Unknown,
        network: match configured.resolved.network {
            Explicit::Yes => AutoNetwork::AsConfigured,
            Explicit::No => AutoNetwork::Closed,
        },
    }
}

/// What was found when the sandbox was looked at.
pub fn sandbox_state(shortfall: Option<&Shortfall>) -> SandboxState {
    match shortfall {
        None => SandboxState::Enforced,
        Some(short) => SandboxState::Lacking(format!(
            "the sandbox is not complete here ({}); tenon doctor says more",
            short.level
        )),
    }
}
