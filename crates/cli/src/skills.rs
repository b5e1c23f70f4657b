//! The skills of a session: found by `config`, without those that a rule denies.
//! What is denied is as if it were not there (Y2).

use crate::place::Place;
use std::path::PathBuf;
use tenon_config::Resolved;
use tenon_config::skills::{Places, discover};
use tenon_engine::{Ambient, RealAmbient};
use tenon_policy::{Authority, Grants, decide};
use tenon_tools::skill;
use tenon_vocab::Class;
use tenon_vocab::profile::{AgentProfile, SkillInfo, Whose};

/// Names that one remark tells.
const TOLD: usize = 8;

/// What was found, as far as it may be used.
#[derive(Debug, Clone, Default)]
pub struct Skills {
    pub usable: Vec<SkillInfo>,
    /// With the reason.
    pub denied: Vec<(SkillInfo, String)>,
    /// What is wrong with those that are there.
    pub remarks: Vec<String>,
    /// That a project has some.
    pub notice: Option<String>,
}

impl Skills {
    /// What is said at the start of a session: a line for all that is wrong, and
    /// one for what the project brings along.
    pub fn at_start(&self) -> Vec<String> {
        in_short(&self.remarks, "`tenon skills list` shows them")
            .into_iter()
            .chain(self.notice.clone())
            .collect()
    }
}

/// The first, and how many more there are.
fn in_short(remarks: &[String], all: &str) -> Option<String> {
    let (first, more) = remarks.split_first()?;
    Some(match more.len() {
        0 => first.clone(),
        1 => format!("{first} (and one more; {all})"),
        more => format!("{first} (and {more} more; {all})"),
    })
}

pub fn find(place: &Place, resolved: &Resolved, agent: &AgentProfile) -> Skills {
    let home = place.env.get("HOME").map(PathBuf::from);
    let found = discover(&Places {
        root: &place.root,
        config: &place.paths.config,
        home: home.as_deref(),
        paths: &resolved.skill_paths,
    });
    let mut skills = Skills {
        remarks: found.remarks,
        ..Skills::default()
    };
    let now = RealAmbient.now();
    for found in found.skills {
        let facts = skill::facts_of(&found.name);
        let authority = Authority::of(agent);
        let verdict = decide(&facts, &resolved.rules, &Grants::new(), &authority, now);
        match verdict.class {
            Class::Deny | Class::HardDeny => skills.denied.push((found, verdict.reason)),
            Class::Allow | Class::Ask | Class::Confirm => skills.usable.push(found),
        }
    }
    skills.notice = notice(&skills.usable);
    skills
}

/// A project's skills speak to the model although nobody trusted the project, so
/// it is said that they are there (C7).
fn notice(skills: &[SkillInfo]) -> Option<String> {
    let names: Vec<&str> = skills
        .iter()
        .filter(|skill| skill.source == Whose::Project)
        .map(|skill| skill.name.as_str())
        .collect();
    let first = names.iter().take(TOLD).copied().collect::<Vec<_>>();
    let more = match names.len().saturating_sub(TOLD) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!names.is_empty()).then(|| format!("skills of the project: {}{more}", first.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_faults_of_skills_are_one_line_at_the_start() {
        let skills = Skills {
            remarks: ["a", "b", "c"].map(String::from).to_vec(),
            notice: Some(String::from("skills of the project: x")),
            ..Skills::default()
        };
        let said = skills.at_start();
        assert_eq!(said.len(), 2);
        assert_eq!(said[0], "a (and 2 more; `tenon skills list` shows them)");
        assert_eq!(Skills::default().at_start(), Vec::<String>::new());
    }
}
