//! What an agent works with: its tools, the files that they reach, what is asked
//! of its model. Each from settings that were read before.

use crate::custom::Custom;
use crate::error::CliError;
use crate::place::Place;
use crate::provider::Wanted;
use std::path::{Path, PathBuf};
use tenon_config::Resolved;
use tenon_engine::{Approval, Confirm, agents};
use tenon_model::{Model, Parameters};
use tenon_tools::workspace::{External, WorkspaceOptions};
use tenon_tools::{BuiltIn, Interactive, Toolbox, Workspace};
use tenon_vocab::profile::{AgentProfile, SkillInfo, ToolLimits};
use tenon_vocab::{Decision, Settings, effort};

pub fn agent(name: &str) -> Result<AgentProfile, CliError> {
    let all = agents::built_in();
    let names: Vec<String> = all.iter().map(|agent| agent.name.clone()).collect();
    all.into_iter()
        .find(|agent| agent.name == name)
        .ok_or_else(|| {
            CliError::config(format!(
                "there is no agent `{name}`; there are: {}",
                names.join(", ")
            ))
        })
}

/// The tools of an agent, and what the user should know of those that are not
/// among them.
pub fn toolbox(
    agent: &AgentProfile,
    approval: Approval,
    custom: &Custom,
    skills: &[SkillInfo],
) -> (Toolbox, Vec<String>) {
    let interactive = match approval {
        Approval::Ask | Approval::Yes(Confirm::Ask) => Interactive::Yes,
        _ => Interactive::No,
    };
    let mut toolbox = Toolbox::default();
    toolbox.add(&BuiltIn::new(interactive).with_skills(skills));
    let told = custom.add_to(&mut toolbox);
    if !agent.tools.is_empty() {
        toolbox.retain(|spec| agent.tools.contains(&spec.name));
    }
    (toolbox, told)
}

/// The project's files, what the session keeps, and the folders of skills.
pub fn workspace(
    place: &Place,
    resolved: &Resolved,
    folder: &Path,
    skills: &[SkillInfo],
) -> Result<Workspace, CliError> {
    let folders = skills.iter().map(|skill| skill.folder.clone());
    let options = WorkspaceOptions {
        external: match resolved.external_directory {
            Decision::Deny => External::Deny,
            Decision::Ask => External::Ask,
            Decision::Allow => External::Allow,
        },
        extra_read: folders.chain([folder.join("out")]).collect(),
        home: place.env.get("HOME").map(PathBuf::from),
    };
    Workspace::open(&place.root, options).map_err(|error| CliError::runtime(error.to_string()))
}

/// What a session says of itself when it begins.
pub(super) fn opening(
    model: &dyn Model,
    agent: &AgentProfile,
    parameters: &Parameters,
) -> Settings {
    let identity = model.identity();
    Settings {
        provider: identity.endpoint.clone(),
        model: identity.model.clone(),
        agent_name: agent.name.clone(),
        mode: String::from("single"),
        effort: parameters.reasoning_effort.clone(),
        title: None,
        pinned: false,
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

/// What is asked of the model: the agent's temperature before the profile's, the
/// effort of this run before the session's, and that before the profile's.
pub(super) fn parameters(
    resolved: &Resolved,
    agent: &AgentProfile,
    model: &dyn Model,
    wanted: Option<&Wanted>,
) -> Parameters {
    let Some(wanted) = wanted else {
        return resolved.parameters.clone();
    };
    let known = resolved.parameters_of(&wanted.provider, &model.identity().model);
    let hand = resolved.by_hand.reasoning_effort.clone();
    Parameters {
        temperature: agent.temperature.or(known.temperature),
        reasoning_effort: effort::sent(
            hand.or_else(|| wanted.effort.clone())
                .or(known.reasoning_effort),
        ),
        ..known
    }
}
