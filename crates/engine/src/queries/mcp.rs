//! The MCP servers of this session, as their events tell of them.

use super::table;
use crate::core::Core;
use tenon_vocab::Reply;

pub(super) fn list(core: &Core) -> Reply {
    let servers = core.emitter.servers();
    let rows: Vec<Vec<String>> = servers
        .into_iter()
        .map(|known| {
            let tools = core.cast.tools().iter();
            let tools = tools.filter(|tool| tool.spec().source == known.server);
            vec![
                known.server.clone(),
                known.state,
                tools.count().to_string(),
                known.detail.unwrap_or_default(),
            ]
        })
        .collect();
    let note = rows
        .is_empty()
        .then(|| String::from("No MCP server is running in this session."));
    table(&["server", "state", "tools", "last word"], rows, note)
}
