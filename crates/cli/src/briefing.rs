//! What the model is told before the first prompt: the agent's words, the
//! user's, the rules of the place and the facts about it. The texts themselves
//! are the engine's and the user's.

use crate::assemble::Options;
use crate::place::Place;
use crate::rules::{Places, Watched};
use crate::told::Remarks;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tenon_config::Resolved;
use tenon_engine::prompt::{Briefing, Environment, Sourced, fragments};
use tenon_engine::{ContextParts, Wake};
use tenon_vocab::profile::{AgentProfile, PromptTier, SkillInfo};

/// All that the model is told and how it is bounded; remarks say where the rules
/// come from.
pub fn context(
    place: &Place,
    options: &Options,
    resolved: &Resolved,
    agent: &AgentProfile,
    skills: &[SkillInfo],
    remarks: &mut Remarks,
) -> ContextParts {
    let (watched, found) = Watched::begin(Places {
        config: place.paths.config.clone(),
        home: place.env.get("HOME").map(PathBuf::from),
        root: place.root.clone(),
        instructions: resolved.instructions.clone(),
    });
    let loaded = |what: &'static str| move |path: &String| format!("{what}: {path}");
    let paths = found.rules.iter().map(|file| &file.path);
    remarks.found.extend(paths.map(loaded("rules")));
    let paths = found.instructions.iter().map(|file| &file.path);
    remarks.found.extend(paths.map(loaded("instructions")));
    let appended: Vec<Sourced<'_>> = [
        ("append_system_prompt", resolved.prompt.append.as_deref()),
        ("this run", options.instruction.as_deref()),
    ]
    .into_iter()
    .filter_map(|(source, text)| text.map(|text| Sourced { source, text }))
    .collect();
    let environment = environment(place);
    let (fragments, cuts) = fragments(&Briefing {
        base: base(resolved, agent, PromptTier::Compact),
        appended: &appended,
        rules: &found.rules,
        instructions: &found.instructions,
        environment: &environment,
        skills,
    });
    let mut troubles = found.warnings;
    troubles.extend(cuts.iter().map(ToString::to_string));
    remarks.act.extend(troubles.iter().cloned());
    ContextParts {
        fragments,
        troubles,
        rule_source: Some(Arc::new(watched)),
        skills: skills.to_vec(),
        commands: Vec::new(),
        compaction: resolved.compaction.clone(),
        checkpoints: resolved.checkpoints.clone(),
        todo_first: resolved.todo_first,
        tier: resolved.prompt.tier,
        // A screen that draws what it did not ask for says otherwise.
        wake: Wake::Never,
        request_tokens: resolved.request_tokens,
    }
}

/// What the prompt begins with: the agent's words, or the user's instead.
pub fn base<'a>(resolved: &'a Resolved, agent: &'a AgentProfile, tier: PromptTier) -> Sourced<'a> {
    let own = resolved.prompt.system_prompt.as_deref();
    Sourced {
        source: own.map_or(&agent.source, |_| &resolved.prompt.source),
        text: own.unwrap_or(agent.words(tier)),
    }
}

/// Nothing in it changes from one start to the next (E9).
fn environment(place: &Place) -> Environment {
    Environment {
        platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        shell: String::from(if Path::new("/bin/bash").exists() {
            "bash"
        } else {
            "sh"
        }),
        root: place.root_text(),
    }
}
