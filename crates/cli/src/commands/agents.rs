//! `tenon agents`: who can do the work.

use super::pages;
use crate::CommandResult;
use crate::args::AgentsCommand;
use crate::render::table::Table;
use tenon_engine::agents;
use tenon_vocab::profile::{AgentMode, AgentProfile};

pub fn run(command: AgentsCommand) -> CommandResult {
    let AgentsCommand::List { json } = command;
    let all: Vec<AgentProfile> = agents::built_in()
        .into_iter()
        .filter(|agent| !agent.hidden)
        .collect();
    if json {
        return pages::print_json(&all);
    }
    let mut table = Table::new(&["name", "mode", "source", "access", "tools", "description"]);
    for agent in all {
        let mode = match agent.mode {
            AgentMode::Primary => "primary",
            AgentMode::Subagent => "subagent",
            AgentMode::All => "all",
        };
        let access = if agent.read_only { "reads" } else { "changes" };
        let tools = match agent.tools.as_slice() {
            [] => String::from("all"),
            some => some.join(","),
        };
        table.row([
            agent.name,
            mode.to_owned(),
            agent.source,
            access.to_owned(),
            tools,
            agent.description,
        ]);
    }
    pages::print(&pages::fitting(&table))
}
