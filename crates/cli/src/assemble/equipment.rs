//! What an agent works with: its tools, the files that they reach, what is asked
//! of its model. Each from settings that were read before.

use crate::briefing;
use crate::custom::Custom;
use crate::error::CliError;
use crate::place::Place;
use crate::provider::Wanted;
use crate::runner::environment;
use crate::sandbox::{self, Walls};
use std::path::{Path, PathBuf};
use tenon_config::Resolved;
use tenon_engine::{AgentParts, Approval, Confirm, agents, prompt};
use tenon_model::{Model, Parameters};
use tenon_tools::workspace::{External, WorkspaceOptions};
use tenon_tools::{BuiltIn, Interactive, Programs, Toolbox, Workspace};
use tenon_vocab::profile::{AgentProfile, PromptTier, SkillInfo, Tiered, ToolLimits};
use tenon_vocab::{Decision, PermissionMode, Settings, effort};

pub fn agent(name: &str) -> Result<AgentProfile, CliError> {
    let all = agents::built_in();
    let names: Vec<String> = all.iter().map(|agent| agent.name.clone()).collect();
    all.into_iter()
        .find(|agent| agent.name == name)
        .ok_or_else(|| {
            CliError::config(format!(
                "there is no agent `{name}`; the agents are: {}",
                names.join(", ")
            ))
        })
}

/// The agent that a session begins or goes on with, and what is to be said of
/// it: the one that the flags name, else the session's own, else the configured
/// one.
pub(super) fn wanted_agent(
    named: Option<&str>,
    session: Option<&Settings>,
    configured: &str,
) -> Result<(AgentProfile, Option<String>), CliError> {
    if let Some(name) = named {
        return Ok((agent(name)?, None));
    }
    // An imported session says no provider, and chooses no agent either.
    let own = session.filter(|session| !session.provider.is_empty());
    let Some(own) = own.map(|session| session.agent_name.as_str()) else {
        return Ok((agent(configured)?, None));
    };
    match agent(own) {
        Ok(found) => {
            let remark = format!("this session's own agent: {own}");
            Ok((found, (own != configured).then_some(remark)))
        }
        Err(_) => {
            let remark = format!(
                "this session's agent `{own}` no longer exists; continuing with `{configured}`"
            );
            Ok((agent(configured)?, Some(remark)))
        }
    }
}

/// Those that a session can change to, with what each brings along.
pub(super) fn agents(resolved: &Resolved, walls: &Walls) -> Vec<AgentParts> {
    agents::built_in()
        .into_iter()
        .map(|profile| AgentParts {
            base: Tiered {
                compact: prompt::base(briefing::base(resolved, &profile, PromptTier::Compact)),
                full: prompt::base(briefing::base(resolved, &profile, PromptTier::Full)),
            },
            walls: walls.of_agent(&profile),
            profile,
        })
        .collect()
}

/// The tools of all agents, and what the user should know of those that are not
/// among them.
pub fn toolbox(
    approval: Approval,
    resolved: &Resolved,
    custom: &Custom,
    skills: &[SkillInfo],
) -> (Toolbox, Vec<String>) {
    let interactive = match approval {
        Approval::Ask | Approval::Yes(Confirm::Ask) => Interactive::Yes,
        _ => Interactive::No,
    };
    let mut toolbox = Toolbox::default();
    let built_in = BuiltIn::new(interactive).with_limits(&resolved.tools);
    toolbox.add(&built_in.with_skills(skills));
    let told = custom.add_to(&mut toolbox);
    (toolbox, told)
}

/// The project's files, the outputs that are kept, and the folders of skills.
pub fn workspace(
    place: &Place,
    resolved: &Resolved,
    out: &Path,
    skills: &[SkillInfo],
) -> Result<Workspace, CliError> {
    let folders = skills.iter().map(|skill| skill.folder.clone());
    let options = WorkspaceOptions {
        external: match resolved.external_directory {
            Decision::Deny => External::Deny,
            Decision::Ask => External::Ask,
            Decision::Allow => External::Allow,
        },
        extra_read: folders.chain([out.to_path_buf()]).collect(),
        home: place.env.get("HOME").map(PathBuf::from),
        programs: Programs::new(
            &environment(resolved).given,
            sandbox::written_by_all(place, &resolved.sandbox),
        ),
    };
    Workspace::open(&place.root, options).map_err(|error| CliError::runtime(error.to_string()))
}

/// What a session says of itself when it begins.
pub(super) fn opening(
    model: &dyn Model,
    agent: &AgentProfile,
    (permission_mode, add_dirs): (PermissionMode, Vec<String>),
    parameters: &Parameters,
) -> Settings {
    let identity = model.identity();
    Settings {
        provider: identity.endpoint.clone(),
        model: identity.model.clone(),
        agent_name: agent.name.clone(),
        mode: String::from("single"),
        permission_mode,
        effort: parameters.reasoning_effort.clone(),
        title: None,
        pinned: false,
        add_dirs,
        side: None,
    }
}

/// What the provider's format cannot carry is not shown to the model either.
pub(super) fn tool_limits(resolved: &Resolved, wanted: Option<&Wanted>) -> ToolLimits {
    let mut limits = resolved.tools.clone();
    if let Some(largest) = wanted.and_then(|wanted| wanted.provider.kind.image_bytes()) {
        limits.image_bytes = limits.image_bytes.min(largest);
    }
    limits
}

/// What is asked of the model: the effort of this run before the session's, and
/// that before the profile's.
pub(super) fn parameters(
    resolved: &Resolved,
    model: &dyn Model,
    wanted: Option<&Wanted>,
) -> Parameters {
    let Some(wanted) = wanted else {
        return resolved.parameters.clone();
    };
    let known = resolved.parameters_of(&wanted.provider, &model.identity().model);
    let hand = resolved.by_hand.reasoning_effort.clone();
    Parameters {
        reasoning_effort: effort::sent(
            hand.or_else(|| wanted.effort.clone())
                .or(known.reasoning_effort),
        ),
        ..known
    }
}
