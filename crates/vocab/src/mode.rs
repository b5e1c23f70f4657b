//! The permission mode of a session: what may run without a question, besides
//! rules and grants. What a mode makes of a call is the policy's to say.

use crate::Settings;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The agent that is the mode `plan`.
pub const PLAN_AGENT: &str = "plan";

/// In the order in which a key goes through them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PermissionMode {
    /// Every question is asked.
    #[default]
    Ask,
    /// Changes by file tools inside the root are not asked about.
    AcceptEdits,
    /// Nor are commands that run in an enforced sandbox.
    Auto,
    /// The agent that only reads works.
    Plan,
}

impl PermissionMode {
    pub const ALL: [Self; 4] = [Self::Ask, Self::AcceptEdits, Self::Auto, Self::Plan];

    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::AcceptEdits => "accept-edits",
            Self::Auto => "auto",
            Self::Plan => "plan",
        }
    }

    /// As a status line shows it.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::AcceptEdits => "accept edits",
            other => other.name(),
        }
    }

    /// What it means, in a sentence without its end.
    #[must_use]
    pub fn what(self) -> &'static str {
        match self {
            Self::Ask => "asks before a file is changed or a command is run",
            Self::AcceptEdits => {
                "does not ask before a file of the project is changed; commands are asked about"
            }
            Self::Auto => {
                "does not ask before a file of the project is changed or a command is run in the sandbox"
            }
            Self::Plan => "only reads, and writes a plan",
        }
    }

    /// The mode of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// The one that a key goes to from here, of those that `allowed` names: after
    /// the last one the first. `None` where there is no other.
    #[must_use]
    pub fn next(self, allowed: &[Self]) -> Option<Self> {
        let at = Self::ALL.iter().position(|mode| *mode == self)?;
        let (before, from) = Self::ALL.split_at(at);
        let mut others = from.iter().skip(1).chain(before);
        others.find(|mode| allowed.contains(mode)).copied()
    }

    /// The mode of a session in which this agent works from now on: `plan` and
    /// its agent go together, and whoever leaves it is asked again.
    #[must_use]
    pub fn with_agent(self, agent: &str) -> Self {
        match (self, agent == PLAN_AGENT) {
            (_, true) => Self::Plan,
            (Self::Plan, false) => Self::Ask,
            (other, false) => other,
        }
    }
}

impl fmt::Display for PermissionMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Settings {
    /// Another agent, and the mode that goes with it.
    pub fn act_as(&mut self, agent: &str) {
        self.agent_name = agent.to_owned();
        self.permission_mode = self.permission_mode.with_agent(agent);
    }
}

#[cfg(test)]
mod tests {
    use super::PermissionMode::{self, AcceptEdits, Ask, Auto, Plan};

    #[test]
    fn a_key_goes_through_all_modes_and_from_the_last_to_the_first() {
        let all = PermissionMode::ALL;
        assert_eq!(Ask.next(&all), Some(AcceptEdits));
        assert_eq!(AcceptEdits.next(&all), Some(Auto));
        assert_eq!(Auto.next(&all), Some(Plan));
        assert_eq!(Plan.next(&all), Some(Ask));
    }

    #[test]
    fn a_key_passes_over_a_mode_that_is_not_allowed() {
        assert_eq!(AcceptEdits.next(&[Ask, AcceptEdits, Plan]), Some(Plan));
        assert_eq!(Ask.next(&[Ask]), None);
        assert_eq!(Plan.next(&[Auto]), Some(Auto));
    }

    #[test]
    fn plan_and_its_agent_go_together() {
        assert_eq!(Auto.with_agent("plan"), Plan);
        assert_eq!(Plan.with_agent("build"), Ask);
        assert_eq!(AcceptEdits.with_agent("build"), AcceptEdits);
    }

    #[test]
    fn the_names_are_those_of_the_wire() {
        for mode in PermissionMode::ALL {
            assert_eq!(serde_json::to_value(mode).unwrap(), mode.name());
            assert_eq!(PermissionMode::named(mode.name()), Some(mode));
        }
    }
}
