//! What the model is told before the first prompt: the agent's words, the
//! user's, the rules of the place and the facts about it. The texts themselves
//! are the engine's and the user's.

use crate::assemble::Options;
use crate::place::Place;
use crate::rules;
use std::path::{Path, PathBuf};
use tenon_config::Resolved;
use tenon_engine::prompt::{Environment, system};
use tenon_vocab::profile::AgentProfile;

/// The system prompt; remarks say where its rules come from.
pub fn prompt(
    place: &Place,
    options: &Options,
    resolved: &Resolved,
    agent: &AgentProfile,
    remarks: &mut Vec<String>,
) -> String {
    let home = place.env.get("HOME").map(PathBuf::from);
    let mut found = rules::find(&place.paths.config, home.as_deref(), &place.root);
    rules::instructions(
        &mut found,
        &resolved.instructions,
        home.as_deref(),
        &place.root,
    );
    remarks.extend(
        found
            .files
            .iter()
            .map(|file| format!("rules: {}", file.path)),
    );
    remarks.extend(found.warnings);
    let base = resolved
        .prompt
        .system_prompt
        .as_deref()
        .unwrap_or(&agent.prompt);
    let appended: Vec<&str> = [
        resolved.prompt.append.as_deref(),
        options.instruction.as_deref(),
    ]
    .into_iter()
    .flatten()
    .collect();
    let environment = Environment {
        platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        shell: String::from(if Path::new("/bin/bash").exists() {
            "bash"
        } else {
            "sh"
        }),
        root: place.root_text(),
    };
    system(
        base,
        Some(appended.join("\n\n").as_str()),
        &found.files,
        &environment,
    )
}
