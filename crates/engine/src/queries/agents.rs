//! The agents that a user can change to, and their names for whoever types one.

use super::table;
use crate::core::Core;
use tenon_vocab::Reply;
use tenon_vocab::profile::AgentProfile;

/// In the order in which one is changed to after the other.
pub(super) fn list(core: &Core) -> Reply {
    let acting = core.agent();
    let mut profiles: Vec<&AgentProfile> = core.cast.choosable().collect();
    if !profiles.iter().any(|one| one.name == acting.name()) {
        profiles.insert(0, &acting.profile);
    }
    let rows = profiles
        .into_iter()
        .map(|profile| {
            let mark = if profile.name == acting.name() {
                "*"
            } else {
                ""
            };
            vec![
                mark.to_owned(),
                profile.name.clone(),
                profile.description.clone(),
                profile.source.clone(),
            ]
        })
        .collect();
    table(
        &["", "agent", "what it does", "from"],
        rows,
        Some(String::from(
            "/agent NAME changes the agent, from the next prompt on",
        )),
    )
}

pub(super) fn beginning_with(core: &Core, typed: &str) -> Vec<String> {
    let names = core.cast.choosable().map(|profile| &profile.name);
    names
        .filter(|name| name.starts_with(typed))
        .cloned()
        .collect()
}
