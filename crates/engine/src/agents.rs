//! The agents that are built in.

use tenon_vocab::names::tool;
use tenon_vocab::profile::{AgentMode, AgentProfile};

/// All of them; the first is the default.
#[must_use]
pub fn built_in() -> Vec<AgentProfile> {
    vec![
        agent(
            "build",
            "Reads, changes and runs the project.",
            [
                include_str!("../prompts/build.md"),
                include_str!("../prompts/build.full.md"),
            ],
            Rights::All,
        ),
        agent(
            "plan",
            "Reads the project and writes a plan; changes nothing.",
            [
                include_str!("../prompts/plan.md"),
                include_str!("../prompts/plan.full.md"),
            ],
            Rights::Read,
        ),
    ]
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rights {
    All,
    Read,
}

fn agent(
    name: &str,
    description: &str,
    [prompt, full_prompt]: [&str; 2],
    rights: Rights,
) -> AgentProfile {
    let tools: &[&str] = match rights {
        Rights::All => &[],
        Rights::Read => &[
            tool::READ,
            tool::LIST,
            tool::GLOB,
            tool::GREP,
            tool::TODO_READ,
            tool::TODO_WRITE,
            tool::ASK_USER,
            tool::SKILL,
        ],
    };
    AgentProfile {
        name: name.to_owned(),
        description: description.to_owned(),
        mode: AgentMode::Primary,
        hidden: false,
        prompt: prompt.trim_end().to_owned(),
        full_prompt: Some(full_prompt.trim_end().to_owned()),
        tools: tools.iter().map(|&tool| tool.to_owned()).collect(),
        read_only: rights == Rights::Read,
        max_steps: None,
        temperature: None,
        source: String::from("built-in"),
    }
}
